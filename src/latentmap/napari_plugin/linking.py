"""The link between a map and its labels: what is selected in the one lights up in the other."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import numpy as np
from napari.layers import Image, Labels, Points
from napari.utils.colormaps import Colormap
from napari.viewer import Viewer

from latentmap.napari_plugin.layers import scales
from latentmap.napari_plugin.lit_labels import LitLabels
from latentmap.napari_plugin.map_layer import MapLayer, highlight_color
from latentmap.session import Session


class Link:
    """Keeps a labels layer, its map and the selection in step.

    Cells are matched by their keys (layer, frame, label), never by the order of rows or labels.

    Parameters
    ----------
    viewer : napari.viewer.Viewer
        Gets a third layer, which lights up the selected cells.
    labels : napari.layers.Labels
        The cells in the image. Picking one selects its point.
    map_layer : MapLayer
        The map, in the viewer already. Choosing points selects their cells.
    source : str
        What the keys call the labels layer.
    session : Session
        The cells selected, shared with all other views.
    tell : callable
        Takes a sentence for the user.

    Attributes
    ----------
    cell_numbers : ndarray of int
        The numbers in the session of all cells on the map.
    """

    def __init__(
        self,
        viewer: Viewer,
        labels: Labels,
        map_layer: MapLayer,
        source: str,
        session: Session,
        tell: Callable[[str], None],
    ) -> None:
        self.labels, self.map_layer = labels, map_layer
        self.source = source
        self._viewer, self._tell = viewer, tell
        self._register, self._selection = session.register, session.selection
        self._showing = False
        self.cell_numbers = self._register.enter(map_layer.cells.features.index)
        self._has_frames = bool(self.points.features["frame"].any())
        self._lit = [LitLabels(data, self._has_frames) for data in scales(labels)]
        self.spotlight = Image(
            self._lit if labels.multiscale else self._lit[0],
            multiscale=labels.multiscale,
            name=f"selected {labels.name}",
            colormap=_spotlight(),
            contrast_limits=(0, 1),
            interpolation2d="nearest",
            visible=False,
            **{name: getattr(labels, name) for name in ("scale", "translate", "rotate", "shear", "affine", "units")},
        )
        viewer.layers.insert(viewer.layers.index(labels) + 1, self.spotlight)
        viewer.layers.selection.active = self.points

        self.points.selected_data.events.items_changed.connect(self._points_chosen)
        labels.events.selected_label.connect(self._label_chosen)
        labels.mouse_drag_callbacks.append(self._clicked)
        self._selection.changed.connect(self._show)
        self._show()

    @property
    def points(self) -> Points:
        """The map's layer; its features hold the keys."""
        return self.map_layer.points

    def close(self) -> None:
        """Let go of the three layers; the light goes out, labels and map stay as they are."""
        self.points.selected_data.events.items_changed.disconnect(self._points_chosen)
        self.labels.events.selected_label.disconnect(self._label_chosen)
        if self._clicked in self.labels.mouse_drag_callbacks:  # napari empties the list of a layer that it removes
            self.labels.mouse_drag_callbacks.remove(self._clicked)
        self._selection.changed.disconnect(self._show)
        if self.spotlight in self._viewer.layers:
            self._viewer.layers.remove(self.spotlight)

    @property
    def numbers(self) -> np.ndarray:
        """The cells' numbers in the session, in the points' order, which changes when the user deletes points."""
        return self.cell_numbers[self.map_layer.rows]

    def _frame(self) -> int:
        """The frame in view."""
        return round(self.labels.world_to_data(self._viewer.dims.point)[0]) if self._has_frames else 0

    @contextmanager
    def _one_way(self) -> Generator[None, None, None]:
        """Whatever the views say while they are being brought up to date is an echo."""
        self._showing = True
        try:
            yield
        finally:
            self._showing = False

    def _points_chosen(self) -> None:
        if not self._showing:
            self._selection.choose(self.numbers[sorted(self.points.selected_data)], how="points on the map")

    def _label_chosen(self) -> None:
        if not self._showing:
            self._select_label(self.labels.selected_label)

    def _clicked(self, labels: Labels, event: Any) -> None:
        """Pick the label that was the last one picked: napari tells of a pick only if the label changes."""
        if labels.mode == "pick":
            value = labels.get_value(
                event.position, view_direction=event.view_direction, dims_displayed=event.dims_displayed, world=True
            )
            self._select_label((value[1] if isinstance(value, tuple) else value) or 0)

    def _select_label(self, label: int) -> None:
        number = self._register.find([(self.source, self._frame(), int(label))])
        if label == 0:
            self._selection.clear()
            self._tell("Background: no cell is selected.")
        elif number in self.numbers:
            self._selection.choose(number, how="cell in the image")
        else:
            self._selection.clear()
            self._tell(f"Cell {label} is not on the map: it has no row in the table, or was left out.")

    def _show(self) -> None:
        """Bring points, labels and spotlight in step with the selection."""
        rows = np.flatnonzero(self._selection.among(self.numbers))
        chosen = self._register.keys(self.numbers[rows])
        chosen = chosen[chosen.get_level_values("layer") == self.source]
        with self._one_way():
            if set(self.points.selected_data) != set(rows.tolist()):
                self.points.selected_data = set(rows.tolist())
            self.map_layer.highlight(rows)
            if len(chosen) == 1:
                _, frame, label = chosen[0]
                self.labels.selected_label = label
                if self._has_frames:
                    self._viewer.dims.set_point(0, self.labels.data_to_world([frame, *[0] * (self.labels.ndim - 1)])[0])
            if len(chosen):
                frames, numbers = (chosen.get_level_values(part).to_numpy() for part in ("frame", "label"))
                for lit in self._lit:
                    lit.choose(frames, numbers)
                self.spotlight.refresh()
            self.spotlight.visible = bool(len(chosen))


def _spotlight() -> Colormap:
    """Dims what is not selected; what is takes the colour that napari rings selected points with."""
    red, green, blue, _ = highlight_color()
    return Colormap([[0, 0, 0, 0.6], [red, green, blue, 0.75]], name="spotlight")
