"""How many pairs of dissimilar examples coarse-graining leaves: SI (40)-(42)."""

from __future__ import annotations

import numpy as np

from benchmarks import figures
from benchmarks.drawing import logarithmic, panels, save
from benchmarks.markdown import table, whole
from benchmarks.paper import data
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.model.coarse import coarsen, n_landmarks
from latentmap.model.objective import calibration
from latentmap.model.vectors import Vectors

_LEVELS = (0, 1, 2)
# What the pairs grow with where examples are evenly distributed: n to this power, (41) and (42).
_EXPONENTS = {"0": 2.0, "1": 4 / 3, "2": 10 / 9}
# How far from it the exponent may be where they are not.
_CLOSE = 0.1
# Each size is so many times the one before.
_FACTOR = 3


def measure(run: Run) -> Numbers:
    sizes = sorted({run.n // _FACTOR**i for i in range(5)})
    numbers: Numbers = {"sizes": sizes, "even": [even_pairs(n) for n in sizes]}
    numbers |= {str(levels): [] for levels in _LEVELS}
    for n in sizes:
        X = data.load_digits(n).X
        for levels in _LEVELS:
            numbers[str(levels)].append(n_pairs(X, levels))
    _draw(numbers, run)
    return numbers


def n_pairs(X: np.ndarray, levels: int) -> int:
    """Return the pairs of dissimilar examples after so many levels, each counted once, neighbours among them."""
    # How far the examples are to be kept apart has no say in who is a landmark of whom.
    coarse = coarsen(
        np.ones(len(X)),
        Vectors(X, n_jobs=-1).nearest,
        levels,
        calibration=calibration(np.inf),
        random_state=np.random.default_rng(0),
    )
    return coarse.n_pairs // 2


def even_pairs(n: int) -> float:
    """Return what the pairs would be after one level, were all landmarks given as many examples."""
    m = n_landmarks(n)
    return m**2 / 2 + m * (n / m) ** 2 / 2  # Saul (SI 40)


def exponent(sizes: list[int], counts: list[int]) -> float:
    """Return the power of n that the counts grow with, by least squares of their logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(counts), 1)[0])


def _draw(numbers: Numbers, run: Run) -> None:
    figure, axes = panels(1, 1, 4.6, 3.6)
    for levels in map(str, _LEVELS):
        label = f"l = {levels}: n to the {exponent(numbers['sizes'], numbers[levels]):.2f}"
        color = figures.METHOD_COLORS[levels]
        axes[0, 0].plot(numbers["sizes"], numbers[levels], "o-", color=color, label=label, ms=4)
    label = "l = 1, evenly distributed (SI 40)"
    axes[0, 0].plot(numbers["sizes"], numbers["even"], ":", color=figures.METHOD_COLORS["1"], label=label)
    logarithmic(axes[0, 0].xaxis)
    axes[0, 0].set(yscale="log", xlabel="digits", ylabel="pairs of dissimilar digits")
    axes[0, 0].legend()
    save(figure, run.image("pairs"))


def claims(numbers: Numbers) -> list[Claim]:
    none, one, two = (np.array(numbers[str(levels)], float) for levels in _LEVELS)
    found = {levels: exponent(numbers["sizes"], numbers[levels]) for levels in ("1", "2")}
    first, second = none / one, one / two
    more = one[-1] / numbers["even"][-1]
    return [
        Claim(
            "One level leaves O(n^(4/3)) pairs where examples are evenly distributed (SI 40, 41); in practice they are "
            "not",
            f"They grow with n^{found['1']:.2f}; of all digits they are {more:.2f} times those of (40)",
            abs(found["1"] - _EXPONENTS["1"]) < _CLOSE,
            "The cells of the landmarks differ in size, and the largest ones hold most pairs",
        ),
        Claim(
            "Two levels leave O(n^(10/9)) pairs (SI 42)",
            f"They grow with n^{found['2']:.2f}",
            abs(found["2"] - _EXPONENTS["2"]) < _CLOSE,
            "The cells of the landmarks differ in size, and the largest ones hold most pairs",
        ),
        Claim(
            "The gains are substantial from one level to the next",
            f"Of all digits the first level leaves one pair in {whole(first[-1])}, the second one in "
            f"{second[-1]:.1f} of those",
            bool(min(first[-1], second[-1]) > 2),
        ),
        Claim(
            "The more examples, the more an additional level gains",
            "; ".join(
                f"{whole(n)} digits: {a:.0f} times, then {b:.1f} times fewer"
                for n, a, b in zip(numbers["sizes"], first, second, strict=True)
            ),
            bool((np.diff(first) > 0).all() and (np.diff(second) > 0).all()),
        ),
    ]


def rows(numbers: Numbers) -> list[str]:
    lines = [
        "Each pair is counted once, and those of neighbours are not taken out, as in (40). Where the exponent is "
        f"within {_CLOSE} of the one for even cells we call it so.",
        "",
    ]
    columns = ("0", "1", "even", "2")
    return lines + table(
        ["digits", "l = 0", "l = 1", "l = 1 by (40)", "l = 2"],
        [(whole(n), *(whole(numbers[column][i]) for column in columns)) for i, n in enumerate(numbers["sizes"])],
    )


EXPERIMENT = Experiment(
    "pairs",
    "Pairs that coarse-graining leaves (SI 40-42)",
    70_000,
    2000,
    measure,
    claims,
    {"pairs": "Pairs of dissimilar digits after l levels, against the number of digits"},
    rows,
)
