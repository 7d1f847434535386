"""Cells that are points, steps of tracks, shapes or vertices of a surface."""

from typing import Any

import numpy as np
import pandas as pd
from napari.layers import Layer, Points, Shapes, Surface, Tracks

from latentmap.napari_plugin.highlight import highlight_color
from latentmap.napari_plugin.region import Region
from latentmap.napari_plugin.source import OWN, Cells, Source, View
from latentmap.table import CellTable

POINT_LIKE = (Points, Tracks, Shapes, Surface)
"""The layers whose rows of features are their points, steps, shapes or vertices."""

# How near the mouse must come to a cell without a size, and the size it is lit up in, in pixels of the screen.
_NEAR = 8.0
_DIMMED = 0.3


class PointsSource(Source):
    """A layer with one row of features for each point, step of a track, shape or vertex.

    A column ``label`` of the layer's features says which cell a row is. Where there is none, rows are numbered from 1
    on, and the column is added, so that a cell keeps its number when others are deleted. Of tracks the label is the
    track's, and the frame its time.

    Parameters
    ----------
    layer : napari.layers.Points, Tracks, Shapes or Surface
    name : str
        What the cells' keys call it.
    """

    def __init__(self, layer: Layer, name: str) -> None:
        super().__init__(layer, name)
        self._opacity: float | None = None
        self.light = Points(
            ndim=layer.ndim,
            name=f"selected {layer.name}",
            face_color="transparent",
            border_color=highlight_color(),
            border_width=0.2,
            visible=False,
            out_of_slice_display=False,
            metadata={OWN: "selection"},
            **{name: getattr(layer, name) for name in ("scale", "translate", "rotate", "shear", "affine", "units")},
        )

    def close(self) -> None:
        """Leave the layer as it was."""
        if self._opacity is not None:
            self.layer.opacity, self._opacity = self._opacity, None

    def table(self) -> CellTable:
        """Return the layer's cells and their features."""
        return CellTable.read(self.rows(), layer=self.name)

    def show(self, cells: Cells) -> None:
        """Ring these cells, and no others."""
        rows = np.flatnonzero(self.keys().isin(cells.keys(self.name))) if len(cells.labels) else np.empty(0, int)
        self.light.selected_data = set()
        self.light.data = self._places()[rows]
        if len(rows):
            self.light.size = 1.5 * self._sizes()[rows]
            self._opacity = self.layer.opacity if self._opacity is None else self._opacity
            self.layer.opacity = self._opacity * _DIMMED
        else:
            self.close()
        self.light.visible = len(rows) > 0 and self.layer.visible

    def at(self, event: Any, view: View) -> tuple[int, int] | None:
        """Return the frame and the label of the nearest cell that the mouse touches."""
        axes = self.axes(view)
        if axes is None or not len(self._places()):
            return None
        if len(axes) == 3:
            row = self.layer.get_value(
                event.position, view_direction=event.view_direction, dims_displayed=event.dims_displayed, world=True
            )
            return self._key(row) if isinstance(self.layer, Points) and row is not None else None
        mouse = np.asarray(event.position)[list(view.displayed)]
        distances = np.linalg.norm(self._in_world()[:, list(axes)] - mouse, axis=1)
        scale = np.abs(np.asarray(self.layer.scale)[list(axes)]).mean()
        reach = np.maximum(self._sizes() * scale / 2, _NEAR / view.zoom)
        distances[~self._in_view(view) | (distances > reach)] = np.inf
        nearest = int(np.argmin(distances))
        return self._key(nearest) if np.isfinite(distances[nearest]) else None

    def within(self, region: Region, view: View) -> Cells:
        """Return the cells in view within a region."""
        axes = self.axes(view)
        if axes is None or len(axes) != 2 or not len(self._places()):
            return Cells.none()
        rows = self._in_view(view)
        rows[rows] = region.holds(self._in_world()[rows][:, list(axes)])
        keys = self.keys()[rows]
        return Cells(*(keys.get_level_values(part).to_numpy() for part in ("frame", "label")))

    @property
    def has_frames(self) -> bool:
        """Whether the first axis is time, as that of tracks is."""
        return isinstance(self.layer, Tracks)

    def is_in_view(self, frame: int, label: int, view: View) -> bool:
        """Say whether a cell lies in the slice in view."""
        axes = self.axes(view)
        shown = axes is None or len(axes) == self.layer.ndim
        return shown or bool(self._in_view(view)[self.keys().isin([(self.name, frame, label)])].any())

    def place(self, frame: int, label: int) -> np.ndarray | None:
        """Return where the cell is."""
        rows = np.flatnonzero(self.keys().isin([(self.name, frame, label)]))
        return self._in_world()[rows[0]] if len(rows) else None

    def rows(self) -> pd.DataFrame:
        """Return the layer's features with columns that say which cell each row is."""
        features = self.layer.features
        if isinstance(self.layer, Tracks):
            tracks, times = self.layer.data[:, 0].astype(int), self.layer.data[:, 1].astype(int)
            # Of a track's number and its time no feature must shape the map, and 0 is no cell's number.
            rows = features.drop(columns=["track_id", "label", "frame", "index"], errors="ignore")
            return rows.assign(label=tracks + int(not tracks.min(initial=1)), frame=times)
        if "label" not in features and "index" not in features:
            features = features.assign(label=np.arange(1, len(self._places()) + 1))
            self.layer.features = features
        return features

    def _key(self, row: int) -> tuple[int, int]:
        frame, label = (self.keys().get_level_values(part)[row] for part in ("frame", "label"))
        return int(frame), int(label)

    def _places(self) -> np.ndarray:
        """Each row's place, in the layer's own coordinates."""
        if isinstance(self.layer, Tracks):
            return self.layer.data[:, 1:]
        if isinstance(self.layer, Shapes):
            return np.array([corners.mean(axis=0) for corners in self.layer.data]).reshape(-1, self.layer.ndim)
        return np.asarray(self.layer.vertices if isinstance(self.layer, Surface) else self.layer.data)

    def _in_world(self) -> np.ndarray:
        places = self._places()
        origin = np.array(self.layer.data_to_world(np.zeros(self.layer.ndim)))
        steps = np.array([self.layer.data_to_world(step) for step in np.eye(self.layer.ndim)]) - origin
        return origin + places @ steps

    def _in_view(self, view: View) -> np.ndarray:
        """Which rows lie in the slice in view."""
        axes = self.axes(view)
        point = np.array(self.layer.world_to_data(view.point[-self.layer.ndim :]))
        others = [axis for axis in range(self.layer.ndim) if axis not in (axes or ())]
        return np.all(np.round(self._places()[:, others]) == np.round(point[others]), axis=1)

    def _sizes(self) -> np.ndarray:
        """Each row's diameter, in the layer's own coordinates."""
        if isinstance(self.layer, Points):
            return np.asarray(self.layer.size)
        places = self._places()
        if isinstance(self.layer, Shapes):
            return np.array([np.ptp(corners[:, -2:], axis=0).max() for corners in self.layer.data])
        extent = float(np.ptp(places[:, -2:], axis=0).max()) if len(places) else 1.0
        return np.full(len(places), extent / 60 or 1.0)
