"""Whether rows coincide as probably as the map says, when they are placed alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors

from benchmarks.markdown import table
from benchmarks.report import Numbers, Run
from benchmarks.trust.tables import names, rows_of
from latentmap import LVM, PAPER
from latentmap.quality import coincidence_calibration, reliability

_MODELS: Mapping[str, Mapping[str, Any]] = {"LVM()": {}, "LVM(**PAPER)": PAPER}
_PARTS = ("before", "after", "by_spacing")
_SHOWN = ("before", "after", "own", "by_spacing")


def measure(run: Run) -> Numbers:
    found = {}
    for name in names(run.quick):
        X = rows_of(name, run.n)
        found[name] = {"rows": len(X), **{model: _of(X, LVM(**kw)) for model, kw in _MODELS.items()}}
    return {"iterations": None, "tables": found}


def _of(X: np.ndarray, lvm: LVM) -> Numbers:
    found = coincidence_calibration(lvm, X)
    numbers: Numbers = {part: {"gap": one.gap, "brier": one.brier} for part, one in zip(_PARTS, found[:3], strict=True)}
    numbers["own"] = _own(X, lvm)
    curve = found.before
    return {**numbers, "curve": [list(map(float, part)) for part in (curve.stated, curve.observed, curve.n_pairs)]}


def _own(X: np.ndarray, lvm: LVM) -> Numbers:
    """Return how right the recalibration is that a map of most rows learns from itself, on the others."""
    order = np.random.default_rng(1).permutation(len(X))
    new, kept = X[order[: len(X) // 10][:500]], X[order[len(X) // 10 :]]
    fitted = clone(lvm).fit(kept)
    positions, variances = fitted.transform_with_variances(new)
    near = NearestNeighbors(n_neighbors=fitted.n_neighbors_).fit(kept).kneighbors(new, return_distance=False)
    is_near = np.zeros((len(new), len(kept)), bool)
    is_near[np.arange(len(new))[:, None], near] = True
    r2 = euclidean_distances(positions, fitted.embedding_, squared=True)
    found = reliability(fitted.neighbor_probability(r2, variances[:, None] + fitted.variances_, placed=True), is_near)
    return {"gap": found.gap, "brier": found.brier}


def lines(numbers: Numbers) -> list[str]:
    out = [
        "90 % of the rows are mapped, the others placed alone; one half of these learns the recalibration, the other "
        "measures. The first figure is the mean gap between the probability that two rows coincide and how often they "
        "are neighbours, over all pairs of .05 or more, and after the comma the squared error of all pairs as a "
        "share of that of the base rate. *By the map itself* is `LVM.calibrate`, which has seen none of the rows that "
        "it is measured on. *Spacing alone* is the distance in units of the spacing around the new row, "
        "recalibrated as well: only what is below it in the squared error shows that the variances know more.",
        "",
    ]
    for model in _MODELS:
        rows, off = [], []
        for name, of in numbers["tables"].items():
            # A record made before a part was measured lacks it.
            parts = [of[model].get(part) for part in _SHOWN]
            rows.append((name, of["rows"], *("–" if p is None else f"{p['gap']:.3f}, {p['brier']:.2f}" for p in parts)))
            if max(part["gap"] for part in parts[1:3] if part is not None) > 0.05:
                off.append(name)
        head = [
            "table",
            "rows",
            "as the model says",
            "recalibrated",
            "by the map itself",
            "spacing alone, recalibrated",
        ]
        out += [f"`{model}`:", "", *table(head, rows)]
        verdicts = _verdicts({name: of[model] for name, of in numbers["tables"].items()})
        out += ["Table by table, calibrated to .05:", "", *verdicts]
        out += [f"More than .05 off even when recalibrated: {', '.join(off) or 'none'}.", ""]
        out += _curves({name: of[model]["curve"] for name, of in numbers["tables"].items()})
    return out


def _verdicts(found: Mapping[str, Numbers]) -> list[str]:
    """Say table by table which probability is right, and whether the variances know more than the spacing."""
    rows = []
    for name, one in found.items():
        right = ["yes" if one[part]["gap"] <= 0.05 else "no" for part in ("before", "after", "own")]
        knows = "yes" if one["after"]["brier"] < one["by_spacing"]["brier"] else "no"
        rows.append((name, *right, knows))
    head = ["as the model says", "recalibrated", "by the map itself", "recalibrated, less error than spacing alone"]
    return table(["table", *head], rows)


def _curves(curves: dict[str, Any]) -> list[str]:
    """Return the reliability curves before recalibration: how many of the pairs of each bin are neighbours."""
    bins = [f"{bin_ / 10:.1f}" for bin_ in range(10)]
    rows = [
        (name, *("–" if n < 20 else f"{share:.2f}" for share, n in zip(observed, n_pairs, strict=True)))
        for name, (_, observed, n_pairs) in curves.items()
    ]
    return ["Share of neighbours among the pairs with a probability from:", "", *table(["table", *bins], rows)]
