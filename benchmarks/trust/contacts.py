"""How often group_contacts finds what a made-up map tears or joins, and how often it says so of what is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.markdown import table
from benchmarks.report import Numbers, Run
from benchmarks.trust import made_up
from latentmap import LVM
from latentmap.quality import group_contacts


class Case(NamedTuple):
    """A made-up table and map of which it is known what to find; ``right`` is "" where nothing is to be found."""

    X: np.ndarray
    Y: np.ndarray
    groups: np.ndarray
    pair: tuple[int, int] | None = None
    right: str = ""


def _opened(n: int, seed: int) -> Case:
    made, angle = made_up.ring(n, seed)
    return Case(made.X, made_up.opened(angle, seed), made.groups, (0, 5), "torn")


def _in_two(n: int, seed: int) -> Case:
    made, angle = made_up.ring(n, seed)
    return Case(made.X, made_up.in_two(angle, seed), np.zeros(n, int), (0, 0), "split")


def _joined(n: int, seed: int) -> Case:
    made = made_up.separate(n, seed, 2)
    return Case(made.X, made_up.side_by_side(made.groups, seed), made.groups, (0, 1), "joined")


def _mixed_batches(n: int, seed: int) -> Case:
    made = made_up.batches(n, seed, 10)
    return Case(made.X, made_up.noise(n, seed, 2), made.groups, (0, 1), "joined")


def _parted_batches(n: int, seed: int) -> Case:
    made = made_up.batches(n, seed, 3)
    return Case(made.X, made_up.side_by_side(3 * made.groups, seed), made.groups, (0, 1), "torn")


def _measured_twice(n: int, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    true = rng.uniform(size=(n, 2))
    X, Y = (true + 0.02 * rng.normal(size=true.shape) for _ in range(2))
    return Case(X, Y, (3 * true[:, 0]).astype(int) + 3 * (2 * true[:, 1]).astype(int))


def _mapped(made: made_up.MadeUp) -> Case:
    return Case(made.X, LVM().fit_transform(made.X), made.groups)


_CASES: dict[str, Callable[[int, int], Case]] = {
    "a ring, torn open: the arcs at the tear": _opened,
    "a ring in two pieces, as one group": _in_two,
    "two groups far apart, side by side on the map": _joined,
    "two batches far apart, mixed on the map": _mixed_batches,
    "two batches that overlap, apart on the map": _parted_batches,
    "table and map are the same plane, each with an error: 6 groups": _measured_twice,
    "two Gaussians 2 standard deviations apart, mapped": lambda n, seed: _mapped(made_up.overlapping(n, seed)),
    "5 groups far apart, mapped": lambda n, seed: _mapped(made_up.separate(n, seed)),
    "two types with 5 % doublets, mapped": lambda n, seed: _mapped(made_up.bridge(n, seed)),
    "noise in two batches, mapped": lambda n, seed: _mapped(made_up.batches(n, seed, 0)),
}


def measure(run: Run) -> Numbers:
    seeds = 2 if run.quick else 20
    found = {}
    for name, make in _CASES.items():
        cases = [make(run.n, seed) for seed in range(seeds)]
        found[name] = [_of(case) for case in cases]
    return {"iterations": None, "cases": found}


def _of(case: Case) -> Numbers:
    pairs = group_contacts(LVM().find_neighbors(case.X), case.Y, case.groups).pairs
    is_right = (pairs["a"] == (case.pair or (-1, -1))[0]) & (pairs["b"] == (case.pair or (-1, -1))[1])
    is_right &= pairs["verdict"] == case.right
    return {
        "pairs": len(pairs),
        "found": bool(is_right.any()) if case.pair else None,
        "others": int(((pairs["verdict"] != "") & ~is_right).sum()),
    }


def lines(numbers: Numbers) -> list[str]:
    rows = []
    for name, runs in numbers["cases"].items():
        found = "–" if runs[0]["found"] is None else f"{sum(one['found'] for one in runs)} of {len(runs)}"
        rows.append(
            (
                name,
                found,
                f"{sum(one['others'] > 0 for one in runs)} of {len(runs)}",
                f"{sum(one['others'] for one in runs)} of {sum(one['pairs'] for one in runs)}",
            )
        )
    return [
        "Each table is drawn anew for each seed. The verdict is right if it names the pair and says what is wrong with "
        "it. Where the map is made by `LVM()`, it is not known to be right, and a further verdict need not be false.",
        "",
        *table(["made-up table and map", "found", "tables with another verdict", "pairs with another verdict"], rows),
        "The spacing alone says nothing on pairs of groups.",
        "",
    ]
