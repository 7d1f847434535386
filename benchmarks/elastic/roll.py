"""The Swiss roll, Figs. 1, 3 and 4: flat and evenly spaced where lambda is right, and beside other methods."""

from __future__ import annotations

import numpy as np
from scipy.spatial import procrustes
from sklearn.manifold import TSNE, Isomap, SpectralEmbedding

from benchmarks.drawing import panels, save
from benchmarks.elastic import sne
from benchmarks.elastic.paths import bounds_of, path
from benchmarks.figures import draw_map
from benchmarks.manifolds import roll
from benchmarks.markdown import table
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ElasticEmbedding
from latentmap.quality import neighbor_recall

_K, _WIDTH = 12, 15.0
_STRONGEST = 1e7
# What the paper says of the lambda at which the points part, and rolls of other sizes, to say what that does: one that
# is so many times as large, and one that is so wide before it is scaled.
_PAPERS = (5e-9, 1e-8)
_LARGER, _DENSER = 1.2, (5.25, 0.7)
# The lambda of the paper's Fig. 4, and those of a homotopy to it.
_FIGURE, _N_STRENGTHS = 10.0, 36
_SNE_ITER = 700
_SHOWN = (1e-7, 1e-4, 1e-1, 1e0, 1e1, 1e4, 1e7)
# From where on lambda is large, and how far off a line growth may be.
_LARGE, _STRAIGHT = 1e3, 0.1
# The spread of scikit-learn's own starts of t-SNE.
_TINY = 1e-4
# How far apart the recall of maps from two starts is at most, if they are similar.
_ALIKE = 0.05
# A map that nobody could tell from the true one by eye.
_SIMILAR = 0.02
# The lambdas at which learned affinities are looked at, of how many points in the middle, how many points make a ring
# around one, and from which part of a point's largest one counts as negative.
_HATS, _MIDDLE, _RING, _COUNTS = (1e-1, 1e0, _FIGURE), 200, 200, 1e-3
_HAT, _DENSER_HAT = f"λ = {_FIGURE:g}", f"λ = {_FIGURE:g}, denser roll"


def measure(run: Run) -> Numbers:
    X, plane, t = roll(run.n)
    method = _homotopy(run, _STRONGEST, 60)
    maps = path(method, X)
    lower, upper, critical = bounds_of(method)
    shown = {strength: maps[min(maps, key=lambda other: abs(np.log(other / strength)))] for strength in _SHOWN}
    larger = ElasticEmbedding(_K, attraction="neighbors", width=_WIDTH, lam=1.0, max_iter=1).fit(_LARGER * X)
    peers = _peers(run, X, plane)
    numbers: Numbers = {
        "lower": lower,
        "upper": upper,
        "critical": critical,
        "critical_of_larger": bounds_of(larger)[2],
        "maps": {name: _quality(plane, points) for name, points in peers.items()},
        "diameters": {str(strength): float(np.ptp(points, axis=0).max() ** 2) for strength, points in maps.items()},
    }
    numbers["maps"] |= {f"EE, λ = {strength:g}": _quality(plane, points) for strength, points in shown.items()}
    _draw_maps(run, shown, peers, plane, t)
    _draw_growth(run, numbers)
    hats = {f"λ = {strength:g}": _learned(X, plane, strength, shown[strength]) for strength in _HATS}
    numbers["denser"], hats[_DENSER_HAT] = _denser_roll(run)
    numbers["hats"] = {name: _hat(*learned) for name, learned in hats.items()}
    _draw_hats(run, hats)
    return numbers


def _homotopy(run: Run, strongest: float, n_strengths: int) -> ElasticEmbedding:
    return ElasticEmbedding(
        _K,
        attraction="neighbors",
        width=_WIDTH,
        lam=strongest,
        n_strengths=6 if run.quick else n_strengths,
        max_iter=run.max_iter,
        tol=1e-3,
        splitting="laplacian",
    )


def _peers(run: Run, X: np.ndarray, plane: np.ndarray) -> dict[str, np.ndarray]:
    """Return the maps of other methods, those of SNE and t-SNE also from the true one."""
    rng, true = np.random.default_rng(0), plane / plane[:, 0].std()
    max_iter = run.max_iter if run.quick else _SNE_ITER
    tsne = {"perplexity": _K, "random_state": 0, "max_iter": 250 if run.quick else 1000}
    return {
        "Isomap": Isomap(n_neighbors=_K).fit_transform(X),
        "Laplacian eigenmaps": SpectralEmbedding(2, n_neighbors=_K, random_state=0).fit_transform(X),
        "SNE": sne.embed(X, _K, sne.SPREAD * rng.standard_normal(plane.shape), max_iter),
        "SNE from the true map": sne.embed(X, _K, true, max_iter),
        "t-SNE": TSNE(2, init="random", **tsne).fit_transform(X),
        "t-SNE from the true map": TSNE(2, init=_TINY * true, **tsne).fit_transform(X),
    }


def _quality(plane: np.ndarray, points: np.ndarray) -> Numbers:
    return {
        "recall": float(neighbor_recall(plane, points, _K, n_jobs=-1)),
        "misfit": float(procrustes(plane, points)[2]),
    }


def _draw_maps(run: Run, shown: dict, peers: dict, plane: np.ndarray, t: np.ndarray) -> None:
    import matplotlib as mpl

    colors = mpl.colormaps["turbo"]((t - t.min()) / np.ptp(t))
    figure, axes = panels(2, len(_SHOWN), 2.4)
    for axis, (strength, points) in zip(axes[0], shown.items(), strict=True):
        draw_map(axis, points, colors, f"EE, λ = {strength:g}")
    for axis, (name, points) in zip(axes[1], {"true": plane, **peers}.items(), strict=True):
        draw_map(axis, points, colors, name)
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


def _learned(X: np.ndarray, plane: np.ndarray, strength: float, init: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return distances on the map from points in the middle, each row in order, and the affinities learned there."""
    middle = np.square(plane - plane.mean(axis=0)).sum(axis=1).argsort()[: min(_MIDDLE, len(X) // 10)]
    settings = {"attraction": "neighbors", "width": _WIDTH, "lam": strength, "tol": 1e-4}
    method = ElasticEmbedding(_K, **settings, init=init).fit(X)
    away = np.linalg.norm(method.embedding_ - method.embedding_[middle][:, None], axis=2)
    order = away.argsort(axis=1)[:, 1:]
    affinities = method.learned_affinities(middle)
    return np.take_along_axis(away, order, axis=1), np.take_along_axis(affinities, order, axis=1)


def _denser_roll(run: Run) -> tuple[Numbers, tuple[np.ndarray, np.ndarray]]:
    """Return where the points of another roll part and how flat it is laid, and what is learned as in Fig. 4."""
    width, scale = _DENSER
    X, plane, _ = roll(run.n, width)
    method = _homotopy(run, _FIGURE, _N_STRENGTHS).fit(scale * X)
    lower, upper, critical = bounds_of(method)
    found = {"width": scale * width, "length": scale * float(np.ptp(plane[:, 0]))}
    found |= {"lower": lower, "upper": upper, "critical": critical}
    return found | _quality(plane, method.embedding_), _learned(scale * X, plane, _FIGURE, method.embedding_)


def _hat(away: np.ndarray, learned: np.ndarray) -> Numbers:
    """Say of points in the middle what they have learned of those around them."""
    floor = -_COUNTS * np.abs(learned).max(axis=1, keepdims=True)
    return {
        "nearest_positive": float((learned[:, :4] > 0).mean()),
        "neighbors_positive": float((learned[:, :_K] > 0).mean()),
        "ring_negative": float((learned[:, :_RING] < floor).any(axis=1).mean()),
        "farthest": float(np.abs(learned[:, learned.shape[1] // 2 :]).max()),
    }


def _draw_hats(run: Run, hats: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    figure, axes = panels(1, len(hats), 3.0, 2.6)
    for axis, (name, (away, learned)) in zip(axes[0], hats.items(), strict=True):
        axis.axhline(0, color="#bbbbbb")
        axis.plot(away[0], learned[0], ".", color="black", markersize=2)
        axis.set(xlabel="distance on the map", ylabel="learned affinity", title=name)
        axis.set_xlim(0, 3 * away[0, _K - 1])
    save(figure, run.image("roll-affinities"))


def claims(numbers: Numbers) -> list[Claim]:
    maps, hat, denser = numbers["maps"], numbers["hats"][_HAT], numbers["denser"]
    best = maps["EE, λ = 10"]
    other = f"{denser['length']:.0f} by {denser['width']:.1f}"
    return [
        _of_growth(numbers["diameters"]),
        Claim(
            "λ1 lies between 5e-9 and 1e-8 (Fig. 3)",
            f"It lies between {numbers['lower']:.1e} and {numbers['upper']:.1e}, at {numbers['critical']:.2e}",
            _PAPERS[0] <= numbers["critical"] <= _PAPERS[1],
            "λ counts in squared distances, and the paper does not say how large its roll is. Ours is 90 long and 21 "
            f"wide; for one {_LARGER:g} times as large λ1 is {numbers['critical_of_larger']:.1e}, for one of {other} "
            f"{denser['critical']:.1e}",
        ),
        Claim(
            "For λ from 0.1 to 10 the map is extremely similar to the true one (Fig. 3)",
            f"Misfit (Procrustes) {maps['EE, λ = 0.1']['misfit']:.3f} and {best['misfit']:.3f}; recall of the "
            f"{_K} true neighbours {maps['EE, λ = 0.1']['recall']:.2f} and {best['recall']:.2f}",
            max(best["misfit"], maps["EE, λ = 0.1"]["misfit"]) < _SIMILAR,
        ),
        Claim(
            "The map is better than that of Laplacian eigenmaps, and t-SNE does poorly (Fig. 3)",
            f"Misfit {best['misfit']:.3f} (EE, λ = 10), {maps['Laplacian eigenmaps']['misfit']:.3f} (Laplacian "
            f"eigenmaps), {maps['t-SNE']['misfit']:.3f} (t-SNE), {maps['Isomap']['misfit']:.3f} (Isomap)",
            best["misfit"] < min(maps["Laplacian eigenmaps"]["misfit"], maps["t-SNE"]["misfit"]),
        ),
        *_of_sne(maps),
        Claim(
            "At λ = 10 affinities are a Mexican hat: positive in the middle, negative around it, 0 far away (Fig. 4)",
            f"Of the 4 nearest of points in the middle {hat['nearest_positive']:.0%} are positive, "
            f"{hat['ring_negative']:.0%} of the points have negative ones around them, and in the farther half they "
            f"are {hat['farthest']:.0e} at most; to agree, 90 %, 90 % and 1e-3",
            _is_hat(hat),
            _why_no_hat(numbers, other),
        ),
    ]


def _of_growth(diameters: dict[str, float]) -> Claim:
    strengths, squared = np.log10([float(strength) for strength in diameters]), np.array(list(diameters.values()))
    late = strengths > np.log10(_LARGE)
    slope, height = np.polyfit(strengths[late], squared[late], 1)
    off = float(np.abs(squared[late] - (slope * strengths[late] + height)).max() / np.ptp(squared[late]))
    return Claim(
        "Where λ is large the squared diameter of the map grows by its logarithm (Fig. 1, right)",
        f"From λ = {_LARGE:g} on it grows by {slope:.0f} where λ grows tenfold, and is off that line by {off:.1%} of "
        f"its growth at most; to agree, {_STRAIGHT:.0%}",
        off <= _STRAIGHT,
        f"It is {squared[late][0]:.0f} at the first of them and {squared[late][-1]:.0f} at the last",
    )


def _of_sne(maps: dict[str, Numbers]) -> list[Claim]:
    best, spectral, found = (maps[name] for name in ("EE, λ = 10", "Laplacian eigenmaps", "SNE"))
    pairs = {name: (maps[f"{name} from the true map"], maps[name]) for name in ("SNE", "t-SNE")}
    told = " and ".join(
        f"recall {here['recall']:.2f} from there, {there['recall']:.2f} else ({name})"
        for name, (here, there) in pairs.items()
    )
    handed = " and ".join(
        f"{here['misfit']:.3f} from there, {there['misfit']:.3f} else ({name})" for name, (here, there) in pairs.items()
    )
    return [
        Claim(
            "SNE attains a good map, better than that of Laplacian eigenmaps and worse than that of EE (Fig. 3)",
            f"Misfit {found['misfit']:.3f}; {best['misfit']:.3f} (EE, λ = 10) and {spectral['misfit']:.3f} (Laplacian "
            f"eigenmaps). Recall {found['recall']:.2f}; {best['recall']:.2f} and {spectral['recall']:.2f}",
            best["misfit"] < found["misfit"] < spectral["misfit"],
            "The paper does not say where its SNE started, nor how it went down",
        ),
        Claim(
            "From the true map SNE and t-SNE end in similar ones: theirs are not just bad local optima (Fig. 3)",
            f"{told[0].upper()}{told[1:]}; to agree, {_ALIKE:g} apart at most. How the roll lies as a whole the start "
            f"hands down: misfit {handed}",
            all(abs(here["recall"] - there["recall"]) <= _ALIKE for here, there in pairs.values()),
            "Where recall is higher from the true map, a start at random ends in a worse optimum",
        ),
    ]


def _is_hat(hat: Numbers) -> bool:
    return hat["nearest_positive"] > 0.9 and hat["ring_negative"] > 0.9 and hat["farthest"] < 1e-3


def _why_no_hat(numbers: Numbers, other: str) -> str:
    """Say what the hat depends on, and whether there is one where the points lie more densely."""
    by_strength = "; ".join(
        f"at {name} {of['nearest_positive']:.0%} of the 4 nearest are positive, and {of['neighbors_positive']:.0%} of "
        f"the {_K}"
        for name, of in numbers["hats"].items()
        if name != _DENSER_HAT
    )
    denser, hat = numbers["denser"], numbers["hats"][_DENSER_HAT]
    agrees = "there is" if _is_hat(hat) else "there is not"
    lies = "lies" if _PAPERS[0] <= denser["critical"] <= _PAPERS[1] else "does not lie"
    return (
        f"It depends on λ: {by_strength}. At 10 the nearest repel each other more than they attract. It depends on how "
        f"densely the points lie, too: on a roll of {other}, with as many points, {agrees} a hat at λ = {_FIGURE:g}, "
        f"{hat['nearest_positive']:.0%} of the 4 nearest being positive, and there λ1 {lies} where the paper has it. "
        "So a smaller and narrower roll may be the cause; the paper does not say what its roll measures"
    )


def rows(numbers: Numbers) -> list[str]:
    return [
        *table(
            ["map", f"recall of {_K} true neighbours", "misfit (Procrustes)"],
            [(name, f"{found['recall']:.3f}", f"{found['misfit']:.3f}") for name, found in numbers["maps"].items()],
        ),
        f"SNE is (5) by L-BFGS, with affinities of perplexity {_K}, from random places with a spread of {sne.SPREAD:g} "
        f"and from the true map, within {_SNE_ITER} iterations.",
        "",
    ]


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
        "roll-affinities": "The affinities learned for a point in the middle of the roll, by λ, and of a smaller "
        "and narrower roll",
    },
    rows,
)
