"""Which cells of a map are drawn as points."""

from collections.abc import Callable

import numpy as np

from latentmap.display.thinning import POINTS_DURING_RUN, thin_points

MOST = 100_000
"""The most points drawn at once; more of them overlap on any screen, and take seconds to draw."""
MOST_BY_SOFTWARE = 20_000
"""The same without a graphics card, where drawing these blocks the window for some 70 ms."""


class DrawnCells:
    """Chooses the cells to draw: those neither hidden nor deleted or, if there are too many, a sample of those in view.

    Parameters
    ----------
    positions : ndarray of float, shape (n_cells, 2 or 3)
        The world coordinates of all cells.
    by_software : callable
        Returns whether the points are drawn without a graphics card; a window that has not been drawn does not know.

    Attributes
    ----------
    hidden, deleted : ndarray of bool, shape (n_cells,)
        The cells hidden by the program, and those whose points the user has deleted.
    window : ndarray of float, shape (2, 2 or 3), or None
        The lowest and the highest world coordinates in view; None if everything is in view.
    rows : ndarray of int, shape (n_points,)
        The indices of the cells that are drawn, in the order of the points.
    """

    def __init__(self, positions: np.ndarray, by_software: Callable[[], bool] = lambda: False) -> None:
        self.hidden, self.deleted = np.zeros((2, len(positions)), dtype=bool)
        self.window: np.ndarray | None = None
        self._by_software = by_software
        self._limit: int | None = POINTS_DURING_RUN
        self.rows = self.choose(positions)

    @property
    def there(self) -> np.ndarray:
        """Which cells are neither hidden nor deleted, whether drawn or not, shape (n_cells,)."""
        return ~(self.hidden | self.deleted)

    @property
    def n_at_rest(self) -> int:
        """How many cells are drawn at most when there is no run."""
        return min(int(np.count_nonzero(self.there)), self._usual)

    @property
    def is_limited(self) -> bool:
        """Whether few cells are drawn, as during a run."""
        return self._limit == POINTS_DURING_RUN

    @property
    def is_large(self) -> bool:
        """Whether there are too many cells to draw all at once."""
        return len(self.hidden) > self._usual

    def limit(self, few: bool) -> None:
        """Draw few cells, as during a run, or as many as a screen has room for."""
        self._limit = POINTS_DURING_RUN if few else None

    def draw_all(self) -> None:
        """Draw all cells from now on, however many there are."""
        self._limit = len(self.hidden)

    def choose(self, positions: np.ndarray) -> np.ndarray:
        """Return the indices of the cells to draw, given the world coordinates of all, shape (n_cells, 2 or 3)."""
        most = self._usual if self._limit is None else self._limit
        return np.flatnonzero(thin_points(positions, self.there, None if self.is_limited else self.window, most))

    def keep(self, left: np.ndarray) -> None:
        """Take all drawn cells but these as deleted.

        Parameters
        ----------
        left : ndarray of int
            The indices of the cells whose points are left, in the order of the points.
        """
        self.deleted[np.setdiff1d(self.rows, left)] = True
        self.rows = left

    @property
    def _usual(self) -> int:
        return min(MOST, MOST_BY_SOFTWARE) if self._by_software() else MOST
