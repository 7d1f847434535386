"""From the Bernoulli model (4) to the Wishart model (5), one approximation of the paper after the other."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from benchmarks.drawing import panels, save
from benchmarks.figures import CLASS_COLORS, draw_map
from benchmarks.probdr.likeness import K, measured, rows
from benchmarks.probdr.sources import SOURCES, read
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ProbDR
from latentmap.model.adam import Adam
from latentmap.model.thread_limits import limit_threads

_NEGATIVES = 5
# How neighbours attract and all rows repel each other in the lines of the paper between (4) and (5).
_LINES = {
    "small n~: -sum P repels": ("log P", "sum"),
    "n log|I + HPH| repels": ("log P", "determinant"),
    "P/n~ - n~/P for log P": ("P/n~ - n~/P", "determinant"),
}
_BEFORE, _AFTER = list(_LINES)[1:]


def measure(run: Run) -> Numbers:
    X, y = read("digits", run.n)
    settings = {"n_negatives": _NEGATIVES, "max_iter": run.max_iter}
    fit = {name: ProbDR(K, model=name, **settings) for name in ("bernoulli", "wishart")}
    makers = {"(4)": fit["bernoulli"].fit_transform}
    makers |= {line: partial(climbed, *terms, run.max_iter) for line, terms in _LINES.items()}
    makers |= {"(5)": fit["wishart"].fit_transform}
    figure, axes = panels(1, len(makers), 2.8)
    maps: Numbers = {}
    for axis, (title, make) in zip(axes[0], makers.items(), strict=True):
        points, maps[title] = measured(X, y, make)
        draw_map(axis, points, CLASS_COLORS[y], title)
    save(figure, run.image("derivation"))
    n = len(X)
    small = _NEGATIVES * K / n
    P = small * _near(fit["bernoulli"].embedding_)
    centred = P - P.mean(axis=0) - P.mean(axis=1)[:, None] + P.mean()
    eigenvalues = np.linalg.eigvalsh(centred)
    return {
        "maps": maps,
        "small": small,
        "determinant": float(np.linalg.slogdet(np.eye(n) + centred)[1]),
        "trace": float(np.trace(centred)),
        "largest": float(eigenvalues.max()),
        "above": int((eigenvalues > 0.5).sum()),
    }


def climbed(pull: str, push: str, max_iter: int, X: np.ndarray) -> np.ndarray:
    """Return the map that Adam finds from where the models of ProbDR start, by other attraction and repulsion."""
    first = ProbDR(K, model="wishart", n_negatives=_NEGATIVES, max_iter=1, learning_rate=1e-9).fit(X)
    A, points = first.adjacency_.toarray(), first.embedding_
    adam = Adam(points.shape, float, 0.9, 1.0)
    for iteration in range(max_iter):
        with limit_threads(1, "blas"):
            gradient = _gradient(A, points, pull, push)
        points = adam.moved(points, gradient, max(1 - iteration / max_iter, 0.01))
    return points


def _gradient(A: np.ndarray, points: np.ndarray, pull: str, push: str) -> np.ndarray:
    n, small, near = len(A), _NEGATIVES * K / len(A), _near(points)
    # By q = 1 / (1 + d^2), times q^2: of log q or q - 1/q, and of -sum P or n log|I + HPH|.
    slopes = A * (near if pull == "log P" else np.square(near) + 1)
    if push == "sum":
        slopes -= small * np.square(near)
    else:
        P = small * near
        centred = P - P.mean(axis=0) - P.mean(axis=1)[:, None] + P.mean()
        slopes += n * small * (np.linalg.inv(np.eye(n) + centred) - 1 / n) * np.square(near)
    return 4 * (slopes @ points - slopes.sum(axis=1)[:, None] * points)


def _near(points: np.ndarray) -> np.ndarray:
    return 1 / (1 + euclidean_distances(points, squared=True))


def claims(numbers: Numbers) -> list[Claim]:
    maps = numbers["maps"]
    return [
        Claim(
            "Near P = 2 n~, P/n~ - n~/P + c has the value and the slope of log P",
            "By calculus, not measured: the ratio of its slope to that of log P is P/n~ + n~/P. It is 2 at P = n~, "
            "where two rows coincide and P is largest, 2.5 at P = 2 n~, and nowhere less than 2. Half the expression "
            "would fit at P = n~, but neighbours far apart would still attract each other too much, 5.05 times at a "
            "distance of 3: d² for log(1 + d²) has no heavy tail",
            None,
        ),
        Claim(
            "For small n~, n tr(HPH) is about n log det(I + HPH)",
            f"With n~ = {numbers['small']:.3f} the trace is {numbers['trace']:.1f} and the logarithm of the "
            f"determinant {numbers['determinant']:.1f}, on the map of (4)",
            abs(numbers["determinant"] / numbers["trace"] - 1) < 0.1,
            "log(1 + λ) is about λ for small λ alone, and of the eigenvalues λ of HPH "
            f"{numbers['above']} are above 0.5, the largest {numbers['largest']:.1f}: its entries are small, but many",
        ),
        Claim(
            "(5) approximates (4)",
            f"Recall of neighbours and silhouette of the digits are {_both(maps['(4)'])} with (4), "
            f"{_both(maps['(5)'])} with (5). With the determinant, but log P still as it is, they are "
            f"{_both(maps[_BEFORE])}; with P/n~ - n~/P for it {_both(maps[_AFTER])}",
            abs(maps["(5)"]["recall"] / maps["(4)"]["recall"] - 1) < 0.1
            and abs(maps["(5)"]["silhouette"] - maps["(4)"]["silhouette"]) < 0.1,
            "Both approximations above",
        ),
    ]


def _both(of: Numbers) -> str:
    return f"{of['recall']:.3f} and {of['silhouette']:.2f}"


EXPERIMENT = Experiment(
    "derivation",
    "From (4) to (5)",
    1000,
    150,
    measure,
    claims,
    {"derivation": "Digits by each line of the paper from (4) to (5)"},
    lambda numbers: rows(numbers["maps"], SOURCES["digits"]),
)
