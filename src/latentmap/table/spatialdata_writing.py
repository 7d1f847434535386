"""Writing a map into the tables of a SpatialData."""

import os
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from latentmap.table.anndata_writing import write_into
from latentmap.table.libraries import import_optional
from latentmap.table.map_table import MapTable
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
    told, written, reasons = list[str](), list[str](), list[str]()
    for name, adata in sdata.tables.items():
        try:
            told += write_into(adata, map_table, layer=layer)
        except ValueError as error:
            reasons.append(str(error))
            continue
        written.append(name)
        if path is not None and (path / "tables" / name).exists():
            _store(sdata, path, name)
    if not written:
        raise ValueError(reasons[0] if reasons else "This SpatialData has no table.")
    where = f' of "{path.name}"' if path is not None else ""
    return (*told, f"Written into {listed(written)}{where}.")


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
