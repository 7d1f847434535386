"""The pixels of many cells as one list, so that all cells are measured at once and not one by one."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

# Pixels of a frame that are searched for runs in one step.
_PART = 4_000_000


@dataclass(frozen=True, eq=False)
class CellPixels:
    """The pixels of some cells of a frame, cell by cell, and of each cell in the order of the image.

    Attributes
    ----------
    numbered : ndarray of int, shape (n_rows, n_columns) or (n_planes, n_rows, n_columns)
        The frame: the number of each pixel's cell, 0 for the background.
    flat : ndarray of int64, shape (n_pixels,)
        Where in the flattened frame each pixel is.
    cells : ndarray of int64, shape (n_pixels,)
        The index of each pixel's cell.
    starts : ndarray of int64, shape (n_cells,)
        Where each cell begins in the list.
    origin : tuple of int, optional
        The index of the first pixel in the whole frame, if `numbered` is a window of it.
    """

    numbered: np.ndarray
    flat: np.ndarray
    cells: np.ndarray
    starts: np.ndarray
    origin: tuple[int, ...] | None = None

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of pixels of each cell, shape (n_cells,)."""
        return np.diff(self.starts, append=len(self.flat))

    @cached_property
    def positions(self) -> tuple[np.ndarray, ...]:
        """The index of each pixel along each axis of the frame."""
        return np.unravel_index(self.flat, self.numbered.shape)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Add up a value of each pixel, cell by cell.

        Parameters
        ----------
        values : ndarray, shape (n_pixels, ...)
        """
        summed: np.ndarray = np.add.reduceat(values, self.starts)
        return summed

    def neighbours(self, down: int, right: int, among: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Find the neighbours of pixels, in the same plane.

        Parameters
        ----------
        down, right : int
            How many rows and columns away they are.
        among : ndarray of int
            Which pixels of the list.

        Returns
        -------
        flat : ndarray of int64
            Where in the flattened frame each neighbour is; within it also where there is none.
        is_own : ndarray of bool
            Whether there is one that belongs to the same cell.
        """
        n_rows, n_columns = self.numbered.shape[-2:]
        rows, columns = (axis[among] for axis in self.positions[-2:])
        is_own = (rows + down >= 0) & (rows + down < n_rows) & (columns + right >= 0) & (columns + right < n_columns)
        here = self.flat[among]
        there = np.where(is_own, here + down * n_columns + right, here)
        every = self.numbered.reshape(-1)
        return there, is_own & (every[there] == every[here])


@dataclass(frozen=True, eq=False)
class Runs:
    """A frame as runs of equal pixels in its rows, cell by cell: there are about ten times fewer than pixels."""

    numbered: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    cells: np.ndarray
    """The index of each run's cell."""
    origin: tuple[int, ...] | None = None

    @classmethod
    def find(cls, numbered: np.ndarray, origin: tuple[int, ...] | None = None) -> Generator[None, None, "Runs"]:
        """Find the runs of a frame, step by step.

        Parameters
        ----------
        numbered : ndarray of int, shape (n_rows, n_columns) or (n_planes, n_rows, n_columns)
            Contiguous; the cells have the numbers from 1 without a gap.
        origin : tuple of int, optional
            As in `CellPixels`.

        Examples
        --------
        >>> steps = Runs.find(np.array([[0, 1, 1], [2, 0, 1]]))
        >>> try:
        ...     while True:
        ...         next(steps)
        ... except StopIteration as end:
        ...     (pixels,) = end.value.blocks(n_cells=10, n_pixels=10)
        >>> pixels.flat.tolist(), pixels.cells.tolist(), pixels.sizes.tolist()
        ([1, 2, 5, 3], [0, 0, 0, 1], [3, 1])
        """
        rows = numbered.reshape(-1, numbered.shape[-1])
        step = max(1, _PART // max(1, rows.shape[1]))
        found = []
        for first in range(0, len(rows), step):
            part = rows[first : first + step]
            is_start = np.ones(part.shape, dtype=bool)
            np.not_equal(part[:, 1:], part[:, :-1], out=is_start[:, 1:])
            starts = np.flatnonzero(is_start)
            numbers = part.reshape(-1)[starts]
            is_cell = numbers > 0
            lengths = np.diff(starts, append=part.size)[is_cell]
            found.append(np.stack([starts[is_cell] + first * rows.shape[1], lengths, numbers[is_cell] - 1]))
            yield
        starts, lengths, cells = np.concatenate(found, axis=1)
        order = np.argsort(cells, kind="stable")
        return cls(numbered, starts[order], lengths[order], cells[order], origin)

    @cached_property
    def heads(self) -> np.ndarray:
        """Where each cell begins among the runs, and the end of the last one, shape (n_cells + 1,)."""
        return np.append(np.flatnonzero(np.diff(self.cells, prepend=-1)), len(self.cells))

    @property
    def n_cells(self) -> int:
        """The number of cells of the frame."""
        return len(self.heads) - 1

    def blocks(self, n_cells: int, n_pixels: int) -> Iterator[CellPixels]:
        """Divide the cells into blocks that are quickly measured; a large cell is a block of its own.

        Parameters
        ----------
        n_cells, n_pixels : int
            The most of a block.
        """
        ends = np.cumsum(self.lengths)[self.heads[1:] - 1]
        first, before = 0, 0
        while first < self.n_cells:
            stop = min(int(np.searchsorted(ends, before + n_pixels, side="right")), first + n_cells)
            stop = max(stop, first + 1)
            yield self._pixels(first, stop)
            first, before = stop, int(ends[stop - 1])

    def _pixels(self, first: int, stop: int) -> CellPixels:
        runs = slice(self.heads[first], self.heads[stop])
        starts, lengths, cells = self.starts[runs], self.lengths[runs], self.cells[runs] - first
        ends = np.cumsum(lengths)
        flat = np.arange(ends[-1]) + np.repeat(starts - ends + lengths, lengths)
        heads = self.heads[first:stop] - self.heads[first]
        return CellPixels(self.numbered, flat, np.repeat(cells, lengths), (ends - lengths)[heads], self.origin)
