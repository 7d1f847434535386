"""Which rows' neighbourhoods a map keeps better than the same method keeps those of noise."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from latentmap.model.lvm import LVM
from latentmap.model.settings import Settings
from latentmap.model.vectors import Metric
from latentmap.quality.known_neighbors import iter_neighbors
from latentmap.quality.known_tails import with_tails_of_map
from latentmap.quality.progress import Progress, finished, iter_map
from latentmap.quality.ranked_rows import RankedRows
from latentmap.quality.row_neighbors import iter_map_neighbors
from latentmap.quality.stretch import random_rows, stretch
from latentmap.quality.validation import checked_fraction, checked_neighbors, checked_pair, whole_number

# A map of fewer rows of noise keeps their neighbourhoods no worse, so that a small null is not milder than a large one;
# but where directions are few it does, since more of the rows lie at the edge.
_FEWEST, _MOST, _FEW_DIRECTIONS = 500, 2000, 5
NULLS = ("auto", "noise", "columns")
"""What a map is held against."""
# Distances between vectors that may point anywhere; Gaussian noise has no place under the others.
_OF_VECTORS = ("euclidean", "l2", "sqeuclidean", "cosine", "correlation", "manhattan", "l1", "cityblock", "chebyshev")
# Rows from which it is seen whether columns depend on each other.
_RANK_ROWS = 1000
_STEPS = 5


class NeighborhoodTest(NamedTuple):
    """Which rows lie on a map where they belong, as far as a test can tell.

    Attributes
    ----------
    agreement : ndarray of shape (n,)
        How well table and map agree on who is near a row: 1 if the neighbours on either side are the nearest on the
        other, 0 if they are as far there as random rows, less if farther.
    null : ndarray of shape (m,)
        The same of a map of noise.
    p_values : ndarray of shape (n,)
        The share of the null that agrees as well as the row.
    is_sure : ndarray of bool, of shape (n,)
        Whether the row agrees better than noise; all other rows are doubtful.
    false_rate : float
        Of the sure rows, at most so large a share is expected to be there by chance.
    """

    agreement: np.ndarray
    null: np.ndarray
    p_values: np.ndarray
    is_sure: np.ndarray
    false_rate: float

    @property
    def sentence(self) -> str:
        """The result in words."""
        n_sure = int(self.is_sure.sum())
        return (
            f"{n_sure} cells sure, {len(self.is_sure) - n_sure} doubtful. Of the sure ones, no more than "
            f"{self.false_rate:.0%} are expected to agree with the data as well by chance."
        )


def neighborhood_test(
    X: ArrayLike,
    Y: ArrayLike,
    estimator: BaseEstimator,
    n_neighbors: int = 15,
    *,
    neighbors: Any = None,
    false_rate: float = 0.05,
    n_null: int | None = None,
    metric: Metric = "euclidean",
    random_state: int | np.random.RandomState = 0,
    n_jobs: int | None = None,
    null: str = "auto",
    callback: Callable[[Progress], Any] | None = None,
) -> NeighborhoodTest:
    """Test which rows' neighbourhoods a map keeps better than the same method keeps those of noise.

    The noise has as many columns as the table, but no direction in which it varies more than in others, and nothing in
    it is near anything else for a reason: what a map shows of it is there by chance. Each row of the real map is held
    against all rows of the map of noise.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The measured table.
    Y : array-like of shape (n, d)
        The map of it.
    estimator : estimator of scikit-learn
        The method that made the map, such as ``LVM()``: a copy of it maps the noise. If it is a fitted
        :class:`latentmap.LVM` of this table, its neighbours are used.
    n_neighbors : int
        The size of the neighbourhood (k), in the table and on the map.
    neighbors : array of int, of shape (n, k), or (indices, distances), optional
        The nearest neighbours of each row, if they are known; then ``n_neighbors`` is ignored.
    false_rate : float
        The false discovery rate among the sure rows.
    n_null : int, optional
        Rows of noise: by default half as many as the table has, at least 500 and at most 2000; if the table has up to
        5 columns, at least 2000 and without limit.
    metric : str or callable
        A metric of scikit-learn, for X.
    random_state : int or RandomState
        Draws the noise, and the random rows.
    n_jobs : int, optional
        Threads, as for :func:`neighbor_recall`.
    null : {"auto", "noise", "columns"}
        "noise" is Gaussian. "columns" shuffles each column of the table on its own: it keeps their values and
        variances, so that a few columns that vary most give a good map even when shuffled, and few rows are sure.
        "auto" is "columns" for functions and for metrics of counts or of yes and no, and "noise" for all others.
    callback : callable, optional
        ``callback(progress)`` is called after each step. If it returns True, :class:`Stopped` is raised.

    Returns
    -------
    NeighborhoodTest
        ``is_sure``, ``p_values`` and a ``sentence``.

    Raises
    ------
    ValueError
        If X and Y differ in their number of rows, contain values that are not finite, or have too few rows.
    Stopped
        If the callback asks for it.

    Notes
    -----
    The agreement of a row is 1 - (s + t) / 2. s says how far its neighbours on the map lie in the table, from 0, as far
    as its true neighbours, to 1, as far as random rows; t says the same of its true neighbours on the map. Its p-value
    is (1 + the number of rows of noise that agree as well) / (1 + their number). The rows are chosen by Benjamini and
    Hochberg's procedure. It controls the rate under positive dependence of the p-values; rows of one map do depend on
    each other, and `docs/trust.md` measures the rate on noise.

    A table of two or three columns is mapped well even if it is noise, and then no row can be sure: the test asks for
    more than chance gives, not for a good map. Columns that vary more than others are structure to this test; so are
    correlations, and it gives a table and its principal components the same null. Columns that are very skewed count as
    structure, too, even if they are independent of each other: for counts that were not transformed take
    ``null="columns"``.

    The ideas are those of EMBEDR (Johnson et al., Patterns 2022, https://doi.org/10.1016/j.patter.2022.100443) and
    scDEED (Xia et al., Nature Communications 2024, https://doi.org/10.1038/s41467-024-45891-y), with another statistic
    and another null.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap import LVM
    >>> from latentmap.quality import neighborhood_test
    >>> rng = np.random.default_rng(0)
    >>> means = rng.normal(scale=4, size=(4, 20))
    >>> X = means[rng.integers(4, size=400)] + rng.normal(size=(400, 20))
    >>> lvm = LVM(max_iter=100).fit(X)
    >>> found = neighborhood_test(X, lvm.embedding_, lvm)
    >>> bool(found.is_sure.mean() > 0.9)
    True
    """
    steps = iter_neighborhood_test(
        X,
        Y,
        estimator,
        n_neighbors,
        neighbors=neighbors,
        false_rate=false_rate,
        n_null=n_null,
        metric=metric,
        random_state=random_state,
        n_jobs=n_jobs,
        null=null,
    )
    return finished(steps, callback)


def iter_neighborhood_test(
    X: ArrayLike,
    Y: ArrayLike,
    estimator: BaseEstimator,
    n_neighbors: int = 15,
    *,
    neighbors: Any = None,
    false_rate: float = 0.05,
    n_null: int | None = None,
    metric: Metric = "euclidean",
    random_state: int | np.random.RandomState = 0,
    n_jobs: int | None = None,
    null: str = "auto",
) -> Generator[Progress, None, NeighborhoodTest]:
    """Test neighbourhoods step by step, as :func:`neighborhood_test` does.

    Yields
    ------
    Progress
        After each step, and in each iteration of the map of noise; closing the generator ends it.

    Returns
    -------
    NeighborhoodTest
    """
    X, Y = checked_pair(X, Y, metric)
    n, rng = len(X), check_random_state(random_state)
    false_rate = checked_fraction(false_rate, "false_rate")
    if null not in NULLS:
        raise ValueError(f"null must be one of {', '.join(NULLS)}, but is {null!r}.")
    limit, reason = n - 1, f"the table has {n} rows, and none is its own neighbour"
    k = whole_number(n_neighbors, "n_neighbors", limit, reason)
    if neighbors is not None:
        k = checked_neighbors(neighbors, n).shape[1]
    n_directions = _directions(X, rng)
    m = _rows_of_null(n, n_directions) if n_null is None else n_null
    m = whole_number(m, "n_null", n, f"the table has {n} rows")
    if m <= k:
        raise ValueError(f"n_null must be above n_neighbors (k), which is {k}, but is {m}.")
    if neighbors is None:
        neighbors = yield from iter_neighbors(X, k, metric, estimator, n_jobs, Progress("neighbours", 0, _STEPS))
    agreement = yield from _agreement(X, Y, neighbors, metric, rng, n_jobs, Progress("the map", 1, _STEPS))
    without = _noise(X, m, n_directions, rng) if _is_gaussian(null, metric) else _shuffled(X, m, rng)
    without_map = yield from iter_map(_with_scales_of(estimator, X), without, "a map of noise", 3, _STEPS)
    near = RankedRows(without, metric, n_jobs).neighbors_of(np.arange(m), k)
    by_chance = yield from _agreement(
        without, without_map, near, metric, rng, n_jobs, Progress("the map of noise", 4, _STEPS)
    )
    by_chance.sort()
    p_values = (1 + m - np.searchsorted(by_chance, agreement)) / (1 + m)
    is_sure = false_discovery_control(p_values) <= false_rate
    return NeighborhoodTest(agreement, by_chance, p_values, is_sure, false_rate)


def _with_scales_of(estimator: BaseEstimator, X: np.ndarray) -> BaseEstimator:
    """Return the method with the length scales that it gives these rows, since those of fewer keep fewer neighbours.

    The tails are those of the map, too, rather than those that noise would get.
    """
    if not isinstance(estimator, LVM):
        return estimator
    scale = Settings.of(estimator).similarity_scale_of(len(X))
    return clone(with_tails_of_map(estimator, X)).set_params(similarity_scale=scale)


def _is_gaussian(null: str, metric: Metric) -> bool:
    return null == "noise" or (null == "auto" and metric in _OF_VECTORS)


def _rows_of_null(n: int, n_directions: int) -> int:
    if n_directions <= _FEW_DIRECTIONS:
        return min(n, max(n // 2, _MOST))
    return min(n, int(np.clip(n // 2, _FEWEST, _MOST)))


def _directions(X: np.ndarray, rng: np.random.RandomState) -> int:
    """Return in how many directions a table varies: copies of columns and constant ones are no directions."""
    sample = X[np.sort(rng.choice(len(X), min(len(X), _RANK_ROWS), replace=False))]
    rank = int(np.linalg.matrix_rank(sample - sample.mean(axis=0)))
    return X.shape[1] if rank == len(sample) - 1 else max(rank, 1)


def _noise(X: np.ndarray, m: int, n_directions: int, rng: np.random.RandomState) -> np.ndarray:
    """Return Gaussian noise of the table's width that varies alike in so many directions."""
    D = X.shape[1]
    noise = np.sqrt(X.var(axis=0).sum() / n_directions) * rng.normal(size=(m, n_directions))
    # The columns stay as many, since the method may count them.
    if n_directions < D:
        noise = noise @ np.linalg.qr(rng.normal(size=(D, n_directions)))[0].T
    return np.asarray(noise)


def _shuffled(X: np.ndarray, m: int, rng: np.random.RandomState) -> np.ndarray:
    return np.column_stack([column[rng.permutation(len(X))[:m]] for column in X.T])


def _agreement(
    X: np.ndarray,
    Y: np.ndarray,
    neighbors: Any,
    metric: Metric,
    rng: np.random.RandomState,
    n_jobs: int | None,
    progress: Progress,
) -> Generator[Progress, None, np.ndarray]:
    """Return how well table and map agree on who is near each row, 1 at best."""
    near = checked_neighbors(neighbors, len(X))
    seen = yield from iter_map_neighbors(Y, near.shape[1], n_jobs, progress)
    random = random_rows(len(X), rng)
    in_table = stretch(X, metric, near, seen, random)
    yield progress
    on_map = stretch(Y, "euclidean", seen, near, random)
    return np.asarray(1 - (in_table + on_map) / 2)
