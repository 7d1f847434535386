"""The viewer's layers in a session file, and back."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from napari.layers import Image, Labels, Layer, Points, Surface, Tracks

from latentmap.napari_plugin.source import OWN
from latentmap.session import StoredLayer

LARGEST = 4_000_000_000
"""How many bytes a layer may have to be kept."""

_KINDS: dict[str, type[Layer]] = {
    "image": Image,
    "labels": Labels,
    "points": Points,
    "tracks": Tracks,
    "surface": Surface,
}
_PLACED = ("scale", "translate", "shear")
_SHOWN: dict[str, tuple[str, ...]] = {
    "image": ("opacity", "blending", "visible", "contrast_limits", "gamma"),
    "labels": ("opacity", "blending", "visible"),
    "points": ("opacity", "blending", "visible"),
    "tracks": ("opacity", "blending", "visible"),
    "surface": ("opacity", "blending", "visible"),
}


def stored_layers(layers: Iterable[Layer]) -> tuple[list[StoredLayer], list[str]]:
    """Take up layers for a session file.

    Parameters
    ----------
    layers : iterable of napari.layers.Layer
        Those that latentmap made itself are passed over: they are made anew.

    Returns
    -------
    stored : list of StoredLayer
    left_out : list of str
        A sentence for each layer that is not kept, and why.
    """
    stored, left_out = [], []
    for layer in layers:
        if OWN in layer.metadata:
            continue
        kind = next((kind for kind, one in _KINDS.items() if type(layer) is one), None)
        size = sum(int(np.prod(array.shape)) * np.dtype(array.dtype).itemsize for array in _arrays(layer).values())
        if kind is None:
            left_out.append(f'Not kept: "{layer.name}", because it is a {type(layer).__name__} layer.')
        elif size > LARGEST:
            left_out.append(f'Not kept: "{layer.name}", because it has {size / 1e9:.1f} GB; open it yourself.')
        else:
            stored.append(_stored(layer, kind))
    return stored, left_out


def read_layers(viewer: Any, stored: Sequence[StoredLayer]) -> None:
    """Add the layers of a session file that are not open yet.

    A layer counts as open if one of its name and shape is.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
    stored : sequence of StoredLayer

    Raises
    ------
    ValueError
        If a layer is of a kind that is not known, or cannot be made; the layers before it are open then.
    """
    for one in stored:
        if one.kind not in _KINDS:
            raise ValueError(f'The layer "{one.name}" of the session is a "{one.kind}", which is not known here.')
        if not _is_open(viewer, one):
            viewer.add_layer(_layer(one))


def _is_open(viewer: Any, one: StoredLayer) -> bool:
    if one.name not in viewer.layers:
        return False
    layer = viewer.layers[one.name]
    shapes = {name: array.shape for name, array in _arrays(layer).items()}
    return type(layer) is _KINDS[one.kind] and shapes == {name: array.shape for name, array in one.arrays.items()}


def _arrays(layer: Layer) -> dict[str, Any]:
    if isinstance(layer, Surface):
        return {"vertices": layer.vertices, "faces": layer.faces}
    if getattr(layer, "multiscale", False):
        return {"data": layer.data[0]}
    return {"data": layer.data} if hasattr(layer.data, "dtype") else {}


def _stored(layer: Layer, kind: str) -> StoredLayer:
    shown = {name: _plain(getattr(layer, name)) for name in (*_PLACED, *_SHOWN[kind])}
    options: dict[str, Any] = {
        "placed": {name: shown[name] for name in _PLACED},
        "affine": _plain(layer.affine.affine_matrix),
        "units": [str(unit) for unit in layer.units],
        "axis_labels": list(layer.axis_labels),
        "shown": {name: shown[name] for name in _SHOWN[kind]},
    }
    if isinstance(layer, Image):
        options |= {"rgb": bool(layer.rgb), "colormap": layer.colormap.name}
    if isinstance(layer, Points):
        options["size"] = _plain(layer.size)
    if hasattr(layer, "features"):
        options["features"] = _columns(layer.features)
    arrays = {name: np.array(array) for name, array in _arrays(layer).items()}
    return StoredLayer(layer.name, kind, arrays, options)


def _layer(one: StoredLayer) -> Layer:
    options = dict(one.options)
    try:
        shown = {name: tuple(value) if isinstance(value, list) else value for name, value in options["shown"].items()}
        settings: dict[str, Any] = {
            **options["placed"],
            **shown,
            "affine": np.array(options["affine"], dtype=float),
            "units": tuple(options["units"]),
            "axis_labels": tuple(options["axis_labels"]),
            "name": one.name,
        }
        settings |= {name: options[name] for name in ("rgb", "colormap", "size") if name in options}
        if "features" in options:
            settings["features"] = pd.DataFrame(options["features"])
        data: Any = one.arrays["data"] if one.kind != "surface" else (one.arrays["vertices"], one.arrays["faces"])
        return _KINDS[one.kind](data, **settings)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f'The layer "{one.name}" of the session cannot be opened: {error}.') from error


def _columns(features: pd.DataFrame) -> dict[str, list[Any]]:
    return {str(name): _plain(features[name].to_numpy()) for name in features}


def _plain(value: Any) -> Any:
    """The same in lists, numbers and text."""
    if isinstance(value, np.ndarray):
        return [_plain(part) for part in value.tolist()]
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return None if pd.isna(value) else str(value)
