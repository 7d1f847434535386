"""PNG and NumPy files, as programs write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def write_png(
    path: Path, pixels: np.ndarray, axes: str, quirks: list[str], rng: np.random.Generator, **_: Any
) -> tuple[Any, ...]:
    """Write pixels as PNG, in the nearest type that it has."""
    from PIL import Image

    path = path.with_suffix(".png")
    pixels = pixels.astype(pixels.dtype.newbyteorder("="))
    if pixels.dtype == bool and "one bit" not in quirks:
        pixels = pixels.astype(np.uint8)
    if pixels.dtype.kind in "iuf" and axes[-1] != "s" and "s" not in axes:
        pixels = _fitting(pixels, "16 bit" in quirks)
    image = Image.fromarray(pixels)
    if "palette" in quirks and pixels.dtype == np.uint8 and "s" not in axes:
        image = Image.fromarray(pixels, "L")
        image.putpalette(rng.integers(0, 256, 768).astype(np.uint8).tobytes())
    if "alpha" in quirks and image.mode == "L":
        image.putalpha(255)
    image.save(path)
    return path, False, None, _cut(path, quirks)


def _fitting(pixels: np.ndarray, is_wide: bool) -> np.ndarray:
    """Pixels as eight bits if these hold them, else as sixteen; others are left to the library to refuse."""
    whole = pixels.astype(np.int64) if np.isfinite(pixels).all() else None
    if whole is None or (whole != pixels).any() or whole.min(initial=0) < 0 or whole.max(initial=0) > 65535:
        return pixels
    return whole.astype(np.uint16 if is_wide or whole.max(initial=0) > 255 else np.uint8)


def write_npy(
    path: Path, pixels: np.ndarray, axes: str, quirks: list[str], rng: np.random.Generator, **_: Any
) -> tuple[Any, ...]:
    """Write pixels as NumPy does."""
    path = path.with_suffix(".npy")
    if "singletons" in quirks:
        pixels = pixels[None]
    with path.open("wb") as file:
        order = np.asfortranarray(pixels) if "fortran" in quirks else pixels
        np.lib.format.write_array(file, order, (2, 0) if "version 2" in quirks else None, allow_pickle=False)
    return path, False, None, _cut(path, quirks)


def _cut(path: Path, quirks: list[str]) -> bool:
    """Cut a file off, if it is to be; return whether it was."""
    if "cut off" in quirks:
        data = path.read_bytes()
        path.write_bytes(data[: len(data) * 3 // 5])
    return "cut off" in quirks
