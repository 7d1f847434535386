"""Blocks of an image, which are read one after the other, and the windows in which their cells lie whole."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil, prod
from typing import Any, NamedTuple

import numpy as np

from latentmap.images.lazy_slice import chunks_of

PIXELS = 2**22
"""The pixels of a block, unless the chunks of the labels are larger: some hundred megabytes while it is measured."""


class Window(NamedTuple):
    """A part of a frame.

    Attributes
    ----------
    frame : int
    low, high : tuple of int
        The first pixel along each axis in space, and the first one beyond it.
    """

    frame: int
    low: tuple[int, ...]
    high: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of its pixels."""
        return prod(high - low for low, high in zip(self.low, self.high, strict=True))

    def within(self, has_frames: bool) -> tuple[Any, ...]:
        """Return what cuts it out of an image."""
        return (*(self.frame,) * has_frames, *(slice(*ends) for ends in zip(self.low, self.high, strict=True)))


@dataclass(frozen=True)
class Blocks:
    """The blocks of all frames of an image; they have numbers, frame by frame and row by row.

    Attributes
    ----------
    shape : tuple of int
        Of a frame.
    side : tuple of int
        Of a block; a whole number of chunks.
    n_frames : int

    Examples
    --------
    >>> blocks = Blocks((5, 6), (4, 4), n_frames=2)
    >>> len(blocks), blocks[3], [*blocks.of_corners(1, np.array([[0, 5], [4, 1]]))]
    (8, Window(frame=0, low=(4, 4), high=(5, 6)), [np.int64(5), np.int64(6)])
    """

    shape: tuple[int, ...]
    side: tuple[int, ...]
    n_frames: int

    @classmethod
    def of(cls, image: Any, *, has_frames: bool) -> "Blocks":
        """Divide an image into blocks of about so many pixels and of whole chunks."""
        shape = tuple(int(length) for length in image.shape)
        chunks = chunks_of(image) or (1,) * len(shape)
        side = [max(1, min(pair)) for pair in zip(chunks, shape, strict=True)][has_frames:]
        n_frames, shape = shape[0] if has_frames else 1, shape[has_frames:]
        while shorter := [axis for axis, length in enumerate(shape) if side[axis] < length]:
            axis = min(shorter, key=lambda axis: side[axis])
            if 2 * prod(side) > PIXELS:
                break
            side[axis] *= 2
        return cls(shape, tuple(side), n_frames)

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of blocks along each axis of a frame."""
        return tuple(ceil(length / step) for length, step in zip(self.shape, self.side, strict=True))

    @property
    def have_large_chunks(self) -> bool:
        """Whether a block holds more pixels than it should, because a chunk of the labels does."""
        return prod(self.side) > PIXELS

    def __len__(self) -> int:
        return self.n_frames * prod(self.counts)

    def __getitem__(self, number: int) -> Window:
        frame, *at = (int(place) for place in np.unravel_index(number, (self.n_frames, *self.counts)))
        low = tuple(place * step for place, step in zip(at, self.side, strict=True))
        ends = zip(low, self.side, self.shape, strict=True)
        return Window(frame, low, tuple(min(first + step, length) for first, step, length in ends))

    def __iter__(self) -> Iterator[Window]:
        return (self[number] for number in range(len(self)))

    def of_corners(self, frames: Any, low: np.ndarray) -> np.ndarray:
        """Return the number of the block of each pixel, given its frame and its index, shape (n_pixels, n_axes)."""
        places = np.floor_divide(low, self.side).T
        return np.ravel_multi_index((np.broadcast_to(frames, len(low)), *places), (self.n_frames, *self.counts))

    def around(self, frame: int, low: np.ndarray, high: np.ndarray) -> Window:
        """Return the window of a frame that holds some boxes, shape (n_boxes, n_axes); within the frame."""
        first, last = np.maximum(low.min(axis=0), 0), np.minimum(high.max(axis=0), self.shape)
        return Window(frame, tuple(first.tolist()), tuple(last.tolist()))


def tiles(shape: tuple[int, ...], side: tuple[int, ...]) -> Iterator[tuple[slice, ...]]:
    """Go through a plane tile by tile, row by row."""
    yield from product(
        *([slice(at, at + step) for at in range(0, n, step)] for n, step in zip(shape, side, strict=True))
    )
