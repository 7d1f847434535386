"""What the settings do to the map of the digits: levels (Figs. S7, S8), k and s (Fig. S5), tied variances (Fig. S4)."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.spatial.distance import pdist

from benchmarks import figures
from benchmarks.drawing import panels, save
from benchmarks.markdown import table, whole
from benchmarks.paper import data
from benchmarks.paper.digits import digit_map
from benchmarks.paper.fitting import Fit
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.model.coarse import Coarse, coarsen
from latentmap.model.em import em
from latentmap.model.graph import NeighborGraph, neighbor_graph
from latentmap.model.objective import Objective, calibration
from latentmap.model.spectral import spectral_start
from latentmap.model.vectors import Vectors
from latentmap.model.workers import Workers

_GRID = list(product([5, 9, 15], [1, 2, 3]))
# The classes that Figs. S6 and S7 enlarge.
_CONFUSABLE = ((3, 5, 8), (4, 7, 9))
_QUICK_GRID = list(product([5, 9], [1]))


def distance_of_classes(embedding: np.ndarray, y: np.ndarray) -> float:
    """Mean distance between the centroids of two classes, in units of the data."""
    return float(pdist([embedding[y == label].mean(axis=0) for label in np.unique(y)]).mean())


def separation(embedding: np.ndarray, y: np.ndarray) -> float:
    """Mean distance between the centroids of two classes over the mean spread (root mean square) of a class."""
    spreads = [np.sqrt(embedding[y == label].var(axis=0).sum()) for label in np.unique(y)]
    return distance_of_classes(embedding, y) / float(np.mean(spreads))


def coarse_model(digits: data.Digits, k: int, levels: int) -> tuple[NeighborGraph, Coarse, np.random.Generator]:
    """Return the pairs that the estimator gives to EM, and the random numbers that it goes on with."""
    rng, inputs = np.random.default_rng(0), Vectors(digits.X, n_jobs=-1)
    graph = neighbor_graph(inputs, Vectors(digits.X, method=digits.neighbors()).kneighbors(k))
    unit = calibration(np.inf)
    coarse = coarsen(graph.reach / np.sqrt(unit), inputs.nearest, levels, calibration=unit, random_state=rng)
    return graph, coarse, rng


def votes_squared_map(n: int, max_iter: int, k: int, levels: int) -> Fit:
    """Make the map of digits that the other reading of the paper gives: each landmark's votes squared."""
    graph, coarse, rng = coarse_model(data.load_digits(n), k, levels)
    with Workers(-1) as workers:
        objective = Objective(graph, coarse, np.inf, workers, vote_power=2)
        start = spectral_start(objective.similar.edges, objective.similar.delta2, 2, rng)
        for state in em(objective, start, graph.reach**2 / 4, workers, max_iter=max_iter):
            last = state
        return Fit(last.embedding, last.variances, last.log_likelihood)


def _described(made: Fit, digits: data.Digits) -> Numbers:
    one, nine = digits.errors(made.embedding, [1, 9])
    return {
        "error_1": one,
        "error_9": nine,
        "distance": distance_of_classes(made.embedding, digits.y),
        "separation": separation(made.embedding, digits.y),
        "log_likelihood": made.log_likelihood,
        "seconds": made.seconds.get("embedding"),
        "widening": made.widening,
    }


def _draw_row(run: Run, name: str, digits: data.Digits, maps: dict[str, Fit]) -> None:
    figure, axes = panels(1, len(maps), 8.4 / len(maps) + 0.8)
    for panel, (title, made) in zip(axes[0], maps.items(), strict=True):
        figures.draw_classes(panel, made.embedding, digits.y, title)
    save(figure, run.image(name))


def _table_of_maps(numbers: Numbers) -> list[str]:
    return table(
        ["map", "1-neighbour error %", "9-neighbour error %", "separation", "seconds of EM"],
        [
            (
                name,
                f"{found['error_1']:.2f}",
                f"{found['error_9']:.2f}",
                f"{found['separation']:.2f}",
                "" if found["seconds"] is None else f"{found['seconds']:.0f}",
            )
            for name, found in numbers.items()
        ],
    )


def _draw_levels(run: Run, digits: data.Digits, maps: dict[str, Fit]) -> None:
    """Draw each map, and beside it the classes that are confused most."""
    figure, axes = panels(len(maps), 1 + len(_CONFUSABLE), 3.1)
    for row, (title, made) in zip(axes, maps.items(), strict=True):
        figures.draw_classes(row[0], made.embedding, digits.y, title)
        for panel, classes in zip(row[1:], _CONFUSABLE, strict=True):
            inside = np.isin(digits.y, classes)
            title = "close-up of " + ", ".join(map(str, classes))
            figures.draw_map(panel, made.embedding[inside], figures.CLASS_COLORS[digits.y[inside]], title, share=0.9)
    save(figure, run.image("mnist-levels"))


_SEPARATION = [
    "Separation is the mean distance between the centroids of two classes, over the mean spread of a class.",
    "",
]


def measure_levels(run: Run) -> Numbers:
    digits = data.load_digits(run.n)
    maps = {
        "l = 1": digit_map(run.n, run.max_iter, 9, 1, 1),
        "l = 2": digit_map(run.n, run.max_iter, 9, 1, 2),
        "l = 2, votes squared": votes_squared_map(run.n, run.max_iter, 9, 2),
    }
    _draw_levels(run, digits, maps)
    numbers = {name: _described(made, digits) for name, made in maps.items()}
    for levels in (1, 2):
        coarse = coarse_model(digits, 9, levels)[1]
        numbers[f"l = {levels}"] |= {"pairs": coarse.n_pairs, "blocks": len(coarse.blocks)}
    return numbers


def claims_of_levels(numbers: Numbers) -> list[Claim]:
    one, two, squared = numbers.values()
    return [
        Claim(
            "The second level magnifies the distances between clusters (Figs. S6, S7)",
            f"Mean distance between classes {one['distance']:.0f} (l = 1), {two['distance']:.0f} (l = 2), in units of "
            f"the data; separation {one['separation']:.2f} (l = 1), {two['separation']:.2f} (l = 2)",
            min(two["distance"] - one["distance"], two["separation"] - one["separation"]) > 0,
        ),
        Claim(
            "The second level takes less time",
            f"400 iterations: {one['seconds']:.0f} s (l = 1), {two['seconds']:.0f} s (l = 2)",
            two["seconds"] < one["seconds"],
            f"The first level leaves {whole(one['pairs'])} ordered pairs of dissimilar digits, in "
            f"{whole(one['blocks'])} blocks, the second {whole(two['pairs'])} in {whole(two['blocks'])}. What a block "
            "costs by itself, and the rest of an iteration (edges and linear system), does not shrink with the pairs",
        ),
        Claim(
            "The weights of landmarks count the examples that they connect: as votes (as here), or votes squared?",
            f"9-neighbour error {two['error_9']:.2f} % with votes, {squared['error_9']:.2f} % with votes squared",
        ),
    ]


def measure_small(run: Run) -> Numbers:
    digits = data.load_digits(run.n)
    maps = {f"l = {levels}": digit_map(run.n, run.max_iter, 9, 1, levels) for levels in (0, 1)}
    _draw_row(run, "mnist-7k", digits, maps)
    return {name: _described(made, digits) for name, made in maps.items()}


def claims_of_small(numbers: Numbers) -> list[Claim]:
    none, one = numbers.values()
    return [
        Claim(
            "Coarse-graining magnifies the distances between clusters (Fig. S8)",
            f"Mean distance between classes {none['distance']:.0f} (l = 0), {one['distance']:.0f} (l = 1), in units of "
            f"the data; separation {none['separation']:.2f} (l = 0), {one['separation']:.2f} (l = 1)",
            min(one["distance"] - none["distance"], one["separation"] - none["separation"]) > 0,
            "With l = 0 the clusters lie about as far apart as they started: EM makes the map "
            f"{none['widening']:.2f} times as wide as its start, and {one['widening']:.2f} times with l = 1. How large "
            "the start is the paper does not say; here its edges have the mean squared length scale, on average",
        )
    ]


def measure_tied(run: Run) -> Numbers:
    digits = data.load_digits(run.n)
    maps = {
        "one variance for each": digit_map(run.n, run.max_iter, 9, 1, 1),
        "tied variances": digit_map(run.n, run.max_iter, 9, 1, 1, tied=True),
    }
    _draw_row(run, "tied", digits, maps)
    return {name: _described(made, digits) for name, made in maps.items()}


def claims_of_tied(numbers: Numbers) -> list[Claim]:
    free, tied = numbers.values()
    return [
        Claim(
            "With tied variances the map does not separate the most similar classes (Fig. S4)",
            f"1-neighbour error {tied['error_1']:.1f} % tied, {free['error_1']:.1f} % free",
            tied["error_1"] > 1.5 * free["error_1"],
        ),
        Claim(
            "It has a considerably lower likelihood",
            f"Log-likelihood {whole(tied['log_likelihood'])} tied, {whole(free['log_likelihood'])} free",
            tied["log_likelihood"] < free["log_likelihood"],
        ),
    ]


def measure_grid(run: Run) -> Numbers:
    digits, numbers = data.load_digits(run.n), {}
    grid = _QUICK_GRID if run.quick else _GRID
    steps = sorted({s for _, s in grid})
    figure, axes = panels(len(grid) // len(steps), len(steps), 2.9)
    for panel, (k, s) in zip(axes.ravel(), grid, strict=True):
        made = digit_map(run.n, run.max_iter, k, s, 1)
        found = numbers[f"k = {k}, s = {s}"] = _described(made, digits)
        colors = figures.CLASS_COLORS[digits.y]
        figures.draw_map(panel, made.embedding, colors, f"k = {k}, s = {s}: {found['error_1']:.1f} %")
    save(figure, run.image("grid"))
    return numbers


def claims_of_grid(numbers: Numbers) -> list[Claim]:
    of_k: dict[str, list[Numbers]] = {}
    for name, found in numbers.items():
        of_k.setdefault(name.split(",")[0], []).append(found)
    tightness = {k: float(np.mean([found["separation"] for found in some])) for k, some in of_k.items()}
    by_s = max(np.ptp([found["separation"] for found in some]) for some in of_k.values())
    by_k, order = np.ptp(list(tightness.values())), list(tightness.values())
    errors = {k: np.ptp([found["error_1"] for found in some]) for k, some in of_k.items()}
    listed = ", ".join(f"{value:.2f} ({k})" for k, value in tightness.items())
    return [
        Claim("Higher values of k yield tighter clusters (Fig. S5)", f"Mean separation {listed}", order[-1] > order[0]),
        Claim(
            "s does not heavily affect how the map looks",
            f"Separation differs by {by_s:.2f} at most between values of s, by {by_k:.2f} between values of k",
            bool(by_s < by_k),
        ),
        Claim(
            "s does affect the 1-neighbour error",
            "Largest difference between values of s: " + ", ".join(f"{e:.2f} % ({k})" for k, e in errors.items()),
            bool(max(errors.values()) > 0.2),
        ),
    ]


EXPERIMENTS = [
    Experiment(
        "mnist-levels",
        "One and two levels of coarse-graining (Figs. S6, S7)",
        70_000,
        1000,
        measure_levels,
        claims_of_levels,
        {"mnist-levels": "Digits with l = 1, l = 2, and l = 2 with the votes for landmarks squared (k = 9, s = 1)"},
        lambda numbers: _SEPARATION + _table_of_maps(numbers),
    ),
    Experiment(
        "mnist-7k",
        "7 000 digits without and with coarse-graining (Fig. S8)",
        7000,
        700,
        measure_small,
        claims_of_small,
        {"mnist-7k": "Digits with l = 0 and l = 1 (k = 9, s = 1)"},
        lambda numbers: _SEPARATION + _table_of_maps(numbers),
    ),
    Experiment(
        "grid",
        "Neighbours (k) and steps (s) (Fig. S5)",
        20_000,
        700,
        measure_grid,
        claims_of_grid,
        {"grid": "Digits with several k and s (l = 1), coloured as in Fig. 2, and the 1-neighbour error of each map"},
        lambda numbers: _SEPARATION + _table_of_maps(numbers),
    ),
    Experiment(
        "tied",
        "One variance for all (Fig. S4)",
        70_000,
        700,
        measure_tied,
        claims_of_tied,
        {"tied": "Digits with a variance for each and with one for all (k = 9, s = 1, l = 1)"},
        lambda numbers: _SEPARATION + _table_of_maps(numbers),
    ),
]
