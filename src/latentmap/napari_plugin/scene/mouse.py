"""The mouse on a canvas: clicks, loops and strokes, and what is under it."""

from collections.abc import Callable, Generator
from typing import Any, Literal, NamedTuple

import numpy as np
from vispy.scene import Line, ViewBox

from latentmap.display.region import Loop, Region, Stroke
from latentmap.napari_layers.highlight import highlight_color
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
    and one of these it is all that may stay. The wheel zooms as ever, and a drag with Alt zooms to a box, as napari has
    it. A polygon is closed by the right button, by a double click, or by a click on its first corner, and given up with
    Escape. While the active layer uses the mouse itself, for painting or picking, nothing is taken from it.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
        Whose canvas it is.
    canvas : callable
        Returns the vispy view that the layers are drawn in.
    drawn : callable
        Called with a `Drawing`.
    clicked : callable
        Called with napari's event and the mode.
    hovered : callable
        Called with napari's event.
    taken : callable, optional
        Called with the active layer when it uses a click itself.

    Attributes
    ----------
    tool : {"move", "lasso", "polygon", "rectangle", "brush"}
        What a drag does.
    """

    def __init__(
        self,
        viewer: Any,
        canvas: Callable[[], ViewBox],
        *,
        drawn: Callable[[Drawing], None],
        clicked: Callable[[Any, Mode], None],
        hovered: Callable[[Any], None],
        taken: Callable[[Any], None] = lambda layer: None,
    ) -> None:
        self._tool: Tool = "move"
        self._viewer, self._canvas = viewer, canvas
        self._drawn, self._clicked, self._hovered, self._taken = drawn, clicked, hovered, taken
        self._corners: list[np.ndarray] = []
        self._trail: Line | None = None
        self._view_before: tuple[tuple[float, ...], float] | None = None
        self._callbacks = (
            (viewer.mouse_drag_callbacks, self._pressed),
            (viewer.mouse_move_callbacks, self._moved),
            (viewer.mouse_double_click_callbacks, self._double_clicked),
        )
        for callbacks, own in self._callbacks:
            callbacks.append(own)
        viewer.bind_key("Escape", self._forget, overwrite=True)
        # What is begun lies in the axes that were in view then.
        viewer.dims.events.ndisplay.connect(self._forget)
        viewer.dims.events.order.connect(self._forget)

    @property
    def tool(self) -> Tool:
        """What a drag does."""
        return self._tool

    @tool.setter
    def tool(self, tool: Tool) -> None:
        self._forget()
        self._tool = tool

    def free_clicks(self) -> list[str]:
        """Stop the active layer from taking clicks.

        Returns
        -------
        list of str
            What it did with them; nothing if it left them already.
        """
        if self._is_free():
            return []
        layer = self._viewer.layers.selection.active
        freed, layer.mode = f'the tool "{layer.mode}" of "{layer.name}"', _FREE[0]
        return [freed]

    def close(self) -> None:
        """Leave the mouse alone."""
        self._forget()
        for callbacks, own in self._callbacks:
            if own in callbacks:
                callbacks.remove(own)
        self._viewer.bind_key("Escape", None)
        self._viewer.dims.events.ndisplay.disconnect(self._forget)
        self._viewer.dims.events.order.disconnect(self._forget)

    def _pressed(self, viewer: Any, event: Any) -> Generator[None, None, None]:
        if not self._is_free():
            self._taken(self._viewer.layers.selection.active)
            return
        if event.button != 1 and self._tool != "polygon":
            return
        mode, tool, camera, start = mode_of(event.modifiers), self._tool, viewer.scene.camera, np.array(event.pos)
        self._view_before = camera.center, camera.zoom
        draws = tool not in ("move", "polygon") and "Alt" not in event.modifiers
        if tool == "polygon":
            self._corner(event)
        elif draws:
            self._forget()
            self._add(event)
        is_drag, pans = False, camera.mouse_pan
        # The view stays where it is while something is drawn.
        camera.mouse_pan = pans and tool == "move"
        try:
            yield
            while event.type == "mouse_move":
                is_drag = is_drag or bool(np.linalg.norm(event.pos - start) > _SHORTEST)
                if is_drag and draws and tool == self._tool:
                    self._add(event)
                    self._draw()
                yield
        finally:
            camera.mouse_pan = pans
        if tool == "polygon":
            return
        if not is_drag:
            self._forget()
            self._clicked(event, mode)
        elif self._corners:
            self._finish(event, mode)

    def _moved(self, viewer: Any, event: Any) -> None:
        if self._corners and self._tool == "polygon":
            self._draw(_place(event))
        self._hovered(event)

    def _double_clicked(self, viewer: Any, event: Any) -> None:
        """Close a polygon; napari has zoomed in already, for it cannot know."""
        if self._tool != "polygon" or not self._corners or self._view_before is None:
            return
        viewer.scene.camera.center, viewer.scene.camera.zoom = self._view_before
        if len(self._corners) > 2:
            self._finish(event, mode_of(event.modifiers))

    def _is_free(self) -> bool:
        """Whether the active layer leaves the mouse to the viewer."""
        active = self._viewer.layers.selection.active
        return active is None or str(active.mode) in _FREE

    def _corner(self, event: Any) -> None:
        """Add a corner to a polygon, or close it."""
        closes = event.button == 2 or (len(self._corners) > 2 and self._from(self._corners[0], event) <= _CLOSE)
        if closes and len(self._corners) > 2:
            self._finish(event, mode_of(event.modifiers))
        elif event.button == 1:
            self._add(event)
            self._draw()

    def _add(self, event: Any) -> None:
        """Note where the mouse is."""
        if not self._corners or self._from(self._corners[-1], event) >= _SHORTEST:
            self._corners.append(_place(event))

    def _from(self, corner: np.ndarray, event: Any) -> float:
        """How far the mouse is from a corner, in pixels of the screen."""
        return float(np.linalg.norm(_place(event) - corner)) * (self._zoom if _is_flat(event) else 1.0)

    @property
    def _zoom(self) -> float:
        return float(self._viewer.scene.camera.zoom)

    def _finish(self, event: Any, mode: Mode) -> None:
        corners, radius = np.array(self._corners), BRUSH / (self._zoom if _is_flat(event) else 1.0)
        self._forget()
        region = Stroke(corners, radius) if self._tool == "brush" else Loop(_loop(corners, self._tool))
        self._drawn(Drawing(region, self._tool, mode))

    def _draw(self, end: np.ndarray | None = None) -> None:
        """Show what is drawn so far: one line of vispy, where a layer of shapes would take seconds."""
        places = np.array([*self._corners, *([] if end is None else [end])])
        is_brush, is_flat = self._tool == "brush", self._viewer.dims.ndisplay == 2
        if self._trail is None:
            colour = highlight_color() * ([1, 1, 1, 0.4] if is_brush else 1)
            width, method = (2 * BRUSH, "agg") if is_brush else (_WIDTH, "gl")
            self._trail = Line(color=colour, width=width, method=method)
            self._trail.order = _ABOVE_ALL
            # In world coordinates it stays with the layers when the view is zoomed.
            self._trail.parent = self._canvas().scene if is_flat else self._canvas()
        if len(places) > 1:
            if not is_brush:
                loop = _loop(places, self._tool)
                places = np.vstack([loop, loop[:1]])
            self._trail.set_data(places[:, ::-1] if is_flat else places)

    def _forget(self, *_: object) -> None:
        self._corners = []
        if self._trail is not None:
            self._trail.parent = None
            self._trail = None


def _is_flat(event: Any) -> bool:
    return len(event.dims_displayed) == 2


def _place(event: Any) -> np.ndarray:
    """Where the mouse is: in the world, rows before columns; in 3-D, in pixels of the canvas, columns before rows."""
    if _is_flat(event):
        return np.asarray(event.position, dtype=float)[list(event.dims_displayed)]
    return np.array(event.pos, dtype=float)


def mode_of(modifiers: Any) -> Mode:
    """Return what the keys held mean for the selection.

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
