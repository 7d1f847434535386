"""A mapping learned from half of the rows, and how near it puts the other half."""

from __future__ import annotations

import numpy as np

from benchmarks.drawing import panels, save
from benchmarks.manifolds import roll
from benchmarks.markdown import table
from benchmarks.report import Claim, Experiment, Numbers, Run
from benchmarks.stored import load, principal_components
from latentmap import LVM
from latentmap.methods import ClassicalMDS, ElasticEmbedding, Isomap, LaplacianEigenmaps, LearnedMapping
from latentmap.methods.learned_mapping import REGRESSORS

_K = 12
_COLORS = {"neighbors": "#4e79a7", "kernel": "#f28e2b", "network": "#59a14f"}


def measure(run: Run) -> Numbers:
    digits = principal_components(load("mnist70k")["X"])[: run.n]
    methods = {
        "classical MDS": ClassicalMDS(),
        "Isomap": Isomap(_K),
        "Laplacian eigenmaps": LaplacianEigenmaps(_K),
        "elastic embedding": ElasticEmbedding(_K, max_iter=min(200, run.max_iter)),
        "latent variable model": LVM(_K),
    }
    kept = np.random.default_rng(0).permutation(run.n) < run.n // 2
    left = {
        name: {
            method: {regressor: _left(X, places, kept, regressor) for regressor in REGRESSORS}
            for method, places in ((method, one.fit_transform(X)) for method, one in methods.items())
        }
        for name, X in {"Swiss roll": roll(run.n)[0], "MNIST digits": digits}.items()
    }
    _draw(run, left)
    return {"left": left}


def _left(X: np.ndarray, places: np.ndarray, kept: np.ndarray, regressor: str) -> float:
    """Return what part of the variance of the places held out the mapping does not have."""
    found = LearnedMapping(regressor).fit(X[kept], places[kept]).transform(X[~kept])
    true = places[~kept]
    return float(np.square(found - true).sum() / np.square(true - places[kept].mean(axis=0)).sum())


def _draw(run: Run, left: Numbers) -> None:
    figure, axes = panels(1, 2, 4.6, 3)
    for axis, (name, by_method) in zip(axes[0], left.items(), strict=True):
        for number, regressor in enumerate(REGRESSORS):
            heights = [by_regressor[regressor] for by_regressor in by_method.values()]
            where = np.arange(len(heights)) + 0.27 * (number - 1)
            axis.bar(where, heights, 0.25, color=_COLORS[regressor], label=regressor)
        axis.set_xticks(range(len(by_method)), [method.replace(" ", "\n") for method in by_method], fontsize=7)
        axis.set(yscale="log", ylabel="share of variance left, held out", title=name)
        axis.grid(axis="x", visible=False)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8)
    save(figure, run.image("mapping"))


def claims(numbers: Numbers) -> list[Claim]:
    best = {
        name: {method: min(found.items(), key=lambda one: one[1]) for method, found in by_method.items()}
        for name, by_method in numbers["left"].items()
    }
    on_roll, on_digits = best["Swiss roll"], best["MNIST digits"]
    return [
        Claim(
            "Learn a mapping with f(x_i) = y_i, and apply it to new points: of a sheet",
            "The best of three regressors leaves, of the variance of the half held out, "
            + "; ".join(f"{share:.2%} of {method} ({name})" for method, (name, share) in on_roll.items()),
            max(share for _, share in on_roll.values()) < 0.01,
            "Such a map of the roll is torn or folded somewhere, where neighbours lie far apart and no smooth mapping "
            "leads",
        ),
        Claim(
            "The same, of digits",
            "; ".join(f"{share:.1%} of {method} ({name})" for method, (name, share) in on_digits.items()),
            max(share for _, share in on_digits.values()) < 0.1,
            "Rows that look alike in 50 dimensions may lie far apart on a map, and no mapping from the table can know "
            "where a new one of them belongs",
        ),
    ]


def rows(numbers: Numbers) -> list[str]:
    return table(
        ["table", "map", *REGRESSORS],
        [
            (name, method, *(f"{found[regressor]:.2%}" for regressor in REGRESSORS))
            for name, by_method in numbers["left"].items()
            for method, found in by_method.items()
        ],
    )


EXPERIMENT = Experiment(
    "mapping",
    "A learned mapping",
    2000,
    250,
    measure,
    claims,
    {"mapping": "What a mapping learned from half of the rows leaves of the variance of the other half's places"},
    rows,
)
