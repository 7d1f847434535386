"""The pixels of chosen cells, computed only where they are read."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from latentmap.display.colour_codes import SELECTED
from latentmap.display.label_plane import label_runs
from latentmap.table.number_sets import distinct
from latentmap.table.whole_numbers import LARGEST

# If a larger label is chosen, pixels are compared with the chosen labels instead of looked up in a table of all labels.
_LARGEST_TABLE = 50_000_000
_PART = 2**18
# The tables of so many frames are kept.
_MOST_TABLES = 8


class HighlightedLabels:
    """An array-like image of chosen cells: 1 at their pixels and 0 elsewhere.

    Once cells have colours, it is the code of a cell's colour at its pixels, and 128 is added for chosen cells. Slices
    are computed when they are read, so it takes no memory, however large the labels are.

    Parameters
    ----------
    labels : array-like of int
        Anything with a shape that can be indexed: an array, a memory map, a dask or zarr array.
    has_frames : bool
        Whether the first axis is time, and every frame has its own labels. This may be changed later.

    Examples
    --------
    >>> lit = HighlightedLabels(np.array([[0, 3, 3], [7, 7, 1000]]), has_frames=False)
    >>> lit.choose(np.array([0, 0]), np.array([3, 1000]))
    >>> np.asarray(lit)
    array([[0, 1, 1],
           [0, 0, 1]], dtype=uint8)
    >>> lit.colour(np.array([0, 0]), np.array([3, 7]), np.array([5, 6], dtype=np.uint8))
    >>> np.asarray(lit)
    array([[  0, 133, 133],
           [  6,   6, 128]], dtype=uint8)
    """

    dtype = np.dtype(np.uint8)

    def __init__(self, labels: Any, has_frames: bool) -> None:
        self._labels = labels
        self.has_frames = has_frames
        self._chosen: Mapping[int, np.ndarray] = {}
        self._coloured: Mapping[int, np.ndarray] | None = None
        # Made when a frame is looked at: the tables of all frames together may be larger than the memory.
        self._values: dict[int, np.ndarray | _Codes] = {}
        self.shape: tuple[int, ...] = tuple(labels.shape)
        self.ndim = len(self.shape)
        self.size = int(np.prod(self.shape))

    def choose(self, frames: np.ndarray, labels: np.ndarray) -> None:
        """Replace the chosen cells.

        Parameters
        ----------
        frames, labels : ndarray of int, shape (n_cells,)
            The cells' frames, 0 without frames, and labels.
        """
        self._chosen = _by_frame(frames, labels)
        self._values.clear()

    def colour(self, frames: np.ndarray, labels: np.ndarray, codes: np.ndarray) -> None:
        """Give cells codes for their colours.

        Parameters
        ----------
        frames, labels : ndarray of int, shape (n_cells,)
            The cells' frames, 0 without frames, and labels.
        codes : ndarray of uint8, shape (n_cells,)
            From 1 to 127.
        """
        self._coloured = _by_frame(frames, np.column_stack([labels, codes]))
        self._values.clear()

    def uncolour(self) -> None:
        """Take all colours away."""
        self._coloured = None
        self._values.clear()

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> np.ndarray:
        pixels = np.asarray(self._labels[index])
        if pixels.dtype == np.uint64:  # NumPy cannot index with this type
            pixels = np.where(pixels > LARGEST, 0, pixels).astype(np.int64)
        if not self.has_frames:
            return self._lit(pixels, 0)
        first = index[0] if isinstance(index, tuple) else index
        frames = np.arange(len(self))[first if first is not Ellipsis else slice(None)]
        if frames.ndim == 0:
            return self._lit(pixels, int(frames))
        return np.stack([self._lit(one, frame) for frame, one in zip(frames.tolist(), pixels, strict=True)])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        lit = self[tuple(slice(None) for _ in self.shape)]
        return lit if dtype is None else lit.astype(dtype)

    def _lit(self, pixels: np.ndarray, frame: int) -> np.ndarray:
        values = self._values_of(frame)
        if isinstance(values, np.ndarray):
            lit = np.empty(pixels.shape, dtype=self.dtype)
            flat, into = pixels.reshape(-1), lit.reshape(-1)
            # In parts, so that NumPy's 64-bit copies of the labels fit in the processor's cache.
            for start in range(0, len(flat), _PART):
                part = slice(start, start + _PART)
                values.take(flat[part], mode="clip", out=into[part])
            return lit
        if not len(values.labels):
            return np.zeros(pixels.shape, dtype=self.dtype)
        if len(values.labels) == 1:
            equal: np.ndarray = (pixels == values.labels[0]) * values.codes[0]
            return equal
        labels, lengths = label_runs(pixels)
        return np.repeat(values.codes_of(labels), lengths).reshape(pixels.shape)

    def _values_of(self, frame: int) -> "np.ndarray | _Codes":
        """The value of each label in a frame: as a table of all labels or, if they are too large or few, as pairs."""
        if frame not in self._values:
            if len(self._values) == _MOST_TABLES:
                self._values.clear()
            self._values[frame] = self._found(frame)
        return self._values[frame]

    def _found(self, frame: int) -> "np.ndarray | _Codes":
        chosen = self._chosen.get(frame, np.empty(0, dtype=np.int64))
        pairs = (self._coloured or {}).get(frame, np.empty((0, 2), dtype=np.int64))
        mark = 1 if self._coloured is None else SELECTED
        both = np.concatenate([pairs[:, 0], chosen])
        # A single cell, which may be among both, is found faster without a table.
        if len(both) > 2 and both.min() >= 0 and both.max() <= _LARGEST_TABLE:
            table = np.zeros(both.max() + 2, dtype=self.dtype)
            table[pairs[:, 0]] = pairs[:, 1]
            table[chosen] |= mark
            table[0] = 0
            return table
        labels = distinct(both)
        codes = np.zeros(len(labels), dtype=self.dtype)
        codes[np.searchsorted(labels, pairs[:, 0])] = pairs[:, 1]
        codes[np.searchsorted(labels, chosen)] |= mark
        return _Codes(labels[labels != 0], codes[labels != 0])


class _Codes(NamedTuple):
    """Labels in ascending order, without the background, and their codes."""

    labels: np.ndarray
    codes: np.ndarray

    def codes_of(self, labels: np.ndarray) -> np.ndarray:
        at = np.minimum(np.searchsorted(self.labels, labels), len(self.labels) - 1)
        found: np.ndarray = np.where(self.labels[at] == labels, self.codes[at], self.codes.dtype.type(0))
        return found


def _by_frame(frames: np.ndarray, values: np.ndarray) -> dict[int, np.ndarray]:
    """The values of the cells of each frame."""
    order = np.argsort(frames, kind="stable")
    there, starts = np.unique(frames[order], return_index=True)
    return dict(zip(there.tolist(), np.split(values[order], starts[1:]), strict=True)) if len(there) else {}
