"""The Swiss roll: distances along it, and what each method makes of them."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.linear_model import LinearRegression

from benchmarks.drawing import panels, save
from benchmarks.figures import draw_map
from benchmarks.manifolds import roll
from benchmarks.markdown import table
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.methods import ClassicalMDS, GradientMDS, Isomap, LaplacianEigenmaps, LocallyLinearEmbedding

_K = 12
_DESCENT = 300
# How much weights are evened out, scikit-learn's number first, next to nothing last; and the neighbours that are tried.
_REGS, _COUNTS = (1e-3, 1e-4, 1e-5, 1e-6), (10, 12, 15)
_GOOD = 0.9
_MORE = 8


def _lle(reg: float) -> str:
    return f"LLE, reg = {reg:g}"


def measure(run: Run) -> Numbers:
    X, plane, t = roll(run.n)
    isomap = Isomap(_K).fit(X)
    methods = {
        "classical MDS": ClassicalMDS(),
        "Isomap": isomap,
        **{_lle(reg): LocallyLinearEmbedding(_K, reg=reg) for reg in (_REGS[0], *_REGS[-2:])},
        "LLE, modified": LocallyLinearEmbedding(_K, variant="modified"),
        "Laplacian eigenmaps": LaplacianEigenmaps(_K),
    }
    maps = {name: method.fit_transform(X) for name, method in methods.items()}
    along = GradientMDS(metric="precomputed", max_iter=min(_DESCENT, run.max_iter))
    maps["gradient MDS of Isomap's paths"] = along.fit_transform(isomap.distances_)
    colors = mpl.colormaps["turbo"]((t - t.min()) / np.ptp(t))
    figure, axes = panels(3, 3, 3.2, 2.4)
    for axis, (name, points) in zip(axes.flat, {"the sheet": plane, **maps}.items(), strict=False):
        draw_map(axis, points, colors, name)
    for axis in axes.flat[1 + len(maps) :]:
        axis.set_axis_off()
    save(figure, run.image("roll"))
    return {
        "paths": _path_errors(isomap.distances_, plane, X),
        "laplacian_more": _correlation(LaplacianEigenmaps(_K, _MORE).fit_transform(X), plane[:, 1]),
        "maps": {name: _quality(plane, points) for name, points in maps.items()},
        "lle": {
            f"{reg:g}": {str(k): _quality(plane, LocallyLinearEmbedding(k, reg=reg).fit_transform(X)) for k in _COUNTS}
            for reg in _REGS
        },
        "lle_of_sheet": {
            f"{reg:g}": _quality(plane, LocallyLinearEmbedding(_K, reg=reg).fit_transform(plane))
            for reg in (_REGS[0], _REGS[-1])
        },
        "negative_share": _negative_share(isomap.eigenvalues_) if len(isomap.eigenvalues_) == run.n else None,
    }


def _path_errors(paths: np.ndarray, plane: np.ndarray, X: np.ndarray) -> Numbers:
    """Return by how much path lengths and straight distances differ from those on the sheet, near and far."""
    true = cdist(plane, plane)
    pairs = np.triu_indices(len(true), 1)
    true, paths, straight = true[pairs], paths[pairs], cdist(X, X)[pairs]
    near = true < np.quantile(true, 0.001)
    return {
        "mean": float(np.mean(np.abs(paths - true) / true)),
        "correlation": float(np.corrcoef(paths, true)[0, 1]),
        "straight_mean": float(np.mean(np.abs(straight - true) / true)),
        "straight_near": float(np.mean(np.abs(straight - true)[near] / true[near])),
    }


def _negative_share(values: np.ndarray) -> float:
    return float(-values[values < 0].sum() / np.abs(values).sum())


def _quality(plane: np.ndarray, points: np.ndarray) -> Numbers:
    """Return how well linear functions of the map, which scale and turn it, give the two true coordinates."""
    return {
        "along": _correlation(points, plane[:, 0]),
        "across": _correlation(points, plane[:, 1]),
        "order": float(max(abs(spearmanr(column, plane[:, 0])[0]) for column in points.T)),
        "misfit": float(procrustes(plane, points)[2]),
    }


def _correlation(points: np.ndarray, true: np.ndarray) -> float:
    """Return how the best linear function of the map correlates with a true coordinate."""
    return float(np.sqrt(LinearRegression().fit(points, true).score(points, true)))


def claims(numbers: Numbers) -> list[Claim]:
    paths, maps = numbers["paths"], numbers["maps"]
    isomap, laplacian, modified = maps["Isomap"], maps["Laplacian eigenmaps"], maps["LLE, modified"]
    lle = numbers["lle"]
    best = max(lle, key=lambda reg: _least(lle[reg]))
    others = "; ".join(
        f"with {reg} by {_range(of, 'along')} and {_range(of, 'across')}" for reg, of in lle.items() if reg != best
    )
    return [
        Claim(
            "For nearby points the distance along the manifold is about the Euclidean one",
            f"Straight distances of the nearest thousandth of all pairs are {paths['straight_near']:.2%} off, those of "
            f"all pairs {paths['straight_mean']:.0%}",
            paths["straight_near"] < 0.05 < paths["straight_mean"],
        ),
        Claim(
            "Distances in the neighbourhood graph estimate those along the manifold",
            f"They are {paths['mean']:.1%} off on average, and correlate by {paths['correlation']:.4f}",
            paths["correlation"] > 0.99,
        ),
        Claim(
            "Isomap embeds the points to match these distances",
            f"The true coordinates correlate with the map by {isomap['along']:.4f} along the roll and "
            f"{isomap['across']:.4f} across (classical scaling of straight distances: "
            f"{maps['classical MDS']['along']:.2f} along)",
            min(isomap["along"], isomap["across"]) > 0.99 > maps["classical MDS"]["along"],
        ),
        Claim(
            "Other good algorithms: locally linear embedding",
            f"With reg = {best} it correlates by {_range(lle[best], 'along')} along and "
            f"{_range(lle[best], 'across')} across (k = {', '.join(lle[best])}); {others}, of which {_REGS[0]:g} is "
            f"scikit-learn's own. The variant with several weights: {modified['along']:.3f} and "
            f"{modified['across']:.3f} (k = {_K})",
            _least(lle[best]) > _GOOD,
            "No number that was tried makes the weights of the neighbours those of a sheet",
        ),
        Claim(
            "Other good algorithms: Laplacian eigenmaps",
            f"One coordinate has the order along the roll (rank correlation {laplacian['order']:.3f}); across, the map "
            f"correlates by {laplacian['across']:.3f}, and with {_MORE} dimensions by {numbers['laplacian_more']:.3f}",
            min(laplacian["order"], laplacian["across"]) > 0.9,
            "On a strip four times as long as wide the second smoothest function on the graph is a wave along it, "
            "which comes before any function across: the map is a curve",
        ),
    ]


def _least(by_count: dict[str, Numbers]) -> float:
    return min(min(of["along"], of["across"]) for of in by_count.values())


def _range(by_count: dict[str, Numbers], key: str) -> str:
    least, most = (f"{pick(of[key] for of in by_count.values()):.3f}" for pick in (min, max))
    return least if least == most else f"{least} to {most}"


def rows(numbers: Numbers) -> list[str]:
    head = ["map", "correlation along", "correlation across", "order along (rank)", "misfit (Procrustes)"]
    keys = "along", "across", "order", "misfit"
    lle = {f"{_lle(float(reg))}, k = {k}": of for reg, found in numbers["lle"].items() for k, of in found.items()}
    others = {name: of for name, of in numbers["maps"].items() if not name.startswith("LLE, reg")}
    lines = [(name, *(f"{found[key]:.3f}" for key in keys)) for name, found in (others | lle).items()]
    evened, exact = numbers["lle_of_sheet"].values()
    return [
        "Where k exceeds the three columns, the weights that make a row of its neighbours are not determined: `reg` "
        f"chooses among them, and evens them out. By {_REGS[0]:g} they make a row that lies nearer to the middle of "
        "the neighbours, so that the map narrows: even of the sheet before it is rolled up it correlates by "
        f"{evened['along']:.3f} along and {evened['across']:.3f} across. By {_REGS[-1]:g} they make the row itself, of "
        "the sheet too "
        f"({exact['along']:.3f} and {exact['across']:.3f}). But on a roll three coordinates of neighbours tell how it "
        "bends; of these any smooth function along it can be made, and the map goes to and fro. What is right for a "
        "roll lies between.",
        "",
        *table(head, lines),
    ]


EXPERIMENT = Experiment(
    "roll",
    "Swiss roll",
    2000,
    250,
    measure,
    claims,
    {"roll": "The sheet that was rolled up, and what each method makes of the roll; the colour is the angle along it"},
    rows,
)
