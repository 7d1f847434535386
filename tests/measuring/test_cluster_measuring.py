"""A slide larger than the memory of its workers, measured on a cluster of two processes."""

import importlib
import os
import signal
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from latentmap.images.image_files import read_image
from latentmap.measuring import blocks, measure
from latentmap.measuring.measured_parts import iter_measure_into, measure_into, part_files

distributed = pytest.importorskip("distributed")
MEMORY = 450_000_000
KEY = ["layer", "frame", "label"]


@pytest.fixture
def write_slide(monkeypatch, pytestconfig):
    """A function that writes a slide with known cells, from benchmarks, which is not installed."""
    monkeypatch.syspath_prepend(pytestconfig.rootpath)
    return importlib.import_module("benchmarks.large.slides").write_slide


@contextmanager
def two_workers(folder):
    """A cluster of two processes, each with little more memory than its libraries take."""
    where = {"dashboard_address": None, "local_directory": folder}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=MEMORY, **where) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def opened(path):
    """The labels and the channels of a slide, lazily."""
    labels = read_image(path / "labels" / "cells").pixels
    return labels, read_image(path).channels(labels.shape)


def kill_a_worker(client):
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["zarr", "dask"])
def test_a_slide_larger_than_the_memory_of_the_workers(tmp_path, monkeypatch, write_slide, kind):
    monkeypatch.setattr(blocks, "PIXELS", 2**20)
    path = tmp_path / "slide.ome.zarr"
    # Of the second array type, a small slide: the first shows that it need not fit.
    n_bytes = write_slide(path, 7600 if kind == "zarr" else 2000, chunk=512)
    assert kind == "dask" or n_bytes > MEMORY
    labels, channels = opened(path)
    if kind == "dask":
        da = pytest.importorskip("dask.array")
        labels, channels = (
            da.from_array(labels, chunks=512),
            {name: da.from_array(one, chunks=(512, 512)) for name, one in channels.items()},
        )
    settings = {"layer": "cells", "spacing": (0.5, 0.5), "unit": "um"}
    alone = measure_into(tmp_path / "one.parquet", labels, channels, **settings)
    was_killed = False
    with two_workers(tmp_path / "scratch") as client:
        for _ in iter_measure_into(tmp_path / "other.parquet", labels, channels, **settings):
            if not was_killed and part_files(tmp_path / "other.parquet"):
                kill_a_worker(client)
                was_killed = True
    assert was_killed
    one, other = (pd.read_parquet(tmp_path / name) for name in ("one.parquet", "other.parquet"))
    pd.testing.assert_frame_equal(one, other, check_exact=True)
    assert alone.n_cells == len(one)
    whole = measure(np.asarray(labels), {name: np.asarray(one) for name, one in channels.items()}, **settings)
    pd.testing.assert_frame_equal(one.set_index(KEY).sort_index(), whole.features, rtol=1e-6, atol=0)
