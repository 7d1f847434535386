"""The maps in the viewer, side by side, to the right of the images or in a separate view."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from napari.components import ViewerModel
from napari.layers import Layer
from psygnal import Signal
from qtpy.QtCore import QTimer
from superqt.utils import qdebounced

from latentmap.display.colours import rgba
from latentmap.display.group_names import GroupName, group_names
from latentmap.display.map_place import GAP, Square
from latentmap.display.map_sentences import far_out_note
from latentmap.napari_layers.layers import active_kept
from latentmap.napari_layers.source import View
from latentmap.napari_plugin.scene.beside_images import BesideImages
from latentmap.napari_plugin.scene.canvas import Canvas
from latentmap.napari_plugin.scene.colours import SHADES
from latentmap.napari_plugin.scene.group_tags import GroupTags
from latentmap.napari_plugin.scene.map_fields import MapFields
from latentmap.napari_plugin.scene.map_layer import MapLayer
from latentmap.napari_plugin.scene.map_names import MapNames
from latentmap.napari_plugin.scene.map_tracks import MapTracks
from latentmap.presenters.colours import hollow_cells, map_colours
from latentmap.session import ColourGroups, ColourScale, Run, Session, cell_sizes
from latentmap.session.landmarks import represented
from latentmap.table import CellTable

# How long the camera must stay still before the points in view are drawn, in milliseconds.
_STILL = 150


class Maps:
    """Lays out the maps, and draws them with the session's display settings.

    Parameters
    ----------
    images : Canvas
        The canvas with the images.
    session : Session
    explain : callable
        Takes the meaning of the first map's colours.

    Attributes
    ----------
    canvas : Canvas
        The canvas with the maps: that with the images, or a separate one.
    """

    redrawn = Signal()
    """Emitted when the points of a map stand for other cells than before."""
    painted = Signal()
    """Emitted when points may have other colours than before."""

    def __init__(
        self, images: Canvas, session: Session, explain: Callable[[ColourScale | ColourGroups | None], None]
    ) -> None:
        self.canvas = self._images = images
        self._session, self._explain = session, explain
        self._maps: list[tuple[Run, MapLayer]] = []
        self._beside = BesideImages()
        self._names, self.tags = MapNames(), GroupTags(images)
        self.tracks = MapTracks(images, session, lambda: self._maps)
        self.fields = MapFields(images, session, lambda: self._maps)
        self._numbers: np.ndarray | None = None
        self._reserve: MapLayer | None = None
        self._camera_left_at: tuple[object, float] | None = None
        self._draw_in_view_soon = qdebounced(self.draw_in_view, timeout=_STILL)
        self._fit_soon = qdebounced(self._fit_if_shown, timeout=_STILL)
        self._follow_view(True)
        session.classes.changed.connect(self.paint)
        session.display_settings.events.connect(self.paint)
        session.dropped.changed.connect(self._drop, max_args=0)
        session.runs.changed.connect(self._write_names)
        session.runs.checked.connect(self.paint, max_args=0)

    @property
    def viewer(self) -> ViewerModel:
        """The viewer with the maps."""
        return self.canvas.viewer

    def __len__(self) -> int:
        return len(self._maps)

    @property
    def shown(self) -> list[MapLayer]:
        """The maps, from left to right."""
        return [shown for _, shown in self._maps]

    @property
    def runs(self) -> list[Run]:
        """The runs whose maps are shown, from left to right."""
        return [run for run, _ in self._maps]

    def numbers(self) -> np.ndarray:
        """Return the numbers of the cells on any map, without dropped cells, in ascending order.

        Cells that a landmark stands for are on its map, too.
        """
        if self._numbers is None:
            there = [self.stood_for(shown, shown.cell_numbers) for shown in self.shown]
            everyone = np.unique(np.concatenate([np.empty(0, int), *there]))
            self._numbers = everyone[~self._session.dropped.is_dropped(everyone)]
        return self._numbers

    def stood_for(self, shown: MapLayer, numbers: np.ndarray) -> np.ndarray:
        """Return the numbers of points of a map, with the cells that they stand for if they are landmarks."""
        run = next((run for run, one in self._maps if one is shown), None)
        return numbers if run is None else self._session.stood_for(run, numbers)

    def stand_next_to(self, layers: Sequence[Layer]) -> None:
        """Place maps beside all images from now on, as large as these layers of cells or as there is room for."""
        self._beside = BesideImages.of(layers, self._images.viewer)

    def begin(self, run: Run, cells: CellTable, numbers: np.ndarray, compared_runs: Sequence[Run] = ()) -> MapLayer:
        """Start the map of a run under way.

        Parameters
        ----------
        run : Run
        cells : CellTable
            The cells on the map.
        numbers : ndarray of int, shape (n_cells,)
            Their numbers in the session.
        compared_runs : sequence of Run
            The runs whose maps stay, to the left of the new one; all other maps are removed.
        """
        if not self._maps:
            self._camera_left_at = None
        if self._reserve is None and (replaced := [pair for pair in self._maps if pair[0] not in compared_runs]):
            self._maps.remove(replaced[-1])
            self._reserve = replaced[-1][1]
            self._dismiss(self._reserve)
            self.tags.keep(self.shown)
            self._draw_beside()
        self.arrange(compared_runs)
        shown = self._add(run, cells, numbers)
        self._write_names()
        return shown

    def ready(self, cells: CellTable) -> None:
        """Add the layers of the next map to the viewer, unless it can reuse existing ones.

        Parameters
        ----------
        cells : CellTable
            Any cells; they are invisible until the map begins.
        """
        if not self._maps and self._reserve is None:
            one = CellTable(cells.features.iloc[:1])
            axes = self._session.display_settings.axes_of(self._session.parameters.n_components)
            self._reserve = self._made(one, np.zeros(1, dtype=np.int64), self._square, "map to come", axes)
            self._reserve.points.opacity = 0
            # So that OpenGL compiles its shaders and napari builds the controls for points now. When the map first
            # appears, this would block the window.
            self.viewer.layers.selection.active = self._reserve.points
            self.canvas.draw()

    def drop_reserve(self) -> None:
        """Remove the layers held ready for the next map."""
        spare, self._reserve = self._reserve, None
        self._take_away(spare)

    def arrange(self, runs: Sequence[Run]) -> None:
        """Show the maps of these runs, which have results, from left to right, and no others."""
        before = [run for run, _ in self._maps]
        if before == list(runs):
            return
        same = next((at for at, (old, new) in enumerate(zip(before, runs, strict=False)) if old is not new), None)
        kept = min(len(before), len(runs)) if same is None else same
        for run in before[kept:]:
            self.remove(run)
        for run in runs[kept:]:
            if run.result is not None and run.numbers is not None:
                shown = self._add(run, run.result.cells, run.numbers)
                shown.finish(run.result.embedding, run.result.variances, run.turn)
        self._write_names()
        self.paint()
        if len(before) != len(self._maps):
            self.fit_camera()

    def move(self, canvas: Canvas) -> None:
        """Move the maps to another canvas."""
        runs = [run for run, _ in self._maps if run.result is not None]
        self.drop_reserve()
        self.arrange([])
        self._follow_view(False)
        self.tags.close()
        self.tracks.move(canvas)
        self.fields.move(canvas)
        self.canvas, self._camera_left_at, self.tags = canvas, None, GroupTags(canvas)
        self._follow_view(True)
        self.arrange(runs)

    def in_view(self, shown: MapLayer, view: View) -> np.ndarray:
        """Return where a map's points are drawn on the canvas with the maps.

        Returns
        -------
        ndarray of float, shape (n_points, 2)
            World coordinates in 2-D; pixels of the canvas in 3-D.
        """
        return shown.positions[:, -2:] if len(view.displayed) == 2 else self.canvas.pixels(shown.positions)

    def remove(self, run: Run) -> None:
        """Remove the map of a run, with its layers."""
        for kept, shown in [pair for pair in self._maps if pair[0] is run]:
            self._maps.remove((kept, shown))
            self._numbers = None
            self._take_away(shown)
        self.tags.keep(self.shown)
        self._draw_beside()

    def show_placed(self, run: Run, new: pd.DataFrame, name: str) -> bool:
        """Show cells placed on the map of a run, in place of an earlier layer of that name.

        Parameters
        ----------
        run : Run
        new : pandas.DataFrame
            As for `MapLayer.show_placed`.
        name : str
            The name of the layer.

        Returns
        -------
        bool
            False if the map is not in view, so that nothing is shown.
        """
        shown = next((shown for one, shown in self._maps if one is run and one.result is not None), None)
        if shown is None:
            return False
        self._dismiss(shown, name)
        with active_kept(self.viewer):
            self.viewer.add_layer(shown.show_placed(new, name))
        return True

    def deleted_runs(self) -> list[Run]:
        """Return the runs whose layer of points the user has deleted."""
        return [run for run, shown in self._maps if shown.points not in self.viewer.layers]

    def put_back(self) -> list[str]:
        """Restore names that the user has deleted while the maps are still there; return the layer's name."""
        layers = self.viewer.layers
        if self._reserve is not None and self._reserve.points not in layers:
            self.drop_reserve()
        if self._names.layer is not None and self._names.layer not in layers:
            self._write_names()
            return [self._names.layer.name] if self._names.layer is not None else []
        return []

    def fit_camera(self) -> None:
        """Bring everything into view, unless the user has moved the camera since this was last done."""
        camera = self.viewer.scene.camera
        if self._camera_left_at in (None, (camera.center, camera.zoom)):
            self.viewer.reset_view()
            self._camera_left_at = camera.center, camera.zoom

    def paint(self) -> None:
        """Colour the points by the chosen quantity, and explain the colours of the first map."""
        redrawn = False
        named: list[tuple[MapLayer, tuple[GroupName, ...]]] = []
        for place, (run, shown) in enumerate(self._maps):
            if run.result is not None:
                shown.cells = run.result.cells  # which may have got further features
            meant = map_colours(self._session, shown.cells, shown.cell_numbers, shown.variances)
            redrawn |= shown.hide(self._session.dropped.is_dropped(shown.cell_numbers))
            shown.show_all(self._session.display_settings.show_all)
            shown.hollow = hollow_cells(self._session, run)
            is_sized, counts = self._session.display_settings.sized_by_variance, represented(shown.cells, run.level)
            shown.paint(rgba(meant, SHADES), cell_sizes(shown.variances, is_sized, counts))
            shown.magnify(self.viewer.scene.camera.zoom)
            if not place:
                self._explain(meant)
            # Names of a map that moves would jump.
            if self._session.display_settings.names_on_map and run.result is not None:
                named.append((shown, group_names(meant, shown.cell_positions, shown.there)))
        self.tags.show(named)
        self._draw_beside()
        if redrawn:
            self.redrawn.emit()
        self.painted.emit()

    def draw_in_view(self) -> None:
        """Draw the part of large maps that is in view, with points of their size on the screen."""
        for shown in self.shown:
            shown.magnify(self.viewer.scene.camera.zoom)
        if large := [shown for shown in self.shown if shown.is_large]:
            window = self.canvas.window()
            others = [shown.draw_in_view(window) for shown in large]
            if any(others):
                self.redrawn.emit()

    def limit_points(self, fewer: bool) -> None:
        """Limit the points of every map during a run, so that redrawing does not block the window."""
        others = [shown.limit_points(fewer) for shown in self.shown]
        if any(others):
            self.redrawn.emit()
            # In a later turn of the event loop: the window has been blocked long enough.
            QTimer.singleShot(1, self._paint_if_shown)

    def left_out(self) -> list[str]:
        """Return sentences on points that are not drawn, or not drawn in their own place."""
        said = []
        n_there = sum(int(shown.there.sum()) for shown in self.shown)
        n_drawn = sum(shown.n_at_rest for shown in self.shown)
        if n_drawn < n_there:
            said.append(f"Only {n_drawn} of {n_there} points are drawn: zoom in to see more.")
        return [*said, *far_out_note(sum(shown.beyond for shown in self.shown))]

    def close(self) -> None:
        """Turn the maps into ordinary layers, and disconnect from the viewer."""
        self._draw_in_view_soon.cancel()
        self._fit_soon.cancel()
        self._follow_view(False)
        self._session.classes.changed.disconnect(self.paint)
        self._session.display_settings.events.disconnect(self.paint)
        self._session.dropped.changed.disconnect(self._drop)
        self._session.runs.changed.disconnect(self._write_names)
        self._session.runs.checked.disconnect(self.paint)
        self.tags.close()
        self.tracks.close()
        self.fields.close()
        for _, shown in self._maps:
            shown.leave()
            self._dismiss(shown)
            self.canvas.draw_no_more(shown.rings)
        self._maps = []

    def _draw_beside(self, *_: object) -> None:
        """Draw what lies above and below the points: tracks, and where else a cell could lie."""
        self.tracks.draw()
        self.fields.draw()

    def _follow_view(self, follows: bool) -> None:
        events = self.viewer.scene.camera.events
        for event, act in (
            (events.center, self._draw_in_view_soon),
            (events.zoom, self._draw_in_view_soon),
            (self.viewer.canvas.events.size, self._fit_soon),
        ):
            if follows:
                event.connect(act)
            else:
                event.disconnect(act)

    def _fit_if_shown(self) -> None:
        if self._maps:
            self.fit_camera()

    def _paint_if_shown(self) -> None:
        if self._maps:
            self.paint()

    def _drop(self) -> None:
        self._numbers = None
        self.paint()

    def _write_names(self) -> None:
        names = [run.name for run, _ in self._maps] if len(self._maps) > 1 else []
        centre, side = self._square
        above = [centre + side * np.array([-0.5 - GAP, place * (1 + GAP)]) for place in range(len(names))]
        self._names.write(self.viewer, names, np.array(above), side / 100, self._units_here)

    def _add(self, run: Run, cells: CellTable, numbers: np.ndarray) -> MapLayer:
        (centre, side), place, name = self._square, len(self._maps), f"map of {self._beside.what}"
        axes = self._session.display_settings.axes_of(int(run.parameters["n_components"]))
        square = Square(centre + np.array([0, place * (1 + GAP) * side]), side)
        name = f"{name}, {run.name}" if place else name
        spare, self._reserve = self._reserve, None
        if spare is not None and spare.n_axes == len(axes) and spare.points in self.viewer.layers:
            spare.begin(cells, numbers, square, name, axes)
            shown = spare
        else:
            self._take_away(spare)
            shown = self._made(cells, numbers, square, name, axes)
        self._maps.append((run, shown))
        self._numbers = None
        self.viewer.layers.selection.active = shown.points
        self.viewer.dims.ndisplay = max(len(axes), 2) if self.canvas is not self._images else self.viewer.dims.ndisplay
        return shown

    def _made(
        self, cells: CellTable, numbers: np.ndarray, square: Square, name: str, axes: tuple[int, ...]
    ) -> MapLayer:
        canvas = self.canvas
        shown = MapLayer(cells, numbers, square, name, axes, self._units_here, lambda: canvas.is_software)
        shown.points.events.visible.connect(self._draw_beside)
        self.viewer.add_layer(shown.points)
        self.canvas.draw_above(shown.rings, shown.points)
        return shown

    def _take_away(self, shown: MapLayer | None) -> None:
        if shown is not None:
            self._dismiss(shown)
            self.canvas.draw_no_more(shown.rings)
            if shown.points in self.viewer.layers:
                self.viewer.layers.remove(shown.points)

    def _dismiss(self, shown: MapLayer, name: str = "") -> None:
        """Remove cells placed on a map: all, or only the layer of this name."""
        for guests in [one for one in shown.guests if not name or one.name == name]:
            shown.guests.remove(guests)
            if guests in self.viewer.layers:
                self.viewer.layers.remove(guests)

    @property
    def _units_here(self) -> Sequence[object] | None:
        """The units of the world's axes; a separate view has none."""
        return self._beside.units if self.canvas is self._images else None

    @property
    def _square(self) -> Square:
        """The square of the first map."""
        return self._beside.square if self.canvas is self._images else Square(np.zeros(2), 1000.0)
