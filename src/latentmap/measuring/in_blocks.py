"""Measuring cells of images larger than the memory: block by block, each cell whole."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pandas as pd

from latentmap.generators import result_of, until_told
from latentmap.images.frames import Frames
from latentmap.measuring.block_job import BlockJob
from latentmap.measuring.cell_boxes import BlockCensus
from latentmap.measuring.frame_measuring import MeasureProgress
from latentmap.measuring.shape_features import ShapeFeatures
from latentmap.table.cells import CellTable

Result = TypeVar("Result")


def iter_measure_blocks(
    labels: Any,
    channels: Mapping[str, Any] | None = None,
    *,
    layer: str,
    has_frames: bool = False,
    spacing: Sequence[float] | None = None,
    unit: str = "",
    texture: bool = False,
    picture_size: int = 0,
) -> Generator[MeasureProgress, bool | None, CellTable | None]:
    """Measure every labelled cell of an image that need not fit into memory, step by step.

    The table is that of `iter_measure`, and must fit into memory. The blocks are worked off by threads or, while a
    client of `dask.distributed` is open, by the workers of its cluster.

    Parameters
    ----------
    labels : array of int, shape ([n_frames, ][n_planes, ]n_rows, n_columns)
        A dask or zarr array, a memory map, or whatever else can be cut by slices. Within a frame, a number stands for
        one cell, wherever its pixels are.
    channels : mapping of str to array, optional
        Of the labels' shape.
    layer, has_frames, spacing, unit, texture, picture_size
        As in `iter_measure`.

    Yields
    ------
    MeasureProgress
        At the start, after every block, and every few tenths of a second while one is measured.

    Returns
    -------
    CellTable or None
        None if it was sent True, which ends it.

    Raises
    ------
    ValueError
        As in `iter_measure`, or if a cell is so large that the window around it does not fit into memory.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.zeros((8, 8), dtype=int)
    >>> labels[1:4, 1:4], labels[5:8, 2:8] = 3, 1000
    >>> steps = iter_measure_blocks(labels, layer="nuclei")
    >>> next(steps)
    MeasureProgress(done=0, total=5, what='finding cells')
    """
    frames = Frames.read(labels, channels, layer=layer, has_frames=has_frames)
    job = BlockJob(frames, ShapeFeatures.read(spacing, unit, n_axes=frames.n_axes), texture, picture_size)
    keeper = _InMemory()
    notes = yield from until_told(job.run(keeper))
    if notes is None:
        return None
    table = CellTable.read(keeper.rows(), layer=layer)
    return replace(table, notes=(*table.notes, *notes))


def measure_blocks(labels: Any, channels: Mapping[str, Any] | None = None, **settings: Any) -> CellTable:
    """Measure every labelled cell of an image that need not fit into memory, in one go.

    Parameters
    ----------
    labels, channels, **settings
        As in `iter_measure_blocks`.

    Returns
    -------
    CellTable

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.zeros((8, 8), dtype=int)
    >>> labels[1:4, 1:4], labels[5:8, 2:8] = 3, 1000
    >>> measure_blocks(labels, layer="nuclei").features["area"].tolist()
    [9.0, 18.0]
    """
    cells = result_of(iter_measure_blocks(labels, channels, **settings))
    assert cells is not None, "Nothing has told it to stop."
    return cells


class _InMemory:
    """Keeps the rows of blocks in memory."""

    def __init__(self) -> None:
        self._found: dict[int, pd.DataFrame] = {}

    def begin(self, census: Mapping[int, BlockCensus]) -> None:
        """Begin, once the labels have been read."""

    def has(self, number: int) -> bool:
        """Whether the rows of a block are there already."""
        return number in self._found

    def keep(self, number: int, rows: pd.DataFrame) -> None:
        """Keep the rows of a block."""
        self._found[number] = rows

    def count_without(self, column: str) -> int:
        """Count the rows without a value in a column."""
        return sum(int(rows[column].isna().sum()) for rows in self._found.values())

    def rows(self) -> pd.DataFrame:
        """Return the rows of all blocks, in the order of frames and labels."""
        return pd.concat(self._found.values()).sort_values(["frame", "label"], ignore_index=True)
