"""Classification and time against the number of dimensions: Figs. 3 and S10."""

from __future__ import annotations

import numpy as np

from benchmarks import figures
from benchmarks.drawing import panels, save
from benchmarks.markdown import table
from benchmarks.paper import data
from benchmarks.paper.digits import digit_map
from benchmarks.report import Claim, Experiment, Numbers, Run

_DIMENSIONS = [1, 2, 3, 4, 6, 8, 10]
_PCA_DIMENSIONS = [*_DIMENSIONS, 15, 20, 30, 50]
_LEVELS = (1, 2)


def measure(run: Run) -> Numbers:
    digits = data.load_digits(run.n)
    dimensions = [1, 3] if run.quick else _DIMENSIONS
    numbers: Numbers = {"PCA": {str(d): digits.errors(digits.X[:, :d], [9])[0] for d in _PCA_DIMENSIONS}}
    for levels in _LEVELS:
        found = numbers[str(levels)] = {"errors": {}, "seconds": {}}
        for d in dimensions:
            made = digit_map(run.n, run.max_iter, 9, 2, levels, d)
            found["errors"][str(d)] = digits.errors(made.embedding, [9])[0]
            found["seconds"][str(d)] = made.seconds["embedding"]
    _draw(numbers, run)
    return numbers


def _draw(numbers: Numbers, run: Run) -> None:
    figure, axes = panels(1, 2, 4.4, 3.6)
    curves = {"PCA": numbers["PCA"]} | {str(levels): numbers[str(levels)]["errors"] for levels in _LEVELS}
    for name, errors in curves.items():
        d = [int(d) for d in errors if int(d) <= max(_DIMENSIONS)]
        label = name if name == "PCA" else f"LVM, l = {name}"
        axes[0, 0].plot(d, [errors[str(i)] for i in d], "o-", color=figures.METHOD_COLORS[name], label=label, ms=4)
    axes[0, 0].axhline(numbers["PCA"]["50"], color="black", ls=":", lw=1, label="all 50 components")
    axes[0, 0].set(xlabel="dimensions d", ylabel="error by 9 neighbours (%)", yscale="log", title="Fig. 3")
    axes[0, 0].set_yticks([2, 5, 10, 20, 50, 80], ["2", "5", "10", "20", "50", "80"])
    axes[0, 0].minorticks_off()
    axes[0, 0].legend()
    for levels in _LEVELS:
        seconds = numbers[str(levels)]["seconds"]
        d = [int(i) for i in seconds]
        axes[0, 1].plot(
            d, list(seconds.values()), "o-", color=figures.METHOD_COLORS[str(levels)], label=f"l = {levels}", ms=4
        )
    axes[0, 1].set(xlabel="dimensions d", ylabel=f"seconds for {run.max_iter} iterations", ylim=(0, None))
    axes[0, 1].set_title("Fig. S10")
    axes[0, 1].legend()
    save(figure, run.image("dimensions"))


def claims(numbers: Numbers) -> list[Claim]:
    one, two, pca = numbers["1"]["errors"], numbers["2"]["errors"], numbers["PCA"]
    d = list(one)
    small, large = d[1], d[-1]
    matching = next((i for i, error in pca.items() if error <= one[small]), None)
    seconds = {levels: numbers[str(levels)]["seconds"] for levels in _LEVELS}
    growth = seconds[1][large] / seconds[1][d[0]]
    return [
        Claim(
            "Most of what tells the classes apart is in the first few dimensions; PCA needs many more (Fig. 3)",
            f"LVM: {one[small]:.2f} % in {small} dimensions, {one[large]:.2f} % in {large}; PCA: {pca[small]:.1f} % "
            f"and {pca[large]:.2f} %, and it reaches what LVM has in {small} "
            + (f"in {matching}" if matching else "in none up to 50"),
            matching is None or int(matching) >= 3 * int(small),
        ),
        Claim(
            "The errors are somewhat higher with l = 2 (Fig. 3)",
            f"Mean over d: {np.mean(list(one.values())):.2f} % (l = 1), {np.mean(list(two.values())):.2f} % (l = 2)",
            bool(np.mean(list(two.values())) > np.mean(list(one.values()))),
        ),
        Claim(
            "400 iterations in d = 10 take 859 s (l = 1) and 579 s (l = 2)",
            f"In d = {large}: {seconds[1][large]:.0f} s (l = 1), {seconds[2][large]:.0f} s (l = 2)",
            seconds[2][large] < seconds[1][large],
        ),
        Claim(
            "The time grows gracefully with d (Fig. S10)",
            f"{growth:.1f} times as long in d = {large} as in d = {d[0]} (l = 1)",
            growth < int(large) / int(d[0]),
        ),
    ]


def rows(numbers: Numbers) -> list[str]:
    d = list(numbers["PCA"])
    errors = [("PCA: error %", *(f"{numbers['PCA'][i]:.2f}" for i in d))]
    for levels in map(str, _LEVELS):
        found = numbers[levels]
        errors.append((f"LVM, l = {levels}: error %", *(_cell(found["errors"], i, ".2f") for i in d)))
        errors.append((f"LVM, l = {levels}: seconds", *(_cell(found["seconds"], i, ".0f") for i in d)))
    return table(["d", *d], errors)


def _cell(found: Numbers, d: str, form: str) -> str:
    return format(found[d], form) if d in found else ""


EXPERIMENT = Experiment(
    "dimensions",
    "More dimensions (Figs. 3, S10)",
    20_000,
    700,
    measure,
    claims,
    {"dimensions": "Error of the digits by 9 neighbours, and the time of EM, against the dimensions d (k = 9, s = 2)"},
    rows,
)
