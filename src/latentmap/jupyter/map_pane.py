"""The canvas in the browser that a map is drawn on."""

from time import monotonic
from typing import Any, NamedTuple, get_args

import anywidget
import numpy as np
import traitlets
from psygnal import Signal

from latentmap.display.field_shades import field_opacities
from latentmap.display.region import Tool
from latentmap.display.track_fading import tail_length
from latentmap.jupyter.assets import asset
from latentmap.presenters.track_lines import DrawnTracks
from latentmap.presenters.trust.field import FieldPicture
from latentmap.session.selection import Mode

# Seconds until a frame counts as lost if no browser has shown it, because the notebook may be closed.
_PATIENCE = 2.0
# How many frames may be sent before the browser confirms one; it confirms every fourth.
_AHEAD = 8


class MapDrawing(NamedTuple):
    """What the user has drawn on a map.

    Attributes
    ----------
    corners : ndarray of float, shape (n, 2)
        The corners, or the path of the brush: coordinates to the right and upwards on the screen, in the square of the
        map from -1/2 to 1/2.
    turn : ndarray of float, shape (2, n_axes)
        Which directions of the map point right and up on the screen: a map with three axes may have been rotated.
    tool : {"lasso", "polygon", "rectangle", "brush"}
        The tool that drew it.
    radius : float
        The radius of the brush, as a coordinate; 0 of other tools.
    mode : {"replace", "add", "subtract", "intersect"}
        How the points inside change the selection.
    frame : int
        The frame on which it was drawn.
    """

    corners: np.ndarray
    turn: np.ndarray
    tool: str
    radius: float
    mode: Mode
    frame: int


class MapPane(anywidget.AnyWidget):
    """Points drawn by WebGL, with pan, zoom, hover, click and tools to draw around points or over them.

    jupyter-scatter would not do: while it is drawing it drops any update, such as the last frame of a moving map, and
    reports an error each time.
    """

    _esm = asset("map_pane.js")
    _css = asset("tool_buttons.css") + asset("map_pane.css")

    places = traitlets.Bytes().tag(sync=True)
    axes = traitlets.Int(2).tag(sync=True)
    """The number of coordinates of each point."""
    codes = traitlets.Bytes().tag(sync=True)
    shares = traitlets.Bytes().tag(sync=True)
    palette = traitlets.Bytes().tag(sync=True)
    selected = traitlets.Bytes().tag(sync=True)
    hidden = traitlets.Bytes().tag(sync=True)
    beyond = traitlets.Bytes().tag(sync=True)
    hollow = traitlets.Bytes().tag(sync=True)
    half = traitlets.List(traitlets.Float(), [0.5, 0.5]).tag(sync=True)
    """Half the width and height of the map, which fills the pane; 1/2 along its longest side."""
    frame = traitlets.Int().tag(sync=True)
    """Counts how often the points have changed."""
    marks = traitlets.Int().tag(sync=True)
    """Counts how often `selected` or `hidden` has changed."""
    links = traitlets.Bytes().tag(sync=True)
    path = traitlets.Bytes().tag(sync=True)
    times = traitlets.Bytes().tag(sync=True)
    now = traitlets.Int(-1).tag(sync=True)
    """The frame whose points stand out; -1 if all look alike."""
    tail = traitlets.Float(5.0).tag(sync=True)
    """After how many frames a step of a track counts as long past."""
    lines = traitlets.Int().tag(sync=True)
    """Counts how often `links`, `path` or `times` has changed."""
    size = traitlets.Float(6.0).tag(sync=True)
    """The diameter of the points, in CSS pixels."""
    spread = traitlets.Float(3.0).tag(sync=True)
    """How many times larger the largest points are than the smallest, if their sizes differ."""
    height = traitlets.Int(0).tag(sync=True)
    """In CSS pixels; 0 for all the height of the place where the pane stands."""
    view = traitlets.Dict().tag(sync=True)
    """The user's view: centre, zoom and rotation. If it is empty, the whole map is in view."""
    tool = traitlets.Enum(get_args(Tool), "lasso").tag(sync=True)
    """What dragging does."""
    names = traitlets.List(traitlets.Dict()).tag(sync=True)
    """The names of groups: `text` and `place`, coordinates as those of the points."""

    guests = traitlets.Bytes().tag(sync=True)
    """Cells that were placed on the map: coordinates as those of the points, as float32."""

    field = traitlets.Bytes().tag(sync=True)
    """A faint field below the points: the opacity of each pixel in white and in black ink, as uint8, row by row from
    the uppermost; empty for none."""
    field_width = traitlets.Int(0).tag(sync=True)
    """The pixels in a row of the field."""
    field_box = traitlets.List(traitlets.Float()).tag(sync=True)
    """Where the field lies: its left, lower, right and upper edge, coordinates as those of the points."""

    drawn = Signal(MapDrawing)
    """Emitted when the user has drawn something."""
    clicked = Signal(object, str)
    """Emitted with the row of the point clicked, or None, and the mode in which the selection changes."""
    hovered = Signal(object)
    """Emitted with the row of the point under the mouse, or None."""
    escaped = Signal()
    """Emitted when the user has pressed Escape and there was no drawing to discard."""

    def __init__(self) -> None:
        super().__init__()
        self._sent = -_PATIENCE
        self._shown = self._first = 0
        self.on_msg(self._receive)

    @property
    def is_busy(self) -> bool:
        """Whether the browser lags behind, and should get no more frames except the last one."""
        return self.frame - self._shown >= _AHEAD and monotonic() - self._sent < _PATIENCE

    def begin(self, size: float) -> None:
        """Prepare for other points of this size: from the next frame on, messages about the old ones are ignored."""
        self.size, self._first = size, self.frame + 1

    def draw(
        self,
        places: np.ndarray,
        codes: np.ndarray,
        palette: np.ndarray,
        shares: np.ndarray | None,
        beyond: np.ndarray | None = None,
        half: tuple[float, float] = (0.5, 0.5),
        hollow: np.ndarray | None = None,
    ) -> None:
        """Draw these points.

        Parameters
        ----------
        places : ndarray of float, shape (n_points, 2 or 3)
            Coordinates to the right, upwards and towards the viewer, from -1/2 to 1/2.
        codes : ndarray of int, shape (n_points,)
            The index of each point's colour in the palette.
        palette : ndarray of float, shape (n_colours, 4)
            Red, green, blue and opacity, from 0 to 1.
        shares : ndarray of float, shape (n_points,), or None
            The size of each point, from 0 for small to 1 for large; None for points of the same size.
        beyond : ndarray of bool, shape (n_points,), or None
            The points that lie further out than the edge of the map, and are drawn there as arrows.
        half : tuple of float
            Half the width and height of the map, which fills the pane; 1/2 along its longest side.
        hollow : ndarray of bool, shape (n_points,), or None
            The points that are drawn as rings.
        """
        with self.hold_sync():
            if self.axes != places.shape[1]:
                self.axes, self.view = places.shape[1], {}
            self.places = places.astype("<f4").tobytes()
            self.codes = codes.astype("<u2").tobytes()
            self.palette = np.rint(255 * palette).astype(np.uint8).tobytes()
            self.shares = b"" if shares is None else np.rint(255 * shares).astype(np.uint8).tobytes()
            self.beyond = b"" if beyond is None or not beyond.any() else np.packbits(beyond).tobytes()
            self.hollow = b"" if hollow is None or not hollow.any() else np.packbits(hollow).tobytes()
            self.half = list(half)
            self.frame += 1
        self._sent = monotonic()

    def mark(self, selected: np.ndarray, hidden: np.ndarray) -> None:
        """Highlight the selected points and hide the hidden ones; both are bool, shape (n_points,)."""
        with self.hold_sync():
            self.selected = np.packbits(selected).tobytes() if selected.any() else b""
            self.hidden = np.packbits(hidden).tobytes() if hidden.any() else b""
            self.marks += 1

    def trace(self, tracks: DrawnTracks) -> None:
        """Draw these tracks below the points, whose rows they give, and let the points of one frame stand out."""
        links, path = (rows.astype("<u4").tobytes() for rows in (tracks.links, tracks.path))
        times = tracks.frames.astype("<i4").tobytes()
        with self.hold_sync():
            if (links, path, times) != (self.links, self.path, self.times):
                self.links, self.path, self.times = links, path, times
                self.lines += 1
            self.tail = tail_length(tracks.frames)
            self.now = -1 if tracks.now is None else tracks.now

    def show_field(self, picture: FieldPicture | None) -> None:
        """Draw this field below the points, or none."""
        if picture is None:
            self.field = b""
            return
        inks = [field_opacities(picture.odds, on_dark=on_dark) for on_dark in (True, False)]
        (top, left), (bottom, right) = picture.edges
        with self.hold_sync():
            self.field_width, self.field_box = picture.odds.shape[1], [left, -bottom, right, -top]
            self.field = np.rint(255 * np.stack(inks, axis=-1)).astype(np.uint8).tobytes()

    def _receive(self, _: object, content: dict[str, Any], buffers: object) -> None:
        kind = content["kind"]
        row = content.get("row", -1)
        if row >= 0 and content["frame"] < self._first:
            return
        if kind == "shown":
            self._shown = content["frame"]
        elif kind == "hovered":
            self.hovered.emit(None if row < 0 else row)
        elif kind == "escaped":
            self.escaped.emit()
        elif kind == "clicked":
            self.clicked.emit(None if row < 0 else row, content["mode"])
        elif kind == "drawn":
            corners, turn = (np.array(content[part], dtype=float) for part in ("corners", "turn"))
            radius = float(content.get("radius", 0))
            self.drawn.emit(MapDrawing(corners, turn, content["tool"], radius, content["mode"], content["frame"]))
