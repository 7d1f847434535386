"""The maps in the viewer: side by side, right of the images or on a canvas of their own."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from napari.layers import Layer
from psygnal import Signal
from superqt.utils import qdebounced

from latentmap.display.colours import rgba
from latentmap.display.sentences import far_out
from latentmap.napari_layers.layers import active_kept
from latentmap.napari_layers.source import OWN, View
from latentmap.napari_plugin.scene.canvas import Canvas
from latentmap.napari_plugin.scene.colours import SHADES
from latentmap.napari_plugin.scene.map_layer import MapLayer, Square
from latentmap.napari_plugin.scene.map_names import MapNames
from latentmap.presenters.colours import meaning
from latentmap.session import Groups, Run, Scale, Session, sizes
from latentmap.table import CellTable

GAP = 0.05
"""The gap before a map, in heights of the map."""
# How long the view must rest before what is in it is drawn, in milliseconds.
_STILL = 150


class Maps:
    """Lays maps out, and paints them as the session wants.

    Parameters
    ----------
    images : Canvas
        That with the images.
    session : Session
        The classes and the look of the maps.
    explain : callable
        Takes what the colours of the first map mean.

    Attributes
    ----------
    canvas : Canvas
        Where the maps are: the one with the images, or one of their own.
    redrawn : psygnal.Signal
        The points of a map are other cells now.
    """

    redrawn = Signal()

    def __init__(self, images: Canvas, session: Session, explain: Callable[[Scale | Groups | None], None]) -> None:
        self.canvas = self._images = images
        self._session, self._explain = session, explain
        self._maps: list[tuple[Run, MapLayer]] = []
        self._beside = Square(np.zeros(2), 1.0)
        self._units: Any = None
        self._what = "cells"
        self._names = MapNames()
        self._numbers: np.ndarray | None = None
        self._spare: MapLayer | None = None
        self._camera_left_at: tuple[object, float] | None = None
        self._look_soon = qdebounced(self.look, timeout=_STILL)
        self._follow_view(True)
        session.classes.changed.connect(self.paint)
        session.look.events.connect(self.paint)
        session.dropped.changed.connect(self._drop, max_args=0)
        session.runs.changed.connect(self._write_names)

    @property
    def viewer(self) -> Any:
        """The viewer that the maps are in."""
        return self.canvas.viewer

    def __len__(self) -> int:
        return len(self._maps)

    @property
    def shown(self) -> list[MapLayer]:
        """The maps, from left to right."""
        return [shown for _, shown in self._maps]

    def numbers(self) -> np.ndarray:
        """Return the numbers of the cells on any map that were not dropped, ascending."""
        if self._numbers is None:
            everyone = np.unique(np.concatenate([np.empty(0, int), *(one.cell_numbers for one in self.shown)]))
            self._numbers = everyone[~self._session.dropped.among(everyone)]
        return self._numbers

    def beside(self, layers: Sequence[Layer]) -> None:
        """Lay the maps out right of all images from now on, as high as these layers.

        Parameters
        ----------
        layers : sequence of napari.layers.Layer
            Where the cells come from.
        """
        extents = [layer.extent.world[:, -2:] for layer in layers]
        top, bottom = min(extent[0, 0] for extent in extents), max(extent[1, 0] for extent in extents)
        others = [layer for layer in self._images.viewer.layers if layer.metadata.get(OWN) != "map"]
        right = max([layer.extent.world[1, -1] for layer in others] or [0.0])
        side = float(bottom - top) or 1.0
        self._beside = Square(np.array([(top + bottom) / 2, right + (0.5 + GAP) * side]), side)
        self._units = layers[0].units
        self._what = layers[0].name if len(layers) == 1 else f"{len(layers)} layers"

    def begin(self, run: Run, cells: CellTable, numbers: np.ndarray, beside: Sequence[Run] = ()) -> MapLayer:
        """Begin the map of a run that is under way.

        Parameters
        ----------
        run : Run
        cells : CellTable
            The cells on the map.
        numbers : ndarray of int
            Their numbers in the session.
        beside : sequence of Run
            Whose maps stay, left of the new one; all others go.
        """
        if not self._maps:
            self._camera_left_at = None
        if self._spare is None and (replaced := [pair for pair in self._maps if pair[0] not in beside]):
            self._maps.remove(replaced[-1])
            self._spare = replaced[-1][1]
            self._dismiss(self._spare)
        self.arrange(beside)
        shown = self._add(run, cells, numbers)
        self._write_names()
        return shown

    def ready(self, cells: CellTable) -> None:
        """Add the layers of the next map to the viewer, unless it will take over existing ones.

        Parameters
        ----------
        cells : CellTable
            Any cells; none of them can be seen yet.
        """
        if not self._maps and self._spare is None:
            one = CellTable(cells.features.iloc[:1])
            axes = self._session.look.axes_of(self._session.parameters.n_components)
            self._spare = self._made(one, np.zeros(1, dtype=np.int64), self._square, "map to come", axes)
            self._spare.points.opacity = 0
            # OpenGL compiles its shaders now, and napari shows the controls of points: when the map first appears, each
            # would block the window.
            self.viewer.layers.selection.active = self._spare.points
            self.canvas.draw()

    def drop_spare(self) -> None:
        """Remove layers that no map has taken over."""
        spare, self._spare = self._spare, None
        self._take_away(spare)

    def arrange(self, runs: Sequence[Run]) -> None:
        """Show the maps of these runs from left to right, and no others.

        Parameters
        ----------
        runs : sequence of Run
            With results.
        """
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
                shown.finish(run.result.embedding, run.result.variances)
        self._write_names()
        self.paint()
        if len(before) != len(self._maps):
            self.fit_camera()

    def move(self, canvas: Canvas) -> None:
        """Show the maps on another canvas."""
        runs = [run for run, _ in self._maps if run.result is not None]
        self.drop_spare()
        self.arrange([])
        self._follow_view(False)
        self.canvas, self._camera_left_at = canvas, None
        self._follow_view(True)
        self.arrange(runs)

    def in_view(self, shown: MapLayer, view: View) -> np.ndarray:
        """Return where a map's points are drawn.

        Parameters
        ----------
        shown : MapLayer
        view : View
            Of the canvas with the maps.

        Returns
        -------
        ndarray of float, shape (n_points, 2)
            World coordinates of the axes in view, or, where these are three, pixels of the canvas.
        """
        return shown.places[:, -2:] if len(view.displayed) == 2 else self.canvas.pixels(shown.places)

    def remove(self, run: Run) -> None:
        """Take a run's map away, with its layers."""
        for kept, shown in [pair for pair in self._maps if pair[0] is run]:
            self._maps.remove((kept, shown))
            self._numbers = None
            self._take_away(shown)

    def receive(self, run: Run, new: pd.DataFrame, name: str) -> bool:
        """Show cells that were placed on a run's map, if that is in view; those of before by that name go.

        Parameters
        ----------
        run : Run
        new : pandas.DataFrame
            As for :meth:`MapLayer.receive`.
        name : str
            What the layer is called.

        Returns
        -------
        bool
            Whether they can be seen.
        """
        shown = next((shown for one, shown in self._maps if one is run and one.result is not None), None)
        if shown is None:
            return False
        self._dismiss(shown, name)
        with active_kept(self.viewer):
            self.viewer.add_layer(shown.receive(new, name))
        return True

    def lost(self) -> list[Run]:
        """Return the runs whose points the user has deleted."""
        return [run for run, shown in self._maps if shown.points not in self.viewer.layers]

    def put_back(self) -> list[str]:
        """Put back layers that the user has deleted of maps that are still there.

        Returns
        -------
        list of str
            What the layers are called.
        """
        layers = self.viewer.layers
        if self._spare is not None and not (self._spare.points in layers and self._spare.rings in layers):
            self.drop_spare()
        back: list[Layer] = [shown.rings for shown in self.shown if shown.rings not in layers]
        with active_kept(self.viewer):
            for rings in back:
                self.viewer.add_layer(rings)
        if self._names.layer is not None and self._names.layer not in layers:
            self._write_names()
            back += [self._names.layer] if self._names.layer is not None else []
        return [layer.name for layer in back]

    def fit_camera(self) -> None:
        """Bring everything into view, unless the user has moved the camera since the last time."""
        camera = self.viewer.scene.camera
        if self._camera_left_at in (None, (camera.center, camera.zoom)):
            self.viewer.reset_view()
            self._camera_left_at = camera.center, camera.zoom

    def paint(self) -> None:
        """Colour the points as the user wants them, and explain the colours of the first map."""
        redrawn = False
        for place, (_, shown) in enumerate(self._maps):
            meant = meaning(self._session, shown.cells, shown.cell_numbers, shown.variances)
            redrawn |= shown.hide(self._session.dropped.among(shown.cell_numbers))
            shown.paint(rgba(meant, SHADES), sizes(shown.variances, self._session.look.sized_by_variance))
            if not place:
                self._explain(meant)
        if redrawn:
            self.redrawn.emit()

    def look(self) -> None:
        """Draw the part of large maps that is in view."""
        if large := [shown for shown in self.shown if shown.is_large]:
            window = self.canvas.window()
            others = [shown.look(window) for shown in large]
            if any(others):
                self.redrawn.emit()

    def draw_fewer(self, fewer: bool) -> None:
        """Draw few points of every map while a run is under way, so that redrawing does not block the window.

        Parameters
        ----------
        fewer : bool
            Whether one is.
        """
        others = [shown.draw_fewer(fewer) for shown in self.shown]
        if any(others):
            self.paint()
            self.redrawn.emit()

    def left_out(self) -> list[str]:
        """Say what is not drawn, or not where it belongs.

        Returns
        -------
        list of str
            Sentences.
        """
        said = []
        n_there = sum(int(shown.there.sum()) for shown in self.shown)
        n_drawn = sum(len(shown.rows) for shown in self.shown)
        if n_drawn < n_there:
            said.append(f"{n_drawn} of {n_there} points are drawn: zoom in to see the others.")
        return [*said, *far_out(sum(shown.beyond for shown in self.shown))]

    def close(self) -> None:
        """Let go of the maps: they stay as plain layers."""
        self._look_soon.cancel()
        self._follow_view(False)
        self._session.classes.changed.disconnect(self.paint)
        self._session.look.events.disconnect(self.paint)
        self._session.dropped.changed.disconnect(self._drop)
        self._session.runs.changed.disconnect(self._write_names)
        for _, shown in self._maps:
            shown.leave()
            self._dismiss(shown)
            if shown.rings in self.viewer.layers:
                self.viewer.layers.remove(shown.rings)
        self._maps = []

    def _follow_view(self, follows: bool) -> None:
        events = self.viewer.scene.camera.events
        for event in (events.center, events.zoom):
            if follows:
                event.connect(self._look_soon)
            else:
                event.disconnect(self._look_soon)

    def _drop(self) -> None:
        self._numbers = None
        self.paint()

    def _write_names(self) -> None:
        names = [run.name for run, _ in self._maps] if len(self._maps) > 1 else []
        centre, side = self._square
        above = [centre + side * np.array([-0.5 - GAP, place * (1 + GAP)]) for place in range(len(names))]
        self._names.write(self.viewer, names, np.array(above), side / 100, self._units_here)

    def _add(self, run: Run, cells: CellTable, numbers: np.ndarray) -> MapLayer:
        (centre, side), place, name = self._square, len(self._maps), f"map of {self._what}"
        axes = self._session.look.axes_of(int(run.parameters["n_components"]))
        square = Square(centre + np.array([0, place * (1 + GAP) * side]), side)
        name = f"{name}, {run.name}" if place else name
        spare, self._spare = self._spare, None
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
        shown = MapLayer(cells, numbers, square, name, axes, self._units_here)
        self.viewer.add_layer(shown.points)
        self.viewer.add_layer(shown.rings)
        return shown

    def _take_away(self, shown: MapLayer | None) -> None:
        if shown is not None:
            self._dismiss(shown)
            for layer in (shown.points, shown.rings):
                if layer in self.viewer.layers:
                    self.viewer.layers.remove(layer)

    def _dismiss(self, shown: MapLayer, name: str = "") -> None:
        """Remove cells that were placed on a map: all, or those of one name."""
        for guests in [one for one in shown.guests if not name or one.name == name]:
            shown.guests.remove(guests)
            if guests in self.viewer.layers:
                self.viewer.layers.remove(guests)

    @property
    def _units_here(self) -> Any:
        """The units of the world's axes: the canvas of the maps alone has none."""
        return self._units if self.canvas is self._images else None

    @property
    def _square(self) -> Square:
        """Where the first map lies."""
        return self._beside if self.canvas is self._images else Square(np.zeros(2), 1000.0)
