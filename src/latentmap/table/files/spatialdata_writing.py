"""Writing a map into the tables of a SpatialData."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from latentmap.table.files.anndata_store import changed_store, write_added
from latentmap.table.files.anndata_writing import (
    other_rows,
    row_by_key,
    row_by_name,
    row_of_each,
    where_classes_are,
    write_rows,
)
from latentmap.table.files.numbered_rows import numbered_obs
from latentmap.table.files.spatialdata_keys import ATTRS, instances, is_numbered, layer_of, own_names, part, regions_of
from latentmap.table.libraries import import_optional
from latentmap.table.map_table import MapTable, with_distinct_names
from latentmap.table.plain_tables import is_names
from latentmap.table.wording import listed

if TYPE_CHECKING:
    from anndata import AnnData

_OTHER_ROWS = (
    'The rows of "{name}" were numbered, and now they are others, in another order or with other features: name them '
    "(obs_names), and make the map again. Nothing is written there."
)


def write_into_spatialdata(
    sdata: Any, map_table: MapTable, *, layer: str = "cells", columns: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, ...]:
    """Write a map into the tables of a SpatialData, as :func:`~latentmap.table.write_into` does into an AnnData.

    Parameters
    ----------
    sdata : spatialdata.SpatialData
        Changed in place. If it was read from a Zarr store, the tables there get the map, too, each whole or not at all;
        nothing else in the store is touched, and what else has changed in memory is not written.
    map_table : MapTable
        As :meth:`~latentmap.session.Session.map_table` returns it.
    layer : str
        The layer of the cells of a table that annotates no element.
    columns : mapping of str to str
        The columns of ``obs`` that hold parts of the key, if the cells were read by these.

    Returns
    -------
    tuple of str
        Sentences for the user: rows without a cell on the map, rows that may be other cells now, and which tables were
        written.

    Raises
    ------
    ValueError
        If no table has a cell of the map, or the store is of a version that cannot be written to.
    OSError
        If the folder is not writable or full.
    """
    path = Path(sdata.path) if sdata.is_backed() else None
    if path is not None and not path.exists():
        raise ValueError(
            f'"{path}" is not there any more: write the SpatialData anew (sdata.write), read that, and write the map '
            "into it."
        )
    if path is not None and not (path / "zarr.json").exists():
        raise ValueError(
            f'"{path.name}" was written by an older spatialdata, whose format is not mixed with the one of now: write '
            "it anew (sdata.write), read that, and write the map into it."
        )
    rows = with_distinct_names(map_table.rows)
    told, written, in_memory, reasons = list[str](), list[str](), list[str](), list[str]()
    found = np.zeros(len(rows), dtype=bool)
    for name, adata in sdata.tables.items():
        try:
            own = layer_of(sdata, name, layer)
            source, are_named = _row_of_each(sdata, name, adata, rows, own, columns)
            doubts = other_rows(adata, map_table, source, _called(sdata, name, rows, columns))
            if doubts and not are_named:
                raise ValueError(_OTHER_ROWS.format(name=name))
            write_rows(adata, map_table, source, own)
        except ValueError as error:
            reasons.append(str(error))
            continue
        found[source[source >= 0]] = True
        without = _without(name, source)
        told += [*without, *(f'Table "{name}": {doubt}' for doubt in doubts)]
        if path is not None and not (path / "tables" / name).exists():
            in_memory.append(name)
            continue
        if path is not None:
            try:
                there = _store(sdata, path, name, map_table, own, columns)
            except ValueError as error:
                told.append(f'Table "{name}" has the map in memory only. On the disk: {error}')
                continue
            told += [f"{sentence[:-1]}, on the disk." for sentence in _without(name, there) if sentence not in without]
        written.append(name)
    if not found.any():
        raise ValueError(reasons[0] if reasons else "This SpatialData has no table.")
    if missing := int((~found).sum()):
        told.append(f"{missing} of {len(rows)} cells on the map without a row in any table.")
    told += where_classes_are(map_table)
    where = f' of "{path.name}"' if path is not None else ""
    if in_memory:
        told.append(f"Written in memory only, as the store has no such table: {listed(in_memory)}.")
    return (*told, f"Written into {listed(written)}{where}.") if written else tuple(told)


def _without(name: str, source: np.ndarray) -> list[str]:
    """Say how many rows of a table have no cell on the map."""
    missing = int((source < 0).sum())
    return [f'{missing} of {len(source)} rows of "{name}" without a cell on the map.'] if missing else []


def _called(sdata: Any, name: str, rows: pd.DataFrame, columns: Mapping[str, str]) -> dict[str, str]:
    """What columns of a table are called in that of the map, where another table has the same cells and names."""
    adata = sdata.tables[name]
    beside = {column.replace(f" ({name})", ""): column for column in map(str, rows) if f" ({name})" in column}
    return {**own_names(adata, columns, numbered=_is_numbered(sdata, name, columns)), **beside}


def _is_numbered(sdata: Any, name: str, columns: Mapping[str, str]) -> bool:
    return bool(regions_of(sdata.tables[name])) and is_numbered(sdata, name, columns)


def _row_of_each(
    sdata: Any, name: str, adata: "AnnData", rows: pd.DataFrame, layer: str, columns: Mapping[str, str]
) -> tuple[np.ndarray, bool]:
    """For each row of a table, the row of the same cell on the map, or -1; and whether names or labels say so."""
    # Rows of another table, or of what that annotates, are other cells, though their names may be the same.
    own = {name, layer, *regions_of(sdata.tables[name])}
    others = {other: regions_of(table) for other, table in sdata.tables.items() if other != name}
    taken = {*others, *(region for regions in others.values() for region in regions)} - own
    here = np.flatnonzero(~rows["layer"].isin(taken))
    source, are_named = _found(sdata, name, adata, rows.iloc[here].reset_index(drop=True), layer, columns)
    return (np.where(source < 0, -1, here[source]) if len(here) else source), are_named


def _found(
    sdata: Any, name: str, adata: "AnnData", rows: pd.DataFrame, layer: str, columns: Mapping[str, str]
) -> tuple[np.ndarray, bool]:
    numbered = _is_numbered(sdata, name, columns)
    called = own_names(adata, columns, numbered=numbered)
    keys = type(adata)(obs=adata.obs.rename(columns=called), uns={ATTRS: adata.uns.get(ATTRS)})
    are_numbers = (rows["layer"] == name).any() and not regions_of(sdata.tables[name]) & {*part(sdata, "labels")}
    if numbered and (source := instances(adata, rows, called)).max(initial=-1) >= 0:
        return source, True
    if not (numbered and are_numbers):
        try:
            source = (row_by_key if are_numbers else row_of_each)(keys, rows, layer, columns)
            if (source >= 0).any() or not are_numbers:
                return source, True
        except ValueError:
            if not are_numbers or columns:
                raise
    # The names of rows that were numbered say which they are, also where rows have come or gone, but only within the
    # table.
    of_table = np.flatnonzero(rows["layer"] == name)
    named = row_by_name(adata, rows.iloc[of_table], name)
    if (named >= 0).any():
        return np.where(named < 0, -1, of_table[named]), is_names(adata.obs_names)
    return row_by_key(type(adata)(obs=numbered_obs(keys)), rows, name, {}), False


def _store(
    sdata: Any, path: Path, name: str, map_table: MapTable, layer: str, columns: Mapping[str, str]
) -> np.ndarray:
    """Write a map into one table of the store that a SpatialData was read from; return where its rows are on the map.

    What else has changed in memory, such as rows left out or counts transformed, must not replace what is on the disk.
    """
    elements = import_optional("anndata.io", "Writing a SpatialData", install="spatialdata")
    with changed_store(path / "tables" / name) as group:
        stored = type(sdata.tables[name])(
            obs=elements.read_elem(group["obs"]), uns=elements.read_elem(group["uns"]) if "uns" in group else {}
        )
        rows = with_distinct_names(map_table.rows)
        source, are_named = _row_of_each(sdata, name, stored, rows, layer, columns)
        if not are_named and other_rows(
            elements.read_elem(group), map_table, source, _called(sdata, name, rows, columns)
        ):
            raise ValueError(_OTHER_ROWS.format(name=name))
        write_rows(stored, map_table, source, layer)
        write_added(group, stored)
    sdata.write_consolidated_metadata()
    return source
