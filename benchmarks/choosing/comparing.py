"""The choice among candidates, beside their errors by classes."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.markdown import table
from benchmarks.peers.data_sets import DATA_SETS, drawn_rows
from benchmarks.report import Numbers, Run
from latentmap import LVM, choose
from latentmap.quality import knn_error

TABLES = ("cytof", "cell-lines", "species-mix", "pbmc", "pbmc-groups", "usps", "mnist")
"""Those of the side by side with UMAP that have classes."""
GRID = (
    {"n_neighbors": [5, 10, 15, 20, 30, 50]},
    {"n_neighbors": [15], "n_steps": [1, 3]},
    {"n_neighbors": [15], "n_levels": [0]},
    {"n_neighbors": [15], "n_components": [3]},
)
_QUICK = ({"n_neighbors": [5, 10]}, {"n_neighbors": [10], "n_components": [3]})
_ERROR_NEIGHBORS, _SEEDS = 9, 2


def measure(run: Run, name: str) -> Numbers:
    """Return the candidates with their scores and class errors."""
    X, y = DATA_SETS[name].read()
    rows = drawn_rows(y, run.n) if run.n < len(X) else np.arange(len(X))
    X, y = np.asarray(X[rows], dtype=float), y[rows]
    began = time.perf_counter()
    choice = choose(
        X,
        _QUICK if run.quick else GRID,
        estimator=LVM(max_iter=run.max_iter),
        held_out=20 if run.quick else 200,
        n_folds=2 if run.quick else 5,
    )
    seconds = time.perf_counter() - began
    candidates = choice.table.drop(columns=_MEASURED).to_dict("records")
    candidates = [{part: int(value) for part, value in one.items() if value == value} for one in candidates]
    found = choice.table[_MEASURED].to_dict("records")
    errors = [_class_error(X, y, candidate, run.max_iter) for candidate in candidates]
    return {
        "rows": len(X),
        "columns": X.shape[1],
        "classes": len(np.unique(y)),
        "seconds": seconds,
        "candidates": [
            {"parameters": parameters, **scores, "class_error": error}
            for parameters, scores, error in zip(candidates, found, errors, strict=True)
        ],
        "best": {name: int(value) for name, value in choice.best.items()},
        "simplest": {name: int(value) for name, value in choice.simplest.items()},
    }


def lines(numbers: Numbers) -> list[str]:
    """Return the table of candidates, and how far the choice is from the best by classes."""
    found = numbers["candidates"]
    rows = [
        (
            _words(one["parameters"]),
            f"{one['score']:.3f} ± {_number(one['standard_error'])}",
            f"{one['behind']:.3f} ± {_number(one['behind_error'])}",
            f"{one['principal_components']:.3f}",
            f"{one['class_error']:.2%}",
        )
        for one in found
    ]
    flat = [one for one in found if one["parameters"].get("n_components", 2) == 2]
    chosen = max(flat, key=lambda one: one["score"])
    best = min(flat, key=lambda one: one["class_error"])
    worst = max(flat, key=lambda one: one["class_error"])
    usual = next((one for one in flat if one["parameters"] == {"n_neighbors": 15}), None)
    sentence = (
        f"{numbers['rows']} rows, {numbers['columns']} columns, {numbers['classes']} classes. Among maps of two "
        f"dimensions the highest score is that of {_words(chosen['parameters'])}, with a class error of "
        f"{chosen['class_error']:.2%}; the lowest error is {best['class_error']:.2%} ({_words(best['parameters'])}), "
        f"the highest {worst['class_error']:.2%} ({_words(worst['parameters'])})"
    )
    sentence += "." if usual is None else f", that of the defaults {usual['class_error']:.2%}."
    head = ["candidate", "score (nats)", "behind the best", "principal components", "class error"]
    return [sentence, "", *table(head, rows)]


_MEASURED = ["score", "standard_error", "behind", "behind_error", "principal_components"]


def _class_error(X: np.ndarray, y: np.ndarray, candidate: dict[str, int], max_iter: int) -> float:
    errors = []
    for seed in range(_SEEDS):
        made = LVM(**candidate, max_iter=max_iter, random_state=seed).fit(X).embedding_
        errors.append(knn_error(made, y, n_neighbors=_ERROR_NEIGHBORS))
    return float(np.mean(errors))


def _number(value: float) -> str:
    return f"{value:.3f}"


def _words(parameters: dict[str, int]) -> str:
    letters = {"n_neighbors": "k", "n_steps": "s", "n_levels": "l", "n_components": "d"}
    return ", ".join(f"{letters[name]} = {value}" for name, value in parameters.items())
