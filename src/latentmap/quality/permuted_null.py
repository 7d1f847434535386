"""Which rows' neighbourhoods a map keeps better than it would keep those of a table without any structure."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import false_discovery_control
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from latentmap.model.vectors import Metric
from latentmap.quality.ranked_rows import RankedRows
from latentmap.quality.row_neighbors import map_neighbors
from latentmap.quality.stretch import random_rows, stretch
from latentmap.quality.validation import checked_fraction, checked_neighbors, checked_pair, whole_number

# The null is a map of at most a quarter of the rows, but of this many where there are so many.
_SHARE_OF_ROWS, _FEW_ROWS = 4, 2000


class NeighborhoodTest(NamedTuple):
    """Which rows lie on a map where they belong, as far as a test can tell.

    Attributes
    ----------
    agreement : ndarray of shape (n,)
        How well table and map agree on who is near a row: 1 if the neighbours on either side are the nearest on the
        other, 0 if they are as far there as random rows, less if farther.
    null : ndarray of shape (m,)
        The same of a map of the table with its columns shuffled.
    p_values : ndarray of shape (n,)
        The share of the null that agrees as well as the row.
    is_sure : ndarray of bool, of shape (n,)
        Whether the row agrees better than chance; all other rows are doubtful.
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
) -> NeighborhoodTest:
    """Test which rows' neighbourhoods a map keeps better than those of a table with shuffled columns.

    Every column is shuffled on its own. The shuffled table has the same values, but nothing in it is related to
    anything else, and what a map shows of it is there by chance. It is mapped by the same method, and each row of the
    real map is held against all of its rows.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The measured table.
    Y : array-like of shape (n, d)
        The map of it.
    estimator : estimator of scikit-learn
        The method that made the map, such as ``LVM()``: a copy of it maps the shuffled table.
    n_neighbors : int
        The size of the neighbourhood (k), in the table and on the map.
    neighbors : array of int, of shape (n, k), or (indices, distances), optional
        The nearest neighbours of each row, if they are known; then ``n_neighbors`` is ignored.
    false_rate : float
        The false discovery rate among the sure rows.
    n_null : int, optional
        Rows of the shuffled table: by default all up to 2000, and a quarter of those beyond 8000.
    metric : str or callable
        A metric of scikit-learn, for X.
    random_state : int or RandomState
        Shuffles the columns, and draws the random rows.
    n_jobs : int, optional
        Threads, as for :func:`neighbor_recall`.

    Returns
    -------
    NeighborhoodTest
        ``is_sure``, ``p_values`` and a ``sentence``.

    Raises
    ------
    ValueError
        If X and Y differ in their number of rows, contain values that are not finite, or have too few rows.

    Notes
    -----
    The agreement of a row is 1 - (s + t) / 2. s says how far its neighbours on the map lie in the table, from 0, as far
    as its true neighbours, to 1, as far as random rows; t says the same of its true neighbours on the map. Its p-value
    is (1 + the number of shuffled rows that agree as well) / (1 + their number). The rows are chosen by Benjamini and
    Hochberg's procedure. It controls the rate under positive dependence of the p-values; rows of one map do depend on
    each other, and `docs/trust.md` measures the rate on noise.

    A table of few columns is mapped well even when shuffled, and then no row can be sure: the test asks for more than
    chance gives, not for a good map. Shuffling principal components keeps their variances.

    The ideas are those of EMBEDR (Johnson et al., Patterns 2022, https://doi.org/10.1016/j.patter.2022.100443) and
    scDEED (Xia et al., Nature Communications 2024, https://doi.org/10.1038/s41467-024-45891-y), with another statistic.

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
    X, Y = checked_pair(X, Y, metric)
    n, rng = len(X), check_random_state(random_state)
    false_rate = checked_fraction(false_rate, "false_rate")
    limit, reason = n - 1, f"the table has {n} rows, and none is its own neighbour"
    k = whole_number(n_neighbors, "n_neighbors", limit, reason)
    if neighbors is None:
        near = RankedRows(X, metric, n_jobs).neighbors_of(np.arange(n), k)
    else:
        near = checked_neighbors(neighbors, n)
        k = near.shape[1]
    m = min(n, max(_FEW_ROWS, n // _SHARE_OF_ROWS)) if n_null is None else n_null
    m = whole_number(m, "n_null", n, f"the table has {n} rows")
    if m <= k:
        raise ValueError(f"n_null must be above n_neighbors (k), which is {k}, but is {m}.")
    agreement = _agreement(X, Y, near, metric, rng, n_jobs)
    shuffled = np.column_stack([column[rng.permutation(n)[:m]] for column in X.T])
    null_map = np.asarray(clone(estimator).fit_transform(shuffled), float)
    null_near = RankedRows(shuffled, metric, n_jobs).neighbors_of(np.arange(m), k)
    null = np.sort(_agreement(shuffled, null_map, null_near, metric, rng, n_jobs))
    p_values = (1 + m - np.searchsorted(null, agreement)) / (1 + m)
    return NeighborhoodTest(agreement, null, p_values, false_discovery_control(p_values) <= false_rate, false_rate)


def _agreement(
    X: np.ndarray, Y: np.ndarray, near: np.ndarray, metric: Metric, rng: np.random.RandomState, n_jobs: int | None
) -> np.ndarray:
    """Return how well table and map agree on who is near each row, 1 at best."""
    seen, random = map_neighbors(Y, near.shape[1], n_jobs), random_rows(len(X), rng)
    in_table, on_map = stretch(X, metric, near, seen, random), stretch(Y, "euclidean", seen, near, random)
    return np.asarray(1 - (in_table + on_map) / 2)
