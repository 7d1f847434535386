"""Tables of cells as AnnData: made, read, and completed by a map."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_integer_dtype, is_object_dtype
from scipy.sparse import issparse

from latentmap.table.cells import KEY, CellTable
from latentmap.table.key_columns import LABELS, key_columns
from latentmap.table.libraries import library
from latentmap.table.rows import are_names, free_name, names_in
from latentmap.table.sheet import PROVENANCE, Sheet, as_json, distinct, text, uniform
from latentmap.table.whole import whole_file
from latentmap.table.wording import listed

if TYPE_CHECKING:
    from anndata import AnnData

MAP = "X_latentmap"
"""Where in ``obsm`` the coordinates are."""

# HDF5 and AnnData keep these for themselves.
_RESERVED = ("", ".", "..", "_index")
# About 4 GB of numbers.
_MOST = 500_000_000


def to_anndata(sheet: Sheet) -> "AnnData":
    """Return the table of a map as AnnData.

    Parameters
    ----------
    sheet : Sheet

    Returns
    -------
    anndata.AnnData
        ``X`` has the features that shaped the map, ``obs`` the key and all other columns, ``obsm["X_latentmap"]`` the
        coordinates, ``uns["latentmap"]`` the record of what made the map, as JSON. The cells keep their names, or are
        named ``layer/frame/label``. Names that HDF5 does not allow in ``obs`` get ``_`` for ``/``; the record has both.

    Raises
    ------
    ValueError
        If two columns share a name, or anndata is missing.

    Examples
    --------
    >>> rows = pd.DataFrame({"layer": "nuclei", "frame": 0, "label": [3, 7], "area": [4, 9], "map_1": [0.5, -0.5]})
    >>> adata = to_anndata(Sheet(rows, features=("area",), coordinates=("map_1",)))
    >>> adata.obs_names.tolist(), adata.X.tolist(), list(adata.obs)
    (['nuclei/0/3', 'nuclei/0/7'], [[4.0], [9.0]], ['layer', 'frame', 'label'])
    """
    anndata = library("anndata", "AnnData")
    rows, features, places = distinct(sheet.rows), list(sheet.features), list(sheet.coordinates)
    own = _own_names(rows)
    others = uniform(rows.drop(columns=[*features, *places, *([] if own is None else [own.name])]))
    renamed = _allowed(list(others.columns.astype(str)))
    adata = anndata.AnnData(
        X=numbers(rows[features]),
        obs=pd.DataFrame({str(name): _storable(column) for name, column in others.items()})
        .rename(columns=renamed)
        .set_axis(names(rows) if own is None else own),
        var=pd.DataFrame(index=pd.Index(features, dtype=object)),
    )
    if places:
        adata.obsm[MAP] = numbers(rows[places])
    record = {**sheet.provenance, **({"renamed": renamed} if renamed else {})}
    if record:
        adata.uns[PROVENANCE] = as_json(record)
    return adata


def from_anndata(adata: "AnnData", *, layer: str, columns: Mapping[str, str] = MappingProxyType({})) -> CellTable:
    """Return the cells of an AnnData with all that is known of them.

    Parameters
    ----------
    adata : anndata.AnnData
        The columns of ``X`` and those of ``obs`` are the cells' features; ``obs`` has the key. Names of the rows, such
        as barcodes, become the column ``cell_name``.
    layer : str
        The layer of rows that do not name theirs.
    columns : mapping of str to str
        Which column of ``obs`` holds a part of the key, where it has another name: ``{"label": "cell_id"}``. A
        SpatialData table says so itself.

    Returns
    -------
    CellTable

    Raises
    ------
    ValueError
        If a row does not say which cell it belongs to, two rows say the same, or ``X`` is too large.

    Examples
    --------
    >>> import anndata
    >>> obs = pd.DataFrame({"label": [3, 7], "phase": ["G1", "S"]}, index=["a", "b"])
    >>> adata = anndata.AnnData(np.array([[4.0], [9.0]]), obs=obs, var=pd.DataFrame(index=["area"]))
    >>> from_anndata(adata, layer="nuclei").features.reset_index()
        layer  frame  label  area phase cell_name
    0  nuclei      0      3   4.0    G1         a
    1  nuclei      0      7   9.0     S         b
    """
    if adata.n_obs * adata.n_vars > _MOST:
        raise ValueError(
            f"The AnnData has {adata.n_obs} cells and {adata.n_vars} columns: too many for a map. Keep the columns "
            "that matter, or principal components in their place, and open it again."
        )
    rows, notes = _rows(adata)
    cells = CellTable.read(rows, layer=layer, columns=key_columns(rows, {**declared(adata), **columns}))
    return CellTable(cells.features, (*notes, *cells.notes))


def save(adata: "AnnData", path: str | os.PathLike[str]) -> None:
    """Write an AnnData file; a failure leaves what was there before, never half a file.

    Parameters
    ----------
    adata : anndata.AnnData
    path : path-like
        Where to. An existing file is replaced.

    Raises
    ------
    OSError
        If the folder is missing, not writable or full.
    """
    with whole_file(path) as unfinished:
        try:
            adata.write_h5ad(unfinished)
        except (OSError, RuntimeError) as error:
            # On a full disk HDF5 fails a second time, as it closes the file, and in words of its own.
            first = error.__context__ if isinstance(error, RuntimeError) else error
            if isinstance(first, OSError) and first.errno:
                raise OSError(first.errno, os.strerror(first.errno), str(path)) from error
            raise


def declared(adata: "AnnData") -> dict[str, str]:
    """Return which columns of ``obs`` hold the key, where the AnnData is a table of SpatialData.

    Returns
    -------
    dict of str to str
        Empty if it does not say so.
    """
    said = adata.uns.get("spatialdata_attrs")
    if not isinstance(said, Mapping):
        return {}
    columns = {"label": said.get("instance_key"), "layer": said.get("region_key")}
    return {part: str(name) for part, name in columns.items() if name in adata.obs}


def record_of(adata: "AnnData") -> dict[str, Any]:
    """Return the record of what made the map in an AnnData.

    Returns
    -------
    dict
        Empty if there is none: others may keep something else under our name.
    """
    said = adata.uns.get(PROVENANCE)
    with suppress(ValueError, RecursionError):
        record = json.loads(said) if isinstance(said, str) else None
        return record if isinstance(record, dict) else {}
    return {}


def known(adata: "AnnData") -> pd.DataFrame:
    """Return what ``obs`` knows of the cells, its index among it where that names them.

    Returns
    -------
    pandas.DataFrame, shape (n_obs, n_columns)
    """
    obs = adata.obs.rename(columns=str)
    return obs.reset_index(drop=obs.index.name not in {*LABELS} - {*obs})


def numbers(columns: pd.DataFrame) -> np.ndarray:
    """Return columns as an array, NaN where a number is missing.

    Parameters
    ----------
    columns : pandas.DataFrame, shape (n, d)

    Returns
    -------
    ndarray of float64, shape (n, d)
    """
    return columns.to_numpy(dtype=float, na_value=np.nan)


def names(rows: pd.DataFrame) -> pd.Index:
    """Return a name for each cell: ``layer/frame/label``.

    Parameters
    ----------
    rows : pandas.DataFrame
        With the columns ``layer``, ``frame`` and ``label``.
    """
    return pd.Index(["/".join(map(str, key)) for key in rows[list(KEY)].itertuples(index=False)], dtype=object)


def _own_names(rows: pd.DataFrame) -> pd.Index | None:
    """The names that the cells came with, if each has one of its own."""
    for column in names_in(rows):
        if column.is_unique and (column != "").all():
            return pd.Index(column, name=column.name, dtype=object)
    return None


def _rows(adata: "AnnData") -> tuple[pd.DataFrame, list[str]]:
    """All that is known of the cells, and a note on columns that had to be renamed."""
    rows, notes = known(adata), []
    renamed = record_of(adata).get("renamed")
    stored = {new: old for old, new in renamed.items() if isinstance(new, str)} if isinstance(renamed, dict) else {}
    rows = rows.rename(columns={new: old for new, old in stored.items() if old not in rows})
    if adata.X is not None:
        measured = distinct(adata.to_df()).reset_index(drop=True)
        if both := [str(name) for name in measured if name in rows]:
            notes.append(f"In X as well as in obs, so those of X are called NAME (X): {listed(both)}.")
        rows = measured.rename(columns={name: f"{name} (X)" for name in both}).join(rows)
    obs_names = adata.obs_names
    if are_names(obs_names) and obs_names.name not in rows and not _are_keys(rows, obs_names):
        rows = rows.assign(**{free_name(rows): obs_names.astype(str).to_numpy(dtype=object)})
    if MAP in adata.obsm:
        places = adata.obsm[MAP]
        places = np.asarray(places.toarray() if issparse(places) else places)
        if places.ndim == 2 and places.dtype.kind in "fiu":
            rows = rows.assign(**{f"map_{axis}": column for axis, column in enumerate(places.T, start=1)})
        else:
            notes.append(f'obsm["{MAP}"] is left out, for it holds no map: places of cells are a table of numbers.')
    return rows, notes


def _are_keys(rows: pd.DataFrame, obs_names: pd.Index) -> bool:
    """Whether cells are named as those are that have no names of their own."""
    return {*KEY} <= {*rows} and list(names(rows)) == list(obs_names)


def _allowed(columns: list[str]) -> dict[str, str]:
    """Which columns of ``obs`` need another name for HDF5, and which that is."""
    renamed: dict[str, str] = {}
    for name in columns:
        new = name.replace("/", "_") if name not in _RESERVED else f"{name}_"
        while new != name and new in {*columns, *renamed.values()}:
            new += "_"
        if new != name:
            renamed[name] = new
    return renamed


def _storable(column: pd.Series) -> pd.Series:
    """A column that HDF5 can hold; dates, for instance, become text."""
    dtype = column.dtype
    if is_float_dtype(dtype):
        return pd.Series(column.to_numpy(dtype=float, na_value=np.nan), column.index)
    as_it_is = isinstance(dtype, pd.CategoricalDtype | pd.StringDtype) or is_object_dtype(dtype)
    if as_it_is or is_bool_dtype(dtype) or is_integer_dtype(dtype):
        return column
    return text(column)
