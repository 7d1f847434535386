"""The canvas that a map is drawn on, in the browser."""

from time import monotonic
from typing import Any, NamedTuple

import anywidget
import numpy as np
import traitlets
from psygnal import Signal

from latentmap.jupyter.assets import asset
from latentmap.session.selection import Mode

# Seconds after which a frame that no browser has shown is given up, as the notebook may be closed.
_PATIENCE = 2.0
# Frames sent before the browser must confirm one; it confirms every fourth.
_AHEAD = 8


class Loop(NamedTuple):
    """What the user has drawn on a map.

    Attributes
    ----------
    corners : ndarray of float, shape (n, 2)
        To the right and upwards on the screen, in the map's square from -1/2 to 1/2.
    turn : ndarray of float, shape (2, n_axes)
        What of the map's axes goes to the right and upwards on the screen: a map of three axes may have been turned.
    tool : {"lasso", "rectangle"}
    mode : {"replace", "add", "subtract", "intersect"}
    """

    corners: np.ndarray
    turn: np.ndarray
    tool: str
    mode: Mode


class MapPane(anywidget.AnyWidget):
    """Points in WebGL, with pan, zoom, hover, click and lasso.

    Own code, because jupyter-scatter leaves out what it is told while it still draws, such as the last frame of a
    map that moves, and reports an error each time.
    """

    _esm = asset("map_pane.js")
    _css = asset("map_pane.css")

    places = traitlets.Bytes().tag(sync=True)
    axes = traitlets.Int(2).tag(sync=True)
    """How many numbers each place has."""
    codes = traitlets.Bytes().tag(sync=True)
    shares = traitlets.Bytes().tag(sync=True)
    palette = traitlets.Bytes().tag(sync=True)
    selected = traitlets.Bytes().tag(sync=True)
    hidden = traitlets.Bytes().tag(sync=True)
    frame = traitlets.Int().tag(sync=True)
    """Counts drawings."""
    marks = traitlets.Int().tag(sync=True)
    """Counts changes of what is selected or hidden."""
    size = traitlets.Float(6.0).tag(sync=True)
    """The points' diameter, in pixels of the screen."""
    spread = traitlets.Float(3.0).tag(sync=True)
    """How much larger the largest points are than the smallest, if their sizes differ."""
    height = traitlets.Int(480).tag(sync=True)
    """In pixels."""
    view = traitlets.Dict().tag(sync=True)
    """The user's view: the place in the middle, the zoom and the rotation. If empty, all of the map is in view."""
    tool = traitlets.Enum(["move", "lasso", "rectangle"], "lasso").tag(sync=True)
    """What a drag does."""

    drawn = Signal(Loop)
    """Emitted when the user has drawn a loop."""
    clicked = Signal(object, str)
    """Emitted with the row of the point clicked, or None, and how the selection changes."""
    hovered = Signal(object)
    """Emitted with the row of the point under the mouse, or None."""

    def __init__(self) -> None:
        super().__init__()
        self._sent = -_PATIENCE
        self._shown = self._first = 0
        self.on_msg(self._receive)

    @property
    def is_busy(self) -> bool:
        """Whether the browser lags behind; it should get no more frames then, except the last one."""
        return self.frame - self._shown >= _AHEAD and monotonic() - self._sent < _PATIENCE

    def begin(self, size: float) -> None:
        """Let the rows stand for other points from the next drawing on; messages about the old ones are ignored.

        Parameters
        ----------
        size : float
            The points' diameter, in pixels of the screen.
        """
        self.size, self._first = size, self.frame + 1

    def draw(self, places: np.ndarray, codes: np.ndarray, palette: np.ndarray, shares: np.ndarray | None) -> None:
        """Draw these points.

        Parameters
        ----------
        places : ndarray of float, shape (n_points, 2 or 3)
            To the right, upwards and towards the eye, from -1/2 to 1/2.
        codes : ndarray of int, shape (n_points,)
            Which colour of the palette each point has.
        palette : ndarray of float, shape (n_colours, 4)
            From 0 to 1.
        shares : ndarray of float, shape (n_points,), or None
            From 0 for small points to 1 for large ones; all are alike if there are none.
        """
        with self.hold_sync():
            if self.axes != places.shape[1]:
                self.axes, self.view = places.shape[1], {}
            self.places = places.astype("<f4").tobytes()
            self.codes = codes.astype("<u2").tobytes()
            self.palette = np.rint(255 * palette).astype(np.uint8).tobytes()
            self.shares = b"" if shares is None else np.rint(255 * shares).astype(np.uint8).tobytes()
            self.frame += 1
        self._sent = monotonic()

    def mark(self, selected: np.ndarray, hidden: np.ndarray) -> None:
        """Make some points stand out, and hide some.

        Parameters
        ----------
        selected, hidden : ndarray of bool, shape (n_points,)
        """
        with self.hold_sync():
            self.selected = np.packbits(selected).tobytes() if selected.any() else b""
            self.hidden = np.packbits(hidden).tobytes() if hidden.any() else b""
            self.marks += 1

    def _receive(self, _: object, content: dict[str, Any], buffers: object) -> None:
        kind = content["kind"]
        row = content.get("row", -1)
        if row >= 0 and content["frame"] < self._first:
            return
        if kind == "shown":
            self._shown = content["frame"]
        elif kind == "hovered":
            self.hovered.emit(None if row < 0 else row)
        elif kind == "clicked":
            self.clicked.emit(None if row < 0 else row, content["mode"])
        elif kind == "drawn":
            corners, turn = (np.array(content[part], dtype=float) for part in ("corners", "turn"))
            self.drawn.emit(Loop(corners, turn, content["tool"], content["mode"]))
