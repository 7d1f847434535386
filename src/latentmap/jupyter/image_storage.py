"""Pictures in session files, described as napari layers, so that each front end can open the other's files."""

import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from latentmap.images.crops import Channel
from latentmap.images.pixel_steps import pixel_steps
from latentmap.jupyter.labelled_image import LabelledImage, pyramid
from latentmap.session import LayerSnapshot
from latentmap.session.columns import StoredColumn
from latentmap.session.snapshot import too_large
from latentmap.table import CellTable

_SCALES = "data_"
_BLACK = (0.0, 0.0, 0.0, 1.0)
# The gap between neighbouring pictures in napari, as a share of the width of the left one.
_GAP = 0.1
# napari cannot open a layer with a unit that it does not know, so other units go into the label of an axis.
_LENGTH = re.compile(
    r"(p|n|u|µ|μ|m|c|d|k)?m|(pico|nano|micro|milli|centi|deci|kilo)?met(er|re)s?|microns?|angstroms?|Å|inch|pixel"
)
_FRAME, _AXES = "frame", ("z", "y", "x")


class NotStoredWarning(UserWarning):
    """A picture, or part of one, is not in the session file; the message says why."""


def stored_layers(pictures: Sequence[LabelledImage], cells: CellTable) -> list[LayerSnapshot]:
    """Return pictures as the layers of a session file; what is too large is left out with the warning
    `NotStoredWarning`.

    Parameters
    ----------
    pictures : sequence of LabelledImage
        In napari they lie side by side.
    cells : CellTable
        The features of the cells, which are stored with the labels.

    Returns
    -------
    list of LayerSnapshot
        For each picture its channels, and above them its labels.

    Raises
    ------
    ValueError
        If a picture cannot be read.
    """
    layers: list[LayerSnapshot | str] = []
    left = 0.0
    for picture in pictures:
        where: dict[str, Any] = {"source": picture.name, **_where(picture)}
        if len(pictures) > 1:
            where["translate"] = [0.0] * (len(picture.shape) - 1) + [left]
            left += (1 + _GAP) * picture.shape[-1] * (picture.scale[-1] if picture.scale else 1.0)
        for name, channel in picture.channels.items():
            title = name if len(pictures) == 1 else f"{name}{_of(picture.name)}"
            layers.append(_stored_channel(title, channel, {**where, "visible": name not in picture.hidden}))
        if picture.labels is not None:
            features = _features(cells, picture)
            columns = None if features is None else {str(name): StoredColumn.of(features[name]) for name in features}
            layers.append(_stored(picture.name, "labels", picture.labels, where, columns))
    for sentence in layers:
        if isinstance(sentence, str):
            warnings.warn(sentence, NotStoredWarning, stacklevel=3)
    return [layer for layer in layers if isinstance(layer, LayerSnapshot)]


def stored_pictures(layers: Sequence[LayerSnapshot]) -> list[LabelledImage]:
    """Return the pictures in a session file.

    Parameters
    ----------
    layers : sequence of LayerSnapshot
        Only labels and images are used.

    Returns
    -------
    list of LabelledImage
        One for each labels layer, with its images, followed by those made of images without labels.

    Raises
    ------
    ValueError
        If a layer holds something that neither front end writes.
    """
    with _shown():
        return _pictures(layers)


def _pictures(layers: Sequence[LayerSnapshot]) -> list[LabelledImage]:
    labelled = [layer for layer in layers if layer.kind == "labels"]
    images = [layer for layer in layers if layer.kind == "image"]
    names = [_name(layer) for layer in labelled]
    seen = [_images_of(layer, images, names) for layer in labelled]
    known = {id(image) for own in seen for image in own}
    others = _together([image for image in images if id(image) not in known])
    n = len(labelled) + len(others)
    pictures = [_picture(*one, n) for one in zip(labelled, names, seen, strict=True)]
    for group in others:
        pictures.extend(_bare_picture(group, _unlike(_name(group[0]), [picture.name for picture in pictures]), n))
    return pictures


def stored_cells(layers: Sequence[LayerSnapshot]) -> CellTable | None:
    """Return the features of all labels layers of a session file as one table; None if there are none.

    Raises
    ------
    ValueError
        If a layer holds something that neither front end writes.
    """
    with _shown():
        tables = [
            CellTable.read(_frame(layer.features), layer=_name(layer))
            for layer in layers
            if layer.kind == "labels" and layer.features and {"label", "index"} & set(layer.features)
        ]
        return CellTable.pool(tables) if tables else None


@contextmanager
def _shown() -> Iterator[None]:
    """Turn any error that a tampered file provokes into a ValueError with a clear message."""
    try:
        yield
    except Exception as error:
        reason = f" ({error})" if isinstance(error, ValueError) else ""
        raise ValueError(
            f"The layers of this session cannot be shown, because the file is damaged{reason:.300}."
        ) from error


def _where(picture: LabelledImage) -> dict[str, Any]:
    """Return the layer options for the size of pixels and the meaning of the axes."""
    n, is_known = len(picture.shape), _LENGTH.fullmatch(picture.unit) is not None
    scale = [float(step) for step in picture.scale or ()]
    measured = len(scale) or 2
    where: dict[str, Any] = {"scale": [1.0] * (n - len(scale)) + scale} if scale else {}
    if is_known:
        where["units"] = ["pixel"] * (n - measured) + [picture.unit] * measured
    axes = [*((_FRAME,) if picture.has_frames else ()), *_AXES[picture.has_frames - n :]]
    if picture.unit and not is_known:
        axes[-1] = f"{axes[-1]} ({picture.unit})"
    return where | {"axis_labels": axes}


def _stored_channel(name: str, channel: Channel, options: dict[str, Any]) -> LayerSnapshot | str:
    options["contrast_limits"] = [float(end) for end in channel.limits]
    if channel.colour is None:
        return _stored(name, "image", channel.image, options | {"rgb": True})
    colours = {"colors": np.array([_BLACK, (*channel.colour, 1.0)]), "controls": np.array([0.0, 1.0])}
    shown = {"colormap": f"{name} in a notebook", "blending": "additive"}
    return _stored(name, "image", channel.image, options | shown, arrays=colours)


def _stored(
    name: str,
    kind: str,
    data: Any,
    options: dict[str, Any],
    features: dict[str, StoredColumn] | None = None,
    arrays: Mapping[str, np.ndarray] = MappingProxyType({}),
) -> LayerSnapshot | str:
    """Read an image, or return a message if it is too large."""
    finest, *coarser = pyramid(data)
    levels = {"data": finest, **{f"{_SCALES}{number}": level for number, level in enumerate(coarser, start=1)}}
    if sentence := too_large(name, levels):
        return sentence
    try:
        read = {level: np.asarray(pixels) for level, pixels in levels.items()}
    # Lazy arrays may raise anything that their files or computations raise.
    except Exception as error:
        raise ValueError(f'The layer "{name}" cannot be read: {error}') from error
    return LayerSnapshot(name, kind, {**read, **arrays}, options, features)


def _name(layer: LayerSnapshot) -> str:
    """Return the name of the picture that a layer belongs to."""
    return str(layer.options.get("source", layer.name))


def _of(name: str) -> str:
    """Return how the names of a picture's layers end if there are several pictures."""
    return f" of {name}"


def _shape(layer: LayerSnapshot) -> tuple[int, ...]:
    shape = layer.arrays["data"].shape
    return shape[:-1] if layer.options.get("rgb", False) else shape


def _images_of(labels: LayerSnapshot, images: Sequence[LayerSnapshot], names: Sequence[str]) -> list[LayerSnapshot]:
    """Return the images that show the cells of a labels layer.

    These are the images stored as belonging to it and, of those without an owner but of the same shape, the ones in the
    same position; if there are none of either kind, all without an owner and of the same shape.
    """
    fitting = {id(image): _owner(image, names) for image in images if _shape(image) == _shape(labels)}
    free = [image for image in images if fitting.get(id(image), "") is None]
    here = {id(image) for image in free if _are_together(image, labels)}
    own = {identity for identity, owner in fitting.items() if owner == _name(labels)}
    return [image for image in images if id(image) in own | here] or free


def _owner(image: LayerSnapshot, names: Sequence[str]) -> str | None:
    """Return the name of the picture that an image is stored as belonging to, if any."""
    if "source" in image.options:
        return _name(image)
    # Old sessions from notebooks only have the name, and all pictures in one position; napari always stores a position.
    named = [name for name in names if len(names) > 1 and image.name.endswith(_of(name))]
    return max(named, key=len) if named and "translate" not in image.options else None


def _are_together(one: LayerSnapshot, other: LayerSnapshot) -> bool:
    """Say whether two layers have the same shape and the same position, to within half a pixel."""
    if _shape(one) != _shape(other):
        return False
    (low, high, step), (other_low, other_high, _) = _box(one), _box(other)
    is_near = bool((np.abs([low - other_low, high - other_high]) <= step / 2).all())
    return is_near and all(one.options.get(turn) == other.options.get(turn) for turn in ("rotate", "shear", "affine"))


def _box(layer: LayerSnapshot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the positions of a layer's first and last pixel, and the distance between pixels."""
    shape = _shape(layer)
    step = np.array(layer.options.get("scale", [1.0] * len(shape)), dtype=float)
    low = np.array(layer.options.get("translate", [0.0] * len(shape)), dtype=float)
    return low, low + step * (np.array(shape) - 1), np.abs(step)


def _together(images: Sequence[LayerSnapshot]) -> list[list[LayerSnapshot]]:
    """Group images by the picture that they belong to and by their position."""
    groups: list[list[LayerSnapshot]] = []
    for image in images:
        for group in groups:
            owners = image.options.get("source"), group[0].options.get("source")
            if owners[0] == owners[1] and _are_together(image, group[0]):
                group.append(image)
                break
        else:
            groups.append([image])
    return groups


def _picture(labels: LayerSnapshot, name: str, images: Sequence[LayerSnapshot], n_pictures: int) -> LabelledImage:
    data = _levels(labels.arrays)
    has_frames = data[0].ndim > 2 and ("frame" in (labels.features or {}) or _is_film(labels))
    rest = _rest_of_picture(labels, name, images, n_pictures, has_frames)
    return LabelledImage(name, data if len(data) > 1 else data[0], **rest)


def _bare_picture(images: Sequence[LayerSnapshot], name: str, n_pictures: int) -> list[LabelledImage]:
    """Return a picture without labels, or none if a notebook cannot show the images."""
    first = images[0]
    has_frames = len(_shape(first)) == 4 or (len(_shape(first)) == 3 and _is_film(first))
    try:
        return [LabelledImage(name, **_rest_of_picture(first, name, images, n_pictures, has_frames))]
    except ValueError:
        return []


def _rest_of_picture(
    layer: LayerSnapshot, name: str, images: Sequence[LayerSnapshot], n_pictures: int, has_frames: bool
) -> dict[str, Any]:
    """Return everything that a picture has besides its name and labels."""
    channels: dict[str, Channel] = {}
    hidden = set()
    for image in images:
        title = _unlike(image.name.removesuffix(_of(name)) if n_pictures > 1 else image.name, channels)
        channels[title] = _channel(image)
        if not image.options.get("visible", True):
            hidden.add(title)
    placed = [layer.options.get(name) for name in ("scale", "rotate", "affine")]
    return {
        "channels": channels,
        "hidden": frozenset(hidden),
        "has_frames": has_frames,
        "scale": None if placed[0] is None else tuple(pixel_steps(*placed)[int(has_frames) :].tolist()),
        "unit": _unit(layer),
    }


def _unlike(name: str, others: Collection[str]) -> str:
    """Return a name that is not taken yet, with a number if need be."""
    names = (name, *(f"{name} [{number}]" for number in range(1, len(others) + 1)))
    return next(one for one in names if one not in others)


def _is_film(layer: LayerSnapshot) -> bool:
    return str(next(iter(layer.options.get("axis_labels", ())), "")) == _FRAME


def _unit(layer: LayerSnapshot) -> str:
    units, axes = layer.options.get("units"), layer.options.get("axis_labels")
    if units and str(units[-1]) != "pixel":
        return str(units[-1])
    found = re.fullmatch(r"x \((.+)\)", str(axes[-1])) if axes else None
    return found[1] if found else ""


def _channel(image: LayerSnapshot) -> Channel:
    levels = _levels(image.arrays)
    if not all(array.dtype.kind in "biuf" for array in image.arrays.values()):
        raise ValueError(f'"{image.name}" does not hold real numbers')
    data = levels if len(levels) > 1 else levels[0]
    low, high = image.options.get("contrast_limits", (float(levels[0].min()), float(levels[0].max())))
    low, high = float(low), float(high)
    if not np.isfinite([low, high]).all():
        raise ValueError(f'the contrast limits of "{image.name}" are not finite')
    if image.options.get("rgb", False):
        return Channel(data, (low, high), None)
    brightest = image.arrays["colors"][-1][:3] if "colors" in image.arrays else _named(image.options.get("colormap"))
    red, green, blue = (float(part) for part in brightest)
    return Channel(data, (low, high), (red, green, blue))


def _named(colormap: object) -> tuple[float, float, float]:
    """Return the brightest colour of a napari colormap that is named after a colour; white for all others."""
    words = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1)}
    mixed = {"cyan": (0, 1, 1), "magenta": (1, 0, 1), "yellow": (1, 1, 0)}
    return {**words, **mixed}.get(str(colormap), (1, 1, 1))


def _levels(arrays: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    coarser = sorted((name for name in arrays if name.startswith(_SCALES)), key=lambda name: int(name[len(_SCALES) :]))
    return [arrays["data"], *(arrays[name] for name in coarser)]


def _features(cells: CellTable, picture: LabelledImage) -> pd.DataFrame | None:
    own = cells.features[cells.features.index.get_level_values("layer") == picture.name]
    if not len(own):
        return None
    rows = own.reset_index().drop(columns="layer")
    return rows if picture.has_frames else rows.drop(columns="frame")


def _frame(features: Mapping[str, StoredColumn] | None) -> pd.DataFrame:
    return pd.DataFrame({name: column.array() for name, column in (features or {}).items()})
