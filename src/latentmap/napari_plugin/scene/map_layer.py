"""A map as a layer of points, with rings around the selected ones."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from napari.layers import Points
from napari.utils.events import Event

from latentmap.display.unit_square import new_cells_in_square, unit_square
from latentmap.napari_layers.highlight import highlight_color
from latentmap.napari_layers.source import OWNED_KEY
from latentmap.napari_plugin.napari_private import changed_together
from latentmap.napari_plugin.scene.colours import SCALE
from latentmap.napari_plugin.scene.drawn_cells import DrawnCells
from latentmap.session.run import VARIANCE_COLUMN, map_columns
from latentmap.table import KEY, CellTable

FILL = 0.2
"""The share of the map's square that the points would cover if none overlapped."""
LARGEST = 3.0
"""How many times larger the most uncertain points are than the most certain ones, if size shows the variance."""
BORDER = 0.05
"""The width of a point's border, as a fraction of its size."""
MIRRORED = 5000
"""The most selected points that are added to napari's own selection, a Python set. Beyond, points are only removed."""

_DIMMED = 0.35
# Neither a colour of the scale from dark to yellow, nor the colour of selected points.
_GUEST = "magenta"


class Square(NamedTuple):
    """The square that a map fills: its centre, shape (2,), and its side, in world coordinates."""

    centre: np.ndarray
    side: float


class MapLayer:
    """The cells of a map as points that move with the embedding, and rings around the selected ones.

    The points are scaled to a square in world coordinates, or to a cube if three axes are drawn. Once the map is
    finished, ``points.features`` has the cells' keys, the map's own coordinates and the variances.

    Parameters
    ----------
    cells : CellTable
        The cells on the map.
    numbers : ndarray of int, shape (n_cells,)
        Their numbers in the session.
    square : Square
        Where the map lies.
    name : str
        The name of the layer.
    axes : tuple of int
        The axes of the map that are drawn to the right, upwards and, if there is a third one, in depth.
    units : sequence, optional
        The units of the world's axes.

    Attributes
    ----------
    points, rings : napari.layers.Points
        The layers, which the caller adds to the viewer.
    guests : list of napari.layers.Points
        Cells placed on the map later; they are removed with it.
    cells : CellTable
    cell_numbers : ndarray of int, shape (n_cells,)
    variances : ndarray of float, shape (n_cells,)
        The variances of the cells' positions.
    beyond : int
        The number of cells that lie so far out that they are drawn at the edge, to leave room for the others.
    """

    def __init__(
        self,
        cells: CellTable,
        numbers: np.ndarray,
        square: Square,
        name: str,
        axes: tuple[int, ...] = (0, 1),
        units: Sequence[object] | None = None,
    ) -> None:
        self._set_cells(cells, numbers, square, axes)
        options = {"units": None if units is None else tuple(units)[-1:] * len(axes), "metadata": {OWNED_KEY: "map"}}
        self._options: dict[str, Any] = options
        self.guests: list[Points] = []
        self.points = Points(
            self._positions[self._drawn.rows],
            name=name,
            features=self._features_drawn(),
            size=self._size,
            face_color=SCALE.map(0),
            border_color="black",
            border_width=BORDER,
            **options,
        )
        self.rings = Points(
            ndim=len(axes),
            name=f"selected on {name}",
            size=self._size,
            border_color=highlight_color(),
            border_width=0.25,
            # In 3-D, the point must not hide a part of its ring.
            blending="translucent_no_depth",
            **options,
        )
        self.points.events.data.connect(self._undo_drag)

    @property
    def n_axes(self) -> int:
        """The number of axes drawn."""
        return len(self._axes)

    def begin(
        self, cells: CellTable, numbers: np.ndarray, square: Square, name: str, axes: tuple[int, ...] = (0, 1)
    ) -> None:
        """Show other cells in the same layers, because napari takes half a second to add new ones.

        The arguments are those of a new map layer; there must be as many axes as before.
        """
        self._set_cells(cells, numbers, square, axes)
        self._put()
        self.points.name, self.rings.name = name, f"selected on {name}"
        _set_visible(self.points, True)
        self.highlight(self._chosen)

    def _set_cells(self, cells: CellTable, numbers: np.ndarray, square: Square, axes: tuple[int, ...]) -> None:
        self.cells, self.cell_numbers, self._square, self._axes = cells, numbers, square, axes
        n_cells = len(numbers)
        self.variances, self._embedding = np.ones(n_cells), np.zeros((n_cells, max(axes) + 1))
        self._features = cells.features.index.to_frame(index=False)
        self._size = float(np.clip(square.side * np.sqrt(FILL / max(n_cells, 1)), square.side / 400, square.side / 35))
        self._sizes = np.full(n_cells, self._size)
        self._colours = np.tile(SCALE.map(0), (n_cells, 1))
        self._chosen = np.zeros(n_cells, dtype=bool)
        self.beyond = 0
        # Cells without coordinates mark the corners of the square, so that a camera fitted to them shows the whole map.
        corners = np.array([[-0.5] * len(self._axes), [0.5] * len(self._axes)])
        self._positions = np.resize(self._centre + square.side * corners, (n_cells, len(self._axes)))
        self._drawn = DrawnCells(self._positions)

    def move(self, embedding: np.ndarray, variances: np.ndarray) -> None:
        """Move the points during a run, and notify nothing but the canvas.

        Parameters
        ----------
        embedding : ndarray of float, shape (n_cells, n_components)
            A single component is drawn against the variance.
        variances : ndarray of float, shape (n_cells,)
        """
        events = self.points.events
        with changed_together(self.points), events.data.blocker(), events.features.blocker():
            self._move_cells(embedding, variances)
            self.points.data = self.positions

    def finish(self, embedding: np.ndarray, variances: np.ndarray) -> None:
        """Show the finished map with all its cells; the arguments are those of `move`."""
        self._move_cells(embedding, variances)
        self._features = self._features.drop(columns=VARIANCE_COLUMN, errors="ignore").assign(
            **map_columns(embedding, variances)
        )
        self._drawn.limit(False)
        self._put()

    def show_placed(self, new: pd.DataFrame, name: str) -> Points:
        """Make a layer of cells that were placed on the finished map.

        Parameters
        ----------
        new : pandas.DataFrame
            Columns ``map_1`` to ``map_d`` and, if known, ``variance``, indexed by the cells' keys.
        name : str
            The name of the layer.

        Returns
        -------
        napari.layers.Points
            The caller adds it to the viewer.
        """
        variances = new[VARIANCE_COLUMN] if VARIANCE_COLUMN in new else pd.Series(np.nan, new.index)
        coordinates = new.drop(columns=VARIANCE_COLUMN, errors="ignore").to_numpy()
        drawn = new_cells_in_square(self._embedding, self.variances, self._axes, coordinates, variances.to_numpy())
        guests = Points(
            self._centre + self._square.side * drawn,
            name=name,
            features=new.reset_index(),
            size=1.5 * self._size,
            face_color=_GUEST,
            border_color="black",
            border_width=BORDER,
            **self._options,
        )
        self.guests.append(guests)
        return guests

    def _move_cells(self, embedding: np.ndarray, variances: np.ndarray) -> None:
        self.variances, self._embedding = variances, embedding
        drawn, self.beyond = unit_square(embedding, variances, self._axes)
        self._positions = self._centre + self._square.side * drawn

    @property
    def is_large(self) -> bool:
        """Whether there are too many cells to draw all at once."""
        return self._drawn.is_large

    @property
    def there(self) -> np.ndarray:
        """Which cells are neither hidden nor deleted by the user, whether drawn or not, shape (n_cells,)."""
        self._notice_deleted()
        return self._drawn.there

    @property
    def cell_positions(self) -> np.ndarray:
        """The world coordinates of all cells, shape (n_cells, 2 or 3)."""
        return self._positions

    @property
    def rows(self) -> np.ndarray:
        """The indices of the cells that are drawn, in the order of the points."""
        self._notice_deleted()
        return self._drawn.rows

    @property
    def numbers(self) -> np.ndarray:
        """The numbers, in the session, of the cells that are drawn, in the order of the points."""
        numbers: np.ndarray = self.cell_numbers[self.rows]
        return numbers

    @property
    def positions(self) -> np.ndarray:
        """The world coordinates of the points, shape (n_points, 2 or 3)."""
        positions: np.ndarray = self._positions[self.rows]
        return positions

    @property
    def size(self) -> float:
        """The diameter of the points, in world units."""
        return self._size

    def paint(self, colours: np.ndarray, shares: np.ndarray | None = None) -> None:
        """Set the colours and sizes of the points.

        Parameters
        ----------
        colours : ndarray of float, shape (n_cells, 4)
            RGBA from 0 to 1.
        shares : ndarray of float, shape (n_cells,), optional
            Relative sizes, from 0 for small to 1 for large points. By default all points have the same size.
        """
        rows, n_cells = self.rows, len(self._features)
        factors = np.ones(n_cells) if shares is None else LARGEST ** (shares - 0.5)
        fewer = min(np.sqrt(n_cells / max(len(rows), 1)), 4) if self._drawn.is_limited else 1.0
        self._colours, self._sizes = colours, self._size * fewer * factors
        with changed_together(self.points):
            self._apply_style()
        if self._chosen.any():
            self.highlight(self._chosen)

    def hide(self, hidden: np.ndarray) -> bool:
        """Hide these cells, and return whether other cells are drawn now.

        Parameters
        ----------
        hidden : ndarray of bool, shape (n_cells,)
        """
        self._drawn.hidden = hidden
        return self._draw_again()

    def limit_points(self, fewer: bool) -> bool:
        """Limit the points as during a run, or lift that limit; return whether other cells are drawn now."""
        self._drawn.limit(fewer)
        return self._draw_again()

    def draw_in_view(self, window: np.ndarray | None) -> bool:
        """Draw the cells in view, or a sample if there are too many, and return whether other cells are drawn now.

        Parameters
        ----------
        window : ndarray of float, shape (2, 2 or 3), or None
            The lowest and the highest world coordinates in view; None if everything is in view.
        """
        self._drawn.window = window
        return self._draw_again()

    def highlight(self, chosen: np.ndarray) -> None:
        """Ring these cells in napari's highlight colour, and dim all others.

        Parameters
        ----------
        chosen : ndarray of bool, shape (n_cells,)
        """
        self._chosen = chosen
        rows = self.rows[chosen[self.rows]]
        # Rings are a separate layer, because napari would recolour the borders of all the points.
        if len(rows) or len(self.rings.data):
            self.rings.selected_data = set()
            self.rings.data = self._positions[rows]
        if len(rows):
            self.rings.face_color = self._colours[rows]
            self.rings.size = 1.2 * self._sizes[rows]
        _set_visible(self.rings, self.points.visible)
        self.points.opacity = _DIMMED if chosen.any() else 1.0

    def leave(self) -> None:
        """Turn the points into an ordinary layer with all cells, which later maps will stand clear of."""
        self._drawn.draw_all()
        self._draw_again()
        self.points.events.data.disconnect(self._undo_drag)
        self.points.opacity = 1.0
        self.points.metadata = {OWNED_KEY: "left"}

    def _notice_deleted(self) -> None:
        """Find out which points the user has deleted from the layer."""
        if len(self._drawn.rows) != len(self.points.data):
            index = pd.MultiIndex.from_frame(self.points.features[list(KEY)])
            self._drawn.keep(self.cells.features.index.get_indexer(index))

    def _draw_again(self) -> bool:
        if np.array_equal(self.rows, self._drawn.choose(self._positions)):
            return False
        self._put()
        if self._chosen.any():
            self.highlight(self._chosen)
        return True

    def _put(self) -> None:
        """Give the layer points for the cells to draw, and no others: in 2-D, napari would draw hidden points, too."""
        self._drawn.rows = self._drawn.choose(self._positions)
        # napari's own selection is cleared, as its indices will stand for other cells; the session's selection stays.
        with self.points.selected_data.events.items_changed.blocked():
            self.points.selected_data = set()
        with changed_together(self.points):
            self.points.data = self._positions[self._drawn.rows]
            self.points.features = self._features_drawn()
            self._apply_style()

    def _apply_style(self) -> None:
        self.points.face_color = self._colours[self._drawn.rows]
        self.points.size = self._sizes[self._drawn.rows]

    def _features_drawn(self) -> pd.DataFrame:
        return self._features.iloc[self._drawn.rows].reset_index(drop=True)

    @property
    def _centre(self) -> np.ndarray:
        return np.array([*[0.0] * (len(self._axes) - 2), *self._square.centre])

    def _undo_drag(self, event: Event) -> None:
        """Undo a drag in select mode: positions are results, and cannot be moved by hand."""
        moved = event.action == "changed" and len(self.points.data) == len(self._drawn.rows)
        if moved and not np.array_equal(self.points.data, self.positions):
            self.points.data = self.positions


def _set_visible(layer: Points, visible: bool) -> None:
    if layer.visible != visible:  # napari takes 10 ms even if nothing changes
        layer.visible = visible
