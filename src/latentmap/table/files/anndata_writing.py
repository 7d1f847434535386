"""Writing a map into an AnnData that already has the cells."""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from latentmap.table.cells import KEY, CellTable
from latentmap.table.files.anndata_colours import write_colours
from latentmap.table.files.anndata_io import (
    ADDED,
    MAP,
    as_floats,
    columns_of,
    key_names,
    obs_columns,
    record_of,
    save,
    spatialdata_columns,
)
from latentmap.table.files.anndata_store import changed_store, write_added
from latentmap.table.files.numbered_rows import NUMBERED
from latentmap.table.files.reading import read_anndata
from latentmap.table.files.tenx_matrix import is_tenx_matrix
from latentmap.table.files.zarr_folder import folder_around, is_anndata_store
from latentmap.table.key_columns import KeyMissing, key_columns
from latentmap.table.map_table import CLASSES_FROM, PROVENANCE, MapTable, as_json, features_of, with_distinct_names
from latentmap.table.number_sets import distinct
from latentmap.table.plain_tables import is_names, names_in
from latentmap.table.same_rows import SOME_ROWS, other_values, rows_read
from latentmap.table.wording import listed

if TYPE_CHECKING:
    from anndata import AnnData


def write_into(
    adata: "AnnData", map_table: MapTable, *, layer: str, columns: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, ...]:
    """Write a map into an AnnData that already has the cells.

    Parameters
    ----------
    adata : anndata.AnnData
        Changed in place: the coordinates go to ``obsm["X_latentmap"]``, variances and classes to
        ``obs["latentmap_variance"]`` and ``obs["latentmap_class"]``, and the record of how the map was made to
        ``uns["latentmap"]``, as JSON. Rows whose cell is not on the map get NaN and "". Results of an earlier map are
        replaced.
    map_table : MapTable
        The table of the map, as :meth:`~latentmap.session.Session.map_table` returns it.
    layer : str
        The layer of rows that do not name one; "" if they have to.
    columns : mapping of str to str
        The columns of ``obs`` that hold parts of the key under other names: ``{"label": "cell_id"}``. Without a column
        of labels, rows are found by name: the cells' own names, such as barcodes, or ``layer/frame/label`` as
        `to_anndata` writes it.

    Returns
    -------
    tuple of str
        Sentences for the user: how many rows have no cell on the map, how many cells no row, and where the classes
        are, if not in ``latentmap_class``.

    Raises
    ------
    ValueError
        If a row does not say which cell it belongs to, two rows belong to one cell, or no row's cell is on the map.

    Examples
    --------
    >>> import anndata
    >>> adata = anndata.AnnData(np.ones((2, 1)), obs=pd.DataFrame({"label": [7, 3]}, index=["a", "b"]))
    >>> rows = pd.DataFrame({"layer": "nuclei", "frame": 0, "label": [3], "map_1": [0.5], "variance": [0.1]})
    >>> write_into(adata, MapTable(rows, coordinates=("map_1",), added=("variance",)), layer="nuclei")
    ('1 of 2 rows of the AnnData without a cell on the map.',)
    >>> adata.obs["latentmap_variance"].tolist()
    [nan, 0.1]
    """
    rows = with_distinct_names(map_table.rows)
    source, are_named = _cell_of_each(adata, map_table, layer, columns)
    doubts = other_rows(adata, map_table, source)
    if doubts and not are_named:
        raise ValueError(
            "The rows of the AnnData were numbered, and now they are others, in another order or with other features: "
            "name them (adata.obs_names), and make the map again. Nothing is written."
        )
    write_rows(adata, map_table, source, layer)
    counts = (
        (adata.n_obs - int((source >= 0).sum()), adata.n_obs, "rows of the AnnData without a cell on the map"),
        (len(rows) - len(distinct(source[source >= 0])), len(rows), "cells on the map without a row in the AnnData"),
    )
    told = [f"{missing} of {total} {what}." for missing, total, what in counts if missing]
    return (*told, *doubts, *where_classes_are(map_table))


def write_rows(adata: "AnnData", map_table: MapTable, source: np.ndarray, layer: str) -> None:
    """Write a map into an AnnData, given for each row of it the row of the same cell in the map's table, or -1.

    Raises
    ------
    ValueError
        If no row's cell is on the map.
    """
    rows = with_distinct_names(map_table.rows)
    matched = source[source >= 0]
    if not len(matched) and not layer:
        known = listed(list(map(str, rows["layer"].unique())))
        raise ValueError(
            f"No row of the AnnData belongs to a cell on the map, which has several images: add a column "
            f'"layer" that says which of them each row is from: {known}. Nothing is written.'
        )
    if not len(matched):
        raise ValueError(
            "No row of the AnnData belongs to a cell on the map: its rows name other layers, frames or labels. Nothing "
            "is written."
        )
    for old in [name for name in adata.obs if str(name).startswith(ADDED)]:
        del adata.obs[old]
    adata.obsm[MAP] = _spread(as_floats(rows[list(map_table.coordinates)]), source)
    for name in map_table.added:
        column = rows[name]
        numeric = is_numeric_dtype(column.dtype)
        values = column.to_numpy(dtype=float, na_value=np.nan) if numeric else column.fillna("").to_numpy(dtype=object)
        adata.obs[f"{ADDED}{name}"] = _spread(values, source)
    write_colours(adata, {f"{ADDED}{name}": map_table.colours.get(name, {}) for name in map_table.added})
    # The columns of the AnnData keep the names that they are stored under.
    stored = {part: kept for part, kept in record_of(adata).items() if part == "renamed"}
    adata.uns[PROVENANCE] = as_json({**map_table.provenance, **stored})


def where_classes_are(map_table: MapTable) -> tuple[str, ...]:
    """Say which column of ``obs`` the classes are in, if it is not ``latentmap_class``."""
    if classes := map_table.provenance.get(CLASSES_FROM):
        return (f'The classes are in obs["{ADDED}{classes}"]: "class" is a column of the cells\' own.',)
    return ()


def write_into_h5ad(
    path: str | os.PathLike[str],
    map_table: MapTable,
    *,
    layer: str,
    columns: Mapping[str, str] = MappingProxyType({}),
) -> tuple[str, ...]:
    """Write a map into an AnnData file that already has the cells; see :func:`write_into`.

    Parameters
    ----------
    path : path-like
        The file, or the folder of one in zarr. It is replaced once everything is written; after a failure it is
        unchanged.
    map_table, layer, columns
        As for :func:`write_into`.

    Returns
    -------
    tuple of str
        Sentences for the user: how many rows have no cell on the map, how many cells no row, and where the classes
        are, if not in ``latentmap_class``.

    Raises
    ------
    ValueError
        As for :func:`write_into`, or if the file cannot be read as AnnData.
    OSError
        If the folder is not writable or full.
    """
    path = Path(path)
    adata = read_anndata(path)
    if path.is_file() and is_tenx_matrix(path):
        raise ValueError(
            f'"{path.name}" is a matrix of 10x Genomics: write the map into an AnnData file (.h5ad) instead.'
        )
    notes = write_into(adata, map_table, layer=layer, columns=columns)
    if not is_anndata_store(path):
        save(adata, path)
    elif whole := folder_around(path):
        raise ValueError(
            f'"{path.name}" is a part of "{whole.name}", which lists what is in its parts: write the map into that one '
            "with write_into_spatialdata, or copy this part out of it and write into the copy."
        )
    else:
        with changed_store(path) as group:
            write_added(group, adata)
    return notes


def row_of_each(adata: "AnnData", rows: pd.DataFrame, layer: str, columns: Mapping[str, str]) -> np.ndarray:
    """For each row of the AnnData, the row of the same cell in `rows`; -1 where there is none.

    Raises
    ------
    ValueError
        If a row does not say which cell it belongs to, or two rows belong to one cell.
    """
    known = key_columns(obs_columns(adata), {**spatialdata_columns(adata), **columns})
    by_name = row_by_name(adata, rows, layer)
    if "label" not in known and (by_name >= 0).any():
        return _once(adata, by_name)
    try:
        return row_by_key(adata, rows, layer, columns)
    except KeyMissing:
        if (by_name >= 0).any():
            return _once(adata, by_name)  # such as a table of shapes, whose instances have names
        raise


def other_rows(
    adata: "AnnData", map_table: MapTable, source: np.ndarray, called: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, ...]:
    """Say whether some rows, evenly taken, have other features than the cells on the map.

    Parameters
    ----------
    adata : anndata.AnnData
    map_table : MapTable
    source : ndarray of int
        For each row of the AnnData, the row of the same cell in the map's table, or -1.
    called : mapping of str to str
        What columns are called there, if they have other names.
    """
    matched = np.flatnonzero(source >= 0)
    some = matched[np.unique(np.linspace(0, len(matched) - 1, min(len(matched), SOME_ROWS)).astype(int))]
    if not len(some):
        return ()
    taken = adata[some].to_memory() if adata.isbacked else adata[some]
    keys = pd.MultiIndex.from_frame(map_table.rows[list(KEY)].iloc[source[some]])
    return other_values(columns_of(taken)[0].rename(columns=called).set_axis(keys), features_of(map_table))


def row_by_key(adata: "AnnData", rows: pd.DataFrame, layer: str, columns: Mapping[str, str]) -> np.ndarray:
    """For each row of an AnnData, the row of the cell with the same key in `rows`; -1 where there is none.

    Raises
    ------
    ValueError
        If a row does not say which cell it belongs to, or two rows belong to one cell.
    """
    obs = obs_columns(adata)
    columns = key_columns(obs, {**spatialdata_columns(adata), **columns})
    cells, positions = rows_read(obs, partial(CellTable.read, layer=layer, columns=columns))
    source = np.full(adata.n_obs, -1)
    source[positions] = pd.MultiIndex.from_frame(rows[list(KEY)]).get_indexer(cells.features.index)
    return source


def row_by_name(adata: "AnnData", rows: pd.DataFrame, layer: str) -> np.ndarray:
    """The row of each cell, found by its own name or by the one that `to_anndata` gives it."""
    best = np.full(adata.n_obs, -1)
    is_here = (rows["layer"] == layer).to_numpy()
    for column in (pd.Series(key_names(rows)), *names_in(rows)):
        for here in (np.ones_like(is_here), is_here):
            places = np.flatnonzero(here & (column != "").to_numpy())
            index = pd.Index(column.to_numpy(dtype=object)[places])
            if len(index) and index.is_unique:
                found = index.get_indexer(adata.obs_names)
                found[found >= 0] = places[found[found >= 0]]
                best = max(best, found, key=lambda one: int((one >= 0).sum()))
    return best


def _cell_of_each(
    adata: "AnnData", map_table: MapTable, layer: str, columns: Mapping[str, str]
) -> tuple[np.ndarray, bool]:
    """The row of the same cell on the map for each row of an AnnData, and whether names or labels say so."""
    rows = with_distinct_names(map_table.rows)
    if NUMBERED not in map_table.provenance.get("notes", ()):
        return row_of_each(adata, rows, layer, columns), True
    # A column of labels that has come later does not hold the numbers that the rows were given.
    by_name = row_by_name(adata, rows, layer)
    if (by_name >= 0).any():
        return _once(adata, by_name), is_names(adata.obs_names)
    return row_by_key(adata, rows, layer, columns), False


def _once(adata: "AnnData", by_name: np.ndarray) -> np.ndarray:
    """Cells found by name, if no two rows share one."""
    shared = adata.obs_names.duplicated(keep=False) & (by_name >= 0)
    if shared.any():
        raise ValueError(
            f'{shared.sum()} rows of the AnnData share names such as "{adata.obs_names[shared.argmax()]}", so it is '
            "not known which of them are the cells on the map. Write the map first, then concatenate; or name the rows "
            'apart, as anndata.concat(..., index_unique="-") does, and make the map again. Nothing is written.'
        )
    return by_name


def _spread(values: np.ndarray, source: np.ndarray) -> np.ndarray:
    """Values in the order of the AnnData's rows; NaN or "" where there is none."""
    spread = np.full((len(source), *values.shape[1:]), "" if values.dtype == object else np.nan, dtype=values.dtype)
    spread[source >= 0] = values[source[source >= 0]]
    return spread
