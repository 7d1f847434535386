"""The session in the viewer: the maps, the highlighted cells in the images, the mouse."""

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter

import numpy as np
import pandas as pd
from napari.components import ViewerModel
from napari.layers import Layer
from napari.viewer import Viewer
from qtpy.QtCore import QTimer
from superqt.utils import qthrottled

from latentmap.display.region import Tool
from latentmap.napari_layers.changed_together import changed_together
from latentmap.napari_layers.source import Source
from latentmap.napari_plugin.napari_private import qt_viewer
from latentmap.napari_plugin.scene.canvas import Canvas
from latentmap.napari_plugin.scene.frame_link import FrameLink
from latentmap.napari_plugin.scene.image_colours import ImageColours
from latentmap.napari_plugin.scene.layer_deletions import LayerDeletions
from latentmap.napari_plugin.scene.map_layer import MapLayer
from latentmap.napari_plugin.scene.map_view import MapView
from latentmap.napari_plugin.scene.maps import Maps
from latentmap.napari_plugin.scene.mouse import Mouse
from latentmap.napari_plugin.scene.selection_link import SelectionLink
from latentmap.napari_plugin.scene.viewer_grid import ViewerGrid
from latentmap.presenters.side_by_side import SideBySide
from latentmap.session import ColourGroups, ColourScale, Run, Session
from latentmap.session.warm_start import are_same_keys
from latentmap.table import CellTable, Key
from latentmap.table.cells import listed

REDRAW = 50
"""The shortest time between two redraws of the map during a run, in milliseconds."""
# After so many milliseconds the points of a map change in number: once the window has drawn what came before, and has
# answered.
_APART = 30


class Scene:
    """Draws the session's maps, during a run and afterwards, and links them with the images.

    Parameters
    ----------
    viewer : napari.viewer.Viewer
        The real one, not the proxy that plugins get.
    session : Session
    side_by_side : SideBySide
        Says which maps to show.
    explain : callable
        Takes what the legend explains, and lines on maps with another scale.
    tell : callable
        Shows a sentence to the user.
    hovered : callable
        Takes the key of the cell under the mouse, or None.
    """

    def __init__(
        self,
        viewer: Viewer,
        session: Session,
        side_by_side: SideBySide,
        explain: Callable[[ColourScale | ColourGroups | None, Sequence[str]], None],
        tell: Callable[[str], None],
        hovered: Callable[[Key | None], None],
    ) -> None:
        self._viewer, self._session, self._side_by_side, self._tell = viewer, session, side_by_side, tell
        self.images = Canvas(viewer, qt_viewer(viewer))
        self.maps = Maps(self.images, session, explain)
        self._hovered = hovered
        self.link = SelectionLink(self.images, self.maps, session, tell, self._point_at, self._project)
        self._frame_link = FrameLink(viewer, session, lambda: self._sources)
        self._image_colours = ImageColours(session, self.maps, self.link.sources)
        self.mouse = self._mouse(self.images)
        self.view: MapView | None = None
        self._view_mouse: Mouse | None = None
        self._sources: list[Source] = []
        self._moving: MapLayer | None = None
        self._moving_run: Run | None = None
        self._moving_keys = pd.Index([])
        self._draw = qthrottled(self._draw_now, timeout=REDRAW)
        session.runs.started.connect(self._started)
        session.runs.progressed.connect(self._progressed)
        session.runs.ended.connect(self._ended)
        session.display_settings.events.axes.connect(self._place_maps)
        session.display_settings.events.own_view.connect(self._place_maps)
        self._deletions = LayerDeletions(self._settle)
        self._deletions.watch(viewer)
        self._grid = ViewerGrid(viewer, session.display_settings, lambda: len(self.link.sources) > 0, tell)

    def use_tool(self, tool: Tool) -> None:
        """Change the mouse tool on all canvases."""
        for mouse in filter(None, (self.mouse, self._view_mouse)):
            mouse.tool = tool

    def free_clicks(self) -> list[str]:
        """Stop the active layers from taking clicks, for example for painting; return the tools that took them."""
        freed = []
        for mouse in filter(None, (self.mouse, self._view_mouse)):
            freed += mouse.free_clicks()
        return freed

    def bring(self, sources: Sequence[Source]) -> None:
        """Link these layers from the next map on, and place maps beside them."""
        self._deletions.process()
        self._sources = list(sources)
        self._frame_link.read()
        self.maps.stand_next_to([source.layer for source in sources])

    def stand_anew(self) -> None:
        """Bring the images into view, which have been moved, and place maps beside them again."""
        if self._sources:
            self.maps.stand_next_to([source.layer for source in self._sources])
            self._place_maps()
        self._viewer.reset_view()

    @property
    def has_sources(self) -> bool:
        """Whether there are layers in which the cells of maps light up."""
        return len(self._sources) > 0

    @property
    def is_drawing_a_run(self) -> bool:
        """Whether a map is being made, in which layers are linked from the next one on."""
        return self._session.runs.running or self._moving is not None

    def show_all(self) -> None:
        """Bring all images and maps into view, with the cells that are drawn at the edge of a map."""
        self._session.display_settings.show_all = True
        self._viewer.reset_view()
        self.maps.viewer.reset_view()

    def dress(self) -> None:
        """Draw what stands out from the background in the colours of the viewer's theme."""
        self.maps.dress(self._viewer.theme)

    def ready(self, cells: CellTable) -> None:
        """Add all layers that a run will need to the viewer, because napari is too slow to do so during the run."""
        self._link_sources(self._sources)
        self.maps.ready(cells)

    def unready(self) -> None:
        """Remove the layers added by `ready` if no run has used them."""
        self.maps.drop_reserve()
        self._link_sources()

    def arrange(self, runs: Sequence[Run]) -> None:
        """Show the maps of these runs, and no others, unless a map is being made."""
        self._deletions.process()
        if self._moving is None:
            self.maps.arrange(runs)
            self._link_sources()
            self.link.watch_maps()

    def clear(self) -> None:
        """Stop any run and remove all maps; the session keeps its finished runs."""
        self._deletions.process()
        self._session.runs.drop()
        self.maps.arrange([])
        self._sources = []
        self._link_sources()

    def close(self) -> None:
        """Disconnect from the viewer: highlights and rings are removed, the maps stay as ordinary layers."""
        self._draw.cancel()
        self._moving = self._moving_run = None
        self._grid.close()
        self._deletions.unwatch(self._viewer)
        self.mouse.close()
        self._image_colours.close()
        self._frame_link.close()
        self.link.close()
        self.maps.close()
        self.images.close()
        self._close_view()
        self._deletions.close()

    def _point_at(self, key: Key | None) -> None:
        """Let the track of the cell under the mouse stand out, and say which cell it is."""
        number = None if key is None else int(self._session.cell_index.numbers_of([key])[0])
        self.maps.painter.tracks.lines.point_at(number)
        self._hovered(key)

    def _project(self, viewer: ViewerModel, positions: np.ndarray) -> np.ndarray:
        """Project world coordinates in a 3-D view to pixels of its canvas."""
        return (self.maps.canvas if viewer is self.maps.viewer else self.images).pixels(positions)

    def _mouse(self, canvas: Canvas) -> Mouse:
        viewer = canvas.viewer
        return Mouse(
            viewer,
            canvas.node,
            drawn=lambda drawing: self.link.draw(drawing, viewer),
            clicked=lambda event, mode: self.link.click(event, mode, viewer),
            hovered=lambda event: self.link.hover(event, viewer),
            taken=self._click_taken,
            escaped=self._hide_field,
        )

    def _hide_field(self) -> None:
        self._session.cell_field.is_drawn = False

    def _click_taken(self, layer: Layer) -> None:
        """Say why a click does not compare cells."""
        if self._session.comparisons.on:
            self._tell(
                f'The tool "{layer.mode}" of "{layer.name}" takes the clicks: switch that layer to pan and zoom to '
                "compare cells."
            )

    def _place_maps(self) -> None:
        """Show the maps on the chosen canvas, along the chosen axes."""
        settings = self._session.display_settings
        wants_view = settings.own_view or len(settings.axes) == 3
        if wants_view and self.view is None:
            self._open_view()
        # A map that is being made starts over on its new canvas.
        self._moving = self._moving_run = None
        canvas = self.view.map_canvas if wants_view and self.view is not None else self.images
        self.maps.move(canvas)
        if not wants_view:
            self._close_view()
        self.link.watch_maps()

    def _open_view(self) -> None:
        self.view = MapView(self._view_closed, self._tell)
        self.view.dock(self._viewer)
        self._view_mouse = self._mouse(self.view.map_canvas)
        self._view_mouse.tool = self.mouse.tool
        self._deletions.watch(self.view.viewer)

    def _view_closed(self) -> None:
        """Show the maps beside the images again, where there is room for two axes."""
        settings = self._session.display_settings
        settings.own_view, settings.axes = False, settings.axes[:2]

    def _close_view(self) -> None:
        if self.view is not None and self._view_mouse is not None:
            self._view_mouse.close()
            self._deletions.unwatch(self.view.viewer)
            self.view.undock(self._viewer)
            self.view.map_canvas.close()
            self.view.close()
            self.view = self._view_mouse = None

    def _link_sources(self, needed: Sequence[Source] | None = None) -> None:
        """Link the layers of cells while there is a map, or one is being made."""
        if needed is None:
            needed = self._sources if len(self.maps) or self._session.runs.running else []
        for source in list(self.link.sources):
            if source not in needed:
                self.link.remove(source.layer)
        for source in needed:
            if source not in self.link.sources:
                self.link.add(source)
        films = {name for run in self.maps.runs for name in _films(run.table)}
        for source in self._sources:
            source.has_frames_on_map = source.name in films
        self._image_colours.paint()

    def _started(self, _: Run) -> None:
        QTimer.singleShot(_APART, self._draw_fewer)

    def _draw_fewer(self) -> None:
        if self._session.runs.running:
            self.maps.painter.limit_points(True)

    def _progressed(self, run: Run) -> None:
        if (progress := run.moving) is None:
            return
        if self._moving_run is not run or not self._moves(progress.cells):
            self._begin(run, progress.cells)
            # The rest in later turns of the event loop: the window has been blocked long enough.
            QTimer.singleShot(1, partial(self._bring_into_view, run))
        else:
            self._draw_progress(run)

    def _moves(self, cells: CellTable) -> bool:
        """Whether the map that moves has these cells; an interim map may have others than the run's own."""
        return are_same_keys(cells.features.index, self._moving_keys)

    def _begin(self, run: Run, cells: CellTable) -> None:
        self._moving_keys = cells.features.index
        numbers = self._session.cell_index.add(cells.features.index)
        with self.maps.canvas.drawn_later():
            self._moving, self._moving_run = self.maps.begin(run, cells, numbers, self._side_by_side.kept), run
        self._link_sources()

    def _bring_into_view(self, run: Run) -> None:
        if run is self._moving_run:
            self.maps.fit_camera()
            self.link.watch_maps()
            QTimer.singleShot(1, partial(self._draw_progress, run))

    def _draw_progress(self, run: Run) -> None:
        if run is self._moving_run and run.moving is not None:
            self._draw(run)

    def _draw_now(self, run: Run) -> None:
        shown = run.shown if run is self._moving_run and run.moving is not None else None
        if self._moving is not None and shown is not None:
            drawn_later = self.maps.canvas.drawn_later(partial(self._drawn, perf_counter()))
            with drawn_later, changed_together(self._moving.points, thumbnail=False):
                self._moving.move(shown.embedding, shown.variances)
                self.maps.painter.paint()

    def _drawn(self, start: float) -> None:
        """Pause for three times as long as this redraw took, to leave time for the user and the run."""
        self._draw.setTimeout(max(REDRAW, round(4000 * (perf_counter() - start))))

    def _ended(self, run: Run) -> None:
        self._draw.cancel()
        if self._moving is not None and run.result is not None and not self._moves(run.result.cells):
            self._begin(run, run.result.cells)
        moving, self._moving, self._moving_run = self._moving, None, None
        if moving is not None and run.result is not None:
            # All points later: the next run may be about to start.
            with self.maps.canvas.drawn_later(self._draw_all_soon), changed_together(moving.points):
                moving.finish(run.result.embedding, run.result.variances, run.turn, fewer=True)
                self.maps.painter.paint()
            self.maps.fit_camera()
            self.link.watch_maps()
        elif not self._session.runs.running and not run.is_superseded:
            self.unready()
        if not run.is_superseded:
            # The user may have ticked other maps in the meantime, and a run without a result leaves no map.
            self.arrange(self._side_by_side.shown)
        if moving is None or run.result is None:
            self._draw_all_soon()

    def _draw_all_soon(self) -> None:
        QTimer.singleShot(_APART, self._draw_all)

    def _draw_all(self) -> None:
        if not self._session.runs.running:
            self.maps.painter.limit_points(False)
            self._image_colours.paint()

    def _settle(self) -> None:
        """React to deleted layers: remove their map or cells, restore layers that maps need, and tell the user."""
        gone = [source for source in self._sources if source.layer not in self._viewer.layers]
        said = [self._source_deleted(source) for source in gone]
        said += [self._map_deleted(run) for run in self.maps.deleted_runs()]
        if back := self.maps.put_back():
            was, them = ("was", "it") if len(back) == 1 else ("were", "them")
            said.append(f"{listed(back)} {was} restored, because the maps need {them}. Hide {them} instead.")
        if said:
            self._link_sources()
            self._tell(" ".join(said))

    def _map_deleted(self, run: Run) -> str:
        self.maps.remove(run)
        self.link.watch_maps()
        self._session.selection.discard_cells(
            np.setdiff1d(self._session.selection.numbers, self.maps.numbers(), assume_unique=True)
        )
        if run is self._moving_run:
            self._session.runs.drop()
            return "The run was stopped, because its map was deleted."
        self._side_by_side.keep(run, False)
        if run is self._session.runs.current:
            self._session.runs.show(None)
        return f'The map "{run.name}" is hidden, but kept: click its row in the table of maps to show it again.'

    def _source_deleted(self, source: Source) -> str:
        self._sources.remove(source)
        self.link.remove(source.layer)
        keys = self._session.selection.keys
        self._session.selection.discard_cells(
            self._session.selection.numbers[keys.get_level_values("layer") == source.name]
        )
        if self._session.runs.running:
            self._session.runs.drop()
            return f'The run was stopped, because "{source.layer.name}" was deleted.'
        return f'"{source.layer.name}" was deleted: its cells no longer light up.'


def _films(cells: CellTable) -> pd.Index:
    """The layers whose cells lie in several frames."""
    index = cells.features.index
    return index[index.get_level_values("frame") > 0].unique("layer")
