"""Minimisation of a cost by steps along a descent direction, with a line search."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import LbfgsInvHessProduct

# A step is accepted if the cost falls by this fraction of what the slope predicts, and is shortened otherwise. The next
# step is first tried somewhat longer than the last.
_ENOUGH = 0.1
_SHORTENED = 0.8
_LENGTHENED = 1.5
# Shorter steps change nothing.
_SHORTEST = 1e-10
# The number of steps from which the curvature is estimated, and the smallest relative curvature that is used.
_REMEMBERED = 10
_CURVED = 1e-10

Cost = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""Returns the cost of points, and its gradient there."""
Direction = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Returns the step from points, given the gradient there."""


class DescentState(NamedTuple):
    """The current state of a descent.

    Attributes
    ----------
    points : ndarray
        The current points.
    cost : float
        Their cost.
    gradient : ndarray
        Of the shape of the points.
    step : float
        The fraction of the direction that was taken; 1 if no line search was needed.
    """

    points: np.ndarray
    cost: float
    gradient: np.ndarray
    step: float = 1.0


def descend(
    cost: Cost, points: np.ndarray, direction: Direction, *, max_iter: int, tol: float
) -> Iterator[DescentState]:
    """Lower a cost step by step; it never rises.

    Each step is first tried at its full length, or somewhat longer than the last one if that had to be shortened. If it
    is too long, it is shortened by backtracking (Armijo).

    Parameters
    ----------
    cost : callable
        Returns the cost and its gradient.
    points : ndarray
        Initial points.
    direction : callable
        From points and gradient to a descent direction.
    max_iter : int
        Maximum number of steps.
    tol : float
        Stop when the cost falls by less than this fraction of itself.

    Yields
    ------
    DescentState
        The start, then one for each step.

    Examples
    --------
    >>> square = lambda x: (float(x @ x), 2 * x)
    >>> [step.cost for step in descend(square, np.ones(2), lambda x, g: -g / 2, max_iter=5, tol=1e-6)]
    [2.0, 0.0, 0.0]
    """
    now = DescentState(points, *cost(points))
    yield now
    for _ in range(max_iter):
        following = _step(cost, now, direction(now.points, now.gradient), min(1.0, _LENGTHENED * now.step))
        if following is None:
            return
        fallen = now.cost - following.cost
        now = following
        yield now
        if fallen <= tol * abs(now.cost):
            return


def _step(cost: Cost, now: DescentState, direction: np.ndarray, step: float) -> DescentState | None:
    slope = float(np.vdot(now.gradient, direction))
    while step > _SHORTEST:
        points = now.points + step * direction
        value, gradient = cost(points)
        if value <= now.cost + _ENOUGH * step * slope:
            return DescentState(points, value, gradient, step)
        step *= _SHORTENED
    return None


class QuasiNewton:
    """The direction of limited-memory BFGS.

    It estimates the curvature from the steps taken, so each instance serves only one descent.

    Examples
    --------
    >>> scales = np.array([1.0, 100.0])
    >>> valley = lambda x: (float(scales @ x**2), 2 * scales * x)
    >>> *_, last = descend(valley, np.ones(2), QuasiNewton(), max_iter=30, tol=0)
    >>> last.cost < 1e-12
    True
    """

    def __init__(self) -> None:
        self._last: tuple[np.ndarray, np.ndarray] | None = None
        self._moved: deque[np.ndarray] = deque(maxlen=_REMEMBERED)
        self._bent: deque[np.ndarray] = deque(maxlen=_REMEMBERED)

    def __call__(self, points: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Return the step from points, given the gradient there."""
        x, slope = points.ravel(), gradient.ravel()
        if self._last is not None:
            moved, bent = x - self._last[0], slope - self._last[1]
            if moved @ bent > _CURVED * np.linalg.norm(moved) * np.linalg.norm(bent):
                self._moved.append(moved)
                self._bent.append(bent)
        self._last = x, slope
        if not self._moved:
            return -gradient / max(1.0, float(np.linalg.norm(slope)))
        # scipy starts from the identity; the inverse curvature along the last step is a better initial guess.
        scale = (self._moved[-1] @ self._bent[-1]) / (self._bent[-1] @ self._bent[-1])
        inverse = LbfgsInvHessProduct(np.array(self._moved) / scale, np.array(self._bent))
        return np.asarray(-scale * inverse.matvec(slope).reshape(points.shape))


EachCost = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""Returns the cost of each point, its gradient there, and the divisor of the gradient that gives a step."""


def descend_each(cost: EachCost, points: np.ndarray, *, max_iter: int, tol: float) -> np.ndarray:
    """Lower many costs at once, each with a point of its own, as :func:`descend` does with one cost.

    Parameters
    ----------
    cost : callable
        From points of shape (m, d) and their row numbers to costs of shape (m,), gradients of shape (m, d) and positive
        divisors of shape (m,).
    points : ndarray of shape (n, d)
        Initial points.
    max_iter : int
        Maximum number of steps.
    tol : float
        A point stops when its cost falls by less than this fraction of itself.

    Examples
    --------
    >>> middle = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> def squares(x, rows):
    ...     away = x - middle[rows]
    ...     return np.square(away).sum(axis=1), 2 * away, np.full(len(x), 3.0)
    >>> descend_each(squares, np.zeros((2, 2)), max_iter=50, tol=1e-12).round(4).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    points = points.copy()
    rows = np.arange(len(points))
    values, gradients, divisors = cost(points, rows)
    length = np.ones(len(rows))
    for _ in range(max_iter):
        steps = -gradients / divisors[:, None]
        slopes = np.einsum("ij,ij->i", gradients, steps)
        length, open_ = np.minimum(1.0, _LENGTHENED * length), np.ones(len(rows), dtype=bool)
        before = values.copy()
        while open_.any():
            tried = np.flatnonzero(open_)
            moved = points[rows[tried]] + length[tried, None] * steps[tried]
            found = cost(moved, rows[tried])
            good = found[0] <= before[tried] + _ENOUGH * length[tried] * slopes[tried]
            taken = tried[good]
            points[rows[taken]] = moved[good]
            values[taken], gradients[taken], divisors[taken] = (part[good] for part in found)
            open_[taken] = False
            length[tried[~good]] *= _SHORTENED
            open_ &= length > _SHORTEST
        falls = before - values > tol * np.abs(values)
        if not falls.any():
            break
        rows, length = rows[falls], length[falls]
        values, gradients, divisors = values[falls], gradients[falls], divisors[falls]
    return points
