"""TIFF files of many programs: pixels in one order of axes, names of channels, and the size of a pixel."""

import logging
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from latentmap.table.text_numbers import Unreadable
from latentmap.table.unpacked import check_unpacked

# Micrometres in the units that OME-XML and ImageJ write.
_MICROMETRES = {"µm": 1.0, "μm": 1.0, "um": 1.0, "micron": 1.0, "microns": 1.0, "nm": 1e-3, "mm": 1e3, "cm": 1e4}
_ORDER = "tzyx"
# What tifffile says of a file whose last bytes, which may be those of the description, are missing.
_BEYOND_END = ("invalid value offset", "corrupted IFD")


class Tiff(NamedTuple):
    """An image in a TIFF file.

    Attributes
    ----------
    pixels : ndarray
    axes : str
        A letter for each axis, such as "tcyx", time before depth before rows and columns; "?" for an axis that the file
        does not name.
    names : tuple of str
        The names of the channels, "" for one without; empty if there are none.
    spacing : mapping of str to float
        The distance of neighbouring pixels along "z", "y" and "x" in micrometres, as far as the file tells.
    notes : tuple of str
        What of the file is left out, or missing.
    """

    pixels: np.ndarray
    axes: str
    names: tuple[str, ...]
    spacing: Mapping[str, float]
    notes: tuple[str, ...]


def read_tiff(path: Path) -> Tiff:
    """Read the first image of a TIFF file.

    Raises
    ------
    Unreadable
        If it is too large for the memory, planes of it are missing, or its compression needs another library.
    """
    from tifffile import TiffFile

    with _complaints() as said, decompressing(path), TiffFile(path) as file:
        own = own_series(file, path)
        series = own[0]
        check_unpacked(path, prod(series.shape) * series.dtype.itemsize)
        pixels, axes = in_order(series.asarray(), axes_of(series))
        has_palette = series.keyframe.colormap is not None
        place = file.series.index(series)
        names, spacing = _of_ome(file.ome_metadata or "", place) if file.is_ome else _of_imagej(file)
    notes = _notes(path, len(own), has_palette, said)
    return Tiff(pixels, axes, names, spacing, notes)


def own_series(file: Any, path: Path) -> list[Any]:
    """Return the images of an open TIFF file, without those of other files that it describes.

    Raises
    ------
    Unreadable
        If planes of the first one are missing.
    """
    own = [one for one in file.series if any(page is not None and page.parent is file for page in one.pages)]
    found: list[Any] = own or list(file.series)
    if any(page is None for page in found[0].pages):
        raise Unreadable(
            f'Planes of the image in "{path.name}" are missing: either other files hold them, and must lie in the '
            "same folder under their original names, or they were never recorded, and the image must be saved "
            "without them."
        )
    return found


def axes_of(series: Any) -> str:
    """Return a letter for each axis of an image in a TIFF file, "?" for one that the file does not name."""
    axes: str = series.axes.lower()
    if "s" in axes and not _are_colours(series.keyframe, series.shape[axes.index("s")]):
        axes = axes.replace("s", "c" if "c" not in axes else "?")
    # TIFF calls an axis "q" or "i" of which it knows nothing.
    return re.sub("[^tczyxs]", "?", axes)


def _notes(path: Path, n_images: int, has_palette: bool, said: list[str]) -> tuple[str, ...]:
    notes = []
    if has_palette:
        notes.append(f'"{path.name}" has a palette: the numbers of its colours are taken, not the colours.')
    if n_images > 1:
        notes.append(
            f'"{path.name}" holds {n_images} images: only the first was measured. Save each as a file of its own.'
        )
    if any("invalid page offset" in one for one in said):
        notes.append(
            f'"{path.name}" names more pages than are in it: it may have been cut off, and the last pages are missing.'
        )
    elif any(word in one for one in said for word in _BEYOND_END):
        notes.append(
            f'"{path.name}" may have been cut off: what it says of its pixels, such as their size, is not whole.'
        )
    return tuple(notes)


def _are_colours(page: Any, n_samples: int) -> bool:
    """Whether the samples of a pixel are its colours, and not channels, of which there may be any number."""
    return n_samples in (3, 4) and page.photometric.name not in ("MINISBLACK", "MINISWHITE")


def in_order(pixels: np.ndarray, axes: str) -> tuple[np.ndarray, str]:
    """Bring time, depth, rows and columns into this order; other axes stay where they are.

    Examples
    --------
    >>> pixels, axes = in_order(np.zeros((5, 2, 3, 8, 9)), "ztcyx")
    >>> pixels.shape, axes
    ((2, 5, 3, 8, 9), 'tzcyx')
    """
    known = [place for place, letter in enumerate(axes) if letter in _ORDER]
    places = list(range(len(axes)))
    for place, source in zip(known, sorted(known, key=lambda one: _ORDER.index(axes[one])), strict=True):
        places[place] = source
    return pixels.transpose(places), "".join(axes[place] for place in places)


@contextmanager
def decompressing(path: Path) -> Generator[None, None, None]:
    """Say what to install where tifffile cannot decompress a file by itself.

    Raises
    ------
    Unreadable
        If it needs imagecodecs, as for LZW and JPEG.
    """
    try:
        yield
    except (ImportError, KeyError, ValueError) as error:
        if not isinstance(error, ImportError) and "imagecodecs" not in str(error):
            raise
        kind = found[1] if (found := re.search(r"COMPRESSION\.(\w+)", str(error))) else ""
        raise Unreadable(
            f'"{path.name}" is compressed{f" ({kind})" if kind else ""}, which needs another library: pip install '
            "imagecodecs. Or save it without compression."
        ) from error


@contextmanager
def _complaints() -> Generator[list[str], None, None]:
    """Collect what tifffile would print."""
    told: list[str] = []
    handler, logger = logging.Handler(), logging.getLogger("tifffile")
    handler.emit = lambda record: told.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    try:
        yield told
    finally:
        logger.removeHandler(handler)


def _of_ome(text: str, place: int) -> tuple[tuple[str, ...], dict[str, float]]:
    from tifffile import xml2dict

    found = xml2dict(text).get("OME", {}).get("Image", {})
    images = found if isinstance(found, list) else [found]
    pixels: dict[str, Any] = images[min(place, len(images) - 1)].get("Pixels", {})
    channels = pixels.get("Channel", [])
    channels = channels if isinstance(channels, list) else [channels]
    names = tuple(str(one.get("Name", "")) for one in channels)
    spacing = {}
    for axis in "ZYX":
        size, unit = pixels.get(f"PhysicalSize{axis}"), str(pixels.get(f"PhysicalSize{axis}Unit", "µm"))
        if size and unit in _MICROMETRES:
            spacing[axis.lower()] = float(size) * _MICROMETRES[unit]
    return names, spacing


def _of_imagej(file: Any) -> tuple[tuple[str, ...], dict[str, float]]:
    said = file.imagej_metadata or {}
    factor = _MICROMETRES.get(str(said.get("unit", "")).replace("\\u00B5", "µ"))
    spacing = {}
    if factor is not None:
        for axis, tag in (("y", "YResolution"), ("x", "XResolution")):
            if (found := file.pages[0].tags.get(tag)) and found.value[0]:
                spacing[axis] = factor * found.value[1] / found.value[0]
        if said.get("spacing"):
            spacing["z"] = factor * float(said["spacing"])
    return (), spacing
