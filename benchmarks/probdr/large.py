"""Fig. 2, and the left of Fig. 1, with more digits than a Wishart model takes in minutes."""

from __future__ import annotations

from functools import partial

from benchmarks.drawing import panels, save
from benchmarks.figures import draw_classes
from benchmarks.probdr.likeness import LOOKS, measured, most, nearer, peers, rows, said
from benchmarks.probdr.maps import MODELS, embed
from benchmarks.probdr.sources import SOURCES, read
from benchmarks.report import Claim, Experiment, Numbers, Run

_LONG = 500
_CNE, _BERNOULLI = list(MODELS)[:2]


def measure(run: Run) -> Numbers:
    X, y = read("digits", run.n)
    longer = run.max_iter if run.quick else _LONG
    ours = {
        f"{title}, {epochs} epochs": partial(embed, MODELS[title], epochs)
        for title in (_CNE, _BERNOULLI)
        for epochs in sorted({run.max_iter, longer})
    }
    makers = peers() | ours
    figure, axes = panels(1, len(makers), 2.8)
    numbers: Numbers = {"maps": {}}
    for axis, (title, make) in zip(axes[0], makers.items(), strict=True):
        points, numbers["maps"][title] = measured(X, y, make)
        draw_classes(axis, points, y, title)
    save(figure, run.image("large"))
    return numbers


def claims(numbers: Numbers) -> list[Claim]:
    return [
        Claim(
            "Maps of the Bernoulli model are more UMAP-like than t-SNE-like (Fig. 2)", *_verdict(numbers, _BERNOULLI)
        ),
        Claim(
            "Maps of CNE are more UMAP-like than t-SNE-like (Fig. 1, left)",
            *_verdict(numbers, _CNE),
        ),
    ]


def _verdict(numbers: Numbers, title: str) -> tuple[str, bool | None, str]:
    """Say how a model's maps are like UMAP's, by all epochs, in short by the fewest, and what more epochs change."""
    votes = {name: nearer(numbers["maps"], name) for name in numbers["maps"] if name.startswith(title)}
    listed = "; ".join(f"{name.removeprefix(title + ', ')}: {said(each)}" for name, each in votes.items())
    (few, first), (many, last) = (list(votes.items())[at] for at in (0, -1))
    few, many = (name.removeprefix(title + ", ") for name in (few, many))
    why = f"{few} are too few for it here, {many} suffice; the paper does not say how long an epoch is"
    if many != few and not most(last):
        missed = " and ".join(look for look, vote in zip(LOOKS, last, strict=False) if not vote)
        why = f"More epochs were tried, and after {many} it still is not by {missed}; the reason is not known"
    return f"Nearer to UMAP's than to t-SNE's, {listed}", most(first), why


EXPERIMENT = Experiment(
    "large",
    "More digits (Figs. 1, left, and 2)",
    25_000,
    200,
    measure,
    claims,
    {"large": "Digits by t-SNE, UMAP, and the two models that take so many"},
    lambda numbers: rows(numbers["maps"], SOURCES["digits"]),
)
