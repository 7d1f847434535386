"""Which cells in a slice of labels lie inside a drawn region."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentmap.display.region import PixelMask
from latentmap.table import KEY
from latentmap.table.whole_numbers import LARGEST

# Labels larger than this are counted by sorting instead of in a table.
_LARGEST_TABLE = 50_000_000
# Of a plane with more pixels, only the part around the region is read, as far as the cells in it reach.
_LARGEST_PLANE = 100_000_000


class CoveredCells(NamedTuple):
    """Cells of one layer.

    Attributes
    ----------
    frames, labels : ndarray of int, shape (n_cells,)
        The frame and label of each.
    """

    frames: np.ndarray
    labels: np.ndarray

    @classmethod
    def none(cls) -> "CoveredCells":
        """Return no cells."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))

    def keys(self, name: str) -> pd.MultiIndex:
        """Return their keys, given the name of the layer."""
        layers = np.full(len(self.labels), name, dtype=object)
        return pd.MultiIndex.from_arrays([layers, self.frames, self.labels], names=KEY)


class LabelPlane:
    """A two-dimensional slice of labels; only the part that is needed is read.

    Parameters
    ----------
    data : array-like of int
        Anything with a shape that can be indexed.
    axes : (int, int)
        The axes that are the rows and columns of the plane.
    slice_ : ndarray of int, shape (n_axes,)
        The index along every other axis.

    Examples
    --------
    >>> labels = np.zeros((2, 4, 6), dtype=int)
    >>> labels[1, 1:3, 2:5] = 7
    >>> plane = LabelPlane(labels, (1, 2), np.array([1, 0, 0]))
    >>> plane.labels(PixelMask((slice(1, 3), slice(0, 4)), np.ones((2, 4), bool)), least_share=0.5)
    array([7])
    """

    def __init__(self, data: Any, axes: tuple[int, int], slice_: np.ndarray) -> None:
        self._data, self._axes, self._slice = data, axes, slice_
        self._shape = tuple(data.shape[axis] for axis in axes)

    def labels(self, stencil: PixelMask, least_share: float) -> np.ndarray:
        """Return the labels with at least this share of their pixels covered; with any pixel covered if it is 0."""
        if not stencil.covered.any():
            return np.empty(0, dtype=np.int64)
        covered = self._read(stencil.window)[stencil.covered]
        return _enough(covered, self._around(covered, stencil.window) if least_share else covered, least_share)

    def by_line(self, time: int, stencil: PixelMask, least_share: float) -> CoveredCells:
        """Return the covered cells of a plane in which each line of pixels is a frame.

        `time` is the axis of the plane that is time, 0 or 1; `stencil` and `least_share` are as for `labels`.
        """
        frames = stencil.window[time]
        lines = [frames, slice(0, self._shape[1 - time])]
        pixels = np.moveaxis(self._read((lines[time], lines[1 - time])), time, 0)
        within = np.moveaxis(stencil.covered, time, 0)
        found = [
            _enough(line[stencil.window[1 - time]][covered], line, least_share)
            for line, covered in zip(pixels, within, strict=True)
        ]
        counts = [len(labels) for labels in found]
        return CoveredCells(
            np.repeat(np.arange(frames.start, frames.stop), counts),
            np.concatenate([np.empty(0, dtype=np.int64), *found]),
        )

    def _around(self, covered: np.ndarray, window: tuple[slice, slice]) -> np.ndarray:
        """Read the whole plane or, if it is very large, the part around a window, as far as the covered cells reach."""
        if self._shape[0] * self._shape[1] <= _LARGEST_PLANE:
            return self._read((slice(None), slice(None)))
        labels, _ = _pixel_counts(covered)
        while True:
            pixels = self._read(window)
            grown = _grown(window[0], self._shape[0]), _grown(window[1], self._shape[1])
            cut = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
            if grown == window or not np.isin(labels, cut).any():
                return pixels
            window = grown

    def _read(self, window: tuple[slice, slice]) -> np.ndarray:
        index: list[int | slice] = self._slice.tolist()
        for axis, side in zip(self._axes, window, strict=True):
            index[axis] = side
        pixels = np.asarray(self._data[tuple(index)])
        return pixels if self._axes[0] < self._axes[1] else pixels.T


def _grown(side: slice, size: int) -> slice:
    """Return a slice three times as long, within the plane."""
    length = side.stop - side.start
    return slice(max(0, side.start - length), min(size, side.stop + length))


def _enough(covered: np.ndarray, everywhere: np.ndarray, least_share: float) -> np.ndarray:
    """Return the labels with at least this share of their pixels covered; with any pixel covered if it is 0."""
    inside, counts = _pixel_counts(covered)
    if not least_share or not len(inside):
        return inside
    labels, totals = _pixel_counts(everywhere)
    return inside[counts >= least_share * totals[np.searchsorted(labels, inside)]]


def _pixel_counts(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels except the background, and the number of pixels of each."""
    along, lengths = label_runs(pixels)
    if along.dtype == np.uint64:  # numpy cannot count these; no key can hold a larger number, so it is no cell
        along = np.where(along > LARGEST, 0, along).astype(np.int64)
    if along.min(initial=0) == 0 and along.max(initial=0) < min(_LARGEST_TABLE, 10 * pixels.size + 1000):
        counts = np.bincount(along, weights=lengths, minlength=1).astype(np.int64)
        counts[0] = 0
        labels = np.flatnonzero(counts)
        return labels, counts[labels]
    labels, indices = np.unique(along, return_inverse=True)
    counts = np.bincount(indices, weights=lengths, minlength=len(labels)).astype(np.int64)
    return labels[labels != 0].astype(np.int64), counts[labels != 0]


def label_runs(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the label and the length of each run of equal pixels, row by row.

    There are far fewer runs than pixels, because cells are larger than a pixel, so runs are faster to look up.

    Examples
    --------
    >>> label_runs(np.array([[0, 7, 7], [7, 0, 9]]))
    (array([0, 7, 0, 9]), array([1, 3, 1, 1]))
    """
    flat = pixels.ravel()
    starts = np.flatnonzero(np.concatenate([np.ones(min(1, len(flat)), dtype=bool), flat[1:] != flat[:-1]]))
    return flat[starts], np.diff(starts, append=len(flat))
