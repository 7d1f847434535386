"""Fig. 2, and the left of Fig. 1, with as many digits as in the paper."""

from __future__ import annotations

from functools import partial

from benchmarks.drawing import panels, save
from benchmarks.figures import draw_classes
from benchmarks.probdr.likeness import measured, most, nearer, peers, rows, said
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
    numbers: Numbers = {"maps": {}, "epochs": run.max_iter}
    for axis, (title, make) in zip(axes[0], makers.items(), strict=True):
        points, numbers["maps"][title] = measured(X, y, make)
        draw_classes(axis, points, y, title)
    save(figure, run.image("large"))
    return numbers


def claims(numbers: Numbers) -> list[Claim]:
    maps = numbers["maps"]
    bernoulli, cne = (nearer(maps, f"{title}, {numbers['epochs']} epochs") for title in (_BERNOULLI, _CNE))
    return [
        Claim(
            "Maps of the Bernoulli model are more UMAP-like than t-SNE-like (Fig. 2)",
            f"After {numbers['epochs']} epochs, they are nearer to UMAP's {said(bernoulli)}",
            most(bernoulli),
        ),
        Claim(
            "Maps of CNE are more UMAP-like than t-SNE-like (Fig. 1, left)",
            f"After {numbers['epochs']} epochs, they are nearer to UMAP's {said(cne)}",
            most(cne),
        ),
    ]


EXPERIMENT = Experiment(
    "large",
    "As many digits as in the paper (Figs. 1, left, and 2)",
    25_000,
    200,
    measure,
    claims,
    {"large": "Digits by t-SNE, UMAP, and the two models that take so many"},
    lambda numbers: rows(numbers["maps"], SOURCES["digits"]),
)
