"""What the cells of an explorer came from, where its maps can be written to."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentmap.jupyter.cell_inputs import read_cells
from latentmap.session import Run, Session
from latentmap.table import CellTable, MapTable, write_into, write_into_h5ad, write_into_spatialdata
from latentmap.table.files.frame_writing import write_into_frame
from latentmap.table.files.numbered_rows import NUMBERED
from latentmap.table.files.spatialdata_io import is_spatialdata
from latentmap.table.map_table import features_of
from latentmap.table.mappable import numeric
from latentmap.table.plain_columns import plain_columns
from latentmap.table.plain_tables import plain_rows
from latentmap.table.same_rows import other_values, rows_read

_OTHER_ROWS = (
    "The rows of the DataFrame were numbered, and now they are others, in another order or with other features: run "
    "explore() again."
)


class Origin(NamedTuple):
    """What the cells came from.

    Attributes
    ----------
    name : str
        What it is called, such as "AnnData".
    write : callable
        Writes the map of a run into it, and returns sentences for the user; raises ValueError or OSError.
    """

    name: str
    write: Callable[[Session, Run], Sequence[str]]


def origin_of(
    given: Any, data: Any, cells: CellTable, *, layer: str, columns: Mapping[str, str], has_labels: bool = False
) -> Origin | None:
    """Return where maps of cells can be written; None if they came from an array or a table of text.

    Parameters
    ----------
    given : object
        What the user has given `explore`, perhaps a path.
    data : object
        The same once it is opened.
    cells : CellTable
        What was read of it.
    layer, columns, has_labels
        As the cells were read, see `~latentmap.jupyter.cell_inputs.read_cells`.
    """
    path = Path(given) if isinstance(given, str | os.PathLike) else None
    if is_spatialdata(data):
        return Origin(
            "SpatialData" if path is None else path.name,
            lambda session, run: write_into_spatialdata(data, session.map_table(run), layer=layer, columns=columns),
        )
    if hasattr(data, "obs") and hasattr(data, "var"):
        return _of_anndata(data, path, layer, columns)
    # A table of another library was copied.
    if isinstance(given, pd.DataFrame):
        return Origin("DataFrame", _FrameWriter(data, cells, layer=layer, columns=columns, has_labels=has_labels))
    return None


def _of_anndata(data: Any, path: Path | None, layer: str, columns: Mapping[str, str]) -> Origin:
    def write(session: Session, run: Run) -> Sequence[str]:
        made = session.map_table(run)
        if path is None:
            missing = write_into(data, made, layer=layer, columns=columns)
            return ['The AnnData now has obsm["X_latentmap"].', *missing]
        return [f'Written into "{path.name}".', *write_into_h5ad(path, made, layer=layer, columns=columns)]

    return Origin("AnnData" if path is None else path.name, write)


class _FrameWriter:
    """Writes maps into a DataFrame, whose rows are found by their keys."""

    def __init__(self, frame: pd.DataFrame, cells: CellTable, **how: Any) -> None:
        self._frame, self._index, self._how = frame, frame.index, how
        # A column of labels that comes later does not hold the numbers that the rows were given.
        self._numbers = cells.features.index if NUMBERED in cells.notes else None

    def __call__(self, session: Session, run: Run) -> Sequence[str]:
        frame, made, keys = self._frame, session.map_table(run), self._numbers
        if keys is not None:
            if not frame.index.equals(self._index) or not _are_same_rows(
                plain_columns(plain_rows(frame).set_axis(keys)), run, made
            ):
                raise ValueError(_OTHER_ROWS)
            return write_into_frame(frame, keys, np.arange(len(frame)), made)
        read, positions = rows_read(frame, partial(read_cells, **self._how))
        if NUMBERED in read.notes and not (
            frame.index.equals(self._index) and _are_same_rows(read.features, run, made)
        ):
            raise ValueError(_OTHER_ROWS)
        said = write_into_frame(frame, read.features.index, positions, made)
        return [*said, *other_values(read.features, features_of(made))]


def _are_same_rows(features: pd.DataFrame, run: Run, made: MapTable) -> bool:
    """Whether rows still have the features of a map, and of its other columns of numbers those that they have."""
    assert run.result is not None
    cells, shaped = run.result.cells, run.result.parameters["features"]
    written = {*made.coordinates, *made.added}
    names = [name for name in cells.mappable if name not in written and (name in features or name in shaped)]
    if not names or not {*names} <= {*numeric(features)}:
        return False
    known, now = cells.features[names], features[names].reindex(cells.features.index)
    then, there = (table.to_numpy(dtype=float, na_value=np.nan) for table in (known, now))
    return np.array_equal(then, there, equal_nan=True)
