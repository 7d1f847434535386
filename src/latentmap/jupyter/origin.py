"""What the cells of an explorer came from, where its maps can be written to."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentmap.jupyter.cell_inputs import read_cells
from latentmap.session import Run, Session
from latentmap.table import MapTable, write_into, write_into_h5ad, write_into_spatialdata
from latentmap.table.frame_writing import write_into_frame
from latentmap.table.numbered_rows import NUMBERED
from latentmap.table.spatialdata_io import is_spatialdata

_ROW = "latentmap_row"


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
    given: Any, data: Any, *, layer: str, columns: Mapping[str, str], has_labels: bool = False
) -> Origin | None:
    """Return where maps of cells can be written; None if they came from an array or a table of text.

    Parameters
    ----------
    given : object
        What the user has given `explore`, perhaps a path.
    data : object
        The same once it is opened.
    layer, columns, has_labels
        As the cells were read, see `~latentmap.jupyter.cell_inputs.read_cells`.
    """
    path = Path(given) if isinstance(given, str | os.PathLike) else None
    if is_spatialdata(data):
        return Origin(
            "SpatialData" if path is None else path.name,
            lambda session, run: write_into_spatialdata(data, session.map_table(run), layer=layer),
        )
    if hasattr(data, "obs") and hasattr(data, "var"):
        return _of_anndata(data, path, layer, columns)
    if isinstance(data, pd.DataFrame):
        return Origin("DataFrame", _FrameWriter(data, layer=layer, columns=columns, has_labels=has_labels))
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

    def __init__(self, frame: pd.DataFrame, **how: Any) -> None:
        self._frame, self._index, self._how = frame, frame.index, how

    def __call__(self, session: Session, run: Run) -> Sequence[str]:
        frame = self._frame
        # As objects, so that they do not count as a feature.
        read = read_cells(frame.assign(**{_ROW: np.arange(len(frame)).astype(object)}), **self._how)
        made = session.map_table(run)
        if NUMBERED in read.notes and not (
            frame.index.equals(self._index) and _are_same_rows(read.features, run, made)
        ):
            raise ValueError(
                "The rows of the DataFrame were numbered, and now they are others or in another order: run explore() "
                "again."
            )
        positions = read.features[_ROW].to_numpy(dtype=int)
        return write_into_frame(frame, read.features.index, positions, made)


def _are_same_rows(features: pd.DataFrame, run: Run, made: MapTable) -> bool:
    """Whether the cells of a map still have its features, but for columns that are written."""
    assert run.result is not None
    cells = run.result.cells
    written = {*made.coordinates, *made.added}
    names = [name for name in cells.mappable if name in features and name not in written]
    known, now = cells.features[names], features[names].reindex(cells.features.index)
    then, there = (table.to_numpy(dtype=float, na_value=np.nan) for table in (known, now))
    return np.array_equal(then, there, equal_nan=True)
