"""TIFF files of many programs: OME-TIFF, ImageJ's, pyramids, and others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

MICROMETRES = {"µm": 1.0, "micron": 1.0, "nm": 1e-3, "mm": 1e3, "Å": 1e-4}
"""Micrometres in the units in which files tell the size of a pixel."""
STEPS = {"z": 2.0, "y": 0.5, "x": 0.25}
"""The size of a pixel in all files that tell it."""


def write_tiff(
    path: Path, pixels: np.ndarray, axes: str, quirks: list[str], rng: np.random.Generator, **settings: Any
) -> tuple[Any, ...]:
    """Write pixels as TIFF; return the path, whether axes are named, the size of a pixel, and whether it is damaged."""
    import tifffile

    if {"lzw", "packbits"} & {*quirks} and pixels.ndim == 2 and pixels.dtype in (np.uint8, np.uint16):
        return _by_pillow(path, pixels, "tiff_lzw" if "lzw" in quirks else "packbits")
    is_imagej = "imagej" in quirks and pixels.dtype.name in ("uint8", "uint16", "float32")
    is_ome = "ome" in quirks and not is_imagej
    path = path.with_name(f"{path.name}.ome.tif" if is_ome else f"{path.name}.tif")
    options = _options(pixels, axes, quirks)
    if is_ome:
        pixels, axes, about = _ome(pixels, axes, quirks, **settings)
        options |= {"ome": True, "metadata": about}
    elif is_imagej:
        pixels, axes, about = _imagej(pixels, axes, **settings)
        options |= {"imagej": True, "metadata": about, "resolution": (1 / STEPS["x"], 1 / STEPS["y"])}
        for key in ("tile", "predictor", "compression", "bigtiff", "planarconfig", "photometric", "colormap"):
            options.pop(key, None)
    elif "pages" in quirks and pixels.ndim <= 3:
        # Of more axes, nobody could tell where one ends.
        options["metadata"] = None
    else:
        # As tifffile writes it, which names no axes but keeps the shape.
        pixels = pixels[None] if "singletons" in quirks else pixels
    _save(tifffile, path, pixels, axes, quirks, options, is_ome)
    if "cut off" in quirks:
        data = path.read_bytes()
        path.write_bytes(data[: len(data) * 3 // 5])
    spacing = _spacing(is_ome or is_imagej, settings["unit"], axes, is_imagej)
    return path, is_ome or is_imagej, spacing, "cut off" in quirks


def _save(
    tifffile: Any, path: Path, pixels: np.ndarray, axes: str, quirks: list[str], options: dict[str, Any], is_ome: bool
) -> None:
    levels = [pixels[..., ::2, ::2]] if "pyramid" in quirks and is_ome and "s" not in axes else []
    with tifffile.TiffWriter(
        path,
        bigtiff=bool(options.pop("bigtiff", False)),
        byteorder=">" if "big-endian" in quirks else None,
        ome=options.pop("ome", False),
        imagej=options.pop("imagej", False),
    ) as file:
        file.write(pixels, subifds=len(levels) or None, **options)
        for level in levels:
            file.write(level, subfiletype=1, **{key: one for key, one in options.items() if key != "metadata"})


def _spacing(is_told: bool, unit: str, axes: str, is_imagej: bool) -> dict[str, float] | None:
    if not is_told or unit not in MICROMETRES:
        return None
    return {axis: STEPS[axis] * MICROMETRES[unit] for axis in "zyx" if axis in axes or (is_imagej and axis == "z")}


def _options(pixels: np.ndarray, axes: str, quirks: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {"photometric": "rgb" if axes.endswith("s") else "minisblack"}
    if axes.endswith("s") and pixels.shape[-1] == 4:
        options["extrasamples"] = ["unassalpha"]
    if {"zlib", "predictor"} & {*quirks}:
        options["compression"] = "zlib"
    if "predictor" in quirks and pixels.dtype.kind in "iu":
        options["predictor"] = 2
    if "tiled" in quirks:
        options["tile"] = (16, 16)
    if "bigtiff" in quirks:
        options["bigtiff"] = True
    if "separate planes" in quirks and axes.endswith("cyx") and "z" not in axes and "t" not in axes:
        options["planarconfig"] = "separate"
    if "white is zero" in quirks and pixels.dtype == np.uint8 and not axes.endswith("s"):
        options["photometric"] = "miniswhite"
    if "palette" in quirks and pixels.dtype == np.uint8 and axes == "yx":
        options |= {"photometric": "palette", "colormap": np.arange(768, dtype=np.uint16).reshape(3, 256)}
    return options


def _ome(
    pixels: np.ndarray, axes: str, quirks: list[str], unit: str, names: list[str]
) -> tuple[np.ndarray, str, dict[str, Any]]:
    if "other order" in quirks and "s" not in axes:
        # Time, depth and channels come in every order.
        order = [*range(len(axes) - 2)[::-1], len(axes) - 2, len(axes) - 1]
        pixels, axes = pixels.transpose(order), "".join(axes[at] for at in order)
    about: dict[str, Any] = {"axes": axes.upper()}
    if unit:
        for axis in "zyx":
            about |= {f"PhysicalSize{axis.upper()}": STEPS[axis], f"PhysicalSize{axis.upper()}Unit": unit}
    if "c" in axes:
        about["Channel"] = {"Name": names[: pixels.shape[axes.index("c")]]}
    return pixels, axes, about


def _imagej(pixels: np.ndarray, axes: str, unit: str, names: list[str]) -> tuple[np.ndarray, str, dict[str, Any]]:
    about = {"axes": axes.upper(), "spacing": STEPS["z"], **({"unit": unit.replace("µ", "\\u00B5")} if unit else {})}
    return pixels, axes, about


def _by_pillow(path: Path, pixels: np.ndarray, compression: str) -> tuple[Any, ...]:
    from PIL import Image

    path = path.with_suffix(".tif")
    Image.fromarray(pixels.astype(pixels.dtype.newbyteorder("="))).save(path, compression=compression)
    return path, False, None, False
