"""One data set mapped by every method, and what is measured of each map."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.drawing import panels, save
from benchmarks.report import Numbers, Run
from benchmarks.side_by_side.data import Data
from benchmarks.trust.held_out import correlation, partial_correlation
from latentmap.methods import available
from latentmap.model.data_warnings import DataWarning
from latentmap.model.iterative_method import IterativeMethod
from latentmap.quality import knn_error, neighbor_recall, random_triplet_accuracy, trustworthiness

_NEIGHBORS = 10
_COMPARISONS = 500
_COLUMNS = 4
_TRIPLETS, _QUICK_TRIPLETS = 100_000, 1000


def measure(run: Run, name: str, read: Callable[[int], Data]) -> Numbers:
    """Map a data set by every method."""
    data = read(run.n)
    numbers, maps = {}, {}
    for kind, method in available().items():
        comparisons = _true_comparisons(data) if kind == "comparisons" else None
        # Compiling on first use is not counted.
        _timed(_short(method(), 2), data.X, comparisons)
        estimator = _short(method(), run.max_iter) if run.quick else method()
        seconds = _timed(estimator, data.X, comparisons)
        maps[method.title] = estimator.embedding_
        numbers[kind] = {"seconds": seconds, **_quality(data, estimator, _QUICK_TRIPLETS if run.quick else _TRIPLETS)}
    _draw(run, f"{name}-maps", data, maps)
    return {"methods": numbers, "is_class": data.is_class}


def _short(estimator: IterativeMethod, max_iter: int) -> IterativeMethod:
    return estimator.set_params(max_iter=max_iter) if "max_iter" in estimator.get_params() else estimator


def _timed(estimator: IterativeMethod, X: np.ndarray, y: Any) -> float:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        estimator.fit(X, y)
    return time.perf_counter() - start


def _true_comparisons(data: Data) -> np.ndarray:
    """Return triplets that are true by what is known: a row is more like one of its class, or one nearer along."""
    known, rng = data.known, np.random.default_rng(0)
    one, alike, other = rng.integers(len(known), size=(3, 20 * _COMPARISONS))
    if data.is_class:
        says = (known[one] == known[alike]) & (known[one] != known[other]) & (one != alike)
    else:
        says = np.abs(known[one] - known[alike]) < np.abs(known[one] - known[other])
        says &= one != alike
    return np.column_stack([one, alike, other])[says][:_COMPARISONS]


def _quality(data: Data, estimator: IterativeMethod, n_triplets: int) -> Numbers:
    embedding = estimator.embedding_
    return {
        "recall": float(neighbor_recall(data.X, embedding, _NEIGHBORS)),
        "trustworthiness": float(trustworthiness(data.X, embedding, _NEIGHBORS)),
        "triplets": float(random_triplet_accuracy(data.X, embedding, n_triplets)),
        "error": float(knn_error(embedding, data.known)) if data.is_class else None,
        "order": None if data.is_class else _order(embedding, data.known),
        **_uncertainty(data, estimator),
    }


def _uncertainty(data: Data, estimator: IterativeMethod) -> Numbers:
    """Return how far the variances, and the spacing of the map alone, show which neighbours a row has lost."""
    embedding, variances = estimator.embedding_, getattr(estimator, "variances_", None)
    lost = _lost(data.X, embedding)
    spacing = NearestNeighbors(n_neighbors=_NEIGHBORS).fit(embedding).kneighbors()[0].mean(axis=1)
    return {
        "uncertainty": None if variances is None else correlation(variances, lost),
        "spacing": correlation(spacing, lost),
        "beyond_spacing": None if variances is None else float(partial_correlation(variances, lost, spacing)),
    }


def _order(embedding: np.ndarray, known: np.ndarray) -> float:
    """Return R² of predicting what is known of a row by the mean of its neighbours on the map."""
    near = NearestNeighbors(n_neighbors=_NEIGHBORS).fit(embedding).kneighbors(return_distance=False)
    return float(1 - np.mean((known - known[near].mean(axis=1)) ** 2) / known.var())


def _lost(X: np.ndarray, embedding: np.ndarray) -> np.ndarray:
    """Return which part of its neighbours each row has lost on the map."""
    near, seen = (
        NearestNeighbors(n_neighbors=_NEIGHBORS).fit(rows).kneighbors(return_distance=False) for rows in (X, embedding)
    )
    return np.array([1 - len(np.intersect1d(one, other)) / _NEIGHBORS for one, other in zip(near, seen, strict=True)])


def _draw(run: Run, image: str, data: Data, maps: dict[str, np.ndarray]) -> None:
    n_rows = -(-len(maps) // _COLUMNS)
    figure, axes = panels(n_rows, _COLUMNS, 2.4)
    colours = np.unique(data.known, return_inverse=True)[1] if data.is_class else data.known
    for axis, (title, embedding) in zip(axes.flat, maps.items(), strict=False):
        axis.scatter(*embedding.T, c=colours, s=2, cmap="tab10" if data.is_class else "turbo", linewidths=0)
        axis.set(xticks=[], yticks=[], aspect="equal")
        axis.set_title(title, fontsize=8.5)
        axis.spines[:].set_visible(False)
        axis.set_adjustable("datalim")
    for axis in axes.flat[len(maps) :]:
        axis.axis("off")
    save(figure, run.image(image))
