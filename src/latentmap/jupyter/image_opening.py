"""Opening images in the forms in which users have them: arrays, pyramids, files, OME-Zarr groups, xarrays."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from latentmap.images.crops import Channel
from latentmap.images.image_advice import advice_on_objects, image_advice, is_of_objects
from latentmap.images.image_files import ENDINGS
from latentmap.images.lazy_labels import as_whole_labels
from latentmap.images.lazy_slice import Slice
from latentmap.images.ome_zarr import letters_of, levels_of
from latentmap.images.picture_files import read_picture
from latentmap.images.tiff_files import read_levels
from latentmap.model.data_warnings import warn_user
from latentmap.table.cells import listed
from latentmap.table.text_numbers import Unreadable

_COLOURS = (3, 4)
_EXPECTED = (
    "give an array, a list of arrays of decreasing resolution, an xarray, an OME-Zarr group, or the path of a .tif, "
    ".png, .npy or .zarr file"
)


class OpenedImage(NamedTuple):
    """An open image.

    Attributes
    ----------
    levels : tuple of array-like
        The image at each of its resolutions, the highest first.
    axes : str
        A letter for each axis, such as "tczyx", with "s" for the colours of a pixel; empty if unknown.
    names : tuple of str
        The names of the channels; empty if unknown.
    indices : ndarray or None
        For a file of colours, their numbers in its palette, which may be labels; None without a palette.
    """

    levels: tuple[Any, ...]
    axes: str = ""
    names: tuple[str, ...] = ()
    indices: np.ndarray | None = None


def open_image(image: Any, what: str) -> OpenedImage:
    """Open an image, without reading lazy arrays.

    Parameters
    ----------
    image : array-like, sequence of array-like, xarray.DataArray, zarr.Group or path-like
        A sequence is a pyramid: the same image at decreasing resolution.
    what : str
        The name of the image in error messages.

    Returns
    -------
    OpenedImage
        Axes of length 1 are dropped if the image is a file, a group or an xarray.

    Raises
    ------
    ValueError
        If the image is none of these; the message says what is expected.
    OSError
        If there is no such file.

    Examples
    --------
    >>> open_image([np.zeros((8, 8)), np.zeros((4, 4))], "cells").levels[1].shape
    (4, 4)
    """
    if isinstance(image, str | os.PathLike):
        return _squeezed(_of_file(Path(image), what))
    if hasattr(image, "dims") and hasattr(image, "coords"):
        return _squeezed(_of_xarray(image))
    if hasattr(image, "array_keys"):
        return _squeezed(_of_group(image, what))
    if isinstance(image, list | tuple) and any(hasattr(level, "shape") for level in image):
        return OpenedImage(tuple(image))
    return OpenedImage((image if hasattr(image, "shape") and hasattr(image, "dtype") else _numbers(image, what),))


def channels(images: Any, shape: tuple[int, ...] | None) -> dict[str, Any]:
    """Return the channels of images by name, each as a pyramid or an array; `Channel` objects stay as they are.

    Parameters
    ----------
    images : what `open_image` takes, or a mapping or a sequence of these
        A list of images with the same shape holds several channels; with decreasing resolution it is a pyramid.
    shape : tuple of int or None
        The shape of the labels; None without labels. If an image has one axis more, this holds channels or colours.

    Examples
    --------
    >>> list(channels(np.zeros((2, 40, 60)), (40, 60))), list(channels({"DNA": np.zeros((40, 60))}, (40, 60)))
    (['channel 1', 'channel 2'], ['DNA'])
    """
    if images is None:
        return {}
    if isinstance(images, Mapping):
        named: dict[str, Any] = {}
        for name, image in images.items():
            is_ready = isinstance(image, Channel)
            named |= {str(name): image} if is_ready else _split(open_image(image, str(name)), shape, str(name))
        return named
    if _are_channels(images):
        return channels({f"channel {number}": image for number, image in enumerate(images, start=1)}, shape)
    return _split(open_image(images, "image"), shape, "image")


def is_coloured(own: tuple[int, ...], shape: tuple[int, ...] | None) -> bool:
    """Say whether the last axis of an image holds the colours of a pixel, given its shape and that of the labels.

    Without labels, any image whose last axis is 3 or 4 long is taken as a colour image.
    """
    return len(own) > 2 and own[-1] in _COLOURS and shape in (None, own[:-1])


def _are_channels(images: Any) -> bool:
    if not isinstance(images, Sequence) or isinstance(images, str) or len(images) < 2:
        return False
    if any(isinstance(image, str | os.PathLike) or hasattr(image, "dims") for image in images):
        return True
    shapes = {getattr(image, "shape", None) for image in images}
    return len(shapes) == 1 and None not in shapes


def _split(image: OpenedImage, shape: tuple[int, ...] | None, name: str) -> dict[str, Any]:
    """Split an image into its channels, by name."""
    own = tuple(image.levels[0].shape)
    plain = image.levels if len(image.levels) > 1 else image.levels[0]
    if own == shape or is_coloured(own, shape):
        return {name: plain}
    if shape is None:
        axes = [image.axes.index("c")] if "c" in image.axes else []
    else:
        axes = [axis for axis in range(len(own)) if own[:axis] + own[axis + 1 :] == shape]
        axes = [axis for axis in axes if image.axes[axis : axis + 1] == "c"] or axes
    if not axes and shape is not None and len(own) != len(shape):
        raise ValueError(
            f'The image "{name}" has the shape {own}, the labels {shape}: they must match, except that the image may '
            "have one axis more, for channels or colours."
        )
    if not axes:
        return {name: plain}
    if len(axes) > 1:
        raise ValueError(
            f'The image "{name}" has the shape {own}, and either of two axes could be the channels: give the channels '
            'by name, as {"DNA": array}.'
        )
    (axis,), base = axes, "channel" if name == "image" else name
    names = image.names or [f"{base} {number}" for number in range(1, own[axis] + 1)]
    parts = [tuple(Slice(level, axis, number) for level in image.levels) for number in range(own[axis])]
    return {name: part if len(part) > 1 else part[0] for name, part in zip(names, parts, strict=True)}


def _squeezed(image: OpenedImage) -> OpenedImage:
    """Drop axes of length 1, except rows and columns."""
    levels, axes = list(image.levels), image.axes
    for axis in reversed(range(len(levels[0].shape) - 2)):
        if all(level.shape[axis] == 1 for level in levels):
            levels = [Slice(level, axis, 0) for level in levels]
            axes = axes[:axis] + axes[axis + 1 :]
    return OpenedImage(tuple(levels), axes, image.names if "c" in axes else (), image.indices)


def open_labels(labels: Any, name: str) -> tuple[Any, ...]:
    """Open labels as `open_image` does: whole numbers at each of their resolutions, the highest first.

    Raises
    ------
    ValueError
        As for `open_image`, or if they have colours, or hold a fraction.
    """
    opened = open_image(labels, f"the labels of {name}")
    if opened.indices is not None:
        return (opened.indices,)
    if "s" in opened.axes:
        raise ValueError(f'The labels of "{name}" have colours: they must be whole numbers, the cell at each pixel.')
    return tuple(as_whole_labels(level, name) if hasattr(level, "dtype") else level for level in opened.levels)


def _of_file(path: Path, what: str) -> OpenedImage:
    ending = path.suffix.lower()
    if not path.exists():
        raise FileNotFoundError(f'The file "{path}" for "{what}" does not exist.')
    if is_of_objects(path):
        raise ValueError(advice_on_objects(path))
    try:
        if ending == ".zarr" or path.is_dir():
            return _of_zarr(path, what)
        if ending in (".tif", ".tiff"):
            levels, axes, notes = read_levels(path)
            for note in notes:
                warn_user(note)
            return OpenedImage(levels, axes)
        if ending == ".npy":
            return OpenedImage((np.load(path, mmap_mode="r", allow_pickle=False),))
        picture = read_picture(path)
        return OpenedImage((picture.pixels,), picture.axes if "s" in picture.axes else "", (), picture.indices)
    except Unreadable:
        raise
    # Libraries may raise anything about files that they cannot read.
    except Exception as error:
        advice = f" {image_advice(path)}" if path.is_file() and ending not in ENDINGS else ""
        raise ValueError(f'"{path.name}" cannot be read as an image ({error}): {_EXPECTED}.{advice}') from error


def _of_zarr(path: Path, what: str) -> OpenedImage:
    try:
        import zarr
    except ImportError:
        raise ValueError('reading .zarr files needs the package zarr: pip install "zarr"') from None
    found = zarr.open(path, mode="r")
    return _of_group(found, path.name) if hasattr(found, "array_keys") else OpenedImage((found,))


def _of_group(group: Any, what: str) -> OpenedImage:
    """Open an OME-Zarr group, or a plain group that holds only the resolutions of one image."""
    attributes = dict(group.attrs)
    if scales := attributes.get("ome", attributes).get("multiscales"):
        axes = letters_of(scales[0].get("axes", ()), what)
        levels, notes = levels_of(group, scales[0]["datasets"], what)
        for note in notes:
            warn_user(note)
        return OpenedImage(tuple(pixels for _, pixels in levels), axes)
    names = sorted(group.array_keys())
    arrays = sorted((group[name] for name in names), key=lambda level: -int(np.prod(level.shape)))
    if not arrays or len({level.shape for level in arrays}) < len(arrays) or len({level.ndim for level in arrays}) > 1:
        raise ValueError(
            f'The group for "{what}" does not say which of its arrays form an image ({listed(names) or "none"}): give '
            "one of them, such as group[name]."
        )
    return OpenedImage(tuple(arrays))


def _of_xarray(image: Any) -> OpenedImage:
    first = {"channel": "c", "channels": "c", "time": "t", "rgb": "s"}
    axes = [first.get(str(name).lower(), str(name).lower()[:1]) for name in image.dims]
    # Colours come last: "slice" and "scene" begin with an s, too.
    axes[:-1] = ["?" if letter == "s" else letter for letter in axes[:-1]]
    dim = image.dims[axes.index("c")] if "c" in axes else None
    names = tuple(map(str, np.asarray(image.coords[dim]))) if dim is not None and dim in image.coords else ()
    return OpenedImage((image.data,), "".join(axes), names)


def _numbers(image: Any, what: str) -> np.ndarray:
    try:
        return np.asarray(image, dtype=float if np.asarray(image).dtype == object else None)
    except (TypeError, ValueError):
        raise ValueError(f'"{what}" is a {type(image).__name__}, not an image: {_EXPECTED}.') from None
