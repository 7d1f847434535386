"""The mouse on a canvas: clicks, loops and strokes, and what is under it."""

from collections.abc import Callable, Generator
from typing import Any, Literal, NamedTuple

import numpy as np
from vispy.scene import Line, Node

from latentmap.napari_plugin.highlight import highlight_color
from latentmap.napari_plugin.region import Loop, Region, Stroke
from latentmap.session.selection import Mode

Tool = Literal["move", "lasso", "polygon", "rectangle", "brush"]
"""What a drag does. A click picks a cell whatever the tool, except with the polygon, whose corners are clicks."""

BRUSH = 20.0
"""The brush's radius, in pixels of the screen."""

# Moves that are shorter, in pixels of the screen, add nothing to a line, and make no drag of a click.
_SHORTEST = 2.0
# A click as near as this to the first corner closes a polygon.
_CLOSE = 10.0
_WIDTH = 2
_ABOVE_ALL = 1_000_000
# Modes of layers that leave the mouse to the viewer, by the name of the mode.
_FREE = ("pan_zoom",)


class Drawing(NamedTuple):
    """What the user has drawn.

    Attributes
    ----------
    region : Region
        In world coordinates of the axes in view, rows before columns; where the view is 3-D, in pixels of the canvas,
        columns before rows.
    tool : str
        What it was drawn with.
    mode : {"replace", "add", "subtract", "intersect"}
        What is to become of the cells selected already.
    """

    region: Region
    tool: str
    mode: Mode


class Mouse:
    """Makes clicks and drawings of what the mouse does on a canvas.

    With Shift held, what is picked joins the selection; with Control (Command on a Mac) or Alt it leaves it; with Shift
    and one of these it is all that may stay. The wheel zooms as ever. While the active layer uses the mouse itself, for
    painting or picking, nothing is taken from it.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
        Whose canvas it is.
    canvas : callable
        Returns the vispy node that lines are drawn on, in pixels of the screen.
    drawn : callable
        Called with a `Drawing`.
    clicked : callable
        Called with napari's event and the mode.
    hovered : callable
        Called with napari's event.

    Attributes
    ----------
    tool : {"move", "lasso", "polygon", "rectangle", "brush"}
        What a drag does.
    """

    def __init__(
        self,
        viewer: Any,
        canvas: Callable[[], Node],
        *,
        drawn: Callable[[Drawing], None],
        clicked: Callable[[Any, Mode], None],
        hovered: Callable[[Any], None],
    ) -> None:
        self._tool: Tool = "move"
        self._viewer, self._canvas = viewer, canvas
        self._drawn, self._clicked, self._hovered = drawn, clicked, hovered
        self._corners: list[np.ndarray] = []
        self._pixels: list[np.ndarray] = []
        self._trail: Line | None = None
        viewer.mouse_drag_callbacks.append(self._pressed)
        viewer.mouse_move_callbacks.append(self._moved)

    @property
    def tool(self) -> Tool:
        """What a drag does."""
        return self._tool

    @tool.setter
    def tool(self, tool: Tool) -> None:
        self._tool = tool
        self._forget()

    def close(self) -> None:
        """Leave the mouse alone."""
        self._forget()
        for callbacks, own in (
            (self._viewer.mouse_drag_callbacks, self._pressed),
            (self._viewer.mouse_move_callbacks, self._moved),
        ):
            if own in callbacks:
                callbacks.remove(own)

    def _pressed(self, viewer: Any, event: Any) -> Generator[None, None, None]:
        active = viewer.layers.selection.active
        if active is not None and str(active.mode) not in _FREE:
            return
        if self._tool == "polygon":
            self._corner(event)
            return
        if event.button != 1:
            return
        mode, camera = mode_of(event.modifiers), viewer.scene.camera
        pans, start = camera.mouse_pan, np.array(event.pos)
        self._forget()
        self._add(event)
        is_drag = False
        # The view stays where it is while something is drawn.
        camera.mouse_pan = pans and self._tool == "move"
        try:
            yield
            while event.type == "mouse_move":
                is_drag = is_drag or bool(np.linalg.norm(event.pos - start) > _SHORTEST)
                if is_drag and self._tool != "move":
                    self._add(event)
                    self._draw()
                yield
        finally:
            camera.mouse_pan = pans
        if not is_drag:
            self._forget()
            self._clicked(event, mode)
        elif self._tool != "move":
            self._finish(event, mode)

    def _moved(self, viewer: Any, event: Any) -> None:
        if self._corners and self._tool == "polygon":
            self._draw(np.array(event.pos))
        self._hovered(event)

    def _corner(self, event: Any) -> None:
        """Add a corner to a polygon, or close it."""
        closes = event.button == 2 or (len(self._pixels) > 2 and np.linalg.norm(event.pos - self._pixels[0]) <= _CLOSE)
        if closes and len(self._corners) > 2:
            self._finish(event, mode_of(event.modifiers))
        elif event.button == 1:
            self._add(event)
            self._draw()

    def _add(self, event: Any) -> None:
        """Take up where the mouse is."""
        pixel = np.array(event.pos, dtype=float)
        if not self._pixels or np.linalg.norm(pixel - self._pixels[-1]) >= _SHORTEST:
            self._pixels.append(pixel)
            self._corners.append(np.asarray(event.position)[list(event.dims_displayed)][-2:])

    def _finish(self, event: Any, mode: Mode) -> None:
        flat = len(event.dims_displayed) == 2
        corners = np.array(self._corners if flat else self._pixels)
        scale = 1 / self._viewer.scene.camera.zoom if flat else 1.0
        self._forget()
        region = Stroke(corners, BRUSH * scale) if self._tool == "brush" else Loop(_loop(corners, self._tool))
        self._drawn(Drawing(region, self._tool, mode))

    def _draw(self, end: np.ndarray | None = None) -> None:
        """Show what is drawn so far: one line of vispy, where a layer of shapes would take seconds."""
        pixels = np.array([*self._pixels, *([] if end is None else [end])])
        if self._trail is None:
            colour = highlight_color()
            width = 2 * BRUSH if self._tool == "brush" else _WIDTH
            if self._tool == "brush":
                colour = colour * [1, 1, 1, 0.4]
            self._trail = Line(color=colour, width=width, method="agg" if width > _WIDTH else "gl")
            self._trail.order = _ABOVE_ALL
            self._trail.parent = self._canvas()
        if len(pixels) > 1:
            closed = pixels if self._tool == "brush" else _loop(pixels, self._tool)
            self._trail.set_data(closed if self._tool == "brush" else np.vstack([closed, closed[:1]]))

    def _forget(self) -> None:
        self._corners, self._pixels = [], []
        if self._trail is not None:
            self._trail.parent = None
            self._trail = None


def mode_of(modifiers: Any) -> Mode:
    """Return what the keys held mean for the selection.

    Parameters
    ----------
    modifiers : iterable of vispy.util.keys.Key or str

    Returns
    -------
    {"replace", "add", "subtract", "intersect"}

    Examples
    --------
    >>> mode_of(["Shift"]), mode_of(["Control"]), mode_of(["Shift", "Alt"]), mode_of([])
    ('add', 'subtract', 'intersect', 'replace')
    """
    held = {str(getattr(modifier, "name", modifier)).lower() for modifier in modifiers}
    takes_away = bool(held & {"control", "alt"})
    if "shift" in held:
        return "intersect" if takes_away else "add"
    return "subtract" if takes_away else "replace"


def _loop(corners: np.ndarray, tool: str) -> np.ndarray:
    """The corners of what is drawn."""
    if tool != "rectangle":
        return corners
    (top, left), (bottom, right) = corners[0], corners[-1]
    return np.array([(top, left), (top, right), (bottom, right), (bottom, left)])
