"""How well the classes of rows can be predicted from their positions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import check_cv

from latentmap.model.vectors import Metric
from latentmap.quality.ranked_rows import RankedRows
from latentmap.quality.validation import checked_classes, whole_numbers


def knn_error(
    Y_train: ArrayLike,
    y_train: ArrayLike,
    Y_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    n_neighbors: int | ArrayLike = 1,
    *,
    cv: Any = 5,
    metric: Metric = "euclidean",
    n_jobs: int | None = None,
) -> float | np.ndarray:
    """Fraction of the rows whose class differs from that of most of their nearest labelled neighbours.

    Parameters
    ----------
    Y_train : array-like of shape (n, d)
        Positions on the map, or any other table, of rows with known classes.
    y_train : array-like of shape (n,)
        Their classes: numbers, words or categories.
    Y_test, y_test : array-like of shapes (m, d) and (m,), optional
        Rows to classify by the others. Without them, the error of ``Y_train`` is cross-validated.
    n_neighbors : int or sequence of int
        Number of neighbours that vote (k). All values share one search.
    cv : int or splitter of scikit-learn
        How to cross-validate; only used without a test set. A number means stratified folds in the order of the rows,
        as in scikit-learn, without randomness.
    metric : str or callable
        A metric of scikit-learn.
    n_jobs : int, optional
        Threads, as for :func:`neighbor_recall`. The result is the same for any number.

    Returns
    -------
    float, or ndarray of the shape of n_neighbors
        The error as a fraction between 0 and 1, of all classified rows together if cross-validated.

    Raises
    ------
    ValueError
        If rows and classes differ in number, a value is not finite, a class is missing, only one of ``Y_test`` and
        ``y_test`` is given, or there are fewer training rows than ``n_neighbors``.

    Notes
    -----
    If several classes have the same number of votes, the one that sorts first wins, as in
    :class:`sklearn.neighbors.KNeighborsClassifier`. Neighbours at equal distances are taken in the order of the rows.
    The 1-nearest-neighbour error on the test set of MNIST is the measure of Fig. 3 of Saul (2020),
    https://doi.org/10.1073/pnas.1916012117.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import knn_error
    >>> y = np.repeat(["interphase", "mitotic"], 50)
    >>> Y = np.random.default_rng(0).normal(size=(100, 2)) + 6 * (y == "mitotic")[:, None]
    >>> knn_error(Y, y)
    0.0
    >>> knn_error(Y[::2], y[::2], Y[1::2], y[1::2], n_neighbors=[1, 5])
    array([0., 0.])
    """
    Y_train, y_train = checked_classes(Y_train, y_train, metric, ("Y_train", "y_train"))
    if (Y_test is None) != (y_test is None):
        raise ValueError("Give both Y_test and y_test, or neither for a cross-validated error.")
    if Y_test is None:
        folds = list(check_cv(cv, y_train, classifier=True).split(Y_train, y_train))
        Y_all, y_all = Y_train, y_train
    else:
        Y_test, y_test = checked_classes(Y_test, y_test, metric, ("Y_test", "y_test"))
        if Y_test.shape[1] != Y_train.shape[1]:
            raise ValueError(
                f"Y_train has {Y_train.shape[1]} columns and Y_test has {Y_test.shape[1]}, but both must be on one map."
            )
        Y_all, y_all = np.concatenate([Y_train, Y_test]), np.concatenate([y_train, y_test])
        folds = [(np.arange(len(Y_train)), np.arange(len(Y_train), len(Y_all)))]
    smallest = min(len(train) for train, _ in folds)
    k = whole_numbers(n_neighbors, "n_neighbors", smallest, f"there are {smallest} training rows")
    classes, codes = np.unique(y_all, return_inverse=True)
    wrong = np.zeros(k.shape)
    for train, test in folds:
        votes = codes[train][RankedRows(Y_all[train], metric, n_jobs).neighbors(Y_all[test], k.max())]
        for place, n_votes in np.ndenumerate(k):
            wrong[place] += np.count_nonzero(_winners(votes[:, :n_votes], len(classes)) != codes[test])
    error = wrong / sum(len(test) for _, test in folds)
    return error if error.ndim else float(error)


def _winners(votes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the class with the most votes in each row, the first if several tie."""
    ballots = n_classes * np.arange(len(votes))[:, None] + votes
    counts = np.bincount(ballots.ravel(), minlength=n_classes * len(votes))
    return np.asarray(counts.reshape(len(votes), n_classes).argmax(axis=1))
