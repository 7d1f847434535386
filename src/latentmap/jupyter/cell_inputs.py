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
from latentmap.table.files.anndata_io import check_representation
from latentmap.table.files.formats import is_anndata
from latentmap.table.files.numbered_rows import NUMBERED, numbered_cells
from latentmap.table.files.reading import read_anndata, read_rows
from latentmap.table.files.spatialdata_io import (
    from_spatialdata,
    is_spatialdata,
    is_spatialdata_store,
    read_spatialdata,
)
from latentmap.table.key_columns import KeyMissing, check_key_is_whole, key_columns
from latentmap.table.plain_tables import NAME_COLUMN, in_pandas, names_in, plain_rows

# About 4 GB of numbers.
_MOST = 500_000_000


def read_cells(data: Any, *, layer: str, columns: Mapping[str, str], has_labels: bool, use_rep: str = "") -> CellTable:
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
    use_rep : str
        An array of an AnnData's ``obsm``, or one of its layers, that is read whatever it is called.

    Raises
    ------
    ValueError
        If the data are none of these, or do not say which cell a row describes; the message says how to tell.
    """
    data = opened(data)
    try:
        return _cells_of(data, layer, columns, has_labels, use_rep)
    except KeyMissing as error:
        where, name = "of obs " if hasattr(data, "obs") else "", next(iter(error.candidates), "cell_id")
        raise KeyMissing(
            f'{error} If a column {where}holds it under another name, say which one: columns={{"label": "{name}"}}.',
            error.candidates,
            error.reason,
        ) from error


def opened(data: Any) -> Any:
    """Return an AnnData or a SpatialData in place of the path of one, and tables as those of pandas."""
    if isinstance(data, str | os.PathLike):
        if is_anndata(Path(data)):
            return read_anndata(Path(data))
        if is_spatialdata_store(Path(data)):
            return read_spatialdata(Path(data))
    return in_pandas(data)


def _cells_of(data: Any, layer: str, columns: Mapping[str, str], has_labels: bool, use_rep: str) -> CellTable:
    if isinstance(data, CellTable):
        # A table that is changed later is no longer that of the maps.
        return replace(data, features=data.features.copy())
    if isinstance(data, str | os.PathLike):
        return _of_file(Path(data), layer, columns, has_labels)
    if isinstance(data, pd.DataFrame):
        return _of_frame(data, layer, columns, has_labels)
    if hasattr(data, "obs") and hasattr(data, "var"):
        return _of_anndata(data, layer, columns, has_labels, use_rep)
    if is_spatialdata(data):
        return from_spatialdata(data, layer=layer, columns=columns, use_rep=use_rep)
    values = _numbers(data)
    if values.ndim != 2 or values.dtype.kind not in "iufb":
        raise ValueError(
            "Cells are taken from a DataFrame, an array with one row per cell, an AnnData, a SpatialData or the path "
            f"of a table, not from {_described(data)}."
        )
    names = [f"feature_{number}" for number in range(1, values.shape[1] + 1)]
    return _of_frame(pd.DataFrame(values, columns=names), layer, columns, has_labels)


def _of_file(path: Path, layer: str, columns: Mapping[str, str], has_labels: bool) -> CellTable:
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
    check_key_is_whole(rows)
    if index.nlevels == 1 and index.name is None and not index.equals(pd.RangeIndex(n)) and not names_in(rows):
        # Rows taken from a larger table keep their names in it.
        rows = rows.assign(**{NAME_COLUMN: index.astype(str)})
    numbered = CellTable.read(rows.assign(label=np.arange(1, n + 1)), layer=layer, columns=columns)
    return CellTable(numbered.features, (*numbered.notes, NUMBERED))


def _of_anndata(adata: Any, layer: str, columns: Mapping[str, str], has_labels: bool, use_rep: str) -> CellTable:
    if use_rep:
        check_representation(adata, use_rep)
    try:
        return from_anndata(adata, layer=layer, columns=columns, use_rep=use_rep)
    except ValueError:
        if has_labels or "label" in columns or "label" in adata.obs:
            raise
        check_key_is_whole(adata.obs)
        # Without an image, cells are just rows.
        return numbered_cells(adata, layer=layer, use_rep=use_rep)


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
