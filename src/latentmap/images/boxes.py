"""Where the cells of an image lie: the box around each."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from latentmap.images.lazy_slice import chunks_of, is_lazy

# Pixels looked through at a time: what is known of them meanwhile takes several times their memory.
_BAND = 2**24
# Cells of so many pixels in memory are found while nobody waits.
_SMALL = 2**22


class Boxes(NamedTuple):
    """Where the cells of a frame are.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_cells,)
        Ascending.
    planes : ndarray of int64, shape (n_cells,)
        In a 3-D image, the plane that shows most of the cell; otherwise 0.
    lows, highs : ndarray of int64, shape (n_cells, 2)
        The first row and column of the cell in that plane, and the first ones beyond it.
    """

    labels: np.ndarray
    planes: np.ndarray
    lows: np.ndarray
    highs: np.ndarray

    def place(self, label: int) -> int | None:
        """Return the place of a cell among these; None if it is none of them."""
        place = int(np.searchsorted(self.labels, label))
        return place if place < len(self.labels) and self.labels[place] == label else None


class FrameBoxes:
    """Where the cells of each frame of an image are.

    They are found when those of a frame are first asked for, and kept. So make a new object when the labels change.

    Parameters
    ----------
    labels : array-like of int, shape ([n_frames, ][n_planes, ]n_rows, n_columns)
        Anything that has a shape and can be indexed: an array, a memory map, a dask or zarr array.
    has_frames : bool
        Whether the first axis is time.

    Attributes
    ----------
    has_frames : bool

    Examples
    --------
    >>> boxes = FrameBoxes(np.array([[[0, 7], [7, 7]], [[0, 0], [0, 9]]]), has_frames=True)
    >>> boxes.of(1).labels.tolist(), boxes.of(1).lows.tolist()
    ([9], [[1, 1]])
    >>> boxes.is_quick(0)
    True
    """

    def __init__(self, labels: Any, has_frames: bool = False) -> None:
        self._labels, self.has_frames = labels, has_frames
        self._found: dict[int, Boxes] = {}

    def of(self, frame: int) -> Boxes:
        """Return where the cells of a frame are.

        The first time, 20 000 x 20 000 pixels with a million cells take seconds.

        Parameters
        ----------
        frame : int
            0 if there are no frames. One that the image does not have has no cells.
        """
        if frame not in self._found:
            if not 0 <= frame < (self._labels.shape[0] if self.has_frames else 1):
                return Boxes(np.empty(0, np.int64), np.empty(0, np.int64), *np.empty((2, 0, 2), np.int64))
            self._found[frame] = find_boxes(self._labels, (frame,) * self.has_frames)
        return self._found[frame]

    def is_quick(self, frame: int) -> bool:
        """Return whether `of` answers at once: the cells are known, or the image is small."""
        return self.is_known(frame) or self.is_small

    def is_known(self, frame: int) -> bool:
        """Return whether the cells of a frame were found before."""
        return frame in self._found

    @property
    def is_small(self) -> bool:
        """Whether the cells of a frame are found in some hundredths of a second: it is in memory, and small."""
        n_pixels = int(np.prod(self._labels.shape[self.has_frames :]))
        return n_pixels <= _SMALL and not is_lazy(self._labels)


def find_boxes(labels: Any, before: tuple[int, ...] = ()) -> Boxes:
    """Find every cell of an image, however large and sparse their numbers are.

    Parameters
    ----------
    labels : array-like of int, shape (..., n_rows, n_columns) or (..., n_planes, n_rows, n_columns)
        0 is background. A band of rows of one plane is read at a time.
    before : tuple of int
        The index of the image along the leading axes, if there are several images.

    Returns
    -------
    Boxes
        For each cell, the plane that shows most of it (the first in a tie) and the bounding box there.

    Examples
    --------
    >>> find_boxes(np.array([[0, 7, 7], [10**12, 0, 7]]))
    Boxes(labels=array([            7, 1000000000000]), planes=array([0, 0]), lows=array([[0, 1],
           [1, 0]]), highs=array([[2, 3],
           [2, 1]]))
    """
    is_3d = labels.ndim - len(before) == 3
    planes = [(*before, number) for number in range(labels.shape[-3])] if is_3d else [before]
    of_planes = [merged(np.concatenate([*_of_bands(labels, plane)])) for plane in planes]
    found, numbers = np.concatenate(of_planes), np.repeat(np.arange(len(planes)), [len(one) for one in of_planes])
    if is_3d:
        # By label; among a label's planes, the one with most pixels first.
        order = np.lexsort((numbers, -found[:, 1], found[:, 0]))
        order = order[np.diff(found[order, 0], prepend=0) != 0]
        found, numbers = found[order], numbers[order]
    return Boxes(found[:, 0], numbers, found[:, 2:4], found[:, 4:6])


def _of_bands(labels: Any, plane: tuple[int, ...]) -> Iterator[np.ndarray]:
    """The boxes of the cells of each band of rows of a plane; a cell that a border of bands cuts is in several."""
    n_rows, n_columns = labels.shape[-2:]
    read_at_once = (chunks_of(labels) or (1,))[-2:][0]
    height = max(1, _BAND // max(1, n_columns) // read_at_once) * read_at_once
    for first in range(0, max(1, n_rows), height):
        found = boxes_of_plane(np.asarray(labels[(*plane, slice(first, first + height))]))
        found[:, [2, 4]] += first
        yield found


def boxes_of_plane(pixels: np.ndarray) -> np.ndarray:
    """Find every cell of a plane.

    It sorts runs of equal pixels, not single pixels: there are about ten times fewer.

    Parameters
    ----------
    pixels : ndarray of int, shape (n_rows, n_columns)

    Returns
    -------
    ndarray of int64, shape (n_cells, 6)
        Label, number of pixels, first row, first column, last row + 1 and last column + 1, sorted by label. Labels
        beyond the range of int64 are left out: no key can hold them.
    """
    n_columns = pixels.shape[1]
    starts_run = np.ones(pixels.shape, dtype=bool)
    np.not_equal(pixels[:, 1:], pixels[:, :-1], out=starts_run[:, 1:])
    starts = np.flatnonzero(starts_run)
    lengths = np.diff(np.append(starts, pixels.size))
    labels = pixels.ravel()[starts]
    is_cell = labels != 0
    if labels.dtype == np.uint64:
        is_cell &= labels <= np.iinfo(np.int64).max
    starts, lengths, labels = (runs[is_cell] for runs in (starts, lengths, labels))
    if not len(labels):
        return np.empty((0, 6), dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    starts, lengths, labels = starts[order], lengths[order], labels[order]
    rows, columns = np.divmod(starts, n_columns)
    heads = np.flatnonzero(np.append(True, labels[1:] != labels[:-1]))
    return np.column_stack(
        [
            labels[heads].astype(np.int64),
            np.add.reduceat(lengths, heads),
            np.minimum.reduceat(rows, heads),
            np.minimum.reduceat(columns, heads),
            np.maximum.reduceat(rows, heads) + 1,
            np.maximum.reduceat(columns + lengths, heads),
        ]
    )


def merged(boxes: np.ndarray) -> np.ndarray:
    """Return one box for each label, in the order of labels.

    Parameters
    ----------
    boxes : ndarray of int64, shape (n_boxes, 2 + 2 * n_axes)
        The label of each, its number of pixels, and the first pixel along each axis and the first one beyond it.

    Returns
    -------
    ndarray of int64, shape (n_cells, 2 + 2 * n_axes)

    Examples
    --------
    >>> merged(np.array([[7, 3, 0, 1, 2, 4], [8, 1, 0, 6, 1, 7], [7, 2, 0, 4, 1, 6]])).tolist()
    [[7, 5, 0, 1, 2, 6], [8, 1, 0, 6, 1, 7]]
    """
    if not len(boxes):
        return boxes
    boxes = boxes[np.argsort(boxes[:, 0], kind="stable")]
    heads, n_axes = np.flatnonzero(np.diff(boxes[:, 0], prepend=boxes[0, 0] - 1)), boxes.shape[1] // 2 - 1
    return np.hstack(
        [
            boxes[heads, :1],
            np.add.reduceat(boxes[:, 1:2], heads),
            np.minimum.reduceat(boxes[:, 2 : 2 + n_axes], heads),
            np.maximum.reduceat(boxes[:, 2 + n_axes :], heads),
        ]
    )
