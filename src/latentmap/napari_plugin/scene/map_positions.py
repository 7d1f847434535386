"""Where the cells of a map lie in the world: in a square, or in a cube if three axes are drawn."""

import numpy as np

from latentmap.display.map_place import Square
from latentmap.display.unit_square import SquareLayout, new_cells_in_square, unit_square
from latentmap.session.alignment import turned


class MapPositions:
    """The coordinates of a map, scaled to its square.

    Before the map begins, its cells mark the corners of the square, so that a camera fitted to them shows all of it.

    Parameters
    ----------
    n_cells : int
    square : Square
    axes : tuple of int
        The axes of the map that are drawn to the right, upwards and, if there is a third one, in depth.
    shows_all : bool
        Whether all cells lie within the square, or those far out at its edge.

    Attributes
    ----------
    square, axes
        As given.
    shows_all : bool
    variances : ndarray of float, shape (n_cells,)
        The variances of the cells' coordinates.
    world : ndarray of float, shape (n_cells, 2 or 3)
        The cells' coordinates in the world.
    edges : ndarray of int, shape (n_cells,)
        Where a cell is drawn at the edge: 1 for the upper one, 2 for the lower one, 3 for a side; else 0.
    """

    def __init__(self, n_cells: int, square: Square, axes: tuple[int, ...], shows_all: bool = False) -> None:
        self.square, self.axes, self.shows_all = square, axes, shows_all
        self.variances, self._embedding = np.ones(n_cells), np.zeros((n_cells, max(axes) + 1))
        self._turn: np.ndarray | None = None
        self._layout: SquareLayout | None = None
        corners = np.array([[-0.5] * len(axes), [0.5] * len(axes)])
        self.world = np.tile(self._in_world(corners), ((n_cells + 1) // 2, 1))[:n_cells]
        self.edges = np.zeros(n_cells, dtype=np.intp)

    def move(self, embedding: np.ndarray, variances: np.ndarray, turn: np.ndarray | None) -> None:
        """Take other coordinates of the same cells; the arguments are those of :meth:`MapLayer.move`."""
        self.variances, self._embedding, self._turn = variances, embedding, turn
        self._lay_out(unit_square(turned(embedding, turn), variances, self.axes))

    def show_all(self, shows_all: bool) -> bool:
        """Have all cells lie within the square, or those far out at its edge; return whether this moves any."""
        changes = self.shows_all != shows_all
        self.shows_all = shows_all
        if not changes or self._layout is None or not self._layout.beyond.any():
            return False
        self._lay_out(self._layout)
        return True

    def of_new(self, coordinates: np.ndarray, variances: np.ndarray) -> np.ndarray:
        """Return where cells lie that were placed on the map.

        Parameters
        ----------
        coordinates : ndarray of float, shape (n_new, n_components)
            The map's own.
        variances : ndarray of float, shape (n_new,)
            NaN where they are not known.

        Returns
        -------
        ndarray of float, shape (n_new, 2 or 3)
            World coordinates.
        """
        embedding, new = (turned(one, self._turn) for one in (self._embedding, coordinates))
        return self._in_world(
            new_cells_in_square(embedding, self.variances, self.axes, new, variances, shows_all=self.shows_all)
        )

    def _lay_out(self, layout: SquareLayout) -> None:
        self._layout = layout
        drawn = layout.all_within if self.shows_all else layout.at_edge
        self.edges = np.zeros(len(drawn), dtype=np.intp)
        if not self.shows_all and len(rows := np.flatnonzero(layout.beyond)):
            out = (layout.positions[rows] - drawn[rows])[:, -2:]
            upright = np.abs(out[:, 0]) >= np.abs(out[:, 1])
            self.edges[rows] = np.where(upright, np.where(out[:, 0] < 0, 1, 2), 3)
        self.world = self._in_world(drawn)

    def _in_world(self, drawn: np.ndarray) -> np.ndarray:
        """Scale positions in the unit square to the world."""
        centre = np.array([*[0.0] * (len(self.axes) - 2), *self.square.centre])
        scaled: np.ndarray = self.square.side * drawn
        scaled += centre
        return scaled
