"""Tiles: small pieces of a picture, as many as a view needs."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from latentmap.jupyter.labelled_image import LabelledImage, pyramid

SIDE = 512
"""The rows and columns of a tile; tiles at the end of the picture are smaller."""

NO_CELL = np.uint32(0xFFFFFFFF)
"""The value of a tile at cells that are in no table."""

# A pixel of a lower resolution is the mean of about this many along each axis, evenly spread over those it stands for.
# This reduces noise as the mean of all would, but a tile reads at most some 2048 x 2048 pixels from memory or disk.
_AVERAGED = 4
# A resolution that exists is the next level if it is this many times smaller; otherwise the next has half the size.
_NEXT = (1.4, 2.9)


class TileAddress(NamedTuple):
    """The address of a tile.

    Attributes
    ----------
    level : int
        The index of the resolution in `Tiles.factors`.
    frame, plane : int
        0 if there is only one.
    row, column : int
        How many tiles are above it and to its left.
    """

    level: int
    frame: int
    plane: int
    row: int
    column: int


class Tiles:
    """Cuts tiles out of a picture, at full and at lower resolutions.

    Lower resolutions that the picture does not have are computed on the fly: from one label for each pixel, and from
    the mean of up to 4 x 4 pixels of a channel.

    Attributes
    ----------
    factors : tuple of float
        For each level, how many pixels of the picture make one of its own, along each axis. The first is 1; at the
        last, the picture is a single tile.

    Examples
    --------
    >>> labels = np.zeros((600, 800), dtype=int)
    >>> labels[:300] = 7
    >>> labels[300:] = 1000
    >>> tiles = Tiles(LabelledImage("cells", labels))
    >>> tiles.set_numbers(frames=[0, 0], labels=[7, 1000], numbers=[0, 1])
    >>> tiles.factors
    (1.0, 2.0)
    >>> tiles.labels(TileAddress(level=1, frame=0, plane=0, row=0, column=0)).shape
    (300, 400)
    >>> tiles.labels(TileAddress(level=0, frame=0, plane=0, row=1, column=1))[:2, :2].tolist()
    [[2, 2], [2, 2]]
    """

    def __init__(self, picture: LabelledImage) -> None:
        self._picture = picture
        self._labels = None if picture.labels is None else _Resolutions(picture.labels, picture)
        self._channels = {name: _Resolutions(one.image, picture) for name, one in picture.channels.items()}
        every = [self._labels, *self._channels.values()]
        given = sorted({factor for one in every if one is not None for factor in one.factors})
        self.factors = _factors(given, max(picture.size))
        self._known: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def set_numbers(self, frames: ArrayLike, labels: ArrayLike, numbers: ArrayLike) -> None:
        """Set the numbers of the cells in the picture, in place of all earlier ones.

        Parameters
        ----------
        frames, labels, numbers : array-like of int, shape (n_cells,)
            The frame, label and number of each cell; a number below 0 means that the cell has none.
        """
        frames, labels, numbers = (np.asarray(column, dtype=np.int64) for column in (frames, labels, numbers))
        order = np.lexsort((labels, frames))
        order = order[numbers[order] >= 0]
        found, starts = np.unique(frames[order], return_index=True)
        parts = np.split(order, starts[1:])
        # Plus one, as in the tiles, where 0 is the background.
        self._known = {
            frame: (labels[part], (numbers[part] + 1).astype(np.uint32))
            for frame, part in zip(found.tolist(), parts, strict=False)  # even no cells make one part
        }

    def of(self, picture: LabelledImage) -> "Tiles":
        """Return the tiles of another state of the picture, whose cells have the same numbers."""
        tiles = Tiles(picture)
        tiles._known = self._known
        return tiles

    def labels(self, address: TileAddress) -> np.ndarray:
        """Return a tile of the labels.

        Returns
        -------
        ndarray of uint32, shape (n_rows, n_columns)
            At each pixel the number of the cell plus 1; 0 for the background, `NO_CELL` for cells without a number.
        """
        if self._labels is None:
            return np.zeros((1, 1), dtype=np.uint32)
        pixels = self._labels.cut(address, self.factors[address.level], nearest=True).astype(np.int64)
        return self._numbers(pixels.ravel(), address.frame).reshape(pixels.shape)

    def channel(self, name: str, address: TileAddress) -> np.ndarray:
        """Return a tile of a channel.

        Returns
        -------
        ndarray of uint8, uint16 or float32, shape (n_rows, n_columns) or (n_rows, n_columns, 3)
            The values of the image; colour images as bytes, from the low contrast limit to the high one.
        """
        pixels = self._channels[name].cut(address, self.factors[address.level], nearest=False)
        channel = self._picture.channels[name]
        if channel.colour is None:
            return as_bytes(pixels[..., :3], channel.limits)
        if (kind := self.kind(name)) == "float32":
            finite: np.ndarray = np.nan_to_num(pixels, nan=channel.limits[0])
            return finite.astype(np.float32)
        return np.round(pixels).astype(kind)

    def kind(self, name: str) -> str:
        """Return the type of a channel's tiles: "uint8", "uint16" or "float32"."""
        channel = self._picture.channels[name]
        dtype = pyramid(channel.image)[0].dtype
        if channel.colour is None or dtype in (bool, np.uint8):
            return "uint8"
        return "uint16" if dtype == np.uint16 else "float32"

    def _numbers(self, pixels: np.ndarray, frame: int) -> np.ndarray:
        """Look up the numbers of runs of equal labels, which are some ten times fewer than pixels."""
        labels, numbers = self._known.get(frame, (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint32)))
        starts = np.flatnonzero(np.diff(pixels, prepend=pixels[0] - 1))
        looked_up = pixels[starts]
        found = np.full(len(starts), NO_CELL)
        if len(labels):
            at = np.minimum(np.searchsorted(labels, looked_up), len(labels) - 1)
            found = np.where(labels[at] == looked_up, numbers[at], NO_CELL)
        found[looked_up == 0] = 0
        return np.repeat(found, np.diff(starts, append=len(pixels)))


class _Resolutions:
    """The resolutions of a channel or of labels, the highest first."""

    def __init__(self, data: Any, picture: LabelledImage) -> None:
        self._picture, self._levels = picture, pyramid(data)
        self._n_axes = len(picture.shape)
        longer = self._n_axes - 2 + int(np.argmax(picture.size))
        self.factors = [_factor(max(picture.size), level.shape[longer]) for level in self._levels]

    def cut(self, address: TileAddress, factor: float, nearest: bool) -> np.ndarray:
        """Read the pixels of a tile from the lowest resolution that has them."""
        level, step = self._best(factor)
        shape = level.shape[: self._n_axes]
        each = 1 if nearest else _n_averaged(step)
        spans = [
            _span(at, length, factor)
            for at, length in zip((address.row, address.column), self._picture.size, strict=True)
        ]
        index = [_every(span, length, step, each) for span, length in zip(spans, shape[-2:], strict=True)]
        pixels = np.asarray(level[(*self._before(address, shape), *index)])
        rows, columns = (len(span) for span in spans)
        pixels = _filled(pixels, each * rows, each * columns)
        if each == 1:
            return pixels
        blocks = pixels.reshape(rows, each, columns, each, *pixels.shape[2:])
        means: np.ndarray = blocks.mean(axis=(1, 3), dtype=np.float32)
        return means

    def _best(self, factor: float) -> tuple[Any, int]:
        """Return the lowest resolution that contains the pixels wanted, and the step between them."""
        steps = [(level, factor / own) for level, own in zip(self._levels, self.factors, strict=True)]
        level, step = [(level, step) for level, step in steps if step > 0.99 and abs(step - round(step)) < 0.01][-1]
        return level, round(step)

    def _before(self, address: TileAddress, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the indices of the frame and the plane; a lower resolution may have fewer planes."""
        frame = (address.frame,) if self._picture.has_frames else ()
        return (*frame, address.plane * shape[-3] // self._picture.n_planes) if self._picture.is_3d else frame


def _factor(length: int, lower: int) -> float:
    """Return how many pixels make one of a lower resolution, rounded if only the last pixel is incomplete."""
    whole = max(1, round(length / lower))
    return float(whole) if abs(whole * lower - length) < whole else length / lower


def _factors(given: list[float], length: int) -> tuple[float, ...]:
    """Return resolutions, each about half the last and preferably a given one, until one tile holds the whole image."""
    factors = [1.0]
    while length / factors[-1] > SIDE:
        low, high = (factors[-1] * step for step in _NEXT)
        factors.append(next((factor for factor in given if low < factor < high), 2 * factors[-1]))
    return tuple(factors)


def _n_averaged(step: int) -> int:
    """Return how many pixels along an axis are averaged into one that stands for `step` of them."""
    stride = next(stride for stride in range(max(1, step // _AVERAGED), 0, -1) if step % stride == 0)
    return step // stride


def _span(at: int, length: int, factor: float) -> range:
    """Return the pixels of a level that are in a tile."""
    return range(SIDE * at, min(SIDE * (at + 1), int(np.ceil(length / factor))))


def _every(span: range, length: int, step: int, each: int) -> slice:
    """Return which pixels to read, `each` of them for every pixel of a tile.

    A single one is the middle one, unless that would leave the last pixel of the tile without any.
    """
    start = span.start * step + (min(step // 2, (length - 1) % step) if each == 1 else 0)
    return slice(min(start, length - 1), min(span.stop * step, length), step // each)


def _filled(pixels: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Repeat the last row and column if a resolution ends a pixel early, or the last mean has fewer pixels."""
    missing = (rows - pixels.shape[0], columns - pixels.shape[1])
    if not any(missing):
        return pixels
    return np.pad(pixels, [(0, number) for number in missing] + [(0, 0)] * (pixels.ndim - 2), mode="edge")


def as_bytes(pixels: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Reduce pixels to bytes: the limits become 0 and 255, pixels beyond them too, and NaN becomes 0.

    Examples
    --------
    >>> as_bytes(np.array([100, 300, 500, 900]), (100.0, 500.0)).tolist()
    [0, 128, 255, 255]
    """
    low, high = limits
    bright = (np.nan_to_num(pixels, nan=low).astype(np.float32) - low) / ((high - low) or 1.0)
    steps: np.ndarray = np.round(255 * np.clip(bright, 0, 1))
    return steps.astype(np.uint8)
