"""Whether maps of the Wishart model (5) by landmarks are those of the determinant itself, for more and more rows."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp

from benchmarks.drawing import panels, save
from benchmarks.figures import draw_classes
from benchmarks.markdown import whole
from benchmarks.probdr.estimates import NEGATIVES, ascended, climbed
from benchmarks.probdr.likeness import LOOKS, K, measured, rows
from benchmarks.probdr.sources import SOURCES, read
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods.probdr.landmarks import LANDMARKS, LandmarkWishart
from latentmap.model.workers import Workers

# Rows of which the determinant itself is taken, which takes minutes, and of which in a quick run.
_EXACT, _QUICK_EXACT = 4000, 160
_COUNTS = (30, LANDMARKS, 300)
_DETERMINANT = "the determinant itself"


def measure(run: Run) -> Numbers:
    sizes = {}
    figure, axes = panels(2, 1 + len(_COUNTS), 2.8)
    for line, n, is_exact in zip(axes, (_QUICK_EXACT if run.quick else _EXACT, run.n), (True, False), strict=True):
        X, y = read("digits", n)
        seen, method = climbed(X, run.max_iter if is_exact else 1)
        makers = {_named(count): partial(_mapped, method.adjacency_, seen[0], run.max_iter, count) for count in _COUNTS}
        if is_exact:
            makers = {_DETERMINANT: lambda X, seen=seen: seen[-1]} | makers
        maps = {title: measured(X, y, make) for title, make in makers.items()}
        for axis, (title, (points, _)) in zip(line[len(line) - len(maps) :], maps.items(), strict=True):
            draw_classes(axis, points, y, f"{whole(n)} rows, {title}")
        if not is_exact:
            line[0].set_axis_off()
        sizes[str(n)] = {title: found for title, (_, found) in maps.items()}
    save(figure, run.image("landmarks"))
    return {"sizes": sizes}


def _named(count: int) -> str:
    return f"{count} landmarks"


def _mapped(A: sp.csr_array, start: np.ndarray, max_iter: int, count: int, X: np.ndarray) -> np.ndarray:
    with Workers(-1) as workers:
        estimate = LandmarkWishart(A, NEGATIVES * K / len(X), workers, 0, count)
        return ascended(estimate, start, max_iter)


def claims(numbers: Numbers) -> list[Claim]:
    (n, exact), (more, estimated) = numbers["sizes"].items()
    ours, most = _named(LANDMARKS), _named(max(_COUNTS))
    return [
        Claim(
            f"Maps by {LANDMARKS} landmarks are those of the determinant itself (not in the paper)",
            f"Of {whole(int(n))} digits {_beside(exact, ours, _DETERMINANT)}. Of {whole(int(more))} digits, for which "
            f"the determinant was not taken, {_beside(estimated, ours, most)}",
        )
    ]


def _beside(maps: dict[str, Numbers], name: str, than: str) -> str:
    looks = ", ".join(f"{look} {maps[name][look]:.3f} and {maps[than][look]:.3f}" for look in ("recall", *LOOKS))
    return f"{name} and {than} have {looks}"


def tables(numbers: Numbers) -> list[str]:
    lines: list[str] = []
    for n, maps in numbers["sizes"].items():
        # The map by the determinant was made before the clock began.
        told = {name: found | {"seconds": None} if name == _DETERMINANT else found for name, found in maps.items()}
        lines += rows(told, f"{SOURCES['digits']}, {whole(int(n))} rows")
    return [*lines, "All maps of so many rows start from the same places.", ""]


EXPERIMENT = Experiment(
    "landmarks",
    "How many landmarks (5)",
    10_000,
    200,
    measure,
    claims,
    {"landmarks": "Digits by the Wishart model (5): by the determinant itself, and by more and more landmarks"},
    tables,
)
