"""Figs. 1 and 2: the four models on four data sets, beside t-SNE and UMAP."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.drawing import panels, save
from benchmarks.figures import CLASS_COLORS, draw_map
from benchmarks.probdr.balance import KEPT, degree, repulsion
from benchmarks.probdr.derivation import climbed
from benchmarks.probdr.likeness import LOOKS, K, Maker, further, measured, most, peers, rows, said
from benchmarks.probdr.sources import SOURCES, UNGROUPED, read
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ProbDR

MODELS = {
    "CNE bound (3)": {"model": "cne"},
    "Bernoulli (4)": {"model": "bernoulli"},
    "Wishart (5)": {"model": "wishart"},
    "Wishart, Fig. 1 right": {"model": "wishart-normalised"},
    "the same, 1 negative": {"model": "wishart-normalised", "n_negatives": 1},
}
CNE, BERNOULLI, WISHART, _NORMALISED, _FEWER = MODELS
# Epochs of CNE and of the Bernoulli model beside the paper's: one is one step of all rows here, there it is not said.
_LONG = 500
# (5) but for the paper's approximation of how neighbours attract.
_LOG = "(5), but log P attracts"


def embed(settings: dict, max_iter: int, X: np.ndarray) -> np.ndarray:
    return ProbDR(K, **settings, max_iter=max_iter).fit_transform(X)


def by_epochs(run: Run) -> dict[str, Maker]:
    """Return what makes maps of CNE and of the Bernoulli model, by as many epochs as in the paper and by more."""
    epochs = sorted({run.max_iter, run.max_iter if run.quick else _LONG})
    return {
        f"{title}, {each} epochs": partial(embed, MODELS[title], each) for title in (CNE, BERNOULLI) for each in epochs
    }


def tried(maps: Numbers, title: str) -> dict[str, str]:
    """Return the names of a model's maps by their epochs, the most last."""
    return {name.removeprefix(f"{title}, "): name for name in maps if name.startswith(f"{title}, ")}


def measure(run: Run) -> Numbers:
    others = {title: partial(embed, MODELS[title], run.max_iter) for title in (WISHART, _NORMALISED, _FEWER)}
    makers = peers(run.quick) | by_epochs(run) | others
    makers[_LOG] = partial(climbed, "log P", "determinant", run.max_iter)
    figure, axes = panels(len(SOURCES), len(makers), 2.5)
    numbers: Numbers = {}
    for line, name in zip(axes, SOURCES, strict=True):
        X, y = read(name, run.n)
        groups = None if name in UNGROUPED else len(np.unique(y))
        numbers[name] = {"n": len(X), "groups": groups, "degree": degree(X), "maps": {}}
        for axis, (title, make) in zip(line, makers.items(), strict=True):
            points, numbers[name]["maps"][title] = measured(X, y, make, name not in UNGROUPED)
            draw_map(axis, points, CLASS_COLORS[y], title if name == "digits" else "")
        line[0].set_ylabel(f"{name} ({len(X)})")
    save(figure, run.image("maps"))
    return numbers


def _further(numbers: Numbers, title: str, than: str) -> list[bool]:
    return [vote for of in numbers.values() for vote in further(of["maps"], title, than).values()]


def _by_measure(numbers: Numbers, title: str, than: str) -> str:
    """Say by which measure of how many data sets a map lies further than another."""
    votes = [further(of["maps"], title, than) for of in numbers.values()]
    found = {look: [vote[look] for vote in votes if look in vote] for look in LOOKS}
    return ", ".join(f"by {look} of {sum(so)} of {len(so)} data sets" for look, so in found.items())


def _compared(numbers: Numbers, title: str, than: str) -> tuple[str, bool | None, str]:
    """Say by how many measures a model's maps are the more UMAP-like, by all epochs; the most decide."""
    votes = {epochs: _further(numbers, name, than) for epochs, name in tried(numbers["digits"]["maps"], title).items()}
    last, name = list(tried(numbers["digits"]["maps"], title).items())[-1]
    listed = "; ".join(f"{epochs}: {said(each)}" for epochs, each in votes.items())
    return listed, most(votes[last]), f"After {last} it is so {_by_measure(numbers, name, than)}"


def _beside_wishart(numbers: Numbers, title: str) -> tuple[str, bool | None, str]:
    """Compare a model's maps with those of (5), and say whether it is the attraction of (5) where they are not so."""
    listed, verdict, known = _compared(numbers, title, WISHART)
    name = list(tried(numbers["digits"]["maps"], title).values())[-1]
    by_log = _further(numbers, name, _LOG)
    known = f"{known}. With log P for what attracts in (5) it would be {said(by_log)}"
    if most(by_log):
        return (
            listed,
            verdict,
            f"{known}: the paper's approximation of log P, which grows with d², draws groups together",
        )
    return listed, verdict, f"{known}, so that the attraction of (5) alone does not explain it"


def _beside_other(numbers: Numbers) -> tuple[str, bool | None, str]:
    """Compare CNE's maps with those of the other covariance."""
    listed, verdict, known = _compared(numbers, CNE, _FEWER)
    name = list(tried(numbers["digits"]["maps"], CNE).values())[-1]
    by_five = said(_further(numbers, name, _NORMALISED))
    return f"{listed}, with 1 negative for the other", verdict, f"{known}; with 5 negatives for the other, {by_five}"


def _why_unlike(numbers: Numbers) -> str:
    """Say why maps of the Wishart models are not like CNE's, by what is kept with 5 negatives and with 1."""
    digits, m = numbers["digits"], len(numbers)
    *_, cne = tried(digits["maps"], CNE).values()
    five, one = (repulsion(digits["n"], digits["degree"], negatives) for negatives in (5, 1))
    kept = {
        title: sum(of["maps"][title]["recall"] > KEPT * of["maps"][cne]["recall"] for of in numbers.values())
        for title in (_NORMALISED, _FEWER)
    }
    return (
        "What (5) has for the attraction of neighbours is not that of (3) and (4), see [below](#derivation). By the "
        f"covariance on the right the digits repel each other {five:.2f} times as much as they attract with 5 "
        f"negatives, {one:.2f} times with 1 ([more](#balance)). It keeps {KEPT:.0%} of CNE's neighbours or more of "
        f"{kept[_NORMALISED]} of {m} data sets with 5 negatives, and of {kept[_FEWER]} of {m} with 1"
    )


def _alike(numbers: Numbers) -> tuple[str, bool]:
    """Say what maps of the Wishart models have in common with CNE's, by all its epochs; the most decide."""
    maps = numbers["digits"]["maps"]
    epochs = tried(maps, CNE)
    kept = {
        title: [maps[title]["recall"] / maps[name]["recall"] for name in epochs.values()]
        for title in (WISHART, _NORMALISED, _FEWER)
    }
    shares = {title: " and ".join(f"{share:.0%}" for share in each) for title, each in kept.items()}
    looks = {title: f"{maps[title]['silhouette']:.2f}" for title in kept}
    return (
        f"Of the neighbours of the digits that CNE keeps after {' and '.join(epochs)} they keep {shares[WISHART]} (5), "
        f"{shares[_NORMALISED]} (Fig. 1, right) and, with 1 negative instead of 5, {shares[_FEWER]}. The silhouette of "
        f"the digits is {looks[WISHART]}, {looks[_NORMALISED]} and {looks[_FEWER]}, that of CNE "
        + " and ".join(f"{maps[name]['silhouette']:.2f}" for name in epochs.values()),
        min(kept[WISHART][-1], kept[_NORMALISED][-1]) > KEPT,
    )


def claims(numbers: Numbers) -> list[Claim]:
    like = "Maps of the Wishart models are qualitatively quite similar to those of the CNE bound (Fig. 1)"
    cne, verdict, why = _beside_wishart(numbers, CNE)
    beside, by_other, why_other = _beside_other(numbers)
    bernoulli, by_bernoulli, why_bernoulli = _beside_wishart(numbers, BERNOULLI)
    return [
        Claim(like, *_alike(numbers), _why_unlike(numbers)),
        Claim(
            "Those of CNE are more UMAP-like, those of the Wishart model (5) more t-SNE-like (Fig. 1)",
            f"CNE is the more UMAP-like, {cne}",
            verdict,
            why,
        ),
        Claim(
            "So they are beside the Wishart model with the other covariance (Fig. 1, right)",
            f"CNE is the more UMAP-like, {beside}",
            by_other,
            why_other,
        ),
        Claim(
            "Those of the Bernoulli model are more UMAP-like than those of the Wishart model (Fig. 2)",
            f"They are, {bernoulli}",
            by_bernoulli,
            why_bernoulli,
        ),
    ]


def tables(numbers: Numbers) -> list[str]:
    lines: list[str] = []
    for name, of in numbers.items():
        groups = f" in {of['groups']} groups" if of["groups"] else ""
        lines += rows(of["maps"], f"{SOURCES[name]}: {of['n']} rows{groups}")
    return lines


EXPERIMENT = Experiment(
    "maps",
    "Four models (Figs. 1 and 2)",
    1500,
    150,
    measure,
    claims,
    {
        "maps": "Four data sets by t-SNE, UMAP and the four models, CNE and the Bernoulli model after 50 and 500 "
        "epochs; the number of rows in brackets, colours are groups, or of the blood cells conditions"
    },
    tables,
)
