"""How many cells are sure, of noise, of groups far apart and of real tables, and whether misplaced cells are not."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.markdown import table
from benchmarks.report import Numbers, Run
from benchmarks.trust import made_up
from benchmarks.trust.tables import names, rows_of
from latentmap import LVM
from latentmap.quality import lost_neighbors, neighborhood_test

_COLUMNS = (2, 10, 50)
_SHARE, _MORE = 0.01, 0.05
_APART = {columns: f"5 groups far apart, {columns} columns" for columns in (20, 50)}


def measure(run: Run) -> Numbers:
    seeds = range(2 if run.quick else 5)
    n = min(run.n // 3, 1000)
    made: dict[str, Any] = {}
    for columns in _COLUMNS:
        made[f"noise, {columns} columns"] = [_of(made_up.noise(n, seed, columns)) for seed in seeds]
    for name, draw in made_up.OTHER_NOISE.items():
        made[name] = [_of(draw(n, seed)) for seed in seeds]
    for columns, name in _APART.items():
        apart = [made_up.separate(n, seed, columns=columns) for seed in seeds]
        made[name] = [_of(one.X, one.groups) for one in apart]
    real = {}
    for name in names(run.quick):
        X = rows_of(name, run.n)
        real[name] = _of(X, strict=True)
    return {"iterations": None, "made": made, "real": real}


def _of(X: np.ndarray, groups: np.ndarray | None = None, strict: bool = False) -> Numbers:
    LVM(max_iter=2).fit(X[:200])
    start = time.perf_counter()
    lvm = LVM().fit(X)
    fitted = time.perf_counter()
    found = neighborhood_test(X, lvm.embedding_, lvm)
    tested = time.perf_counter()
    lost = lost_neighbors(lvm.neighbors_, lvm.embedding_)
    sure = found.is_sure
    numbers = {
        "rows": len(X),
        "sure": float(sure.mean()),
        "small_p": float(np.mean(found.p_values <= 0.05)),
        "agreement": float(found.agreement.mean()),
        "null": float(found.null.mean()),
        "lost_sure": float(lost[sure].mean()) if sure.any() else None,
        "lost_doubtful": float(lost[~sure].mean()) if (~sure).any() else None,
        "time": (tested - fitted) / (fitted - start),
    }
    if groups is not None:
        numbers["power"] = [_power(X, lvm, share, groups) for share in (_SHARE, _MORE)]
    if strict:
        numbers["power"] = [_power(X, lvm, share) for share in (_SHARE, _MORE)]
        numbers["columns"] = float(neighborhood_test(X, lvm.embedding_, lvm, null="columns").is_sure.mean())
    return numbers


def _power(X: np.ndarray, lvm: LVM, share: float, groups: np.ndarray | None = None) -> Numbers:
    """Move some cells on the map, and see which are doubtful; and what the widest spacing would have flagged."""
    Y, rows = made_up.moved(lvm.embedding_, share, 0)
    elsewhere = rows if groups is None else made_up.misplaced(groups, Y, rows)
    doubtful = ~neighborhood_test(X, Y, lvm).is_sure
    spacing = NearestNeighbors(n_neighbors=15).fit(Y).kneighbors()[0].mean(axis=1)
    widest = spacing > np.quantile(spacing, 1 - max(doubtful.mean(), share))
    return {
        "moved": len(elsewhere),
        "found": float(doubtful[elsewhere].mean()),
        "by_spacing": float(widest[elsewhere].mean()),
        "others": float(np.delete(doubtful, rows).mean()),
    }


def lines(numbers: Numbers) -> list[str]:
    made = []
    for name, runs in numbers["made"].items():
        means = [np.mean([one[key] for one in runs]) for key in ("sure", "small_p")]
        made.append((name, len(runs), runs[0]["rows"], f"{means[0]:.1%}", f"{means[1]:.1%}"))
    moved = []
    for name in _APART.values():
        for place, share in enumerate((_SHARE, _MORE)):
            moved.append((name, f"{share:.0%}", *_shares([one["power"][place] for one in numbers["made"][name]])))
    for name, one in numbers["real"].items():
        moved += [(name, f"{share:.0%}", *_shares([one["power"][i]])) for i, share in enumerate((_SHARE, _MORE))]
    real = [
        (
            name,
            one["rows"],
            f"{one['sure']:.0%}",
            f"{one['columns']:.0%}",
            f"{one['agreement']:.2f}, {one['null']:.2f}",
            *("–" if one[key] is None else f"{one[key]:.0%}" for key in ("lost_sure", "lost_doubtful")),
            f"{one['time']:.1f}",
        )
        for name, one in numbers["real"].items()
    ]
    return [
        "The false discovery rate is 5 %. On noise every sure cell is false. If the p-values are what they say, 5 % of "
        "them are .05 or less on noise. The test assumes noise that varies alike in all directions; that of the lines "
        "with *skewed*, *counts* and *unequal* does not.",
        "",
        *table(["made-up table", "tables", "rows", "sure", "p of .05 or less"], made),
        "Some of the cells were moved on the map to the place of another cell. Of groups far apart, only cells moved "
        "into another group count; of real tables, all do, even if they now lie among similar cells. *Spacing alone*: "
        "the share found by taking as many cells with the widest spacing.",
        "",
        *table(["table", "moved", "of these doubtful", "of the others doubtful", "spacing alone"], moved),
        'Beside the null of noise stands that of the table with its columns shuffled (`null="columns"`).',
        "",
        *table(
            [
                "table",
                "rows",
                "sure",
                "sure, columns shuffled",
                "agreement, on the map and on the null",
                "neighbours lost, of the sure",
                "of the doubtful",
                "time, as a multiple of the fit's",
            ],
            real,
        ),
        *_TRIED,
    ]


def _shares(powers: list[Numbers]) -> tuple[str, str, str]:
    weights = [max(one["moved"], 1e-9) for one in powers]
    found, others, spacing = (
        np.average([one[key] for one in powers], weights=weights) for key in ("found", "others", "by_spacing")
    )
    return f"{found:.0%} of {sum(one['moved'] for one in powers)}", f"{others:.1%}", f"{spacing:.0%}"


_TRIED = [
    "Other nulls were tried. A Gaussian of the table's covariance, and columns shuffled in a random basis, keep "
    "the few directions that hold most of the variance, as shuffled columns do where the columns are principal "
    "components: no cell of cytof, or few of species-mix, are sure. Columns shuffled after each was divided by "
    "its standard deviation are right for independent columns of any shape, but heavy tails give them a good map, "
    "and a few cells of cytof moved made all others doubtful. A random place on the same map asks another "
    "question: the map of noise, too, keeps neighbours better than that. Medians of the distances in place of "
    "means have ties at 1 where columns are few, and lose all power there. Fewer iterations for the map of noise "
    "make it worse, and so the test milder; fewer rows make it no worse where columns are more than five, and so "
    "no more than 2 000 are mapped there.",
    "",
]
