"""The map as a points layer beside the image."""

import numpy as np
import pandas as pd
from napari.layers import Labels, Points
from napari.settings import get_settings
from napari.utils.events import Event

from latentmap.napari_plugin.colours import SCALE
from latentmap.session.run import map_columns
from latentmap.table import KEY, CellTable

GAP = 0.05
"""The gap between the image and the map, in heights of the image."""
FILL = 0.2
"""The share of the map's square that the points would cover if none overlapped."""

LARGEST = 3.0
"""How much larger the points of the most uncertain places are drawn, if their size is to show it."""
BORDER = 0.05
"""The width of a point's border, as a share of its size."""


class MapLayer:
    """A points layer that shows cells on a map and moves with the embedding.

    The points lie in world coordinates, in a square as high as the labels; the map's own coordinates, the variances and
    the cells' keys stand in ``points.features``.

    Parameters
    ----------
    labels : napari.layers.Labels
        The layer that the cells come from.
    cells : CellTable
        The cells on the map.
    left : float
        Where the square begins: the right-hand end of what is there already, in world units.

    Attributes
    ----------
    points : napari.layers.Points
        The layer, to be added to the viewer by the caller.
    cells : CellTable
        The cells on the map.
    variances : ndarray, shape (n_cells,)
        How uncertain their places are.
    """

    def __init__(self, labels: Labels, cells: CellTable, left: float) -> None:
        top, bottom = np.asarray(labels.extent.world)[:, -2]
        self._side = float(bottom - top) or 1.0
        self._centre = np.array([(top + bottom) / 2, left + (0.5 + GAP) * self._side])
        self.cells = cells
        self.variances = np.ones(len(cells.features))
        self._keys = cells.features.index.to_frame(index=False)
        self._rows = np.arange(len(self._keys))
        n_cells = len(self._keys)
        self._size = float(np.clip(self._side * np.sqrt(FILL / n_cells), self._side / 250, self._side / 25))
        # Until they have a place the cells mark the square's corners: a camera fitted to them will show all of the map.
        self._places = np.resize(self._centre + self._side * np.array([[-0.5, -0.5], [0.5, 0.5]]), (n_cells, 2))
        self.points = Points(
            self._places.copy(),
            name=f"map of {labels.name}",
            features=self._keys.assign(variance=1.0),
            size=self._size,
            face_color=SCALE.map(0),
            border_color="black",
            border_width=BORDER,
            units=labels.units[-2:],
        )
        self.points.events.data.connect(self._put_back)

    def show(self, embedding: np.ndarray, variances: np.ndarray) -> None:
        """Move the points.

        Parameters
        ----------
        embedding : ndarray, shape (n_cells, n_components)
            The first two components are drawn, the first to the right and the second upwards; a single one is drawn
            against the variance. All of them stand in the layer's features.
        variances : ndarray, shape (n_cells,)
        """
        self.variances = variances
        self._places = self._centre + self._side * _unit_square(embedding, variances)
        self.points.data = self._places.copy()  # a drag changes the layer's array in place
        self.points.features = self._keys.assign(**map_columns(embedding, variances))

    @property
    def rows(self) -> np.ndarray:
        """Which cells the points are, in the points' order; the user may have deleted some."""
        if len(self._rows) != len(self.points.data):
            left = pd.MultiIndex.from_frame(self.points.features[list(KEY)])
            self._rows = self.cells.features.index.get_indexer(left)
        return self._rows

    def paint(self, colours: np.ndarray, shares: np.ndarray | None = None) -> None:
        """Colour the points, and draw them in sizes.

        Parameters
        ----------
        colours : ndarray of float, shape (n_cells, 4)
            From 0 to 1.
        shares : ndarray of float, shape (n_cells,), optional
            From 0 for small points to 1 for large ones; all are alike if there are none.
        """
        self.points.face_color = colours[self.rows]
        factors = np.ones(len(self._keys)) if shares is None else LARGEST ** (shares - 0.5)
        self.points.size = self._size * factors[self.rows]

    def highlight(self, rows: np.ndarray) -> None:
        """Ring some points in napari's highlight colour, which napari itself does only while their layer is active.

        Parameters
        ----------
        rows : ndarray of int
            The points; the rings of all others are taken away.
        """
        lit = np.zeros(len(self.points.data), dtype=bool)
        lit[rows] = True
        self.points.border_color = np.where(lit[:, None], highlight_color(), [0.0, 0.0, 0.0, 1.0])
        self.points.border_width = np.where(lit, 0.4, BORDER)

    def _put_back(self, event: Event) -> None:
        """Undo a drag in select mode: where a cell lies is a result, and no one's hand moves it."""
        moved = event.action == "changed" and len(self.points.data) == len(self._places)
        if moved and not np.array_equal(self.points.data, self._places):
            self.points.data = self._places.copy()


def highlight_color() -> np.ndarray:
    """Return the colour that the user's napari marks selected things with.

    Returns
    -------
    ndarray of float, shape (4,)
        Red, green, blue and opacity, from 0 to 1.
    """
    return np.asarray(get_settings().appearance.highlight.highlight_color, dtype=float)


def _unit_square(embedding: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Rows and columns within [-1/2, 1/2]; two components keep their common scale."""
    if embedding.shape[1] == 1:
        across, up = embedding[:, 0], _log(variances)
    else:
        across, up = embedding[:, 0], embedding[:, 1]
    drawn = np.column_stack([-up, across])
    low, high = drawn.min(axis=0), drawn.max(axis=0)
    extent = high - low if embedding.shape[1] == 1 else np.max(high - low)
    return (drawn - (low + high) / 2) / np.where(extent > 0, extent, 1)


def _log(variances: np.ndarray) -> np.ndarray:
    return np.log10(np.maximum(variances, np.finfo(float).tiny))
