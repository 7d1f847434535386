"""Columns that measure nothing of a cell: they identify or locate it, say when it was seen, or number its group."""

import re
from collections.abc import Collection
from functools import lru_cache

from latentmap.table.key_columns import is_key

_NUMBERED = {"image", "object", "table", "row", "cell", "plate", "well", "site", "field", "track", "file", "tile"}
_NUMBERS = _NUMBERED - {"table", "cell"} | {"index", "id", "col", "column", "fov", "slide", "slice", "plane", "channel"}
_NUMBERS |= {"event", "counter", "ch", "imageid", "fileid", "lineage", "root", "parent"}
_NUMBERS |= {"trajectory", "region", "roi", "labels"}
_TIMES = {"time", "timepoint", "timestep", "frame", "timestamp"}
# Imaris says so when a track begins and ends, TrackMate does likewise.
_ENDS_OF_TRACKS = (["birth", "s"], ["death", "s"], ["track", "start"], ["track", "stop"])
_UNITS_OF_TIME = {"s", "sec", "seconds", "min", "minutes", "h", "hours", "ms", "index", "number", "no", "nr", "idx"}
_AXES = {"x", "y", "z"}
# With ImageJ's centre of mass, and the corner of its bounding box.
_PLACES = {*_AXES, "xm", "ym", "zm", "bx", "by", "bz", "xmin", "xmax", "ymin", "ymax", "zmin", "zmax"}
_WHERE = {"centroid", "center", "centre", "location", "position", "pos", "coord", "coordinate", "bounding", "bbox"}
# InCarta's centre of gravity, and "Atlas_X" or "Allen CCFv3 X mm" of a brain.
_WHERE = {*_WHERE, "feret", "ellipse", "cg", "atlas", "allen"}
# What is said of an axis on which a place is given: "x_um", "stage_y", "XMin".
_OF_AXIS = {"um", "µm", "μm", "mm", "nm", "px", "pixel", "pixels", "micron", "microns", "min", "max"}
_OF_AXIS = {*_OF_AXIS, "global", "local", "stage", "slide", "absolute", "abs", "image", "fov"}
_CORNERS = {"centroid", "bbox", "spatial"}
# ilastik's places, of which the axes are numbered: "Object Center_0".
_NUMBERED_PLACES = [{"object", "center"}, {"center", "of", "the", "object"}]
_NUMBERED_PLACES += [{"bounding", "box", "minimum"}, {"bounding", "box", "maximum"}]
# CellProfiler's number of the object that this one lies in: "Parent_FilteredNuclei".
_PARENT = re.compile(r"(?:.*_)?parent_[a-z]*(?:s|nuclei|cytoplasm)\d*", re.IGNORECASE)
# What numbers may be the names of.
_NAMED = {"sample", "image", "file", "slide", "plate", "well", "row"}
_CLUSTERS = {"cluster", "metacluster"}
# Whose clusters they are: others are counted or measured, as in "n_clusters" and "actin clusters".
_OF_CLUSTERS = ({"seurat", "clusters"}, {"clusters"}, {"metaclusters"}, {"cell", "clusters"})
# After "cluster", what says which one it is.
_NUMBERING = {"label", "labels", "number", "no", "nr", "idx", "index"}
_CLUSTERINGS = ("leiden", "louvain", "phenograph", "flowsom", "kmeans", "hdbscan")
# "ImageNumber" has two, and so have "CENTROID_X" and "centroid-0".
_PART = re.compile(r"[A-Zµμ]+(?![a-zµμ])|[A-Z]?[a-zµμ]+|\d+")
# A further column of the same name.
_REPEATED = re.compile(r"(.*[^\W\d].*)\.\d+")


@lru_cache(1 << 17)
def is_identifier(name: str) -> bool:
    """Return whether a column's name stands for the number of a cell, image or row, a place in the image or a time.

    A map of such numbers would show the order of the table, or the image itself.

    Examples
    --------
    >>> [is_identifier(name) for name in ("ImageNumber", "Unnamed: 0", "track_id", "centroid-0", "AreaShape_Center_X")]
    [True, True, True, True, True]
    >>> [is_identifier(name) for name in ("area", "mitotic index", "distance to centroid", "Children_Spots_Count")]
    [False, False, False, False]
    """
    words, has_number = _words(name)
    if not words or is_key(name):
        return is_key(name) or not name.strip()
    if len(words) == 1 and not has_number:
        # Only a small t: T is a gene.
        return words[0] in _NUMBERS | _PLACES | _TIMES | {"centroid", "rownames", "rowname"} or name == "t"
    # Pandas' names of an index, CellProfiler's of what it did not measure.
    is_index = words == ["unnamed"] or (words == ["level"] and name.endswith("_0")) or words[0] == "metadata"
    is_number = _is_number(words) or _PARENT.fullmatch(name) is not None
    return is_index or is_number or _is_place(words, has_number) or _is_time(words, has_number)


def identifiers_among(names: Collection[str]) -> set[str]:
    """Return the names that stand for identifiers, places or times, repeated ones such as "X.1" beside "X" included.

    Examples
    --------
    >>> sorted(identifiers_among(["X", "X.1", "label.1", "area", "area.1", "Y.1"]))
    ['X', 'X.1', 'label.1']
    """
    found = {name for name in names if is_identifier(name)}
    # The first column of labels is the key, and so no feature.
    repeats = {name for name in names if (one := _REPEATED.fullmatch(name)) and (one[1] in found or is_key(one[1]))}
    return found | repeats


def is_time(name: str) -> bool:
    """Return whether a column's name says when a cell was seen.

    Examples
    --------
    >>> [is_time(name) for name in ("Frame", "Nuclei - Timepoint", "t", "doubling time")]
    [True, True, True, False]
    """
    words, has_number = _words(name)
    is_one_word = len(words) == 1 and not has_number
    return (is_one_word and words[0] in {*_TIMES, "t"}) or _is_time(words, has_number)


@lru_cache(1 << 17)
def is_cluster(name: str) -> bool:
    """Return whether a column's name stands for the groups that a clustering has found.

    A map of their numbers would show that clustering.

    Examples
    --------
    >>> [is_cluster(name) for name in ("leiden", "seurat_clusters", "RNA_snn_res.0.8", "spatial_kmeans", "leiden_0.5")]
    [True, True, True, True, True]
    >>> [is_cluster(name) for name in ("cluster_size", "distance_to_cluster", "clustering coefficient", "CLU")]
    [False, False, False, False]
    """
    words, _ = _words(name)
    if not words or "distance" in words:
        return False
    letters = "".join(words)
    is_of_method = any(letters.startswith(method) or letters.endswith(method) for method in _CLUSTERINGS)
    is_numbered = len(words) == 2 and words[0] in _CLUSTERS and words[1] in _NUMBERING
    is_of_seurat = "res" in words and any(graph in letters for graph in ("snn", "wknn"))
    return words[-1] in _CLUSTERS or {*words} in _OF_CLUSTERS or is_numbered or is_of_method or is_of_seurat


def _words(name: str) -> tuple[list[str], bool]:
    """The words of a name in small letters, and whether there are numbers beside them."""
    before, _, after = name.partition(":")
    # CODEX writes "region:region".
    name = before if before == after else name
    parts = [part.lower() for part in _PART.findall(name)]
    words = [part for part in parts if not part.isdigit()]
    return words, len(parts) > len(words)


def _is_place(words: list[str], has_number: bool) -> bool:
    named = {*words}
    is_of_axis = bool(_AXES & named) and (bool(_WHERE & named) or (len(words) > 1 and named <= _AXES | _OF_AXIS))
    # scikit-image numbers the axes of a place, and may say before that how pixels were weighted.
    is_numbered = has_number and bool(_CORNERS & {words[0], words[-1]}) and "distance" not in named
    # Of spots of Visium, too: "array_row", "pxl_col_in_fullres".
    is_of_grid = bool({"centroid", "array", "pxl"} & named) and bool({"row", "column", "col"} & named)
    is_of_ilastik = has_number and named in _NUMBERED_PLACES
    # Harmony's "Nuclei - Track Point X [µm]", and MorphoLibJ's "Box.X.Min": the X-box is a piece of DNA.
    is_of_track = {"track", "point"} <= named and bool(_AXES & named)
    is_of_box = "box" in named and bool(_AXES & named) and bool({"min", "max"} & named)
    # InCarta's "Nucleus Max left border wv1".
    is_border = {"max", "border"} <= named and bool({"left", "right", "top", "bottom"} & named)
    is_of_program = is_of_ilastik or is_of_track or is_of_box or is_border
    return is_of_axis or is_numbered or is_of_grid or is_of_program


def _is_time(words: list[str], has_number: bool) -> bool:
    is_given = len(words) > 1 and words[0] in _TIMES and {*words[1:]} <= _UNITS_OF_TIME
    # Harmony's "Nuclei - Timepoint": "area timepoint 2" is measured then.
    is_of_object = len(words) > 1 and words[-1] == "timepoint" and not has_number
    named = (["time", "point"], ["elapsed", "time"], ["position", "t"], *_ENDS_OF_TRACKS)
    return is_given or is_of_object or words in named


def _is_number(words: list[str]) -> bool:
    *_, of, last = ["", *words]
    is_number = last in ("number", "no", "nr", "index") and of in _NUMBERED
    is_number |= last == "num" and of in _NUMBERED - {"cell", "object"}
    # Harmony's "Nuclei - Object No in Cells".
    is_of_other = "object no in " in " ".join(words)
    # FlowJo's, of files put together.
    is_number |= words == ["event", "number", "dp"]
    # "ID of track" is CELLMIA's, "TrackObjects_Label_15" CellProfiler's.
    is_id = last == "id" or words[:2] == ["id", "of"] or words[-3:] == ["track", "objects", "label"]
    # inForm's "Sample Name" and R's "row.names".
    is_name = last in ("name", "names") and of in _NAMED
    return len(words) > 1 and (is_id or is_number or is_of_other or is_name)
