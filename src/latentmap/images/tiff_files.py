"""TIFF files of many programs: pixels in one order of axes, names of channels, and the size of a pixel."""

import logging
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from latentmap.table.files.unpacked import check_unpacked
from latentmap.table.text_numbers import Unreadable

# Micrometres in the units that OME-XML and ImageJ write.
_MICROMETRES = {
    **dict.fromkeys(("µm", "μm", "um", "micron", "microns", "micrometer", "micrometre"), 1.0),
    **{"\u00c5": 1e-4, "\u212b": 1e-4, "pm": 1e-6, "mm": 1e3, "cm": 1e4, "m": 1e6},
    **dict.fromkeys(("nm", "nanometer", "nanometre", "nanometers"), 1e-3),
    **dict.fromkeys(("millimeter", "millimetre"), 1e3),
    **dict.fromkeys(("centimeter", "centimetre"), 1e4),
    **dict.fromkeys(("micrometers", "micrometres"), 1.0),
}
# What programs write that know no size; "inch" is that of a printed picture.
_NO_UNIT = ("", "pixel", "pixels", "px", "pix", "reference frame", "inch")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
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
    unknown_size : str
        What is to be said where no file tells the size of a pixel in a known unit; "" if it is told, or nothing is.
    """

    pixels: np.ndarray
    axes: str
    names: tuple[str, ...]
    spacing: Mapping[str, float]
    notes: tuple[str, ...]
    unknown_size: str = ""


def read_tiff(path: Path) -> Tiff:
    """Read the first image of a TIFF file.

    Raises
    ------
    Unreadable
        If it is too large for the memory, planes of it are missing, or its compression needs another library.
    """
    from tifffile import TiffFile

    with _complaints() as said, _decompressing(path), TiffFile(path) as file:
        own = _own_series(file, path)
        series = own[0]
        check_unpacked(path, prod(series.shape) * series.dtype.itemsize)
        pixels, axes = _in_order(series.asarray(), _axes_of(series))
        # ImageJ shows grey levels and labels in colours of its choice, which mean nothing.
        has_palette = series.keyframe.colormap is not None and not file.is_imagej
        place = file.series.index(series)
        names, spacing, unit = _of_ome(file.ome_metadata or "", place) if file.is_ome else _of_imagej(file)
    unknown_size = (
        f'"{path.name}" gives the size of a pixel in "{unit}", a unit not known here: lengths are in pixels. Give '
        "--spacing."
    )
    unknown_size = "" if unit in (*_NO_UNIT, *_MICROMETRES) else unknown_size
    return Tiff(pixels, axes, names, spacing, _notes(path, len(own), has_palette, said), unknown_size)


def read_levels(path: Path) -> tuple[tuple[np.ndarray, ...], str, tuple[str, ...]]:
    """Read the first image of a TIFF file at all of its resolutions.

    Returns
    -------
    levels : tuple of ndarray
        The highest resolution first.
    axes : str
        As for `read_tiff`.
    notes : tuple of str
        What is missing.

    Raises
    ------
    Unreadable
        If planes of it are missing, or its compression needs another library.
    """
    from tifffile import TiffFile

    with _complaints() as said, _decompressing(path), TiffFile(path) as file:
        series = _own_series(file, path)[0]
        levels = [_in_order(level.asarray(), _axes_of(series)) for level in series.levels]
    return tuple(pixels for pixels, _ in levels), levels[0][1], _cut_off(path, said)


def _own_series(file: Any, path: Path) -> list[Any]:
    """The images of an open file, without those of other files that it describes; refuse missing planes."""
    own = [one for one in file.series if any(page is not None and page.parent is file for page in one.pages)]
    found: list[Any] = own or list(file.series)
    if any(page is None for page in found[0].pages):
        raise Unreadable(
            f'Planes of the image in "{path.name}" are missing: either other files hold them, and must lie in the '
            "same folder under their original names, or they were never recorded, and the image must be saved "
            "without them."
        )
    return found


def _axes_of(series: Any) -> str:
    """A letter for each axis of an image, "?" for one that the file does not name."""
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
    return (*notes, *_cut_off(path, said))


def _cut_off(path: Path, said: list[str]) -> tuple[str, ...]:
    """What is missing of a file whose end is missing."""
    if any("invalid page offset" in one for one in said):
        return (
            f'"{path.name}" names more pages than are in it: it may have been cut off, and the last pages are missing.',
        )
    if any(word in one for one in said for word in _BEYOND_END):
        return (f'"{path.name}" may have been cut off: what it says of its pixels, such as their size, is incomplete.',)
    return ()


def _are_colours(page: Any, n_samples: int) -> bool:
    """Whether the samples of a pixel are its colours, and not channels, of which there may be any number."""
    return n_samples in (3, 4) and page.photometric.name not in ("MINISBLACK", "MINISWHITE")


def _in_order(pixels: np.ndarray, axes: str) -> tuple[np.ndarray, str]:
    """Bring time, depth, rows and columns into this order; other axes stay where they are."""
    known = [place for place, letter in enumerate(axes) if letter in _ORDER]
    places = list(range(len(axes)))
    for place, source in zip(known, sorted(known, key=lambda one: _ORDER.index(axes[one])), strict=True):
        places[place] = source
    return pixels.transpose(places), "".join(axes[place] for place in places)


@contextmanager
def _decompressing(path: Path) -> Generator[None, None, None]:
    """Say what to install where tifffile cannot decompress a file by itself, as for LZW and JPEG."""
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


def _of_ome(text: str, place: int) -> tuple[tuple[str, ...], dict[str, float], str]:
    """The names of channels, the size of a pixel, and the unit that it is told in, "" where none is told."""
    from tifffile import xml2dict

    found = xml2dict(text).get("OME", {}).get("Image", {})
    images = found if isinstance(found, list) else [found]
    pixels: dict[str, Any] = images[min(place, len(images) - 1)].get("Pixels", {})
    channels = pixels.get("Channel", [])
    channels = channels if isinstance(channels, list) else [channels]
    names = tuple(str(one.get("Name", "")) for one in channels)
    spacing, other = {}, ""
    for axis in "ZYX":
        size, unit = pixels.get(f"PhysicalSize{axis}"), str(pixels.get(f"PhysicalSize{axis}Unit", "µm"))
        if size and unit in _MICROMETRES:
            spacing[axis.lower()] = float(size) * _MICROMETRES[unit]
        elif size:
            other = unit
    return names, spacing, other


def _of_imagej(file: Any) -> tuple[tuple[str, ...], dict[str, float], str]:
    """The same of ImageJ, which names no channels."""
    said = file.imagej_metadata or {}
    # Java writes "\\u00B5m", or with the Greek letter "\\u03BCm".
    unit = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), str(said.get("unit", ""))).strip()
    unit = unit if unit in _MICROMETRES else unit.lower()
    factor = _MICROMETRES.get(unit)
    spacing = {}
    if factor is not None:
        for axis, tag in (("y", "YResolution"), ("x", "XResolution")):
            if (found := file.pages[0].tags.get(tag)) and found.value[0]:
                spacing[axis] = factor * found.value[1] / found.value[0]
        if said.get("spacing"):
            spacing["z"] = factor * float(said["spacing"])
    return (), spacing, unit
