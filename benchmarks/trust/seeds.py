"""Whether sigma says where a cell lands under another seed."""

from __future__ import annotations

import numpy as np
from scipy.linalg import orthogonal_procrustes
from sklearn.neighbors import NearestNeighbors

from benchmarks.markdown import table
from benchmarks.report import Claim, Numbers, Run
from benchmarks.trust.held_out import correlation
from benchmarks.trust.tables import names, rows_of
from latentmap import LVM

# Up to 1024 rows all seeds give the same map.
_SEEDS, _FEWEST = 4, 1025


def measure(run: Run) -> Numbers:
    tables = {name: rows_of(name, max(run.n, _FEWEST)) for name in names(run.quick)}
    return {"iterations": None, "tables": {name: _of(X) for name, X in tables.items() if len(X) >= _FEWEST}}


def _of(X: np.ndarray) -> Numbers:
    first = LVM().fit(X)
    Y, sigma = first.embedding_.astype(float), np.sqrt(first.variances_.astype(float))
    spacing = NearestNeighbors(n_neighbors=15).fit(Y).kneighbors()[0].mean(axis=1)
    moved = []
    for seed in range(1, _SEEDS):
        other = LVM(random_state=seed).fit_transform(X).astype(float)
        centred, other = Y - Y.mean(axis=0), other - other.mean(axis=0)
        moved.append(np.linalg.norm(other @ orthogonal_procrustes(other, centred)[0] - centred, axis=1))
    by = {}
    for name, unit in (("sigma", sigma), ("spacing", spacing)):
        steps = np.array(moved) / unit
        order = np.argsort(unit, kind="stable")
        deciles = [float(np.median(steps[:, part])) for part in np.array_split(order, 10)]
        by[name] = {
            "median": float(np.median(steps)),
            "deciles": deciles,
            "within": float(np.mean(steps <= 2)),
            "rho": float(np.mean([correlation(unit, one) for one in moved])),
        }
    return {"rows": len(X), **by}


def claims(numbers: Numbers) -> list[Claim]:
    if not numbers["tables"]:
        return []
    found = {name: one["sigma"] for name, one in numbers["tables"].items()}
    medians = {name: one["median"] for name, one in found.items()}
    deciles = {name: max(one["deciles"]) / min(one["deciles"]) for name, one in found.items()}
    within = {name: one["within"] for name, one in found.items()}
    return [
        Claim(
            "a cell lands a median of 1.2 sigma away under another seed (.9 to 1.5)",
            _range(medians, "{:.2f}"),
            all(0.9 <= value <= 1.5 for value in medians.values()),
        ),
        Claim(
            "so in every decile of sigma (the largest no more than twice the smallest)",
            _range(deciles, "{:.1f} times"),
            all(value <= 2 for value in deciles.values()),
        ),
        Claim(
            "73 % land within 2 sigma (65 % or more)",
            _range(within, "{:.0%}"),
            all(value >= 0.65 for value in within.values()),
        ),
    ]


def _range(values: dict[str, float], form: str) -> str:
    low, high = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    return f"from {form.format(values[low])} ({low}) to {form.format(values[high])} ({high})"


def lines(numbers: Numbers) -> list[str]:
    rows = []
    for name, one in numbers["tables"].items():
        cells = []
        for by in ("sigma", "spacing"):
            of = one[by]
            cells.append(f"{of['median']:.2f} ({min(of['deciles']):.2f}–{max(of['deciles']):.2f})")
        shares = (f"{one['sigma']['within']:.0%}", f"{one['sigma']['rho']:.2f}, {one['spacing']['rho']:.2f}")
        rows.append((name, one["rows"], *cells, *shares))
    return [
        f"The map of one seed, and those of {_SEEDS - 1} others, turned and shifted onto it. How far a cell lands from "
        "where it was, in units of its sigma and, beside it, of the spacing around it: the median over all cells, and "
        "in brackets the lowest and highest median of the ten deciles of that unit. The last column is the rank "
        "correlation of the distance with sigma, and with the spacing.",
        "",
        *table(
            [
                "table",
                "rows",
                "in sigma (deciles)",
                "in spacings (deciles)",
                "within 2 sigma",
                "correlation: sigma, spacing alone",
            ],
            rows,
        ),
    ]
