"""An image with the cells segmented in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np

from latentmap.images.crops import Channel
from latentmap.images.lazy_reading import read_part
from latentmap.jupyter.image_opening import channels, is_coloured, open_labels

COLOURS = ((0, 0.45, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (0, 1, 1), (1, 1, 0))
"""The colours of several channels, in their order: blue, green, red, magenta, cyan, yellow."""

NO_UNIT = "units of the scale"
"""The unit of a scale that has none."""

# The percentiles that become black and brightest, so that a few dead or hot pixels do not flatten the contrast.
_ROBUST = (0.1, 99.9)
# Contrast limits are found from at most this many pixels along each axis: rows and columns, then frames and planes.
_SAMPLED, _SAMPLED_PLANES = 512, 3


@dataclass(frozen=True, eq=False)
class LabelledImage:
    """An image with one or more channels, and the cells in it.

    Attributes
    ----------
    name : str
        The name of the picture, which is the layer in the keys of its cells.
    labels : array-like of int, sequence of these, path-like, zarr.Group, xarray.DataArray, or None
        The number of the cell at each pixel; 0 is the background. The axes are (frames,) (planes,) rows and columns.
        Takes anything with a shape that can be indexed, such as an array, a memory map, a dask or zarr array; the path
        of a .tif, .png, .npy or .zarr file; or a list of arrays of decreasing resolution, a pyramid. None if there is
        only an image.
    channels : mapping of str to array-like, array-like, sequence of array-like, path-like or mapping of str to Channel
        The channels by name, each with the same shape as the labels and in any of the forms that labels may have.
        Without names, give one image, several with the same shape, or one with one axis more than the labels, for
        channels or colours. A `Channel` says in which colour and between which limits it is shown; otherwise these are
        chosen automatically.
    has_frames : bool
        Whether the first axis is time, so that a label stands for a different cell in each frame.
    scale : tuple of float, optional
        The distance between neighbouring pixels along each of the last axes, at least rows and columns, in `unit`.
    unit : str
        The unit of the scale, such as ``"µm"``.
    hidden : frozenset of str
        The names of the channels that are switched off at first.

    Raises
    ------
    ValueError
        If there is nothing to show, the labels have too few or too many axes or are not whole numbers, a channel has
        another shape than the labels, or the levels of a pyramid do not become smaller.

    Examples
    --------
    >>> labels = np.zeros((3, 40, 60), dtype=int)
    >>> labels[:, 10:20, 10:30] = 1000
    >>> film = LabelledImage("cells", labels, {"DNA": 9.0 * (labels > 0)}, has_frames=True)
    >>> film.n_frames, film.n_planes, film.size
    (3, 1, (40, 60))
    """

    name: str
    labels: Any = None
    channels: Mapping[str, Channel] = field(default_factory=lambda: MappingProxyType({}))
    has_frames: bool = False
    scale: tuple[float, ...] | None = None
    unit: str = ""
    hidden: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.labels is not None:
            levels = open_labels(self.labels, self.name)
            object.__setattr__(self, "labels", levels if len(levels) > 1 else levels[0])
        object.__setattr__(self, "channels", self._channels())
        if self.labels is None and not self.channels:
            raise ValueError(f'The picture "{self.name}" has neither labels nor a channel: there is nothing to show.')
        if len(self.shape) - self.has_frames not in (2, 3):
            needed = "3 or 4 axes, the first of them time," if self.has_frames else "2 or 3 axes"
            raise ValueError(f'The picture "{self.name}" has the shape {self.shape}: {needed} are needed.')
        if 0 in self.shape:
            raise ValueError(f'The picture "{self.name}" has no pixels: its shape is {self.shape}.')
        if self.labels is not None:
            self._check_labels()
        for name, channel in self.channels.items():
            self._check_channel(name, channel)
        if not isinstance(self.unit, str):
            raise ValueError(f'The unit of "{self.name}" is {self.unit!r}: give its name, such as "µm".')
        if self.scale is not None and (len(self.scale) < 2 or not all(_is_length(step) for step in self.scale)):
            raise ValueError(
                f'The scale of "{self.name}" is {self.scale}: give at least the distance between neighbouring rows and '
                "between neighbouring columns, all above 0."
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of (frames,) (planes,) rows and columns at the highest resolution."""
        if self.labels is not None:
            return tuple(pyramid(self.labels)[0].shape)
        channel = next(iter(self.channels.values()))
        shape = tuple(pyramid(channel.image)[0].shape)
        return shape if channel.colour is not None else shape[:-1]

    @property
    def size(self) -> tuple[int, int]:
        """The number of rows and columns at the highest resolution."""
        return self.shape[-2], self.shape[-1]

    @property
    def n_frames(self) -> int:
        """The number of frames; 1 without a time axis."""
        return self.shape[0] if self.has_frames else 1

    @property
    def n_planes(self) -> int:
        """The number of planes; 1 if the picture is not 3-D."""
        return self.shape[-3] if self.is_3d else 1

    @property
    def is_3d(self) -> bool:
        """Whether the picture has planes."""
        return len(self.shape) - self.has_frames == 3

    def _channels(self) -> dict[str, Channel]:
        """Return the channels, each with its colour and contrast limits."""
        shape = None if self.labels is None else tuple(pyramid(self.labels)[0].shape)
        found = channels(self.channels, shape)
        others = {name: image for name, image in found.items() if not isinstance(image, Channel)}
        if not others:
            return found
        first = tuple(pyramid(next(iter(others.values())))[0].shape)
        n_axes = len(shape) if shape is not None else len(first) - is_coloured(first, None)
        shown = as_channels(others, n_axes)
        return {name: image if isinstance(image, Channel) else shown[name] for name, image in found.items()}

    def _check_labels(self) -> None:
        for number, level in enumerate(pyramid(self.labels), start=1):
            if not (np.issubdtype(level.dtype, np.integer) or level.dtype == bool):
                raise ValueError(
                    f'The labels of "{self.name}" have the type {level.dtype}: they must be whole numbers, the number '
                    "of the cell at each pixel."
                )
            self._check_level("The labels", number, tuple(level.shape))

    def _check_channel(self, name: str, channel: Channel) -> None:
        for number, level in enumerate(pyramid(channel.image), start=1):
            shape = tuple(level.shape)
            if channel.colour is None and (len(shape) < 3 or shape[-1] not in (3, 4)):
                raise ValueError(
                    f'Channel "{name}" of "{self.name}" is given no colour, as a colour image, but has the shape '
                    f"{shape}: the last axis should be 3 or 4 long."
                )
            pixels = shape if channel.colour is not None else shape[:-1]
            if number == 1 and pixels != self.shape:
                raise ValueError(
                    f'Channel "{name}" of "{self.name}" has the shape {shape}, the labels {self.shape}: they must match'
                    f"{' except for the colours' if channel.colour is None else ''}."
                )
            self._check_level(f'Channel "{name}"', number, pixels)

    def _check_level(self, what: str, number: int, shape: tuple[int, ...]) -> None:
        frames_agree = not self.has_frames or shape[:1] == self.shape[:1]
        smaller = number == 1 or (0 not in shape and max(shape[-2:]) < max(self.size))
        if len(shape) != len(self.shape) or not frames_agree or not smaller:
            raise ValueError(
                f'{what} of "{self.name}": resolution {number} has the shape {shape}, the first one {self.shape}. Each '
                "must have the same axes and fewer pixels."
            )


def common_unit(pictures: Sequence[LabelledImage]) -> str:
    """Return the unit of lengths in pictures: "" for pixels, and `NO_UNIT` for a scale without a unit.

    Raises
    ------
    ValueError
        If the pictures have different ones, so that their cells cannot be compared.

    Examples
    --------
    >>> labels = np.zeros((40, 60), dtype=int)
    >>> scaled, bare = LabelledImage("a", labels, scale=(0.5, 0.5), unit="µm"), LabelledImage("b", labels, unit="µm")
    >>> common_unit([scaled]), common_unit([bare])
    ('µm', '')
    """
    units = {one.name: "" if one.scale is None else one.unit or NO_UNIT for one in pictures}
    if len({*units.values()}) > 1:
        words = {"": "no scale", NO_UNIT: "a scale without a unit"}
        each = ", ".join(f'"{name}" has {words.get(unit, f"a scale in {unit}")}' for name, unit in units.items())
        raise ValueError(f"Sizes of cells cannot be compared: {each}. Give all images a scale in the same unit.")
    return next(iter(units.values()), "")


def pyramid(data: Any) -> tuple[Any, ...]:
    """Return the resolutions of an image, the highest first; often there is only one.

    Examples
    --------
    >>> image = np.zeros((40, 60))
    >>> len(pyramid(image)), len(pyramid([image, image[::2, ::2]]))
    (1, 2)
    """
    return tuple(data) if isinstance(data, (list, tuple)) else (data,)


def as_channels(images: Mapping[str, Any], n_axes: int) -> dict[str, Channel]:
    """Choose how images are shown: a single one in grey, several in different colours, each from dark to bright.

    `images` are arrays or pyramids by name. One with an axis more than the `n_axes` of the labels is an RGB image.

    Examples
    --------
    >>> dark, bright = np.full((40, 60), 100), np.arange(2400).reshape(40, 60)
    >>> for name, channel in as_channels({"dark": dark, "bright": bright}, n_axes=2).items():
    ...     print(name, channel.limits, channel.colour)
    dark (100.0, 101.0) (0, 0.45, 1)
    bright (2.399, 2396.601) (0, 1, 0)
    """
    grey = [name for name, image in images.items() if len(pyramid(image)[0].shape) == n_axes]
    colours: Sequence[tuple[float, float, float]] = COLOURS if len(grey) > 1 else ((1.0, 1.0, 1.0),)
    chosen = {name: colours[index % len(colours)] for index, name in enumerate(grey)}
    return {
        name: Channel(
            image,
            find_limits(image) if name in chosen else _full_range(pyramid(image)[0].dtype),
            chosen.get(name),
        )
        for name, image in images.items()
    }


def find_limits(image: Any) -> tuple[float, float]:
    """Find good contrast limits for an array or pyramid, whatever the value of a few extreme pixels.

    The upper limit is larger than the lower one, even if all pixels are equal.

    Examples
    --------
    >>> image = np.random.default_rng(0).normal(100, 1, (500, 500))
    >>> image[7, 7] = 65535
    >>> low, high = find_limits(image)
    >>> 96 < low < 98, 102 < high < 104
    (True, True)
    """
    pixels = sample(image)
    low, high = (float(end) for end in np.round(np.percentile(pixels, _ROBUST), 6)) if len(pixels) else (0.0, 1.0)
    return low, high if high > low else low + 1.0


def sample(image: Any) -> np.ndarray:
    """Return evenly spaced pixels of an image, at the lowest resolution, without NaN and infinite values."""
    data = pyramid(image)[-1]
    inner = tuple(slice(None, None, max(1, -(-length // _SAMPLED))) for length in data.shape[-2:])
    others = [np.unique(np.linspace(0, length - 1, _SAMPLED_PLANES).astype(int)).tolist() for length in data.shape[:-2]]
    pixels = np.concatenate([read_part(data, (*at, *inner)).astype(float).ravel() for at in product(*others)])
    finite: np.ndarray = pixels[np.isfinite(pixels)]
    return finite


def _full_range(dtype: np.dtype) -> tuple[float, float]:
    """Return the limits that show a colour image as it is: whole numbers in full range, others from 0 to 1."""
    return (0.0, float(np.iinfo(dtype).max)) if np.issubdtype(dtype, np.integer) else (0.0, 1.0)


def _is_length(step: Any) -> bool:
    """Whether this is a number above 0."""
    return isinstance(step, Real) and 0 < float(step) < np.inf
