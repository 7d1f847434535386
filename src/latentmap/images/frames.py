"""Images read frame by frame, so that only one frame of each is in memory."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from latentmap.images.boxes import boxes_of_plane
from latentmap.images.lazy_labels import as_whole_labels
from latentmap.images.lazy_reading import read_part
from latentmap.images.lazy_slice import channel_at
from latentmap.table.whole_numbers import whole_labels

# Pairs of neighbouring planes that are compared, and the share of cells in separate pieces above which they look like
# frames.
_PAIRS = 12
_APART = 0.1
# Pixels that are renumbered in one step.
_NUMBERED = 4_000_000


@dataclass(frozen=True, eq=False)
class Frames:
    """Labels and the channels that belong to them, one frame at a time.

    Make one with `Frames.read`, which checks that they fit together.

    Attributes
    ----------
    labels : array
        Each cell's number at the pixels it covers; any object that has a shape and can be indexed.
    channels : mapping of str to array
        Images of the labels' shape, by name.
    has_frames : bool
        Whether the first axis is time.
    layer : str
        The name of the labels layer.
    """

    labels: Any
    channels: Mapping[str, Any]
    has_frames: bool
    layer: str

    @classmethod
    def read(cls, labels: Any, channels: Mapping[str, Any] | None, *, layer: str, has_frames: bool) -> "Frames":
        """Check that labels and channels fit together, without reading a pixel of lazy arrays.

        Parameters
        ----------
        labels : array_like of int, shape ([n_frames, ][n_planes, ]n_rows, n_columns)
            Or of float, if all numbers are whole, as some programs keep labels.
        channels : mapping of str to array_like, or None
        layer : str
            The name of the labels layer, for error messages.
        has_frames : bool

        Raises
        ------
        ValueError
            If the labels have too few or too many axes, are not whole numbers, or a channel has another shape.

        Examples
        --------
        >>> frames = Frames.read(np.zeros((5, 8, 9), dtype=int), None, layer="cells", has_frames=True)
        >>> len(frames), frames.n_axes, frames.labels_at(4).shape
        (5, 2, (8, 9))
        """
        labels = as_whole_labels(_indexable(labels), layer)
        images = {name: _indexable(image) for name, image in (channels or {}).items()}
        if len(labels.shape) - has_frames not in (2, 3):
            raise ValueError(
                f'"{layer}" has {len(labels.shape)} axes: cells can be measured in images of 2 or 3 axes, preceded by '
                "an axis of time if there are frames."
            )
        if np.dtype(labels.dtype).kind not in "iu":
            raise ValueError(
                f'"{layer}" does not hold whole numbers ({labels.dtype}), so cells cannot be told apart: number them '
                "first, for instance with skimage.measure.label."
            )
        if labels.shape[-1] in (3, 4) and np.dtype(labels.dtype) == np.uint8 and min(labels.shape[-3:-1]) > 30:
            raise ValueError(
                f'"{layer}" looks like a colour image, not like labels: its shape is {labels.shape}. Open it as an '
                "image, and number its cells first."
            )
        for name, image in images.items():
            if image.shape != labels.shape:
                raise ValueError(
                    f'Channel "{name}" has the shape {image.shape}, "{layer}" {labels.shape}: they must agree.'
                )
            if np.dtype(image.dtype).kind not in "biuf":
                raise ValueError(
                    f'Channel "{name}" holds {image.dtype}: intensities are real numbers. Of complex ones, measure the '
                    "absolute value."
                )
        return cls(labels, images, has_frames, layer)

    def __len__(self) -> int:
        n_frames: int = self.labels.shape[0] if self.has_frames else 1
        return n_frames

    @property
    def n_axes(self) -> int:
        """The number of axes in space."""
        return len(self.labels.shape) - self.has_frames

    def labels_at(self, frame: int) -> np.ndarray:
        """Read the labels of a frame.

        Raises
        ------
        ValueError
            If a cell's number in them is too large.
        """
        return whole_labels(self._at(self.labels, frame), self.layer)

    def channel_at(self, name: str, frame: int) -> np.ndarray:
        """Read a channel of a frame."""
        return self._at(self.channels[name], frame)

    def _at(self, image: Any, frame: int) -> np.ndarray:
        return read_part(image, frame if self.has_frames else None)


def compare_planes(labels: Any) -> Generator[None, None, tuple[int, int]]:
    """Find out whether the planes of labels may be frames: a cell then moves, and its pieces do not touch.

    Parameters
    ----------
    labels : array-like of int, shape (n_planes, n_rows, n_columns)
        May be lazy: some of the planes are read, one at a time.

    Yields
    ------
    None
        After each plane.

    Returns
    -------
    n_apart, n_followed : int
        `n_followed` numbers are in two neighbouring planes, and the pieces of `n_apart` of them do not touch. `n_apart`
        is 0 unless it is more than a tenth of `n_followed`: a few cells may have been cut in two. Where no number is in
        two planes, `n_followed` is 0, and `n_apart` counts those in neighbouring planes.

    Examples
    --------
    >>> from latentmap.generators import result_of
    >>> labels = np.zeros((2, 8, 8), dtype=int)
    >>> labels[0, 0:2, 0:2] = labels[1, 5:7, 5:7] = 3
    >>> result_of(compare_planes(labels))
    (1, 1)
    """
    followed: set[int] = set()
    apart: set[int] = set()
    beside: set[int] = set()
    n = int(labels.shape[0])
    for at in np.unique(np.linspace(0, n - 2, min(_PAIRS, n - 1)).astype(int)).tolist() if n > 1 else ():
        one = boxes_of_plane(read_part(labels, at))
        yield
        other = boxes_of_plane(read_part(labels, at + 1))
        yield
        if len(one) and len(other):
            beside.update(one[:, 0].tolist(), other[:, 0].tolist())
        numbers, here, there = np.intersect1d(one[:, 0], other[:, 0], assume_unique=True, return_indices=True)
        one, other = one[here], other[there]
        # Boxes that touch at a corner count as one piece: the cell may be slanted.
        is_apart = ((one[:, 2:4] > other[:, 4:6]) | (other[:, 2:4] > one[:, 4:6])).any(axis=1)
        followed.update(numbers.tolist())
        apart.update(numbers[is_apart].tolist())
    if not followed:
        return len(beside), 0
    return (len(apart) if len(apart) > _APART * len(followed) else 0), len(followed)


def renumbered(labels: np.ndarray) -> Generator[None, None, tuple[np.ndarray, np.ndarray, int]]:
    """Renumber the cells of a frame from 1, because scikit-image keeps a list as long as the largest number.

    Parameters
    ----------
    labels : ndarray of int
        Each cell's number at the pixels it covers.

    Yields
    ------
    None
        After every few million pixels.

    Returns
    -------
    numbers : ndarray of int, shape (n_cells,)
        The cells' own numbers, in order.
    image : ndarray of int64, shape of labels
        The new numbers, in the same order; 0 is background.
    n_below : int
        How many numbers were below 0, which are no cells.
    """
    # pandas cannot read a foreign byte order, which TIFF files may have.
    flat = labels.astype(labels.dtype.newbyteorder("="), copy=False).ravel()
    parts = [slice(start, start + _NUMBERED) for start in range(0, len(flat), _NUMBERED)]
    found = []
    for part in parts:
        found.append(pd.unique(flat[part]))
        yield
    numbers = np.sort(pd.unique(np.concatenate([flat[:0], *found])))
    first, places = int(np.searchsorted(numbers, 1)), pd.Index(numbers)
    image = np.empty(len(flat), dtype=np.int64)
    for part in parts:
        image[part] = places.get_indexer(flat[part])
        yield
    image += 1 - first
    np.maximum(image, 0, out=image)
    return numbers[first:], image.reshape(labels.shape), int(np.searchsorted(numbers, 0))


def rgb_channels(name: str, image: Any) -> dict[str, Any]:
    """Split an RGB image into channels.

    Parameters
    ----------
    name : str
        The image's name.
    image : array-like of shape (..., 3) or (..., 4)
        Red, green and blue; a fourth colour is left out.

    Returns
    -------
    dict of str to array-like, shape (...)
        The channels, by names that start with the image's.

    Examples
    --------
    >>> list(rgb_channels("tissue", np.zeros((8, 8, 3))))
    ['tissue_red', 'tissue_green', 'tissue_blue']
    """
    return {f"{name}_{colour}": channel_at(image, -1, place) for place, colour in enumerate(("red", "green", "blue"))}


def _indexable(image: Any) -> Any:
    return image if hasattr(image, "shape") and hasattr(image, "dtype") else np.asarray(image)
