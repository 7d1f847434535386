"""Which number predicts the neighbours that a cell has lost, beyond the spacing of the map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.markdown import table
from benchmarks.report import Numbers, Run
from benchmarks.trust.held_out import correlation, held_out, partial_correlation
from benchmarks.trust.tables import names, rows_of
from latentmap import LVM, PAPER

_MODELS: Mapping[str, Mapping[str, Any]] = {"LVM()": {}, "LVM(**PAPER)": PAPER}
_TITLES = {
    "lost": "**lost neighbours**",
    "variance": "variance",
    "farther": "map distance of the neighbours",
    "dimension": "intrinsic dimension (no map)",
}

# The rank correlation with the spacing held fixed that a number should have.
_AIM = 0.3


def measure(run: Run) -> Numbers:
    found = {}
    for name in names(run.quick):
        X = rows_of(name, run.n)
        found[name] = {model: _of(X, LVM(**settings)) for model, settings in _MODELS.items()}
    return {"iterations": None, "tables": found}


def _of(X: np.ndarray, lvm: LVM) -> Numbers:
    Y = lvm.fit_transform(X).astype(float)
    one, other = held_out(X, Y, 0)
    on_map = np.linalg.norm(Y[:, None] - Y[one.neighbors], axis=2)
    in_data = np.linalg.norm(X[:, None] - X[one.neighbors], axis=2) + np.finfo(float).tiny
    numbers = {
        "lost": one.lost,
        "variance": lvm.variances_,
        "farther": on_map.mean(axis=1),
        # Levina and Bickel's estimate.
        "dimension": -1 / np.minimum(np.log(in_data / in_data.max(axis=1, keepdims=True)).mean(axis=1), -1e-9),
    }
    return {
        "rows": len(X),
        "lost": float(other.lost.mean()),
        "spacing": correlation(other.spacing, other.lost),
        "raw": {key: correlation(value, other.lost) for key, value in numbers.items()},
        "partial": {key: partial_correlation(value, other.lost, other.spacing) for key, value in numbers.items()},
    }


def lines(numbers: Numbers) -> list[str]:
    out = [
        "The cells are divided at random into halves. What is predicted is the share of each cell's 15 nearest "
        "neighbours among one half that the map has lost among that half; *lost neighbours*, *map distance* and "
        "*intrinsic dimension* are counted among the other half alone. The variance is that of the map of all cells, "
        "which is fitted to the neighbours in both halves. Rank correlations, and in brackets those with the spacing "
        "held fixed; the aim is .3 or more in brackets.",
        "",
    ]
    for model in _MODELS:
        rows = []
        for name, of in numbers["tables"].items():
            one = of[model]
            cells = [f"{one['raw'][key]:.2f} ({one['partial'][key]:.2f})" for key in _TITLES]
            rows.append((name, one["rows"], f"{one['lost']:.0%}", f"{one['spacing']:.2f}", *cells))
        out += [f"`{model}`:", "", *table(["table", "rows", "lost", "spacing alone", *_TITLES.values()], rows)]
        out += _verdicts({name: of[model] for name, of in numbers["tables"].items()})
    return out


def _verdicts(found: Mapping[str, Numbers]) -> list[str]:
    """Say table by table which number reaches the aim, and whether it says more than the spacing by itself."""
    rows = [(name, *(_verdict(one, key) for key in _TITLES)) for name, one in found.items()]
    head = ["table", *_TITLES.values()]
    out = ["*Yes*: .3 or more with the spacing held fixed. *More*: also more than the spacing alone without that.", ""]
    out += table(head, rows)
    for key, title in _TITLES.items():
        below = [name for name, one in found.items() if one["partial"][key] < _AIM]
        less = [name for name, one in found.items() if one["raw"][key] <= one["spacing"]]
        said = f"- {title}: below .3 on {', '.join(below) or 'none'}"
        out.append(f"{said}; by itself no more than the spacing alone on {', '.join(less) or 'none'}")
    return [*out, ""]


def _verdict(one: Numbers, key: str) -> str:
    if one["partial"][key] < _AIM:
        return "no"
    return "yes, more" if one["raw"][key] > one["spacing"] else "yes"
