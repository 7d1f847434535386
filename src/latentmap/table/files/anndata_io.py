"""Tables of cells as AnnData: making, reading and saving them."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_integer_dtype, is_object_dtype
from scipy.sparse import issparse

from latentmap.table.cells import KEY, CellTable
from latentmap.table.feature_sets import array_column, layer_column
from latentmap.table.files.anndata_colours import read_colours, write_colours
from latentmap.table.files.anndata_layers import named_layers
from latentmap.table.files.anndata_matrices import dense, in_memory, matrix_of
from latentmap.table.files.atomic_write import atomic_file
from latentmap.table.found_maps import map_name
from latentmap.table.key_columns import LABELS, key_columns
from latentmap.table.libraries import import_optional
from latentmap.table.map_table import PROVENANCE, MapTable, as_json, as_text, with_distinct_names, with_uniform_columns
from latentmap.table.plain_tables import is_names, names_in, unused_name_column
from latentmap.table.text_numbers import distinct_names
from latentmap.table.wording import listed

if TYPE_CHECKING:
    from anndata import AnnData

MAP = "X_latentmap"
"""The key of the coordinates in ``obsm``."""
ADDED = "latentmap_"
"""How the columns of ``obs`` begin that a map adds."""

# Names that HDF5 and AnnData reserve.
_RESERVED = ("", ".", "..", "_index")
# Numbers in X; about 4 GB.
_MOST = 500_000_000
# Columns of an array in obsm; more are features of another kind.
_MOST_AXES = 200
# Numbers in the layers that are read unasked; about 200 MB.
_MOST_IN_LAYERS = 25_000_000


def to_anndata(map_table: MapTable) -> "AnnData":
    """Return the table of a map as AnnData.

    Parameters
    ----------
    map_table : MapTable
        The table, as :meth:`~latentmap.session.Session.map_table` returns it.

    Returns
    -------
    anndata.AnnData
        ``X`` holds the features that shaped the map, ``obs`` the key and all other columns, ``obsm["X_latentmap"]``
        the coordinates, and ``uns["latentmap"]`` the record of how the map was made, as JSON. Cells keep their names;
        those without one are named ``layer/frame/label``. In names that HDF5 does not allow in ``obs``, ``_`` replaces
        ``/``; the record lists both.

    Raises
    ------
    ValueError
        If two columns share a name, or anndata is missing.

    Examples
    --------
    >>> rows = pd.DataFrame({"layer": "nuclei", "frame": 0, "label": [3, 7], "area": [4, 9], "map_1": [0.5, -0.5]})
    >>> adata = to_anndata(MapTable(rows, features=("area",), coordinates=("map_1",)))
    >>> adata.obs_names.tolist(), adata.X.tolist(), list(adata.obs)
    (['nuclei/0/3', 'nuclei/0/7'], [[4.0], [9.0]], ['layer', 'frame', 'label'])
    """
    anndata = import_optional("anndata", "AnnData")
    rows, features, places = with_distinct_names(map_table.rows), list(map_table.features), list(map_table.coordinates)
    own = _own_names(rows)
    # Reading takes 0, 1, 2 for a count of the rows and no names, so these stay a column too.
    moved = [] if own is None or not is_names(own) else [own.name]
    others = with_uniform_columns(rows.drop(columns=[*features, *places, *moved]))
    renamed = _allowed(list(others.columns.astype(str)))
    adata: AnnData = anndata.AnnData(
        X=as_floats(rows[features]),
        obs=pd.DataFrame({str(name): _storable(column) for name, column in others.items()})
        .rename(columns=renamed)
        .set_axis(key_names(rows) if own is None else own.rename(moved[0] if moved else None)),
        var=pd.DataFrame(index=pd.Index(features, dtype=object)),
    )
    if places:
        adata.obsm[MAP] = as_floats(rows[places])
    record = {**map_table.provenance, **({"renamed": renamed} if renamed else {})}
    write_colours(adata, {renamed.get(name, name): own for name, own in map_table.colours.items()})
    if record:
        adata.uns[PROVENANCE] = as_json(record)
    return adata


def from_anndata(
    adata: "AnnData", *, layer: str, columns: Mapping[str, str] = MappingProxyType({}), use_rep: str = ""
) -> CellTable:
    """Read the cells of an AnnData.

    Parameters
    ----------
    adata : anndata.AnnData
        The columns of ``X`` and of ``obs`` become the cells' features, and so do arrays in ``obsm`` such as ``X_pca``
        or ``X_umap``: ``X_umap_1``, ``X_umap_2``; and ``layers``, unless they are large: ``CD3E [layer counts]``.
        ``obs`` holds the key. Row names such as barcodes become the column ``cell_name``.
    layer : str
        The layer of rows that do not name one.
    columns : mapping of str to str
        The columns of ``obs`` that hold parts of the key under other names: ``{"label": "cell_id"}``. A SpatialData
        table declares them itself.
    use_rep : str
        An array of ``obsm`` or a layer that is read however large it is and whatever it is called.

    Returns
    -------
    CellTable
        One row per cell; its notes say which columns were renamed or left out, and what was sparse.

    Raises
    ------
    ValueError
        If a row does not say which cell it belongs to, two rows belong to one cell, ``X`` is too large, or there is no
        such array or layer.

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
    if use_rep:
        check_representation(adata, use_rep)
    rows, notes = columns_of(adata, use_rep)
    cells = CellTable.read(rows, layer=layer, columns=key_columns(rows, {**spatialdata_columns(adata), **columns}))
    return replace(cells, notes=(*notes, *cells.notes), colours=read_colours(adata))


def save(adata: "AnnData", path: str | os.PathLike[str]) -> None:
    """Write an AnnData file; after a failure, the old file is still there.

    Raises
    ------
    OSError
        If the folder is missing, not writable or full.
    """
    with atomic_file(path) as unfinished:
        try:
            adata.write_h5ad(unfinished)
        except (OSError, RuntimeError) as error:
            # On a full disk HDF5 fails again as it closes the file, and that error hides the reason.
            first = error.__context__ if isinstance(error, RuntimeError) else error
            if isinstance(first, OSError) and first.errno:
                raise OSError(first.errno, os.strerror(first.errno), str(path)) from error
            raise


def spatialdata_columns(adata: "AnnData") -> dict[str, str]:
    """Return the key columns that a SpatialData table declares; an empty dict for any other AnnData."""
    said = adata.uns.get("spatialdata_attrs")
    if not isinstance(said, Mapping):
        return {}
    columns = {"label": said.get("instance_key"), "layer": said.get("region_key")}
    return {part: str(name) for part, name in columns.items() if name in adata.obs}


def record_of(adata: "AnnData") -> dict[str, Any]:
    """Return the record of how the map in an AnnData was made; an empty dict if there is none."""
    # Other programs may keep something else under this name.
    said = adata.uns.get(PROVENANCE)
    with suppress(ValueError, RecursionError):
        record = json.loads(said) if isinstance(said, str) else None
        return record if isinstance(record, dict) else {}
    return {}


def obs_columns(adata: "AnnData") -> pd.DataFrame:
    """Return ``obs``, with its index as a column if that holds the labels."""
    obs = adata.obs.rename(columns=str)
    columns: pd.DataFrame = obs.reset_index(drop=obs.index.name not in {*LABELS} - {*obs})
    return columns


def as_floats(columns: pd.DataFrame) -> np.ndarray:
    """Return columns as an array of float64 that may be changed, with NaN where a number is missing."""
    # Otherwise pandas 3 gives its own numbers, which nobody may change.
    return columns.to_numpy(dtype=float, na_value=np.nan, copy=True)


def key_names(rows: pd.DataFrame) -> pd.Index:
    """Name each cell by its columns ``layer``, ``frame`` and ``label``: ``layer/frame/label``."""
    return pd.Index(["/".join(map(str, key)) for key in rows[list(KEY)].itertuples(index=False)], dtype=object)


def _own_names(rows: pd.DataFrame) -> pd.Index | None:
    """The cells' own names, if every cell has one and no two share it."""
    for column in names_in(rows):
        if column.is_unique and (column != "").all():
            own: pd.Index = pd.Index(column, name=column.name, dtype=object)
            return own
    return None


def columns_of(adata: "AnnData", use_rep: str = "") -> tuple[pd.DataFrame, list[str]]:
    """Return all columns known of the cells, and notes on those renamed or left out."""
    rows, notes = obs_columns(adata), []
    renamed = record_of(adata).get("renamed")
    stored = {new: old for old, new in renamed.items() if isinstance(new, str)} if isinstance(renamed, dict) else {}
    rows = rows.rename(columns={new: old for new, old in stored.items() if old not in rows})
    # Genes may share a symbol.
    names, repeated = distinct_names(list(map(str, adata.var_names)))
    notes += repeated
    if (stored := matrix_of(adata)) is not None:
        if issparse(stored):
            notes.append(_made_dense("X", adata.n_obs * adata.n_vars))
        measured = pd.DataFrame(dense(stored), columns=names)
        if both := [str(name) for name in measured if name in rows]:
            notes.append(f"In X as well as in obs, so those of X are now called NAME (X): {listed(both)}.")
        rows = measured.rename(columns={name: f"{name} (X)" for name in both}).join(rows)
    obs_names = adata.obs_names
    if is_names(obs_names) and obs_names.name not in rows and not _are_keys(rows, obs_names):
        rows = rows.assign(**{unused_name_column(rows): obs_names.astype(str).to_numpy(dtype=object)})
    if MAP in adata.obsm:
        places = dense(adata.obsm[MAP])
        if places.ndim == 2 and places.dtype.kind in "fiu":
            rows = rows.assign(**{f"map_{axis}": column for axis, column in enumerate(places.T, start=1)})
        else:
            notes.append(f'obsm["{MAP}"] is left out: it is not a table of numbers, so it holds no map.')
    further = {
        array_column(name, axis): column
        for name, values in arrays_of(adata, use_rep).items()
        for axis, column in enumerate(values.T, start=1)
    }
    further |= _of_layers(adata, names, use_rep, notes)
    further = {name: column for name, column in further.items() if name not in rows}
    return pd.concat([rows, pd.DataFrame(further, rows.index)], axis=1) if further else rows, notes


def arrays_of(adata: "AnnData", use_rep: str = "") -> dict[str, np.ndarray]:
    """Return arrays in ``obsm`` such as ``X_umap`` and ``X_pca``, shape (n_cells, n_columns) each.

    Parameters
    ----------
    adata : anndata.AnnData
    use_rep : str
        One that is taken whatever it is called, and however many columns it has.

    Raises
    ------
    ValueError
        If that one does not hold numbers.
    """
    found = {}
    for name in map(str, adata.obsm):
        if name != use_rep and (not map_name(name) or name == MAP):
            continue
        values = dense(adata.obsm[name])
        is_table = values.ndim == 2 and values.dtype.kind in "fiu"
        if name == use_rep and not is_table:
            raise ValueError(f'obsm["{name}"] is not a table of numbers, so no map can be made of it.')
        if is_table and (name == use_rep or 2 <= values.shape[-1] <= _MOST_AXES):
            found[name] = values.astype(float)
    return found


def check_representation(adata: "AnnData", use_rep: str) -> None:
    """Raise unless an AnnData has an array in ``obsm`` or a layer of this name.

    Raises
    ------
    ValueError
        The message lists those that there are.
    """
    there = ["X", *map(str, adata.obsm), *named_layers(adata)]
    if use_rep not in there:
        raise ValueError(f'The AnnData has no "{use_rep}" in obsm or layers. A map can be made of {listed(there)}.')


def _of_layers(adata: "AnnData", names: list[str], use_rep: str, notes: list[str]) -> dict[str, np.ndarray]:
    """The columns of layers, of which `names` has the names; notes say which are left out, and which were sparse."""
    size = adata.n_obs * adata.n_vars
    left_out, columns = [], dict[str, np.ndarray]()
    layers = named_layers(adata)
    is_asked = use_rep in layers and use_rep not in adata.obsm
    room = _MOST_IN_LAYERS
    for key in sorted(layers, key=lambda key: not (is_asked and key == use_rep)):
        stored = layers[key]
        if not (is_asked and key == use_rep) and size > room:
            left_out.append(key)
        elif stored.dtype.kind in "fiub":
            room -= size
            stored = in_memory(stored)
            if issparse(stored):
                notes.append(_made_dense(f'layers["{key}"]', size))
            values = dense(stored)
            columns |= {layer_column(name, key): values[:, at] for at, name in enumerate(names)}
    if left_out:
        ask = f'explore(adata, use_rep="{left_out[0]}") takes one up.'
        notes.append(f"Too large to be read unasked, so left out of the table: layers {listed(left_out)}. {ask}")
    return columns


def _made_dense(where: str, n_numbers: int) -> str:
    size = n_numbers * 8 / 2**20
    told = f"{size:.0f} MiB" if size >= 1 else "less than 1 MiB"
    return f"{where} is sparse, and dense in the table here: {told}. The AnnData keeps it sparse."


def _are_keys(rows: pd.DataFrame, obs_names: pd.Index) -> bool:
    """Whether the names of the cells are merely their keys."""
    return {*KEY} <= {*rows} and list(key_names(rows)) == list(obs_names)


def _allowed(columns: list[str]) -> dict[str, str]:
    """New names for the columns of ``obs`` that HDF5 would refuse."""
    renamed: dict[str, str] = {}
    for name in columns:
        new = name.replace("/", "_") if name not in _RESERVED else f"{name}_"
        while new != name and new in {*columns, *renamed.values()}:
            new += "_"
        if new != name:
            renamed[name] = new
    return renamed


def _storable(column: pd.Series) -> pd.Series:
    """A column of a type that HDF5 can hold; dates, for instance, become text."""
    dtype = column.dtype
    if is_float_dtype(dtype):
        return pd.Series(column.to_numpy(dtype=float, na_value=np.nan), column.index)
    as_it_is = isinstance(dtype, pd.CategoricalDtype | pd.StringDtype) or is_object_dtype(dtype)
    if as_it_is or is_bool_dtype(dtype) or is_integer_dtype(dtype):
        return column
    return as_text(column)
