"""Whether the second place of a cell is one where it belongs."""

from __future__ import annotations

import time

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.markdown import table
from benchmarks.report import Numbers, Run
from benchmarks.trust import made_up
from latentmap import LVM
from latentmap.quality import OtherPlaces, other_places

_SHOWN = 20
# What counts as a second place.
_ODDS = 0.05


def measure(run: Run) -> Numbers:
    seeds = range(1 if run.quick else 3)
    return {
        "iterations": None,
        "ring": [_ring(run.n, seed) for seed in seeds],
        "moved": [_moved(run.n, seed) for seed in seeds],
        "bridge": [_bridge(run.n, seed) for seed in seeds],
    }


def _ring(n: int, seed: int) -> Numbers:
    """A ring torn open by hand: which cells have a second place, and whether it is at the other end."""
    made, angle = made_up.ring(n, seed)
    lvm = _adopted(made.X, made_up.opened(angle, seed))
    from_tear = np.minimum(angle, 2 * np.pi - angle)
    order = np.argsort(from_tear)
    start = time.perf_counter()
    at_tear, amid = (_second(lvm, rows) for rows in (order[:_SHOWN], order[-_SHOWN:]))
    seconds = (time.perf_counter() - start) / (2 * _SHOWN)
    ends = [
        (places.positions[1:, 0] < 3 * np.pi) != (angle[row] < np.pi)
        for row, places in zip(order[:_SHOWN], at_tear, strict=True)
    ]
    spacing = NearestNeighbors(n_neighbors=15).fit(lvm.embedding_).kneighbors()[0].mean(axis=1)
    return {
        "at_tear": float(np.mean([len(places.odds) > 1 for places in at_tear])),
        "other_end": float(np.mean([end.any() for end in ends])),
        "amid": float(np.mean([len(places.odds) > 1 for places in amid])),
        "by_spacing": float(np.mean(spacing[order[:_SHOWN]] > np.quantile(spacing, 1 - _SHOWN / n))),
        "seconds": seconds,
    }


def _moved(n: int, seed: int) -> Numbers:
    """Cells moved on the map to another group: whether the likeliest place is back among their own."""
    made = made_up.separate(n, seed)
    lvm = LVM().fit(made.X)
    Y, rows = made_up.moved(lvm.embedding_, _SHOWN / n, seed)
    nearest = NearestNeighbors(n_neighbors=5).fit(np.delete(Y, rows, 0))
    kinds = np.delete(made.groups, rows)
    lies_in = kinds[nearest.kneighbors(Y[rows], return_distance=False)]
    rows = rows[(lies_in != made.groups[rows, None]).all(axis=1)]
    adopted = _adopted(made.X, Y)
    best = np.array([other_places(adopted, row).positions[0] for row in rows])
    back = kinds[nearest.kneighbors(best, return_distance=False)]
    return {"moved": len(rows), "back": float(np.mean((back == made.groups[rows, None]).mean(axis=1) > 0.5))}


def _bridge(n: int, seed: int) -> Numbers:
    made = made_up.bridge(n, seed)
    lvm = LVM().fit(made.X)
    doublets, others = (np.flatnonzero(chosen)[:_SHOWN] for chosen in (made.groups == 2, made.groups != 2))
    return {
        name: float(np.mean([len(places.odds) > 1 for places in _second(lvm, rows)]))
        for name, rows in (("doublets", doublets), ("others", others))
    }


def _adopted(X: np.ndarray, Y: np.ndarray) -> LVM:
    """Return an estimator that has this map for its own, in the size that is likeliest."""
    made = LVM().fit(X)
    init = made.embedding_.std() / Y.std() * Y, made.variances_
    start = next(step.state for step in LVM(init=init).iter_fit(X) if step.state)
    return LVM().restore(X, start.embedding, start.variances, made.n_iter_)


def _second(lvm: LVM, rows: np.ndarray) -> list[OtherPlaces]:
    """Return the places of each of some cells whose odds are not negligible."""
    found = [other_places(lvm, row) for row in rows]
    return [OtherPlaces(places.positions[places.odds >= _ODDS], places.odds[places.odds >= _ODDS]) for places in found]


def lines(numbers: Numbers) -> list[str]:
    def mean(case: str, key: str) -> float:
        return float(np.mean([one[key] for one in numbers[case]]))

    counts, back = ([one[key] for one in numbers["moved"]] for key in ("moved", "back"))
    rows = [
        (
            f"a ring torn open by hand: the {_SHOWN} cells at the tear",
            f"{mean('ring', 'at_tear'):.0%}, at the other end {mean('ring', 'other_end'):.0%}",
        ),
        (f"the {_SHOWN} cells farthest from the tear", f"{mean('ring', 'amid'):.0%}"),
        ("doublets of two types, which have a place between them", f"{mean('bridge', 'doublets'):.0%}"),
        ("cells of these types", f"{mean('bridge', 'others'):.0%}"),
    ]
    return [
        f"A second place counts if its odds are .05 or more. Of as many cells with the widest spacing, "
        f"{mean('ring', 'by_spacing'):.0%} are those at the tear.",
        "",
        *table(["cells", "with a second place"], rows),
        f"Of {sum(counts)} cells that were moved by hand into another group, {np.average(back, weights=counts):.0%} "
        f"have their likeliest place back in their own. One cell takes {mean('ring', 'seconds'):.2f} s.",
        "",
    ]
