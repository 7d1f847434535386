"""How many cells are sure, of noise, of groups far apart and of real tables, and whether misplaced cells are not."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.markdown import table
from benchmarks.report import Numbers, Run
from benchmarks.trust import made_up
from benchmarks.trust.held_out import held_out
from benchmarks.trust.tables import names, rows_of
from latentmap import LVM
from latentmap.quality import neighborhood_test

_COLUMNS = (10, 50)
_SHARE = 0.01


def measure(run: Run) -> Numbers:
    seeds = range(2 if run.quick else 5)
    made: dict[str, Any] = {}
    for columns in _COLUMNS:
        made[f"noise, {columns} columns"] = [_of(made_up.noise(run.n // 3, seed, columns)) for seed in seeds]
    apart = [made_up.separate(run.n // 3, seed) for seed in seeds]
    made["5 groups far apart, 50 columns"] = [_of(one.X, one.groups) for one in apart]
    real = {name: _of(rows_of(name, run.n)) for name in names(run.quick)}
    return {"iterations": None, "made": made, "real": real}


def _of(X: np.ndarray, groups: np.ndarray | None = None) -> Numbers:
    LVM(max_iter=2).fit(X[:200])
    start = time.perf_counter()
    lvm = LVM().fit(X)
    fitted = time.perf_counter()
    found = neighborhood_test(X, lvm.embedding_, lvm)
    tested = time.perf_counter()
    lost = np.mean([half.lost for half in held_out(X, lvm.embedding_, 0)], axis=0)
    sure = found.is_sure
    return {
        "rows": len(X),
        "sure": float(sure.mean()),
        "small_p": float(np.mean(found.p_values <= 0.05)),
        "agreement": float(found.agreement.mean()),
        "null": float(found.null.mean()),
        "lost_sure": float(lost[sure].mean()) if sure.any() else None,
        "lost_doubtful": float(lost[~sure].mean()) if (~sure).any() else None,
        "time": (tested - fitted) / (fitted - start),
        **({} if groups is None else _power(X, groups, lvm)),
    }


def _power(X: np.ndarray, groups: np.ndarray, lvm: LVM) -> Numbers:
    """Move some cells on the map, and see which are doubtful; and what the widest spacing would have flagged."""
    Y, rows = made_up.moved(lvm.embedding_, _SHARE, 0)
    stayed = NearestNeighbors(n_neighbors=5).fit(np.delete(Y, rows, 0))
    kinds = np.delete(groups, rows)[stayed.kneighbors(Y[rows], return_distance=False)]
    elsewhere = rows[(kinds != groups[rows, None]).all(axis=1)]
    doubtful = ~neighborhood_test(X, Y, lvm).is_sure
    spacing = NearestNeighbors(n_neighbors=15).fit(Y).kneighbors()[0].mean(axis=1)
    widest = spacing > np.quantile(spacing, 1 - max(doubtful.mean(), _SHARE))
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
    apart = numbers["made"]["5 groups far apart, 50 columns"]
    found, spacing, others = (
        np.average([one[key] for one in apart], weights=[one["moved"] for one in apart])
        for key in ("found", "by_spacing", "others")
    )
    real = [
        (
            name,
            one["rows"],
            f"{one['sure']:.0%}",
            f"{one['agreement']:.2f}, {one['null']:.2f}",
            *("–" if one[key] is None else f"{one[key]:.0%}" for key in ("lost_sure", "lost_doubtful")),
            f"{one['time']:.1f}",
        )
        for name, one in numbers["real"].items()
    ]
    return [
        "The false discovery rate is 5 %. On noise every sure cell is false. If the p-values are what they say, 5 % of "
        "them are .05 or less on noise.",
        "",
        *table(["made-up table", "tables", "rows", "sure", "p of .05 or less"], made),
        f"In the groups far apart, {_SHARE:.0%} of the cells were moved on the map to the place of another cell. Of "
        f"those that came to lie in another group ({sum(one['moved'] for one in apart)} cells), {found:.0%} are "
        f"doubtful, and {others:.1%} of the cells that were not moved. Of the same number of cells with the widest "
        f"spacing, the spacing alone finds {spacing:.0%} of them.",
        "",
        *table(
            [
                "table",
                "rows",
                "sure",
                "agreement, on the map and on the null",
                "neighbours lost, of the sure",
                "of the doubtful",
                "time, as a multiple of the fit's",
            ],
            real,
        ),
        "A table below 8 000 rows gets a null of up to 2 000 rows; beyond, of a quarter of the rows.",
        "",
    ]
