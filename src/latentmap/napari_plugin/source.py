"""A layer of cells, whatever its kind: which cell is where, and how cells are lit up."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from napari.layers import Layer

from latentmap.napari_plugin.region import Region
from latentmap.table import KEY, CellTable

OWN = "latentmap"
"""The entry in the metadata of the layers that latentmap makes: they are no sources, and no images to measure."""


class Cells(NamedTuple):
    """Cells of one layer.

    Attributes
    ----------
    frames, labels : ndarray of int, shape (n,)
        Their keys, without the layer's name.
    """

    frames: np.ndarray
    labels: np.ndarray

    @classmethod
    def none(cls) -> "Cells":
        """Return no cells."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))

    def keys(self, name: str) -> pd.MultiIndex:
        """Return their keys.

        Parameters
        ----------
        name : str
            What the keys call the layer.
        """
        layers = np.full(len(self.labels), name, dtype=object)
        return pd.MultiIndex.from_arrays([layers, self.frames, self.labels], names=KEY)


class View(NamedTuple):
    """What of the viewer's space is in view.

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
        """Return what a viewer shows.

        Parameters
        ----------
        viewer : napari.components.ViewerModel
        """
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
        """Return the key of each row of the layer's features."""
        rows = self.rows()
        labels = rows["label"] if "label" in rows else rows["index"]
        frames = rows["frame"] if "frame" in rows else np.zeros(len(rows), dtype=np.int64)
        return Cells(np.asarray(frames), np.asarray(labels)).keys(self.name)

    @abstractmethod
    def show(self, cells: Cells) -> None:
        """Light these cells up, and no others."""

    @abstractmethod
    def at(self, event: Any, view: View) -> tuple[int, int] | None:
        """Return the frame and the label of the cell under the mouse.

        Parameters
        ----------
        event : napari's mouse event
        view : View

        Returns
        -------
        (int, int) or None
        """

    @abstractmethod
    def within(self, region: Region, view: View) -> Cells:
        """Return the cells in view within a region in world coordinates."""

    @abstractmethod
    def place(self, frame: int, label: int) -> np.ndarray | None:
        """Return where a cell is, in the layer's world coordinates; None if it is not in the layer."""

    @abstractmethod
    def close(self) -> None:
        """Leave the layer as it was."""

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
        """Say whether any part of a cell lies in the slice in view."""

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
        return np.array([self.layer.world_to_data(one) for one in world[:, -self.layer.ndim :]])
