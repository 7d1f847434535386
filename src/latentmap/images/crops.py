"""Pictures of single cells, cut out of their images."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from skimage.segmentation import find_boundaries
from skimage.transform import resize

from latentmap.images.boxes import FrameBoxes
from latentmap.images.compositing import brightness, composite

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


class Crops:
    """Cuts single cells out of images.

    Parameters
    ----------
    labels : array-like of int, shape ([n_frames, ][n_planes, ]n_rows, n_columns)
        Each cell's number at the pixels it covers. Anything that has a shape and can be indexed: an array, a memory
        map, a dask or zarr array; of an image pyramid, the highest resolution.
    channels : iterable of Channel
        The images, which are added up; without any, the picture shows the labels in grey.
    has_frames : bool
        Whether the first axis is time. Labels then identify a cell within one frame only.
    boxes : FrameBoxes, optional
        Where the cells of these labels are, if others look for them, too.
    spacing : sequence of float, optional
        The distances between neighbouring (planes,) rows and columns; by default 1.

    Attributes
    ----------
    boxes : FrameBoxes
    spacing : tuple of float
        Between neighbouring planes, rows and columns; 1 for planes where it is not known.

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

    def __init__(
        self,
        labels: Any,
        channels: Iterable[Channel] = (),
        has_frames: bool = False,
        boxes: FrameBoxes | None = None,
        spacing: Sequence[float] | None = None,
    ) -> None:
        self._labels, self._channels, self._has_frames = labels, tuple(channels), has_frames
        self.spacing = (1.0, 1.0, 1.0, *(spacing or ()))[-3:]
        self.boxes = FrameBoxes(labels, has_frames) if boxes is None else boxes
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
        ``crops.pixel_stack(cells).reshape(len(cells), -1)``.

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
        boxes = self.boxes.of(frame)
        row, column = (boxes.lows[place] + boxes.highs[place] - 1) / 2
        return int(boxes.planes[place]), float(row), float(column)

    def _place(self, frame: int, label: int) -> int | None:
        """The cell's place among those of its frame."""
        return self.boxes.of(frame).place(label)

    def _window(self, frame: int, label: int, size: int) -> "_Window":
        """The window around a cell that exists."""
        place, boxes = self._place(frame, label), self.boxes.of(frame)
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
