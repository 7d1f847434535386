"""Maps that another program has left in a table: columns such as UMAP1 and UMAP2."""

import re
from functools import lru_cache
from typing import NamedTuple

import pandas as pd

from latentmap.table.mappable import numeric

_NAMES = {
    "umap": "UMAP",
    "tsne": "t-SNE",
    "visne": "viSNE",
    "optsne": "opt-SNE",
    "fitsne": "FIt-SNE",
    "pacmap": "PaCMAP",
    "trimap": "TriMap",
    "phate": "PHATE",
    "isomap": "Isomap",
    "diffmap": "diffusion map",
    "drawgraph": "force-directed graph",
    "forceatlas": "ForceAtlas",
    "embedding": "embedding",
    "latentmap": "earlier map",
}
# Columns that are as often what a map is made of.
_ALSO_FEATURES = {"pca": "PCA", "pc": "PCA", "lsi": "LSI", "mds": "MDS", "scvi": "scVI", "harmony": "Harmony"}
# Seurat's wnnUMAP and ref.umap, scanpy's umap_harmony.
_VARIANTS = ("umap", "tsne", "pacmap", "phate")
_COLUMN = re.compile(r"(?P<stem>.*[^\W\d_].*?)(?:[\s_.\-]*(?P<number>\d+)|[\s_.\-]+(?P<letter>[xyzXYZ]))")
_AXES = "xyz"


class FoundMap(NamedTuple):
    """A map in a table: what it is called, and the columns that hold its coordinates, one for each axis."""

    name: str
    columns: tuple[str, ...]


def found_maps(features: pd.DataFrame) -> list[FoundMap]:
    """Find the maps in a table by the names of its columns.

    Parameters
    ----------
    features : pandas.DataFrame, shape (n_cells, n_columns)

    Returns
    -------
    list of FoundMap
        In the order of the table; each has two columns or more.

    Examples
    --------
    >>> found_maps(pd.DataFrame({"area": [4.0], "UMAP_1": [0.5], "UMAP_2": [0.1], "X_pca_1": [3.0], "X_pca_2": [1.0]}))
    [FoundMap(name='UMAP', columns=('UMAP_1', 'UMAP_2')), FoundMap(name='PCA', columns=('X_pca_1', 'X_pca_2'))]
    """
    axes: dict[str, dict[int, str]] = {}
    for column in numeric(features):
        if (place := _place(column)) is not None:
            axes.setdefault(place[0], {})[place[1]] = column
    found = []
    for stem, columns in axes.items():
        order = sorted(columns)
        if len(order) > 1 and order[0] in (0, 1) and order[-1] - order[0] == len(order) - 1:
            found.append(FoundMap(map_name(stem) or stem, tuple(columns[axis] for axis in order)))
    return found


def is_coordinate(name: str) -> bool:
    """Return whether a column's name stands for an axis of a map, so that a map of it would be a map of a map.

    Examples
    --------
    >>> [is_coordinate(name) for name in ("UMAP1", "tsne_x", "wnnUMAP_2", "X_pca_12", "PC1", "area", "MAP2", "map2")]
    [True, True, True, True, False, False, False, False]
    """
    place = _place(name)
    return place is not None and (place[0] == "map" or place[0].startswith("X_") or is_picture(place[0]))


def is_picture(stem: str) -> bool:
    """Return whether columns, or an array in ``obsm``, of this name are a map to look at, and not features of one.

    Examples
    --------
    >>> is_picture("X_umap"), is_picture("X_pca"), is_picture("X_scVI")
    (True, False, False)
    """
    letters = _letters(stem)
    return letters in _NAMES or letters.startswith(_VARIANTS) or letters.endswith(_VARIANTS)


def component_stem(name: str) -> str:
    """Return what a column is a component of, such as of principal components; "" if it is none.

    Examples
    --------
    >>> [component_stem(name) for name in ("PC_12", "harmony_3", "UMAP1", "area")]
    ['PC', 'harmony', '', '']
    """
    place = _place(name)
    return place[0] if place is not None and _letters(place[0]) in _ALSO_FEATURES else ""


def map_name(stem: str) -> str:
    """Return what a map is called whose columns, or whose array in ``obsm``, are; "" if the name stands for no map.

    Examples
    --------
    >>> map_name("X_tsne"), map_name("UMAP"), map_name("X_own"), map_name("area")
    ('t-SNE', 'UMAP', 'own', '')
    """
    # In capitals and without "_" it is a protein.
    named = "earlier map" if stem == "map" else {**_NAMES, **_ALSO_FEATURES}.get(_letters(stem), "")
    return named or (stem.removeprefix("X_") if stem.startswith("X_") or is_picture(stem) else "")


def _letters(stem: str) -> str:
    return re.sub(r"[\W_]", "", stem.removeprefix("X_").lower())


@lru_cache(1 << 17)
def _place(column: str) -> tuple[str, int] | None:
    """The map and the axis that a column's name stands for."""
    match = _COLUMN.fullmatch(column)
    if match is None or not map_name(match["stem"]) or (match["stem"] == "map" and not column.startswith("map_")):
        return None
    return match["stem"], int(match["number"]) if match["number"] else 1 + _AXES.index(match["letter"].lower())
