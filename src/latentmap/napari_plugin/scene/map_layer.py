"""A map as a layer of points, with the selected ones ringed."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from napari.layers import Points
from napari.utils.events import Event

from latentmap.napari_plugin.cell_layers.highlight import highlight_color
from latentmap.napari_plugin.cell_layers.source import OWN
from latentmap.napari_plugin.scene.colours import SCALE
from latentmap.napari_plugin.scene.thinning import thinned
from latentmap.session.run import map_columns
from latentmap.table import KEY, CellTable

FILL = 0.2
"""The share of the map's square that the points would cover if none overlapped."""
LARGEST = 3.0
"""How much larger the points of the most uncertain places are drawn, if their size is to show it."""
BORDER = 0.05
"""The width of a point's border, as a share of its size."""
MOST = 100_000
"""How many points are drawn at once; more of them lie upon one another on any screen, and take seconds."""
MOVING = 4000
"""How many points are drawn while the map still moves; a redraw of more of them would hold the window up."""
MIRRORED = 5000
"""Up to how many selected points napari's own selection follows: it is a Python set."""

# Where this share of the cells, at either end of an axis, makes the map this much wider, they are drawn at its edge.
_STRAY = 0.002
_SQUEEZE = 1.5
_DIMMED = 0.35


class Square(NamedTuple):
    """Where a map lies.

    Attributes
    ----------
    centre : ndarray of float, shape (2,)
        World coordinates.
    side : float
        In world units.
    """

    centre: np.ndarray
    side: float


class MapLayer:
    """Points that show cells on a map and move with the embedding, and rings around the selected ones.

    The points lie in world coordinates, in a square (a cube if three axes are drawn); the map's own coordinates, the
    variances and the cells' keys stand in ``points.features`` once the map is finished.

    Parameters
    ----------
    cells : CellTable
        The cells on the map.
    numbers : ndarray of int, shape (n_cells,)
        Their numbers in the session.
    square : Square
        Where the map lies.
    name : str
        What its layer is called.
    axes : tuple of int
        The map's axes that are drawn to the right, upwards and, if there is a third, away.
    units : sequence, optional
        Of the world's axes.

    Attributes
    ----------
    points, rings : napari.layers.Points
        The layers, to be added to the viewer by the caller.
    cells : CellTable
    cell_numbers : ndarray of int, shape (n_cells,)
    variances : ndarray, shape (n_cells,)
        How uncertain their places are.
    beyond : int
        How many cells lie so far out that they are drawn at the edge, lest they squeeze the others.
    """

    def __init__(
        self,
        cells: CellTable,
        numbers: np.ndarray,
        square: Square,
        name: str,
        axes: tuple[int, ...] = (0, 1),
        units: Any = None,
    ) -> None:
        self._take(cells, numbers, square, axes)
        look = {"units": None if units is None else tuple(units)[-1:] * len(axes), "metadata": {OWN: "map"}}
        self.points = Points(
            self._places[self._rows],
            name=name,
            features=self._keys.iloc[self._rows].reset_index(drop=True),
            size=self._size,
            face_color=SCALE.map(0),
            border_color="black",
            border_width=BORDER,
            **look,
        )
        self.rings = Points(
            ndim=len(axes),
            name=f"selected on {name}",
            size=self._size,
            border_color=highlight_color(),
            border_width=0.25,
            # In the depth a ring must not be cut by the point that it is around.
            blending="translucent_no_depth",
            **look,
        )
        self.points.events.data.connect(self._put_back)

    @property
    def n_axes(self) -> int:
        """How many axes are drawn."""
        return len(self._axes)

    def begin(
        self, cells: CellTable, numbers: np.ndarray, square: Square, name: str, axes: tuple[int, ...] = (0, 1)
    ) -> None:
        """Show other cells from now on, in the same layers: napari takes half a second to put others in their place.

        Parameters
        ----------
        cells, numbers, square, name, axes
            As for a new one; there must be as many axes as before.
        """
        self._take(cells, numbers, square, axes)
        self._let_go()
        with self.drawn_once():
            self.points.data = self._places[self._rows]
            self.points.features = self._keys.iloc[self._rows].reset_index(drop=True)
            self.points.size = self._size
            self._thin()
        self.points.name, self.rings.name = name, f"selected on {name}"
        self.points.visible = True
        self.highlight(self._ringed)

    def _take(self, cells: CellTable, numbers: np.ndarray, square: Square, axes: tuple[int, ...]) -> None:
        self.cells, self.cell_numbers, self._square, self._axes = cells, numbers, square, axes
        n_cells = len(numbers)
        self.variances = np.ones(n_cells)
        self._keys = cells.features.index.to_frame(index=False)
        self._size = float(np.clip(square.side * np.sqrt(FILL / max(n_cells, 1)), square.side / 400, square.side / 35))
        self._rows = np.arange(n_cells)
        self._is_sample = n_cells > MOVING
        if self._is_sample:
            self._rows = np.sort(np.random.default_rng(0).choice(n_cells, MOVING, replace=False))
        self._ringed = np.empty(0, dtype=np.int64)
        self._hidden = np.zeros(n_cells, dtype=bool)
        self._window: np.ndarray | None = None
        self.beyond = 0
        # Until they have a place the cells mark the square's corners: a camera fitted to them will show all of the map.
        corners = np.array([[-0.5] * len(self._axes), [0.5] * len(self._axes)])
        self._places = np.resize(self._centre + square.side * corners, (n_cells, len(self._axes)))

    @contextmanager
    def drawn_once(self) -> Generator[None, None, None]:
        """Has napari take up all changes to the points together: one by one they cost it four times as much."""
        points = self.points
        with points._block_refresh(), points._face.events.blocker_all(), points.events.face_color.blocker():
            yield
        points.refresh()

    def move(self, embedding: np.ndarray, variances: np.ndarray) -> None:
        """Move the points of a map that is being made; nobody but the canvas hears of it.

        Parameters
        ----------
        embedding : ndarray, shape (n_cells, n_components)
            The axes named are drawn; a single component is drawn against the variance.
        variances : ndarray, shape (n_cells,)
        """
        events = self.points.events
        with self.drawn_once(), events.data.blocker(), events.features.blocker():
            self._place(embedding, variances, self.rows)

    def finish(self, embedding: np.ndarray, variances: np.ndarray) -> None:
        """Show the finished map, with all its cells.

        Parameters
        ----------
        embedding : ndarray, shape (n_cells, n_components)
        variances : ndarray, shape (n_cells,)
        """
        rows = np.arange(len(self._keys)) if self._is_sample else self.rows
        if self._is_sample:
            self._let_go()
        self._rows, self._is_sample = rows, False
        with self.drawn_once():
            self._place(embedding, variances, rows)
            self._thin()
            features = self._keys.assign(**map_columns(embedding, variances))
            self.points.features = features.iloc[rows].reset_index(drop=True)

    def _let_go(self) -> None:
        """Select none of napari's points: they are to be others, while the cells selected stay so."""
        with self.points.selected_data.events.items_changed.blocked():
            self.points.selected_data = set()

    def _place(self, embedding: np.ndarray, variances: np.ndarray, rows: np.ndarray) -> None:
        self.variances = variances
        drawn, self.beyond = _unit_square(embedding, variances, self._axes)
        self._places = self._centre + self._square.side * drawn
        self.points.data = self._places[rows]

    @property
    def numbers(self) -> np.ndarray:
        """The cells' numbers in the session, in the points' order, which changes when the user deletes points."""
        return self.cell_numbers[self.rows]

    @property
    def rows(self) -> np.ndarray:
        """Which cells the points are, in the points' order; the user may have deleted some."""
        if len(self._rows) != len(self.points.data):
            left = pd.MultiIndex.from_frame(self.points.features[list(KEY)])
            self._rows = self.cells.features.index.get_indexer(left)
        return self._rows

    @property
    def places(self) -> np.ndarray:
        """Where the points lie, in world coordinates, shape (n_points, 2 or 3)."""
        return self._places[self.rows]

    @property
    def size(self) -> float:
        """The points' diameter, in world units."""
        return self._size

    def paint(self, colours: np.ndarray, shares: np.ndarray | None = None) -> None:
        """Colour the points, and draw them in sizes.

        Parameters
        ----------
        colours : ndarray of float, shape (n_cells, 4)
            From 0 to 1.
        shares : ndarray of float, shape (n_cells,), optional
            From 0 for small points to 1 for large ones; all are alike if there are none.
        """
        rows = self.rows
        factors = np.ones(len(self._keys)) if shares is None else LARGEST ** (shares - 0.5)
        fewer = min(np.sqrt(len(self._keys) / max(len(rows), 1)), 4) if self._is_sample else 1.0
        with self.drawn_once():
            self.points.face_color = colours[rows]
            self.points.size = self._size * fewer * factors[rows]
        if len(self._ringed):
            self.highlight(self._ringed)

    @property
    def hidden(self) -> np.ndarray:
        """Which points are those of cells that are hidden, shape (n_points,)."""
        return self._hidden[self.rows]

    @property
    def n_not_drawn(self) -> int:
        """How many points are left out, though they are not hidden, because they would be too many."""
        return int(np.count_nonzero(~self.hidden & ~self.points.shown))

    def hide(self, hidden: np.ndarray) -> None:
        """Draw some cells no more.

        Parameters
        ----------
        hidden : ndarray of bool, shape (n_cells,)
        """
        self._hidden = hidden
        self._thin()

    def look(self, window: np.ndarray | None) -> None:
        """Draw what is in view; of a large map not more of it than there is room for.

        Parameters
        ----------
        window : ndarray of float, shape (2, 2 or 3), or None
            The lowest and the highest world coordinates in view; None is everywhere.
        """
        self._window = window
        if self._thin() and len(self._ringed):
            self.highlight(self._ringed)

    def _thin(self) -> bool:
        """Draw the points that are to be drawn now, and say whether they are others than before."""
        drawn = thinned(self.places, ~self.hidden, self._window, MOST)
        if np.array_equal(self.points.shown, drawn):
            return False
        self.points.shown = drawn
        return True

    def highlight(self, rows: np.ndarray) -> None:
        """Ring some points in napari's highlight colour, and dim all others.

        Parameters
        ----------
        rows : ndarray of int
            The points.
        """
        self._ringed = rows
        rows = rows[self.points.shown[rows]]
        # A layer of their own: napari would colour the borders of a million points anew.
        if len(rows) or len(self.rings.data):
            self.rings.selected_data = set()
            self.rings.data = self.places[rows]
        if len(rows):
            self.rings.face_color = self.points.face_color[rows]
            self.rings.size = 1.2 * np.asarray(self.points.size)[rows]
        # Without points there is nothing to be seen of it, and napari takes 10 ms to make a layer visible.
        self.rings.visible = self.points.visible
        self.points.opacity = _DIMMED if len(self._ringed) else 1.0

    def leave(self) -> None:
        """Make the points a layer like any other: the next map may not lie on it."""
        self.points.events.data.disconnect(self._put_back)
        self.points.opacity = 1.0
        self.points.shown = ~self.hidden
        self.points.metadata = {OWN: "left"}

    @property
    def _centre(self) -> np.ndarray:
        return np.array([*[0.0] * (len(self._axes) - 2), *self._square.centre])

    def _put_back(self, event: Event) -> None:
        """Undo a drag in select mode: where a cell lies is a result, and no one's hand moves it."""
        moved = event.action == "changed" and len(self.points.data) == len(self._rows)
        if moved and not np.array_equal(self.points.data, self._places[self._rows]):
            self.points.data = self._places[self._rows]


def _unit_square(embedding: np.ndarray, variances: np.ndarray, axes: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """(Planes,) rows and columns from -1/2 to 1/2, several components in their common scale; and how many cells are
    drawn nearer than they are.
    """
    one = embedding.shape[1] == 1
    # An axis a row: numpy goes along rows many times faster.
    if one:
        drawn = np.array([-np.log10(np.maximum(variances, np.finfo(float).tiny)), embedding[:, 0]])
    else:
        across, up, *deep = (embedding[:, axis] for axis in axes)
        drawn = np.array([*deep, -up, across])
    low, high = drawn.min(axis=1, keepdims=True), drawn.max(axis=1, keepdims=True)
    n_points = drawn.shape[1]
    stray = min(int(np.ceil(_STRAY * n_points)), (n_points - 1) // 2)
    ends = [stray, n_points - 1 - stray]
    ordered = np.partition(drawn, ends)
    most_low, most_high = (ordered[:, [end]] for end in ends)
    if np.max(high - low) > _SQUEEZE * np.max(most_high - most_low) > 0:
        margin = 0.1 * (most_high - most_low)
        low, high = np.maximum(low, most_low - margin), np.minimum(high, most_high + margin)
    beyond = np.any((drawn < low) | (drawn > high), axis=0)
    extent = high - low if one else np.max(high - low)
    unit = (drawn - (low + high) / 2) / np.where(extent > 0, extent, 1)
    return np.clip(unit, -0.5, 0.5).T, int(beyond.sum())
