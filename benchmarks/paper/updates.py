"""Joint against alternating updates of outputs and variances (SI, Learning)."""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks.drawing import panels, save
from benchmarks.markdown import table, whole
from benchmarks.paper import data
from benchmarks.paper.fitting import PAPER_SETTINGS
from benchmarks.paper.joint import joint_em
from benchmarks.problems import posed
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap import LVM
from latentmap.model.em import em
from latentmap.model.objective import Objective
from latentmap.model.workers import Workers

_MOMENTA = (0.0, 0.9)
# Iterations between two looks at the likelihood.
_EVERY = 5
# The alternating updates are faster where they take this part of the iterations, or less.
_FASTER = 0.5
_COLORS = {"alternating": "#4e79a7", "joint": "#e15759"}


def measure(run: Run) -> Numbers:
    X, told = data.load_digits(run.n).X, list(range(0, run.max_iter + 1, _EVERY))
    numbers: Numbers = {"told": told, "courses": {}}
    with Workers(-1) as workers:
        problem = posed(LVM(**PAPER_SETTINGS | {"n_levels": 1}), X, workers)
        objective = problem.likelihood
        assert isinstance(objective, Objective)
        start = next(iter(problem.states(np.random.default_rng(0), workers, "spectral")))
        for momentum in _MOMENTA:
            courses = {
                "alternating": em(
                    objective, start.embedding, start.variances, workers, momentum=momentum, max_iter=run.max_iter
                ),
                "joint": joint_em(
                    objective, start.embedding, start.variances, momentum=momentum, max_iter=run.max_iter
                ),
            }
            numbers["courses"][str(momentum)] = {
                name: [state.log_likelihood for state in itertools.islice(states, 0, None, _EVERY)]
                for name, states in courses.items()
            }
    _draw(numbers, run)
    return numbers


def reached(course: list[float], told: list[int], aim: float) -> int | None:
    """Return the iteration at which a course is first as likely as it is to be, or None."""
    return next((iteration for iteration, value in zip(told, course, strict=True) if value >= aim), None)


def _draw(numbers: Numbers, run: Run) -> None:
    figure, axes = panels(1, len(_MOMENTA), 4.2, 3.4)
    for panel, (momentum, courses) in zip(axes[0], numbers["courses"].items(), strict=True):
        for name, course in courses.items():
            panel.plot(numbers["told"], course, color=_COLORS[name], label=name)
        last = courses["alternating"][-1]
        # The first iterations would make all others look alike.
        panel.set(xlabel="iterations", title=f"momentum {momentum}", ylim=(3 * last, 0.9 * last))
    axes[0, 0].set_ylabel("log-likelihood")
    axes[0, -1].legend(loc="lower right")
    save(figure, run.image("updates"))


def claims(numbers: Numbers) -> list[Claim]:
    return [_claim(momentum, courses, numbers["told"]) for momentum, courses in numbers["courses"].items()]


def _claim(momentum: str, courses: dict[str, list[float]], told: list[int]) -> Claim:
    alternating, joint = courses["alternating"], courses["joint"]
    needed = reached(alternating, told, joint[-1])
    return Claim(
        f"Alternating updates converge significantly faster than joint ones: momentum {momentum}",
        f"After {told[-1]} iterations the log-likelihood is {whole(alternating[-1])} (alternating), "
        f"{whole(joint[-1])} (joint); the alternating updates are as likely as that after "
        + (f"{needed} iterations" if needed is not None else "more"),
        needed is not None and needed <= _FASTER * told[-1],
    )


def rows(numbers: Numbers) -> list[str]:
    told = numbers["told"]
    shown = [at for at, iteration in enumerate(told) if iteration in (0, 10, 50, 100, 200, told[-1])]
    lines = [
        f"l = 1, both from the same start. We call it significantly faster where {_FASTER:.0%} of the iterations, or "
        "fewer, are enough.",
        "",
    ]
    return lines + table(
        ["log-likelihood after", *(str(told[at]) for at in shown)],
        [
            (f"{name}, momentum {momentum}", *(whole(course[at]) for at in shown))
            for momentum, courses in numbers["courses"].items()
            for name, course in courses.items()
        ],
    )


EXPERIMENT = Experiment(
    "updates",
    "Joint and alternating updates (SI, Learning)",
    7000,
    700,
    measure,
    claims,
    {"updates": "Log-likelihood of a map of digits against iterations, by joint and by alternating updates"},
    rows,
)
