"""What `explore` is given, as a table of cells."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from latentmap.table import CellTable, from_anndata
from latentmap.table.formats import is_anndata
from latentmap.table.key_columns import KeyMissing, key_columns
from latentmap.table.reading import read_anndata, read_rows
from latentmap.table.rows import NAME, free_name, names_in, plain_rows

# About 4 GB of numbers.
_MOST = 500_000_000
_NUMBERED = 'The table has no column "label": the cells are numbered as its rows are, from 1.'


def cells_of(data: Any, *, layer: str, columns: Mapping[str, str], has_labels: bool) -> CellTable:
    """Take cells from whatever holds them.

    Parameters
    ----------
    data : DataFrame, ndarray, sparse array, AnnData, SpatialData or path-like
    layer : str
        What the keys of cells call the image that they come from, where they do not say so themselves.
    columns : mapping of str to str
        Which column holds a part of the key, where it has another name.
    has_labels : bool
        Whether there is an image of labels: then every row must say which cell it is.

    Raises
    ------
    ValueError
        If it is none of these, or a row does not say which cell it is; the sentence says which argument would.
    """
    try:
        return _cells_of(data, layer, columns, has_labels)
    except KeyMissing as error:
        where, name = "of obs " if hasattr(data, "obs") else "", next(iter(error.candidates), "cell_id")
        raise KeyMissing(
            f'{error} If a column {where}holds it under another name, say which: columns={{"label": "{name}"}}.',
            error.candidates,
            error.reason,
        ) from error


def _cells_of(data: Any, layer: str, columns: Mapping[str, str], has_labels: bool) -> CellTable:
    if isinstance(data, CellTable):
        return data
    if isinstance(data, str | os.PathLike):
        return _of_file(Path(data), layer, columns, has_labels)
    if isinstance(data, pd.DataFrame):
        return _of_frame(data, layer, columns, has_labels)
    if hasattr(data, "obs") and hasattr(data, "var"):
        return _of_anndata(data, layer, columns, has_labels)
    if hasattr(data, "tables"):
        return _of_spatialdata(data, layer, columns)
    values = _numbers(data)
    if values.ndim != 2 or values.dtype.kind not in "iufb":
        raise ValueError(
            "explore() takes a DataFrame, an array with a row for each cell, an AnnData, a SpatialData or a "
            f"table's path, not {_said(data)}."
        )
    names = [f"feature_{number}" for number in range(1, values.shape[1] + 1)]
    return _of_frame(pd.DataFrame(values, columns=names), layer, columns, has_labels)


def _of_file(path: Path, layer: str, columns: Mapping[str, str], has_labels: bool) -> CellTable:
    if is_anndata(path):
        return _of_anndata(read_anndata(path), layer, columns, has_labels)
    rows, notes = read_rows(path, columns)
    cells = _of_frame(rows, layer, key_columns(rows, columns), has_labels)
    return CellTable(cells.features, (*notes, *cells.notes))


def _of_frame(rows: pd.DataFrame, layer: str, columns: Mapping[str, str], has_labels: bool) -> CellTable:
    n, index = len(rows), rows.index
    rows = plain_rows(rows)
    known = key_columns(rows, columns)
    if has_labels or "label" in columns or {"label", "index"} & {*rows}:
        return CellTable.read(rows, layer=layer, columns=known)
    if "label" in known:
        # Numbers may count the cells within each of many images, or be barcodes.
        with suppress(ValueError):
            return CellTable.read(rows, layer=layer, columns=known)
    if index.name is None and not index.equals(pd.RangeIndex(n)) and not names_in(rows):
        # Rows chosen from a larger table keep its numbers.
        rows = rows.assign(**{NAME: index.astype(str)})
    numbered = CellTable.read(rows.assign(label=np.arange(1, n + 1)), layer=layer, columns=columns)
    return CellTable(numbered.features, (*numbered.notes, _NUMBERED))


def _of_anndata(adata: Any, layer: str, columns: Mapping[str, str], has_labels: bool) -> CellTable:
    try:
        return from_anndata(adata, layer=layer, columns=columns)
    except ValueError:
        if has_labels or "label" in columns or "label" in adata.obs:
            raise
        # Cells that come from no image are just rows.
        numbered = adata.obs.assign(label=np.arange(1, adata.n_obs + 1))
        numbered = numbered.assign(**{free_name(numbered): adata.obs_names}).reset_index(drop=True).rename(str)
        shown = type(adata)(X=adata.X, obs=numbered, var=adata.var)
        table = from_anndata(shown, layer=layer)
        return CellTable(table.features, (*table.notes, _NUMBERED))


def _of_spatialdata(sdata: Any, layer: str, columns: Mapping[str, str]) -> CellTable:
    tables = dict(sdata.tables)
    if not tables:
        raise ValueError("This SpatialData has no table: it does not say what was measured of the cells.")
    return CellTable.pool([from_anndata(table, layer=layer, columns=columns) for table in tables.values()])


def _numbers(data: Any) -> np.ndarray:
    """Anything but a table as an array; of a masked array numpy would show what the mask hides."""
    if isinstance(data, np.ma.MaskedArray):
        return np.ma.filled(data.astype(float), np.nan)
    return _dense(data) if issparse(data) else np.asarray(data)


def _dense(data: Any) -> np.ndarray:
    """A sparse array made dense, if it fits."""
    if np.prod(data.shape) > _MOST:
        raise ValueError(
            f"The sparse array has {data.shape[0]} rows and {data.shape[-1]} columns: too many for a map. Keep the "
            "columns that matter, or give principal components in their place, such as TruncatedSVD of scikit-learn "
            "finds."
        )
    return np.asarray(data.toarray())


def _said(data: Any) -> str:
    shape = getattr(data, "shape", None)
    return f"a {type(data).__name__}" + (f" of shape {tuple(shape)}" if shape is not None else "")
