"""Maps by varied settings: seconds and quality."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.ascent.settings import THE_DEFAULT, Settings, parameters
from benchmarks.machine import versions
from benchmarks.parameters import in_words
from benchmarks.peers.data_sets import DataSet
from benchmarks.peers.measures import EDITION, quality
from benchmarks.peers.records import Record, Records
from benchmarks.peers.tasks import code_of_ours
from latentmap import LVM


def measure(data: DataSet, name: str, wanted: dict[str, Settings], seeds: Sequence[int], records: Records) -> None:
    """Make a map by each of the settings for each seed, the settings taking turns, and keep what is not known yet.

    Parameters
    ----------
    data : DataSet
    name : str
        What it is called in the records.
    wanted : dict of str to Settings
    seeds : sequence of int
    records : Records
        Gets a record for each map.
    """
    LVM(max_iter=3).fit(data.X[:2000])
    for seed in seeds:
        for settings in wanted.values():
            place = {"data": name, "rows": len(data.X), "settings": _told(settings), "seed": seed}
            known = {"parameters": parameters(settings), "code": code_of_ours(), "measures": EDITION}
            if records.where(**place, **known):
                continue
            print(f"{name}: {place['settings'] or THE_DEFAULT}, seed {seed}", file=sys.stderr, flush=True)
            records.add(place, {**place, **known, **_one(data, settings, seed)})


def _told(settings: Settings) -> str:
    return in_words(settings)


def of(records: Sequence[Record], settings: Settings) -> list[dict[str, float]]:
    """Return what is known of the maps made by these settings; another default is another setting."""
    known = _told(settings), parameters(settings)
    found = [record for record in records if (record["settings"], record.get("parameters")) == known]
    return [{"seconds": record["seconds"], **record["quality"]} for record in found]


def _one(data: DataSet, settings: Settings, seed: int) -> dict[str, object]:
    lvm = LVM(**settings, random_state=seed, likelihood_every=0)
    started = time.perf_counter()
    embedding = lvm.fit_transform(data.X)
    seconds = time.perf_counter() - started
    found = {measure: float(value) for measure, value in quality(data, np.asarray(embedding)).items()}
    return {"seconds": seconds, "quality": found, "versions": versions("latentmap", "numpy", "numba")}
