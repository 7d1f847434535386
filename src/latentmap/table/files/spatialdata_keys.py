"""Which cells the rows of a SpatialData's tables are."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from latentmap.table.cells import CellTable
from latentmap.table.files.anndata_io import obs_columns, spatialdata_columns
from latentmap.table.key_columns import key_columns
from latentmap.table.plain_tables import is_names

if TYPE_CHECKING:
    from anndata import AnnData

ATTRS = "spatialdata_attrs"
"""The entry of ``uns``, and of a store, that says which element a table is of."""

# The share of rows with the same names above which two tables are of the same cells; barcodes of two samples may agree.
_SAME = 0.5
# Columns that are parts of a key elsewhere, and what they are called where the SpatialData says which cell a row is.
_CALLED = {"frame": "frame_number", "layer": "layer_1", "label": "cell_label"}


def part(sdata: Any, name: str) -> Mapping[str, Any]:
    """Return the labels, images or shapes of a SpatialData; none of an object that has tables alone."""
    found: Mapping[str, Any] = getattr(sdata, name, {})
    return found


def regions_of(adata: "AnnData") -> set[str]:
    """Return the elements that a table annotates."""
    attributes = adata.uns.get(ATTRS)
    said = attributes.get("region") if isinstance(attributes, Mapping) else None
    return {*map(str, np.atleast_1d(said))} if said is not None else set()


def layer_of(sdata: Any, name: str, layer: str) -> str:
    """Return the layer of a table's cells, if its rows name none.

    Parameters
    ----------
    sdata : spatialdata.SpatialData
    name : str
        The table.
    layer : str
        The layer of the cells of a table that annotates no element.

    Returns
    -------
    str
        The name of the table, where it annotates elements: a row that names none of them is of no labels at all. Also
        where an earlier one annotates nothing either, and its rows have other names: the same number then stands for
        another cell.
    """
    if regions_of(sdata.tables[name]):
        return name
    loose = [
        other
        for other, adata in sdata.tables.items()
        if not regions_of(adata) and "label" in key_columns(obs_columns(adata), {})
    ]
    if name not in loose[1:]:
        return layer
    own, first = sdata.tables[name].obs_names, sdata.tables[loose[0]].obs_names
    return layer if is_names(own) and own.isin(first).mean() > _SAME else name


def is_numbered(sdata: Any, name: str, columns: Mapping[str, str]) -> bool:
    """Return whether the rows of a table of elements are numbered: shapes or points named by words, or from 0.

    Only labels have a background, whose number is 0.

    Parameters
    ----------
    sdata : spatialdata.SpatialData
    name : str
        The table.
    columns : mapping of str to str
        The columns of ``obs`` that hold parts of the key, if they are given.
    """
    adata = sdata.tables[name]
    regions = regions_of(adata)
    if regions & {*part(sdata, "labels")} or columns:
        return False
    obs = obs_columns(adata).rename(columns=own_names(adata, columns))
    try:
        cells = CellTable.read(obs, layer=name, columns=key_columns(obs, spatialdata_columns(adata)))
    except ValueError:
        return True
    is_drawn = regions & {*part(sdata, "shapes"), *part(sdata, "points")}
    return bool(is_drawn) and len(cells.features) < len(obs)


def own_names(adata: "AnnData", columns: Mapping[str, str], *, numbered: bool = False) -> dict[str, str]:
    """Return what columns of ``obs`` are called that would be taken for parts of the key, by their names there.

    A SpatialData has no time, and where its rows are numbered, no column is part of the key.
    """
    kept = set() if numbered else {*spatialdata_columns(adata).values(), *columns.values()}
    names, taken = (*_CALLED,) if numbered else ("frame",), {*map(str, adata.obs)}
    found = {}
    for name in [name for name in names if name in taken - kept]:
        new = _CALLED[name]
        while new in taken:
            new += "_"
        found[name] = new
    return found


def instances(adata: "AnnData", rows: pd.DataFrame, called: Mapping[str, str]) -> np.ndarray:
    """For each row of a table, the row of the map's table that has the same element and instance; -1 if none has.

    Parameters
    ----------
    adata : anndata.AnnData
    rows : pandas.DataFrame
        Numbered cells, whose columns still say which instance of which element each is.
    called : mapping of str to str
        What columns of ``obs`` are called in `rows`.
    """
    key = [*spatialdata_columns(adata).values()]
    there = [called.get(name, name) for name in key]
    source = np.full(adata.n_obs, -1)
    if len(key) < 2 or not {*there} <= {*rows}:
        return source
    own, known = (pd.MultiIndex.from_frame(table.astype(object).astype(str)) for table in (adata.obs[key], rows[there]))
    if not known.is_unique:
        return source
    if (repeated := own.duplicated() & own.isin(known)).any():
        element, instance = own[int(repeated.argmax())][::-1]
        raise ValueError(
            f'"{instance}" of "{element}" has more than one row: keep one row a cell, or make the map again. Nothing '
            "is written."
        )
    return known.get_indexer(own)
