"""The spiral, Fig. 2: a homotopy unrolls it."""

from __future__ import annotations

import numpy as np

from benchmarks.drawing import panels, save
from benchmarks.elastic.paths import bounds_of, path
from benchmarks.manifolds import spiral
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ElasticEmbedding
from latentmap.model.vectors import Vectors

_WIDTH = 0.05
_STRONGEST = 100.0
_N_STRENGTHS = 80


def measure(run: Run) -> Numbers:
    X, along = spiral(run.n)
    method = ElasticEmbedding(
        12,
        2,
        attraction="gaussian",
        width=_WIDTH,
        lam=_STRONGEST,
        n_strengths=8 if run.quick else _N_STRENGTHS,
        max_iter=run.max_iter,
        tol=1e-3,
        splitting="degree",
    )
    maps = path(method, X)
    lower, upper, critical = bounds_of(method)
    strengths, counts = np.unique(method.strengths_, return_counts=True)
    rows = np.array([0, run.n // 3, 2 * run.n // 3, run.n - 1])
    learned = method.learned_affinities(rows)
    figure, axes = panels(1, 3, 4, 3.2)
    axes[0, 0].scatter(X[:, 0], X[:, 1], c=along, s=8, cmap="turbo")
    axes[0, 0].set(title="the spiral", aspect="equal")
    for strength, points in maps.items():
        axes[0, 1].scatter(np.full(run.n, strength), _principal(points), c=along, s=1, cmap="turbo")
    axes[0, 1].set(xscale="log", xlabel="λ", ylabel="along the map's longer axis", title="the map as λ grows")
    for row, affinities in zip(rows, learned, strict=True):
        axes[0, 2].plot(along - along[row], affinities, linewidth=1)
    axes[0, 2].set(xlabel="arc length from the point", title="learned affinities of four points")
    save(figure, run.image("spiral"))
    gaps = np.linalg.norm(np.diff(method.embedding_, axis=0), axis=1)
    return {
        "lower": lower,
        "upper": upper,
        "critical": critical,
        "order": _in_order(method.embedding_),
        "unevenness": float(gaps.std() / gaps.mean()),
        "full_steps": float((method.steps_[1:] == 1).mean()),
        "fewest_step": float(method.steps_[1:].min()),
        "most_iterations_at": float(strengths[counts.argmax()]),
        "negative": float((learned[1:3] < 0).any(axis=1).mean()),
    }


def _in_order(points: np.ndarray) -> float:
    """Return how many of the inner points lie nearest to those before and after them."""
    nearest = np.sort(Vectors(points, method="exact").kneighbors(2).indices[1:-1], axis=1)
    inner = np.arange(1, len(points) - 1)
    return float((nearest == np.column_stack([inner - 1, inner + 1])).all(axis=1).mean())


def _principal(points: np.ndarray) -> np.ndarray:
    """Return the coordinate along which points vary most."""
    centred = points - points.mean(axis=0)
    return centred @ np.linalg.svd(centred, full_matrices=False)[2][0]


def claims(numbers: Numbers) -> list[Claim]:
    return [
        Claim(
            "The bounds (11) and (12) are tight: from 4e-5 to 1e-4",
            f"From {numbers['lower']:.1e} to {numbers['upper']:.1e} for our spiral; λ1 itself is "
            f"{numbers['critical']:.1e}",
            numbers["lower"] <= numbers["critical"] <= numbers["upper"] < 5 * numbers["lower"],
            "The paper does not say how long its spiral is, or with how many turns",
        ),
        Claim(
            "The spiral is unrolled at last, into a perfectly spaced sequence",
            f"{numbers['order']:.1%} of the points have those before and after them on the spiral for the two nearest "
            f"on the map; the gaps vary by {numbers['unevenness']:.1%} of their mean",
            numbers["order"] > 0.98 and numbers["unevenness"] < 0.1,
        ),
        Claim(
            "The step was 1 nearly always, 0.8 occasionally",
            f"{numbers['full_steps']:.1%} of the steps were full; the shortest was {numbers['fewest_step']:.2g}",
            numbers["full_steps"] > 0.9,
        ),
        Claim(
            "The learned affinities become Mexican hats: positive near, negative further away (two interior points)",
            f"{numbers['negative']:.0%} of them have negative affinities",
            numbers["negative"] == 1,
        ),
    ]


EXPERIMENT = Experiment(
    "spiral",
    "A spiral (Fig. 2)",
    200,
    60,
    measure,
    claims,
    {"spiral": "200 points on a spiral, the longer axis of their map as λ grows, and the affinities learned"},
)
