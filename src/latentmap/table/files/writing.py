"""Writing tables of maps, together with the record of how the maps were made."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from latentmap.table.files.anndata_io import save, to_anndata
from latentmap.table.files.atomic_write import atomic_file
from latentmap.table.files.formats import WRITABLE, endings, format_of
from latentmap.table.libraries import import_optional
from latentmap.table.map_table import PROVENANCE, MapTable, as_json, with_distinct_names, with_uniform_columns


def write_table(map_table: MapTable, path: str | os.PathLike[str]) -> Path:
    r"""Write the table of a map in the format given by the file's ending.

    After a failure, the old file is still there, never half a new one.

    Parameters
    ----------
    map_table : MapTable
        The table, as :meth:`~latentmap.session.Session.map_table` returns it.
    path : path-like
        The file: ``.csv``, ``.tsv``, ``.parquet`` or ``.h5ad`` (AnnData). An existing file is replaced.

    Returns
    -------
    pathlib.Path
        The file written. It contains the record of how the map was made; for a CSV, that is a file next to it,
        ``NAME.csv.json``.

    Raises
    ------
    ValueError
        If the ending is of another format, a library is missing, or two columns share a name.
    OSError
        If the folder is missing, not writable or full.

    Examples
    --------
    >>> import tempfile
    >>> map_table = MapTable(pd.DataFrame({"label": [3, 7]}), provenance={"seed": 0})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_table(map_table, f"{folder}/map.csv")
    ...     path.read_text(), sorted(file.name for file in Path(folder).iterdir())
    ('label\n3\n7\n', ['map.csv', 'map.csv.json'])
    >>> write_table(map_table, "map.xlsx")
    Traceback (most recent call last):
    ValueError: "map.xlsx": a table is saved as .csv, .tsv, .parquet or .h5ad (AnnData). Choose one of these endings.
    """
    path = Path(path)
    found = format_of(path)
    if found is None or not found.is_writable:
        raise ValueError(f'"{path.name}": a table is saved as {endings(WRITABLE)}. Choose one of these endings.')
    if found.kind == "text":
        return write_csv(map_table.rows, path, map_table.provenance, separator=found.separator)
    return (
        write_parquet(map_table.rows, path, map_table.provenance)
        if found.kind == "parquet"
        else write_h5ad(map_table, path)
    )


def write_csv(
    rows: pd.DataFrame,
    path: str | os.PathLike[str],
    provenance: Mapping[str, Any] = MappingProxyType({}),
    *,
    separator: str = ",",
) -> Path:
    r"""Write a table as CSV; after a failure, the old file is still there, never half a new one.

    Parameters
    ----------
    rows : pandas.DataFrame
        The table; its index is not written.
    path : path-like
        The file. An existing file is replaced.
    provenance : mapping, optional
        The record of how the table was made. It goes into a file next to the CSV, ``NAME.csv.json``, so that every
        program can read the CSV itself.
    separator : str
        The separator between two values.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    ValueError
        If two columns share a name.
    OSError
        If the folder is missing, not writable or full.

    Examples
    --------
    >>> import pandas as pd, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_csv(pd.DataFrame({"label": [1, 2]}), f"{folder}/cells.csv").read_text()
    'label\n1\n2\n'
    """
    path, rows = Path(path), with_distinct_names(rows)
    if not provenance:
        _write_csv(rows, path, separator)
        return path
    # The record is replaced last: if the table cannot be replaced, the old record stays with the old table.
    with atomic_file(path_of_record(path)) as record:
        digest = _write_csv(rows, path, separator)
        record.write_text(as_json({"file": path.name, "sha256": digest, **provenance}, indent=2), encoding="utf-8")
    return path


def write_parquet(
    rows: pd.DataFrame, path: str | os.PathLike[str], provenance: Mapping[str, Any] = MappingProxyType({})
) -> Path:
    """Write a table as Parquet; errors as in `write_table`.

    Parameters
    ----------
    rows : pandas.DataFrame
        The table; its index is not written. A column of mixed types is written as text.
    path : path-like
        The file. An existing file is replaced.
    provenance : mapping, optional
        The record of how the table was made. It goes into the metadata of the file's schema, as JSON under the key
        ``latentmap``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pd.read_parquet(write_parquet(pd.DataFrame({"label": [1, 2]}), f"{folder}/cells.parquet"))
       label
    0      1
    1      2
    """
    path = Path(path)
    arrow, parquet = (import_optional(name, f"Writing {path.name}") for name in ("pyarrow", "pyarrow.parquet"))
    table = arrow.Table.from_pandas(with_uniform_columns(with_distinct_names(rows)), preserve_index=False)
    if provenance:
        table = table.replace_schema_metadata({**table.schema.metadata, PROVENANCE: as_json(provenance)})
    with atomic_file(path) as unfinished, unfinished.open("wb") as file:
        parquet.write_table(table, file, write_page_checksum=True)
    return path


def write_h5ad(map_table: MapTable, path: str | os.PathLike[str]) -> Path:
    """Write the table of a map as `to_anndata` lays it out; errors as in `write_table`.

    Examples
    --------
    >>> import tempfile
    >>> rows = pd.DataFrame({"layer": "nuclei", "frame": 0, "label": [3, 7], "area": [4, 9]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_h5ad(MapTable(rows, features=("area",)), f"{folder}/map.h5ad").name
    'map.h5ad'
    """
    save(to_anndata(map_table), path)
    return Path(path)


def path_of_record(path: Path) -> Path:
    """Return the path of the record that belongs to a CSV.

    Examples
    --------
    >>> path_of_record(Path("map.csv")).name
    'map.csv.json'
    """
    return path.with_name(f"{path.name}.json")


def _write_csv(rows: pd.DataFrame, path: Path, separator: str) -> str:
    """Write a CSV, and return the digest by which its record recognises it."""
    with atomic_file(path) as unfinished:
        rows.to_csv(unfinished, sep=separator, index=False, lineterminator="\n", encoding="utf-8")
        with unfinished.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
