"""Landmarks: how few of them place all rows as classical scaling of all would."""

from __future__ import annotations

import time

import numpy as np
from scipy.spatial import procrustes

from benchmarks.drawing import logarithmic, panels, save
from benchmarks.manifolds import roll
from benchmarks.markdown import table, whole
from benchmarks.report import Claim, Experiment, Numbers, Run
from benchmarks.stored import load, principal_components
from latentmap.methods import ClassicalMDS, Isomap, LandmarkMDS

_COUNTS = (4, 6, 10, 20, 50, 100, 200, 500)
_SEEDS = 10
# Landmarks of digits that are still O(k), for k = 2.
_FEW = 20
_K = 12
_MANY = 100_000
_COLORS = {"farthest": "#4e79a7", "random": "#e15759", "kmeans": "#59a14f"}


def measure(run: Run) -> Numbers:
    digits = load("mnist70k")["X"]
    tables = {
        "paths along the roll": (Isomap(_K).fit(roll(run.n)[0]).distances_, "precomputed"),
        "MNIST digits": (principal_components(digits)[: run.n], "euclidean"),
    }
    n_seeds = 2 if run.quick else _SEEDS
    counts = [count for count in _COUNTS if count <= run.n // 4]
    found: Numbers = {}
    for name, (X, metric) in tables.items():
        seconds, classical = _timed(ClassicalMDS(metric=metric), X)
        found[name] = {
            "seconds": seconds,
            "by_count": {
                choice: {
                    str(count): _compared(
                        classical, seconds, X, LandmarkMDS(count, metric=metric, landmarks=choice), n_seeds
                    )
                    for count in counts
                }
                for choice in _COLORS
                # Means of rows are central by Euclidean distances alone.
                if choice != "kmeans" or metric == "euclidean"
            },
        }
    many = np.random.default_rng(0).normal(size=(10 * run.n if run.quick else _MANY, 50))
    _draw(run, found)
    return {"iterations": None, "tables": found, "many": {"n": len(many), "seconds": _timed(LandmarkMDS(100), many)[0]}}


def _timed(method: ClassicalMDS | LandmarkMDS, X: np.ndarray) -> tuple[float, np.ndarray]:
    began = time.perf_counter()
    places = method.fit_transform(X)
    return time.perf_counter() - began, places


def _compared(classical: np.ndarray, seconds: float, X: np.ndarray, method: LandmarkMDS, n_seeds: int) -> Numbers:
    """Return how near maps by landmarks come to the classical one, and what part of its time they take."""
    runs = [_timed(method.set_params(random_state=seed), X) for seed in range(n_seeds)]
    # What the best turning leaves of the variance is 1 less the squared correlation.
    correlations = [float(np.sqrt(1 - procrustes(classical, places)[2])) for _, places in runs]
    return {
        "correlation": float(np.mean(correlations)),
        "worst": min(correlations),
        "time": float(np.median([taken for taken, _ in runs]) / seconds),
    }


def _draw(run: Run, found: Numbers) -> None:
    figure, axes = panels(1, 2, 4.2, 3)
    for axis, (name, one) in zip(axes[0], found.items(), strict=True):
        for choice, by_count in one["by_count"].items():
            counts = [int(count) for count in by_count]
            mean = [at["correlation"] for at in by_count.values()]
            axis.plot(counts, mean, ".-", color=_COLORS[choice], label=f"{choice}: mean")
            worst = [at["worst"] for at in by_count.values()]
            axis.plot(counts, worst, ":", color=_COLORS[choice], linewidth=1, label=f"{choice}: worst")
        logarithmic(axis.xaxis)
        axis.set(xlabel="landmarks", ylabel="correlation with the classical map", title=name)
    axes[0, -1].legend(fontsize=7)
    save(figure, run.image("landmarks"))


def claims(numbers: Numbers) -> list[Claim]:
    tables, many = numbers["tables"], numbers["many"]
    roll_at = tables["paths along the roll"]["by_count"]["farthest"]
    farthest, drawn, central = (tables["MNIST digits"]["by_count"][choice] for choice in _COLORS)
    few, most = str(_FEW), max(farthest, key=int)
    return [
        Claim(
            "A point can be embedded by its distances to just O(k) landmarks: where k dimensions nearly hold them",
            f"Of Isomap's paths along the roll (k = 2), 4 landmarks give a map that correlates with the classical one "
            f"by {roll_at['4']['correlation']:.4f}, 20 by {roll_at['20']['correlation']:.4f}",
            roll_at["20"]["correlation"] > 0.99,
        ),
        Claim(
            "The same where they do not",
            f"On digits {_FEW} landmarks give {farthest[few]['correlation']:.3f} farthest from each other, "
            f"{drawn[few]['correlation']:.3f} drawn at random and {central[few]['correlation']:.3f} by k-means; "
            f"{most} give {farthest[most]['correlation']:.3f}, {drawn[most]['correlation']:.3f} and "
            f"{central[most]['correlation']:.3f}",
            max(of[few]["correlation"] for of in (farthest, drawn, central)) > 0.95,
            "A plane through few landmarks is not that of most variance, for the digits vary in some 50 directions: "
            "how many are needed grows with these, not with k",
        ),
        Claim(
            "Choose landmarks that are spread out nicely",
            f"With {_FEW} of digits, those in the middle of the clusters of k-means give "
            f"{central[few]['correlation']:.3f}, random ones {drawn[few]['correlation']:.3f}, those farthest from each "
            f"other {farthest[few]['correlation']:.3f}; with 100 {central['100']['correlation']:.3f}, "
            f"{drawn['100']['correlation']:.3f} and {farthest['100']['correlation']:.3f}; with {most} "
            f"{central[most]['correlation']:.3f}, {drawn[most]['correlation']:.3f} and "
            f"{farthest[most]['correlation']:.3f}",
            max(farthest[few]["correlation"], central[few]["correlation"]) >= drawn[few]["correlation"],
            "Rows far from all others are the odd ones, whose directions are not those in which most rows vary; and "
            "rows in the middle of clusters vary less than most",
        ),
        Claim(
            "k is much below n, which saves time",
            f"100 landmarks take {tables['MNIST digits']['by_count']['farthest']['100']['time']:.1%} of the time of "
            f"classical scaling; {whole(many['n'])} rows of 50 columns take {many['seconds']:.1f} s",
            tables["MNIST digits"]["by_count"]["farthest"]["100"]["time"] < 0.2,
        ),
    ]


def rows(numbers: Numbers) -> list[str]:
    return table(
        ["table", "landmarks", "how many", "correlation, mean", "worst", "time, of that of classical scaling"],
        [
            (name, choice, count, f"{at['correlation']:.4f}", f"{at['worst']:.4f}", f"{at['time']:.2%}")
            for name, one in numbers["tables"].items()
            for choice, by_count in one["by_count"].items()
            for count, at in by_count.items()
        ],
    )


EXPERIMENT = Experiment(
    "landmarks",
    "Landmarks",
    4000,
    400,
    measure,
    claims,
    {"landmarks": "How near the map by landmarks comes to the classical one, over ten choices of landmarks"},
    rows,
)
