"""Which points of a large map are drawn."""

import numpy as np

AT_WORK = 3000
"""How many points of a map are drawn while a run is at work: without a graphics card a redraw of more takes long."""


def thinned(places: np.ndarray, wanted: np.ndarray, window: np.ndarray | None, most: int) -> np.ndarray:
    """Choose the points to be drawn: those in view, and if these are too many, some of them at random.

    The choice is the same at every call, and what is drawn in a part of the map is drawn, too, when the view is nearer.
    The outermost points along each axis are always among them: what fits the view to the points drawn fits it to all.

    Parameters
    ----------
    places : ndarray of float, shape (n_points, 2 or 3)
        World coordinates.
    wanted : ndarray of bool, shape (n_points,)
        Which points may be drawn.
    window : ndarray of float, shape (2, 2 or 3), or None
        The lowest and the highest coordinates in view; None is everywhere.
    most : int

    Returns
    -------
    ndarray of bool, shape (n_points,)

    Examples
    --------
    >>> places = np.column_stack([np.arange(10.0), np.zeros(10)])
    >>> thinned(places, np.ones(10, bool), None, most=4).sum()
    np.int64(4)
    >>> np.flatnonzero(thinned(places, places[:, 0] != 6, np.array([[4.5, -1], [8.5, 1]]), most=5)).tolist()
    [0, 5, 7, 8, 9]
    """
    if np.count_nonzero(wanted) <= most:
        return wanted
    there = np.flatnonzero(wanted)
    ends = there[np.concatenate([places[there].argmin(axis=0), places[there].argmax(axis=0)])]
    if window is not None:
        wanted = wanted & np.all((places >= window[0]) & (places <= window[1]), axis=1)
        wanted[ends] = True
    ranks = np.random.default_rng(0).permutation(len(places))
    ranks[ends] = -1
    among = ranks[wanted]
    return wanted if len(among) <= most else wanted & (ranks < np.partition(among, most)[most])
