"""A map as a layer of points, with rings around the selected ones."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from napari.layers import Points
from napari.utils.events import Event

from latentmap.display.colours import CodedColours
from latentmap.display.map_place import Square
from latentmap.napari_layers.changed_together import changed_together
from latentmap.napari_layers.source import OWNED_KEY
from latentmap.napari_plugin.scene.colours import SCALE
from latentmap.napari_plugin.scene.drawn_cells import DrawnCells
from latentmap.napari_plugin.scene.hollow_points import DIMMED, LEAST_HOLLOW, hollow_colours
from latentmap.napari_plugin.scene.map_positions import MapPositions
from latentmap.napari_plugin.scene.selection_rings import SelectionRings
from latentmap.session.result import VARIANCE_COLUMN, map_columns
from latentmap.table import KEY, CellTable

FILL = 0.2
"""The share of the map's square that the points would cover if none overlapped."""
LARGEST = 3.0
"""How many times larger the most uncertain points are than the most certain ones, if size shows the variance."""
BORDER = 0.05
"""The width of a point's border, as a fraction of its size."""
MIRRORED = 5000
"""The most selected points that are added to napari's own selection, a Python set. Beyond, points are only removed."""

# Cells by where they are drawn at the edge (`MapPositions.edges`); napari has no triangles that point to the sides.
_SYMBOLS = np.array(["disc", "triangle_up", "triangle_down", "diamond"])
# Over how many pixels the edge of a point is smoothed on each side. With napari's 1, small points are mostly dark
# border, and without a graphics card they take half as long again to draw.
_SMOOTHING = 0.4
# The diameter of points on the screen: of a single one, and the least and greatest, in pixels.
_PIXELS, _SMALLEST, _LARGEST = 24.0, 3.0, 12.0
# The same as a share of the map's square, so large that the limit in pixels holds.
_WIDE = 1 / 15
# Neither a colour of the scale from dark to yellow, nor the colour of selected points.
_GUEST = "magenta"


Colours = CodedColours | np.ndarray


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
    by_software : callable
        Returns whether the points are drawn without a graphics card, so that fewer of them are drawn.
    theme : str
        The theme of the viewer, in which rings stand out from the background.

    Attributes
    ----------
    points, rings : napari.layers.Points
        The layers, which the caller adds to the viewer.
    guests : list of napari.layers.Points
        Cells placed on the map later; they are removed with it.
    cells : CellTable
    cell_numbers : ndarray of int, shape (n_cells,)
    hollow : ndarray of bool, shape (n_cells,), or None
        The cells that are drawn hollow from the next `paint` on; None for none.
    """

    def __init__(
        self,
        cells: CellTable,
        numbers: np.ndarray,
        square: Square,
        name: str,
        axes: tuple[int, ...] = (0, 1),
        units: Sequence[object] | None = None,
        by_software: Callable[[], bool] = lambda: False,
        theme: str = "dark",
    ) -> None:
        self._by_software = by_software
        self._has_symbols = self._is_dimmed = self._has_hollow = self._fades_others = False
        self._at = MapPositions(len(numbers), square, axes)
        self._set_cells(cells, numbers)
        self._options: dict[str, Any] = {
            "units": None if units is None else tuple(units)[-1:] * len(axes),
            "metadata": {OWNED_KEY: "map"},
            "antialiasing": _SMOOTHING,
        }
        self.guests: list[Points] = []
        self.points = Points(
            self._at.world[self._drawn.rows],
            name=name,
            features=self._features_drawn(),
            size=self._sizes[0] if len(self._sizes) else 1.0,
            face_color=SCALE.map(0),
            border_color="black",
            border_width=BORDER,
            canvas_size_limits=self._limits(),
            **self._options,
        )
        self._rings = SelectionRings(f"selected on {name}", len(axes), self._size, theme, self._options)
        self.rings = self._rings.layer
        self.points.events.data.connect(self._undo_drag)
        self.points.events.visible.connect(self._follow_eye)

    @property
    def square(self) -> Square:
        """Where the map lies."""
        return self._at.square

    @property
    def n_axes(self) -> int:
        """The number of axes drawn."""
        return len(self._at.axes)

    def begin(
        self, cells: CellTable, numbers: np.ndarray, square: Square, name: str, axes: tuple[int, ...] = (0, 1)
    ) -> None:
        """Show other cells in the same layers, because napari takes half a second to add new ones.

        The arguments are those of a new map layer; there must be as many axes as before.
        """
        self._at = MapPositions(len(numbers), square, axes, self._at.shows_all)
        self._set_cells(cells, numbers)
        self._put(self._drawn.rows, thumbnail=False)
        self.points.name, self.rings.name = name, f"selected on {name}"
        _set_visible(self.points, True)
        self.highlight(self._chosen)

    def _set_cells(self, cells: CellTable, numbers: np.ndarray) -> None:
        self.cells, self.cell_numbers = cells, numbers
        n_cells, side = len(numbers), self._at.square.side
        self._columns: dict[str, np.ndarray] = {}
        self._size = float(np.clip(side * np.sqrt(FILL / max(n_cells, 1)), side / 400, side / 35))
        self._sizes = np.full(n_cells, side * _WIDE)
        self._colours: Colours = CodedColours(SCALE.map([0.0]), np.zeros(n_cells, dtype=np.int16))
        self._chosen = np.zeros(n_cells, dtype=bool)
        self.hollow: np.ndarray | None = None
        self._is_sized, self._magnified = False, 1.0
        self._drawn = DrawnCells(self._at.world, self._by_software)
        self._styled = self._style(self._drawn.rows)

    def move(self, embedding: np.ndarray, variances: np.ndarray, turn: np.ndarray | None = None) -> None:
        """Move the points during a run, and notify nothing but the canvas.

        Parameters
        ----------
        embedding : ndarray of float, shape (n_cells, n_components)
            A single component is drawn against the variance.
        variances : ndarray of float, shape (n_cells,)
        turn : ndarray, optional
            By which the map is drawn; see :class:`~latentmap.session.Result`.
        """
        events = self.points.events
        with changed_together(self.points), events.data.blocker(), events.features.blocker():
            self._at.move(embedding, variances, turn)
            self.points.data = self.positions

    def finish(
        self, embedding: np.ndarray, variances: np.ndarray, turn: np.ndarray | None = None, fewer: bool = False
    ) -> None:
        """Show the finished map, by fewer points if `limit_points` follows; the other arguments are those of `move`."""
        self._at.move(embedding, variances, turn)
        self._columns = map_columns(embedding, variances)
        self._drawn.limit(fewer)
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
        guests = Points(
            self._at.of_new(coordinates, variances.to_numpy()),
            name=name,
            features=new.reset_index(),
            size=1.5 * _WIDE * self._at.square.side,
            canvas_size_limits=(0.0, 1.5 * self.pixels),
            face_color=_GUEST,
            border_color="black",
            border_width=BORDER,
            **self._options,
        )
        self.guests.append(guests)
        return guests

    @property
    def variances(self) -> np.ndarray:
        """The variances of the cells' positions, shape (n_cells,)."""
        return self._at.variances

    @property
    def beyond(self) -> int:
        """The number of cells that lie so far out that they are drawn at the edge, to leave room for the others."""
        return int(np.count_nonzero(self._at.edges[self.there]))

    def show_all(self, shows_all: bool) -> bool:
        """Fit the map to all cells, or draw those far out at its edge; return whether this changes anything."""
        if not self._at.show_all(shows_all):
            return False
        self._put()
        self.highlight(self._chosen)
        return True

    @property
    def is_large(self) -> bool:
        """Whether there are too many cells to draw all at once."""
        return self._drawn.is_large

    @property
    def n_at_rest(self) -> int:
        """How many cells are drawn at most when there is no run."""
        self._notice_deleted()
        return self._drawn.n_at_rest

    @property
    def there(self) -> np.ndarray:
        """Which cells are neither hidden nor deleted by the user, whether drawn or not, shape (n_cells,)."""
        self._notice_deleted()
        return self._drawn.there

    @property
    def cell_positions(self) -> np.ndarray:
        """The world coordinates of all cells, shape (n_cells, 2 or 3)."""
        return self._at.world

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
        positions: np.ndarray = self._at.world[self.rows]
        return positions

    @property
    def colours(self) -> Colours:
        """The colour of each cell, as RGBA from 0 to 1, by its row."""
        return self._colours

    @property
    def size(self) -> float:
        """The diameter of the points in world units, where it is not limited on the screen."""
        return self._size

    @property
    def pixels(self) -> float:
        """The diameter of the points on the screen, in pixels, or its mean if size shows the variance."""
        return float(np.clip(_PIXELS * max(len(self._drawn.rows), 1) ** -0.2, _SMALLEST, _LARGEST))

    def magnify(self, zoom: float) -> None:
        """Keep points whose size shows the variance as large on the screen as others, after a change of the zoom."""
        magnified = self.pixels / (self._size * zoom)
        if self._is_sized and not np.isclose(magnified, self._magnified):
            self._sizes *= magnified / self._magnified
            self._magnified = magnified
            self.points.size = self._sizes[self.rows]
            self.highlight(self._chosen)

    def _limits(self) -> tuple[float, float]:
        """The smallest and the largest diameter of points on the screen, in pixels."""
        # None but 0 as the smallest: vispy draws borders half as thick as the smallest point may be.
        return 0.0, LARGEST * self.pixels if self._is_sized else self.pixels

    def paint(self, colours: Colours, shares: np.ndarray | None = None) -> None:
        """Set the colours and sizes of the points.

        Parameters
        ----------
        colours : CodedColours, or ndarray of float, shape (n_cells, 4)
            RGBA from 0 to 1.
        shares : ndarray of float, shape (n_cells,), optional
            Relative sizes, from 0 for small to 1 for large points. By default all points have the same size.
        """
        has_hollow = self.hollow is not None and bool(self.hollow.any())
        self._is_sized, self._colours = shares is not None or has_hollow, colours
        self._sizes = self._relative_sizes(shares)
        if has_hollow:
            least = self._size * self._magnified * LEAST_HOLLOW / self.pixels
            self._sizes[self.hollow] = np.maximum(self._sizes[self.hollow], least)
        style = self._style(self.rows)
        # Otherwise software would draw all points anew for nothing.
        if not all(np.array_equal(new, old) for new, old in zip(style, self._styled, strict=True)):
            with changed_together(self.points):
                self._apply_style()
        if self._chosen.any():
            self.highlight(self._chosen)

    def _relative_sizes(self, shares: np.ndarray | None) -> np.ndarray:
        n_cells = len(self.cell_numbers)
        if shares is None:
            # So large that the limit in pixels holds, unless some are to be larger than others.
            return np.full(n_cells, self._size * self._magnified if self._is_sized else self._at.square.side * _WIDE)
        fewer = min(np.sqrt(n_cells / max(len(self.rows), 1)), 4) if self._drawn.is_limited else 1.0
        sizes: np.ndarray = self._size * fewer * self._magnified * LARGEST ** (shares - 0.5)
        return sizes

    def hide(self, hidden: np.ndarray) -> bool:
        """Hide these cells, and return whether other cells are drawn now.

        Parameters
        ----------
        hidden : ndarray of bool, shape (n_cells,)
        """
        # The cells drawn on a map that moves stay the same: giving napari other points takes as long as moving them.
        if self._drawn.is_limited and np.array_equal(hidden, self._drawn.hidden):
            self._notice_deleted()
            return False
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
        """Ring these cells, which keep their colours, and dim all others.

        Parameters
        ----------
        chosen : ndarray of bool, shape (n_cells,)
        """
        self._chosen = chosen
        rows = self.rows[chosen[self.rows]]
        faces, sizes, hollow, _ = self._style(rows)
        self._rings.show(
            self._at.world[rows],
            faces,
            sizes,
            hollow,
            pixels=self.pixels,
            largest=self._limits()[1],
            relative=sizes / (self._size * self._magnified) if self._is_sized else None,
        )
        self._follow_eye()
        self._fade()

    def dim(self, is_dimmed: bool) -> None:
        """Dim all cells, because some that are drawn above them stand out."""
        if is_dimmed != self._is_dimmed:
            self._is_dimmed = is_dimmed
            self._fade()

    def dress(self, theme: str) -> None:
        """Draw the rings so that they stand out from the background in a theme."""
        self._rings.dress(theme)
        self.highlight(self._chosen)
        if self._has_hollow:
            self._hollow_out(self.rows)

    def leave(self) -> None:
        """Turn the points into an ordinary layer with all cells, which later maps will stand clear of."""
        self._drawn.draw_all()
        self._draw_again()
        self.points.events.data.disconnect(self._undo_drag)
        self.points.events.visible.disconnect(self._follow_eye)
        self._is_dimmed, self._chosen = False, np.zeros_like(self._chosen)
        self._fade()
        self.points.metadata = {OWNED_KEY: "left"}

    def _notice_deleted(self) -> None:
        """Find out which points the user has deleted from the layer."""
        if len(self._drawn.rows) != len(self.points.data):
            index = pd.MultiIndex.from_frame(self.points.features[list(KEY)])
            self._drawn.keep(self.cells.features.index.get_indexer(index))

    def _draw_again(self) -> bool:
        rows = self._drawn.choose(self._at.world)
        if np.array_equal(self.rows, rows):
            return False
        self._put(rows, thumbnail=not self._drawn.is_limited)
        if self._chosen.any():
            self.highlight(self._chosen)
        return True

    def _put(self, rows: np.ndarray | None = None, thumbnail: bool = True) -> None:
        """Give the layer points for the cells to draw, and no others: in 2-D, napari would draw hidden points, too."""
        self._drawn.rows = self._drawn.choose(self._at.world) if rows is None else rows
        # napari's own selection is cleared, as its indices will stand for other cells; the session's selection stays.
        with self.points.selected_data.events.items_changed.blocked():
            self.points.selected_data = set()
        with changed_together(self.points, thumbnail):
            self.points.data = self._at.world[self._drawn.rows]
            self.points.features = self._features_drawn()
            self._apply_style()

    def _style(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The colours and sizes of cells, which are hollow, and where they are drawn at the edge."""
        is_hollow = np.zeros(len(rows), dtype=bool) if self.hollow is None else self.hollow[rows]
        return self._colours[rows], self._sizes[rows], is_hollow, self._at.edges[rows]

    def _apply_style(self) -> None:
        rows = self._drawn.rows
        self._styled = self._style(rows)
        self.points.face_color, self.points.size, _, symbols = self._styled
        if self.points.canvas_size_limits != self._limits():
            self.points.canvas_size_limits = self._limits()
        if self.hollow is not None or self._has_hollow:
            self._hollow_out(rows)
            self._fade()
        if symbols.any() or self._has_symbols:
            self._has_symbols = bool(symbols.any())
            self.points.symbol = _SYMBOLS[symbols]

    def _hollow_out(self, rows: np.ndarray) -> None:
        """Draw hollow cells as rings of their colour that are hardly dimmed, and all others as usual."""
        colours, _, hollow, _ = self._style(rows)
        self._has_hollow = bool(hollow.any())
        self._fades_others = self._has_hollow and self._stands_back
        drawn = hollow_colours(colours, hollow, BORDER, self._rings.colour, dimmed=self._fades_others)
        self.points.face_color, self.points.border_color, self.points.border_width = drawn

    @property
    def _stands_back(self) -> bool:
        """Whether cells above these points stand out."""
        return self._is_dimmed or bool(self._chosen.any())

    def _fade(self) -> None:
        """Dim the points, or no more; the layer has one opacity, so that hollow ones need their own."""
        if self._has_hollow and self._fades_others != self._stands_back:
            with changed_together(self.points):
                self._hollow_out(self.rows)
        self.points.opacity = DIMMED if self._stands_back and not self._has_hollow else 1.0

    def _features_drawn(self) -> pd.DataFrame:
        rows = self._drawn.rows
        keys = self.cells.features.index[rows].to_frame(index=False)
        return keys.assign(**{name: column[rows] for name, column in self._columns.items()})

    def _follow_eye(self) -> None:
        """Show the rings with the points, and hide them with the points."""
        _set_visible(self.rings, self.points.visible)

    def _undo_drag(self, event: Event) -> None:
        """Undo a drag in select mode: positions are results, and cannot be moved by hand."""
        moved = event.action == "changed" and len(self.points.data) == len(self._drawn.rows)
        if moved and not np.array_equal(self.points.data, self.positions):
            self.points.data = self.positions


def _set_visible(layer: Points, visible: bool) -> None:
    if layer.visible != visible:  # napari takes 10 ms even if nothing changes
        layer.visible = visible
