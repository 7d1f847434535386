"""Writing a map into the tables of a SpatialData."""

import os
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from latentmap.table.anndata_writing import row_by_key, row_by_name, row_of_each, where_classes_are, write_rows
from latentmap.table.libraries import import_optional
from latentmap.table.map_table import MapTable, with_distinct_names
from latentmap.table.numbered_rows import numbered_obs
from latentmap.table.spatialdata_io import layer_of
from latentmap.table.wording import listed


def write_into_spatialdata(sdata: Any, map_table: MapTable, *, layer: str = "cells") -> tuple[str, ...]:
    """Write a map into the tables of a SpatialData, as :func:`~latentmap.table.write_into` does into an AnnData.

    Parameters
    ----------
    sdata : spatialdata.SpatialData
        Changed in place. If it was read from a Zarr store, the tables that have cells of the map are written there
        anew, each whole or not at all; nothing else in the store is touched.
    map_table : MapTable
        As :meth:`~latentmap.session.Session.map_table` returns it.
    layer : str
        The layer of the cells of a table that annotates no element.

    Returns
    -------
    tuple of str
        Sentences for the user: rows without a cell on the map, and which tables were written.

    Raises
    ------
    ValueError
        If no table has a cell of the map, or the store is of a version that cannot be written to.
    OSError
        If the folder is not writable or full.
    """
    path = Path(sdata.path) if sdata.is_backed() else None
    if path is not None and not (path / "zarr.json").exists():
        raise ValueError(
            f'"{path.name}" was written by an older spatialdata, whose format is not mixed with the one of now: write '
            "it anew (sdata.write), read that, and write the map into it."
        )
    rows = with_distinct_names(map_table.rows)
    told, written, reasons, found = list[str](), list[str](), list[str](), np.zeros(len(rows), dtype=bool)
    for name, adata in sdata.tables.items():
        try:
            own = layer_of(sdata, name, layer)
            source = _row_of_each(sdata, name, rows, own)
            write_rows(adata, map_table, source, own)
        except ValueError as error:
            reasons.append(str(error))
            continue
        written.append(name)
        found[source[source >= 0]] = True
        if missing := int((source < 0).sum()):
            told.append(f'{missing} of {len(source)} rows of "{name}" without a cell on the map.')
        if path is not None and (path / "tables" / name).exists():
            _store(sdata, path, name)
    if not written:
        raise ValueError(reasons[0] if reasons else "This SpatialData has no table.")
    if missing := int((~found).sum()):
        told.append(f"{missing} of {len(rows)} cells on the map without a row in any table.")
    where = f' of "{path.name}"' if path is not None else ""
    return (*told, *where_classes_are(map_table), f"Written into {listed(written)}{where}.")


def _row_of_each(sdata: Any, name: str, rows: pd.DataFrame, layer: str) -> np.ndarray:
    """For each row of a table, the row of the same cell on the map; -1 where there is none."""
    adata = sdata.tables[name]
    if not {*rows["layer"]} & {*sdata.tables}:
        return row_of_each(adata, rows, layer, {})
    try:
        return row_by_key(adata, rows, layer, {})
    except ValueError:
        # `from_spatialdata` has numbered the rows of a table that does not say which cell each is. Their names say so,
        # too, also where rows have come or gone, but only within the table.
        here = np.flatnonzero(rows["layer"] == name)
        named = row_by_name(adata, rows.iloc[here], name)
        if (named >= 0).any():
            return np.where(named < 0, -1, here[named])
        return row_by_key(type(adata)(obs=numbered_obs(adata)), rows, name, {})


def _store(sdata: Any, path: Path, name: str) -> None:
    """Replace one table in the store that a SpatialData was read from."""
    spatialdata = import_optional("spatialdata", "Writing a SpatialData", install="spatialdata")
    there = path / "tables" / name
    with TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that the elements which the table is of are not with it
            spatialdata.SpatialData(tables={name: sdata.tables[name]}).write(Path(folder, "new.zarr"))
        old = Path(folder, "old")
        os.rename(there, old)
        try:
            os.rename(Path(folder, "new.zarr", "tables", name), there)
        except OSError:
            os.rename(old, there)
            raise
    sdata.write_consolidated_metadata()
