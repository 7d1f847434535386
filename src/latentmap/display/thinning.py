"""Which points of a large map are drawn."""

import numpy as np

from latentmap.session.random_order import random_order

POINTS_DURING_RUN = 3000
"""How many points of a map are drawn during a run: without a graphics card, redrawing more would take too long."""


def thin_points(positions: np.ndarray, wanted: np.ndarray, window: np.ndarray | None, most: int) -> np.ndarray:
    """Choose the points to draw: those in view or, if they are too many, a random sample of them.

    The sample is the same in every call, and zooming in never removes a point. The outermost points along each axis are
    always drawn, so that a view fitted to the drawn points shows the whole map.

    Parameters
    ----------
    positions : ndarray of float, shape (n_points, 2 or 3)
        World coordinates.
    wanted : ndarray of bool, shape (n_points,)
        Which points may be drawn.
    window : ndarray of float, shape (2, 2 or 3), or None
        The lowest and the highest coordinates in view; None if everything is in view.
    most : int
        How many points may be drawn at most.

    Returns
    -------
    ndarray of bool, shape (n_points,)

    Examples
    --------
    >>> positions = np.column_stack([np.arange(10.0), np.zeros(10)])
    >>> thin_points(positions, np.ones(10, bool), None, most=4).sum()
    np.int64(4)
    >>> np.flatnonzero(thin_points(positions, positions[:, 0] != 6, np.array([[4.5, -1], [8.5, 1]]), most=5)).tolist()
    [0, 5, 7, 8, 9]
    """
    if np.count_nonzero(wanted) <= most:
        return wanted
    everyone = positions if wanted.all() else positions[wanted]
    ends = np.concatenate([everyone.argmin(axis=0), everyone.argmax(axis=0)])
    if everyone is not positions:
        ends = np.flatnonzero(wanted)[ends]
    if window is not None:
        wanted = wanted & np.all((positions >= window[0]) & (positions <= window[1]), axis=1)
        wanted[ends] = True
        if np.count_nonzero(wanted) <= most:
            return wanted
    chosen = np.zeros(len(positions), dtype=bool)
    chosen[ends] = True
    chosen[_first(wanted & ~chosen, max(0, most - int(np.count_nonzero(chosen))))] = True
    return chosen


def _first(wanted: np.ndarray, count: int) -> np.ndarray:
    """The indices of so many wanted points, of which there are more, that come first in the random order."""
    order, looked_at = random_order(len(wanted)), 2 * count
    # Most often they stand at its beginning, and a million need not be looked at.
    while np.count_nonzero(wanted[order[:looked_at]]) < count:
        looked_at *= 4
    head = order[:looked_at]
    found: np.ndarray = head[wanted[head]][:count]
    return found
