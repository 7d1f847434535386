"""Ten cities of the United States, from the distances between them."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from scipy.linalg import orthogonal_procrustes
from scipy.spatial.distance import pdist, squareform

from benchmarks.drawing import panels, save
from benchmarks.report import Claim, Experiment, Numbers, Run
from benchmarks.stored import load
from latentmap.methods import ClassicalMDS, GradientMDS

# Latitude and longitude, in degrees.
_PLACES = {
    "Atlanta": (33.75, -84.39),
    "Chicago": (41.88, -87.63),
    "Denver": (39.74, -104.99),
    "Houston": (29.76, -95.37),
    "Los Angeles": (34.05, -118.24),
    "Miami": (25.76, -80.19),
    "New York": (40.71, -74.01),
    "San Francisco": (37.77, -122.42),
    "Seattle": (47.61, -122.33),
    "Washington DC": (38.91, -77.04),
}
_EARTH = 3959.0
_STARTS = 50
_NEAR = 1.01


def measure(run: Run) -> Numbers:
    arrays = load("us_cities10")
    D, names = arrays["D"].astype(float), arrays["names"].tolist()
    true = _plane(np.radians([_PLACES[name] for name in names]))
    classical = ClassicalMDS(metric="precomputed").fit(D)
    settings = {"metric": "precomputed", "max_iter": run.max_iter, "tol": 1e-7}
    gradient = {kind: GradientMDS(cost=kind, **settings).fit(D) for kind in ("absolute", "squared")}
    seeds = range(5 if run.quick else _STARTS)
    ends = {
        (kind, d): [GradientMDS(d, cost=kind, init="random", random_state=s, **settings).fit(D) for s in seeds]
        for kind in gradient
        for d in (2, 1)
    }
    maps = {"classical": classical.embedding_} | {kind: method.embedding_ for kind, method in gradient.items()}
    _draw(run, true, maps, names, ends["absolute", 2])
    values = classical.eigenvalues_
    return {
        "miles": {name: _miles_away(true, places) for name, places in maps.items()},
        "width": float(np.ptp(true, axis=0).max()),
        "correlation": float(np.corrcoef(squareform(D), pdist(classical.embedding_))[0, 1]),
        "strain": classical.strain_,
        "eigenvalues": values.tolist(),
        "negative": int((values < -1e-9 * values[0]).sum()),
        "negative_share": float(-values[values < 0].sum() / np.abs(values).sum()),
        "lowered": {kind: method.costs_[0] / method.cost_ for kind, method in gradient.items()},
        "ends": {f"{kind}, {d}": _spread(others) for (kind, d), others in ends.items()},
        "starts": len(seeds),
    }


def _plane(places: np.ndarray) -> np.ndarray:
    """Return places on the globe on a plane that touches it amid them, in miles (Lambert's equal areas)."""
    latitude, longitude = places.T
    middle, longitude = latitude.mean(), longitude - longitude.mean()
    towards = np.sin(middle) * np.sin(latitude) + np.cos(middle) * np.cos(latitude) * np.cos(longitude)
    scale = _EARTH * np.sqrt(2 / (1 + towards))
    east = np.cos(latitude) * np.sin(longitude)
    north = np.cos(middle) * np.sin(latitude) - np.sin(middle) * np.cos(latitude) * np.cos(longitude)
    return np.column_stack([scale * east, scale * north])


def _turned(true: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return a map turned, mirrored and moved upon the true places, in its own size."""
    centred = places - places.mean(axis=0)
    return centred @ orthogonal_procrustes(centred, true - true.mean(axis=0))[0] + true.mean(axis=0)


def _miles_away(true: np.ndarray, places: np.ndarray) -> float:
    return float(np.linalg.norm(_turned(true, places) - true, axis=1).mean())


def _spread(methods: list[GradientMDS]) -> Numbers:
    """Return how many descents end near the least cost that one of them has found, and how far off the worst is."""
    costs = np.array([method.cost_ for method in methods]) / min(method.cost_ for method in methods)
    return {"near_best": float((costs < _NEAR).mean()), "worst": float(costs.max())}


def _draw(
    run: Run, true: np.ndarray, maps: dict[str, np.ndarray], names: list[str], descents: list[GradientMDS]
) -> None:
    figure, axes = panels(1, 2, 5.4, 3.9)
    _draw_map(axes[0, 0], true, maps, names)
    for method in descents:
        axes[0, 1].plot(np.arange(1, len(method.costs_) + 1), method.costs_, color="#4e79a7", alpha=0.4, linewidth=0.8)
    axes[0, 1].set(
        xscale="log", yscale="log", xlabel="iterations", ylabel="cost of absolute differences (square miles)"
    )
    axes[0, 1].set_title("going down from random starts")
    save(figure, run.image("cities"))


def _draw_map(axes: Axes, true: np.ndarray, maps: dict[str, np.ndarray], names: list[str]) -> None:
    axes.scatter(*true.T, s=130, facecolors="none", edgecolors="black", linewidths=0.8, label="true places")
    for (name, places), marker, color in zip(maps.items(), "o+x", ("#f28e2b", "#4e79a7", "#3b3b3b"), strict=True):
        label = "classical" if name == "classical" else f"descent, {name} differences"
        axes.scatter(*_turned(true, places).T, s=45, marker=marker, color=color, linewidths=1, label=label)
    for name, (x, y) in zip(names, true, strict=True):
        # What would lie upon New York goes below.
        up = -15 if name == "Washington DC" else 9
        axes.annotate(name, (x, y), (0, up), textcoords="offset points", fontsize=7, ha="center")
    axes.set(xlabel="east (miles)", ylabel="north (miles)", aspect="equal", title="maps turned upon the true places")
    axes.set(xlim=(-1750, 1500), ylim=(-1250, 1150))
    axes.legend(fontsize=7, loc="lower left")


def claims(numbers: Numbers) -> list[Claim]:
    miles, ends = numbers["miles"], numbers["ends"]
    return [
        Claim(
            "Classical scaling of the ten cities' distances gives their map",
            f"The cities lie {miles['classical']:.0f} miles from their true places on average, on a map "
            f"{numbers['width']:.0f} miles wide; its distances correlate with those given by "
            f"{numbers['correlation']:.5f}",
            numbers["correlation"] > 0.999,
        ),
        Claim(
            "It works even when the distances cannot be realised in a Euclidean space: negative eigenvalues are zeroed",
            f"{numbers['negative']} of the 10 eigenvalues are negative, {numbers['negative_share']:.1%} of the sum of "
            f"all without their signs; the map leaves out {numbers['strain']:.1e} of the squares of B",
            numbers["negative"] > 0 and numbers["strain"] < 0.01,
        ),
        Claim(
            "Alternative: gradient descent on the absolute differences of squared distances",
            f"From the classical map the cost falls by a factor of {numbers['lowered']['absolute']:.2f}, and the "
            f"cities come to lie {miles['absolute']:.0f} miles from their true places ({miles['squared']:.0f} where "
            "the differences are squared)",
        ),
        Claim(
            "Problem: no guarantees available",
            f"Of {numbers['starts']} random starts {ends['absolute, 2']['near_best']:.0%} end within 1 % of the least "
            f"cost (squared differences: {ends['squared, 2']['near_best']:.0%}). On a line, k = 1, "
            f"{ends['absolute, 1']['near_best']:.0%} do ({ends['squared, 1']['near_best']:.0%}), and the worst ends at "
            f"{ends['absolute, 1']['worst']:.1f} times it ({ends['squared, 1']['worst']:.1f})",
            min(found["near_best"] for found in ends.values()) < 1,
            "All starts ended at the same cost",
        ),
    ]


EXPERIMENT = Experiment(
    "cities",
    "Ten cities",
    10,
    10,
    measure,
    claims,
    {"cities": "Ten cities by their distances; and the cost on the way down from random starts"},
)
