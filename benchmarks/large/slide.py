"""A slide of known cells, measured by two processes of little memory, one of which is killed, and mapped."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.large.slides import BOX, CHANNELS, kinds, write_slide
from benchmarks.markdown import table, whole
from benchmarks.report import Numbers, Run
from latentmap import LVM
from latentmap.images.image_files import read_image
from latentmap.measuring import iter_measure_into
from latentmap.measuring import measure as measure_in_memory
from latentmap.measuring.measured_parts import part_files
from latentmap.quality import knn_error

KEY = ["layer", "frame", "label"]
MEMORY = 600_000_000
"""What a worker may hold, in bytes."""
_ABOUT = {"layer": "slide", "spacing": (0.5, 0.5), "unit": "um"}


def _of_slide(side: int, folder: Path) -> Numbers:
    """Write a slide, measure it three times and map it."""
    path, took = folder / "slide.ome.zarr", {}
    n_bytes, took["write"] = _timed(lambda: write_slide(path, side))
    labels = read_image(path / "labels" / "cells").pixels
    channels = read_image(path).channels(labels.shape)
    with (
        # What is measured must fit into memory, and not move to the disk.
        dask.config.set({"distributed.worker.memory.spill": False}),
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=MEMORY, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        _, took["measure"] = _timed(lambda: _measured(folder / "one", labels, channels))
        killed, took["killed"] = _timed(lambda: _measured(folder / "other", labels, channels, client))
    one, other = (pd.read_parquet(folder / name) for name in ("one", "other"))
    whole_image, took["whole"] = _timed(lambda: _of_the_whole(labels, channels))
    apart = _apart(one.set_index(KEY).sort_index(), whole_image)
    error, took["map"] = _timed(lambda: _error_of_map(one, kinds(side)))
    return {
        "side": side,
        "bytes": n_bytes,
        "memory": MEMORY,
        "cells": len(one),
        "features": whole_image.shape[1],
        "killed": killed,
        "same bits": bool(one.equals(other)),
        "apart": apart,
        "error": error,
        "took": took,
    }


def measure(run: Run) -> Numbers:
    with tempfile.TemporaryDirectory() as folder:
        return {"iterations": None, **_of_slide(run.n, Path(folder))}


def lines(numbers: Numbers) -> list[str]:
    took, side = numbers["took"], whole(numbers["side"])
    rows = [
        ("writing the slide", took["write"]),
        ("measuring by two processes", took["measure"]),
        ("the same, one process killed midway", took["killed"]),
        ("measuring the whole image in memory, by threads", took["whole"]),
        (f"map of all {whole(numbers['cells'])} cells, features scaled", took["map"]),
    ]
    n_boxes = (numbers["side"] // BOX) ** 2
    killed = "the same bits" if numbers["same bits"] else "**other bits**"
    apart = f"differ from those of the whole image by a share of {numbers['apart']:.0e} at most"
    if numbers["apart"] == 0:
        apart = "are those of the whole image, to the last bit"
    return [
        f"{side} x {side} pixels, labels and {len(CHANNELS)} channels: {numbers['bytes'] / 1e9:.1f} GB. Each of "
        f"the two processes of `LocalCluster` may hold {numbers['memory'] / 1e6:.0f} MB.",
        "",
        *table(["step", "seconds"], [(name, f"{seconds:.0f}") for name, seconds in rows]),
        f"- {whole(numbers['cells'])} of {whole(n_boxes)} cells were found, with {numbers['features']} features.",
        f"- The features {apart}.",
        f"- With a worker killed midway: {killed}." if numbers["killed"] else "- No worker was killed.",
        "- The nine nearest cells on the map say which of three kinds a cell is, with "
        f"{100 * numbers['error']:.2f} % error.",
        "",
    ]


def _measured(path: Path, labels: Any, channels: Any, client: Client | None = None) -> bool:
    """Measure into a folder; with a client, kill one of its workers midway. Return whether one was killed."""
    steps: Generator[Any, Any, Any] = iter_measure_into(path, labels, channels, **_ABOUT)
    killed = False
    for _ in steps:
        if client is not None and not killed and part_files(path):
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            killed = True
    return killed


def _of_the_whole(labels: Any, channels: Any) -> pd.DataFrame:
    pixels = {name: np.asarray(one) for name, one in channels.items()}
    return measure_in_memory(np.asarray(labels), pixels, **_ABOUT).features.sort_index()


def _apart(one: pd.DataFrame, other: pd.DataFrame) -> float:
    """Return the largest relative difference between two tables of the same cells."""
    if not one.index.equals(other.index) or set(one.columns) != set(other.columns):
        return np.inf
    a, b = one[other.columns].to_numpy(float), other.to_numpy(float)
    return float((np.abs(a - b) / np.maximum(np.abs(b), 1e-12)).max())


def _error_of_map(cells: pd.DataFrame, kind: np.ndarray) -> float:
    names = [name for name in cells.columns if name not in KEY and not name.startswith("centroid")]
    Y = make_pipeline(StandardScaler(), LVM(random_state=0)).fit_transform(cells[names].to_numpy(float))
    return float(knn_error(Y, kind[cells["label"].to_numpy() - 1], n_neighbors=9))


def _timed(act: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    return act(), time.perf_counter() - start
