"""Whether cells that change their neighbours between two maps are found, and how often seeds alone are taken for it."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.markdown import table
from benchmarks.report import Numbers, Run
from benchmarks.trust import made_up
from benchmarks.trust.held_out import correlation, held_out, partial_correlation
from benchmarks.trust.tables import names, rows_of
from latentmap import LVM
from latentmap.quality import compare_maps, seed_changes

_SHARE = 0.02


def measure(run: Run) -> Numbers:
    return {"iterations": None, "tables": {name: _of(rows_of(name, run.n)) for name in names(run.quick)}}


def _of(X: np.ndarray) -> Numbers:
    Y = LVM().fit_transform(X).astype(float)
    by_seed = seed_changes(LVM(), X, Y=Y)
    seed, k = LVM(random_state=7).fit_transform(X), LVM(n_neighbors=30).fit_transform(X)
    moved, rows = made_up.moved(Y, _SHARE, 0)
    found = compare_maps(Y, moved, by_seed).is_changed
    spacing = NearestNeighbors(n_neighbors=15).fit(moved).kneighbors()[0].mean(axis=1)
    widest = spacing > np.quantile(spacing, 1 - max(found.mean(), _SHARE))
    halves = held_out(X, Y, 0)
    lost, width = (np.mean([getattr(half, name) for half in halves], axis=0) for name in ("lost", "spacing"))
    unstable = by_seed.mean(axis=0)
    return {
        "rows": len(X),
        "by_seed": float(by_seed.mean()),
        "false": float(compare_maps(Y, seed, by_seed).is_changed.mean()),
        "k": float(compare_maps(Y, k, by_seed).is_changed.mean()),
        "k_changed": float(compare_maps(Y, k, by_seed).changed.mean()),
        "found": float(found[rows].mean()),
        "others": float(np.delete(found, rows).mean()),
        "by_spacing": float(widest[rows].mean()),
        "raw": correlation(unstable, lost),
        "partial": partial_correlation(unstable, lost, width),
        "spacing": correlation(width, lost),
    }


def lines(numbers: Numbers) -> list[str]:
    rows = [
        (
            name,
            one["rows"],
            f"{one['by_seed']:.0%}",
            f"{one['false']:.1%}",
            f"{one['found']:.0%} ({one['others']:.1%})",
            f"{one['by_spacing']:.0%}",
            f"{one['k_changed']:.0%}, {one['k']:.0%}",
            f"{one['raw']:.2f} ({one['partial']:.2f}), {one['spacing']:.2f}".replace("nan (nan)", "–"),
        )
        for name, one in numbers["tables"].items()
    ]
    return [
        "Changes are held against those between the map and three other seeds. A fourth seed should change nothing. "
        f"{_SHARE:.0%} of the cells are moved by hand to the places of others, some of them nearby; in brackets, the "
        "cells that were not moved but are said to have changed. *Unstable* is the mean change by seed, and its rank "
        "correlation with the lost neighbours is followed, in brackets, by that with the spacing held fixed, and by "
        "that of the spacing alone.",
        "",
        *table(
            [
                "table",
                "rows",
                "neighbours changed by a seed (0 up to 1 024 rows)",
                "cells changed by a fourth seed",
                "moved cells found (others)",
                "found by spacing alone",
                "k = 30: neighbours, cells changed",
                "unstable and lost, spacing alone",
            ],
            rows,
        ),
    ]
