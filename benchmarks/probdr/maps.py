"""Figs. 1 and 2: the four models on four data sets, beside t-SNE and UMAP."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.drawing import panels, save
from benchmarks.figures import CLASS_COLORS, draw_map
from benchmarks.probdr.balance import KEPT, degree, repulsion
from benchmarks.probdr.derivation import climbed
from benchmarks.probdr.likeness import LOOKS, K, further, measured, most, peers, rows, said
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
# (5) but for the paper's approximation of how neighbours attract.
_LOG = "(5), but log P attracts"


def embed(settings: dict, max_iter: int, X: np.ndarray) -> np.ndarray:
    return ProbDR(K, **settings, max_iter=max_iter).fit_transform(X)


def measure(run: Run) -> Numbers:
    makers = peers() | {title: partial(embed, settings, run.max_iter) for title, settings in MODELS.items()}
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


def _why_attraction(numbers: Numbers, title: str, than: str) -> str:
    """Say where a map lies further than that of (5), and whether it is the attraction of (5) where it does not."""
    by_log = _further(numbers, title, _LOG)
    known = (
        f"It is so {_by_measure(numbers, title, than)}. With log P for what attracts in (5) it would be {said(by_log)}"
    )
    if most(by_log):
        return f"{known}: it is the paper's approximation of log P, which grows with d², that draws groups together"
    return f"{known}, so that its attraction alone is not the reason, which is not known"


def _why_unlike(numbers: Numbers) -> str:
    """Say why maps of the Wishart models are not like CNE's, by what is kept with 5 negatives and with 1."""
    cne, _, _, normalised, fewer = MODELS
    digits, m = numbers["digits"], len(numbers)
    five, one = (repulsion(digits["n"], digits["degree"], negatives) for negatives in (5, 1))
    kept = {
        title: sum(of["maps"][title]["recall"] > KEPT * of["maps"][cne]["recall"] for of in numbers.values())
        for title in (normalised, fewer)
    }
    return (
        "What (5) has for the attraction of neighbours is not that of (3) and (4), see [below](#derivation). By the "
        f"covariance on the right the digits repel each other {five:.2f} times as much as they attract with 5 "
        f"negatives, {one:.2f} times with 1 ([more](#balance)). It keeps {KEPT:.0%} of CNE's neighbours or more of "
        f"{kept[normalised]} of {m} data sets with 5 negatives, and of {kept[fewer]} of {m} with 1"
    )


def claims(numbers: Numbers) -> list[Claim]:
    cne, bernoulli, wishart, normalised, fewer = MODELS
    digits = numbers["digits"]["maps"]
    kept = {title: digits[title]["recall"] / digits[cne]["recall"] for title in (wishart, normalised, fewer)}
    by_five, by_other = _further(numbers, cne, wishart), _further(numbers, cne, fewer)
    by_bernoulli = _further(numbers, bernoulli, wishart)
    return [
        Claim(
            "Maps of the Wishart models are qualitatively quite similar to those of the CNE bound (Fig. 1)",
            f"Of the digits they keep {kept[wishart]:.0%} (5) and {kept[normalised]:.0%} (Fig. 1, right) of the "
            f"neighbours that CNE keeps; the silhouette of the digits is {digits[wishart]['silhouette']:.2f} and "
            f"{digits[normalised]['silhouette']:.2f}, that of CNE {digits[cne]['silhouette']:.2f}. With 1 negative "
            f"instead of 5 the last keeps {kept[fewer]:.0%}, and its silhouette is {digits[fewer]['silhouette']:.2f}",
            min(kept[wishart], kept[normalised]) > 0.9,
            _why_unlike(numbers),
        ),
        Claim(
            "Those of CNE are more UMAP-like, those of the Wishart model (5) more t-SNE-like (Fig. 1)",
            f"CNE is the more UMAP-like {said(by_five)}",
            most(by_five),
            _why_attraction(numbers, cne, wishart),
        ),
        Claim(
            "So they are beside the Wishart model with the other covariance (Fig. 1, right)",
            f"CNE is the more UMAP-like {said(by_other)}, with 1 negative for the other",
            most(by_other),
            f"It is so {_by_measure(numbers, cne, fewer)}; the reason is not known, nor was more tried",
        ),
        Claim(
            "Those of the Bernoulli model are more UMAP-like than those of the Wishart model (Fig. 2)",
            f"They are {said(by_bernoulli)}",
            most(by_bernoulli),
            _why_attraction(numbers, bernoulli, wishart),
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
        "maps": "Four data sets by t-SNE, UMAP and the four models; the number of rows in brackets, colours are "
        "groups, or of the blood cells conditions"
    },
    tables,
)
