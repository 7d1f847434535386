"""Pictures in a session file, in the words of napari's layers, and back: so that each front end opens the other's."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from latentmap.jupyter.picture import Picture, pyramid
from latentmap.session import StoredLayer
from latentmap.session.columns import Column
from latentmap.table import CellTable
from latentmap.table.crops import Channel

_SCALES = "data_"
_BLACK = (0.0, 0.0, 0.0, 1.0)


def stored_layers(pictures: Sequence[Picture], cells: CellTable) -> list[StoredLayer]:
    """Take pictures up for a session file.

    Parameters
    ----------
    pictures : sequence of Picture
    cells : CellTable
        What is known of the cells in them; it is kept with the labels.

    Returns
    -------
    list of StoredLayer
        For each picture its channels, and above them its labels.
    """
    layers = []
    for picture in pictures:
        for name, channel in picture.channels.items():
            title = name if len(pictures) == 1 else f"{name} of {picture.name}"
            layers.append(_stored_channel(title, channel, _scale(picture)))
        if picture.labels is not None:
            features = _features(cells, picture)
            options = {"source": picture.name, "scale": _scale(picture)}
            columns = None if features is None else {str(name): Column.of(features[name]) for name in features}
            layers.append(StoredLayer(picture.name, "labels", _arrays(picture.labels), options, columns))
    return layers


def stored_pictures(layers: Sequence[StoredLayer]) -> list[Picture]:
    """Make pictures of the layers in a session file.

    Parameters
    ----------
    layers : sequence of StoredLayer
        Of other kinds than labels and images nothing is made.

    Returns
    -------
    list of Picture
        One for each labels layer, with the images of its shape.
    """
    images = [layer for layer in layers if layer.kind == "image"]
    return [_picture(layer, images) for layer in layers if layer.kind == "labels"]


def stored_cells(layers: Sequence[StoredLayer]) -> CellTable | None:
    """Return the cells that the labels of a session file have features of; None where there are none.

    Parameters
    ----------
    layers : sequence of StoredLayer
    """
    tables = [
        CellTable.read(_frame(layer.features), layer=str(layer.options.get("source", layer.name)))
        for layer in layers
        if layer.kind == "labels" and layer.features and {"label", "index"} & set(layer.features)
    ]
    return CellTable.pool(tables) if tables else None


def _stored_channel(name: str, channel: Channel, scale: list[float]) -> StoredLayer:
    options: dict[str, Any] = {"contrast_limits": [float(end) for end in channel.limits], "scale": scale}
    arrays = _arrays(channel.image)
    if channel.colour is None:
        options["rgb"] = True
    else:
        options |= {"colormap": f"{name} in a notebook", "blending": "additive"}
        arrays |= {"colors": np.array([_BLACK, (*channel.colour, 1.0)]), "controls": np.array([0.0, 1.0])}
    return StoredLayer(name, "image", arrays, options)


def _picture(labels: StoredLayer, images: Sequence[StoredLayer]) -> Picture:
    data = _levels(labels.arrays)
    channels = {}
    for image in images:
        of_colours = bool(image.options.get("rgb", False))
        shape = image.arrays["data"].shape
        if (shape[:-1] if of_colours else shape) == data[0].shape:
            channels[image.name] = _channel(image, of_colours)
    scale = labels.options.get("scale")
    return Picture(
        str(labels.options.get("source", labels.name)),
        data if len(data) > 1 else data[0],
        channels,
        has_frames=data[0].ndim > 2 and "frame" in (labels.features or {}),
        scale=None if scale is None else tuple(float(step) for step in scale),
    )


def _channel(image: StoredLayer, of_colours: bool) -> Channel:
    levels = _levels(image.arrays)
    data = levels if len(levels) > 1 else levels[0]
    low, high = image.options.get("contrast_limits", (float(levels[0].min()), float(levels[0].max())))
    brightest = image.arrays["colors"][-1][:3] if "colors" in image.arrays else _named(image.options.get("colormap"))
    red, green, blue = (float(part) for part in brightest)
    return Channel(data, (low, high), None if of_colours else (red, green, blue))


def _named(colormap: Any) -> tuple[float, float, float]:
    """The brightest colour of a map of napari's that is called as its colour is; white for all others."""
    words = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1)}
    mixed = {"cyan": (0, 1, 1), "magenta": (1, 0, 1), "yellow": (1, 1, 0)}
    return {**words, **mixed}.get(str(colormap), (1, 1, 1))


def _arrays(data: Any) -> dict[str, np.ndarray]:
    finest, *coarser = (np.asarray(level) for level in pyramid(data))
    return {"data": finest, **{f"{_SCALES}{number}": level for number, level in enumerate(coarser, start=1)}}


def _levels(arrays: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    coarser = sorted((name for name in arrays if name.startswith(_SCALES)), key=lambda name: int(name[len(_SCALES) :]))
    return [arrays["data"], *(arrays[name] for name in coarser)]


def _scale(picture: Picture) -> list[float]:
    known = [float(step) for step in picture.scale or ()]
    return [1.0] * (len(picture.shape) - len(known)) + known


def _features(cells: CellTable, picture: Picture) -> pd.DataFrame | None:
    own = cells.features[cells.features.index.get_level_values("layer") == picture.name]
    if not len(own):
        return None
    rows = own.reset_index().drop(columns="layer")
    return rows if picture.has_frames else rows.drop(columns="frame")


def _frame(features: Mapping[str, Column] | None) -> pd.DataFrame:
    return pd.DataFrame({name: column.array() for name, column in (features or {}).items()})
