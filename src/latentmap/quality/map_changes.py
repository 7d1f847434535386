"""Which cells have other neighbours on another map."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control
from sklearn.base import BaseEstimator, clone

from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.validation import read_inputs, read_table
from latentmap.quality.progress import Progress, finished, iter_map
from latentmap.quality.row_neighbors import iter_map_neighbors, map_neighbors, shared
from latentmap.quality.validation import checked_fraction, checked_table


class MapChanges(NamedTuple):
    """How the neighbours of each cell change from one map to another.

    Attributes
    ----------
    changed : ndarray of shape (n,)
        The share of a cell's neighbours on one map that are not its neighbours on the other.
    p_values : ndarray of shape (n,)
        The share of the changes between maps of other seeds that exceed what is usual for their cell by as much.
    is_changed : ndarray of bool, of shape (n,)
        Whether the cell has changed more than seeds explain.
    false_rate : float
        Of the changed cells, at most so large a share is expected to be a matter of seeds.
    """

    changed: np.ndarray
    p_values: np.ndarray
    is_changed: np.ndarray
    false_rate: float

    @property
    def sentence(self) -> str:
        """The result in words."""
        return (
            f"{int(self.is_changed.sum())} of {len(self.changed)} cells have changed their neighbours more than "
            f"another seed does; {self.changed.mean():.0%} of all neighbours have changed."
        )


def changed_neighbors(
    Y: ArrayLike, other: ArrayLike, n_neighbors: int = 15, *, n_jobs: int | None = None
) -> np.ndarray:
    """Share of each cell's nearest neighbours on one map that are not among its nearest on another map.

    Parameters
    ----------
    Y, other : array-like of shapes (n, d) and (n, e)
        Two maps of the same cells, in the same order.
    n_neighbors : int
        Number of neighbours (k).
    n_jobs : int, optional
        Threads, as for :func:`neighbor_recall`.

    Returns
    -------
    ndarray of shape (n,)
        From 0 to 1.

    Raises
    ------
    ValueError
        If the maps differ in their number of cells, or have values that are not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import changed_neighbors
    >>> Y = np.random.default_rng(0).normal(size=(100, 2))
    >>> float(changed_neighbors(Y, 2 - 3 * Y).max())
    0.0
    """
    lists = _lists([Y, other], n_neighbors, n_jobs)
    return _changed(*lists)


def seed_changes(
    estimator: BaseEstimator,
    X: ArrayLike,
    n_neighbors: int = 15,
    *,
    seeds: Sequence[int] = (1, 2, 3),
    Y: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    n_jobs: int | None = None,
    callback: Callable[[Progress], Any] | None = None,
) -> np.ndarray:
    """Share of each cell's neighbours on the map that another seed changes, for each pair of seeds.

    One minus its mean over the pairs says how stable each cell's neighbourhood is. With a map Y, it is the share of the
    neighbours on this map that each of the seeds changes, which :func:`compare_maps` needs.

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
    Y : array-like of shape (n, d), optional
        A map of these cells with another seed.
    rows : array-like of int, of shape (m,), optional
        The cells among which neighbours are looked for; by default all.
    n_jobs : int, optional
        Threads, as for :func:`neighbor_recall`.
    callback : callable, optional
        ``callback(progress)`` is called in each iteration of each fit. If it returns True, :class:`Stopped` is raised.

    Returns
    -------
    ndarray of shape (n_pairs, n), or (n_seeds, n) with Y; m columns with rows
        From 0 to 1.

    Raises
    ------
    ValueError
        If there are fewer than two seeds, or Y has another number of cells.
    Stopped
        If the callback asks for it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentmap import LVM
    >>> from latentmap.quality import seed_changes
    >>> seed_changes(LVM(max_iter=20), load_iris().data, seeds=(1, 2)).shape
    (1, 150)
    """
    steps = iter_seed_changes(estimator, X, n_neighbors, seeds=seeds, Y=Y, rows=rows, n_jobs=n_jobs)
    return finished(steps, callback)


def iter_seed_changes(
    estimator: BaseEstimator,
    X: ArrayLike,
    n_neighbors: int = 15,
    *,
    seeds: Sequence[int] = (1, 2, 3),
    Y: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> Generator[Progress, None, np.ndarray]:
    """Compare maps of several seeds step by step, as :func:`seed_changes` does.

    Yields
    ------
    Progress
        In each iteration of each fit, and after each block of rows; closing the generator ends it.

    Returns
    -------
    ndarray of shape (n_pairs, n), or (n_seeds, n) with Y; m columns with rows
    """
    if len(set(seeds)) < 2:
        raise ValueError(f"seeds must have at least two different numbers, but is {seeds!r}.")
    own = None if Y is None else checked_table(Y, "Y", "euclidean")
    lists, total = [], 2 * len(seeds)
    among = slice(None) if rows is None else np.asarray(rows)
    table: Any = X
    if isinstance(estimator, IterativeMethod):
        # One check serves all seeds, and so does an exact search of neighbours.
        table = read_inputs(read_table(X, estimator, estimator._is_precomputed), X, estimator, neighbors="auto")
    for number, seed in enumerate(seeds):
        of_seed = clone(estimator).set_params(random_state=seed)
        made = yield from iter_map(of_seed, table, f"map {number + 1} of {len(seeds)}", 2 * number, total)
        made = checked_table(made, f"the map of seed {seed}", "euclidean")
        if own is not None and len(own) != len(made):
            raise ValueError(f"Y has {len(own)} cells, but the maps of other seeds have {len(made)}: give the same.")
        step = Progress("neighbours on the map", 2 * number + 1, total)
        near = yield from iter_map_neighbors(made[among], n_neighbors, n_jobs, step)
        lists.append(near)
    if own is not None:
        near = map_neighbors(own[among], n_neighbors, n_jobs)
        return np.array([_changed(near, other) for other in lists])
    return np.array([_changed(one, other) for one, other in combinations(lists, 2)])


def compare_maps(
    Y: ArrayLike,
    other: ArrayLike,
    by_seed: ArrayLike,
    n_neighbors: int = 15,
    *,
    false_rate: float = 0.05,
    n_jobs: int | None = None,
) -> MapChanges:
    """Find the cells whose neighbours differ between two maps by more than another seed changes.

    Parameters
    ----------
    Y, other : array-like of shapes (n, d) and (n, e)
        Two maps of the same cells, in the same order: with two k, by two methods, or one made elsewhere.
    by_seed : array-like of shape (n_pairs, n)
        What :func:`seed_changes` returns for Y and its method, with the same number of neighbours: the changes between
        Y and maps with other seeds. Changes between these maps alone say less of Y, and more cells seem to have changed
        than have.
    n_neighbors : int
        Number of neighbours (k).
    false_rate : float
        The false discovery rate among the changed cells.
    n_jobs : int, optional
        Threads, as for :func:`neighbor_recall`.

    Returns
    -------
    MapChanges
        ``is_changed``, ``changed`` and a ``sentence``.

    Raises
    ------
    ValueError
        If the maps differ in their number of cells, or have values that are not finite.

    Notes
    -----
    Some cells change most of their neighbours with every seed, others hardly any. So each cell's change is counted from
    its own mean change by seed. Its p-value is (1 + the number of changes by seed, over all cells and pairs, that
    exceed the mean of the other pairs by as much) / (1 + their number). With m pairs, what they exceed it by counts
    sqrt(1 - 1 / m²) times, since a mean of fewer pairs is less exact; with a single pair there is no such mean, and
    changes count as they are. Benjamini and Hochberg's procedure chooses the cells. With few pairs of seeds it
    cannot choose few cells: with m pairs, it finds 20 / m or more, or none. Up to 1024 rows ``LVM()`` makes the same
    map for every seed, and then a single neighbour that has changed is more than a seed explains.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import changed_neighbors, compare_maps
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.normal(size=(400, 2))
    >>> by_seed = [changed_neighbors(Y, Y + 0.01 * rng.normal(size=Y.shape)) for _ in range(5)]
    >>> other = Y.copy()
    >>> other[:10] = rng.normal(size=(10, 2))
    >>> compare_maps(Y, other, by_seed).is_changed[:10].sum() >= 8
    np.True_
    """
    false_rate = checked_fraction(false_rate, "false_rate")
    changed = changed_neighbors(Y, other, n_neighbors, n_jobs=n_jobs)
    usual, null = _beyond_usual(np.atleast_2d(np.asarray(by_seed, float)))
    # Shares of the same count may differ in their last digit.
    p_values = (1 + len(null) - np.searchsorted(null, changed - usual - 1e-9)) / (1 + len(null))
    return MapChanges(changed, p_values, false_discovery_control(p_values) <= false_rate, false_rate)


def _beyond_usual(by_seed: np.ndarray) -> tuple[np.ndarray | float, np.ndarray]:
    """Return the usual change of each cell, and, in order, by how much each change exceeds that of the other pairs."""
    m = len(by_seed)
    if m == 1:
        return 0.0, np.sort(by_seed[0])
    others = (by_seed.sum(axis=0) - by_seed) / (m - 1)
    # A change varies about the mean of the others by 1 + 1 / (m - 1), about that of all by 1 + 1 / m.
    narrower = np.sqrt(1 - 1 / m**2)
    return by_seed.mean(axis=0), narrower * np.sort((by_seed - others).ravel())


def _lists(maps: Sequence[ArrayLike], n_neighbors: int, n_jobs: int | None) -> list[np.ndarray]:
    tables = [checked_table(Y, f"map {number}", "euclidean") for number, Y in enumerate(maps, 1)]
    if len({len(table) for table in tables}) > 1:
        raise ValueError(
            f"The maps have {' and '.join(str(len(table)) for table in tables)} cells: give the same ones."
        )
    return [map_neighbors(table, n_neighbors, n_jobs) for table in tables]


def _changed(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.asarray(1 - shared(one, other) / one.shape[1])
