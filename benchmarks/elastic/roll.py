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
_SHOWN = (1e-7, 1e-4, 1e-1, 1e0, 1e1, 1e4, 1e7)
# A map that nobody could tell from the true one by eye.
_SIMILAR = 0.02
# The lambdas at which learned affinities are looked at, of how many points in the middle, how many points make a ring
# around one, and from which part of a point's largest one counts as negative.
_HATS, _MIDDLE, _RING, _COUNTS = (1e-1, 1e0, 1e1), 200, 200, 1e-3


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
    numbers["hats"] = _hats(run, X, plane, shown)
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


def _hats(run: Run, X: np.ndarray, plane: np.ndarray, shown: dict[float, np.ndarray]) -> dict[str, Numbers]:
    """Draw the learned affinities of a point in the middle by distance, and say of many what they are, by lambda."""
    middle = np.square(plane - plane.mean(axis=0)).sum(axis=1).argsort()[: min(_MIDDLE, len(X) // 10)]
    figure, axes = panels(1, len(_HATS), 3.2, 2.6)
    found = {}
    for axis, strength in zip(axes[0], _HATS, strict=True):
        settings = {"attraction": "neighbors", "width": _WIDTH, "lam": strength, "tol": 1e-4}
        method = ElasticEmbedding(_K, **settings, init=shown[strength]).fit(X)
        learned = method.learned_affinities(middle)
        away = np.linalg.norm(method.embedding_ - method.embedding_[middle][:, None], axis=2)
        axis.axhline(0, color="#bbbbbb")
        axis.plot(away[0], learned[0], ".", color="black", markersize=2)
        axis.set(xlabel="distance on the map", ylabel="learned affinity", title=f"λ = {strength:g}")
        axis.set_xlim(0, 3 * np.sort(away[0])[_K])
        order = away.argsort(axis=1)[:, 1:]
        sorted_ = np.take_along_axis(learned, order, axis=1)
        floor = -_COUNTS * np.abs(sorted_).max(axis=1, keepdims=True)
        found[f"{strength:g}"] = {
            "nearest_positive": float((sorted_[:, :4] > 0).mean()),
            "neighbors_positive": float((sorted_[:, :_K] > 0).mean()),
            "ring_negative": float((sorted_[:, :_RING] < floor).any(axis=1).mean()),
            "farthest": float(np.abs(sorted_[:, sorted_.shape[1] // 2 :]).max()),
        }
    save(figure, run.image("roll-affinities"))
    return found


def claims(numbers: Numbers) -> list[Claim]:
    maps, hat = numbers["maps"], numbers["hats"]["10"]
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
            max(best["misfit"], maps["EE, λ = 0.1"]["misfit"]) < _SIMILAR,
        ),
        Claim(
            "The map is better than that of Laplacian eigenmaps, and t-SNE does poorly",
            f"Misfit {best['misfit']:.3f} (EE, λ = 10), {maps['Laplacian eigenmaps']['misfit']:.3f} (Laplacian "
            f"eigenmaps), {maps['t-SNE']['misfit']:.3f} (t-SNE), {maps['Isomap']['misfit']:.3f} (Isomap)",
            best["misfit"] < min(maps["Laplacian eigenmaps"]["misfit"], maps["t-SNE"]["misfit"]),
        ),
        Claim(
            "At λ = 10 affinities are a Mexican hat: positive in the middle, negative around it, 0 far away (Fig. 4)",
            f"Of the 4 nearest of points in the middle {hat['nearest_positive']:.0%} are positive, "
            f"{hat['ring_negative']:.0%} of the points have negative ones around them, and in the farther half they "
            f"are {hat['farthest']:.0e} at most; to agree, 90 %, 90 % and 1e-3",
            hat["nearest_positive"] > 0.9 and hat["ring_negative"] > 0.9 and hat["farthest"] < 1e-3,
            f"It depends on λ: {_by_strength(numbers['hats'])}. At 10 the nearest repel each other more than they "
            "attract. Why the paper has its hat there is not known; it shows that of one point",
        ),
    ]


def _by_strength(hats: dict[str, Numbers]) -> str:
    """Say how many affinities of neighbours are positive, by lambda."""
    return "; ".join(
        f"at λ = {strength} {of['nearest_positive']:.0%} of the 4 nearest are positive, and "
        f"{of['neighbors_positive']:.0%} of the {_K}"
        for strength, of in hats.items()
    )


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
        "roll-affinities": "The affinities learned for a point in the middle of the roll, by λ",
    },
    rows,
)
