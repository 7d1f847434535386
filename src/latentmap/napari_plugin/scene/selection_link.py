"""The link between maps and images, which share one selection."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
from napari.components import ViewerModel
from napari.layers import Labels, Layer, Points
from napari.utils.events import Event

from latentmap.display.label_plane import CoveredCells
from latentmap.display.region import ProjectedRegion, Region
from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.mouse_event import MouseEvent
from latentmap.napari_layers.source import Source, View
from latentmap.napari_plugin.scene.canvas import Canvas
from latentmap.napari_plugin.scene.map_layer import MIRRORED, MapLayer
from latentmap.napari_plugin.scene.maps import Maps
from latentmap.napari_plugin.scene.mouse import Drawing
from latentmap.session import Session
from latentmap.session.selection import Mode
from latentmap.session.wording import counted
from latentmap.table import Key
from latentmap.table.number_sets import distinct

# How close the mouse must come to a point of a map, in screen pixels.
_NEAR = 5.0


class SelectionLink:
    """Keeps layers of cells, maps and selection in sync.

    Cells are matched by key (layer, frame, label), never by the order of rows or labels.

    Parameters
    ----------
    images : Canvas
        The viewer with the images, and what it is drawn on.
    maps : Maps
    session : Session
    tell : callable
        Shows a sentence to the user.
    hovered : callable
        Takes the key of the cell under the mouse, or None.
    project : callable, optional
        Projects world coordinates to the canvas of a 3-D view. Takes the viewer and an array of shape (n, 3); returns
        an array of shape (n, 2), columns before rows.

    Attributes
    ----------
    sources : list of Source
        The linked layers.
    """

    def __init__(
        self,
        images: Canvas,
        maps: Maps,
        session: Session,
        tell: Callable[[str], None],
        hovered: Callable[[Key | None], None] = lambda key: None,
        project: Callable[[ViewerModel, np.ndarray], np.ndarray] = lambda viewer, positions: positions[:, :0:-1],
    ) -> None:
        self._project = project
        self._images, self._viewer, self.maps = images, images.viewer, maps
        self._session, self._tell, self._hovered = session, tell, hovered
        self._cell_index, self._selection = session.cell_index, session.selection
        self.sources: list[Source] = []
        self._watched: list[tuple[Points, Callable[..., None]]] = []
        self._showing = False
        self._selection.changed.connect(self._selected)
        maps.painter.redrawn.connect(self.show)

    def close(self) -> None:
        """Unlink all layers and remove their highlights."""
        self._selection.changed.disconnect(self._selected)
        self.maps.painter.redrawn.disconnect(self.show)
        for source in list(self.sources):
            self.remove(source.layer)
        self.watch_maps(())

    def add(self, source: Source) -> None:
        """Link a layer, and draw its highlight above it."""
        self.sources.append(source)
        source.open()
        layer = source.layer
        self._images.draw_above(source.highlight, layer)
        layer.events.visible.connect(self.show)
        if isinstance(layer, Labels):
            layer.events.selected_label.connect(self._label_picked)
            layer.mouse_drag_callbacks.append(self._picked_again)

    def remove(self, layer: Layer) -> None:
        """Unlink a layer of cells, which may have been deleted, and remove its highlight."""
        source = next((source for source in self.sources if source.layer is layer), None)
        if source is None:
            return
        self.sources.remove(source)
        source.close()
        layer.events.visible.disconnect(self.show)
        if isinstance(layer, Labels):
            layer.events.selected_label.disconnect(self._label_picked)
            if self._picked_again in layer.mouse_drag_callbacks:  # napari empties this list when it removes the layer
                layer.mouse_drag_callbacks.remove(self._picked_again)
        self._images.draw_no_more(source.highlight)

    def watch_maps(self, maps: Sequence[MapLayer] | None = None) -> None:
        """Follow napari's own selection of points on these maps; by default, on the current ones."""
        for points, chosen in self._watched:
            points.selected_data.events.items_changed.disconnect(chosen)
        watched = self.maps.shown if maps is None else maps
        self._watched = [(shown.points, partial(self._points_chosen, shown)) for shown in watched]
        for points, chosen in self._watched:
            points.selected_data.events.items_changed.connect(chosen)
        self.show()

    def draw(self, drawing: Drawing, viewer: ViewerModel) -> None:
        """Select the cells, on the maps and in the images, inside a region drawn on the canvas of a viewer."""
        view, region = View.of(viewer), drawing.region
        if is_deep := viewer.dims.ndisplay == 3:
            region = ProjectedRegion(region, partial(self._project, viewer))
        on_map = [np.empty(0, dtype=np.int64)]
        if viewer is self.maps.viewer:
            for shown in (shown for shown in self.maps.shown if shown.points.visible):
                positions = shown.cell_positions if is_deep else shown.cell_positions[:, -2:]
                inside = shown.cell_numbers[region.contains(positions) & shown.there]
                on_map.append(self.maps.stood_for(shown, inside))
        chosen, unknown = self._within(region, view) if viewer is self._viewer else (on_map[0], 0)
        points = distinct(*on_map)
        where = "on the map" if len(points) >= len(chosen) else "in the image"
        self._selection.select(distinct(points, chosen), drawing.mode, how=f"{drawing.tool} {where}")
        if is_deep and not len(self._selection) and any(isinstance(source, LabelsSource) for source in self.sources):
            self._tell("In 3-D, regions select points only: switch the view to 2-D, or draw around points on the map.")
        if unknown:
            self._tell(
                f"Not on the map: {counted(unknown, 'cell')} in this region, with no row in the table or left out."
            )

    def click(self, event: MouseEvent, mode: Mode, viewer: ViewerModel) -> None:
        """Select the cell under the mouse, which is on the canvas of this viewer."""
        if (point := self._point_under(event, viewer)) is not None:
            self._select(point[1], mode, "click on the map", point[0])
        elif (key := self._cell_under(event, viewer)) is not None:
            self._select(key, mode, "click in the image")
        elif mode == "replace":
            self._selection.clear()

    def hover(self, event: MouseEvent, viewer: ViewerModel) -> None:
        """Report which cell is under the mouse."""
        point = self._point_under(event, viewer)
        self._hovered(self._cell_under(event, viewer) if point is None else point[1])

    def go_to(self, key: Key) -> None:
        """Centre the view of the images on a cell."""
        layer, frame, label = key
        source = next((source for source in self.sources if source.name == layer), None)
        position = None if source is None else source.position(frame, label)
        if position is None:
            self._tell(f'Cell {label} of "{layer}" is not in any open layer.')
            return
        self._turn_to(position)
        displayed, camera = self._viewer.dims.displayed, self._viewer.scene.camera
        missing = self._viewer.dims.ndim - len(position)
        centre = list(camera.center)
        for axis, coordinate in zip(displayed, range(3 - len(displayed), 3), strict=True):
            if axis >= missing:
                centre[coordinate] = position[axis - missing]
        camera.center = tuple(centre)

    def show(self, *_: object) -> None:
        """Show the selection in all views."""
        keys = self._selection.keys
        with self._one_way():
            for shown in self.maps.shown:
                chosen, before = self._selection.is_selected(shown.numbers), set(shown.points.selected_data)
                few = np.count_nonzero(chosen) <= MIRRORED
                mirrored = set(np.flatnonzero(chosen).tolist()) if few else {row for row in before if chosen[row]}
                if before != mirrored:
                    shown.points.selected_data = mirrored
                shown.highlight(self._selection.is_selected(shown.cell_numbers))
            for source in self.sources:
                own = keys[keys.get_level_values("layer") == source.name]
                cells = CoveredCells(*(own.get_level_values(part).to_numpy() for part in ("frame", "label")))
                source.show(cells)

    def _selected(self, *_: object) -> None:
        """Show a new selection in all views, and bring a single cell into view."""
        self.show()
        if len(self._selection) != 1:
            return
        [(layer, frame, label)] = self._selection.keys.tolist()
        for source in self.sources:
            if source.name == layer:
                with self._one_way():
                    self._show_one(source, frame, label)

    def _show_one(self, source: Source, frame: int, label: int) -> None:
        """Make the label of the only selected cell the current one, and go to its frame and plane."""
        layer = source.layer
        if isinstance(layer, Labels) and label <= np.iinfo(layer.dtype).max:
            layer.selected_label = label
        if not source.is_in_view(frame, label, View.of(self._viewer)):
            self._turn_to(source.position(frame, label))

    def _turn_to(self, position: np.ndarray | None) -> None:
        """Move the viewer's slice to a point in world coordinates."""
        if position is None:
            return
        dims = self._viewer.dims
        axes = [axis for axis in range(dims.ndim - len(position), dims.ndim) if axis not in dims.displayed]
        if axes:
            # All axes at once, because napari slices every layer anew at each change.
            dims.set_point(axes, [position[axis - dims.ndim] for axis in axes])

    @contextmanager
    def _one_way(self) -> Generator[None, None, None]:
        """Ignore the signals of views while they are being updated."""
        self._showing = True
        try:
            yield
        finally:
            self._showing = False

    def _within(self, region: Region, view: View) -> tuple[np.ndarray, int]:
        """The numbers of the cells found in the images, and how many others there are that no map has."""
        found = [np.empty(0, dtype=np.int64)]
        for source in self.sources:
            if source.layer.visible:
                found.append(self._cell_index.numbers_of(source.within(region, view).keys(source.name)))
        numbers = np.concatenate(found)
        known = self._on_map(numbers)
        return numbers[known], int((~known).sum())

    def _on_map(self, numbers: np.ndarray) -> np.ndarray:
        """Which of these cells are on a map."""
        known: np.ndarray = self._cell_index.mask_of(self.maps.numbers())[numbers]
        return known

    def _point_under(self, event: MouseEvent, viewer: ViewerModel) -> tuple[MapLayer, Key] | None:
        """The map and the key of the cell whose point is under the mouse."""
        view = View.of(viewer)
        if viewer is self.maps.viewer:
            flat = len(view.displayed) == 2
            mouse = np.asarray(event.position)[list(view.displayed)] if flat else np.asarray(event.pos)
            for shown in self.maps.shown:
                reach = max(shown.pixels / 2, _NEAR) / view.zoom if flat else _NEAR
                if (row := _nearest(self.maps.in_view(shown, view), mouse, reach)) is not None and shown.points.visible:
                    return shown, self._cell_index.key(shown.numbers[row])
        return None

    def _cell_under(self, event: MouseEvent, viewer: ViewerModel) -> Key | None:
        """The key of the cell under the mouse in an image."""
        view = View.of(viewer)
        if viewer is self._viewer:
            order = {layer: position for position, layer in enumerate(self._viewer.layers)}
            for source in sorted(self.sources, key=lambda source: -order.get(source.layer, -1)):
                if source.layer.visible and (cell := source.at(event, view)) is not None:
                    return (source.name, *cell)
        return None

    def _select(self, key: Key, mode: Mode, how: str, shown: MapLayer | None = None) -> None:
        """Select a cell or, on a map of landmarks, all cells that it stands for."""
        number = self._cell_index.numbers_of([key])
        if self._on_map(number).all():
            self._selection.select(number if shown is None else self.maps.stood_for(shown, number), mode, how=how)
        else:
            if mode == "replace":
                self._selection.clear()
            self._tell(f"Cell {key[2]} is not on the map: it has no row in the table, or was left out.")

    def _points_chosen(self, shown: MapLayer, *_: object) -> None:
        if not self._showing:
            chosen = shown.numbers[sorted(shown.points.selected_data)]
            self._selection.select(self.maps.stood_for(shown, chosen), how="points on the map")

    def _label_picked(self, event: Event) -> None:
        if not self._showing:
            self._pick(event.source, event.source.selected_label)

    def _picked_again(self, layer: Labels, event: MouseEvent) -> None:
        """Take a pick of the current label, too: napari emits an event only if the label changes."""
        if layer.mode == "pick":
            value = layer.get_value(
                event.position, view_direction=event.view_direction, dims_displayed=event.dims_displayed, world=True
            )
            self._pick(layer, (value[1] if isinstance(value, tuple) else value) or 0)

    def _pick(self, layer: Labels, label: int) -> None:
        if not label:
            self._selection.clear()
            self._tell("Background: no cell is selected.")
            return
        for source in self.sources:
            if source.layer is layer:
                self._select((source.name, source.frame(self._viewer.dims.point), int(label)), "replace", "cell picked")


def _nearest(positions: np.ndarray, mouse: np.ndarray, reach: float) -> int | None:
    """The row of the point under the mouse, if any."""
    if not len(positions):
        return None
    distances = np.sum((positions - mouse) ** 2, axis=1)
    nearest = int(np.argmin(distances))
    return nearest if distances[nearest] <= reach**2 else None
