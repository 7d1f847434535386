"""OME-Zarr: images in many resolutions and many chunks, opened by path without reading a pixel."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from latentmap.table.files.reading import reading_errors
from latentmap.table.files.zarr_folder import is_zarr
from latentmap.table.libraries import import_optional
from latentmap.table.text_numbers import Unreadable
from latentmap.table.wording import listed

# Micrometres in the units that OME-Zarr names, and in other names of these that programs write.
_MICROMETRES = {
    **dict.fromkeys(("micrometer", "micrometre", "micron", "microns", "um", "µm", "μm"), 1.0),
    **dict.fromkeys(("nanometer", "nanometre", "nm"), 1e-3),
    **dict.fromkeys(("millimeter", "millimetre", "mm"), 1e3),
    **{"centimeter": 1e4, "picometer": 1e-6, "angstrom": 1e-4, "meter": 1e6},
}
_AXES = tuple("tczyx")


class OmeZarr(NamedTuple):
    """An image in an OME-Zarr.

    Attributes
    ----------
    pixels : zarr.Array
        At the highest resolution, wherever that stands.
    axes : str
        A letter for each axis, such as "tczyx"; "?" for an axis that is not named.
    names : tuple of str
        The names of the channels, "" for one without; empty if there are none.
    spacing : mapping of str to float
        The distance of neighbouring pixels along "z", "y" and "x" in micrometres, as far as the file tells.
    notes : tuple of str
        What is not known of it.
    origin : mapping of str to float
        How far its first pixel lies along "z", "y" and "x" from the origin, in pixels, where the file tells.
    unknown_size : str
        What is to be said where no file tells the size of a pixel in a known unit; "" if it is told, or nothing is.
    """

    pixels: Any
    axes: str
    names: tuple[str, ...]
    spacing: Mapping[str, float]
    notes: tuple[str, ...] = ()
    origin: Mapping[str, float] = MappingProxyType({})
    unknown_size: str = ""


def open_ome_zarr(path: Path) -> OmeZarr:
    """Open an OME-Zarr of version 0.4 or 0.5, or a plain zarr array.

    Raises
    ------
    ValueError
        If it holds no image, or zarr is not installed.
    """
    zarr = import_optional("zarr", f"Reading {path.name}", install="zarr")
    with reading_errors(path, "an OME-Zarr"):
        return _opened(path, zarr.open(path, mode="r"))


def _opened(path: Path, found: Any) -> OmeZarr:
    if not hasattr(found, "array_keys"):
        n_before = found.ndim - 2
        return OmeZarr(found, "?" * n_before + "yx", (), {})
    about = _about(found)
    if "plate" in about:
        raise Unreadable(f'"{path.name}" is a plate: give one of its images, such as {path.name}/A/1/0.')
    if not (scales := about.get("multiscales")):
        if "bioformats2raw.layout" in about:
            raise Unreadable(f'"{path.name}" may hold several images: give one of them, such as {path.name}/0.')
        raise Unreadable(f'"{path.name}" is no image: no "multiscales" in it says which of its arrays are one.')
    levels, notes = levels_of(found, scales[0]["datasets"], path.name)
    first, pixels = levels[0]
    # Versions 0.1 and 0.2 name no axes, because there are always these five.
    named = scales[0].get("axes") or "tczyx"
    axes = [one if isinstance(one, dict) else {"name": one} for one in named]
    channels = [str(one.get("label", "")) for one in about.get("omero", {}).get("channels", ())]
    letters = letters_of(named, path.name)
    steps, origin = _placed(axes, scales[0], first)
    factors = {axis["name"]: _MICROMETRES.get(axis.get("unit", "")) for axis in axes}
    spacing = {axis: step * factor for axis, step in steps.items() if (factor := factors[axis]) is not None}
    is_unknown = any(step != 1 and axis not in spacing for axis, step in steps.items())
    unknown_size = (
        f'"{path.name}" gives the size of a pixel, but not in a unit known here: lengths are in pixels. Give --spacing.'
    )
    return OmeZarr(pixels, letters, tuple(channels), spacing, tuple(notes), origin, unknown_size if is_unknown else "")


def levels_of(group: Any, named: Sequence[Mapping[str, Any]], name: str) -> tuple[list[tuple[Any, Any]], list[str]]:
    """Return the levels of an image that are there.

    Parameters
    ----------
    group : zarr.Group
    named : sequence of mapping
        What the group says of each level. The first should be the largest, but some programs write the smallest first.
    name : str
        The name of the image in messages.

    Returns
    -------
    levels : list of (mapping, zarr.Array)
        What the group says of each, and its pixels; the largest first.
    notes : list of str
        Which are missing.

    Raises
    ------
    Unreadable
        If none is there.

    Examples
    --------
    >>> import zarr
    >>> group = zarr.group({})
    >>> _ = group.create_array("0", shape=(8, 8), dtype="uint8")
    >>> levels_of(group, [{"path": "0"}, {"path": "1"}], "slide.zarr")[1]
    ['"slide.zarr" lacks 1 of its 2 levels ("1"): the largest one that is there is taken.']
    """
    opened = [(level, group.get(level["path"])) for level in named]
    there = sorted((one for one in opened if one[1] is not None), key=lambda one: -one[1].size)
    missing = [str(level["path"]) for level, pixels in opened if pixels is None]
    if not there:
        which = listed(missing) or "no level is named"
        raise Unreadable(f'"{name}" holds none of its levels ({which}): copy it again from where it comes.')
    lacks = f'"{name}" lacks {len(missing)} of its {len(named)} levels ({listed(missing)})'
    return there, [f"{lacks}: the largest one that is there is taken."] if missing else []


def letters_of(named: Sequence[Any], name: str) -> str:
    """Return a letter for each axis that an image names, "?" for one that is not known.

    Raises
    ------
    Unreadable
        If they are in an order in which nothing here reads them; the message says in which they have to be.

    Examples
    --------
    >>> letters_of(["t", "c", {"name": "y"}, {"name": "x"}], "slide.zarr")
    'tcyx'
    """
    names = [one["name"] if isinstance(one, dict) else one for one in named]
    letters = "".join(one if one in _AXES else "?" for one in names)
    order = [letter for letter in letters if letter in "tzyx"]
    if order != sorted(order, key="tzyx".index):
        raise Unreadable(
            f'"{name}" stores its axes in the order {letters}, but cells can only be measured where time comes first, '
            "then depth, rows and columns: save it in this order."
        )
    return letters


def fields_in(path: Path) -> dict[str, Path]:
    """Return the images of a plate by row, column and field, such as "B/3/0"; none if it is no plate."""
    plate = _described(path, "plate")
    found = {}
    for well in (str(one["path"]) for one in plate.get("wells", ())):
        for field in (str(one["path"]) for one in _described(path / well, "well").get("images", ())):
            found[f"{well}/{field}"] = path / well / field
    return found


def missing_wells(path: Path) -> list[str]:
    """Return the wells that a plate names, but that are not there."""
    wells = (str(one["path"]) for one in _described(path, "plate").get("wells", ()))
    return [well for well in wells if not is_zarr(path / well)]


def labels_in(path: Path) -> dict[str, Path]:
    """Return the labels inside an OME-Zarr by name; none if there are none."""
    folder = path / "labels"
    if not is_zarr(folder):
        return {}
    group = import_optional("zarr", f"Reading {path.name}", install="zarr").open_group(folder, mode="r")
    names = _about(group).get("labels") or sorted(group.group_keys())
    return {name: folder / name for name in names}


def only_labels_in(path: Path) -> Path:
    """Return the only labels inside an OME-Zarr.

    Raises
    ------
    ValueError
        If there are none or several; the message says which.
    """
    found = labels_in(path)
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        raise ValueError(f'"{path.name}" has no labels in it: give the path of the labels as well.')
    raise ValueError(
        f'"{path.name}" has several labels in it, {listed(list(found))}: give the path of one as well, such as '
        f"{path.name}/labels/{next(iter(found))}."
    )


def _described(path: Path, kind: str) -> dict[str, Any]:
    """What the group in a folder says of itself as a plate or a well; nothing if it is none, or is not there."""
    if not is_zarr(path):
        return {}
    found = import_optional("zarr", f"Reading {path.name}", install="zarr").open(path, mode="r")
    said: dict[str, Any] = _about(found).get(kind, {})
    return said


def _about(group: Any) -> dict[str, Any]:
    attributes = dict(group.attrs)
    about: dict[str, Any] = attributes.get("ome", attributes)
    return about


def _placed(
    axes: list[dict[str, Any]], scales: Mapping[str, Any], first: Mapping[str, Any]
) -> tuple[dict[str, float], dict[str, float]]:
    """The size of a pixel along each axis in space, and where the first one lies, in pixels; as far as it is told."""
    steps: dict[str, float] = {}
    origin: dict[str, float] = {}
    # First the transformations of the level, then those of all levels.
    told = [one for said in (first, scales) for one in said.get("coordinateTransformations", ())]
    for place, name in enumerate(axis["name"] for axis in axes):
        if name not in [*"zyx"]:
            continue
        for one in told:
            if one.get("type") == "scale" and "scale" in one:
                step = float(one["scale"][place])
                steps[name] = steps.get(name, 1.0) * step
                origin |= {name: origin[name] * step} if name in origin else {}
            elif one.get("type") == "translation" and "translation" in one:
                origin[name] = origin.get(name, 0.0) + float(one["translation"][place])
    return steps, {name: far / steps.get(name, 1.0) for name, far in origin.items() if steps.get(name, 1.0)}
