"""Folders of zarr: what they say of themselves, and what they are a part of."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any


def attributes_of(path: Path) -> dict[str, Any]:
    """Return the attributes of a group of zarr, of version 2 or 3; an empty dict for any other folder."""
    for name in ("zarr.json", ".zattrs"):
        with suppress(OSError, ValueError, AttributeError, TypeError):
            said = json.loads((path / name).read_text(encoding="utf-8"))
            return dict(said.get("attributes", said))
    return {}


def is_anndata_store(path: Path) -> bool:
    """Return whether a folder is an AnnData in zarr."""
    return attributes_of(path).get("encoding-type") == "anndata"


def is_zarr(path: Path) -> bool:
    """Return whether a path is that of a folder of zarr, by its name or what is in it."""
    return path.is_dir() and any((path / name).exists() for name in ("zarr.json", ".zgroup", ".zarray", ".zattrs"))


def folder_around(path: Path) -> Path | None:
    """Return the outermost folder of zarr that a path is in, if any."""
    return next((one for one in reversed(path.resolve().parents) if is_zarr(one)), None)
