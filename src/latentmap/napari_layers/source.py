"""A layer of cells of any kind: finding and highlighting the cells in it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from napari.components import ViewerModel
from napari.layers import Layer, Tracks
from napari.utils.events import EventEmitter

from latentmap.display.label_plane import CoveredCells
from latentmap.display.region import Region
from latentmap.napari_layers.mouse_event import MouseEvent
from latentmap.table import KEY, CellTable
from latentmap.table.whole_numbers import whole_or_none

OWNED_KEY = "latentmap"
"""The metadata entry that marks layers made by latentmap, which are neither layers of cells nor images to measure."""

COLOURS_KEY = "latentmap_colours"
"""The metadata entry with the colours that a table gives the groups of its columns."""

TRANSFORM_ATTRIBUTES = ("scale", "translate", "rotate", "shear", "affine", "units")
"""The attributes that position a layer in world coordinates."""


class CellColours(NamedTuple):
    """The colours of the cells of one layer.

    Attributes
    ----------
    cells : CoveredCells
    codes : ndarray of uint8, shape (n_cells,)
        The code of each cell's colour, from 1.
    palette : ndarray of float, shape (n_colours, 4)
        The colour of each code, beginning with that of code 1.
    """

    cells: CoveredCells
    codes: np.ndarray
    palette: np.ndarray


class View(NamedTuple):
    """What a viewer displays.

    Attributes
    ----------
    point : ndarray of float, shape (ndim,)
        World coordinates of the current slice, one for each axis of the viewer.
    displayed : tuple of int
        The displayed axes, rows before columns.
    zoom : float
        Screen pixels per world unit.
    """

    point: np.ndarray
    displayed: tuple[int, ...]
    zoom: float

    @classmethod
    def of(cls, viewer: ViewerModel) -> "View":
        """Return what a viewer displays now."""
        dims = viewer.dims
        return cls(np.array(dims.point), tuple(dims.displayed), viewer.scene.camera.zoom)


class Source(ABC):
    """A layer of cells in a viewer.

    Cells are identified by frame and label, never by the order of rows.

    Parameters
    ----------
    layer : napari.layers.Layer
    name : str
        The layer's name in the keys of cells, which stays when the user renames the layer.

    Attributes
    ----------
    highlight : napari.layers.Layer
        Highlights chosen cells; the caller adds it to the viewer, above the layer.
    has_frames_on_map : bool
        Whether the layer's cells on the maps in view are those of a film, whatever its features have become since.
    """

    highlight: Layer
    has_frames_on_map = False

    def __init__(self, layer: Layer, name: str) -> None:
        self.layer, self.name = layer, name
        self._shown = CoveredCells.none()
        self._colours: CellColours | None = None
        self._opacity: float | None = None
        self._is_dimming = self._is_left_alone = False

    def open(self) -> None:
        """Follow changes of the layer's position and name."""
        self._follow()
        for name in TRANSFORM_ATTRIBUTES:
            self.layer.events[name].connect(self._follow)
        self.layer.events.name.connect(self._follow)
        self.layer.events.opacity.connect(self._opacity_changed)

    def close(self) -> None:
        """Stop following the layer, and restore its opacity."""
        self.layer.events.opacity.disconnect(self._opacity_changed)
        self._dim(1.0)
        for name in TRANSFORM_ATTRIBUTES:
            self.layer.events[name].disconnect(self._follow)
        self.layer.events.name.disconnect(self._follow)

    def _follow(self) -> None:
        """Give the highlight the position and the name of the layer."""
        for name in TRANSFORM_ATTRIBUTES:
            setattr(self.highlight, name, getattr(self.layer, name))
        self.highlight.name = f"selected {self.layer.name}"

    @abstractmethod
    def table(self) -> CellTable:
        """Return the layer's cells and their features.

        Raises
        ------
        ValueError
            If the layer's features do not identify the cells; the message says what to do.
        """

    def rows(self) -> pd.DataFrame:
        """Return the layer's features, with columns that identify the cell of each row."""
        features: pd.DataFrame = self.layer.features
        return features

    def keys(self) -> pd.MultiIndex:
        """Return the key of each row of the layer's features; the label is 0 if a row has no cell.

        Raises
        ------
        ValueError
            If the features say nothing of labels.
        """
        return pd.MultiIndex.from_arrays(self.parts(), names=KEY)

    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the parts of these keys: names of layers, frames and labels, shape (n_rows,) each."""
        rows = self.rows()
        if not {"label", "index"} & {*rows}:
            raise ValueError(
                f'The features of "{self.layer.name}" do not say which cell a row is: add a column "label" with the '
                "cell's number in the labels, or measure the cells again."
            )
        labels = whole_or_none(rows["label"] if "label" in rows else rows["index"])
        frames = whole_or_none(rows["frame"]) if "frame" in rows else np.zeros(len(rows), dtype=np.int64)
        layers = np.full(len(rows), self.name, dtype=object)
        if "layer" in rows:
            named = rows["layer"].astype(object)
            layers = named.where(named.notna(), self.name).astype(str).replace("", self.name).to_numpy(dtype=object)
        return layers, frames, labels

    def show(self, cells: CoveredCells) -> None:
        """Highlight these cells, and no others."""
        self._shown = cells
        self._highlight_cells()

    def paint(self, colours: CellColours | None) -> None:
        """Colour the cells; None takes the colours away."""
        if self._colours is not None or colours is not None:
            self._colours = colours
            self._highlight_cells()

    @abstractmethod
    def _highlight_cells(self, *_: object) -> None:
        """Highlight the cells shown, and no others."""

    @abstractmethod
    def at(self, event: MouseEvent, view: View) -> tuple[int, int] | None:
        """Return the frame and the label of the cell under the mouse, or None."""

    @abstractmethod
    def within(self, region: Region, view: View) -> CoveredCells:
        """Return the cells in the current slice within a region, which is in world coordinates."""

    @abstractmethod
    def position(self, frame: int, label: int) -> np.ndarray | None:
        """Return the position of a cell in world coordinates; None if it is not in the layer."""

    @property
    def opacity(self) -> float:
        """The layer's opacity while no cell is highlighted or coloured."""
        return float(self.layer.opacity) if self._opacity is None else self._opacity

    def _dim(self, share: float) -> None:
        """Show the layer with this share of its opacity, unless the user has set the opacity meanwhile."""
        own = self.opacity
        self._is_left_alone = self._is_left_alone and share < 1
        if self._is_left_alone or (share == 1 and self._opacity is None):
            return
        self._opacity = own if share < 1 else None
        self._is_dimming = True
        try:
            self.layer.opacity = own * share
        finally:
            self._is_dimming = False

    def _opacity_changed(self) -> None:
        if self._opacity is not None and not self._is_dimming:
            self._opacity, self._is_left_alone = None, True

    @property
    def has_frames(self) -> bool:
        """Whether the layer's first axis is time."""
        return False

    def frame(self, point: Sequence[float] | np.ndarray) -> int:
        """Return the frame at a point in world coordinates; 0 without frames.

        Parameters
        ----------
        point : sequence of float
            One coordinate for each axis of the viewer, the last of which are the layer's.
        """
        return round(self.layer.world_to_data(np.asarray(point)[-self.layer.ndim :])[0]) if self.has_frames else 0

    @abstractmethod
    def is_in_view(self, frame: int, label: int, view: View) -> bool:
        """Return whether any part of a cell is in the current slice; always true if the whole layer is displayed."""

    def axes(self, view: View) -> tuple[int, ...] | None:
        """Return which of the layer's axes are displayed; None if the layer lacks one of the displayed axes."""
        missing = len(view.point) - self.layer.ndim
        axes = tuple(axis - missing for axis in view.displayed)
        return axes if min(axes) >= 0 else None

    def to_data(self, positions: np.ndarray, view: View) -> np.ndarray:
        """Convert points in the current slice to the layer's own coordinates.

        Parameters
        ----------
        positions : ndarray of float, shape (n, 2)
            World coordinates along the displayed axes.
        view : View

        Returns
        -------
        ndarray of float, shape (n, layer.ndim)
        """
        world = np.tile(view.point, (len(positions), 1))
        world[:, list(view.displayed)] = positions
        origin, steps = self._affine()
        return np.linalg.solve(steps.T, (world[:, -self.layer.ndim :] - origin).T).T

    def to_world(self, positions: np.ndarray) -> np.ndarray:
        """Convert the layer's own coordinates, shape (n, layer.ndim), to world coordinates of the same shape."""
        origin, steps = self._affine()
        world: np.ndarray = origin + positions @ steps
        return world

    def _affine(self) -> tuple[np.ndarray, np.ndarray]:
        """The world coordinates of the layer's origin, and the world vectors of a step along each of its axes."""
        origin = np.array(self.layer.data_to_world(np.zeros(self.layer.ndim)))
        return origin, np.array([self.layer.data_to_world(step) for step in np.eye(self.layer.ndim)]) - origin


def features_event(layer: Layer) -> EventEmitter:
    """Return the event that a layer emits when its features have changed."""
    return layer.events.properties if isinstance(layer, Tracks) else layer.events.features
