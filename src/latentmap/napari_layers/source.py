"""A layer of cells, whatever its kind: which cell is where, and how cells are lit up."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from napari.layers import Layer, Tracks

from latentmap.display.plane import Cells
from latentmap.display.region import Region
from latentmap.table import KEY, CellTable
from latentmap.table.numbering import whole_or_none

OWN = "latentmap"
"""The entry in the metadata of the layers that latentmap makes, which are neither sources nor images to measure."""

PLACED = ("scale", "translate", "rotate", "shear", "affine", "units")
"""The properties that place a layer in the world."""


class View(NamedTuple):
    """The part of the viewer's space that is in view.

    Attributes
    ----------
    point : ndarray of float
        World coordinates of the slice in view, one for each of the viewer's axes.
    displayed : tuple of int
        The axes in view, rows before columns.
    zoom : float
        Pixels of the screen for each unit of the world.
    """

    point: np.ndarray
    displayed: tuple[int, ...]
    zoom: float

    @classmethod
    def of(cls, viewer: Any) -> "View":
        """Return what a viewer shows."""
        dims = viewer.dims
        return cls(np.array(dims.point), tuple(dims.displayed), viewer.scene.camera.zoom)


class Source(ABC):
    """A layer of cells in a viewer.

    Cells are told apart by their frame and label, never by the order of rows.

    Parameters
    ----------
    layer : napari.layers.Layer
    name : str
        What the cells' keys call it, also if the user renames the layer.

    Attributes
    ----------
    light : napari.layers.Layer
        Lights up chosen cells; the caller puts it into the viewer, above the layer.
    """

    light: Layer

    def __init__(self, layer: Layer, name: str) -> None:
        self.layer, self.name = layer, name
        self._shown = Cells.none()

    def open(self) -> None:
        """Follow the layer: its place, its name, its data."""
        self._follow()
        for name in PLACED:
            self.layer.events[name].connect(self._follow)
        self.layer.events.name.connect(self._follow)

    def close(self) -> None:
        """Leave the layer as it was."""
        for name in PLACED:
            self.layer.events[name].disconnect(self._follow)
        self.layer.events.name.disconnect(self._follow)

    def _follow(self) -> None:
        """Place the light where the layer lies."""
        for name in PLACED:
            setattr(self.light, name, getattr(self.layer, name))
        self.light.name = f"selected {self.layer.name}"

    @abstractmethod
    def table(self) -> CellTable:
        """Return the layer's cells and their features.

        Raises
        ------
        ValueError
            If the layer's features do not say which row is which cell; the sentence says what to do.
        """

    def rows(self) -> pd.DataFrame:
        """Return the layer's features with columns that say which cell each row is."""
        return self.layer.features

    def keys(self) -> pd.MultiIndex:
        """Return the key of each row of the layer's features; the label is 0 where a row is no cell's."""
        return pd.MultiIndex.from_arrays(self.parts(), names=KEY)

    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the parts of these keys: names of layers, frames and labels."""
        rows = self.rows()
        labels = whole_or_none(rows["label"] if "label" in rows else rows["index"])
        frames = whole_or_none(rows["frame"]) if "frame" in rows else np.zeros(len(rows), dtype=np.int64)
        layers = np.full(len(rows), self.name, dtype=object)
        if "layer" in rows:
            named = rows["layer"].astype(object)
            layers = named.where(named.notna(), self.name).astype(str).replace("", self.name).to_numpy(dtype=object)
        return layers, frames, labels

    def show(self, cells: Cells) -> None:
        """Light these cells up, and no others."""
        self._shown = cells
        self._light_up()

    @abstractmethod
    def _light_up(self, *_: object) -> None:
        """Light up the cells shown, and no others."""

    @abstractmethod
    def at(self, event: Any, view: View) -> tuple[int, int] | None:
        """Return the frame and the label of the cell under the mouse."""

    @abstractmethod
    def within(self, region: Region, view: View) -> Cells:
        """Return the cells in view within a region in world coordinates."""

    @abstractmethod
    def place(self, frame: int, label: int) -> np.ndarray | None:
        """Return where a cell is, in the layer's world coordinates; None if it is not in the layer."""

    @property
    def opacity(self) -> float:
        """How opaque the layer is while no cell is lit up."""
        return float(self.layer.opacity)

    @property
    def has_frames(self) -> bool:
        """Whether the layer's first axis is time."""
        return False

    def frame(self, point: Any) -> int:
        """Return the frame at a point in world coordinates; 0 where the layer has no frames.

        Parameters
        ----------
        point : sequence of float
            As many coordinates as the layer has axes, or more; the last ones are the layer's.
        """
        return round(self.layer.world_to_data(np.asarray(point)[-self.layer.ndim :])[0]) if self.has_frames else 0

    @abstractmethod
    def is_in_view(self, frame: int, label: int, view: View) -> bool:
        """Say whether any part of a cell lies in the slice in view, as all cells do if the whole layer is in view."""

    def axes(self, view: View) -> tuple[int, ...] | None:
        """Return which of the layer's axes are in view; None if one of those in view is not the layer's."""
        missing = len(view.point) - self.layer.ndim
        axes = tuple(axis - missing for axis in view.displayed)
        return axes if min(axes) >= 0 else None

    def to_data(self, places: np.ndarray, view: View) -> np.ndarray:
        """Return places in view in the layer's own coordinates.

        Parameters
        ----------
        places : ndarray of float, shape (n, 2)
            World coordinates of the axes in view.
        view : View

        Returns
        -------
        ndarray of float, shape (n, layer.ndim)
        """
        world = np.tile(view.point, (len(places), 1))
        world[:, list(view.displayed)] = places
        origin, steps = self._affine()
        return np.linalg.solve(steps.T, (world[:, -self.layer.ndim :] - origin).T).T

    def to_world(self, places: np.ndarray) -> np.ndarray:
        """Return places of the layer in world coordinates.

        Parameters
        ----------
        places : ndarray of float, shape (n, layer.ndim)
            In the layer's own coordinates.

        Returns
        -------
        ndarray of float, shape (n, layer.ndim)
        """
        origin, steps = self._affine()
        return origin + places @ steps

    def _affine(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the layer's origin lies in the world, and where a step along each of its axes leads."""
        origin = np.array(self.layer.data_to_world(np.zeros(self.layer.ndim)))
        return origin, np.array([self.layer.data_to_world(step) for step in np.eye(self.layer.ndim)]) - origin


def features_event(layer: Layer) -> Any:
    """Return the event by which a layer tells that it has other features."""
    return layer.events.properties if isinstance(layer, Tracks) else layer.events.features
