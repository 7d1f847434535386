"""Rows placed on the map of a sample, beside the same rows on a map of all."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.markdown import table, whole
from benchmarks.peers.data_sets import DATA_SETS, read
from benchmarks.report import Numbers, Run
from latentmap import LVM
from latentmap.quality import knn_error

# How many rows of each table are fitted before the others are placed.
_FITTED = {"mnist": 10_000, "cytof": 3000}
_WORDS = {"mnist": "MNIST digits", "cytof": "mass cytometry", "digits": "scikit-learn's digits"}
_SEEDS = (0, 1, 2)
_NEIGHBORS = (1, 9)
# Errors differ in earnest by so many percentage points.
_AS_GOOD = 0.2
_HOW = {"placed": "placed", "sample": "sample alone", "fitted": "all fitted"}


def measure(run: Run) -> Numbers:
    fitted = {"digits": 300} if run.quick else _FITTED
    return {"iterations": None, "tables": {name: _table(name, run.n, count) for name, count in fitted.items()}}


def _table(name: str, n: int, n_fitted: int) -> dict[str, Any]:
    data = read(name, min(n, DATA_SETS[name].rows))
    X, y = data.X.astype(float), np.asarray(data.y)
    sample = np.random.default_rng(0).permutation(len(X)) < min(n_fitted, len(X) // 2)
    found: dict[str, Any] = {"fitted": int(sample.sum()), "placed": int((~sample).sum()), "seeds": []}
    for seed in _SEEDS:
        part, seconds_part = _timed(lambda seed=seed: LVM(random_state=seed).fit(X[sample]))
        placed, seconds_placed = _timed(lambda part=part: part.transform(X[~sample]))
        whole_map, seconds_all = _timed(lambda seed=seed: LVM(random_state=seed).fit_transform(X))
        errors = {
            how: knn_error(reference, y[sample], new, y[~sample], n_neighbors=_NEIGHBORS, n_jobs=-1)
            for how, reference, new in (
                ("placed", part.embedding_, placed),
                ("fitted", whole_map[sample], whole_map[~sample]),
            )
        }
        errors["sample"] = knn_error(part.embedding_, y[sample], n_neighbors=_NEIGHBORS, n_jobs=-1)
        seconds = {"sample": seconds_part, "placing": seconds_placed, "all": seconds_all}
        found["seeds"].append({"errors": {how: list(map(float, two)) for how, two in errors.items()}} | seconds)
    return found


def _timed(act: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    return act(), time.perf_counter() - began


def lines(numbers: Numbers) -> list[str]:
    rows, follows = [], []
    for name, found in numbers["tables"].items():
        sizes = [whole(found["fitted"]), whole(found["placed"])]
        mean = {how: np.mean([one["errors"][how] for one in found["seeds"]], axis=0) for how in _HOW}
        errors = [f"{100 * mean[how][at]:.2f} %" for at in range(len(_NEIGHBORS)) for how in _HOW]
        follows.append(_what_follows(_WORDS[name], {how: 100 * values[-1] for how, values in mean.items()}))
        seconds = [np.median([one[part] for one in found["seeds"]]) for part in ("sample", "placing", "all")]
        rows.append([_WORDS[name], *sizes, *errors, *(f"{value:.1f}" for value in seconds)])
    head = [f"{k}-NN error, {words}" for k in _NEIGHBORS for words in _HOW.values()]
    return [
        "A sample is fitted, and the other rows are placed on its map by `transform`; or all rows are fitted together. "
        "The class of each of the other rows is that of its nearest sampled rows on the map. *Sample alone*: the "
        "sample on its own map, cross-validated in five parts. Means of three seeds.",
        "",
        *table(["table", "fitted", "placed", *head, "fitting the sample, s", "placing, s", "fitting all, s"], rows),
        *follows,
        "",
    ]


def _what_follows(words: str, errors: dict[str, float]) -> str:
    """Compare the errors with most neighbours, in per cent."""
    behind, gained = errors["placed"] - errors["sample"], errors["sample"] - errors["fitted"]
    placed = "as good as" if behind <= _AS_GOOD else "worse than"
    all_rows = "better" if gained > _AS_GOOD else "no better"
    return (
        f"- Of {words}, placed rows are {placed} the map of the sample ({behind:+.2f} percentage points of error with "
        f"{_NEIGHBORS[-1]} neighbours), and a map of all rows is {all_rows} ({-gained:+.2f})."
    )
