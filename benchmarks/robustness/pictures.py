"""Cases of images and labels: what programs write, measured, and held against the pixels that went in."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.robustness.flat_files import write_npy, write_png
from benchmarks.robustness.outcomes import Lost, Refused
from benchmarks.robustness.tiffs import write_tiff
from benchmarks.robustness.zarrs import write_zarr
from latentmap.cli.main import main
from latentmap.images.lazy_reading import read_part
from latentmap.jupyter.labelled_image import LabelledImage, pyramid
from latentmap.model.data_warnings import collect_warnings

_LABELS = (
    "plain",
    "plain",
    "plain",
    "gaps",
    "huge",
    "one",
    "touching edges",
    "single pixels",
    "negative",
    "float",
    "float with a fraction",
    "large float",
    "bool",
    "uint8",
    "int32",
    "uint64",
    "empty",
    "big-endian",
)
_IMAGES = (
    "uint8",
    "uint16",
    "uint16",
    "float32",
    "float64",
    "float16",
    "int16",
    "int8",
    "uint32",
    "bool",
    "big-endian",
    "nan",
    "rgb",
    "rgba",
)
_WRITERS = {"tiff": write_tiff, "png": write_png, "npy": write_npy, "zarr": write_zarr}
_AXES = ("yx", "yx", "yx", "yx", "tyx", "zyx", "tzyx", "1yx")
_UNITS = ("", "", "µm", "µm", "micron", "nm", "mm", "Å", "pixel", "furlong")
_QUIRKS = {
    "tiff": (
        "ome",
        "ome",
        "imagej",
        "pages",
        "big-endian",
        "bigtiff",
        "zlib",
        "predictor",
        "tiled",
        "lzw",
        "packbits",
        "pyramid",
        "other order",
        "separate planes",
        "palette",
        "white is zero",
        "cut off",
        "singletons",
    ),
    "png": ("palette", "interlaced", "alpha", "cut off", "one bit", "16 bit"),
    "npy": ("fortran", "version 2", "cut off", "singletons"),
    "zarr": (
        "v2",
        "v3",
        "plain array",
        "shards",
        "levels",
        "levels reversed",
        "corrupt chunk",
        "other order",
        "nested",
        "uncompressed",
        "big-endian",
        "singletons",
        "0.5",
    ),
}
_NAMES = (("DNA", "CD3", "CD8"), ("DNA", "DNA", "CD8"), ("", "", ""), ("a/b", "=1+1", "two words"))


class Written(NamedTuple):
    """A file that was written.

    Attributes
    ----------
    path : Path
    is_known : bool
        Whether it tells which axis is what.
    spacing : dict of str to float or None
        The size of a pixel in micrometres, if the file tells it in a unit that is one.
    is_damaged : bool
        Whether it cannot be read whole.
    has_odd_unit : bool
        Whether it tells the size of a pixel in a unit that is none.
    """

    path: Path
    is_known: bool = False
    spacing: dict[str, float] | None = None
    is_damaged: bool = False
    has_odd_unit: bool = False


def draw(rng: np.random.Generator) -> dict[str, Any]:
    """Draw an image and its labels."""
    kinds = [str(one) for one in rng.choice(["tiff", "png", "npy", "zarr"], 2, p=[0.5, 0.1, 0.1, 0.3])]
    axes = "yx" if "png" in kinds else str(rng.choice(_AXES))
    return {
        "axes": axes,
        "size": [int(one) for one in rng.choice([1, 2, 17, 24, 33], 2, p=[0.05, 0.05, 0.3, 0.3, 0.3])],
        "labels": str(rng.choice(_LABELS)),
        "image": str(rng.choice(_IMAGES)),
        "n_channels": _n_channels(kinds, rng),
        "names": int(rng.integers(len(_NAMES))),
        "unit": str(rng.choice(_UNITS)),
        "files": kinds,
        "quirks": [[str(rng.choice(_QUIRKS[kind])) for _ in range(int(rng.choice([0, 1, 1, 2, 3])))] for kind in kinds],
        "ending": str(rng.choice([".csv", ".parquet"])),
        "inside": bool(rng.random() < 0.3),
        "front": str(rng.choice(["command", "command", "notebook"])),
    }


def _n_channels(kinds: list[str], rng: np.random.Generator) -> int:
    n = int(rng.choice([0, 1, 1, 1, 2, 3])) if "png" not in kinds else int(rng.integers(0, 2))
    # Of a folder of zarr alone, the labels inside are measured.
    return max(n, int(kinds[1] == "zarr"))


def perform(case: dict[str, Any], rng: np.random.Generator, folder: Path) -> list[str]:
    """Write an image and its labels, measure the cells, and compare; return the sentences heard."""
    axes = case["axes"].replace("1", "z")
    shape = tuple({"t": 3, "z": 1 if "1" in case["axes"] else 4}[axis] for axis in axes[:-2]) + tuple(case["size"])
    labels = _labels(case["labels"], shape, rng)
    channels = [_channel(case["image"], shape, rng) for _ in range(case["n_channels"])]
    files = _write(case, labels, channels, axes, rng, folder)
    if case["front"] == "notebook":
        return _shown(files, labels, channels, "t" in axes)
    words = ["measure", *(str(one.path) for one in files), "-o", str(folder / f"cells{case['ending']}")]
    if "t" in axes and not any(one.is_known for one in files):
        words.append("--time")
    said = _run(words)
    # What was cut off may have been a smaller copy of the image, which nobody needs.
    if not any(one.is_damaged for one in files) or not said:
        found = _read(folder / f"cells{case['ending']}")
        _compare(found, labels, channels, axes, files, said)
    return said


def _shown(files: list[Written], labels: np.ndarray, channels: list[np.ndarray], has_frames: bool) -> list[str]:
    """Open the files as a notebook does, and hold their pixels against those that went in."""
    image = files[0].path if channels else None
    said: list[str] = []
    with collect_warnings(said):
        shown = LabelledImage("cells", files[-1].path, image, has_frames=has_frames)
    if said and any(one.is_damaged for one in files):
        return said
    found = np.squeeze(read_part(pyramid(shown.labels)[0]))
    meant = np.squeeze(labels)
    if found.shape != meant.shape or (found != meant).any():
        raise Lost(f"labels of the shape {meant.shape} are shown as others, of the shape {found.shape}")
    read = [np.squeeze(read_part(pyramid(one.image)[0])) for one in shown.channels.values()]
    sent = [np.squeeze(channel) for channel in channels]
    if len(read) != len(sent):
        raise Lost(f"{len(sent)} channels are shown as {list(shown.channels)}")
    for name, one, other in zip(shown.channels, read, sent, strict=True):
        if one.shape != other.shape or not np.array_equal(one, other, equal_nan=one.dtype.kind == "f"):
            raise Lost(f'channel "{name}" of the shape {other.shape} is shown as another, of the shape {one.shape}')
    return said


def _run(words: list[str]) -> list[str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*words, "--json", "--quiet"])
    said = err.getvalue().strip()
    if "latentmap failed" in said or "Traceback" in said:
        raise AssertionError(said[-300:])
    if code:
        raise Refused(said)
    notes = json.loads(out.getvalue())["notes"]
    return [note for note in notes if not note.startswith("Measured: ")]


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path).reset_index()


def _labels(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Rectangles of several pixels, each with a number of its own in every frame."""
    labels = np.zeros(shape, np.int64)
    height, width = shape[-2:]
    side = 1 if kind == "single pixels" else 5
    number = 0
    for top in range(0 if kind == "touching edges" else 1, height, side + 2):
        for left in range(0 if kind == "touching edges" else 1, width, side + 2):
            number += 1
            if rng.random() < 0.8:
                labels[..., top : top + side, left : left + int(rng.integers(1, side + 1))] = number
    match kind:
        case "gaps":
            labels *= 977
        case "huge":
            labels = np.where(labels > 0, labels + 2**40, 0)
        case "one":
            labels = (labels == labels.max()) * 7
        case "negative":
            labels = np.where(labels == 2, -1, labels)
        case "float":
            return labels.astype(np.float32)
        case "float with a fraction":
            return labels + np.float32(0.5)
        case "large float":
            return np.where(labels > 0, labels + 2**24, 0).astype(np.float32)
        case "empty":
            labels[:] = 0
        case "big-endian":
            return labels.astype(">u2")
    others = {"huge": "int64", "negative": "int16"}
    is_type = kind in ("bool", "uint8", "int32", "uint64")
    return labels.astype(kind if is_type else others.get(kind, "uint16"))


def _channel(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    values = rng.integers(0, 200, shape)
    match kind:
        case "float16" | "float32" | "float64":
            return (values / 7).astype(kind)
        case "int8":
            return (values - 100).astype("int8")
        case "nan":
            values = values.astype(np.float32)
            values[..., 0] = np.nan
            return values
        case "int16":
            return (values - 100).astype("int16")
        case "bool":
            return values > 100
        case "big-endian":
            return values.astype(">u2")
        case "rgb" | "rgba":
            return rng.integers(0, 200, (*shape, len(kind))).astype(np.uint8)
    return values.astype(kind)


def _write(
    case: dict[str, Any],
    labels: np.ndarray,
    channels: list[np.ndarray],
    axes: str,
    rng: np.random.Generator,
    folder: Path,
) -> list[Written]:
    """Write the image, if there is one, and the labels."""
    settings = {"unit": case["unit"], "names": list(_NAMES[case["names"]])}
    files = []
    if channels:
        # The colours of a palette are no grey levels.
        kind, quirks = case["files"][0], [quirk for quirk in case["quirks"][0] if quirk != "palette"]
        if case["image"].startswith("rgb"):
            del channels[1:]
            pixels, own = channels[0], f"{axes}s"
            if kind == "zarr":
                # OME-Zarr knows channels, but no colours.
                channels[:] = [pixels[..., at] for at in range(pixels.shape[-1])]
                pixels, own = np.stack(channels, axis=len(axes) - 2), f"{axes[:-2]}c{axes[-2:]}"
        elif len(channels) > 1:
            pixels, own = np.stack(channels, axis=len(axes) - 2), f"{axes[:-2]}c{axes[-2:]}"
        else:
            pixels, own = channels[0], axes
        files.append(_written(kind, folder / "image", pixels, own, quirks, rng, **settings))
    kind, quirks = case["files"][1], case["quirks"][1]
    where = folder / "labels"
    if case["inside"] and kind == "zarr" and files and files[0].path.suffix == ".zarr":
        (files[0].path / "labels").mkdir(exist_ok=True)
        where = files[0].path / "labels" / "cells"
    files.append(_written(kind, where, labels, axes, quirks, rng, **settings))
    return files


def _written(kind: str, *what: Any, **settings: Any) -> Written:
    try:
        written = Written(*_WRITERS[kind](*what, **settings))
    except Exception as error:
        raise Refused(f"no library writes it: {error}") from error
    return written._replace(has_odd_unit=settings["unit"] == "furlong" and written.is_known)


def _compare(
    found: pd.DataFrame,
    labels: np.ndarray,
    channels: list[np.ndarray],
    axes: str,
    files: list[Written],
    said: list[str],
) -> None:
    """Hold the table against the pixels that went in."""
    whole = labels.astype(np.int64)
    if (whole != labels).any():
        raise Lost("labels with a fraction were measured")
    frames = whole if "t" in axes else whole[None]
    truth = {(at, int(one)): frames[at] == one for at in range(len(frames)) for one in np.unique(frames[at]) if one > 0}
    if (whole < 0).any() and not any("below 0" in one for one in said):
        raise Lost("labels below 0 are left out, and no note says so")
    there = [(int(frame), int(label)) for frame, label in zip(found["frame"], found["label"], strict=True)]
    if sorted(there) != sorted(truth):
        raise Lost(f"cells {sorted(truth)[:4]} became {sorted(there)[:4]}")
    _compare_sizes(found, there, truth, axes, files, said)
    planes = [plane for channel in channels for plane in _planes(channel, labels)]
    columns = [name for name in found if name.endswith("_mean")]
    if len(columns) != len(planes):
        raise Lost(f"{len(planes)} channels became {columns}")
    for name, plane in zip(columns, planes, strict=True):
        inside = plane if "t" in axes else plane[None]
        for key, value in zip(there, found[name], strict=True):
            meant = float(inside[key[0]][truth[key]].astype(float).mean())
            if not np.isclose(value, meant, rtol=1e-5, equal_nan=True) and not (np.isnan(meant) and said):
                raise Lost(f'"{name}" of cell {key} is {value} instead of {meant}')


def _planes(channel: np.ndarray, labels: np.ndarray) -> list[np.ndarray]:
    """The channels of what was written: those of a coloured image, without its opacity."""
    return [channel] if channel.ndim == labels.ndim else [channel[..., at] for at in range(3)]


def _compare_sizes(
    found: pd.DataFrame,
    there: list[tuple[int, int]],
    truth: dict[tuple[int, int], np.ndarray],
    axes: str,
    files: list[Written],
    said: list[str],
) -> None:
    """Hold areas and volumes against the number of pixels and their size."""
    counts = np.array([truth[key].sum() for key in there], dtype=float)
    space = [axis for axis in "zyx" if axis in axes]
    if "z" in space and not (found.columns.str.contains("volume|surface").any()):
        space.remove("z")
    known = [one.spacing for one in reversed(files) if one.spacing and {*space} <= {*one.spacing}]
    names = [name for name in ("area", "area_um2", "volume_um3", "volume") if name in found]
    if not names:
        raise Lost(f"there is no size among {list(found)}")
    is_physical = names[0].endswith(("um2", "um3"))
    if any(one.has_odd_unit for one in files) and not any("unit" in sentence for sentence in said):
        raise Lost("the size of a pixel is told in furlongs, but sizes are in pixels, and no note says why")
    if bool(known) != is_physical and not said:
        raise Lost(f"the size of a pixel is {known}, but sizes are called {names[0]}, and no note says why")
    size = np.prod([known[0][axis] for axis in space]) if known and is_physical else 1.0
    if is_physical and not known:
        raise Lost(f"sizes are in micrometres, which no file tells: {names[0]}")
    if not np.allclose(found[names[0]], counts * size, rtol=1e-4):
        raise Lost(f"{names[0]} is {found[names[0]].tolist()[:3]} instead of {(counts * size).tolist()[:3]}")
