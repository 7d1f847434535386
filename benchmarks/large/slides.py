"""Synthetic slides as OME-Zarr, of any size: cells that are known, written band by band."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import zarr

BOX = 50
"""The side of the box around a cell. No multiple of it is one of a chunk, so that borders of chunks cut cells."""
CHANNELS = ("DNA", "marker")
"""The channels of a slide."""
_PIXEL = 0.5


def band(first: int, n_boxes: int, n_across: int) -> tuple[np.ndarray, np.ndarray]:
    """Return some rows of boxes of a slide; which slide they are of makes no difference but for its width.

    Parameters
    ----------
    first, n_boxes : int
        The first row of boxes, and how many.
    n_across : int
        How many boxes lie in a row.

    Returns
    -------
    labels : ndarray of int32, shape (BOX * n_boxes, BOX * n_across)
    image : ndarray of uint16, shape (2, ...)
    """
    rng = np.random.default_rng(first)
    shape = (n_boxes, n_across)
    kind = _kinds(rng, shape)
    radii = np.array([[20, 18], [24, 9], [12, 11]])[kind] * rng.uniform(0.8, 1.0, (*shape, 2))
    level = np.array([[3000, 1200], [2200, 4000], [6000, 2000]])[kind] * rng.uniform(0.8, 1.2, (*shape, 2))
    at = np.arange(BOX) - (BOX - 1) / 2
    rows, columns = at[None, :, None, None], at[None, None, None, :]
    far = (rows / radii[:, None, :, None, 0]) ** 2 + (columns / radii[:, None, :, None, 1]) ** 2
    inside = far + rng.uniform(-0.15, 0.15, far.shape) < 1
    numbers = 1 + np.arange(first * n_across, (first + n_boxes) * n_across).reshape(n_boxes, 1, n_across, 1)
    flat = (n_boxes * BOX, n_across * BOX)
    labels = np.where(inside, numbers, 0).reshape(flat).astype(np.int32)
    images = [
        (np.where(inside, level[:, None, :, None, channel], 100) + rng.integers(0, 64, far.shape)).reshape(flat)
        for channel in range(len(CHANNELS))
    ]
    return labels, np.stack(images).astype(np.uint16)


def write_slide(path: Path, side: int, *, chunk: int = 1024, rows: int = 10) -> int:
    """Write a square slide with its labels, and return the bytes of its pixels at full resolution.

    Parameters
    ----------
    path : pathlib.Path
        ``NAME.ome.zarr``
    side : int
        In pixels; a multiple of `BOX`.
    chunk : int
        The side of the chunks.
    rows : int
        How many rows of boxes are in memory at a time.
    """
    n = side // BOX
    group = zarr.open_group(path, mode="w")
    group.attrs["ome"] = _about(["c", "y", "x"]) | {"omero": {"channels": [{"label": name} for name in CHANNELS]}}
    zarr.open_group(path / "labels", mode="w").attrs["ome"] = {"version": "0.5", "labels": ["cells"]}
    masks = zarr.open_group(path / "labels" / "cells", mode="w")
    masks.attrs["ome"] = _about(["y", "x"])
    levels = []
    for step in (1, 4):
        length = -(-side // step)
        image = group.create_array(
            str(len(levels)), shape=(2, length, length), chunks=(1, chunk, chunk), dtype=np.uint16
        )
        labels = masks.create_array(str(len(levels)), shape=(length, length), chunks=(chunk, chunk), dtype=np.int32)
        levels.append((step, image, labels))
    for first in range(0, n, rows):
        some, seen = band(first, min(rows, n - first), n)
        for step, image, labels in levels:
            start = -(-first * BOX // step)
            offset = start * step - first * BOX
            part = some[offset::step, ::step]
            labels[start : start + len(part)] = part
            image[:, start : start + len(part)] = seen[:, offset::step, ::step]
    return side * side * (4 + 2 * len(CHANNELS))


def kinds(side: int, rows: int = 10) -> np.ndarray:
    """Return which of three kinds each cell of a slide is of, by its number less one; `rows` as when it was written."""
    n = side // BOX
    bands = [_kinds(np.random.default_rng(first), (min(rows, n - first), n)) for first in range(0, n, rows)]
    return np.concatenate(bands).ravel()


def _kinds(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.integers(0, 3, shape)


def _about(axes: list[str]) -> dict[str, Any]:
    named = [
        {"name": axis} | ({"type": "channel"} if axis == "c" else {"type": "space", "unit": "micrometer"})
        for axis in axes
    ]
    datasets = [
        {
            "path": str(level),
            "coordinateTransformations": [
                {"type": "scale", "scale": [1.0 if axis == "c" else _PIXEL * step for axis in axes]}
            ],
        }
        for level, step in enumerate((1, 4))
    ]
    return {"version": "0.5", "multiscales": [{"axes": named, "datasets": datasets}]}
