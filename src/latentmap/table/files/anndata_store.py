"""AnnData in zarr: a folder in place of a file."""

import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from latentmap.table.files.anndata_io import ADDED, MAP
from latentmap.table.files.atomic_write import atomic_folder
from latentmap.table.files.unpacked import PER_BYTE_OF_COLUMN, check_unpacked
from latentmap.table.files.zarr_folder import folder_around
from latentmap.table.libraries import import_optional
from latentmap.table.map_table import PROVENANCE
from latentmap.table.text_numbers import Unreadable

if TYPE_CHECKING:
    from anndata import AnnData


def read_store(path: Path) -> "AnnData":
    """Read an AnnData in zarr whole.

    Raises
    ------
    Unreadable
        If it takes more memory than is free, or a part of it is missing.
    ValueError
        If anndata is missing.
    """
    anndata = import_optional("anndata", f"Reading {path.name}")
    zarr = import_optional("zarr", f"Reading {path.name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        there = dict(zarr.open_group(path, mode="r", use_consolidated=False).members(max_depth=None))
        # What is missing would be read as empty; most stores list what they should have.
        listed = {"obs", "var", *dict(zarr.open_group(path, mode="r").members(max_depth=None))}
        if missing := sorted(listed - there.keys()):
            raise Unreadable(f'"{path.name}" is not whole: "{missing[0]}" is missing in it. Copy it anew.')
        check_unpacked(path, PER_BYTE_OF_COLUMN * sum(one.nbytes for one in there.values() if hasattr(one, "chunks")))
        adata: AnnData = anndata.read_zarr(path)
        return adata


@contextmanager
def changed_store(path: Path) -> Iterator[Any]:
    """Change an AnnData in zarr completely or not at all: a copy of it is changed, and then takes its place.

    Yields
    ------
    zarr.Group
        The copy.

    Raises
    ------
    OSError
        If the folder around it is not writable or full.
    """
    zarr = import_optional("zarr", f"Writing into {path.name}")
    # Not in another store, where it would be seen as a part if the process were killed.
    within = (folder_around(path) or path.resolve()).parent
    with atomic_folder(path, within=within) as copy, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of zarr, about formats to come
        shutil.copytree(path, copy)
        yield zarr.open_group(copy, mode="r+", use_consolidated=False)
        if zarr.open_group(copy, mode="r").metadata.consolidated_metadata is not None:
            zarr.consolidate_metadata(copy)


def write_added(group: Any, adata: "AnnData") -> None:
    """Write what a map has added to an AnnData into its copy in zarr; all else stays as it is there."""
    elements = import_optional("anndata.io", "Writing an AnnData in zarr")
    obs = group["obs"]
    kept = [column for column in obs.attrs["column-order"] if not column.startswith(ADDED)]
    for old in [column for column in obs if column.startswith(ADDED)]:
        del obs[old]
    added = [column for column in adata.obs if column.startswith(ADDED)]
    for column in added:
        values = adata.obs[column].to_numpy()
        # AnnData, too, writes words as categories.
        elements.write_elem(obs, column, pd.Categorical(values) if values.dtype == object else values)
    obs.attrs["column-order"] = [*kept, *added]
    added_to = {"obsm": {MAP: adata.obsm[MAP]}}
    added_to["uns"] = {key: value for key, value in adata.uns.items() if key.startswith(PROVENANCE)}
    for part, entries in added_to.items():
        if part not in group:
            elements.write_elem(group, part, {})
        for key, value in entries.items():
            elements.write_elem(group[part], key, value)
