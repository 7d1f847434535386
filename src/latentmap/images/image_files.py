"""Images and labels in files: pixels, axes, names of channels, and the size of a pixel."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from latentmap.images.frames import rgb_channels
from latentmap.images.image_advice import advice_on_objects, image_advice, is_of_objects
from latentmap.images.lazy_slice import channel_at
from latentmap.images.ome_zarr import open_ome_zarr
from latentmap.images.picture_files import read_picture
from latentmap.images.tiff_files import read_tiff
from latentmap.table.files.reading import reading_errors
from latentmap.table.files.zarr_folder import is_zarr

ENDINGS = (".tif", ".tiff", ".png", ".jpg", ".jpeg", ".bmp", ".npy")
"""What the names of images that can be read end in."""

_ENDING = re.compile(r"(\.ome)?\.[^.]+$", re.IGNORECASE)
_COLOURS = (3, 4)


@dataclass(frozen=True, eq=False)
class ImageFile:
    """An image that was read from a file.

    Attributes
    ----------
    name : str
        The name of the file without its ending.
    pixels : ndarray, or zarr.Array of an OME-Zarr
        Without axes of length 1 before rows and columns.
    axes : str
        A letter for each axis, such as "tcyx", with "s" for the colours of a pixel; "?" for an axis that the file does
        not name.
    names : tuple of str
        The names of the channels; empty if the file has none.
    spacing : mapping of str to float
        The distance of neighbouring pixels along "z", "y" and "x" in micrometres, as far as the file tells.
    notes : tuple of str
        What of the file was left out, or is missing.
    origin : mapping of str to float
        How far its first pixel lies along "z", "y" and "x" from the origin, in pixels, where the file tells.
    indices : ndarray or None
        For an image of colours, their numbers in the file's palette, which may be labels; None without a palette.
    unknown_size : str
        What is to be said where no file tells the size of a pixel in a known unit; "" if it is told, or nothing is.
    """

    name: str
    pixels: Any
    axes: str
    names: tuple[str, ...]
    spacing: Mapping[str, float]
    notes: tuple[str, ...] = ()
    origin: Mapping[str, float] = field(default_factory=dict)
    indices: np.ndarray | None = None
    unknown_size: str = ""

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of labels that it fits: its own, and its own without an axis that may be the channels'."""
        own = self.pixels.shape
        return (own, *(own[:axis] + own[axis + 1 :] for axis in self._axes_of_channels()))

    def channels(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return its channels by name, each of the labels' shape.

        Parameters
        ----------
        shape : tuple of int
            The shape of the labels.

        Raises
        ------
        ValueError
            If they have another shape, or it is not clear which axis holds the channels.
        """
        own = self.pixels.shape
        if own == shape and "c" not in self.axes:
            return {self.name: self.pixels}
        fitting = [axis for axis in self._axes_of_channels() if own[:axis] + own[axis + 1 :] == shape]
        if len(fitting) > 1:
            raise ValueError(
                f'The image "{self.name}" has the shape {own}, and does not name its axes: either of two could be the '
                "channels. Save it as OME-TIFF, as an ImageJ hyperstack, or each channel by itself."
            )
        for axis in fitting:
            if self.axes[axis] == "s":
                return rgb_channels(self.name, np.moveaxis(self.pixels, axis, -1))
            names = self.names if len(self.names) == own[axis] == len(set(self.names)) else ()
            names = names or tuple(f"{self.name}_{number}" for number in range(1, own[axis] + 1))
            return {name: channel_at(self.pixels, axis, number) for number, name in enumerate(names)}
        raise ValueError(
            f'The image "{self.name}" has the shape {own}, the labels {shape}: they must be the same, except for one '
            "axis of channels or colours. Crop or resample one of them."
        )

    def axes_along(self, shape: tuple[int, ...]) -> str:
        """Return the letters of the axes that it shares with labels of a shape; "" if these do not fit."""
        own = self.pixels.shape
        if own == shape and "c" not in self.axes:
            return self.axes
        fitting = [axis for axis in self._axes_of_channels() if own[:axis] + own[axis + 1 :] == shape]
        return self.axes[: fitting[0]] + self.axes[fitting[0] + 1 :] if fitting else ""

    def _axes_of_channels(self) -> list[int]:
        """The axes that may hold channels, the surest first."""
        sure = [axis for axis, letter in enumerate(self.axes) if letter in "cs"]
        return sure or [axis for axis, letter in enumerate(self.axes) if letter == "?"]


def read_image(path: Path) -> ImageFile:
    """Read an image from a file.

    Parameters
    ----------
    path : pathlib.Path
        A TIFF (OME-TIFF and ImageJ's with the names of channels and the size of a pixel), PNG, JPEG, BMP or NPY file,
        or an OME-Zarr, of which no pixel is read.

    Raises
    ------
    ValueError
        If there is no such file, or it cannot be read as an image.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "cells.npy")
    ...     np.save(path, np.zeros((2, 8, 8)))
    ...     image = read_image(path)
    >>> image.name, list(image.channels((8, 8)))
    ('cells', ['cells_1', 'cells_2'])
    """
    name, ending = file_stem(path), path.suffix.lower()
    if is_zarr(path):
        return _squeezed(ImageFile(name, **open_ome_zarr(path)._asdict()))
    if path.exists() and ending not in ENDINGS:
        raise ValueError(
            f'"{path.name}": images and labels are read from {", ".join(ENDINGS)} files and OME-Zarr. '
            f"{image_advice(path)}"
        )
    if is_of_objects(path):
        raise ValueError(advice_on_objects(path))
    with reading_errors(path, "an image"):
        if ending in (".tif", ".tiff"):
            return _squeezed(ImageFile(name, **read_tiff(path)._asdict()))
        if ending == ".npy":
            return _squeezed(ImageFile(name, *_plain(np.load(path, allow_pickle=False)), (), {}))
        picture = read_picture(path)
        found = ImageFile(name, picture.pixels, picture.axes, (), {}, picture.notes, indices=picture.indices)
        return _squeezed(found)


def file_stem(path: Path) -> str:
    """Return the name of a file without its ending.

    Examples
    --------
    >>> file_stem(Path("A01_labels.ome.tif")), file_stem(Path("plate.1.png"))
    ('A01_labels', 'plate.1')
    """
    return _ENDING.sub("", path.name)


def _plain(pixels: np.ndarray) -> tuple[np.ndarray, str]:
    """Pixels, and their axes as far as their shape tells."""
    is_coloured = pixels.ndim > 2 and pixels.shape[-1] in _COLOURS
    n_before = pixels.ndim - 2 - is_coloured
    return pixels, "?" * n_before + "yx"[-min(pixels.ndim, 2) :] + "s" * is_coloured


def _with_distinct_names(image: ImageFile) -> ImageFile:
    """Leave out the names of channels unless each has one of its own."""
    if all(image.names) and len(set(image.names)) == len(image.names):
        return image
    note = f'"{image.name}" names some of its channels twice or not at all, so they are numbered.'
    return replace(image, names=(), notes=(*image.notes, note) if any(image.names) else image.notes)


def _squeezed(image: ImageFile) -> ImageFile:
    """Drop axes of length 1, except rows and columns."""
    image = _with_distinct_names(image)
    single = [axis for axis, n in enumerate(image.pixels.shape) if n == 1 and image.axes[axis] not in "yx"]
    axes = "".join(letter for axis, letter in enumerate(image.axes) if axis not in single)
    names = image.names if "c" in axes else ()
    name = image.names[0] if len(image.names) == 1 and "c" not in axes else image.name
    pixels = image.pixels
    for axis in reversed(single):
        pixels = channel_at(pixels, axis, 0)
    return replace(image, name=name, pixels=pixels, axes=axes, names=names)
