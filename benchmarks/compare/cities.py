"""Ten cities: the map of a country from nothing but which of two cities is nearer."""

from __future__ import annotations

import numpy as np
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist, squareform
from sklearn.decomposition import KernelPCA

from benchmarks.compare.asking import KINDS, all_triplets, asked
from benchmarks.drawing import logarithmic, panels, save
from benchmarks.figures import CLASS_COLORS
from benchmarks.report import Claim, Experiment, Numbers, Run
from benchmarks.stored import load
from latentmap.methods import ComparisonEmbedding, Comparisons

_COUNTS = (20, 40, 80, 160, 320)
_SHOWN = 160
_REPEATS = 10
# Of a map whose width is about 1.
_WEST = -0.2
_KERNELS = {"Gaussian": np.inf, "Student, 1 degree of freedom": 1.0}


def measure(run: Run) -> Numbers:
    arrays = load("us_cities10")
    D, names = arrays["D"][: run.n, : run.n].astype(float), arrays["names"][: run.n]
    every = all_triplets(lambda i, j: D[i, j], run.n)
    counts, repeats = (_COUNTS[:2], 1) if run.quick else (_COUNTS, _REPEATS)
    curves = {
        name: [_accuracies(D, every, m, dof, "triplets", repeats, run) for m in counts]
        for name, dof in _KERNELS.items()
    }
    kinds = {kind: [_accuracies(D, every, m, np.inf, kind, repeats, run) for m in counts] for kind in KINDS[1:]}
    shown = _map(_asked(D, min(_SHOWN, counts[-1]), "triplets", 0), run.n, np.inf, 0, run)
    true = KernelPCA(2, kernel="precomputed").fit_transform(-np.square(D) / 2)
    aligned, placed, disparity = procrustes(true, shown)
    _draw(run, aligned, placed, names, counts, curves | kinds)
    return {
        "counts": counts,
        "repeats": repeats,
        "triplets": len(every),
        "accuracies": curves | kinds,
        "shown": min(_SHOWN, counts[-1]),
        "disparity": disparity,
        "correlation": float(np.corrcoef(squareform(D), pdist(shown))[0, 1]),
    }


def _asked(D: np.ndarray, m: int, kind: str, seed: int) -> Comparisons:
    rng = np.random.default_rng(seed)
    if kind == "triplets":
        # There are few: none is asked twice.
        every = all_triplets(lambda i, j: D[i, j], len(D))
        return every.take(rng.permutation(len(every))[:m])
    return asked(kind, lambda i, j: D[i, j], len(D), m, rng, float(np.median(squareform(D))))


def _map(said: Comparisons, n: int, dof: float, seed: int, run: Run) -> np.ndarray:
    method = ComparisonEmbedding(feature_weight=0, dof=dof, held_out=0, random_state=seed, max_iter=run.max_iter)
    return method.fit_transform(np.arange(n, dtype=float)[:, None], said)


def _accuracies(
    D: np.ndarray, every: Comparisons, m: int, dof: float, kind: str, repeats: int, run: Run
) -> tuple[float, float]:
    """Return the mean accuracy on triplets that were not asked, in percent, and its standard deviation."""
    found = []
    for seed in range(repeats):
        said = _asked(D, m, kind, seed)
        known = {tuple(one) for one in said.quadruplets.tolist()}
        others = every.take(np.array([tuple(one) not in known for one in every.quadruplets.tolist()]))
        found.append(100 * others.accuracy(_map(said, len(D), dof, seed, run)))
    return float(np.mean(found)), float(np.std(found))


def _draw(
    run: Run,
    true: np.ndarray,
    placed: np.ndarray,
    names: np.ndarray,
    counts: tuple[int, ...],
    curves: dict[str, list[tuple[float, float]]],
) -> None:
    figure, axes = panels(1, 2, 5, 3.8)
    for color, (name, course) in zip(CLASS_COLORS, curves.items(), strict=False):
        means, spreads = np.array(course).T
        label = f"triplets, {name}" if name in _KERNELS else f"{name}, Gaussian"
        axes[0, 0].errorbar(counts, means, spreads, color=color, marker="o", markersize=3, capsize=2, label=label)
    logarithmic(axes[0, 0].xaxis)
    axes[0, 0].axhline(50, color="#999999", linewidth=0.8)
    axes[0, 0].set(xlabel="comparisons learned from", ylabel="other triplets that hold on the map (%)")
    axes[0, 0].legend()
    # North is up: classical scaling does not know of it.
    turned, found = (-points for points in (true, placed))
    axes[0, 1].scatter(*turned.T, color="#999999", s=25, label="from all distances (classical scaling)")
    axes[0, 1].scatter(*found.T, color=CLASS_COLORS[0], s=25, label=f"from {min(_SHOWN, counts[-1])} triplets")
    for one, other, name in zip(turned, found, names, strict=True):
        axes[0, 1].plot(*np.array([one, other]).T, color="#bbbbbb", linewidth=0.8, zorder=0)
        # In the west to the left of both points, elsewhere to the right.
        west = bool(one[0] < _WEST)
        x, y = min(one, other, key=lambda place: place[0] if west else -place[0])
        axes[0, 1].annotate(
            str(name),
            (x, y),
            xytext=(-5 if west else 5, 0),
            textcoords="offset points",
            ha="right" if west else "left",
            va="center",
            fontsize=7,
        )
    axes[0, 1].set(aspect="equal")
    axes[0, 1].set_axis_off()
    axes[0, 1].margins(0.2)
    axes[0, 1].legend(loc="upper center", bbox_to_anchor=(0.5, -0.02))
    save(figure, run.image("cities"))


def claims(numbers: Numbers) -> list[Claim]:
    accuracies, last = numbers["accuracies"], numbers["counts"][-1]
    means = {name: [mean for mean, _ in course] for name, course in accuracies.items()}
    gaussian = means["Gaussian"]
    return [
        Claim(
            "Triplets (i, j, k) give an embedding in which x_i is nearer to x_j than to x_k; one expects others to "
            "hold too, the more were asked",
            f"Of {numbers['triplets']} triplets, with {', '.join(map(str, numbers['counts']))} learned from, "
            f"{', '.join(f'{mean:.0f} %' for mean in gaussian)} of the others hold",
            gaussian[-1] > 95 and gaussian[-1] > gaussian[0],
        ),
        Claim(
            "One expects the order of the distances to tell the distances, but for the scale",
            f"Distances on the map of {numbers['shown']} triplets correlate by {numbers['correlation']:.3f} with the "
            f"true ones; {100 * numbers['disparity']:.1f} % of the variance of the places is lost (Procrustes)",
            numbers["correlation"] > 0.95,
        ),
        Claim(
            "One expects heavy tails (t-STE) to do better",
            f"With {last}, {means['Student, 1 degree of freedom'][-1]:.0f} % instead of {gaussian[-1]:.0f} %",
            means["Student, 1 degree of freedom"][-1] > gaussian[-1],
            "No comparison of distances on a globe contradicts another by much; what heavy tails gain from giving some "
            "up, they lose here. On classes of digits, below, it is the reverse",
        ),
        Claim(
            "Quadruplets should do as well as triplets, and pairs less well: of 45 pairs it is said again and again "
            "whether two cities are nearer than the median, and no more",
            f"With {last}, {means['quadruplets'][-1]:.0f} % and {means['pairs'][-1]:.0f} % of all triplets hold that "
            "were not among them",
            means["quadruplets"][-1] > 95 and means["pairs"][-1] < means["quadruplets"][-1],
        ),
    ]


EXPERIMENT = Experiment(
    "cities",
    "Ten cities, from which of two is nearer",
    10,
    8,
    measure,
    claims,
    {"cities": "Triplets that were not asked and hold, and the map: no distance was known"},
)
