"""The pixels of chosen cells, computed only where they are read."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from latentmap.display.label_plane import label_runs
from latentmap.table.whole_numbers import LARGEST

# If a larger label is chosen, pixels are compared with the chosen labels instead of looked up in a table of all labels.
_LARGEST_TABLE = 50_000_000
_PART = 2**18


class HighlightedLabels:
    """An array-like image that is 1 at the pixels of chosen cells and 0 elsewhere.

    Slices are computed when they are read, so it takes no memory, however large the labels are.

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
    """

    dtype = np.dtype(np.uint8)

    def __init__(self, labels: Any, has_frames: bool) -> None:
        self._labels = labels
        self.has_frames = has_frames
        self._chosen: Mapping[int, np.ndarray] = {}
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
        self._chosen = {int(frame): _table(labels[frames == frame]) for frame in np.unique(frames)}

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
        chosen = self._chosen.get(frame)
        if chosen is None:
            return np.zeros(pixels.shape, dtype=self.dtype)
        if chosen.dtype == self.dtype:
            lit = np.empty(pixels.shape, dtype=self.dtype)
            flat, into = pixels.reshape(-1), lit.reshape(-1)
            # In parts, so that NumPy's 64-bit copies of the labels fit in the processor's cache.
            for start in range(0, len(flat), _PART):
                part = slice(start, start + _PART)
                chosen.take(flat[part], mode="clip", out=into[part])
            return lit
        if len(chosen) == 1:
            equal: np.ndarray = (pixels == chosen[0]).view(self.dtype)
            return equal
        labels, lengths = label_runs(pixels)
        return np.repeat(np.isin(labels, chosen), lengths).reshape(pixels.shape).view(self.dtype)


def _table(labels: np.ndarray) -> np.ndarray:
    """A table of the value of each label, with 0 at both ends; the labels themselves if they are one or too large."""
    if len(labels) == 1 or labels.max(initial=0) > _LARGEST_TABLE or labels.min(initial=0) < 0:
        chosen: np.ndarray = labels[labels != 0]
        return chosen
    table = np.zeros(labels.max(initial=0) + 2, dtype=HighlightedLabels.dtype)
    table[labels] = 1
    table[0] = 0
    return table
