"""Pictures of single cells, cut out of their images."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from skimage.segmentation import find_boundaries
from skimage.transform import resize

from latentmap.table.compositing import brightness, composite

# Side of the window over the longer side of the cell's bounding box: enough to see what surrounds the cell.
_AROUND = 1.6
# The smallest side of the window, in pixels: a smaller one shows nothing of a cell.
_SMALLEST = 16
# Window pixels per picture pixel, along a side, above which a window is thinned out before it is resized.
_MOST_PIXELS = 4
_OUTLINE = (255, 221, 51)
_OWN, _OTHER = 200, 80


class Channel(NamedTuple):
    """An image and how it is shown.

    Attributes
    ----------
    image : array-like
        Of the labels' shape; an RGB image has one more axis, of 3 or 4 colours. Only the pixels around a cell are read,
        so it may be a memory map, a dask or a zarr array.
    limits : (float, float)
        The values shown as black and as brightest.
    colour : (float, float, float), optional
        The colour of the brightest value, from 0 to 1. None for an RGB image.
    """

    image: Any
    limits: tuple[float, float]
    colour: tuple[float, float, float] | None = (1.0, 1.0, 1.0)


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


class Crops:
    """Cuts single cells out of images.

    The bounding boxes of a frame's cells are found when the first of them is asked for, and kept. So make a new object
    when the labels change.

    Parameters
    ----------
    labels : array-like of int, shape ([n_frames, ][n_planes, ]n_rows, n_columns)
        Each cell's number at the pixels it covers. Anything that has a shape and can be indexed: an array, a memory
        map, a dask or zarr array; of an image pyramid, the highest resolution.
    channels : iterable of Channel
        The images, which are added up; without any, the picture shows the labels in grey.
    has_frames : bool
        Whether the first axis is time. Labels then identify a cell within one frame only.

    Raises
    ------
    ValueError
        If the labels have too few or too many axes, or a channel has another shape.

    Examples
    --------
    >>> labels = np.zeros((40, 40), dtype=int)
    >>> labels[10:20, 10:30] = 1000
    >>> red = Channel(np.where(labels, 200.0, 50.0), limits=(0, 200), colour=(1, 0, 0))
    >>> picture = Crops(labels, [red]).crop(0, 1000, size=32)
    >>> picture.shape, picture[16, 16].tolist(), picture[2, 16].tolist()
    ((32, 32, 3), [255, 0, 0], [64, 0, 0])
    """

    def __init__(self, labels: Any, channels: Iterable[Channel] = (), has_frames: bool = False) -> None:
        self._labels, self._channels, self._has_frames = labels, tuple(channels), has_frames
        self._boxes: dict[int, Boxes] = {}
        self._is_3d = labels.ndim - has_frames == 3
        if labels.ndim - has_frames not in (2, 3):
            raise ValueError(
                f"The labels have {labels.ndim} axes{', the first of them time' if has_frames else ''}: cells can be "
                "shown in images of 2 or 3 axes."
            )
        for number, channel in enumerate(self._channels, start=1):
            shape = tuple(channel.image.shape)
            if (shape if channel.colour is not None else shape[:-1]) != tuple(labels.shape):
                raise ValueError(
                    f"Channel {number} has the shape {shape}, the labels {tuple(labels.shape)}: they must agree"
                    f"{', but for the colours' if channel.colour is None else ''}."
                )

    def boxes(self, frame: int) -> Boxes:
        """Return where the cells of a frame are.

        The first time, a frame of 4000 x 4000 pixels takes some tenths of a second.

        Parameters
        ----------
        frame : int
            0 if there are no frames.
        """
        if frame not in self._boxes:
            self._boxes[frame] = find_boxes(self._labels, (frame,) * self._has_frames)
        return self._boxes[frame]

    def crop(self, frame: int, label: int, size: int = 64) -> np.ndarray | None:
        """Return the picture of a cell.

        Parameters
        ----------
        frame, label : int
            Which cell; frame 0 if there are no frames.
        size : int
            The side of the picture, in pixels.

        Returns
        -------
        ndarray of uint8, shape (size, size, 3), or None
            A square window around the cell, 1.6 times as large as the cell's longer side, with the cell's outline;
            black beyond the image. None if there is no such cell.
        """
        if self._place(frame, label) is None:
            return None
        window = self._window(frame, label, size)
        labels = window.pad(window.cut(self._labels))
        nearest = ((np.arange(size) + 0.5) * len(labels) / size).astype(int)
        labels = labels[np.ix_(nearest, nearest)]
        picture = self._blend(window, size) if self._channels else _in_grey(labels, label)
        picture[find_boundaries(labels == label, mode="inner")] = _OUTLINE
        return picture

    def pixel_stack(self, cells: Iterable[tuple[int, int]], size: int = 24) -> np.ndarray:
        """Return the pixels of some cells in every channel, as numbers to learn from.

        The windows are those of :meth:`crop`, without the outline. Flattened to one row per cell they are a table:
        ``crops.stack(cells).reshape(len(cells), -1)``.

        Parameters
        ----------
        cells : iterable of (int, int)
            Frame and label of each cell; frame 0 if there are no frames.
        size : int
            The side of the pictures, in pixels.

        Returns
        -------
        ndarray of float32, shape (n_cells, size, size, n_channels)
            From 0 to 1 between a channel's limits; 0 beyond the image and where it is NaN. An RGB image counts as three
            or four channels.

        Raises
        ------
        ValueError
            If there is no channel or no cell, or a cell is not in the labels.

        Examples
        --------
        >>> labels = np.zeros((40, 40), dtype=int)
        >>> labels[10:20, 10:30] = 1000
        >>> crops = Crops(labels, [Channel(np.where(labels, 200.0, 50.0), limits=(0, 200))])
        >>> crops.pixel_stack([(0, 1000)], size=8).reshape(1, -1).shape
        (1, 64)
        """
        if not self._channels:
            raise ValueError("There is no channel to learn from: choose an image in addition to the labels.")
        cells = list(cells)
        missing = [cell for cell in cells if self._place(*cell) is None]
        if missing or not cells:
            raise ValueError(
                f"{len(missing)} of {len(cells)} cells are not in the labels"
                f"{f' (the first has frame and label {missing[0]})' if missing else ''}: choose cells that are."
            )
        return np.stack([self._seen(*cell, size) for cell in cells])

    def _seen(self, frame: int, label: int, size: int) -> np.ndarray:
        window = self._window(frame, label, size)
        seen = [np.atleast_3d(bright) for bright in self._bright(window, size)]
        return np.concatenate(seen, axis=2, dtype=np.float32)

    def centre(self, frame: int, label: int) -> tuple[int, float, float] | None:
        """Return where a cell is.

        Parameters
        ----------
        frame, label : int
            Which cell; frame 0 if there are no frames.

        Returns
        -------
        (int, float, float) or None
            The plane that shows most of the cell (0 in 2-D), and the row and column of the middle of its bounding box
            there. None if there is no such cell.

        Examples
        --------
        >>> labels = np.zeros((40, 40), dtype=int)
        >>> labels[10:20, 10:30] = 1000
        >>> Crops(labels).centre(0, 1000)
        (0, 14.5, 19.5)
        """
        place = self._place(frame, label)
        if place is None:
            return None
        boxes = self.boxes(frame)
        row, column = (boxes.lows[place] + boxes.highs[place] - 1) / 2
        return int(boxes.planes[place]), float(row), float(column)

    def _place(self, frame: int, label: int) -> int | None:
        """The cell's place among those of its frame."""
        if not 0 <= frame < (self._labels.shape[0] if self._has_frames else 1):
            return None
        labels = self.boxes(frame).labels
        place = int(np.searchsorted(labels, label))
        return place if place < len(labels) and labels[place] == label else None

    def _window(self, frame: int, label: int, size: int) -> "_Window":
        """The window around a cell that exists."""
        place, boxes = self._place(frame, label), self.boxes(frame)
        before = (frame,) * self._has_frames + (int(boxes.planes[place]),) * self._is_3d
        return _Window(before, boxes.lows[place], boxes.highs[place], self._labels.shape[-2:], size)

    def _bright(self, window: "_Window", size: int) -> Iterator[np.ndarray]:
        """What each channel shows in a window, from 0 to 1."""
        for image, limits, _ in self._channels:
            # Padded after scaling, so that pixels beyond the image stay black whatever the limits.
            bright = window.pad(brightness(window.cut(image), limits))
            shape = (size, size, *bright.shape[2:])
            yield resize(bright, shape, order=1, mode="edge", anti_aliasing=size < len(bright))

    def _blend(self, window: "_Window", size: int) -> np.ndarray:
        colours = [colour for _, _, colour in self._channels]
        return composite(zip(self._bright(window, size), colours, strict=True), (size, size))


class _Window:
    """A square window around a cell, which may reach beyond the image."""

    def __init__(
        self, before: tuple[int, ...], low: np.ndarray, high: np.ndarray, shape: tuple[int, ...], size: int
    ) -> None:
        side = _side(int((high - low).max()))
        step = max(1, side // (_MOST_PIXELS * size))
        places = [corner + np.arange(0, side, step) for corner in ((low + high - side) // 2).tolist()]
        seen = [(axis >= 0) & (axis < length) for axis, length in zip(places, shape, strict=True)]
        self._seen = np.ix_(*seen)
        self._side = len(seen[0])
        ends = [axis[is_seen][[0, -1]] for axis, is_seen in zip(places, seen, strict=True)]
        self._index = (*before, *(slice(int(first), int(last) + 1, step) for first, last in ends))

    def cut(self, image: Any) -> np.ndarray:
        """Return the part of the window that lies within the image."""
        return np.asarray(image[self._index])

    def pad(self, pixels: np.ndarray) -> np.ndarray:
        """Return the window whole, with 0 beyond the image."""
        whole = np.zeros((self._side, self._side, *pixels.shape[2:]), pixels.dtype)
        whole[self._seen] = pixels
        return whole


def _side(longest: int) -> int:
    """The side of the window around a cell, given the longer side of its box."""
    return max(_SMALLEST, round(_AROUND * longest))


def margin_of_picture(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return how many pixels around the box of each cell its picture may show, shape (n_cells,).

    Parameters
    ----------
    low, high : ndarray of int, shape (n_cells, 2)
        The first row and column, and the first ones beyond; in 3-D, of all planes.
    """
    longest = np.maximum(high - low, 1).max(axis=1)
    return np.array([_side(side) for side in longest.tolist()], dtype=np.int64) // 2 + 1


def _in_grey(labels: np.ndarray, label: int) -> np.ndarray:
    grey = np.where(labels == label, _OWN, np.where(labels != 0, _OTHER, 0)).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def find_boxes(labels: Any, before: tuple[int, ...] = ()) -> Boxes:
    """Find every cell of an image, however large and sparse their numbers are.

    Parameters
    ----------
    labels : array-like of int, shape (..., n_rows, n_columns) or (..., n_planes, n_rows, n_columns)
        0 is background. One plane is read at a time.
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
    planes = [(*before, number) for number in range(labels.shape[-3])] if is_3d else [(*before, slice(None))]
    found = np.concatenate([boxes_of_plane(np.asarray(labels[at]), number) for number, at in enumerate(planes)])
    # By label; among a label's planes, the one with most pixels first.
    found = found[np.lexsort((found[:, 1], -found[:, 6], found[:, 0]))]
    found = found[np.diff(found[:, 0], prepend=0) != 0]
    return Boxes(found[:, 0], found[:, 1], found[:, 2:4], found[:, 4:6])


def boxes_of_plane(pixels: np.ndarray, plane: int) -> np.ndarray:
    """Find every cell of a plane.

    It sorts runs of equal pixels, not single pixels: there are about ten times fewer.

    Parameters
    ----------
    pixels : ndarray of int, shape (n_rows, n_columns)
    plane : int
        The plane's number.

    Returns
    -------
    ndarray of int64, shape (n_cells, 7)
        Label, plane, first row, first column, last row + 1, last column + 1 and area, sorted by label. Labels beyond
        the range of int64 are left out: no key can hold them.
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
        return np.empty((0, 7), dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    starts, lengths, labels = starts[order], lengths[order], labels[order]
    rows, columns = np.divmod(starts, n_columns)
    heads = np.flatnonzero(np.append(True, labels[1:] != labels[:-1]))
    return np.column_stack(
        [
            labels[heads].astype(np.int64),
            np.full(len(heads), plane),
            np.minimum.reduceat(rows, heads),
            np.minimum.reduceat(columns, heads),
            np.maximum.reduceat(rows, heads) + 1,
            np.maximum.reduceat(columns + lengths, heads),
            np.add.reduceat(lengths, heads),
        ]
    )
