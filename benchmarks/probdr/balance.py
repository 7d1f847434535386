"""How repulsion and attraction compare by the other covariance, Fig. 1, right, for more and fewer rows."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

from benchmarks.drawing import panels, save
from benchmarks.markdown import table, whole
from benchmarks.probdr.likeness import K, measured
from benchmarks.probdr.sources import SOURCES, read
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ProbDR
from latentmap.methods.affinities import adjacency
from latentmap.model.vectors import Vectors

_NEGATIVES = (5, 2, 1)
_SHARES = (1 / 8, 1 / 4, 1 / 2, 1)
# Beyond what is mapped here, up to the paper's rows.
_FURTHER = (5000, 10_000, 25_000)
_TICKS = (0.1, 0.2, 0.5, 1, 2)
KEPT = 0.9
"""The part of CNE's neighbours that a map as good as CNE's keeps."""


def degree(X: np.ndarray) -> float:
    """Return how many neighbours a row has on average, where either is among the other's nearest."""
    return adjacency(Vectors(X, n_jobs=-1).kneighbors(K)).nnz / len(X)


def repulsion(n: int, neighbors: float, negatives: int) -> float:
    """Return what the determinant adds for rows far apart in parts of what the trace takes for them."""
    small = negatives * K / n
    return float(n * np.log1p(small**-0.5) * small**1.5 / neighbors)


def measure(run: Run) -> Numbers:
    sizes: dict[str, Numbers] = {}
    for n in (int(run.n * share) for share in (_SHARES if not run.quick else _SHARES[-2:])):
        X, y = read("digits", n)
        methods = {"CNE": ProbDR(K, max_iter=run.max_iter)}
        methods |= {
            str(negatives): ProbDR(K, model="wishart-normalised", n_negatives=negatives, max_iter=run.max_iter)
            for negatives in _NEGATIVES
        }
        maps = {name: measured(X, y, method.fit_transform)[1] for name, method in methods.items()}
        sizes[str(n)] = {"degree": degree(X), "maps": maps}
    _draw(run, sizes)
    return {"sizes": sizes}


def _draw(run: Run, sizes: dict[str, Numbers]) -> None:
    figure, axes = panels(1, 1, 4, 3)
    for negatives in _NEGATIVES:
        ratios = [repulsion(int(n), of["degree"], negatives) for n, of in sizes.items()]
        kept = [_kept(of["maps"], negatives) for of in sizes.values()]
        axes[0, 0].plot(ratios, kept, "o-", label=f"n_- = {negatives}")
    axes[0, 0].set(xscale="log", xlabel="repulsion / attraction", ylabel="neighbours kept, in parts of CNE's")
    axes[0, 0].xaxis.set_major_locator(FixedLocator(_TICKS))
    axes[0, 0].xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes[0, 0].xaxis.set_minor_formatter(NullFormatter())
    axes[0, 0].legend()
    save(figure, run.image("balance"))


def _kept(maps: Numbers, negatives: int) -> float:
    return maps[str(negatives)]["recall"] / maps["CNE"]["recall"]


def claims(numbers: Numbers) -> list[Claim]:
    sizes = numbers["sizes"]
    most = max(sizes, key=int)
    kept = {n: _kept(of["maps"], 5) for n, of in sizes.items()}
    ratios = {n: repulsion(int(n), of["degree"], 5) for n, of in sizes.items()}
    return [
        Claim(
            "With 5 negatives the Wishart model with the covariance of Fig. 1, right, makes maps like those of CNE",
            "Of the neighbours that CNE keeps it keeps "
            + ", ".join(f"{share:.0%} of {whole(int(n))} digits" for n, share in kept.items()),
            kept[most] > KEPT,
            "Rows repel each other "
            + ", ".join(f"{ratio:.2f} times ({whole(int(n))})" for n, ratio in ratios.items())
            + f" as much as they attract; for {whole(_FURTHER[-1])} rows it would be "
            f"{repulsion(_FURTHER[-1], sizes[most]['degree'], 5):.2f} times. {_fewer(sizes)}",
        )
    ]


def _fewer(sizes: dict[str, Numbers]) -> str:
    """Say what fewer negatives change."""
    enough = {n: [m for m in _NEGATIVES if _kept(of["maps"], m) > KEPT] for n, of in sizes.items()}
    parts = [
        f"{max(kept)} of {whole(int(n))} rows" if kept else f"none of these of {whole(int(n))} rows"
        for n, kept in enough.items()
    ]
    return f"The most negatives, of 5, 2 and 1, with which it keeps {KEPT:.0%} of CNE's neighbours: {', '.join(parts)}"


def tables(numbers: Numbers) -> list[str]:
    sizes = numbers["sizes"]
    last = sizes[max(sizes, key=int)]["degree"]
    lines = [_line(int(n), of["degree"], negatives, of["maps"]) for n, of in sizes.items() for negatives in _NEGATIVES]
    lines += [_line(n, last, negatives, None) for n in _FURTHER for negatives in _NEGATIVES]
    return [
        "Rows far apart from all others add n²/2 log(1 + n~^-½) to the log posterior by the determinant and take "
        "n a/2 n~^-³ᐟ² from it by the trace, against rows all at one place; a is how many neighbours a row has on "
        f"average ({last:.1f} for k = {K}, as either counts the other). The first in parts of the second is said to be "
        f"repulsion / attraction. {SOURCES['digits']}; more rows than {whole(max(int(n) for n in sizes))} were not "
        "mapped, and are taken to have as many neighbours:",
        "",
        *table(["rows", "n_-", "n~", "repulsion / attraction", "recall", "in parts of CNE's", "filled"], lines),
    ]


def _line(n: int, neighbors: float, negatives: int, maps: Numbers | None) -> tuple[str, ...]:
    known = (whole(n), str(negatives), f"{negatives * K / n:.4f}", f"{repulsion(n, neighbors, negatives):.2f}")
    if maps is None:
        return *known, "–", "–", "–"
    here = maps[str(negatives)]
    return *known, f"{here['recall']:.3f}", f"{_kept(maps, negatives):.0%}", f"{here['filled']:.3f}"


EXPERIMENT = Experiment(
    "balance",
    "Repulsion and attraction (Fig. 1, right)",
    2000,
    240,
    measure,
    claims,
    {
        "balance": "Neighbours kept against how much rows repel in parts of how much they attract, for more and fewer "
        "rows"
    },
    tables,
)
