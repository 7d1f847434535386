"""How like t-SNE's or UMAP's a map is, in numbers."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable

import numpy as np
from sklearn.manifold import TSNE
from sklearn.metrics import silhouette_score

from benchmarks.figures import limits
from benchmarks.markdown import table
from benchmarks.peers.compiled import keep_compiled
from benchmarks.peers.methods import METHODS
from benchmarks.report import Numbers
from latentmap.quality import neighbor_recall

K = 10
# The measures that tell t-SNE and UMAP apart; recall is no matter of looks.
LOOKS = ("silhouette", "size", "filled")
_PER_SQUARE = 10
# Rows that the silhouette looks at: it goes over all pairs.
_MOST = 5000

Maker = Callable[[np.ndarray], np.ndarray]


def peers(quick: bool) -> dict[str, Maker]:
    """Return what makes a map by t-SNE and, where umap-learn is installed, by UMAP."""
    tsne = TSNE(random_state=0, n_jobs=-1, max_iter=250 if quick else 1000)
    made: dict[str, Maker] = {"t-SNE": tsne.fit_transform}
    umap = METHODS["umap-learn"]
    if not umap.obstacle:
        made["UMAP"] = lambda X: umap.embed(umap.make(0).set_params(n_neighbors=K, random_state=0, n_jobs=1), X)
        if quick:
            importlib.import_module(umap.module)
            keep_compiled(umap.module)
    return made


def measured(X: np.ndarray, y: np.ndarray, make: Maker, is_grouped: bool = True) -> tuple[np.ndarray, Numbers]:
    """Make a map of a table, and return it and its measures, None for those of groups where there are none."""
    start = time.perf_counter()
    points = np.asarray(make(X), dtype=float)
    seconds = time.perf_counter() - start
    some = min(_MOST, len(y))
    return points, {
        "recall": float(neighbor_recall(X, points, K, n_jobs=-1)),
        "silhouette": float(silhouette_score(points, y, sample_size=some, random_state=0)) if is_grouped else None,
        "size": _size(points, y) if is_grouped else None,
        "filled": _filled(points),
        "seconds": round(seconds, 1),
    }


def _size(points: np.ndarray, y: np.ndarray) -> float:
    """Return the mean over groups of their spread, in parts of the distance to the next group's mean."""
    groups = [points[y == group] for group in np.unique(y)]
    means = np.array([own.mean(axis=0) for own in groups])
    apart = np.linalg.norm(means[:, None] - means, axis=2)
    np.fill_diagonal(apart, np.inf)
    spreads = [np.sqrt(np.square(own - mean).sum(axis=1).mean()) for own, mean in zip(groups, means, strict=True)]
    return float(np.mean(np.array(spreads) / apart.min(axis=1)))


def _filled(points: np.ndarray) -> float:
    """Return the share of squares of a grid over a map that have a row."""
    low, high = limits(points, 0.99)
    side = np.sqrt(np.prod(high - low) * _PER_SQUARE / len(points))
    bins = [np.arange(a, b + side, side) for a, b in zip(low, high, strict=True)]
    return float((np.histogram2d(*points.T, bins=bins)[0] > 0).mean())


def nearer(maps: dict[str, Numbers], name: str) -> list[bool]:
    """Return for each measure whether a map is nearer to UMAP's than to t-SNE's; nothing without a map of UMAP."""
    if "UMAP" not in maps:
        return []
    here, one, other = maps[name], maps["t-SNE"], maps["UMAP"]
    return [abs(here[look] - other[look]) < abs(here[look] - one[look]) for look in LOOKS]


def further(maps: dict[str, Numbers], name: str, than: str) -> dict[str, bool]:
    """Return by measure whether a map lies further than another in the direction from t-SNE's to UMAP's."""
    if "UMAP" not in maps:
        return {}
    here, there, one, other = maps[name], maps[than], maps["t-SNE"], maps["UMAP"]
    looks = [look for look in LOOKS if here[look] is not None]
    return {look: (here[look] - there[look]) * (other[look] - one[look]) > 0 for look in looks}


def most(votes: list[bool]) -> bool | None:
    """Return whether three of four are so, which is more than chance gives; None if there are none."""
    return sum(votes) >= 0.75 * len(votes) if votes else None


def said(votes: list[bool]) -> str:
    """Return how many are so."""
    return f"in {sum(votes)} of {len(votes)} measures" if votes else "not known, as umap-learn was not installed"


def rows(maps: dict[str, Numbers], about: str) -> list[str]:
    """Return the table of some maps' measures."""
    lines = [
        (
            name.replace("|", "\\|"),
            *("–" if found[look] is None else f"{found[look]:.3f}" for look in ("recall", *LOOKS)),
            "–" if found["seconds"] is None else f"{found['seconds']:.1f}",
        )
        for name, found in maps.items()
    ]
    return [f"{about}:", "", *table(["map", f"recall of {K}", *LOOKS, "seconds"], lines)]
