"""Cells that are points, time points of tracks, shapes or vertices of a surface."""

from dataclasses import replace

import numpy as np
import pandas as pd
from napari.layers import Layer, Points, Shapes, Surface, Tracks

from latentmap.display.label_plane import CoveredCells
from latentmap.display.region import Region
from latentmap.napari_layers.changed_together import changed_together
from latentmap.napari_layers.highlight import highlight_color
from latentmap.napari_layers.mouse_event import MouseEvent
from latentmap.napari_layers.pixel_sizes import world_steps
from latentmap.napari_layers.source import COLOURS_KEY, OWNED_KEY, TRANSFORM_ATTRIBUTES, Source, View, features_event
from latentmap.table import CellTable

POINT_LIKE = (Points, Tracks, Shapes, Surface)
"""The types of layers whose features have one row per point, time point, shape or vertex."""

# How close the mouse must come to a cell, however small, in screen pixels.
_NEAR = 8.0
_DIMMED = 0.3


class PointsSource(Source):
    """A layer whose features have one row for each point, time point of a track, shape or vertex.

    A column ``label`` (or ``index``) of the features identifies the cell of a row. If there is none, rows are numbered
    from 1 in a new column ``label``, so that cells keep their numbers when others are deleted. In tracks, the label is
    the number of the track and the frame is the time; if a track has several cells at one time, as after a division,
    rows are numbered instead. The columns ``track_id`` and, if the layer has a graph, ``parent_track_id`` say which
    cells follow each other; of several parents, as after a merge, only the first counts.
    """

    highlight: Points

    def __init__(self, layer: Layer, name: str) -> None:
        super().__init__(layer, name)
        self._highest: int | None = None
        self._shift = 0
        self.highlight = Points(
            ndim=layer.ndim,
            name=f"selected {layer.name}",
            face_color="transparent",
            border_color=highlight_color(),
            border_width=0.2,
            visible=False,
            out_of_slice_display=False,
            metadata={OWNED_KEY: "selection"},
            **{name: getattr(layer, name) for name in TRANSFORM_ATTRIBUTES},
        )

    def open(self) -> None:
        """Follow changes of the layer's position, name and cells."""
        super().open()
        for event in (self.layer.events.data, features_event(self.layer)):
            event.connect(self._highlight_cells)

    def close(self) -> None:
        """Stop following the layer, and restore its opacity."""
        super().close()
        for event in (self.layer.events.data, features_event(self.layer)):
            event.disconnect(self._highlight_cells)

    def table(self) -> CellTable:
        """Return the layer's cells and their features."""
        cells = CellTable.read(self.rows(), layer=self.name)
        return replace(cells, colours=self.layer.metadata.get(COLOURS_KEY, {}))

    def _highlight_cells(self, *_: object) -> None:
        """Ring the cells shown, and no others; if cells have colours, draw these."""
        cells, colours = self._shown, self._colours
        any_selected, matches = len(cells.labels) > 0, len(self._positions()) == len(self.layer.features)
        rows = np.empty(0, dtype=np.int64)
        if matches and (any_selected or colours is not None):
            keys = self.keys()
            is_selected = keys.isin(cells.keys(self.name))
            rows = np.flatnonzero(is_selected)
            if colours is not None:
                found = colours.cells.keys(self.name).get_indexer(keys)
                # The selected cells last, so that they are drawn above the others.
                rows = np.concatenate([np.flatnonzero((found >= 0) & ~is_selected), rows])
        with changed_together(self.highlight):
            self.highlight.selected_data = set()
            self.highlight.data = self._positions()[rows]
            if len(rows):
                ringed = is_selected[rows]
                self.highlight.size = np.where(ringed, 1.5, 1.0) * self._sizes()[rows]
                face = np.zeros((len(rows), 4))
                if colours is not None:
                    face = np.where(found[rows, None] >= 0, colours.palette[colours.codes[found[rows]] - 1], face)
                    face[~ringed, 3] *= _DIMMED if any_selected else 1.0
                self.highlight.face_color = face
                self.highlight.border_color = np.where(ringed[:, None], highlight_color(), 0.0)
            self.highlight.visible = len(rows) > 0 and self.layer.visible
        self._dim(_DIMMED if len(rows) else 1.0)

    def at(self, event: MouseEvent, view: View) -> tuple[int, int] | None:
        """Return the frame and the label of the nearest cell under the mouse, or None."""
        axes = self.axes(view)
        if axes is None or not len(self._positions()):
            return None
        is_cell, frames, labels = self._cells()
        if isinstance(self.layer, Shapes) or len(axes) == 3:
            row = self._drawn_at(event)
        else:
            mouse = np.asarray(event.position)[list(view.displayed)]
            distances = np.linalg.norm(self.to_world(self._positions())[:, list(axes)] - mouse, axis=1)
            scale = world_steps(self.layer)[list(axes)].mean()
            reach = np.maximum(self._sizes() * scale / 2, _NEAR / view.zoom)
            distances[~self._in_view(view) | ~is_cell | (distances > reach)] = np.inf
            nearest = int(np.argmin(distances))
            row = nearest if np.isfinite(distances[nearest]) else None
        return (int(frames[row]), int(labels[row])) if row is not None and is_cell[row] else None

    def _drawn_at(self, event: MouseEvent) -> int | None:
        """The row of the point or shape that napari draws under the mouse."""
        if not isinstance(self.layer, (Points, Shapes)):
            return None
        value = self.layer.get_value(
            event.position, view_direction=event.view_direction, dims_displayed=event.dims_displayed, world=True
        )
        row: int | None = value[0] if isinstance(value, tuple) else value
        return row

    def within(self, region: Region, view: View) -> CoveredCells:
        """Return the cells in view within a region."""
        axes = self.axes(view)
        if axes is None or not len(self._positions()):
            return CoveredCells.none()
        is_cell, frames, labels = self._cells()
        rows = self._in_view(view) & is_cell
        rows[rows] = region.contains(self.to_world(self._positions()[rows])[:, list(axes)])
        return CoveredCells(frames[rows], labels[rows])

    @property
    def has_frames(self) -> bool:
        """Whether the first axis is time, as it is for tracks."""
        return isinstance(self.layer, Tracks)

    def is_in_view(self, frame: int, label: int, view: View) -> bool:
        """Return whether a cell is in the current slice."""
        axes = self.axes(view)
        shown = axes is None or len(axes) == self.layer.ndim
        return shown or bool(self._in_view(view)[self.keys().isin([(self.name, frame, label)])].any())

    def world_positions(self) -> np.ndarray:
        """Return the position of each row in world coordinates, shape (n_rows, n_axes)."""
        return self.to_world(self._positions())

    def position(self, frame: int, label: int) -> np.ndarray | None:
        """Return the position of a cell in world coordinates; None if it is not in the layer."""
        rows = np.flatnonzero(self.keys().isin([(self.name, frame, label)]))
        return self.to_world(self._positions()[rows[:1]])[0] if label and len(rows) else None

    def rows(self) -> pd.DataFrame:
        """Return the layer's features, with columns that identify the cell of each row."""
        features: pd.DataFrame = self.layer.features
        if isinstance(self.layer, Tracks):
            tracks, times = self.layer.data[:, 0].astype(int), self.layer.data[:, 1].astype(int)
            # The layer itself says which track a row is of, and when; 0 is not a valid label.
            rows = features.drop(columns=["track_id", "label", "frame", "index"], errors="ignore")
            # Also once track 0 has been deleted: the others are the cells that they were.
            self._shift = max(self._shift, int(not tracks.min(initial=1)))
            labels = tracks + self._shift
            if pd.MultiIndex.from_arrays([labels, times]).has_duplicates:
                # A lineage with a single number, which has several cells at a time after a division.
                labels = np.arange(1, len(tracks) + 1)
            rows = rows.assign(label=labels, frame=times, track_id=tracks)
            if self.layer.graph:
                parents = {int(track): int(np.ravel(came_from)[0]) for track, came_from in self.layer.graph.items()}
                rows = rows.assign(parent_track_id=pd.Series(tracks).map(parents).fillna(-1).astype(int).to_numpy())
            return rows
        if "label" not in features and "index" not in features:
            self._highest = len(features)
            self.layer.features = features.assign(label=np.arange(1, len(features) + 1))
        elif self._highest is not None and "label" in features:
            self._number_new_ones()
        numbered: pd.DataFrame = self.layer.features
        return numbered

    def _number_new_ones(self) -> None:
        """Number the rows added since the last call, because napari copies the number of another row to them."""
        features = self.layer.features
        new = (features["label"].isna() | features["label"].duplicated()).to_numpy()
        if new.any():
            labels = features["label"].fillna(0).to_numpy(dtype=np.int64, copy=True)
            labels[new] = (self._highest or 0) + np.arange(1, new.sum() + 1)
            self._highest = int(labels.max())
            self.layer.features = features.assign(label=labels)

    def _cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Whether each row is a cell of this layer, and its frame and label."""
        layers, frames, labels = self.parts()
        return (layers == self.name) & (labels != 0), frames, labels

    def _positions(self) -> np.ndarray:
        """The position of each row, in the layer's own coordinates."""
        if isinstance(self.layer, Tracks):
            return np.asarray(self.layer.data)[:, 1:]
        if isinstance(self.layer, Shapes):
            return np.array([corners.mean(axis=0) for corners in self.layer.data]).reshape(-1, self.layer.ndim)
        return np.asarray(self.layer.vertices if isinstance(self.layer, Surface) else self.layer.data)

    def _in_view(self, view: View) -> np.ndarray:
        """Which rows are in the current slice."""
        axes = self.axes(view)
        point = np.array(self.layer.world_to_data(view.point[-self.layer.ndim :]))
        others = [axis for axis in range(self.layer.ndim) if axis not in (axes or ())]
        positions = self._positions()[:, others]
        if isinstance(self.layer, Points):
            return np.asarray(self.layer.shown & np.all(np.abs(positions - point[others]) <= 0.5, axis=1))
        return np.asarray(np.all(np.round(positions) == np.round(point[others]), axis=1))

    def _sizes(self) -> np.ndarray:
        """The diameter of each row, in the layer's own coordinates."""
        if isinstance(self.layer, Points):
            return np.asarray(self.layer.size)
        positions = self._positions()
        if isinstance(self.layer, Shapes):
            return np.array([np.ptp(corners[:, -2:], axis=0).max() for corners in self.layer.data])
        extent = float(np.ptp(positions[:, -2:], axis=0).max()) if len(positions) else 1.0
        return np.full(len(positions), extent / 60 or 1.0)
