"""Rows that a map was made from, when they come again."""

from __future__ import annotations

import numpy as np

from latentmap.model.inputs import Neighbors


def as_on_map(placed: np.ndarray, nearest: Neighbors, embedding: np.ndarray) -> np.ndarray:
    """Return new places, but for rows equal to one that the map was made from: these take over its place.

    Parameters
    ----------
    placed : ndarray of shape (m, d)
    nearest : Neighbors
        Of each row the nearest of the map's rows, or several, nearest first.
    embedding : ndarray of shape (n, d)

    Returns
    -------
    ndarray of shape (m, d)

    Examples
    --------
    >>> nearest = Neighbors(np.array([[0], [1]]), np.array([[0.0], [0.5]]))
    >>> as_on_map(np.array([[3.0], [4.0]]), nearest, np.array([[7.0], [8.0]]))
    array([[7.],
           [4.]])
    """
    return np.where(nearest.distances[:, :1] == 0, embedding[nearest.indices[:, 0]], placed)
