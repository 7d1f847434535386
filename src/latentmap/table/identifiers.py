"""Columns that identify a cell or image, or locate the cell, and measure nothing of it."""

import re
from functools import lru_cache

from latentmap.table.key_columns import is_key

_NUMBERED = {"image", "object", "table", "row", "cell", "plate", "well", "site", "field", "track"}
_NUMBERS = {*_NUMBERED, "index", "id", "col", "column", "fov", "slide", "slice"} - {"object", "table", "cell"}
_AXES = {"x", "y", "z"}
# With ImageJ's centre of mass, and the corner of its bounding box.
_PLACES = {*_AXES, "xm", "ym", "zm", "bx", "by", "bz"}
_WHERE = {"centroid", "center", "centre", "location", "position", "pos", "coord", "coordinate", "bounding", "bbox"}
_CORNERS = {"centroid", "bbox"}
# "ImageNumber" has two, and so have "CENTROID_X" and "centroid-0".
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@lru_cache(1 << 17)
def is_identifier(name: str) -> bool:
    """Return whether a column's name stands for the number of a cell, image or row, or for a place in the image.

    A map of such numbers would show the order of the table, or the image itself.

    Examples
    --------
    >>> [is_identifier(name) for name in ("ImageNumber", "Unnamed: 0", "track_id", "centroid-0", "AreaShape_Center_X")]
    [True, True, True, True, True]
    >>> [is_identifier(name) for name in ("area", "mitotic index", "distance to centroid", "Children_Spots_Count")]
    [False, False, False, False]
    """
    parts = [part.lower() for part in _PART.findall(name)]
    words = [part for part in parts if not part.isdigit()]
    if not words or is_key(name):
        return is_key(name)
    if parts == words[:1]:
        return words[0] in _NUMBERS | _PLACES | {"centroid"}
    # Pandas' names of an index, scikit-image's of the axes of a place, CellProfiler's of what it did not measure.
    is_index = words == ["unnamed"] or parts == ["level", "0"] or words[0] == "metadata"
    is_place = bool(_AXES & {*words} and _WHERE & {*words}) or (len(parts) > len(words) and words[0] in _CORNERS)
    return is_index or is_place or (len(words) > 1 and _is_number(*words[-2:]))


def _is_number(of: str, last: str) -> bool:
    return last == "id" or (last in ("number", "no", "nr", "index") and of in _NUMBERED)
