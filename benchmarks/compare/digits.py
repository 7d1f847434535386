"""Handwritten digits: tens of comparisons for thousands of rows, with and without the features."""

from __future__ import annotations

import numpy as np

from benchmarks.compare.asking import KINDS, asked
from benchmarks.drawing import logarithmic, panels, save
from benchmarks.figures import CLASS_COLORS, draw_classes
from benchmarks.report import Claim, Experiment, Numbers, Run
from benchmarks.stored import drawn_rows, load
from latentmap.methods import ComparisonEmbedding, Comparisons
from latentmap.quality import knn_error

_COUNTS = (30, 100, 300, 1000, 3000)
_WEIGHTS = (0.0, 0.1, 0.5, 0.9, 0.99)
_SHOWN = (30, 300, 3000)
_REPEATS = 3
_ASKED = 5000
_DEFAULT = 0.5
_HELD_OUT = 0.2
_SPLIT = 12


def measure(run: Run) -> Numbers:
    arrays = load("usps9298")
    rows = drawn_rows(arrays["y"], run.n)
    X, y = arrays["X"][rows].astype(float), arrays["y"][rows].astype(int)
    counts, repeats = (_COUNTS[:2], 1) if run.quick else (_COUNTS, _REPEATS)
    test = _asked(y, _ASKED, "triplets", 1000)
    maps = {"features alone": _fitted(X, _asked(y, 1, "triplets", 0), run, feature_weight=1).embedding_}
    curves: dict[str, list[list[float]]] = {}
    for name, kind, settings in _variants():
        curves[name] = []
        for m in counts:
            found = [_fitted(X, _asked(y, m, kind, seed), run, **settings) for seed in range(repeats)]
            curves[name].append([100 * test.accuracy(one.embedding_) for one in found])
            if name == _name(_DEFAULT) and (m in _SHOWN or run.quick):
                maps[f"{m} triplets"] = found[0].embedding_
    n_split = 1 if run.quick else _SPLIT
    split = [
        [_fitted(X, _asked(y, m, "triplets", seed), run, held_out=_HELD_OUT) for seed in range(n_split)] for m in counts
    ]
    _draw(run, maps, y, counts, curves, 100 * test.accuracy(maps["features alone"]))
    return {
        "counts": counts,
        "repeats": repeats,
        "features": 100 * test.accuracy(maps["features alone"]),
        "accuracies": {name: np.mean(course, axis=1).tolist() for name, course in curves.items()},
        "spreads": {name: np.std(course, axis=1).tolist() for name, course in curves.items()},
        "split": n_split,
        "held_out": [100 * np.mean([one.held_out_accuracy_ for one in found]) for found in split],
        "of_these": [100 * np.mean([test.accuracy(one.embedding_) for one in found]) for found in split],
        "errors": {name: 100 * knn_error(places, y, n_neighbors=1) for name, places in maps.items()},
    }


def _variants() -> list[tuple[str, str, dict[str, float]]]:
    weights = [(_name(weight), "triplets", {"feature_weight": weight}) for weight in _WEIGHTS]
    kinds = [(kind, kind, {"feature_weight": _DEFAULT}) for kind in KINDS[1:]]
    return [*weights, ("Gaussian", "triplets", {"feature_weight": _DEFAULT, "dof": np.inf}), *kinds]


def _name(weight: float) -> str:
    return f"weight {weight:g}"


def _asked(y: np.ndarray, m: int, kind: str, seed: int) -> Comparisons:
    return asked(kind, lambda i, j: (y[i] != y[j]).astype(float), len(y), m, np.random.default_rng(seed), 0.5)


def _fitted(X: np.ndarray, said: Comparisons, run: Run, **settings: float) -> ComparisonEmbedding:
    return ComparisonEmbedding(max_iter=run.max_iter, **{"held_out": 0.0, **settings}).fit(X, said)


def _draw(
    run: Run,
    maps: dict[str, np.ndarray],
    y: np.ndarray,
    counts: tuple[int, ...],
    curves: dict[str, list[list[float]]],
    features: float,
) -> None:
    figure, axes = panels(1, 2, 5, 3.6)
    weights = [_name(weight) for weight in _WEIGHTS]
    others = [_name(_DEFAULT), "Gaussian", *KINDS[1:]]
    titles = ("triplets: how much the features count", "kinds of comparisons, and of kernel (weight 0.5)")
    for axis, names, title in zip(axes[0], (weights, others), titles, strict=True):
        for color, name in zip(CLASS_COLORS, names, strict=False):
            label = {_name(0.0): "weight 0: comparisons alone", _name(_DEFAULT): "weight 0.5, the default"}.get(
                name, name
            )
            if names is others:
                label = {_name(_DEFAULT): "triplets", "Gaussian": "triplets, Gaussian"}.get(name, name)
            axis.plot(counts, np.mean(curves[name], axis=1), color=color, marker="o", markersize=3, label=label)
        axis.axhline(features, color="black", linewidth=0.8, linestyle="--", label="features alone")
        logarithmic(axis.xaxis, (1, 3))
        axis.set(xlabel="comparisons learned from", ylabel="other triplets that hold on the map (%)", title=title)
        axis.set_ylim(45, 101)
        axis.legend(fontsize=7.5)
    save(figure, run.image("digits"))
    figure, axes = panels(1, len(maps), 3.2)
    for axis, (name, places) in zip(axes[0], maps.items(), strict=True):
        draw_classes(axis, places, y, name)
    save(figure, run.image("digits-maps"))


def claims(numbers: Numbers) -> list[Claim]:
    accuracies, counts, features = numbers["accuracies"], numbers["counts"], numbers["features"]
    default, alone = accuracies[_name(_DEFAULT)], accuracies[_name(0.0)]
    # The standard error of a share of so many.
    share = np.array(numbers["of_these"]) / 100
    errors = 100 * np.sqrt(share * (1 - share) / (_HELD_OUT * numbers["split"] * np.array(counts)))
    away = np.abs(np.subtract(numbers["held_out"], numbers["of_these"])) / errors

    def course(values: list[float]) -> str:
        return ", ".join(f"{value:.1f}" for value in values)

    return [
        Claim(
            "One expects few comparisons to help where they bend what the features say, and to help more the more "
            "there are",
            f"{features:.1f} % of {_ASKED} other triplets hold on the features' map; with "
            f"{', '.join(map(str, counts))} triplets {course(default)} %",
            default[0] > features and bool((np.diff(default) > 0).all()),
        ),
        Claim(
            "Comparisons alone need many for each row",
            f"Without the features {course(alone)} % hold: rows that nobody compared all lie in the middle, and tell "
            "nothing",
            alone[0] < features and alone[-1] < default[-1],
        ),
        Claim(
            "The accuracy on held-out comparisons tells that on others",
            f"Where a fifth of the triplets is held out, they say {course(numbers['held_out'])} %, and the other "
            f"triplets {course(numbers['of_these'])} % (means of {numbers['split']} draws): at most {away.max():.1f} "
            f"standard errors apart. In one draw of {counts[0]} triplets {_HELD_OUT * counts[0]:.0f} are held out, "
            "which say next to nothing",
            bool(away.max() < 2.5),
        ),
        Claim(
            "One expects heavy tails (t-STE) to do better than the Gaussian",
            f"With the Gaussian {course(accuracies['Gaussian'])} % hold",
            bool(np.mean(default) > np.mean(accuracies["Gaussian"])),
        ),
        Claim(
            "Pairs and quadruplets do as well as triplets",
            f"Quadruplets {course(accuracies['quadruplets'])} %; pairs {course(accuracies['pairs'])} %",
            bool(np.min(np.subtract([accuracies[kind][-1] for kind in KINDS[1:]], default[-1])) > -2),
            "A pair says whether two digits are one class, a triplet that holds has one such pair and one that is not; "
            "nine of ten pairs drawn at random are dissimilar, and tell little",
        ),
    ]


def lines(numbers: Numbers) -> list[str]:
    errors = ", ".join(f"{name} {error:.1f} %" for name, error in numbers["errors"].items())
    return [f"Rows whose nearest on the map is another digit: {errors}. Means of {numbers['repeats']} draws.", ""]


EXPERIMENT = Experiment(
    "digits",
    "Digits, of which a few are compared",
    2000,
    200,
    measure,
    claims,
    {
        "digits": "Triplets (two of one digit, one of another) that were not learned from and hold on the map",
        "digits-maps": "The map of the features alone, and as triplets bend it; digits stand where most of them lie",
    },
    lines,
)
