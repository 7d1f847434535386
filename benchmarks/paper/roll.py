"""The Swiss roll, Fig. S9: whether coarse-graining makes clusters where there are none."""

from __future__ import annotations

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import kneighbors_graph

from benchmarks import figures
from benchmarks.drawing import panels, save
from benchmarks.manifolds import roll
from benchmarks.markdown import table
from benchmarks.paper.fitting import fit
from benchmarks.report import Claim, Experiment, Numbers, Run
from latentmap.model.vectors import Vectors
from latentmap.quality import neighbor_recall

# Clumps smaller than this many points are looked for.
_CLUMP = 30
# A map of which the largest part holds this share has no clusters worth the name.
_WHOLE = 0.95
# The paper does not say how wide its roll is: the usual one is 90 long.
_WIDTHS = {"usual, 21 wide": 21.0, "wider, 45 wide": 45.0}
_TITLES = {"plane": "the true plane", "0": "l = 0", "1": "l = 1"}
_SEEDS = range(3)


def clumping(points: np.ndarray, k: int = _CLUMP) -> float:
    """How far points crowd together within the ball of their k nearest; 1 where they lie at random, 0 where they touch.

    Where points lie at random, at whatever density, the squares of the distances to the first and to the k-th neighbour
    are as 1 to k on average, in the plane. Clumps of fewer than k points bring the first nearer and move the k-th away;
    a regular lattice does the opposite.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
    k : int

    Returns
    -------
    float
    """
    distances = Vectors(points, method="exact").kneighbors(k).distances
    return float(k * np.mean((distances[:, 0] / distances[:, -1]) ** 2))


def parts(points: np.ndarray, k: int) -> tuple[int, float]:
    """Into how many parts the graph of k nearest neighbours falls, and the share of points in the largest."""
    n_parts, part = connected_components(kneighbors_graph(points, k), directed=False)
    return int(n_parts), float(np.bincount(part).max() / len(points))


def measure(run: Run) -> Numbers:
    numbers: Numbers = {}
    figure, axes = panels(len(_WIDTHS), 3, 3.4)
    for row, (name, width) in zip(axes, _WIDTHS.items(), strict=True):
        numbers[name] = {which: [] for which in _TITLES}
        for seed in _SEEDS:
            X, plane, t = roll(run.n, width, seed)
            maps = {
                levels: fit(X, run.max_iter, n_neighbors=9, n_steps=1, n_levels=int(levels), random_state=seed)
                for levels in ("0", "1")
            }
            places = {"plane": plane} | {levels: made.embedding for levels, made in maps.items()}
            for which, points in places.items():
                seconds = sum(maps[which].seconds.values()) if which in maps else None
                numbers[name][which].append(_described(points, plane) | {"seconds": seconds})
            if seed == 0:
                _draw(row, name, places, t)
    save(figure, run.image("swiss-roll"))
    return numbers


def _described(points: np.ndarray, plane: np.ndarray) -> Numbers:
    n_parts, largest = parts(points, 9)
    return {
        "recall": neighbor_recall(plane, points, 9, n_jobs=-1),
        "clumping": clumping(points),
        "parts": n_parts,
        "largest_part": largest,
    }


def _draw(row: np.ndarray, name: str, places: dict[str, np.ndarray], t: np.ndarray) -> None:
    angle = ScalarMappable(Normalize(t.min(), t.max()), "turbo")
    for panel, (which, points) in zip(row, places.items(), strict=True):
        figures.draw_map(panel, points, angle.to_rgba(t), f"{name}: {_TITLES[which]}")
    row[-1].figure.colorbar(angle, ax=row[-1], label="angle along the spiral (radians)", shrink=0.8)


def claims(numbers: Numbers) -> list[Claim]:
    return [claim for name, places in numbers.items() for claim in _claims_of(name, places["0"], places["1"])]


def _claims_of(name: str, none: list[Numbers], one: list[Numbers]) -> tuple[Claim, Claim]:
    held = [f"{found['largest_part']:.1%}" for found in one]
    return (
        Claim(
            f"With l = 1 there are no spurious clusters (Fig. S9): {name}",
            "The largest part of the map's graph of 9 neighbours holds "
            f"{', '.join(held)} of the points (l = 1, {len(one)} seeds)",
            all(found["largest_part"] > _WHOLE for found in one),
            "The paper does not say how wide its roll is",
        ),
        Claim(
            f"The effect of coarse-graining is mild: {name}",
            f"Recall of the 9 neighbours in the true plane, mean over seeds: {_mean(none, 'recall'):.3f} (l = 0), "
            f"{_mean(one, 'recall'):.3f} (l = 1)",
            all(with_it["recall"] > 0.8 * without["recall"] for with_it, without in zip(one, none, strict=True)),
        ),
    )


def _mean(found: list[Numbers], name: str) -> float:
    return float(np.mean([one[name] for one in found]))


def rows(numbers: Numbers) -> list[str]:
    lines = [
        "Clumping is k times the mean of (distance to the first neighbour / distance to the k-th)², for k = "
        f"{_CLUMP}: 1 where points lie at random at any density, less where they crowd into clumps of fewer than k. "
        "Clusters of any size tear the graph of neighbours apart; we call it so where more than "
        f"{1 - _WHOLE:.0%} of the points are torn off.",
        "",
    ]
    return lines + table(
        ["", "recall of 9 true neighbours", "clumping", "parts of the 9-neighbour graph", "in the largest", "seconds"],
        [
            (
                f"{name}: {_TITLES[which]}, seed {seed}",
                f"{found['recall']:.3f}",
                f"{found['clumping']:.2f}",
                found["parts"],
                f"{found['largest_part']:.1%}",
                "" if found["seconds"] is None else f"{found['seconds']:.1f}",
            )
            for name, places in numbers.items()
            for which, some in places.items()
            for seed, found in enumerate(some)
        ],
    )


EXPERIMENT = Experiment(
    "swiss-roll",
    "Swiss roll (Fig. S9)",
    5000,
    500,
    measure,
    claims,
    {"swiss-roll": "The Swiss roll, coloured by the angle along it (k = 9, s = 1)"},
    rows,
)
