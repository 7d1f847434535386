"""How the maps are drawn: colours, sizes, names of groups, and what lies above and below the points."""

from collections.abc import Callable, Sequence

from psygnal import Signal
from superqt.utils import qdebounced

from latentmap.display.colours import coded_colours
from latentmap.display.group_names import GroupName, group_names
from latentmap.display.map_sentences import far_out_note
from latentmap.napari_plugin.scene.canvas import Canvas
from latentmap.napari_plugin.scene.colours import SHADES
from latentmap.napari_plugin.scene.group_tags import GroupTags
from latentmap.napari_plugin.scene.map_fields import MapFields
from latentmap.napari_plugin.scene.map_layer import MapLayer
from latentmap.napari_plugin.scene.map_tracks import MapTracks
from latentmap.presenters.colours import hollow_cells, joint_legend, map_colours
from latentmap.session import ColourGroups, ColourScale, Run, Session, cell_sizes
from latentmap.session.landmarks import represented

STILL = 150
"""How long the camera or the window must stay still before the maps follow, in milliseconds."""


class MapPainter:
    """Draws the maps with the session's display settings.

    Parameters
    ----------
    canvas : Canvas
        The canvas with the maps.
    session : Session
    maps : callable
        Returns the maps in view, each with its run, from left to right.
    explain : callable
        Takes what the legend explains, and lines on maps with another scale.
    """

    redrawn = Signal()
    """Emitted when the points of a map stand for other cells than before."""
    painted = Signal()
    """Emitted when points may have other colours than before."""

    def __init__(
        self,
        canvas: Canvas,
        session: Session,
        maps: Callable[[], Sequence[tuple[Run, MapLayer]]],
        explain: Callable[[ColourScale | ColourGroups | None, Sequence[str]], None],
    ) -> None:
        self._canvas, self._session, self._maps, self._explain = canvas, session, maps, explain
        self.tags = GroupTags(canvas)
        self.tracks = MapTracks(canvas, session, maps)
        self.fields = MapFields(canvas, session, maps)
        self._draw_in_view_soon = qdebounced(self.draw_in_view, timeout=STILL)
        self._follow_camera(True)
        session.classes.changed.connect(self.paint)
        session.display_settings.events.connect(self.paint)
        session.runs.checked.connect(self.paint, max_args=0)

    def move(self, canvas: Canvas) -> None:
        """Draw on another canvas from now on; there are no maps at this moment."""
        self._follow_camera(False)
        self.tags.close()
        self._canvas, self.tags = canvas, GroupTags(canvas)
        self.tracks.move(canvas)
        self.fields.move(canvas)
        self._follow_camera(True)

    def paint(self) -> None:
        """Colour the points by the chosen quantity, and explain the colours."""
        redrawn = False
        explained: list[tuple[str, ColourScale | ColourGroups]] = []
        named: list[tuple[MapLayer, tuple[GroupName, ...]]] = []
        for run, shown in self._maps():
            if run.result is not None:
                shown.cells = run.result.cells  # which may have got further features
            meant = map_colours(self._session, shown.cells, shown.cell_numbers, shown.variances)
            redrawn |= shown.hide(self._session.dropped.is_dropped(shown.cell_numbers))
            shown.show_all(self._session.display_settings.show_all)
            shown.hollow = hollow_cells(self._session, run)
            is_sized, counts = self._session.display_settings.sized_by_variance, represented(shown.cells, run.level)
            shown.paint(coded_colours(meant, SHADES), cell_sizes(shown.variances, is_sized, counts))
            shown.magnify(self._canvas.viewer.scene.camera.zoom)
            explained.append((run.name, meant))
            # Names of a map that moves would jump.
            if self._session.display_settings.names_on_map and run.result is not None:
                named.append((shown, group_names(meant, shown.cell_positions, shown.there)))
        if explained:
            self._explain(*joint_legend(explained))
        self.tags.show(named)
        self.draw_beside()
        if redrawn:
            self.redrawn.emit()
        self.painted.emit()

    def explain(self) -> None:
        """Explain the colours of several maps anew, one of which may have got another name."""
        if len(maps := self._maps()) > 1:
            explained = [
                (run.name, map_colours(self._session, one.cells, one.cell_numbers, one.variances)) for run, one in maps
            ]
            self._explain(*joint_legend(explained))

    def draw_beside(self, *_: object) -> None:
        """Draw what lies above and below the points: tracks, and where else a cell could lie."""
        self.tracks.draw()
        self.fields.draw()

    def forget(self) -> None:
        """Remove what was drawn for maps that are there no more."""
        self.tags.keep(self._shown)
        self.draw_beside()

    def draw_in_view(self) -> None:
        """Draw the part of large maps that is in view, with points of their size on the screen."""
        for shown in self._shown:
            shown.magnify(self._canvas.viewer.scene.camera.zoom)
        if large := [shown for shown in self._shown if shown.is_large]:
            window = self._canvas.window()
            others = [shown.draw_in_view(window) for shown in large]
            if any(others):
                self.redrawn.emit()

    def limit_points(self, fewer: bool) -> None:
        """Limit the points of every map during a run, so that redrawing does not block the window."""
        if not self._shown:
            return
        with self._canvas.drawn_later():
            others = [shown.limit_points(fewer) for shown in self._shown]
            if any(others):
                self.redrawn.emit()
                self.paint()

    def left_out(self) -> list[str]:
        """Return sentences on points that are not drawn, or not drawn in their own place."""
        said = []
        n_there = sum(int(shown.there.sum()) for shown in self._shown)
        n_drawn = sum(shown.n_at_rest for shown in self._shown)
        if n_drawn < n_there:
            said.append(f"Only {n_drawn} of {n_there} points are drawn: zoom in to see more.")
        return [*said, *far_out_note(sum(shown.beyond for shown in self._shown))]

    def close(self) -> None:
        """Remove names, tracks and fields, and disconnect from session and viewer."""
        self._draw_in_view_soon.cancel()
        self._follow_camera(False)
        self._session.classes.changed.disconnect(self.paint)
        self._session.display_settings.events.disconnect(self.paint)
        self._session.runs.checked.disconnect(self.paint)
        self.tags.close()
        self.tracks.close()
        self.fields.close()

    @property
    def _shown(self) -> list[MapLayer]:
        return [shown for _, shown in self._maps()]

    def _follow_camera(self, follows: bool) -> None:
        events = self._canvas.viewer.scene.camera.events
        for event in (events.center, events.zoom):
            if follows:
                event.connect(self._draw_in_view_soon)
            else:
                event.disconnect(self._draw_in_view_soon)
