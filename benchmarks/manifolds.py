"""Points on curves and sheets whose true coordinates are known."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_swiss_roll


def roll(n: int, width: float = 21, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the Swiss roll, the plane it was rolled from, and the angle of each point.

    Parameters
    ----------
    n : int
        Points.
    width : float
        Across the strip, which is 90 long.
    seed : int
        Draws the points.

    Returns
    -------
    X : ndarray of shape (n, 3)
    plane : ndarray of shape (n, 2)
        Arc length along the spiral r = t, and height.
    t : ndarray of shape (n,)
    """
    X, t = make_swiss_roll(n, random_state=seed)
    X[:, 1] *= width / 21
    arc = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    return X, np.column_stack([arc - arc.min(), X[:, 1]]), t


def short_roll(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the roll of Park et al. (2015), by their programs: 1.25 turns, 10 wide and 22 long.

    Parameters
    ----------
    n : int
        Points.

    Returns
    -------
    X, plane, t
        As of :func:`roll`; the spiral is r = 0.35 t.
    """
    rng = np.random.default_rng(0)
    t, height = 1.25 * np.pi * (1 + 2 * rng.uniform(size=n)), rng.uniform(0, 10, n)
    arc = 0.35 * (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    X = np.column_stack([0.35 * t * np.cos(t), height, 0.35 * t * np.sin(t)])
    return X, np.column_stack([arc - arc.min(), height]), t


def spiral(n: int, turns: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    """Return points at equal distances along a spiral r = t in the plane, from the middle outwards, within 1 of it.

    Parameters
    ----------
    n : int
        Points.
    turns : float

    Returns
    -------
    X : ndarray of shape (n, 2)
    along : ndarray of shape (n,)
        Arc length.
    """
    fine = np.linspace(0, 2 * np.pi * turns, 100 * n)
    arc = (fine * np.sqrt(1 + fine**2) + np.arcsinh(fine)) / 2
    along = np.linspace(arc[0], arc[-1], n)
    t = np.interp(along, arc, fine)
    return np.column_stack([t * np.cos(t), t * np.sin(t)]) / fine[-1], along / fine[-1]
