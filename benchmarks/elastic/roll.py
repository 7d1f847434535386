"""The Swiss roll, Figs. 1, 3 and 4: flat and evenly spaced where lambda is right, and beside other methods."""

from __future__ import annotations

import numpy as np
from scipy.spatial import procrustes
from sklearn.manifold import TSNE, Isomap, SpectralEmbedding

from benchmarks.drawing import panels, save
from benchmarks.elastic.paths import bounds_of, path
from benchmarks.figures import draw_map
from benchmarks.manifolds import roll
from benchmarks.markdown import table
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ElasticEmbedding
from latentmap.quality import neighbor_recall

_K, _WIDTH = 12, 15.0
_STRONGEST = 1e7
# What the paper says of the lambda at which the points part, and a roll of another size to say what that does.
_PAPERS = (5e-9, 1e-8)
_LARGER = 1.2
_SHOWN = (1e-7, 1e-4, 1e-1, 1e1, 1e4, 1e7)


def measure(run: Run) -> Numbers:
    X, plane, t = roll(run.n)
    method = ElasticEmbedding(
        _K,
        attraction="neighbors",
        width=_WIDTH,
        lam=_STRONGEST,
        n_strengths=6 if run.quick else 60,
        max_iter=run.max_iter,
        tol=1e-3,
        splitting="laplacian",
    )
    maps = path(method, X)
    lower, upper, critical = bounds_of(method)
    larger = ElasticEmbedding(_K, attraction="neighbors", width=_WIDTH, lam=1.0, max_iter=1).fit(_LARGER * X)
    shown = {strength: maps[min(maps, key=lambda other: abs(np.log(other / strength)))] for strength in _SHOWN}
    others = {
        "Isomap": Isomap(n_neighbors=_K).fit_transform(X),
        "Laplacian eigenmaps": SpectralEmbedding(2, n_neighbors=_K, random_state=0).fit_transform(X),
        "t-SNE": TSNE(2, perplexity=_K, init="random", random_state=0).fit_transform(X),
    }
    numbers: Numbers = {
        "lower": lower,
        "upper": upper,
        "critical": critical,
        "critical_of_larger": bounds_of(larger)[2],
        "maps": {name: _quality(plane, points) for name, points in others.items()},
        "diameters": {str(strength): float(np.ptp(points, axis=0).max() ** 2) for strength, points in maps.items()},
    }
    numbers["maps"] |= {f"EE, λ = {strength:g}": _quality(plane, points) for strength, points in shown.items()}
    _draw_maps(run, shown, others, plane, t)
    _draw_growth(run, numbers)
    best = ElasticEmbedding(_K, attraction="neighbors", width=_WIDTH, lam=10.0, init=shown[1e1], tol=1e-4).fit(X)
    numbers["hat"] = _draw_hat(run, best, plane)
    return numbers


def _quality(plane: np.ndarray, points: np.ndarray) -> Numbers:
    return {
        "recall": float(neighbor_recall(plane, points, _K, n_jobs=-1)),
        "misfit": float(procrustes(plane, points)[2]),
    }


def _draw_maps(run: Run, shown: dict, others: dict, plane: np.ndarray, t: np.ndarray) -> None:
    import matplotlib as mpl

    colors = mpl.colormaps["turbo"]((t - t.min()) / np.ptp(t))
    figure, axes = panels(2, len(_SHOWN), 2.4)
    for axis, (strength, points) in zip(axes[0], shown.items(), strict=True):
        draw_map(axis, points, colors, f"EE, λ = {strength:g}")
    for axis, (name, points) in zip(axes[1], {"true": plane, **others}.items(), strict=False):
        draw_map(axis, points, colors, name)
    for axis in axes[1, 1 + len(others) :]:
        axis.set_axis_off()
    save(figure, run.image("roll"))


def _draw_growth(run: Run, numbers: Numbers) -> None:
    """Draw the map's squared diameter as lambda grows, and where the points part."""
    figure, axes = panels(1, 1, 4.5, 3)
    axis, found = axes[0, 0], numbers["diameters"]
    axis.plot([float(strength) for strength in found], list(found.values()), ".-", color="black", markersize=3)
    for bound in (numbers["lower"], numbers["upper"]):
        axis.axvline(bound, color="#4e79a7", linewidth=1)
    axis.set(xscale="log", yscale="log", xlabel="λ", ylabel="squared diameter of the map")
    save(figure, run.image("roll-growth"))


def _draw_hat(run: Run, method: ElasticEmbedding, plane: np.ndarray) -> Numbers:
    """Draw the learned affinities of a point in the middle by distance, and say where they are negative."""
    middle = int(np.square(plane - plane.mean(axis=0)).sum(axis=1).argmin())
    learned = method.learned_affinities([middle])[0]
    away = np.linalg.norm(method.embedding_ - method.embedding_[middle], axis=1)
    figure, axes = panels(1, 1, 4.5, 3)
    axes[0, 0].axhline(0, color="#bbbbbb")
    axes[0, 0].plot(away, learned, ".", color="black", markersize=2)
    axes[0, 0].set(xlabel="distance on the map", ylabel="learned affinity", xlim=(0, 8))
    save(figure, run.image("roll-affinities"))
    negative = learned < -1e-6
    order = np.argsort(away)[1:]
    return {
        "nearest_positive": float((learned[order[:4]] > 0).mean()),
        "negative_from": float(away[negative].min()) if negative.any() else None,
        "negative_to": float(away[negative].max()) if negative.any() else None,
        "farthest": float(np.abs(learned[order[-len(order) // 2 :]]).max()),
    }


def claims(numbers: Numbers) -> list[Claim]:
    maps, hat = numbers["maps"], numbers["hat"]
    best = maps["EE, λ = 10"]
    return [
        Claim(
            "λ1 lies between 5e-9 and 1e-8",
            f"It lies between {numbers['lower']:.1e} and {numbers['upper']:.1e}, at {numbers['critical']:.2e}",
            _PAPERS[0] <= numbers["critical"] <= _PAPERS[1],
            "λ counts in squared distances, and the paper does not say how large its roll is: for one "
            f"{_LARGER:g} times as large as ours λ1 is {numbers['critical_of_larger']:.1e}",
        ),
        Claim(
            "For λ from 0.1 to 10 the map is extremely similar to the true one",
            f"Misfit (Procrustes) {maps['EE, λ = 0.1']['misfit']:.3f} and {best['misfit']:.3f}; recall of the "
            f"{_K} true neighbours {maps['EE, λ = 0.1']['recall']:.2f} and {best['recall']:.2f}",
            min(best["misfit"], maps["EE, λ = 0.1"]["misfit"]) < 0.1,
        ),
        Claim(
            "The map is better than that of Laplacian eigenmaps, and t-SNE does poorly",
            f"Misfit {best['misfit']:.3f} (EE, λ = 10), {maps['Laplacian eigenmaps']['misfit']:.3f} (Laplacian "
            f"eigenmaps), {maps['t-SNE']['misfit']:.3f} (t-SNE), {maps['Isomap']['misfit']:.3f} (Isomap)",
            best["misfit"] < min(maps["Laplacian eigenmaps"]["misfit"], maps["t-SNE"]["misfit"]),
        ),
        Claim(
            "At λ = 10 affinities are a Mexican hat: positive in the middle, negative around it, 0 far away (Fig. 4)",
            f"{hat['nearest_positive']:.0%} of the 4 nearest are positive; they are negative between the distances "
            f"{hat['negative_from'] or 0:.2f} and {hat['negative_to'] or 0:.2f}, and {hat['farthest']:.0e} at most in "
            "the farther half",
            hat["nearest_positive"] == 1 and hat["negative_from"] is not None and hat["farthest"] < 1e-3,
            "In the middle and in a ring around it they are so, but the farther of the 12 neighbours lie where "
            "repulsion has died away, and keep their w+ of nearly 1. How far that is depends on the size of the roll, "
            "which weighs in w-, and which the paper does not give",
        ),
    ]


def rows(numbers: Numbers) -> list[str]:
    return table(
        ["map", f"recall of {_K} true neighbours", "misfit (Procrustes)"],
        [(name, f"{found['recall']:.3f}", f"{found['misfit']:.3f}") for name, found in numbers["maps"].items()],
    )


EXPERIMENT = Experiment(
    "roll",
    "Swiss roll (Figs. 1 right, 3, 4)",
    2000,
    200,
    measure,
    claims,
    {
        "roll": "Maps of the Swiss roll as λ grows, and those of other methods; the colour is the angle along the roll",
        "roll-growth": "The squared diameter of the map as λ grows (Fig. 1, right), and the bounds (11) and (12), blue",
        "roll-affinities": "The affinities learned for a point in the middle of the roll, at λ = 10",
    },
    rows,
)
