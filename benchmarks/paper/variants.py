"""What the settings do to the map of digits: levels (Figs. S6 to S8), k and s (Fig. S5), tied variances (Fig. S4)."""

from __future__ import annotations

from collections.abc import Sequence
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

# S6 to S8 are told by so many choices of landmarks, and of rows where not all are taken.
_SEEDS = range(3)
_GRID = list(product([5, 9, 15], [1, 2, 3]))
# The classes that Figs. S6 and S7 enlarge.
_CONFUSABLE = ((3, 5, 8), (4, 7, 9))
_QUICK_GRID = list(product([5, 9], [1]))
# S6 to S8 are told by so many choices of landmarks, and of rows where not all are taken.
_SEEDS = range(3)


def distance_of_classes(embedding: np.ndarray, y: np.ndarray) -> float:
    """Mean distance between the centroids of two classes, in units of the data."""
    return float(pdist([embedding[y == label].mean(axis=0) for label in np.unique(y)]).mean())


def separation(embedding: np.ndarray, y: np.ndarray) -> float:
    """Mean distance between the centroids of two classes over the mean spread (root mean square) of a class."""
    spreads = [np.sqrt(embedding[y == label].var(axis=0).sum()) for label in np.unique(y)]
    return distance_of_classes(embedding, y) / float(np.mean(spreads))


def _described(made: Fit, digits: data.Digits) -> Numbers:
    one, nine = digits.errors(made.embedding, [1, 9])
    return {
        "error_1": one,
        "error_9": nine,
        "distance": distance_of_classes(made.embedding, digits.y),
        "separation": separation(made.embedding, digits.y),
        "log_likelihood": made.log_likelihood,
        "seconds": made.seconds["embedding"],
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
                f"{found['seconds']:.0f}",
            )
            for name, found in numbers.items()
        ],
    )


def _table_of_seeds(numbers: Numbers) -> list[str]:
    """Return the table of maps that were made several times, a line for each."""
    return table(
        ["map", "seed", "1-neighbour error %", "9-neighbour error %", "distance of classes", "separation", "seconds"],
        [
            (
                name,
                seed,
                f"{found['error_1']:.2f}",
                f"{found['error_9']:.2f}",
                whole(found["distance"]),
                f"{found['separation']:.2f}",
                f"{found['seconds']:.0f}",
            )
            for name, some in numbers.items()
            for seed, found in enumerate(some)
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
    "The distance of classes is the mean over pairs of their centroids, in units of the data; separation is that over "
    "the mean spread of a class.",
    "",
]


def _told(found: Sequence[Numbers], name: str, digits: int = 0) -> str:
    """Return the mean of a number over seeds, and its smallest and largest."""
    values = [one[name] for one in found]
    mean, low, high = (
        whole(value) if not digits else f"{value:.{digits}f}" for value in (np.mean(values), min(values), max(values))
    )
    return f"{mean} ({low} to {high})"


def _larger(some: Sequence[Numbers], than: Sequence[Numbers], name: str) -> int:
    """Return in how many of the seeds a number is larger."""
    return sum(one[name] > other[name] for one, other in zip(some, than, strict=True))


def _magnified(paper: str, near: tuple[str, list[Numbers]], far: tuple[str, list[Numbers]]) -> Claim:
    """Return the claim that the second of two maps has its classes farther apart, in each seed."""
    (first, some), (second, others) = near, far
    larger = _larger(others, some, "distance")
    return Claim(
        paper,
        f"Mean distance between classes, in units of the data: {_told(some, 'distance')} ({first}), "
        f"{_told(others, 'distance')} ({second}); larger in {larger} of {len(some)} seeds. "
        f"Separation: {_told(some, 'separation', 2)} ({first}), {_told(others, 'separation', 2)} ({second})",
        larger == len(some),
    )


_ONE, _TWO, _TWO_PLAIN = "l = 1", "l = 2", "l = 2, votes not squared"


def measure_levels(run: Run) -> Numbers:
    settings = {_ONE: (1, 2.0), _TWO: (2, 2.0), _TWO_PLAIN: (2, 1.0)}
    numbers: Numbers = {name: [] for name in settings}
    for seed in _SEEDS:
        digits = data.load_digits(run.n, seed)
        maps = {
            name: digit_map(run.n, run.max_iter, 9, 1, levels, seed=seed, vote_power=power)
            for name, (levels, power) in settings.items()
        }
        for name, made in maps.items():
            numbers[name].append(_described(made, digits))
        if seed == 0:
            _draw_levels(run, digits, maps)
    return numbers


def claims_of_levels(numbers: Numbers) -> list[Claim]:
    one, two, plain = (numbers[name] for name in (_ONE, _TWO, _TWO_PLAIN))
    magnified = _larger(plain, one, "distance")
    return [
        _magnified(
            "The second level magnifies the distances between clusters (Figs. S6, S7)", ("l = 1", one), ("l = 2", two)
        ),
        Claim(
            "The second level takes less time",
            f"400 iterations: {_told(one, 'seconds')} s (l = 1), {_told(two, 'seconds')} s (l = 2)",
            _larger(one, two, "seconds") == len(one),
            "What a block of pairs costs by itself, and the rest of an iteration (edges and linear system), does not "
            "shrink with the number of pairs",
        ),
        Claim(
            "Weights that arise from coarse-graining count the examples that they connect (SI). Squared, as in a "
            "program of the author's and in `PAPER`, or as they are?",
            f"With votes as they are the distance between classes is {_told(plain, 'distance')}, larger than with "
            f"l = 1 in {magnified} of {len(one)} seeds; the 9-neighbour error is {_told(plain, 'error_9', 2)} %, with "
            f"votes squared {_told(two, 'error_9', 2)} %",
        ),
    ]


def measure_small(run: Run) -> Numbers:
    numbers: Numbers = {"l = 0": [], "l = 1": []}
    for seed in _SEEDS:
        digits = data.load_digits(run.n, seed)
        maps = {f"l = {levels}": digit_map(run.n, run.max_iter, 9, 1, levels, seed=seed) for levels in (0, 1)}
        for name, made in maps.items():
            numbers[name].append(_described(made, digits))
        if seed == 0:
            _draw_row(run, "mnist-7k", digits, maps)
    return numbers


def claims_of_small(numbers: Numbers) -> list[Claim]:
    paper = "Coarse-graining magnifies the distances between clusters (Fig. S8)"
    return [_magnified(paper, *numbers.items())]


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
        {"mnist-levels": "Digits with l = 1, l = 2, and l = 2 with the votes for landmarks not squared (k = 9, s = 1)"},
        lambda numbers: _SEPARATION + _table_of_seeds(numbers),
    ),
    Experiment(
        "mnist-7k",
        "Fewer digits without and with coarse-graining (Fig. S8)",
        7000,
        700,
        measure_small,
        claims_of_small,
        {"mnist-7k": "Digits with l = 0 and l = 1 (k = 9, s = 1)"},
        lambda numbers: _SEPARATION + _table_of_seeds(numbers),
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
