"""A network learned from pairs of digits, and where it places digits that it has not seen."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.drawing import panels, save
from benchmarks.figures import draw_classes
from benchmarks.markdown import table
from benchmarks.report import Claim, Experiment, Numbers, Run
from benchmarks.stored import load
from latentmap.methods import Siamese

_DIMENSIONS = (2, 10)
_NAMED = 0.1
_PCA, _CLASSES, _FEW, _MIXED, _NONE = (
    "principal components",
    "all classes",
    "a tenth of the rows, with their classes",
    "a tenth of the classes, neighbours of the rest",
    "no classes: neighbours",
)


def measure(run: Run) -> Numbers:
    arrays = load("usps9298")
    X, y = arrays["X"].astype(float), arrays["y"].astype(int)
    n_train = int(arrays["n_train"])
    one, other = np.arange(min(run.n, n_train)), np.arange(n_train, len(y))
    is_named = np.random.default_rng(0).random(len(one)) < _NAMED
    known = np.where(is_named, y[one], -1)
    short = {"max_iter": 2} if run.quick else {}
    numbers: Numbers = {
        "iterations": Siamese(**short).max_iter,
        "new": len(other),
        "errors": {},
        "auc": {},
        "unchanged": _error(X[one], X[other], y[one], y[other]),
    }
    maps = {}
    for d in _DIMENSIONS:
        for name, rows, classes in (
            (_PCA, one, None),
            (_CLASSES, one, y[one]),
            (_FEW, one[is_named], y[one][is_named]),
            (_MIXED, one, known),
            (_NONE, one, None),
        ):
            method = PCA(d, random_state=0) if name == _PCA else Siamese(n_components=d, **short)
            method.fit(X[rows], classes)
            places, new = method.transform(X[one]), method.transform(X[other])
            numbers["errors"].setdefault(name, []).append(_error(places, new, y[one], y[other]))
            if name != _PCA:
                numbers["auc"].setdefault(name, []).append(method.held_out_auc_)
            if d == 2:
                maps[name] = new
    figure, axes = panels(1, 4, 3.2)
    for axis, name in zip(axes[0], (_PCA, _NONE, _MIXED, _CLASSES), strict=True):
        draw_classes(axis, maps[name], y[other], name)
    save(figure, run.image("siamese"))
    return numbers


def _error(places: np.ndarray, new: np.ndarray, y: np.ndarray, true: np.ndarray) -> float:
    """Return how many new rows lie nearest to one of another class, in percent."""
    return 100 * (1 - KNeighborsClassifier(1).fit(places, y).score(new, true))


def claims(numbers: Numbers) -> list[Claim]:
    errors = numbers["errors"]

    def pair(name: str) -> str:
        return " and ".join(f"{error:.1f} %" for error in errors[name])

    return [
        Claim(
            "A net trained by a loss that penalises similar pairs that are far apart, and dissimilar ones that are "
            "close, places new rows with those like them: one expects that of classes",
            f"Of {numbers['new']} new digits, in 2 and 10 dimensions, {pair(_CLASSES)} lie nearest to another digit, "
            f"and {pair(_PCA)} on principal components; {numbers['unchanged']:.1f} % by all 256 pixels",
            errors[_CLASSES][0] < errors[_PCA][0] / 2 and errors[_CLASSES][1] < errors[_PCA][1],
        ),
        Claim(
            "Without classes, neighbours as similar pairs make a map too (Hadsell 2006)",
            f"{pair(_NONE)}",
            errors[_NONE][0] < errors[_PCA][0],
        ),
        Claim(
            "One expects neighbours to help where few cells are named",
            f"With {_NAMED:.0%} of the classes and neighbours of the rest {pair(_MIXED)}; learning from the named rows "
            f"alone {pair(_FEW)}",
            errors[_MIXED][0] < errors[_FEW][0],
            "Nine of ten pairs are neighbours there, and hold apart what classes would draw together",
        ),
    ]


def lines(numbers: Numbers) -> list[str]:
    rows = []
    for name, errors in numbers["errors"].items():
        auc = numbers["auc"].get(name, ["", ""])
        rows.append((name, *(f"{error:.1f}" for error in errors), *(f"{one:.3f}" if one != "" else "" for one in auc)))
    head = ["learned from", "error in 2-D (%)", "error in 10-D (%)", "held-out AUC in 2-D", "in 10-D"]
    return table(head, rows)


EXPERIMENT = Experiment(
    "siamese",
    "New digits, placed by a network",
    7291,
    400,
    measure,
    claims,
    {"siamese": "2007 digits that no network has seen, placed by what was learned from the others"},
    lines,
)
