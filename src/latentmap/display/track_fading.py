"""How strongly the steps of tracks are drawn: the more recent, the stronger."""

import numpy as np

PLAIN, OLDEST, COMING = 0.6, 0.15, 0.1
"""The opacity of a step where no frame stands out, of one long past, and of one that is yet to come."""


def tail_length(frames: np.ndarray) -> float:
    """Return after how many frames a step counts as long past: a quarter of all, and at least 5.

    Parameters
    ----------
    frames : ndarray of int, shape (n_cells,)
        The frame of each cell.
    """
    return max(5.0, float(np.ptp(frames)) / 4) if len(frames) else 5.0


def opacities(frames: np.ndarray, now: int | None, tail: float) -> np.ndarray:
    """Return how strongly the cells' ends of their steps are drawn.

    Parameters
    ----------
    frames : ndarray of int, shape (n,)
        The frame of each cell.
    now : int or None
        The frame that stands out.
    tail : float
        As `tail_length` returns it.

    Returns
    -------
    ndarray of float, shape (n,)
        From 0 to 1.

    Examples
    --------
    >>> opacities(np.array([0, 6, 10, 11]), 10, tail=10.0).round(2).tolist()
    [0.15, 0.66, 1.0, 0.1]
    """
    if now is None:
        return np.full(len(frames), PLAIN)
    age = np.clip((now - frames) / tail, 0, 1)
    return np.where(frames > now, COMING, 1 - (1 - OLDEST) * age)
