"""The maps in the viewer, side by side, to the right of the images or in a separate view."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from napari.components import ViewerModel
from napari.layers import Layer
from superqt.utils import qdebounced

from latentmap.display.map_place import APART, NAME_ABOVE, Square
from latentmap.napari_layers.layers import active_kept
from latentmap.napari_layers.source import View
from latentmap.napari_plugin.scene.beside_images import BesideImages
from latentmap.napari_plugin.scene.canvas import Canvas
from latentmap.napari_plugin.scene.map_layer import MapLayer
from latentmap.napari_plugin.scene.map_names import MapNames
from latentmap.napari_plugin.scene.map_painter import STILL, MapPainter
from latentmap.session import ColourGroups, ColourScale, Run, Session
from latentmap.table import KEY, CellTable
from latentmap.table.number_sets import distinct


class Maps:
    """Lays out the maps, and keeps the layers of each.

    Parameters
    ----------
    images : Canvas
        The canvas with the images.
    session : Session
    explain : callable
        Takes what the legend explains, and lines on maps with another scale.

    Attributes
    ----------
    canvas : Canvas
        The canvas with the maps: that with the images, or a separate one.
    painter : MapPainter
        Draws them.
    """

    def __init__(
        self,
        images: Canvas,
        session: Session,
        explain: Callable[[ColourScale | ColourGroups | None, Sequence[str]], None],
    ) -> None:
        self.canvas = self._images = images
        self._session = session
        self._maps: list[tuple[Run, MapLayer]] = []
        self._beside = BesideImages()
        self._names = MapNames()
        self.painter = MapPainter(images, session, lambda: self._maps, explain)
        self._numbers: np.ndarray | None = None
        self._reserve: MapLayer | None = None
        self._camera_left_at: tuple[object, float] | None = None
        self._images_left_at: tuple[object, float] | None = None
        self._fit_soon = qdebounced(self._fit_if_shown, timeout=STILL)
        self._fit_images_soon = qdebounced(self._fit_images, timeout=STILL)
        images.viewer.canvas.events.size.connect(self._fit_images_soon)
        self._follow_size(True)
        session.dropped.changed.connect(self._drop, max_args=0)
        session.runs.changed.connect(self._write_names)
        session.runs.changed.connect(self.painter.explain)

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
            everyone = distinct([], *there)
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
            self.painter.forget()
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
            # So that OpenGL compiles its shaders and napari builds the controls for points before the map appears. This
            # would block the window then.
            self.viewer.layers.selection.active = self._reserve.points
            self.canvas.draw_soon()

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
            self._remove(run)
        for run in runs[kept:]:
            if run.result is not None and run.numbers is not None:
                shown = self._add(run, run.result.cells, run.numbers)
                shown.finish(run.result.embedding, run.result.variances, run.turn)
        self._write_names()
        self.painter.paint()
        if len(before) != len(self._maps):
            self.fit_camera()

    def move(self, canvas: Canvas) -> None:
        """Move the maps to another canvas, with the cells placed on them."""
        runs = [run for run, _ in self._maps if run.result is not None]
        placed = [
            (run, guests.features.set_index(list(KEY)), guests.name)
            for run, shown in self._maps
            for guests in shown.guests
            if guests in self.viewer.layers
        ]
        self.drop_reserve()
        self.arrange([])
        if self.canvas is self._images:
            self._images_left_at = self._camera_left_at
        self._follow_size(False)
        self.canvas, self._camera_left_at = canvas, None
        self.painter.move(canvas)
        self._follow_size(True)
        self.arrange(runs)
        for one in placed:
            self.show_placed(*one)

    def dress(self, theme: str) -> None:
        """Draw what stands out from the background in the colours of a theme."""
        for shown in self.shown if self._reserve is None else [*self.shown, self._reserve]:
            shown.dress(theme)
        self.painter.fields.dress(theme)
        self._names.dress(theme)

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
        self._remove(run)
        self._write_names()

    def _remove(self, run: Run) -> None:
        for kept, shown in [pair for pair in self._maps if pair[0] is run]:
            self._maps.remove((kept, shown))
            self._numbers = None
            self._take_away(shown)
        self.painter.forget()

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

    def fit_camera(self, always: bool = False) -> None:
        """Bring everything into view, unless the user has moved the camera since this was last done."""
        camera = self.viewer.scene.camera
        if always or self._camera_left_at in (None, (camera.center, camera.zoom)):
            self.viewer.reset_view()
            self._camera_left_at = camera.center, camera.zoom

    def close(self) -> None:
        """Turn the maps into ordinary layers, and disconnect from the viewer."""
        self._fit_soon.cancel()
        self._fit_images_soon.cancel()
        self._images.viewer.canvas.events.size.disconnect(self._fit_images_soon)
        self._follow_size(False)
        self._session.dropped.changed.disconnect(self._drop)
        self._session.runs.changed.disconnect(self._write_names)
        self._session.runs.changed.disconnect(self.painter.explain)
        self.painter.close()
        for _, shown in self._maps:
            shown.leave()
            self._dismiss(shown)
            self.canvas.draw_no_more(shown.rings)
        self._maps = []

    def _follow_size(self, follows: bool) -> None:
        event = self.viewer.canvas.events.size
        if follows:
            event.connect(self._fit_soon)
        else:
            event.disconnect(self._fit_soon)

    def _fit_if_shown(self) -> None:
        if self._maps:
            self.fit_camera()

    def _fit_images(self) -> None:
        """Bring the images into view if they have another height beside a separate view of the maps."""
        camera = self._images.viewer.scene.camera
        if self.canvas is not self._images and self._images_left_at == (camera.center, camera.zoom):
            self._images.viewer.reset_view()
            self._images_left_at = camera.center, camera.zoom

    def _drop(self) -> None:
        self._numbers = None
        self.painter.paint()

    def _write_names(self) -> None:
        names = [run.name for run, _ in self._maps] if len(self._maps) > 1 else []
        squares = [shown.square for shown in self.shown] if names else []
        above = [centre - np.array([(0.5 + NAME_ABOVE) * side, 0]) for centre, side in squares]
        self._names.write(self.viewer, names, np.array(above), self._square.side / 100, self._units_here)

    def _add(self, run: Run, cells: CellTable, numbers: np.ndarray) -> MapLayer:
        (centre, side), place, name = self._square, len(self._maps), f"map of {self._beside.what}"
        axes = self._session.display_settings.axes_of(int(run.parameters["n_components"]))
        square = Square(centre + np.array([0, place * (1 + APART) * side]), side)
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
        shown = MapLayer(
            cells, numbers, square, name, axes, self._units_here, lambda: canvas.is_software, self.viewer.theme
        )
        shown.points.events.visible.connect(self.painter.draw_beside)
        self.viewer.add_layer(shown.points)
        self.canvas.draw_text_when_there_is_any(shown.points)
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
