"""Tables of cells from whatever `explore` is given."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from latentmap.table import CellTable, from_anndata
from latentmap.table.anndata_io import arrays_of
from latentmap.table.formats import is_anndata
from latentmap.table.key_columns import KeyMissing, key_columns
from latentmap.table.plain_tables import NAME_COLUMN, names_in, plain_rows, unused_name_column
from latentmap.table.reading import read_anndata, read_rows

# About 4 GB of numbers.
_MOST = 500_000_000
_NUMBERED = 'The table has no column "label": the cells are numbered from 1, in the order of the rows.'


def read_cells(data: Any, *, layer: str, columns: Mapping[str, str], has_labels: bool) -> CellTable:
    """Return the cells in any of the data that `explore` takes.

    Parameters
    ----------
    data : DataFrame, ndarray, sparse array, AnnData, SpatialData or path-like
        One row per cell.
    layer : str
        The name of the image in the keys of the cells, if the data do not give one.
    columns : mapping of str to str
        The columns that hold the parts of the key, if they have other names.
    has_labels : bool
        Whether there is an image of labels, so that every row must say which cell it describes.

    Raises
    ------
    ValueError
        If the data are none of these, or do not say which cell a row describes; the message says how to tell.
    """
    try:
        return _cells_of(data, layer, columns, has_labels)
    except KeyMissing as error:
        where, name = "of obs " if hasattr(data, "obs") else "", next(iter(error.candidates), "cell_id")
        raise KeyMissing(
            f'{error} If a column {where}holds it under another name, say which one: columns={{"label": "{name}"}}.',
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
            "explore() takes a DataFrame, an array with one row per cell, an AnnData, a SpatialData or the path of a "
            f"table, not {_described(data)}."
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
        # The column may count the cells within each of many images, or hold barcodes: then the rows are numbered.
        with suppress(ValueError):
            return CellTable.read(rows, layer=layer, columns=known)
    if index.name is None and not index.equals(pd.RangeIndex(n)) and not names_in(rows):
        # Rows taken from a larger table keep their names in it.
        rows = rows.assign(**{NAME_COLUMN: index.astype(str)})
    numbered = CellTable.read(rows.assign(label=np.arange(1, n + 1)), layer=layer, columns=columns)
    return CellTable(numbered.features, (*numbered.notes, _NUMBERED))


def _of_anndata(adata: Any, layer: str, columns: Mapping[str, str], has_labels: bool) -> CellTable:
    try:
        return from_anndata(adata, layer=layer, columns=columns)
    except ValueError:
        if has_labels or "label" in columns or "label" in adata.obs:
            raise
        # Without an image, cells are just rows.
        numbered = adata.obs.assign(label=np.arange(1, adata.n_obs + 1))
        numbered = numbered.assign(**{unused_name_column(numbered): adata.obs_names}).reset_index(drop=True).rename(str)
        shown = type(adata)(X=adata.X, obs=numbered, var=adata.var, uns=adata.uns, obsm=arrays_of(adata))
        table = from_anndata(shown, layer=layer)
        return replace(table, notes=(*table.notes, _NUMBERED))


def _of_spatialdata(sdata: Any, layer: str, columns: Mapping[str, str]) -> CellTable:
    tables = dict(sdata.tables)
    if not tables:
        raise ValueError("This SpatialData has no table with measurements of the cells.")
    return CellTable.pool([from_anndata(table, layer=layer, columns=columns) for table in tables.values()])


def _numbers(data: Any) -> np.ndarray:
    """Return data as an array; masked values become NaN, because numpy would show what the mask hides."""
    if isinstance(data, np.ma.MaskedArray):
        return np.ma.filled(data.astype(float), np.nan)
    return _dense(data) if issparse(data) else np.asarray(data)


def _dense(data: Any) -> np.ndarray:
    """Return a sparse array as a dense one, if it fits into memory."""
    if np.prod(data.shape) > _MOST:
        raise ValueError(
            f"The sparse array has {data.shape[0]} rows and {data.shape[-1]} columns: too many for a map. Keep the "
            "columns that matter, or use principal components instead, for example from scikit-learn's TruncatedSVD."
        )
    return np.asarray(data.toarray())


def _described(data: Any) -> str:
    shape = getattr(data, "shape", None)
    return f"a {type(data).__name__}" + (f" of shape {tuple(shape)}" if shape is not None else "")
