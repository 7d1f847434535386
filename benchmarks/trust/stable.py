"""What it adds to know how much of a neighbourhood stays when the map is made again."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.markdown import table
from benchmarks.report import Numbers, Run
from benchmarks.trust.held_out import correlation, held_out, partial_correlation
from benchmarks.trust.tables import names, rows_of
from latentmap import LVM
from latentmap.quality import changed_neighbors, neighbor_stability

# Up to 1024 rows all seeds give the same map.
_FEWEST = 1025
_FRESH = (11, 12)
_WAYS = {"by seeds": False, "a fifth left out": True}


def measure(run: Run) -> Numbers:
    chosen = {name: rows_of(name, run.n) for name in names(run.quick)}
    return {"iterations": None, "tables": {name: _of(X) for name, X in chosen.items()}}


def _of(X: np.ndarray) -> Numbers:
    Y = LVM().fit_transform(X).astype(float)
    spacing = NearestNeighbors(n_neighbors=15).fit(Y).kneighbors()[0].mean(axis=1)
    halves = held_out(X, Y, 0)
    lost, width = (np.mean([getattr(half, name) for half in halves], axis=0) for name in ("lost", "spacing"))
    found = {}
    for way, leave_out in _WAYS.items():
        if not leave_out and len(X) < _FEWEST:
            continue
        kept = neighbor_stability(LVM(), X, leave_out=leave_out)
        rows, fresh = _fresh(X, leave_out)
        found[way] = {
            "kept": float(kept.mean()),
            "half": float(np.mean(kept < 0.5)),
            "fresh": correlation(1 - kept[rows], fresh),
            "fresh_partial": partial_correlation(1 - kept[rows], fresh, spacing[rows]),
            "fresh_spacing": correlation(spacing[rows], fresh),
            "lost": correlation(1 - kept, lost),
            "lost_partial": partial_correlation(1 - kept, lost, width),
            "lost_spacing": correlation(width, lost),
        }
    return {"rows": len(X), "found": found}


def _fresh(X: np.ndarray, leave_out: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return which cells two further maps share, and the share of their neighbours that differ between these."""
    maps, on = [], []
    for seed in _FRESH:
        kept = np.random.default_rng(seed).uniform(size=len(X)) > 0.2 if leave_out else np.ones(len(X), bool)
        positions = np.full((len(X), 2), np.nan)
        positions[kept] = LVM(random_state=seed).fit_transform(X[kept])
        maps.append(positions)
        on.append(kept)
    rows = np.flatnonzero(on[0] & on[1])
    return rows, changed_neighbors(maps[0][rows], maps[1][rows])


def lines(numbers: Numbers) -> list[str]:
    rows = [
        (
            name,
            one["rows"],
            way,
            f"{of['kept']:.0%}",
            f"{of['half']:.0%}",
            *(_correlations(of, what) for what in ("fresh", "lost")),
        )
        for name, one in numbers["tables"].items()
        for way, of in one["found"].items()
    ]
    return [
        "`neighbor_stability` makes five maps: with other seeds, or each without another fifth of the cells as "
        "well. Its score is the share of a cell's 15 nearest neighbours on one map that are among its 15 nearest on "
        "another, the mean over the ten pairs. Does it say which neighbours change between two further maps (seeds of "
        "their own; each with four fifths of the cells, drawn anew, if a fifth is left out), and does it say which "
        "neighbours the map has lost? Rank correlations of one minus the score, in brackets with the spacing held "
        "fixed, and after the comma those of the spacing alone. Up to 1 024 rows all seeds give the same map.",
        "",
        *table(
            [
                "table",
                "rows",
                "five maps",
                "neighbours kept",
                "cells that keep less than half",
                "changed between two further maps: unstable, spacing alone",
                "lost: unstable, spacing alone",
            ],
            rows,
        ),
        *_verdict(numbers),
    ]


def _correlations(of: Numbers, what: str) -> str:
    return f"{of[what]:.2f} ({of[f'{what}_partial']:.2f}), {of[f'{what}_spacing']:.2f}"


def _verdict(numbers: Numbers) -> list[str]:
    """Say on which tables the score knows more than the spacing."""
    out = []
    for way in _WAYS:
        found = {name: one["found"][way] for name, one in numbers["tables"].items() if way in one["found"]}
        for what, words in (("fresh", "changes between further maps"), ("lost", "lost neighbours")):
            below = [name for name, of in found.items() if of[f"{what}_partial"] < 0.3]
            there = f"{len(found) - len(below)} of {len(found)} tables"
            out.append(f"- {way}, {words}: .3 or more with the spacing held fixed on {there}")
    return [*out, ""]
