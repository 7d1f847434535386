"""Figs. 1 and 2: the four models on three data sets, beside t-SNE and UMAP."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.drawing import panels, save
from benchmarks.figures import CLASS_COLORS, draw_map
from benchmarks.probdr.likeness import K, further, measured, most, peers, rows, said
from benchmarks.probdr.sources import SOURCES, read
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ProbDR

MODELS = {
    "CNE bound (3)": {"model": "cne"},
    "Bernoulli (4)": {"model": "bernoulli"},
    "Wishart (5)": {"model": "wishart"},
    "Wishart, Fig. 1 right": {"model": "wishart-normalised"},
    "the same, 1 negative": {"model": "wishart-normalised", "n_negatives": 1},
}


def embed(settings: dict, max_iter: int, X: np.ndarray) -> np.ndarray:
    return ProbDR(K, **settings, max_iter=max_iter).fit_transform(X)


def measure(run: Run) -> Numbers:
    makers = peers() | {title: partial(embed, settings, run.max_iter) for title, settings in MODELS.items()}
    figure, axes = panels(len(SOURCES), len(makers), 2.5)
    numbers: Numbers = {}
    for line, name in zip(axes, SOURCES, strict=True):
        X, y = read(name, run.n)
        numbers[name] = {"n": len(X), "groups": len(np.unique(y)), "maps": {}}
        for axis, (title, make) in zip(line, makers.items(), strict=True):
            points, numbers[name]["maps"][title] = measured(X, y, make)
            draw_map(axis, points, CLASS_COLORS[y], title if name == "digits" else "")
        line[0].set_ylabel(f"{name} ({len(X)})")
    save(figure, run.image("maps"))
    return numbers


def _further(numbers: Numbers, title: str, than: str) -> list[bool]:
    return [vote for of in numbers.values() for vote in further(of["maps"], title, than)]


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
            "See [below](#derivation): what (5) has for the attraction of neighbours is not that of (3) and (4), and "
            "how attraction and repulsion compare by the covariance on the right depends on n~. With 5 negatives and "
            "fewer rows than the paper's 25 000 it is larger, and repulsion wins; 1 negative makes up for it",
        ),
        Claim(
            "Those of CNE are more UMAP-like, those of the Wishart model (5) more t-SNE-like (Fig. 1)",
            f"CNE is the more UMAP-like {said(by_five)}",
            most(by_five),
        ),
        Claim(
            "So they are beside the Wishart model with the other covariance (Fig. 1, right)",
            f"CNE is the more UMAP-like {said(by_other)}, with 1 negative for the other",
            most(by_other),
        ),
        Claim(
            "Those of the Bernoulli model are more UMAP-like than those of the Wishart model (Fig. 2)",
            f"They are {said(by_bernoulli)}",
            most(by_bernoulli),
        ),
    ]


def tables(numbers: Numbers) -> list[str]:
    lines: list[str] = []
    for name, of in numbers.items():
        lines += rows(of["maps"], f"{SOURCES[name]}: {of['n']} rows in {of['groups']} groups")
    return lines


EXPERIMENT = Experiment(
    "maps",
    "Four models (Figs. 1 and 2)",
    1500,
    150,
    measure,
    claims,
    {"maps": "Three data sets by t-SNE, UMAP and the four models; the number of rows in brackets, colours are groups"},
    tables,
)
