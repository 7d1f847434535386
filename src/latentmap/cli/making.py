"""Making a map while the terminal shows the progress."""

from collections.abc import Generator
from typing import Any

import pandas as pd

from latentmap.cli.talk import Talk
from latentmap.display.progress_text import ProgressWriter
from latentmap.generators import result_of
from latentmap.methods import METHODS
from latentmap.session import Parameters, Result, RunProgress, iter_run
from latentmap.session.supervision import ClassSupervision
from latentmap.table import CellTable


def make_map(table: CellTable, parameters: Parameters, talk: Talk, *, classes: pd.Series | None = None) -> Result:
    """Make a map of a table.

    Parameters
    ----------
    table : CellTable
    parameters : Parameters
    talk : Talk
        Shows the progress.
    classes : pandas.Series of str, optional
        The class of each cell, "" for none, by key.

    Raises
    ------
    ValueError
        If the table or the parameters allow no map.
    """
    if METHODS[parameters.method].learns_from == "comparisons":
        raise ValueError(
            f'"{parameters.method}" learns from comparisons, which are made by clicking cells in napari or in a '
            "notebook. Make the map there, or choose another method."
        )
    supervision = None if classes is None else ClassSupervision(classes)
    return followed(iter_run(table, parameters, supervision=supervision), talk)


def followed(steps: "Generator[RunProgress, Any, Result | None]", talk: Talk) -> Result:
    """Work off the steps of a run, and show each."""
    words = ProgressWriter()

    def show(progress: RunProgress) -> None:
        stage = "embedding" if progress.stage == "embedding" else ProgressWriter().busy(progress.stage).text
        talk.progress(words.follow(progress), stage)

    result = result_of(steps, show)
    if result is None:
        raise ValueError("The run ended before there was a map.")
    return result
