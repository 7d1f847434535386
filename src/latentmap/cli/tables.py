"""Tables that commands read and write: which cell a row is, and that no file is lost."""

import argparse
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from latentmap.images.image_files import file_stem
from latentmap.measuring.measured_parts import part_files
from latentmap.table import CellTable, read_table
from latentmap.table.files.anndata_io import from_anndata
from latentmap.table.files.formats import WRITABLE, endings, format_of, is_anndata
from latentmap.table.files.reading import read_anndata, read_rows
from latentmap.table.files.writing import path_of_record
from latentmap.table.key_columns import KeyMissing, check_key_is_whole
from latentmap.table.plain_tables import NAME_COLUMN, is_names
from latentmap.table.wording import listed

NUMBERED = "No column says which cell a row is, so the rows are numbered from 1; --label names a column that does."
"""Said of a table whose rows have no key."""


def read_cells(paths: Sequence[Path], options: argparse.Namespace) -> CellTable:
    """Read tables of cells and put them into one.

    Parameters
    ----------
    paths : sequence of pathlib.Path
        The files. Rows that name no layer have the name of their file as one.
    options : argparse.Namespace
        With ``label``, ``frame`` and ``layer``: columns that hold the parts of the key; and perhaps with
        ``features_from``: an array or a layer of an AnnData that is read, whatever its size and name.

    Returns
    -------
    CellTable
        The rows are numbered where nothing tells which cell they are.
    """
    columns = {part: name for part in ("label", "frame", "layer") if (name := getattr(options, part, None))}
    source = getattr(options, "features_from", None) or ""
    names = [file_stem(path) for path in paths]
    if len({*names}) < len(names):
        raise ValueError(
            f"Several tables are called {listed(sorted({n for n in names if names.count(n) > 1}))}: "
            "cells are told apart by the name of their file, so rename one."
        )
    cells = CellTable.pool([_read(path, name, columns, source) for path, name in zip(paths, names, strict=True)])
    if len(twice := cells.features.index[cells.features.index.duplicated()]):
        layer, frame, label = twice[0]
        raise ValueError(
            f"Several of these tables have the same cell, such as label {label} in frame {frame} of {layer}: leave one "
            "out, or give their rows different layers."
        )
    return cells


def check_output(path: Path | None, options: argparse.Namespace, inputs: Sequence[Path] = ()) -> None:
    """Refuse an output that cannot be written, is an input as well, or is there already.

    Raises
    ------
    ValueError
        Saying what to do.
    """
    if path is None:
        return
    found = format_of(path)
    if found is None or not found.is_writable:
        raise ValueError(f'"{path.name}": a table is saved as {endings(WRITABLE)}. Choose one of these endings.')
    refuse_to_replace(path, options, inputs)
    if found.kind == "text":
        refuse_to_replace(path_of_record(path), options, inputs)


def refuse_to_replace(path: Path, options: argparse.Namespace, inputs: Sequence[Path] = ()) -> None:
    """Refuse a file that is there already, unless --force is given, and a folder that is not there or not writable."""
    if not path.parent.is_dir():
        raise ValueError(f'There is no folder "{path.parent}": make it first.')
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f'Nothing can be written in the folder "{path.parent}": choose another one.')
    if any(path.exists() and one.exists() and path.samefile(one) for one in inputs):
        raise ValueError(f'"{path}" is read by this command, so it is not replaced: give the output another name.')
    if path.exists() and not options.force:
        raise ValueError(f'"{path}" is there already: --force replaces it.')


def described_files(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the names of files and the digests of their bytes, for a record; of images in folders, the names alone."""
    found = []
    for path in paths:
        if path.is_dir():
            # An image may be too large to be read once more.
            files = (one for one in sorted(path.rglob("*")) if one.is_file()) if is_anndata(path) else part_files(path)
            parts = [digest_of(part) for part in files]
            digest = {"sha256": hashlib.sha256("".join(parts).encode()).hexdigest()} if parts else {}
            found.append({"file": path.name} | digest)
        else:
            found.append({"file": path.name, "sha256": digest_of(path)})
    return found


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read(path: Path, layer: str, columns: dict[str, str], source: str) -> CellTable:
    if is_anndata(path):
        return _of_anndata(path, layer, columns, "" if source == "X" else source)
    try:
        return read_table(path, layer=layer, columns=columns)
    except KeyMissing:
        if "label" in columns:
            raise
    rows, notes = read_rows(path, columns)
    if is_names(rows.index) and NAME_COLUMN not in rows:
        rows = rows.assign(**{NAME_COLUMN: rows.index.astype(str)})
    number = _name_of_numbers(path, rows)
    rows = rows.assign(**{number: np.arange(1, len(rows) + 1)})
    cells = CellTable.read(rows, layer=layer, columns={**columns, "label": number})
    return CellTable(cells.features, (*notes, *cells.notes, NUMBERED))


def _name_of_numbers(path: Path, rows: pd.DataFrame) -> str:
    """Return what to call the rows' numbers where no column says which cell a row is."""
    check_key_is_whole(rows, f'"{path.name}"')
    return next(new for new in ("label", "row number", f"row number {len(rows)}") if new not in rows)


def _of_anndata(path: Path, layer: str, columns: dict[str, str], use_rep: str) -> CellTable:
    adata = read_anndata(path)
    dense = [f'X of "{path.name}" is sparse and was made dense. --use-rep makes a map of obsm instead.']
    dense = dense if issparse(adata.X) else []
    try:
        cells = from_anndata(adata, layer=layer, columns=columns, use_rep=use_rep)
        return CellTable(cells.features, (*dense, *cells.notes))
    except KeyMissing:
        if "label" in columns:
            raise
    number = _name_of_numbers(path, adata.obs)
    adata.obs[number] = np.arange(1, adata.n_obs + 1)
    cells = from_anndata(adata, layer=layer, columns={**columns, "label": number}, use_rep=use_rep)
    return CellTable(cells.features, (*dense, *cells.notes, NUMBERED))
