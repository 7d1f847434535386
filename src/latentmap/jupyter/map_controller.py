"""One map in a notebook: which cell each point shows."""

from collections.abc import Sequence

import matplotlib
import numpy as np
import pandas as pd
from psygnal import Signal

from latentmap.display import region
from latentmap.display.colours import MISSING_COLOUR, scale_shades
from latentmap.display.group_names import GroupName
from latentmap.display.thinning import POINTS_DURING_RUN, thin_points
from latentmap.display.unit_square import new_cells_in_square, unit_square
from latentmap.jupyter.map_pane import MapDrawing, MapPane
from latentmap.jupyter.widgets import close_widgets
from latentmap.presenters.track_lines import NO_TRACKS, DrawnTracks
from latentmap.session import ColourGroups, ColourScale, Result
from latentmap.session.alignment import turned
from latentmap.session.result import VARIANCE_COLUMN
from latentmap.session.selection import Mode
from latentmap.table import CellTable

SHADES = scale_shades(255)
"""The colours of a scale, from its low to its high end."""
_USUAL_HEIGHT = 480
# The share of a map of that height that the points would cover without overlap; their smallest and largest diameter.
_FILL, _SMALLEST, _LARGEST = 0.2, 2.5, 11.0
# Half of the least side of a map that a pane is filled with: cells on a line are not spread over all of it.
_NARROWEST = 0.05


class MapController:
    """The cells on a map, shown as points.

    Parameters
    ----------
    cells : CellTable
        The cells on the map.
    numbers : ndarray of int, shape (n_cells,)
        The numbers of the cells in the session.
    axes : tuple of int
        The axes of the map that point to the right, upwards and, if there is a third, into the screen.

    Attributes
    ----------
    pane : MapPane
        The canvas.
    cells, numbers
        As given.
    variances : ndarray of float, shape (n_cells,)
        The variances of the positions.
    shows_all : bool
        Whether the map is fitted to all cells from the next positions on.
    hollow : ndarray of bool, shape (n_cells,), or None
        The cells that are drawn hollow from the next `draw` on; None for none.
    """

    chosen = Signal(np.ndarray, str, str)
    """Emitted with the numbers of the cells that the user has picked, the mode, and how they were picked."""
    hovered = Signal(object)
    """Emitted with the number of the cell under the mouse, or None."""
    escaped = Signal()
    """Emitted when the user has pressed Escape on the map."""

    def __init__(self, cells: CellTable, numbers: np.ndarray, axes: tuple[int, ...]) -> None:
        self.pane = MapPane()
        self.shows_all = False
        self.begin(cells, numbers, axes)
        self.pane.drawn.connect(self._choose_within)
        self.pane.clicked.connect(self._choose_one)
        self.pane.hovered.connect(self._hover)
        self.pane.escaped.connect(self._escape)

    def begin(self, cells: CellTable, numbers: np.ndarray, axes: tuple[int, ...]) -> None:
        """Show other cells from now on, given as to the constructor."""
        self.cells, self.numbers, self._axes = cells, numbers, axes
        self._fewer = False
        # What was drawn on a frame before this one went round other cells.
        self._first = self.pane.frame + 1
        self.variances = np.ones(len(numbers))
        self._positions = np.zeros((len(numbers), len(axes)))
        self._beyond = np.zeros(len(numbers), dtype=bool)
        self._half = (0.5, 0.5)
        self._hidden = np.zeros(len(numbers), dtype=bool)
        self.hollow: np.ndarray | None = None
        self._choose_rows()

    @property
    def positions(self) -> np.ndarray:
        """The coordinates of all cells as they are drawn: to the right, upwards and towards the viewer."""
        return self._positions

    @property
    def beyond(self) -> int:
        """How many of the cells drawn lie so far out that they are at the edge, as arrows."""
        return int((self._beyond & ~self._hidden).sum())

    def limit_points(self, fewer: bool) -> None:
        """Draw a sample of the cells from the next frame on, or all; a lasso selects all cells inside either way."""
        if self._fewer != fewer:
            self._fewer = fewer
            self._choose_rows()

    def set_positions(self, embedding: np.ndarray, variances: np.ndarray) -> None:
        """Move the cells to these positions without drawing them."""
        self.variances = variances
        layout = unit_square(embedding, variances, self._axes)
        drawn = layout.all_within if self.shows_all else layout.at_edge
        self._positions = _as_places(drawn)
        self._beyond = np.zeros_like(layout.beyond) if self.shows_all else layout.beyond
        # A map that can be turned needs as much room upwards as across.
        tall, wide = (0.5, 0.5) if drawn.shape[1] == 3 else np.maximum(np.ptp(drawn, axis=0) / 2, _NARROWEST)
        self._half = (float(wide), float(tall))

    def draw(self, colouring: ColourScale | ColourGroups, shares: np.ndarray | None) -> None:
        """Draw the cells; `shares` gives their sizes, from 0 for small to 1 for large, or None for equal sizes."""
        codes, palette = as_colour_codes(colouring)
        rows = self._rows
        sizes = None if shares is None else shares[rows]
        hollow = None if self.hollow is None else self.hollow[rows]
        self.pane.draw(self._positions[rows], codes[rows], palette, sizes, self._beyond[rows], self._half, hollow)

    def name(self, names: Sequence[GroupName]) -> None:
        """Write the names of groups on the map, and no others."""
        self.pane.names = [{"text": name, "place": position.round(4).tolist()} for name, position in names]

    def show_placed(self, new: pd.DataFrame | None, result: Result) -> None:
        """Show cells that were placed on the finished map, given as `~latentmap.session.place` gives them, or none."""
        if new is None:
            self.pane.guests = b""
            return
        variances = new[VARIANCE_COLUMN] if VARIANCE_COLUMN in new else pd.Series(np.nan, new.index)
        coordinates = new.drop(columns=VARIANCE_COLUMN, errors="ignore").to_numpy()
        drawn = new_cells_in_square(
            result.drawn,
            result.variances,
            self._axes,
            turned(coordinates, result.turn),
            variances.to_numpy(),
            shows_all=self.shows_all,
        )
        self.pane.guests = _as_places(drawn).astype("<f4").tobytes()

    def mark(self, selected: np.ndarray, hidden: np.ndarray) -> None:
        """Highlight the selected cells and hide the hidden ones; both are bool, shape (n_cells,)."""
        self._hidden = hidden
        self.pane.mark(selected[self._rows], hidden[self._rows])

    def trace(self, tracks: DrawnTracks) -> None:
        """Draw these tracks, whose rows are those of the cells; none while only a sample of the cells is drawn."""
        self.pane.trace(tracks if len(self._rows) == len(self.numbers) else NO_TRACKS)

    def close(self) -> None:
        """Close the canvas."""
        close_widgets(self.pane)

    def _choose_within(self, loop: MapDrawing) -> None:
        if loop.frame < self._first:
            return
        drawn = region.drawn_region(loop.tool, loop.corners, loop.radius)
        within = drawn.contains(self._positions @ loop.turn.T) & ~self._hidden
        self.chosen.emit(self.numbers[within], loop.mode, f"{loop.tool} on the map")

    def _choose_one(self, row: int | None, mode: Mode) -> None:
        if row is not None or mode == "replace":
            rows = [] if row is None else [self._rows[row]]
            self.chosen.emit(self.numbers[rows], mode, "click on the map")

    def _hover(self, row: int | None) -> None:
        self.hovered.emit(None if row is None else int(self.numbers[self._rows[row]]))

    def _escape(self) -> None:
        self.escaped.emit()

    def _choose_rows(self) -> None:
        """Choose which cells are drawn, and how large."""
        n_cells = len(self.numbers)
        everyone = np.ones(n_cells, dtype=bool)
        most = POINTS_DURING_RUN if self._fewer else n_cells
        self._rows = np.flatnonzero(thin_points(self._positions, everyone, None, most))
        size = _USUAL_HEIGHT * np.sqrt(_FILL / max(len(self._rows), 1))
        self.pane.begin(float(np.clip(size, _SMALLEST, _LARGEST)))


def _as_places(drawn: np.ndarray) -> np.ndarray:
    """Return (planes,) rows and columns as coordinates to the right, upwards and towards the viewer."""
    *planes, rows, columns = drawn.T
    return np.column_stack([columns, -rows, *(-plane for plane in planes)])


def as_colour_codes(colouring: ColourScale | ColourGroups) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of each cell's colour, and the palette; its last colour is for cells without a value or group.

    Examples
    --------
    >>> codes, palette = as_colour_codes(ColourGroups("class", np.array([0, -1]), ("B",), ("#ff0000",)))
    >>> palette[codes].round(2).tolist()
    [[1.0, 0.0, 0.0, 1.0], [0.45, 0.45, 0.45, 1.0]]
    """
    colours: np.ndarray
    if isinstance(colouring, ColourGroups):
        colours, codes = matplotlib.colors.to_rgba_array(list(colouring.colours)), colouring.indices
    else:
        is_missing = np.isnan(colouring.shares)
        shares = np.where(is_missing, 0, colouring.shares)
        colours, codes = SHADES, np.where(is_missing, -1, np.rint(shares * (len(SHADES) - 1)).astype(int))
    return np.where(codes < 0, len(colours), codes), np.vstack([colours.reshape(-1, 4), MISSING_COLOUR])
