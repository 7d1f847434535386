"""Figs. 1 and 2 with as many digits as in the paper: the determinant of the Wishart model (5) by landmarks."""

from __future__ import annotations

from functools import partial

from benchmarks.drawing import panels, save
from benchmarks.figures import draw_classes
from benchmarks.probdr.balance import KEPT
from benchmarks.probdr.likeness import LOOKS, further, measured, most, nearer, peers, rows, said
from benchmarks.probdr.maps import BERNOULLI, CNE, MODELS, WISHART, by_epochs, embed, tried
from benchmarks.probdr.sources import SOURCES, read
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods.probdr.landmarks import LANDMARKS

# How far apart the silhouettes of similar maps are at most.
_CLOSE = 0.1


def measure(run: Run) -> Numbers:
    X, y = read("digits", run.n)
    makers = peers(run.quick) | by_epochs(run) | {WISHART: partial(embed, MODELS[WISHART], run.max_iter)}
    figure, axes = panels(1, len(makers), 2.8)
    numbers: Numbers = {"maps": {}}
    for axis, (title, make) in zip(axes[0], makers.items(), strict=True):
        points, numbers["maps"][title] = measured(X, y, make)
        draw_classes(axis, points, y, title)
    save(figure, run.image("large"))
    return numbers


def claims(numbers: Numbers) -> list[Claim]:
    maps = numbers["maps"]
    return [
        Claim("Maps of the Bernoulli model are more UMAP-like than t-SNE-like (Fig. 2)", *_near_umap(maps, BERNOULLI)),
        Claim("Maps of CNE are more UMAP-like than t-SNE-like (Fig. 1, left)", *_near_umap(maps, CNE)),
        Claim(
            "Those of the Wishart model (5) are qualitatively quite similar to those of CNE (Fig. 1)", *_similar(maps)
        ),
        Claim(
            "Those of CNE are more UMAP-like, those of the Wishart model (5) more t-SNE-like (Fig. 1)",
            *_beside_wishart(maps, CNE),
        ),
        Claim(
            "Those of the Bernoulli model are more UMAP-like than those of the Wishart model (5) (Fig. 2)",
            *_beside_wishart(maps, BERNOULLI),
        ),
    ]


def _near_umap(maps: Numbers, title: str) -> tuple[str, bool | None, str]:
    """Say by how many measures a model's maps are like UMAP's, by all epochs; the most decide."""
    votes = {epochs: nearer(maps, name) for epochs, name in tried(maps, title).items()}
    last, name = list(tried(maps, title).items())[-1]
    listed = "; ".join(f"{epochs}: {said(each)}" for epochs, each in votes.items())
    missed = [look for look, vote in zip(LOOKS, votes[last], strict=False) if not vote]
    return f"Nearer to UMAP's than to t-SNE's, {listed}", most(votes[last]), _not_by(missed, maps, name, last)


def _beside_wishart(maps: Numbers, title: str) -> tuple[str, bool | None, str]:
    """Say by how many measures a model's maps are the more UMAP-like beside (5), by all epochs; the most decide."""
    votes = {epochs: further(maps, name, WISHART) for epochs, name in tried(maps, title).items()}
    last, name = list(tried(maps, title).items())[-1]
    listed = "; ".join(f"{epochs}: {said(list(each.values()))}" for epochs, each in votes.items())
    missed = [look for look, vote in votes[last].items() if not vote]
    return f"They are, {listed}", most(list(votes[last].values())), _not_by(missed, maps, name, last)


def _not_by(missed: list[str], maps: Numbers, name: str, epochs: str) -> str:
    """Say by which measures a map is not as claimed, with those of what it is compared with."""
    beside = {"of (5)": WISHART, "of t-SNE": "t-SNE", "of UMAP": "UMAP"}
    parts = [
        f"{look}, which is {maps[name][look]:.3f}, "
        + ", ".join(f"{maps[other][look]:.3f} {whose}" for whose, other in beside.items() if other in maps)
        for look in missed
    ]
    return f"After {epochs} it is not so by {'; '.join(parts)}"


def _similar(maps: Numbers) -> tuple[str, bool, str]:
    """Say how much of what CNE keeps the Wishart model keeps, by all epochs of CNE; the most decide."""
    here, epochs = maps[WISHART], tried(maps, CNE)
    kept = [here["recall"] / maps[name]["recall"] for name in epochs.values()]
    apart = [maps[name]["silhouette"] for name in epochs.values()]
    return (
        f"Of the neighbours that CNE keeps after {' and '.join(epochs)} they keep "
        f"{' and '.join(f'{share:.0%}' for share in kept)}; the silhouette of the digits is {here['silhouette']:.2f}, "
        f"that of CNE {' and '.join(f'{each:.2f}' for each in apart)}",
        kept[-1] > KEPT and abs(here["silhouette"] - apart[-1]) < _CLOSE,
        f"It is so if {KEPT:.0%} are kept and the silhouettes are within {_CLOSE}. What (5) has for the attraction of "
        "neighbours is not that of (3), see [below](#derivation)",
    )


def tables(numbers: Numbers) -> list[str]:
    return [
        *rows(numbers["maps"], SOURCES["digits"]),
        f"The map of (5) goes up an estimate of the gradient by {LANDMARKS} landmarks: with so many rows nobody held "
        "it against the determinant itself. [For fewer rows](#landmarks) that was done, and the claims about (5) are "
        "as good as that.",
        "",
    ]


EXPERIMENT = Experiment(
    "large",
    "As many digits as in the paper (Figs. 1 and 2)",
    25_000,
    200,
    measure,
    claims,
    {"large": "Digits by t-SNE, UMAP, CNE and the Bernoulli model, and by the Wishart model (5) by landmarks"},
    tables,
)
