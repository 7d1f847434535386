"""What of the session stands in the viewer: the maps, the lights in the images, the mouse."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from napari.utils.events import Event
from superqt.utils import qthrottled

from latentmap.napari_plugin.linking import Link
from latentmap.napari_plugin.map_layer import MapLayer
from latentmap.napari_plugin.maps import Maps
from latentmap.napari_plugin.mouse import Mouse
from latentmap.napari_plugin.source import Source
from latentmap.session import Groups, Run, Scale, Session
from latentmap.table import Key

REDRAW = 50
"""The shortest time between two drawings of the moving map, in milliseconds."""


class Scene:
    """Draws the session's maps while they are made and afterwards, and links them with the images.

    Parameters
    ----------
    viewer : napari.viewer.Viewer
        The real one, not the proxy that plugins get.
    session : Session
    explain : callable
        Takes what the colours of the first map mean.
    tell : callable
        Takes a sentence for the user.
    hovered : callable
        Takes the key of the cell under the mouse, or None.

    Attributes
    ----------
    maps : Maps
    link : Link
    mouse : Mouse
    beside : list of Run
        The runs whose maps stay when another one is made.
    """

    def __init__(
        self,
        viewer: Any,
        session: Session,
        explain: Callable[[Scale | Groups | None], None],
        tell: Callable[[str], None],
        hovered: Callable[[Key | None], None],
    ) -> None:
        self._viewer, self._session, self._tell = viewer, session, tell
        self.maps = Maps(viewer, session, explain)
        self.link = Link(viewer, self.maps, session, tell, hovered)
        self.mouse = Mouse(
            viewer,
            lambda: viewer.window._qt_viewer.canvas.view,
            drawn=lambda drawing: self.link.draw(drawing, viewer),
            clicked=lambda event, mode: self.link.click(event, mode, viewer),
            hovered=lambda event: self.link.hover(event, viewer),
        )
        self.beside: list[Run] = []
        self._sources: list[Source] = []
        self._moving: MapLayer | None = None
        self._moving_run: Run | None = None
        self._draw = qthrottled(self._draw_now, timeout=REDRAW)
        session.runs.progressed.connect(self._progressed)
        session.runs.ended.connect(self._ended)
        viewer.layers.events.removed.connect(self._layer_removed)

    def bring(self, sources: Sequence[Source]) -> None:
        """Link these layers, and lay the maps out beside them from now on.

        Parameters
        ----------
        sources : sequence of Source
        """
        self._sources = list(sources)
        self.maps.beside([source.layer for source in sources])

    def arrange(self, runs: Sequence[Run]) -> None:
        """Show the maps of these runs, and no others, once the run under way has ended.

        Parameters
        ----------
        runs : sequence of Run
        """
        if self._moving is None:
            self.maps.arrange(runs)
            self._link_sources()
            self.link.watch_maps()

    def clear(self) -> None:
        """Take all maps away; the session keeps its runs."""
        self._session.runs.drop()
        self.maps.arrange([])
        self._sources = []
        self._link_sources()

    def close(self) -> None:
        """Let go of the viewer, as it is."""
        self._draw.cancel()
        self._viewer.layers.events.removed.disconnect(self._layer_removed)
        self.mouse.close()
        self.link.close()

    def _link_sources(self) -> None:
        """Link the layers that the cells come from as long as there is a map, or one is being made."""
        needed = self._sources if len(self.maps) or self._session.runs.running else []
        for source in list(self.link.sources):
            if source not in needed:
                self.link.remove(source.layer)
        for source in needed:
            if source not in self.link.sources:
                self.link.add(source)

    def _progressed(self, run: Run) -> None:
        progress = run.progress
        if progress is None or progress.state is None or progress.stage != "embedding":
            return
        if self._moving_run is not run:
            numbers = self._session.register.enter(progress.cells.features.index)
            kept = [one for one in self.beside if one.result is not None]
            self._moving, self._moving_run = self.maps.begin(run, progress.cells, numbers, kept), run
            self._link_sources()
            self.link.watch_maps()
        self._draw(progress.state.embedding, progress.state.variances)

    def _draw_now(self, embedding: np.ndarray, variances: np.ndarray) -> None:
        if self._moving is not None:
            start = perf_counter()
            self._moving.move(embedding, variances)
            self.maps.paint()
            # A large map takes long to draw, and must leave the window the time to answer the user.
            self._draw.setTimeout(max(REDRAW, round(4000 * (perf_counter() - start))))

    def _ended(self, run: Run) -> None:
        self._draw.cancel()
        moving, self._moving, self._moving_run = self._moving, None, None
        if moving is not None and run.result is not None:
            moving.finish(run.result.embedding, run.result.variances)
            self.maps.paint()
            self.maps.fit_camera()
            self.link.show()

    def _layer_removed(self, event: Event) -> None:
        """Let go of all that the layer was part of."""
        layer = event.value
        if (run := self.maps.of(layer)) is not None:
            self._map_removed(run)
        for source in list(self._sources):
            if layer is source.layer or (layer is source.light and source in self.link.sources):
                self._source_removed(source, is_gone=layer is source.layer)

    def _map_removed(self, run: Run) -> None:
        self.maps.remove(run)
        self.link.watch_maps()
        if run is self._moving_run:
            self._session.runs.drop()
            self._tell("The map is gone, so the run is stopped.")
        elif run is self._session.runs.current:
            self._session.runs.show(None)
        self._link_sources()
        self._session.selection.forget(
            np.setdiff1d(self._session.selection.numbers, self.maps.numbers(), assume_unique=True)
        )

    def _source_removed(self, source: Source, is_gone: bool) -> None:
        self._sources.remove(source)
        self.link.remove(source.layer)
        keys = self._session.selection.keys
        self._session.selection.forget(self._session.selection.numbers[keys.get_level_values("layer") == source.name])
        if is_gone and self._session.runs.running:
            self._session.runs.drop()
            self._tell(f'"{source.layer.name}" is gone, so the run is stopped.')
