"""The viewer's layers, to and from session files."""

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from napari.components import ViewerModel
from napari.layers import Image, Labels, Layer, Points, Shapes, Surface, Tracks
from napari.utils.colormaps import AVAILABLE_COLORMAPS, Colormap

from latentmap.napari_layers.layer_writing import CLASSES_KEY, COLUMNS_KEY
from latentmap.napari_layers.measured_labels import IN_FRAMES, stored_reference, take_reference
from latentmap.napari_layers.pairs import restore, stored_pairs
from latentmap.napari_layers.source import OWNED_KEY, Source
from latentmap.session import LayerSnapshot
from latentmap.session.columns import StoredColumn
from latentmap.session.snapshot import too_large
from latentmap.table.matching import middle

_TRANSFORM = ("scale", "translate", "rotate", "shear", "affine", "axis_labels", "units")
_APPEARANCE = ("opacity", "blending", "visible")
_SCALES = "data_"
_Json = bool | int | float | str | list["_Json"]
# The options of labels that hold what `stored_pairs` returns.
_PAIRS = ("images", "measured")
# The options of what was written to a layer, and the entries of its metadata that hold it.
_WRITTEN = {"map_columns": COLUMNS_KEY, "class_names": CLASSES_KEY}


class _Kind(NamedTuple):
    """What is stored of a kind of layer besides its data: options, in JSON, and arrays."""

    layer: type[Layer]
    options: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()


_KINDS: dict[str, _Kind] = {
    "image": _Kind(
        Image, ("rgb", "contrast_limits", "gamma", "interpolation2d", "rendering", "colormap"), ("colors", "controls")
    ),
    "labels": _Kind(Labels),
    "points": _Kind(Points, ("symbol",), ("size", "face_color", "border_color", "border_width", "shown")),
    "tracks": _Kind(Tracks, ("tail_length", "tail_width", "head_length", "graph")),
    "surface": _Kind(
        Surface,
        ("contrast_limits", "gamma", "shading", "colormap"),
        ("vertices", "faces", "values", "colors", "controls"),
    ),
    "shapes": _Kind(Shapes, ("shape_type",), ("corners", "face_color", "edge_color", "edge_width", "z_index")),
}


class LayerCopy(NamedTuple):
    """A copy of a layer, made when the user asked to save it; data that are not in memory have yet to be read."""

    name: str
    kind: str
    arrays: dict[str, Any]
    options: dict[str, Any]
    features: pd.DataFrame | None

    def stored(self) -> LayerSnapshot:
        """Read the arrays, in any thread.

        Raises
        ------
        ValueError
            If they cannot be read, or a column of the features cannot be stored.
        """
        try:
            arrays = {name: np.asarray(array) for name, array in self.arrays.items()}
        # Lazy arrays may raise anything that reading or computing them raises.
        except Exception as error:
            raise ValueError(f'The layer "{self.name}" cannot be read: {error}') from error
        columns = None if self.features is None else {str(name): self._column(name) for name in self.features}
        return LayerSnapshot(self.name, self.kind, arrays, self.options, columns)

    def _column(self, name: Hashable) -> StoredColumn:
        assert self.features is not None
        try:
            return StoredColumn.of(self.features[name])
        except ValueError as error:
            raise ValueError(f'Features of the layer "{self.name}": {error}') from error


def copied_layers(layers: Iterable[Layer], sources: Sequence[Source] = ()) -> tuple[list[LayerCopy], list[str]]:
    """Copy layers for a session file, without reading data that are not in memory.

    Parameters
    ----------
    layers : iterable of napari.layers.Layer
        Those that latentmap has made are skipped, as they are made again from the session.
    sources : sequence of Source
        The linked layers of cells, whose names in the keys of cells are stored, too.

    Returns
    -------
    taken : list of LayerCopy
        The copies.
    left_out : list of str
        A sentence for each layer that cannot be stored.
    """
    taken, left_out, layers = [], [], list(layers)
    source_of = {source.layer: source for source in sources}
    for layer in layers:
        if OWNED_KEY in layer.metadata:
            continue
        kind = next((name for name, one in _KINDS.items() if type(layer) is one.layer), None)
        if kind is None:
            left_out.append(f'Not kept: "{layer.name}", because {type(layer).__name__} layers are not supported.')
            continue
        arrays = _arrays(layer)
        if sentence := too_large(layer.name, arrays):
            left_out.append(sentence)
        elif any(np.dtype(array.dtype).kind not in "biuf" for array in arrays.values()):
            left_out.append(f'Not kept: "{layer.name}", because its data are not real numbers.')
        else:
            taken.append(_taken(layer, kind, arrays, source_of.get(layer)))
            taken[-1].options.update(stored_pairs(layer, layers) if isinstance(layer, Labels) else {})
    return taken, left_out


def made_layers(stored: Sequence[LayerSnapshot]) -> list[Layer]:
    """Make the layers of a session file, without adding them to a viewer.

    Raises
    ------
    ValueError
        If a layer is of an unknown kind, or napari cannot show it.
    """
    return [_layer(one) for one in stored]


def open_layers(viewer: ViewerModel, made: Sequence[Layer], stored: Sequence[LayerSnapshot]) -> dict[str, Layer]:
    """Add layers to a viewer, except those already open, with the same name, kind and data.

    Layers already open keep their features, if they have any.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
    made : sequence of napari.layers.Layer
        What `made_layers` has returned.
    stored : sequence of LayerSnapshot
        What they were made from.

    Returns
    -------
    dict of str to napari.layers.Layer
        The layers in the viewer, by their names in the keys of cells.
    """
    found, named = {}, {}
    for layer, one in zip(made, stored, strict=True):
        there = next((old for old in viewer.layers if old.name == layer.name and _is_same(old, layer)), None)
        if there is None:
            there = viewer.add_layer(layer)
        elif one.features is not None and there.features.empty:
            there.metadata.update(layer.metadata)
            there.features = layer.features
        found[one.options.get("source", one.name)] = named[one.name] = there
    images = {name: layer for name, layer in named.items() if isinstance(layer, Image)}
    for one in stored:
        if isinstance(labels := named[one.name], Labels):
            restore(labels, one.options, images)
    return found


def _arrays(layer: Layer) -> dict[str, Any]:
    """The arrays that a layer is made of, neither copied nor read."""
    if isinstance(layer, Surface):
        return {"vertices": layer.vertices, "faces": layer.faces, "values": np.asarray(layer.vertex_values)}
    if isinstance(layer, Shapes):
        corners = [np.asarray(corners, dtype=float) for corners in layer.data]
        numbered = [np.column_stack([np.full(len(each), number), each]) for number, each in enumerate(corners)]
        return {"corners": np.concatenate([np.empty((0, 1 + layer.ndim)), *numbered])}
    if getattr(layer, "multiscale", False):
        finest, *coarser = layer.data
        return {"data": finest, **{f"{_SCALES}{number}": data for number, data in enumerate(coarser, start=1)}}
    return {"data": layer.data}


def _taken(layer: Layer, kind: str, arrays: dict[str, Any], source: Source | None) -> LayerCopy:
    options: dict[str, Any] = {
        name: _to_json(getattr(layer, name)) for name in (*_TRANSFORM, *_APPEARANCE, *_KINDS[kind].options)
    }
    options["affine"] = _to_json(np.asarray(layer.affine.affine_matrix))
    options["units"] = [str(unit) if re.fullmatch(_UNIT, str(unit)) else "pixel" for unit in layer.units]
    options |= {name: list(layer.metadata[key]) for name, key in _WRITTEN.items() if key in layer.metadata}
    if source is not None:
        options["source"], options["opacity"] = source.name, source.opacity
    if "colormap" in options:
        options["colormap"] = layer.colormap.name
        if layer.colormap.name not in AVAILABLE_COLORMAPS:
            arrays = {**arrays, "colors": layer.colormap.colors, "controls": layer.colormap.controls}
    if isinstance(layer, Tracks):
        options["graph"] = {str(track): _to_json(parents) for track, parents in layer.graph.items()}
    if isinstance(layer, Labels):
        measured, how = stored_reference(layer)
        arrays, options = {**arrays, **measured}, {**options, **how}
    made = ("vertices", "faces", "values", "corners", "colors", "controls")
    arrays |= {name: np.asarray(getattr(layer, name)) for name in _KINDS[kind].arrays if name not in made}
    if kind != "image":
        # The user may paint or move things while the file is written.
        arrays = {name: array.copy() if isinstance(array, np.ndarray) else array for name, array in arrays.items()}
    features = layer.features.copy() if hasattr(layer, "features") else None
    return LayerCopy(layer.name, kind, arrays, options, features)


def _is_same(old: Layer, new: Layer) -> bool:
    if type(old) is not type(new) or OWNED_KEY in old.metadata:
        return False
    arrays, others = _arrays(old), _arrays(new)
    return arrays.keys() == others.keys() and all(
        array.shape == others[name].shape and _are_equal(array, others[name]) for name, array in arrays.items()
    )


def _are_equal(array: Any, other: Any) -> bool:
    """Whether two arrays are the same; of one that is not in memory, only a part is read."""
    if not isinstance(array, np.ndarray):
        part = middle(array.shape)
        array, other = np.asarray(array[part]), np.asarray(other[part])
    return np.array_equal(array, other, equal_nan=array.dtype.kind == "f")


def _layer(one: LayerSnapshot) -> Layer:
    try:
        return _checked(one)
    # napari may raise anything for data that it cannot show.
    except Exception as error:
        raise ValueError(f'Its layer "{one.name:.60}" cannot be shown: {str(error).splitlines()[0]:.200}.') from error


def _checked(one: LayerSnapshot) -> Layer:
    if one.kind not in _KINDS:
        raise ValueError(f'layers of the kind "{one.kind:.60}" are unknown')
    kind, options, arrays = _KINDS[one.kind], dict(one.options), dict(one.arrays)
    if unknown := options.keys() - {*_TRANSFORM, *_APPEARANCE, *kind.options, *_PAIRS, *_WRITTEN, IN_FRAMES, "source"}:
        raise ValueError(f"unknown options: {', '.join(sorted(unknown))}")
    for name, value in options.items():
        _OPTIONS.get(name, _check_json)(value)
    if wrong := [name for name, array in arrays.items() if array.dtype.kind not in "biuf"]:
        raise ValueError(f"{wrong[0]} does not hold real numbers")
    if not isinstance(options.pop("source", ""), str):
        raise ValueError("its name in the keys of cells is not a text")
    for name in _PAIRS:
        options.pop(name, None)
    metadata: dict[str, Any] = {key: tuple(options.pop(name)) for name, key in _WRITTEN.items() if name in options}
    metadata |= take_reference(arrays, options)
    settings: dict[str, Any] = {name: _to_napari(name, value) for name, value in options.items()}
    settings["name"], settings["metadata"] = one.name, metadata
    if one.features is not None:
        settings["features"] = pd.DataFrame({name: column.array() for name, column in one.features.items()})
    colours = {name: arrays.pop(name) for name in ("colors", "controls") if name in arrays}
    if colours:
        settings["colormap"] = Colormap(colours["colors"], controls=colours["controls"], name=options["colormap"])
    data = _data(one.kind, arrays, settings)
    if unknown := arrays.keys() - set(kind.arrays):
        raise ValueError(f"unknown arrays: {', '.join(sorted(unknown))}")
    return kind.layer(data, **settings, **arrays)


def _data(kind: str, arrays: dict[str, Any], settings: dict[str, Any]) -> Any:
    """Take a layer's data from its arrays, and add the settings that belong to them."""
    if kind == "surface":
        return arrays.pop("vertices"), arrays.pop("faces"), arrays.pop("values")
    if kind == "shapes":
        corners, widths = arrays.pop("corners"), arrays.pop("edge_width")
        settings["edge_width"], settings["z_index"] = widths.tolist(), arrays.pop("z_index").tolist()
        settings["ndim"] = corners.shape[1] - 1
        return [corners[corners[:, 0] == number, 1:] for number in range(len(settings["shape_type"]))]
    data = arrays.pop("data")
    coarser = [arrays.pop(f"{_SCALES}{number}") for number in range(1, 1 + sum(_SCALES in name for name in arrays))]
    if kind not in ("image", "labels"):
        return data
    settings["multiscale"] = len(coarser) > 0
    return [data, *coarser] if coarser else data


_UNIT = r"[^\W\d]{1,40}"


def _check_json(value: object) -> None:
    """Accept only strings, finite numbers, booleans, and lists of these."""
    if isinstance(value, list):
        for part in value:
            _check_json(part)
    elif isinstance(value, str):
        if len(value) > 200:
            raise ValueError("a text is too long")
    elif not (isinstance(value, bool | int | float) and math.isfinite(value)):
        raise ValueError(f"{value!r:.40} is not a valid option")


def _check_units(value: object) -> None:
    """Accept only plain names, because pint evaluates the names of units as expressions."""
    if not (isinstance(value, list) and all(isinstance(unit, str) and re.fullmatch(_UNIT, unit) for unit in value)):
        raise ValueError(f"{value!r:.60} are not valid units")


def _check_pairs(value: object) -> None:
    _check_json(value)
    if not (isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value)):
        raise ValueError(f"{value!r:.60} are not valid pairs of images and channels")


def _check_names(value: object) -> None:
    if not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        raise ValueError(f"{value!r:.60} are not valid names")


def _check_colormap(value: object) -> None:
    if not isinstance(value, str) or len(value) > 200:
        raise ValueError(f"{value!r:.60} is not a valid colour map")


def _check_graph(value: object) -> None:
    if not (isinstance(value, Mapping) and all(re.fullmatch(r"\d{1,18}", track) for track in value)):
        raise ValueError("the graph of its tracks is not valid")
    for parents in value.values():
        _check_json(parents)


_OPTIONS: dict[str, Callable[[object], None]] = {
    "units": _check_units,
    "colormap": _check_colormap,
    "graph": _check_graph,
    **dict.fromkeys(_PAIRS, _check_pairs),
    **dict.fromkeys(_WRITTEN, _check_names),
}


def _to_napari(name: str, value: Any) -> Any:
    """An option in the type that napari expects."""
    if name == "graph":
        return {int(track): parents for track, parents in value.items()}
    if name in ("affine", "rotate"):
        return np.array(value, dtype=float)
    if name == "colormap":
        return value if value in AVAILABLE_COLORMAPS else "gray"
    return tuple(value) if isinstance(value, list) and name in (*_TRANSFORM, "contrast_limits") else value


def _to_json(value: object) -> _Json:
    """A value as lists, numbers and strings, for JSON."""
    if isinstance(value, np.ndarray):
        return _to_json(value.tolist())
    if isinstance(value, list | tuple):
        return [_to_json(part) for part in value]
    if isinstance(value, np.generic):
        return _to_json(value.item())
    return value if isinstance(value, bool | int | float) else str(value)
