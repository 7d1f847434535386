"""Rows placed on a map, beside the same rows on a map that was made with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from benchmarks.markdown import table
from benchmarks.peers.data_sets import DATA_SETS, drawn_rows
from benchmarks.peers.methods import DEFAULT, DETAIL_NAME, METHODS, Method
from benchmarks.report import Numbers, Run

TABLES = ("species-mix", "pbmc", "pbmc-groups", "pancreas", "cell-lines", "cytof", "usps", "digits", "mnist")
"""Those of the side by side with the peers that have classes, and scikit-learn's digits."""
COMPARED = (DEFAULT, DETAIL_NAME, "umap-learn", "pacmap", "opentsne")
RULES = {"at the nearest row": 1, "at the median of five": 5}
"""By how many nearest rows each places a new one, on the default map."""
_ERROR_NEIGHBORS, _RECALL_NEIGHBORS = 9, 10
_LOTS, _QUICK_LOTS, _QUICK_ITERATIONS = 5, 2, 5


class _Lot(NamedTuple):
    """Rows of a map, new rows, and what is known of both."""

    X: np.ndarray
    y: np.ndarray
    old: np.ndarray
    new: np.ndarray
    near: np.ndarray
    """The nearest old rows of each new one, nearest first, as numbers among the old ones."""


class _Map(NamedTuple):
    """Where the old rows lie, and the new ones."""

    old: np.ndarray
    new: np.ndarray


def measure(run: Run, name: str) -> Numbers:
    """Return for each method that is installed the errors and the recall of rows placed and of rows fitted."""
    X, y = DATA_SETS[name].read()
    rows = drawn_rows(y, run.n) if run.n < len(X) else np.arange(len(X))
    X, y = np.asarray(X[rows], dtype=np.float32), np.unique(y[rows], return_inverse=True)[1]
    splits = StratifiedKFold(_QUICK_LOTS if run.quick else _LOTS, shuffle=True, random_state=0).split(X, y)
    found: dict[str, list[dict[str, float]]] = {}
    for seed, (old, new) in enumerate(splits):
        nearest = NearestNeighbors(n_neighbors=_RECALL_NEIGHBORS).fit(X[old])
        lot = _Lot(X, y, old, new, nearest.kneighbors(X[new], return_distance=False))
        for method, placed, fitted in _maps(lot, seed, run.quick):
            measures = {"placed": _measures(placed, lot), "fitted": _measures(fitted, lot)}
            found.setdefault(method, []).append(
                {f"{what}_{way}": value for way, of_way in measures.items() for what, value in of_way.items()}
            )
    return {"columns": X.shape[1], "classes": len(np.unique(y)), "lots": found}


def lines(numbers: Numbers) -> list[str]:
    """Return the table of methods."""
    head = ["method", "error, placed, %", "error, fitted, %", "difference, %", "recall, placed", "recall, fitted"]
    rows = []
    for name, lots in numbers["lots"].items():
        values = {part: np.array([lot[part] for lot in lots]) for part in lots[0]}
        difference = 100 * (values["error_placed"] - values["error_fitted"])
        rows.append(
            (
                name if name in RULES else f"`{name}`",
                f"{100 * values['error_placed'].mean():.2f}",
                f"{100 * values['error_fitted'].mean():.2f}",
                f"{difference.mean():+.2f} ± {difference.std(ddof=1) / np.sqrt(len(lots)):.2f}",
                f"{values['recall_placed'].mean():.3f}",
                f"{values['recall_fitted'].mean():.3f}",
            )
        )
    return [f"{numbers['columns']} columns, {numbers['classes']} classes.", "", *table(head, rows)]


def _maps(lot: _Lot, seed: int, quick: bool) -> Iterator[tuple[str, _Map, _Map]]:
    """Yield by name the map on which new rows were placed, and that of all rows."""
    for name in COMPARED:
        method = METHODS[name]
        if method.obstacle:
            continue
        placed = _placed(method, _estimator(method, seed, quick), lot)
        whole = method.embed(_estimator(method, seed, quick), lot.X)
        fitted = _Map(whole[lot.old], whole[lot.new])
        yield name, placed, fitted
        if name == DEFAULT:
            for rule, n_neighbors in RULES.items():
                median = np.median(placed.old[lot.near[:, :n_neighbors]], axis=1)
                yield rule, _Map(placed.old, median), fitted


def _estimator(method: Method, seed: int, quick: bool) -> Any:
    estimator = method.make(seed)
    return estimator.set_params(max_iter=_QUICK_ITERATIONS) if quick and method.is_ours else estimator


def _placed(method: Method, estimator: Any, lot: _Lot) -> _Map:
    """Place the new rows by the method's own ``transform``, which each library calls in its own way."""
    old, new = lot.X[lot.old], lot.X[lot.new]
    if method.package == "opentsne":
        made = estimator.fit(old)
        return _Map(np.asarray(made), np.asarray(made.transform(new)))
    made = method.embed(estimator, old)
    basis = {"basis": old} if method.package == "pacmap" else {}
    return _Map(made, np.asarray(estimator.transform(new, **basis)))


def _measures(made: _Map, lot: _Lot) -> dict[str, float]:
    told = KNeighborsClassifier(_ERROR_NEIGHBORS).fit(made.old, lot.y[lot.old]).predict(made.new)
    near = NearestNeighbors(n_neighbors=_RECALL_NEIGHBORS).fit(made.old).kneighbors(made.new, return_distance=False)
    kept = [np.isin(on_map, in_table).mean() for on_map, in_table in zip(near, lot.near, strict=True)]
    return {"error": float(np.mean(told != lot.y[lot.new])), "recall": float(np.mean(kept))}
