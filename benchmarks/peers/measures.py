"""How good a map is: the same measures for all methods."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.data_sets import DataSet
from benchmarks.stored import memory
from latentmap.quality import knn_error, random_triplet_accuracy, trustworthiness
from latentmap.quality.ranked_rows import RankedRows

N_NEIGHBORS = 10
# Of all rows, so many are drawn to look at their ranks.
N_RANKED = 2000
N_TRIPLETS = 100_000


def quality(data: DataSet, embedding: np.ndarray) -> dict[str, float]:
    """Return the errors of classification by 1 and 9 neighbours, and what the map keeps of distances.

    Parameters
    ----------
    data : DataSet
    embedding : ndarray of shape (n, d)

    Returns
    -------
    dict of str to float
        All between 0 and 1.
    """
    one, nine = _errors(data, embedding)
    return {
        "error_1": one,
        "error_9": nine,
        "recall": recall(data.X, embedding),
        "trustworthiness": trustworthiness(data.X, embedding, N_NEIGHBORS, n_samples=_at_most(len(data.X)), n_jobs=-1),
        "triplets": random_triplet_accuracy(data.X, embedding, N_TRIPLETS),
    }


def recall(X: np.ndarray, embedding: np.ndarray) -> float:
    """Return what :func:`latentmap.quality.neighbor_recall` returns; the true neighbours are looked up once."""
    n = len(X)
    first_id = n * np.arange(n)[:, None]
    found = RankedRows(embedding, "euclidean", -1).neighbors_of(np.arange(n), N_NEIGHBORS)
    return float(np.isin(first_id + found, first_id + _true_neighbors(X), assume_unique=True).mean())


def _errors(data: DataSet, embedding: np.ndarray) -> list[float]:
    wanted, n_train = [1, 9], data.n_train
    if n_train is None:
        return np.asarray(knn_error(embedding, data.y, n_neighbors=wanted, n_jobs=-1)).tolist()
    train, test = slice(n_train), slice(n_train, None)
    errors = knn_error(embedding[train], data.y[train], embedding[test], data.y[test], n_neighbors=wanted, n_jobs=-1)
    return np.asarray(errors).tolist()


def _at_most(n: int) -> int | None:
    return N_RANKED if n > N_RANKED else None


@memory.cache
def _true_neighbors(X: np.ndarray) -> np.ndarray:
    return RankedRows(X.astype(float), "euclidean", -1).neighbors_of(np.arange(len(X)), N_NEIGHBORS)
