"""Where cells lie in their images: by columns of their table, or by the boxes around them in the labels."""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from latentmap.images.crops import Crops
from latentmap.table.identifiers import is_identifier
from latentmap.table.mappable import numeric

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# As in tables, and as scikit-image numbers the axes of a flat image and of a volume.
_AXES = ("z", "y", "x")
# Corners and diameters; places in the box around the cell, or in an atlas; and places whose first number is x, not y.
_CORNERS = {"bbox", "bounding", "min", "max", "feret", "local", "atlas", "allen", "spatial"}
_FLAT, _SOLID = {"0": "y", "1": "x"}, {"0": "z", "1": "y", "2": "x"}


def place_columns(features: pd.DataFrame) -> list[str]:
    """Return the columns with the cells' places in their images, (z,) y and x; none if there are no such columns.

    Examples
    --------
    >>> place_columns(pd.DataFrame({"area": [4.0], "centroid-0": [7.0], "centroid-1": [9.0]}))
    ['centroid-0', 'centroid-1']
    >>> place_columns(pd.DataFrame({"X_centroid": [4.0], "Y_centroid": [7.0], "Y": [1.0]}))
    ['Y_centroid', 'X_centroid']
    """
    groups: dict[tuple[str, ...], dict[str, str]] = {}
    for name in numeric(features):
        parts = [part.lower() for part in _PARTS.findall(name)]
        axes = [part for part in parts if part in (*_AXES, *_SOLID)]
        if is_identifier(name) and len(axes) == 1 and not _CORNERS & {*parts}:
            place = parts.index(axes[0])
            groups.setdefault((*parts[:place], "", *parts[place + 1 :]), {})[axes[0]] = name
    for columns in groups.values():
        words = _SOLID if "2" in columns else _FLAT
        named = {words.get(axis, axis): name for axis, name in columns.items()}
        if {"x", "y"} <= {*named}:
            return [named[axis] for axis in _AXES if axis in named]
    return []


def cell_places(features: pd.DataFrame, crops: Mapping[str, Crops]) -> np.ndarray:
    """Return where cells lie in their images.

    Parameters
    ----------
    features : pandas.DataFrame
        By the cells' keys (layer, frame, label).
    crops : mapping of str to Crops
        Of the layers whose labels are at hand. They count where the table has no columns of places.

    Returns
    -------
    ndarray of float64, shape (n_cells, 2 or 3)
        In the units of the table, or in those of the spacing of the labels (plane, row and column of the middle of the
        box); NaN where unknown.
    """
    if columns := place_columns(features):
        return features[columns].to_numpy(dtype=float, na_value=np.nan)
    keys = features.index
    layers, frames, labels = (np.asarray(keys.get_level_values(part)) for part in ("layer", "frame", "label"))
    places = np.full((len(keys), 3), np.nan)
    for layer, frame in pd.MultiIndex.from_arrays([layers, frames]).unique():
        if layer in crops:
            rows = np.flatnonzero((layers == layer) & (frames == frame))
            boxes = crops[layer].boxes.of(int(frame))
            found = np.searchsorted(boxes.labels, labels[rows])
            is_there = np.append(boxes.labels, -1)[found] == labels[rows]
            rows, found = rows[is_there], found[is_there]
            middle = (boxes.lows[found] + boxes.highs[found] - 1) / 2
            places[rows] = np.column_stack([boxes.planes[found], middle]) * crops[layer].spacing
    return places
