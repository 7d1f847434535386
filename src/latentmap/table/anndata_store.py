"""AnnData in zarr: a folder in place of a file."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from latentmap.table.atomic_write import atomic_folder
from latentmap.table.libraries import import_optional
from latentmap.table.text_numbers import Unreadable
from latentmap.table.unpacked import PER_BYTE_OF_COLUMN, check_unpacked
from latentmap.table.zarr_folder import attributes_of, folder_around

if TYPE_CHECKING:
    from anndata import AnnData


def is_anndata_store(path: Path) -> bool:
    """Whether a folder is an AnnData in zarr."""
    return attributes_of(path).get("encoding-type") == "anndata"


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


def save_store(adata: "AnnData", path: Path) -> None:
    """Write an AnnData in zarr in place of one that is there; after a failure, the old one is still there.

    Raises
    ------
    OSError
        If the folder it is in is not writable or full.
    Unreadable
        If it is a part of another store, which lists what is in each of its parts.
    """
    import anndata

    if whole := folder_around(path):
        raise Unreadable(
            f'"{path.name}" is a part of "{whole.name}", where maps are written into by write_into_spatialdata. '
            "Choose that one, or save a copy of this part and choose the copy."
        )
    # What could read the old one can read the new one.
    form = 3 if (path / "zarr.json").exists() else 2
    with (
        atomic_folder(path) as unfinished,
        anndata.settings.override(zarr_write_format=form),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", UserWarning)  # of zarr and anndata, about formats to come
        adata.write_zarr(unfinished)
