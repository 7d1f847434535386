"""OME-Zarr of several versions, and plain arrays of zarr."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.robustness.tiffs import STEPS

_UNITS = {"µm": "micrometer", "micron": "micron", "nm": "nanometer", "mm": "millimeter", "Å": "angstrom"}
_FACTORS = {"µm": 1.0, "micron": 1.0, "nm": 1e-3, "mm": 1e3, "Å": 1e-4}


def write_zarr(
    path: Path, pixels: np.ndarray, axes: str, quirks: list[str], rng: np.random.Generator, **settings: Any
) -> tuple[Any, ...]:
    """Write pixels as zarr; return the path, whether axes are named, the size of a pixel, and whether it is damaged."""
    import zarr

    path = path if path.parent.name == "labels" else path.with_suffix(".zarr")
    version = 2 if "v2" in quirks else 3
    # Nobody can tell the order of axes without names.
    if "other order" in quirks and "plain array" not in quirks:
        order = np.arange(len(axes))[::-1]
        pixels, axes = pixels.transpose(order), axes[::-1]
    if "singletons" in quirks and "z" not in axes and "s" not in axes and "other order" not in quirks:
        pixels, axes = np.expand_dims(pixels, len(axes) - 2), f"{axes[:-2]}z{axes[-2:]}"
    if "plain array" in quirks:
        array = _array(zarr, path, "", pixels, quirks, version)
        return path, False, None, _spoil(path, array, quirks)
    group = zarr.open_group(path, mode="w", zarr_format=version)
    levels = [pixels, pixels[..., ::2, ::2]] if {"levels", "levels reversed"} & {*quirks} else [pixels]
    named = list(enumerate(levels))
    arrays = [_array(zarr, path, str(at), level, quirks, version) for at, level in named]
    datasets = [_dataset(axes, at) for at, _ in named]
    about = _about(axes, datasets[::-1] if "levels reversed" in quirks else datasets, pixels.shape, **settings)
    group.attrs.update({"ome": {"version": "0.5", **about}} if version == 3 else about)
    factor = _FACTORS.get(settings["unit"])
    spacing = {axis: STEPS[axis] * factor for axis in "zyx" if axis in axes} if factor else None
    return path, "s" not in axes, spacing, _spoil(path / "0", arrays[0], quirks)


def _array(zarr: Any, path: Path, name: str, pixels: np.ndarray, quirks: list[str], version: int) -> Any:
    chunks = tuple(min(11, max(1, side)) if at >= pixels.ndim - 2 else 1 for at, side in enumerate(pixels.shape))
    options: dict[str, Any] = {"chunks": chunks, "zarr_format": version}
    if "shards" in quirks and version == 3:
        options["shards"] = tuple(2 * side for side in chunks)
    if "uncompressed" in quirks:
        options["compressors"] = None
    if "nested" in quirks and version == 2:
        options["chunk_key_encoding"] = {"name": "v2", "separator": "/"}
    if "big-endian" in quirks and version == 2 and pixels.dtype.itemsize > 1:
        pixels = pixels.astype(pixels.dtype.newbyteorder(">"))
    array = zarr.create_array(
        store=path, name=name or None, shape=pixels.shape, dtype=pixels.dtype, overwrite=True, **options
    )
    array[...] = pixels
    return array


def _dataset(axes: str, at: int) -> dict[str, Any]:
    scale = [STEPS[axis] * (2**at if axis in "yx" else 1) if axis in STEPS else 1.0 for axis in axes]
    return {"path": str(at), "coordinateTransformations": [{"type": "scale", "scale": scale}]}


def _about(
    axes: str, datasets: list[dict[str, Any]], shape: tuple[int, ...], unit: str, names: list[str]
) -> dict[str, Any]:
    kinds = {"t": "time", "c": "channel", "s": "channel"}
    described = [{"name": axis, "type": kinds.get(axis, "space")} for axis in axes]
    for one in described:
        if one["type"] == "space" and unit and unit != "pixel":
            one["unit"] = _UNITS.get(unit, unit)
    about: dict[str, Any] = {"multiscales": [{"version": "0.4", "axes": described, "datasets": datasets}]}
    if "c" in axes:
        about["omero"] = {"channels": [{"label": name} for name in names[: shape[axes.index("c")]]]}
    return about


def _spoil(path: Path, array: Any, quirks: list[str]) -> bool:
    """Damage a chunk, if one is to be; return whether one was.

    A chunk that is missing is no damage: zarr does not write those that are empty, so it means zeros.
    """
    if "corrupt chunk" not in quirks:
        return False
    names = ("zarr.json", ".zarray", ".zattrs", ".zgroup")
    files = sorted(file for file in path.rglob("*") if file.is_file() and file.name not in names)
    if not files:
        return False
    files[0].write_bytes(b"\x07" * 5)
    return True
