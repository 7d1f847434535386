"""How good a map is: the same measures for all methods."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.data_sets import DataSet
from benchmarks.stored import memory
from latentmap.quality import (
    centroid_order,
    frame_fill,
    groups_found,
    knn_error,
    random_triplet_accuracy,
    trustworthiness,
)
from latentmap.quality.ranked_rows import RankedRows

N_NEIGHBORS = 10
# Grows when something is measured besides: maps of which less is known are made again.
EDITION = 2
# Of all rows, so many are drawn to look at their ranks.
N_RANKED = 2000
N_TRIPLETS = 100_000
# Of fewer groups, distances have no order worth the name.
_FEWEST_GROUPS = 3


def quality(data: DataSet, embedding: np.ndarray) -> dict[str, float]:
    """Return what the map keeps of classes, of distances and of neighbours, and what the eye sees of it.

    Parameters
    ----------
    data : DataSet
    embedding : ndarray of shape (n, d)

    Returns
    -------
    dict of str to float
        "recall", "trustworthiness", "triplets" and "fill" of any map; "error_1" and "error_9" where there are classes,
        and "order" where there are three of them; "groups" and "strays" where there are none. All but the number of
        groups are shares, or a correlation.
    """
    return _of_distances(data.X, embedding) | seen(data, embedding)


def _of_distances(X: np.ndarray, embedding: np.ndarray) -> dict[str, float]:
    return {
        "recall": recall(X, embedding),
        "trustworthiness": trustworthiness(X, embedding, N_NEIGHBORS, n_samples=_at_most(len(X)), n_jobs=-1),
        "triplets": random_triplet_accuracy(X, embedding, N_TRIPLETS),
    }


def seen(data: DataSet, embedding: np.ndarray) -> dict[str, float]:
    """Return those measures alone that say what the eye sees of a map, and how well classes are told on it.

    Parameters
    ----------
    data : DataSet
    embedding : ndarray of shape (n, d)

    Returns
    -------
    dict of str to float
        As :func:`quality` returns them.
    """
    filled = {"fill": frame_fill(embedding)}
    return filled | (_of_continuum(embedding) if data.y is None else _of_classes(data, data.y, embedding))


def _of_continuum(embedding: np.ndarray) -> dict[str, float]:
    found = groups_found(embedding)
    return {"groups": float(found.n_groups), "strays": found.strays}


def _of_classes(data: DataSet, y: np.ndarray, embedding: np.ndarray) -> dict[str, float]:
    one, nine = _errors(y, data.n_train, embedding)
    errors = {"error_1": one, "error_9": nine}
    if len(np.unique(y)) < _FEWEST_GROUPS:
        return errors
    return errors | {"order": centroid_order(data.X, embedding, y)}


def recall(X: np.ndarray, embedding: np.ndarray) -> float:
    """Return what :func:`latentmap.quality.neighbor_recall` returns; the true neighbours are looked up once."""
    n = len(X)
    first_id = n * np.arange(n)[:, None]
    found = RankedRows(embedding, "euclidean", -1).neighbors_of(np.arange(n), N_NEIGHBORS)
    return float(np.isin(first_id + found, first_id + _true_neighbors(X), assume_unique=True).mean())


def _errors(y: np.ndarray, n_train: int | None, embedding: np.ndarray) -> list[float]:
    wanted = [1, 9]
    if n_train is None:
        return np.asarray(knn_error(embedding, y, n_neighbors=wanted, n_jobs=-1)).tolist()
    train, test = slice(n_train), slice(n_train, None)
    errors = knn_error(embedding[train], y[train], embedding[test], y[test], n_neighbors=wanted, n_jobs=-1)
    return np.asarray(errors).tolist()


def _at_most(n: int) -> int | None:
    return N_RANKED if n > N_RANKED else None


@memory.cache
def _true_neighbors(X: np.ndarray) -> np.ndarray:
    return RankedRows(X.astype(float), "euclidean", -1).neighbors_of(np.arange(len(X)), N_NEIGHBORS)
