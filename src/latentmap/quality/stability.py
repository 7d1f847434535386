"""How much of each cell's neighbourhood on the map stays when the map is made again."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from latentmap.quality.known_tails import with_tails_of_map
from latentmap.quality.map_changes import iter_seed_changes
from latentmap.quality.progress import Progress, finished, iter_map
from latentmap.quality.row_neighbors import iter_map_neighbors, shared
from latentmap.quality.validation import checked_table, whole_number

# Of two maps that each leave out a share of the cells, the rest must be enough to speak of.
_FEWEST_MAPS = 3


def neighbor_stability(
    estimator: BaseEstimator,
    X: ArrayLike,
    n_neighbors: int = 15,
    *,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    leave_out: bool = False,
    n_jobs: int | None = None,
    callback: Callable[[Progress], Any] | None = None,
) -> np.ndarray:
    """Share of each cell's neighbours on the map that stay when the map is made again with another seed.

    A map is made for each seed. For each pair of these maps, it is counted how many of a cell's k nearest neighbours on
    one are among its k nearest on the other; the score is the mean of these shares over all pairs.

    Parameters
    ----------
    estimator : estimator of scikit-learn
        The method, which has a ``random_state``.
    X : array-like of shape (n, D)
        The measured table.
    n_neighbors : int
        Number of neighbours (k).
    seeds : sequence of int
        The seeds, at least two. Each takes a fit.
    leave_out : bool
        Whether each of the m maps leaves out another m-th of the cells, drawn at random, so that what is measured is
        how much depends on which cells were sampled, too. Then at least three seeds are needed, each cell is on all
        maps but one, and neighbours are those among the cells that both maps of a pair have.
    n_jobs : int, optional
        Threads, as for :func:`neighbor_recall`. The result is the same for any number.
    callback : callable, optional
        ``callback(progress)`` is called in each iteration of each fit. If it returns True, :class:`Stopped` is raised.

    Returns
    -------
    ndarray of shape (n,)
        From 0, no neighbour stays, to 1, all do.

    Raises
    ------
    ValueError
        If there are too few seeds, or too few cells for that many neighbours.
    Stopped
        If the callback asks for it.

    Notes
    -----
    This says how far a neighbourhood can be reproduced, not whether it is right: a map that errs does so with every
    seed. `docs/trust.md` measures what the score adds to the spacing of the map. Up to 1024 rows ``LVM()`` makes the
    same map for every seed, so that only ``leave_out=True`` tells anything.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentmap import LVM
    >>> from latentmap.quality import neighbor_stability
    >>> kept = neighbor_stability(LVM(max_iter=20), load_iris().data, seeds=(0, 1, 2), leave_out=True)
    >>> kept.shape, bool(0 < kept.mean() < 1)
    ((150,), True)
    """
    steps = iter_neighbor_stability(estimator, X, n_neighbors, seeds=seeds, leave_out=leave_out, n_jobs=n_jobs)
    return finished(steps, callback)


def iter_neighbor_stability(
    estimator: BaseEstimator,
    X: ArrayLike,
    n_neighbors: int = 15,
    *,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    leave_out: bool = False,
    n_jobs: int | None = None,
) -> Generator[Progress, None, np.ndarray]:
    """Measure the stability of neighbourhoods step by step, as :func:`neighbor_stability` does.

    Yields
    ------
    Progress
        In each iteration of each fit, and after each block of rows; closing the generator ends it.

    Returns
    -------
    ndarray of shape (n,)
    """
    if not leave_out:
        changes = yield from iter_seed_changes(estimator, X, n_neighbors, seeds=seeds, n_jobs=n_jobs)
        return np.asarray(1 - changes.mean(axis=0))
    if len(set(seeds)) < _FEWEST_MAPS:
        raise ValueError(
            f"seeds must have at least {_FEWEST_MAPS} different numbers, because each map leaves out some of the "
            f"cells, but is {seeds!r}."
        )
    if getattr(estimator, "metric", "") == "precomputed":
        raise ValueError("Cells can only be left out of a table of features, but these are distances.")
    table = checked_table(X, "X", "euclidean")
    n, m = len(table), len(seeds)
    left_out_of = np.random.default_rng(seeds[0]).permutation(n) % m
    fewest = n - 2 * int(np.ceil(n / m))
    whole_number(n_neighbors, "n_neighbors", max(fewest - 1, 1), f"two maps share {fewest} of the {n} cells")
    estimator, pairs = with_tails_of_map(estimator, table), list(combinations(range(m), 2))
    total, maps = m + len(pairs), []
    for number, seed in enumerate(seeds):
        of_seed = clone(estimator).set_params(random_state=seed)
        rows = left_out_of != number
        made = yield from iter_map(of_seed, table[rows], f"map {number + 1} of {m}", number, total)
        positions = np.full((n, made.shape[1]), np.nan)
        positions[rows] = checked_table(made, f"the map of seed {seed}", "euclidean")
        maps.append(positions)
    kept = np.zeros(n)
    for number, (one, other) in enumerate(pairs):
        both = (left_out_of != one) & (left_out_of != other)
        step = Progress("neighbours on two maps", m + number, total)
        here = yield from iter_map_neighbors(maps[one][both], n_neighbors, n_jobs, step)
        there = yield from iter_map_neighbors(maps[other][both], n_neighbors, n_jobs, step)
        kept[both] += shared(here, there) / n_neighbors
    return kept / ((m - 1) * (m - 2) / 2)
