"""Sets of features in a table: its own columns, components such as ``X_pca`` or ``PC_1``, an AnnData's ``layers``."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from latentmap.table.found_maps import component_stem, is_picture

TABLE = "table columns"
"""The name of the set of all columns that belong to no other."""
ALL = "all of these"
"""The name of the set of all features, where there are several sets."""

_ARRAY = re.compile(r"(?P<key>X_.+)(?P<axis>_\d+)")
_LAYER = re.compile(r"(?P<name>.+) \[layer (?P<key>.+)\]")
# Fewer columns are more likely a map; in a table, features beside others, such as modes of the cells' shape.
_FEWEST = 3
_FEWEST_IN_TABLE = 5


class FeatureSet(NamedTuple):
    """Features that belong together.

    Attributes
    ----------
    name : str
        As the user knows it: "table columns", "X_pca", "PC", 'layer "counts"'.
    columns : tuple of str
        Its features.
    is_array : bool
        Whether it is an array of ``obsm``, or components in a table: the columns share one scale, so that they are not
        scaled each by itself. Components of noise would else count as much as the first.
    """

    name: str
    columns: tuple[str, ...]
    is_array: bool = False


def feature_sets(names: Iterable[str]) -> list[FeatureSet]:
    """Sort features into the sets that they belong to, by their names.

    Parameters
    ----------
    names : iterable of str

    Returns
    -------
    list of FeatureSet
        First the table's own columns, if there are any; last, if there are several sets, one of all features.

    Examples
    --------
    >>> names = ["CD3E", "CD3E [layer counts]", "X_pca_1", "X_pca_2", "X_pca_3", "X_umap_1", "X_umap_2"]
    >>> [(one.name, len(one.columns)) for one in feature_sets(names)]
    [('table columns', 3), ('X_pca', 3), ('layer "counts"', 1), ('all of these', 7)]
    >>> [(one.name, len(one.columns)) for one in feature_sets(["nCount_RNA", *(f"PC_{i}" for i in range(1, 31))])]
    [('table columns', 1), ('PC', 30), ('all of these', 31)]
    """
    names = list(names)
    arrays: dict[str, list[str]] = {}
    components: dict[str, list[str]] = {}
    layers: dict[str, list[str]] = {}
    by_kind = {"array": arrays, "components": components, "layer": layers}
    for name in names:
        kind, key = _place(name)
        if kind:
            by_kind[kind].setdefault(key, []).append(name)
    arrays = {key: columns for key, columns in arrays.items() if len(columns) >= _FEWEST}
    arrays |= {key: columns for key, columns in components.items() if len(columns) >= _FEWEST_IN_TABLE}
    others = [FeatureSet(key, tuple(columns), True) for key, columns in arrays.items()]
    others += [FeatureSet(f'layer "{key}"', tuple(columns)) for key, columns in layers.items()]
    taken = {column for one in others for column in one.columns}
    own = tuple(name for name in names if name not in taken)
    found = [*([FeatureSet(TABLE, own)] if own else []), *others]
    return found if len(found) < 2 else [*found, FeatureSet(ALL, tuple(names))]


def set_of(sets: Sequence[FeatureSet], chosen: Iterable[str]) -> FeatureSet | None:
    """Return the first of these sets that has all features chosen; None if there is none.

    Examples
    --------
    >>> sets = feature_sets(["CD3E", "X_pca_1", "X_pca_2", "X_pca_3"])
    >>> set_of(sets, ["X_pca_1", "X_pca_3"]).name, set_of(sets, ["CD3E", "X_pca_1"]).name
    ('X_pca', 'all of these')
    """
    wanted = set(chosen)
    return next((one for one in sets if wanted <= {*one.columns}), None)


def set_named(sets: Sequence[FeatureSet], use_rep: str) -> FeatureSet:
    """Return the set that scanpy would call so.

    Parameters
    ----------
    sets : sequence of FeatureSet
    use_rep : str
        "X" for the table's own columns, a key of ``obsm`` or of ``layers``, or what the names of components begin
        with, such as "PC".

    Raises
    ------
    ValueError
        If there is no such set.

    Examples
    --------
    >>> sets = feature_sets(["CD3E", "CD3E [layer counts]", "X_scVI_1", "X_scVI_2", "X_scVI_3"])
    >>> [set_named(sets, use_rep).name for use_rep in ("X", "X_scVI", "counts")]
    ['table columns', 'X_scVI', 'layer "counts"']
    """
    array = array_column(use_rep, 0).removesuffix("_0")
    names = [TABLE] if use_rep == "X" else [array, f'layer "{use_rep}"', use_rep]
    found = [one for name in names for one in sets if one.name == name]
    if not found:
        keys = ", ".join(f'"{one.name}"' for one in sets) or "no features"
        raise ValueError(
            f'No map can be made of "{use_rep}": there are {keys}. An array needs {_FEWEST} columns or more.'
        )
    return found[0]


def array_column(key: str, axis: int) -> str:
    """Return the name of a column of an array in ``obsm``.

    Examples
    --------
    >>> array_column("X_pca", 1), array_column("totalVI", 1)
    ('X_pca_1', 'X_totalVI_1')
    """
    return f"{key if key.startswith('X_') or is_picture(key) else f'X_{key}'}_{axis}"


def layer_column(name: str, key: str) -> str:
    """Return the name of a column of an AnnData's layer.

    Examples
    --------
    >>> layer_column("CD3E", "counts")
    'CD3E [layer counts]'
    """
    return f"{name} [layer {key}]"


def array_key(column: str) -> str:
    """Return the key of the array that a column is of; "" if it is of none.

    Examples
    --------
    >>> array_key("X_pca_12"), array_key("area_1")
    ('X_pca', '')
    """
    array = _ARRAY.fullmatch(column)
    return array["key"] if array is not None else ""


def name_in_table(column: str, table: str) -> str:
    """Return the name of a column of one table beside another column of the same name; it stays in a set of its kind.

    Examples
    --------
    >>> [name_in_table(column, "protein") for column in ("CD3", "X_pca_1", "CD3 [layer counts]")]
    ['CD3 (protein)', 'X_pca (protein)_1', 'CD3 (protein) [layer counts]']
    """
    if (array := _ARRAY.fullmatch(column)) is not None:
        return f"{array['key']} ({table}){array['axis']}"
    if (layer := _LAYER.fullmatch(column)) is not None:
        return layer_column(f"{layer['name']} ({table})", layer["key"])
    return f"{column} ({table})"


@lru_cache(1 << 17)
def _place(name: str) -> tuple[str, str]:
    """The kind of set that a feature belongs to, and the key of the set."""
    if (layer := _LAYER.fullmatch(name)) is not None:
        return "layer", layer["key"]
    array = _ARRAY.fullmatch(name)
    if array is not None:
        return ("", "") if is_picture(array["key"]) else ("array", array["key"])
    stem = component_stem(name)
    return ("components", stem) if stem else ("", "")
