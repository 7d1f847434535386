"""Two points, Fig. 1: when they part, and how far."""

from __future__ import annotations

import numpy as np

from benchmarks.drawing import panels, save
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ElasticEmbedding

_WEIGHTS = np.array([[0.0, 1.0], [1.0, 0.0]])


def measure(run: Run) -> Numbers:
    strengths = np.geomspace(0.1, 100, run.n)
    max_iter = 40 * run.max_iter
    squared = [_squared_distance(strength, max_iter) for strength in strengths]
    expected = np.maximum(0, np.log(strengths))
    figure, axes = panels(1, 1, 4.5, 3)
    axes[0, 0].plot(strengths, expected, color="#bbbbbb", linewidth=4, label="max(0, log λ)")
    axes[0, 0].plot(strengths, squared, color="black", linewidth=1, label="found")
    axes[0, 0].set(xscale="log", xlabel="λ", ylabel="x²")
    axes[0, 0].legend()
    save(figure, run.image("pair"))
    beyond = strengths > 1.05
    return {
        "iterations": max_iter,
        "largest_error": float(np.abs(squared - expected).max()),
        "largest_error_beyond": float(np.abs(squared - expected)[beyond].max()),
    }


def _squared_distance(strength: float, max_iter: int) -> float:
    # Near lambda = 1 the cost is flat, and only the rounding of double precision ends the descent.
    method = ElasticEmbedding(
        1, 1, attraction=_WEIGHTS, repulsion=_WEIGHTS, lam=float(strength), tol=0, max_iter=max_iter
    )
    return float(np.ptp(method.fit_transform(np.array([[0.0], [1.0]]))) ** 2)


def claims(numbers: Numbers) -> list[Claim]:
    return [
        Claim(
            "Two points coincide up to λ = w+/w-, and lie sqrt(log λ) apart from there (Fig. 1, left)",
            f"x² differs by {numbers['largest_error_beyond']:.1e} at most for λ > 1.05, and by "
            f"{numbers['largest_error']:.1e} anywhere, near λ = 1",
            numbers["largest_error_beyond"] < 1e-3 and numbers["largest_error"] < 1e-1,
        )
    ]


EXPERIMENT = Experiment(
    "pair", "Two points (Fig. 1)", 120, 12, measure, claims, {"pair": "The squared distance of two points, as λ grows"}
)
