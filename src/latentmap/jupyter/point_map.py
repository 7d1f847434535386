"""One map in a notebook: which point is which cell."""

from typing import Any

import matplotlib
import numpy as np
from psygnal import Signal

from latentmap.display.colours import NOTHING
from latentmap.display.region import Loop as Line
from latentmap.display.thinning import AT_WORK, thinned
from latentmap.display.unit_square import unit_square
from latentmap.jupyter.closing import close_all
from latentmap.jupyter.map_pane import Loop, MapPane
from latentmap.session import Groups, Scale
from latentmap.session.selection import Mode
from latentmap.table import CellTable

SHADES = matplotlib.colormaps["viridis"](np.linspace(0, 1, 255))
"""From the low to the high end of a scale."""
# The share of the map that points would cover without overlap, and their smallest and largest diameter.
_FILL, _SMALLEST, _LARGEST = 0.2, 2.5, 11.0


class PointMap:
    """Points that show cells on a map.

    Parameters
    ----------
    cells : CellTable
    numbers : ndarray of int, shape (n_cells,)
        The cells' numbers in the session.
    axes : tuple of int
        The map's axes that are drawn to the right, upwards and, if there is a third, away.

    Attributes
    ----------
    pane : MapPane
    cells, numbers
        As given.
    variances : ndarray of float, shape (n_cells,)
    beyond : int
        How many cells lie so far out that they are drawn at the edge.
    """

    chosen = Signal(np.ndarray, str, str)
    """Emitted with the numbers of cells, the mode and the way in which the user has chosen them on this map."""
    hovered = Signal(object)
    """Emitted with the number of the cell under the mouse, or None."""

    def __init__(self, cells: CellTable, numbers: np.ndarray, axes: tuple[int, ...]) -> None:
        self.pane = MapPane()
        self.begin(cells, numbers, axes)
        self.pane.drawn.connect(self._choose_within)
        self.pane.clicked.connect(self._choose_one)
        self.pane.hovered.connect(self._hover)

    def begin(self, cells: CellTable, numbers: np.ndarray, axes: tuple[int, ...]) -> None:
        """Show other cells from now on.

        Parameters
        ----------
        cells, numbers, axes
            As for a new one.
        """
        self.cells, self.numbers, self._axes = cells, numbers, axes
        self._fewer = False
        self.variances = np.ones(len(numbers))
        self.beyond = 0
        self._places = np.zeros((len(numbers), len(axes)))
        self._hidden = np.zeros(len(numbers), dtype=bool)
        self._choose_rows()

    def draw_fewer(self, fewer: bool) -> None:
        """Draw few of the cells from the next time on, or all; a loop takes all cells inside it in either case."""
        if self._fewer != fewer:
            self._fewer = fewer
            self._choose_rows()

    def place(self, embedding: np.ndarray, variances: np.ndarray) -> None:
        """Place the cells without drawing them.

        Parameters
        ----------
        embedding : ndarray, shape (n_cells, n_components)
        variances : ndarray, shape (n_cells,)
        """
        self.variances = variances
        places, self.beyond = unit_square(embedding, variances, self._axes)
        *planes, rows, columns = places.T
        self._places = np.column_stack([columns, -rows, *(-plane for plane in planes)])

    def draw(self, colouring: Scale | Groups, shares: np.ndarray | None) -> None:
        """Draw the cells where they lie.

        Parameters
        ----------
        colouring : Scale or Groups
        shares : ndarray of float, shape (n_cells,), or None
            From 0 for small points to 1 for large ones; all are alike if there are none.
        """
        codes, palette = coded(colouring)
        rows = self._rows
        self.pane.draw(self._places[rows], codes[rows], palette, None if shares is None else shares[rows])

    def mark(self, selected: np.ndarray, hidden: np.ndarray) -> None:
        """Make some cells stand out, and hide some.

        Parameters
        ----------
        selected, hidden : ndarray of bool, shape (n_cells,)
        """
        self._hidden = hidden
        self.pane.mark(selected[self._rows], hidden[self._rows])

    def close(self) -> None:
        """Let go of the widget."""
        close_all(self.pane)

    def _choose_within(self, loop: Loop) -> None:
        within = Line(loop.corners).holds(self._places @ loop.turn.T) & ~self._hidden
        self.chosen.emit(self.numbers[within], loop.mode, f"{loop.tool} on the map")

    def _choose_one(self, row: int | None, mode: Mode) -> None:
        if row is not None or mode == "replace":
            rows = [] if row is None else [self._rows[row]]
            self.chosen.emit(self.numbers[rows], mode, "click on the map")

    def _hover(self, row: int | None) -> None:
        self.hovered.emit(None if row is None else int(self.numbers[self._rows[row]]))

    def _choose_rows(self) -> None:
        """Choose the cells that are drawn, and how large."""
        n_cells = len(self.numbers)
        everyone = np.ones(n_cells, dtype=bool)
        most = AT_WORK if self._fewer else n_cells
        self._rows = np.flatnonzero(thinned(self._places, everyone, None, most))
        size = self.pane.height * np.sqrt(_FILL / max(len(self._rows), 1))
        self.pane.begin(float(np.clip(size, _SMALLEST, _LARGEST)))


def coded(colouring: Scale | Groups) -> tuple[np.ndarray, np.ndarray]:
    """Return which colour each cell has, and the colours; the last one is for cells without any.

    Returns
    -------
    codes : ndarray of int, shape (n_cells,)
    palette : ndarray of float, shape (n_colours + 1, 4)

    Examples
    --------
    >>> codes, palette = coded(Groups("class", np.array([0, -1]), ("B",), ("#ff0000",)))
    >>> palette[codes].round(2).tolist()
    [[1.0, 0.0, 0.0, 1.0], [0.45, 0.45, 0.45, 1.0]]
    """
    colours: Any
    if isinstance(colouring, Groups):
        colours, codes = matplotlib.colors.to_rgba_array(list(colouring.colours)), colouring.places
    else:
        nothing = np.isnan(colouring.shares)
        shares = np.where(nothing, 0, colouring.shares)
        colours, codes = SHADES, np.where(nothing, -1, np.rint(shares * (len(SHADES) - 1)).astype(int))
    return np.where(codes < 0, len(colours), codes), np.vstack([colours.reshape(-1, 4), NOTHING])
