"""Layers that are read in chunks are measured block by block, and give what layers in memory give."""

import dask.array as da
import numpy as np
import pandas as pd
import zarr
from napari.layers import Image, Labels

from latentmap.napari_layers.layers import channels
from latentmap.napari_layers.measuring_layers import Task, measuring_all

LABELS = np.kron(np.arange(1, 26).reshape(5, 5), np.pad(np.ones((12, 12), dtype=int), 2))
STAINS = np.random.default_rng(0).normal(size=(2, *LABELS.shape))
SETTINGS = {"has_frames": False, "spacing": None, "unit": "", "texture": True, "picture_size": 0}


def measured(labels, stains):
    found = channels(Image(stains), LABELS.shape, "stains")
    steps = measuring_all(
        [Task(Labels(LABELS), "cells", labels, {}, found, {"layer": "cells", **SETTINGS})], asks=False
    )
    seen = []
    while True:
        try:
            seen.append(next(steps).what)
        except StopIteration as end:
            ((_, cells, marks),) = end.value
            return cells, marks, set(seen)


def test_dask_and_zarr_as_in_memory():
    whole, marks, _ = measured(LABELS, STAINS)
    stored = zarr.create_array({}, shape=STAINS.shape, dtype=float, chunks=(1, 16, 16))
    stored[:] = STAINS
    for labels, stains in ((da.from_array(LABELS, chunks=20), da.from_array(STAINS, chunks=20)), (LABELS, stored)):
        cells, found, seen = measured(labels, stains)
        pd.testing.assert_frame_equal(cells.features, whole.features, check_exact=True)
        pd.testing.assert_frame_equal(found, marks)
        assert ("finding cells" in seen) == (labels is not LABELS)
