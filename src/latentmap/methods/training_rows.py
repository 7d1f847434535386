"""Rows of a map that are placed again."""

from __future__ import annotations

import numpy as np

from latentmap.model.inputs import Neighbors


def keep_training_positions(placed: np.ndarray, nearest: Neighbors, embedding: np.ndarray) -> np.ndarray:
    """Return new positions, (m, d), with those of rows equal to one of the map's rows replaced by its position.

    Parameters
    ----------
    placed : ndarray of shape (m, d)
        New positions.
    nearest : Neighbors
        The nearest of the map's rows to each new row, or several, nearest first.
    embedding : ndarray of shape (n, d)
        The map.

    Examples
    --------
    >>> nearest = Neighbors(np.array([[0], [1]]), np.array([[0.0], [0.5]]))
    >>> keep_training_positions(np.array([[3.0], [4.0]]), nearest, np.array([[7.0], [8.0]]))
    array([[7.],
           [4.]])
    """
    return np.where(nearest.distances[:, :1] == 0, embedding[nearest.indices[:, 0]], placed)
