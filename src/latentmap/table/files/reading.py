"""Reading tables of cells from files."""

import hashlib
import json
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from latentmap.table.cells import CellTable
from latentmap.table.files.anndata_io import from_anndata, record_of
from latentmap.table.files.anndata_store import read_store
from latentmap.table.files.damaged_hdf5 import is_readable
from latentmap.table.files.delimited_text import DelimitedText
from latentmap.table.files.formats import READABLE, Format, advice_on, check_content, endings, format_of, is_anndata
from latentmap.table.files.not_cells import check_cells
from latentmap.table.files.other_hdf5 import other_hdf5
from latentmap.table.files.spatialdata_io import (
    from_spatialdata,
    is_spatialdata_store,
    read_spatialdata,
    record_in_spatialdata,
)
from latentmap.table.files.sums import note_of_sums
from latentmap.table.files.tenx_matrix import is_tenx_matrix, read_tenx_matrix
from latentmap.table.files.unpacked import check_parquet, check_workbook, unpacked_text
from latentmap.table.files.vanished import vanished
from latentmap.table.files.workbook import Workbook
from latentmap.table.files.writing import path_of_record
from latentmap.table.files.zarr_folder import is_anndata_store
from latentmap.table.key_columns import LABELS, is_count, key_columns
from latentmap.table.libraries import import_optional
from latentmap.table.map_table import PROVENANCE, with_distinct_names
from latentmap.table.plain_tables import NAME_COLUMN, is_names, unused_name_column
from latentmap.table.text_numbers import Unreadable
from latentmap.table.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from anndata import AnnData

# What R, Excel and readr call a column without a name.
_NO_NAME = re.compile(r"V1|Column ?1|\.\.\.1")


def read_table(
    path: str | os.PathLike[str], *, layer: str, columns: Mapping[str, str] = MappingProxyType({})
) -> CellTable:
    r"""Read a table of cells from a file.

    Parameters
    ----------
    path : path-like
        ``.csv``, ``.tsv``, ``.txt`` or ``.dat`` (with commas, semicolons, tabs or spaces, decimal points or commas, in
        UTF-8, UTF-16 or Windows-1252), one of these packed by gzip (``.csv.gz``), ``.xlsx`` (Excel), ``.parquet`` (a
        file, or a folder of them), ``.h5ad`` (AnnData), ``.h5`` (counts of 10x Genomics), or a folder of zarr with an
        AnnData or a SpatialData. A column ``label``, or another of `~latentmap.table.key_columns.LABELS` such as
        ``CellID``, or ``index`` says which
        cell a row belongs to; the columns ``frame`` and ``layer`` give its frame and layer, if there is more than one.
    layer : str
        The layer of rows that do not name one.
    columns : mapping of str to str
        The columns that hold parts of the key under other names: ``{"label": "CellID", "layer": "image"}``.

    Returns
    -------
    CellTable
        All other columns are features. Notes say what was left out.

    Raises
    ------
    ValueError
        If there is no such file, it is damaged or of another format, it needs a library that is missing, or it holds no
        cell; the message says what to do.
    KeyMissing
        If its rows do not say which cell they belong to; ``error.candidates`` lists the columns that could, one of
        which may be given as ``columns={"label": name}``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "cells.csv")
    ...     _ = path.write_text("CellID;area\n3;4,5\n1000;9,25\n")
    ...     cells = read_table(path, layer="nuclei", columns={"label": "CellID"})
    >>> cells.features.loc[("nuclei", 0, 1000), "area"]
    np.float64(9.25)
    """
    path = Path(path)
    if is_spatialdata_store(path):
        return from_spatialdata(read_spatialdata(path), layer=layer, columns=columns)
    if _format(path).kind == "anndata":
        return from_anndata(read_anndata(path), layer=layer, columns=columns)
    rows, notes = read_rows(path, columns)
    cells = CellTable.read(rows, layer=layer, columns=key_columns(rows, columns))
    return CellTable(cells.features, (*notes, *cells.notes))


def read_rows(path: Path, columns: Mapping[str, str]) -> tuple[pd.DataFrame, list[str]]:
    """Read the rows of a text table, a workbook or a Parquet file, whether or not they name their cells.

    Parameters
    ----------
    path : pathlib.Path
    columns : mapping of str to str
        As for :func:`read_table`.

    Returns
    -------
    rows : pandas.DataFrame
        At least one.
    notes : list of str
        Which columns were left out, and what else to know of the rows.

    Raises
    ------
    ValueError
        As in :func:`read_table`, except for missing keys.
    """
    read = {"text": _read_text, "workbook": _read_workbook, "parquet": _read_parquet}[_format(path).kind]
    rows, notes = read(path, columns)
    if not len(rows):
        raise ValueError(f'"{path.name}" has no rows: there is no cell in it.')
    rows, left_out = _without_nameless(with_distinct_names(rows))
    rows, renamed = _with_row_numbers_named(rows, columns)
    for name in rows:
        # It was taken for the key by its name, and kept as text.
        if is_count(rows, str(name)):
            rows[name] = whole_numbers(rows[name], "")
    label = key_columns(rows, columns).get("label")
    if label is None:
        notes.extend(note_of_sums(rows))
    elif "label" not in columns and label not in LABELS[:3]:
        notes.append(f'The numbers in column "{label}" say which cell a row is.')
    return rows, [*notes, *left_out, *renamed]


def read_provenance(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the record of how the map in a file was made.

    Parameters
    ----------
    path : path-like
        As for :func:`read_table`.

    Returns
    -------
    dict
        Empty if there is no record.

    Raises
    ------
    ValueError
        If the file cannot be read, the record next to a CSV belongs to another table, or the tables of a SpatialData
        have different maps.

    Examples
    --------
    >>> import tempfile
    >>> from latentmap.table.files.writing import write_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_provenance(write_csv(pd.DataFrame({"label": [3]}), f"{folder}/map.csv", {"seed": 0}))
    {'seed': 0}
    """
    path = Path(path)
    if is_spatialdata_store(path):
        return record_in_spatialdata(read_spatialdata(path))
    kind = _format(path).kind
    if kind == "anndata":
        adata = read_anndata(path)
        with reading_errors(path, "an AnnData file with a record of latentmap"):
            return record_of(adata)
    if kind == "parquet" and path.is_dir():
        return {}
    if kind == "parquet":
        parquet = import_optional("pyarrow.parquet", f"Reading {path.name}")
        with reading_errors(path, "a Parquet file"):
            metadata = parquet.read_schema(path).metadata or {}
            record: dict[str, Any] = json.loads(metadata.get(PROVENANCE.encode(), "{}"))
            return record
    return _record_beside(path)


def read_anndata(path: Path) -> "AnnData":
    """Read an AnnData file, one in zarr, or the counts of 10x Genomics.

    Raises
    ------
    ValueError
        If there is no such file, it is damaged or not an AnnData file, or anndata is missing.
    """
    anndata = import_optional("anndata", f"Reading {path.name}")
    if not path.is_dir() and (found := format_of(path)):
        check_content(path, found)
    with reading_errors(path, "an AnnData file"):
        if is_anndata_store(path):
            return read_store(path)
        if not is_readable(path):
            raise OSError("HDF5 cannot read it to its end")
        if is_tenx_matrix(path):
            return read_tenx_matrix(path)
        with warnings.catch_warnings():
            # Of files by old versions it says to programmers where things have moved.
            warnings.simplefilter("ignore", FutureWarning)
            try:
                adata: AnnData = anndata.read_h5ad(path)
            except Exception as error:
                if not vanished(path, error) and (sentence := other_hdf5(path)):
                    raise Unreadable(sentence) from error
                raise
        return adata


@contextmanager
def reading_errors(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever goes wrong while a file is read into a sentence for the user.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    kind : str
        What the file should be: "a Parquet file".

    Raises
    ------
    ValueError
        Instead of any other error; its message says what is wrong.

    Examples
    --------
    >>> with reading_errors(Path("missing.csv"), "a CSV file"):
    ...     Path("missing.csv").read_text()
    Traceback (most recent call last):
    ValueError: There is no file "missing.csv".
    """
    try:
        yield
    except Unreadable:
        raise
    except FileNotFoundError as error:
        raise ValueError(f'There is no file "{path}".') from error
    except PermissionError as error:
        raise ValueError(f'You may not read "{path}": ask its owner for permission.') from error
    except MemoryError as error:
        raise ValueError(f'"{path.name}" is too large for the memory of this machine.') from error
    except ImportError as error:
        raise ValueError(f'"{path.name}" cannot be read with the libraries that are installed: {error}.') from error
    except UnicodeDecodeError as error:
        raise ValueError(f'"{path.name}" is not in UTF-8: save it as "CSV UTF-8", or in another format.') from error
    # A library may raise anything when a file is damaged.
    except Exception as error:
        raise ValueError(vanished(path, error) or f'"{path.name}" is damaged, or not {kind}.') from error


def _format(path: Path) -> Format:
    if path.is_dir() and any(path.glob("*.parquet")):
        return Format("Parquet", ".parquet", "parquet")
    if path.is_dir() and is_anndata(path):
        return Format("AnnData", path.suffix, "anndata")
    if path.is_dir() and any(path.glob("matrix.mtx*")):
        raise ValueError(f'"{path.name}" is a folder with the counts of 10x Genomics. {advice_on(Path("matrix.mtx"))}')
    if path.is_dir():
        raise ValueError(f'"{path}" is a folder and no SpatialData: choose a file.')
    if (found := format_of(path)) is None:
        raise ValueError(f'"{path.name}": a table of cells is read from {endings(READABLE)}. {advice_on(path)}')
    check_content(path, found)
    return found


def _read_text(path: Path, columns: Mapping[str, str]) -> tuple[pd.DataFrame, list[str]]:
    with reading_errors(path, "a CSV file"), unpacked_text(path) as plain:
        text = DelimitedText.open(plain)
        _check_cells(path, text.names, columns)
        rows, notes = text.read(**_columns_as_text(text.names, columns))
    return _without_empty(rows), notes


def _read_workbook(path: Path, columns: Mapping[str, str]) -> tuple[pd.DataFrame, list[str]]:
    import_optional("openpyxl", f"Reading {path.name}")
    with reading_errors(path, "an Excel workbook"), warnings.catch_warnings():
        # Of styles and the like, which say nothing of the cells.
        warnings.filterwarnings("ignore", module=r"openpyxl\.")
        check_workbook(path)
        workbook = Workbook.open(path)
        _check_cells(path, workbook.names, columns)
        rows, notes = workbook.read(**_columns_as_text(workbook.names, columns))
    return _without_empty(rows), notes


def _check_cells(path: Path, names: list[str], columns: Mapping[str, str]) -> None:
    """Refuse a table of parts of cells before it is read, unless the user has said what tells its rows apart."""
    if "label" not in columns:
        check_cells(path.name, names)


def _columns_as_text(names: list[str], columns: Mapping[str, str]) -> dict[str, list[str]]:
    """The columns of words, and the keys, which must not lose a digit."""
    keys = key_columns(pd.DataFrame(columns=names), columns)
    return {
        "words": [keys.get("layer", "layer"), "class", NAME_COLUMN],
        "keys": [keys.get("label", "index"), keys.get("frame", "frame")],
    }


def _read_parquet(path: Path, columns: Mapping[str, str]) -> tuple[pd.DataFrame, list[str]]:
    parquet = import_optional("pyarrow.parquet", f"Reading {path.name}")
    with reading_errors(path, "a Parquet file"):
        for file in sorted(path.glob("*.parquet")) if path.is_dir() else [path]:
            found = parquet.ParquetFile(file)
            _check_cells(path, found.schema_arrow.names, columns)
            check_parquet(file, found.metadata)
        rows = parquet.read_table(path, page_checksum_verification=True).to_pandas()
    plain: pd.DataFrame = rows.reset_index([name for name in rows.index.names if name is not None and name not in rows])
    return plain, []


def _without_empty(rows: pd.DataFrame) -> pd.DataFrame:
    """Excel and R end rows with separators, which make empty columns without a name."""
    return rows.drop(columns=[name for name in _nameless(rows) if rows[name].isna().all()])


def _without_nameless(rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Leave out columns without a name: pandas and R write row numbers there, or row names, which are kept."""
    nameless, notes = _nameless(rows), []
    if nameless and is_names(pd.Index(rows[nameless[0]])):
        old, new = nameless.pop(0), unused_name_column(rows)
        rows = rows.rename(columns={old: new})
        # pandas and R write row names in a first column without a name; elsewhere it may have had one.
        if old != "Unnamed: 0":
            notes.append(f'The column without a name ("{old}") names each row: it is called "{new}".')
    for old in [name for name in nameless if _tells_rows_apart(rows[name])]:
        nameless.remove(old)
        new = _name_of_row_numbers(rows, old)
        rows = rows.rename(columns={old: new})
        notes.append(f'The column without a name ("{old}") numbers the rows in its own way: it is called "{new}".')
    if nameless:
        notes.append(f"Columns: {len(nameless)} without a name left out (such as the rows' numbers).")
    return rows.drop(columns=nameless), notes


def _with_row_numbers_named(rows: pd.DataFrame, columns: Mapping[str, str]) -> tuple[pd.DataFrame, list[str]]:
    """Give the rows' numbers their name, where a program has given their column one that says nothing."""
    old = str(rows.columns[0]) if len(rows.columns) else ""
    if not _NO_NAME.fullmatch(old) or old in columns.values() or not _count_rows(rows[old]):
        return rows, []
    new = _name_of_row_numbers(rows, old)
    return rows.rename(columns={old: new}), [f'Column "{old}" counts the rows: it is called "{new}".']


def _name_of_row_numbers(rows: pd.DataFrame, old: str) -> str:
    return next(name for name in ("row", "row_number", f"row {old}") if name not in rows)


def _tells_rows_apart(column: pd.Series) -> bool:
    """Whether these are numbers of rows, but not 0, 1, 2 and so on: of a table that this one was taken from."""
    return len(column) > 0 and is_integer_dtype(column) and column.is_unique and not _count_rows(column)


def _count_rows(column: pd.Series) -> bool:
    """Whether these are 0, 1, 2 and so on, or 1, 2, 3."""
    return is_integer_dtype(column) and bool((np.diff(column) == 1).all()) and column.iloc[0] in (0, 1)


def _nameless(rows: pd.DataFrame) -> list[str]:
    return [name for name in rows.columns.astype(str) if re.fullmatch(r"Unnamed: \d+", name)]


def _record_beside(path: Path) -> dict[str, Any]:
    record_path = path_of_record(path)
    if not record_path.exists():
        return {}
    with reading_errors(record_path, "a record of latentmap"):
        record: dict[str, Any] = json.loads(record_path.read_text(encoding="utf-8"))
        named = record.pop("file"), record.pop("sha256")
    with reading_errors(path, "a CSV file"), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != named[1]:
        raise ValueError(
            f'"{record_path.name}" is not the record of "{path.name}": one of them has changed since they were saved.'
        )
    return record
