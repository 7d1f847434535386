"""How well a map preserves the neighbours of each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from latentmap.model.vectors import Metric
from latentmap.quality.ranked_rows import RankedRows, blocks
from latentmap.quality.validation import checked_pair, sampled_rows, whole_number, whole_numbers


def neighbor_recall(
    X: ArrayLike,
    Y: ArrayLike,
    n_neighbors: int = 10,
    r: int | ArrayLike | None = None,
    *,
    n_samples: int | None = None,
    random_state: int | np.random.RandomState = 0,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> float | np.ndarray:
    """Fraction of the true nearest neighbours of each row that are among its r nearest in the map.

    With ``n_neighbors=1`` and several r this is the recall of the first neighbour at r, Fig. 4 of Saul (2020). A map
    unrelated to X has an average recall of r / (n - 1).

    Parameters
    ----------
    X : array-like of shape (n, D)
        The measured table.
    Y : array-like of shape (n, d)
        The map; its distances are Euclidean.
    n_neighbors : int
        The number of true neighbours of each row (k).
    r : int or sequence of int, optional
        Number of nearest rows in the map that count; ``n_neighbors`` by default. All values share one search.
    n_samples : int, optional
        Average over this number of rows, drawn without replacement, instead of all. Their neighbours are still searched
        among all rows.
    random_state : int or RandomState
        Seed of this draw.
    metric : str or callable
        A metric of scikit-learn, for X.
    n_jobs : int, optional
        Threads, as in scikit-learn, if its search accepts that argument; its Euclidean search in more than 15
        dimensions uses all cores. The result is the same for any number.

    Returns
    -------
    float, or ndarray of the shape of r
        Between 0 and 1.

    Raises
    ------
    ValueError
        If X and Y differ in their number of rows, contain values that are not finite, or have too few rows for
        ``n_neighbors`` or r.

    Notes
    -----
    Rows at equal distances rank by row number, in X and in Y.

    References
    ----------
    Saul, L. K. (2020). A tractable latent variable model for nonlinear dimensionality reduction. PNAS 117(27),
    15403-15408. https://doi.org/10.1073/pnas.1916012117

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import neighbor_recall
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> neighbor_recall(X, 5 * X)
    1.0
    >>> recall = neighbor_recall(X, X[:, :2], n_neighbors=1, r=[1, 10, 199])
    >>> recall[0] < recall[1] < recall[2] == 1
    np.True_
    """
    return _recall(*_ranked_pair(X, Y, metric, n_jobs), n_neighbors, r, n_samples, random_state)


def trustworthiness(
    X: ArrayLike,
    Y: ArrayLike,
    n_neighbors: int = 5,
    *,
    n_samples: int | None = None,
    random_state: int | np.random.RandomState = 0,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> float:
    """How reliably neighbours in the map are neighbours in the measured table.

    Each of the ``n_neighbors`` nearest in the map that is not among the nearest in the table is penalised by the number
    of ranks by which it misses them. 1 means that no neighbour in the map is false; a map unrelated to X has about 0.5
    if n is large and ``n_neighbors`` small.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The measured table.
    Y : array-like of shape (n, d)
        The map; its distances are Euclidean.
    n_neighbors : int
        The size of the neighbourhood (k), less than n / 2.
    n_samples : int, optional
        Average over this number of rows, drawn without replacement, instead of all. Ranks are still among all rows.
    random_state : int or RandomState
        Seed of this draw.
    metric : str or callable
        A metric of scikit-learn, for X.
    n_jobs : int, optional
        Threads, as in scikit-learn; each takes about 100 MB. The result is the same for any number.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If X and Y differ in their number of rows, contain values that are not finite, or have too few rows for
        ``n_neighbors``.

    See Also
    --------
    continuity : The same with the roles of X and Y swapped.
    sklearn.manifold.trustworthiness : The same value, with an n x n matrix in memory.

    Notes
    -----
    With r(i, j) the rank of row j among the neighbours of row i in X, and U(i) the k neighbours of i in Y, this is
    1 - 2 / (n k (2n - 3k - 1)) sum_i sum_{j in U(i)} max(0, r(i, j) - k). Rows at equal distances rank by row number.

    References
    ----------
    Venna, J. & Kaski, S. (2001). Neighborhood preservation in nonlinear projection methods: an experimental study.
    ICANN 2001, 485-491. https://doi.org/10.1007/3-540-44668-0_68

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import trustworthiness
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> trustworthiness(X, -X)
    1.0
    >>> 0.5 < trustworthiness(X, X[:, :2]) < 1
    True
    """
    return _trust(*_ranked_pair(X, Y, metric, n_jobs), n_neighbors, n_samples, random_state)


def recall_and_trustworthiness(
    X: ArrayLike,
    Y: ArrayLike,
    n_neighbors: int = 10,
    *,
    n_samples: int | None = None,
    random_state: int | np.random.RandomState = 0,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> tuple[float, float]:
    """Return :func:`neighbor_recall` and :func:`trustworthiness`, for which the rows are read once.

    Parameters
    ----------
    X, Y, n_neighbors, n_samples, random_state, metric, n_jobs
        As for :func:`trustworthiness`.

    Returns
    -------
    recall, trust : float
        Each between 0 and 1.

    Raises
    ------
    ValueError
        As for :func:`trustworthiness`.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import recall_and_trustworthiness
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> recall_and_trustworthiness(X, -X)
    (1.0, 1.0)
    """
    table, embedding = _ranked_pair(X, Y, metric, n_jobs)
    recall = _recall(table, embedding, n_neighbors, None, n_samples, random_state)
    return float(recall), _trust(table, embedding, n_neighbors, n_samples, random_state)


def continuity(
    X: ArrayLike,
    Y: ArrayLike,
    n_neighbors: int = 5,
    *,
    n_samples: int | None = None,
    random_state: int | np.random.RandomState = 0,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> float:
    """How reliably neighbours in the measured table remain neighbours in the map.

    This is :func:`trustworthiness` with the roles of table and map swapped: neighbourhoods that the map tears apart
    lower the continuity, distant rows that it places together lower the trustworthiness.

    Parameters
    ----------
    X : array-like of shape (n, D)
        The measured table.
    Y : array-like of shape (n, d)
        The map; its distances are Euclidean.
    n_neighbors : int
        The size of the neighbourhood (k), less than n / 2.
    n_samples : int, optional
        Average over this number of rows, drawn without replacement, instead of all. Ranks are still among all rows.
    random_state : int or RandomState
        Seed of this draw.
    metric : str or callable
        A metric of scikit-learn, for X.
    n_jobs : int, optional
        Threads, as in scikit-learn; each takes about 100 MB. The result is the same for any number.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        As for :func:`trustworthiness`.

    References
    ----------
    Venna, J. & Kaski, S. (2001). Neighborhood preservation in nonlinear projection methods: an experimental study.
    ICANN 2001, 485-491. https://doi.org/10.1007/3-540-44668-0_68

    Examples
    --------
    A circle that is cut open and straightened is torn at one point, while no distant rows come together.

    >>> import numpy as np
    >>> from latentmap.quality import continuity, trustworthiness
    >>> angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)[:, None]
    >>> circle = np.hstack([np.cos(angle), np.sin(angle)])
    >>> continuity(circle, angle) < trustworthiness(circle, angle)
    True
    """
    table, embedding = _ranked_pair(X, Y, metric, n_jobs)
    return _trust(embedding, table, n_neighbors, n_samples, random_state)


def _ranked_pair(X: ArrayLike, Y: ArrayLike, metric: Metric, n_jobs: int | None) -> tuple[RankedRows, RankedRows]:
    X, Y = checked_pair(X, Y, metric)
    return RankedRows(X, metric, n_jobs), RankedRows(Y, "euclidean", n_jobs)


def _recall(
    table: RankedRows,
    embedding: RankedRows,
    n_neighbors: int,
    r: int | ArrayLike | None,
    n_samples: int | None,
    random_state: int | np.random.RandomState,
) -> float | np.ndarray:
    n = len(table.points)
    limit, reason = n - 1, f"the table has {n} rows, and none is its own neighbour"
    n_neighbors = whole_number(n_neighbors, "n_neighbors", limit, reason)
    ranks = whole_numbers(n_neighbors if r is None else r, "r", limit, reason)
    rows = sampled_rows(n, n_samples, random_state)
    hits = np.zeros(ranks.max(), dtype=np.int64)
    for block in blocks(len(rows), len(hits)):
        first_id = n * np.arange(len(rows[block]))[:, None]
        true = first_id + table.neighbors_of(rows[block], n_neighbors)
        found = first_id + embedding.neighbors_of(rows[block], len(hits))
        hits += np.isin(found, true, assume_unique=True).sum(axis=0)
    recall = np.cumsum(hits)[ranks - 1] / (len(rows) * n_neighbors)
    return recall if recall.ndim else float(recall)


def _trust(
    table: RankedRows,
    embedding: RankedRows,
    n_neighbors: int,
    n_samples: int | None,
    random_state: int | np.random.RandomState,
) -> float:
    n = len(table.points)
    # Beyond n / 2, the normaliser is no longer the worst case.
    k = whole_number(n_neighbors, "n_neighbors", (n - 1) // 2, f"less than half of the {n} rows")
    rows = sampled_rows(n, n_samples, random_state)
    ranks = table.ranks(rows, embedding.neighbors_of(rows, k))
    return float(1 - 2 * np.maximum(ranks - k, 0).sum() / (len(rows) * k * (2 * n - 3 * k - 1)))
