"""The tracks of cells on the maps of a canvas, and the cells of the frame shown."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from vispy.scene import Line, Markers

from latentmap.display.track_fading import opacities, tail_length
from latentmap.napari_plugin.scene.canvas import Canvas
from latentmap.napari_plugin.scene.map_layer import MapLayer
from latentmap.presenters.track_lines import NO_TRACKS, DrawnTracks, TrackLines
from latentmap.session import Run, Session

_WIDTH, _WIDER = 1.5, 3.0
# How much larger than the others the cells of the frame shown are, and how strongly the outline around them is drawn.
_LARGER, _OUTLINE = 1.4, (1.0, 1.0, 1.0, 0.9)
_WHITE = np.ones(4)


class MapTracks:
    """Draws lines and discs by vispy itself: napari would take seconds for a layer of lines.

    Parameters
    ----------
    canvas : Canvas
    session : Session
    maps : callable
        Returns the maps, each with its run.

    Attributes
    ----------
    lines : TrackLines
        Which tracks are drawn.
    maps : list of (MapLayer, DrawnTracks)
        What is drawn.
    """

    def __init__(self, canvas: Canvas, session: Session, maps: Callable[[], Sequence[tuple[Run, MapLayer]]]) -> None:
        self._canvas, self.lines, self._maps = canvas, TrackLines(session), maps
        self.maps: list[tuple[MapLayer, DrawnTracks]] = []
        self.lines.changed.connect(self.draw)
        self._lines: Any = None
        self._path: Any = None
        self._discs: Any = None

    def draw(self, *_: object) -> None:
        """Draw the tracks of the cells on the maps; none on a map that moves."""
        self.maps = [
            (
                shown,
                NO_TRACKS if run.result is None else self.lines.of(run.result.cells, shown.cell_numbers, run.result),
            )
            for run, shown in self._maps()
        ]
        for shown, tracks in self.maps:
            shown.dim(tracks.now is not None)
        seen = [pair for pair in self.maps if pair[0].points.visible]
        orders = [self._canvas.viewer.layers.index(shown.points) for shown, _ in seen if self._has(shown)]
        order = min(orders, default=0)
        self._lines = self._drawn(self._lines, [_segments(shown, tracks) for shown, tracks in seen], _WIDTH)
        self._path = self._drawn(self._path, [_path(shown, tracks) for shown, tracks in seen], _WIDER)
        self._show_discs([(shown, tracks) for shown, tracks in seen if tracks.is_now.any()])
        # The lines lie below the points, and the cells of the frame shown above them.
        for node, above in ((self._lines, -0.5), (self._path, 0.2), (self._discs, 0.4)):
            if node is not None:
                node.order = order + above

    def move(self, canvas: Canvas) -> None:
        """Draw on another canvas from now on."""
        self._clear()
        self._canvas = canvas

    def close(self) -> None:
        """Remove everything from the canvas, and stop following the session."""
        self.lines.changed.disconnect(self.draw)
        self.lines.close()
        self._clear()

    def _clear(self) -> None:
        self.maps = []
        for node in (self._lines, self._path, self._discs):
            if node is not None:
                node.parent = None
        self._lines = self._path = self._discs = None

    def _has(self, shown: MapLayer) -> bool:
        return shown.points in self._canvas.viewer.layers

    def _drawn(self, line: Any, segments: Sequence[tuple[np.ndarray, np.ndarray]], width: float) -> Any:
        """Draw segments by a line that there may be already."""
        segments = [(ends, colours) for ends, colours in segments if len(ends)]
        if not segments:
            if line is not None:
                line.visible = False
            return line
        ends, colours = (np.concatenate(parts) for parts in zip(*segments, strict=True))
        if line is None:
            line = Line(ends, colours, width, "segments", parent=self._canvas.node().scene)
            line.set_gl_state("translucent", depth_test=False)
        else:
            line.set_data(ends, colours)
        line.visible = True
        return line

    def _show_discs(self, maps: Sequence[tuple[MapLayer, DrawnTracks]]) -> None:
        if not maps:
            if self._discs is not None:
                self._discs.visible = False
            return
        if self._discs is None:
            self._discs = Markers(parent=self._canvas.node().scene)
            self._discs.set_gl_state("translucent", depth_test=False)
        rows = [np.flatnonzero(tracks.is_now & shown.there) for shown, tracks in maps]
        self._discs.set_data(
            np.concatenate([_places(shown, own) for (shown, _), own in zip(maps, rows, strict=True)]),
            size=_LARGER * maps[0][0].pixels,
            face_color=np.concatenate([shown.colours[own] for (shown, _), own in zip(maps, rows, strict=True)]),
            edge_color=_OUTLINE,
            edge_width=1.0,
        )
        self._discs.visible = True


def _places(shown: MapLayer, rows: np.ndarray) -> np.ndarray:
    """The places of cells as vispy has them: across, down and deep."""
    places: np.ndarray = shown.cell_positions[rows][:, ::-1].astype(np.float32)
    return places


def _segments(shown: MapLayer, tracks: DrawnTracks) -> tuple[np.ndarray, np.ndarray]:
    """The ends of all lines, and their colours: those of the cells."""
    rows = tracks.links.ravel()
    colours = shown.colours[rows].astype(np.float32)
    colours[:, 3] *= opacities(tracks.frames[rows], tracks.now, tail_length(tracks.frames))
    return _places(shown, rows), colours


def _path(shown: MapLayer, tracks: DrawnTracks) -> tuple[np.ndarray, np.ndarray]:
    """The same for the track that stands out, from its colours towards white."""
    rows = tracks.path.ravel()
    return _places(shown, rows), ((shown.colours[rows] + _WHITE) / 2).astype(np.float32)
