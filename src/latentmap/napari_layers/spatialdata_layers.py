"""Layers that napari-spatialdata has made, with the table that annotates their element."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pandas as pd
from napari.layers import Labels, Layer

from latentmap.napari_layers.layers import layer_features
from latentmap.napari_layers.source import COLOURS_KEY
from latentmap.table import MapTable, write_into_spatialdata
from latentmap.table.files.spatialdata_io import cells_of_element, is_spatialdata


def annotate(layer: Layer) -> None:
    """Give a labels layer of napari-spatialdata the features that the SpatialData's tables have of its cells.

    Features that the layer has of its own stay. A layer whose rows do not say which label they are stays as it is.

    Parameters
    ----------
    layer : napari.layers.Layer
        With "sdata" and "name", the element's, in its metadata.
    """
    if (found := _element(layer)) is None or not isinstance(layer, Labels) or not layer.features.empty:
        return
    sdata, element = found
    try:
        cells = cells_of_element(sdata, element)
    except ValueError:
        return
    if cells.colours:
        layer.metadata[COLOURS_KEY] = {**layer.metadata.get(COLOURS_KEY, {}), **cells.colours}
    layer.features = layer_features(cells)


def write_back(layers: Iterable[Layer], names: Iterable[str], made: MapTable) -> list[str]:
    """Write a map into the tables of the SpatialData objects that layers are of.

    Parameters
    ----------
    layers : iterable of napari.layers.Layer
    names : iterable of str
        The name of each layer in the keys of its cells.
    made : MapTable

    Returns
    -------
    list of str
        Sentences for the user; none if no layer is of a SpatialData.

    Raises
    ------
    ValueError, OSError
        As :func:`~latentmap.table.write_into_spatialdata` does.
    """
    elements: dict[int, tuple[Any, dict[str, str]]] = {}  # by the SpatialData, which cannot be hashed
    told: list[str] = []
    for layer, name in zip(layers, names, strict=True):
        if (found := _element(layer)) is None:
            continue
        if isinstance(layer, Labels):
            elements.setdefault(id(found[0]), (found[0], {}))[1][name] = found[1]
        else:
            # Points and shapes are numbered by the layer, not by their table.
            told.append(f'"{layer.name}" is not written into the SpatialData: only labels are.')
    for sdata, renamed in elements.values():
        rows: pd.DataFrame = made.rows[made.rows["layer"].isin([*renamed])]
        if len(rows):
            own = replace(made, rows=rows.assign(layer=rows["layer"].map(renamed)).reset_index(drop=True))
            labels = [*sdata.labels]
            told += write_into_spatialdata(sdata, own, layer=labels[0] if len(labels) == 1 else "")
    return told


def _element(layer: Layer) -> tuple[Any, str] | None:
    """The SpatialData that a layer is of, and the name of its element."""
    sdata, element = layer.metadata.get("sdata"), layer.metadata.get("name")
    return (sdata, str(element)) if element and is_spatialdata(sdata) else None
