"""The mouse on a canvas: clicks, drawn regions, and what is under it."""

from collections.abc import Callable, Generator, Iterable
from typing import NamedTuple

import numpy as np
from napari.components import ViewerModel
from napari.layers import Layer
from vispy.scene import Line, ViewBox

from latentmap.display.region import Region, Tool, drawn_region
from latentmap.napari_layers.highlight import highlight_color
from latentmap.napari_layers.mouse_event import MouseEvent
from latentmap.session.selection import Mode

BRUSH = 20.0
"""The radius of the brush, in screen pixels."""

# Shorter moves neither extend a line nor turn a click into a drag, in screen pixels.
_SHORTEST = 2.0
# A click within this distance of the first corner closes a polygon, in screen pixels.
_CLOSE = 10.0
_WIDTH = 2
_ABOVE_ALL = 1_000_000
# The modes in which a layer leaves the mouse to the viewer.
_FREE = ("pan_zoom",)


class Drawing(NamedTuple):
    """What the user has drawn.

    Attributes
    ----------
    region : Region
        In 2-D, in world coordinates along the displayed axes, rows before columns; in 3-D, in pixels of the canvas,
        columns before rows.
    tool : str
        The tool that it was drawn with.
    mode : {"replace", "add", "subtract", "intersect"}
        How to combine it with the current selection.
    """

    region: Region
    tool: str
    mode: Mode


class Mouse:
    """Turns mouse events on a canvas into clicks and drawings.

    Shift adds to the selection, Control (Command on a Mac) or Alt removes from it, and Shift with one of these keeps
    what is in both. The wheel zooms, and a drag with Alt zooms to a box, as always in napari. A right click, a double
    click or a click on the first corner closes a polygon; Escape discards a drawing. While the active layer uses the
    mouse itself, for painting or picking, it gets all events.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
        The viewer drawn on the canvas.
    canvas : callable
        Returns the vispy view in which the layers are drawn.
    drawn : callable
        Called with a `Drawing`.
    clicked : callable
        Called with napari's event and the mode.
    hovered : callable
        Called with napari's event.
    taken : callable, optional
        Called with the active layer when that uses a click itself.
    escaped : callable, optional
        Called when Escape is pressed and there is no drawing to discard.
    """

    def __init__(
        self,
        viewer: ViewerModel,
        canvas: Callable[[], ViewBox],
        *,
        drawn: Callable[[Drawing], None],
        clicked: Callable[[MouseEvent, Mode], None],
        hovered: Callable[[MouseEvent], None],
        taken: Callable[[Layer], None] = lambda layer: None,
        escaped: Callable[[], None] = lambda: None,
    ) -> None:
        self._tool: Tool = "move"
        self._viewer, self._canvas = viewer, canvas
        self._drawn, self._clicked, self._hovered, self._taken = drawn, clicked, hovered, taken
        self._escaped = escaped
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
        viewer.bind_key("Escape", self._escape, overwrite=True)
        # A drawing in progress has coordinates along the axes displayed when it was begun.
        viewer.dims.events.ndisplay.connect(self._discard)
        viewer.dims.events.order.connect(self._discard)

    @property
    def tool(self) -> Tool:
        """What a drag does."""
        return self._tool

    @tool.setter
    def tool(self, tool: Tool) -> None:
        self._discard()
        self._tool = tool

    def free_clicks(self) -> list[str]:
        """Stop the active layer from taking clicks; return the tool that took them, if there was one."""
        if self._is_free():
            return []
        layer = self._viewer.layers.selection.active
        freed, layer.mode = f'the tool "{layer.mode}" of "{layer.name}"', _FREE[0]
        return [freed]

    def close(self) -> None:
        """Stop following the mouse."""
        self._discard()
        for callbacks, own in self._callbacks:
            if own in callbacks:
                callbacks.remove(own)
        self._viewer.bind_key("Escape", None)
        self._viewer.dims.events.ndisplay.disconnect(self._discard)
        self._viewer.dims.events.order.disconnect(self._discard)

    def _pressed(self, viewer: ViewerModel, event: MouseEvent) -> Generator[None, None, None]:
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
            self._discard()
            self._add(event)
        is_drag, pans = False, camera.mouse_pan
        # A drag must not pan the view while it draws.
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
            self._discard()
            self._clicked(event, mode)
        elif self._corners:
            self._finish(event, mode)

    def _moved(self, viewer: ViewerModel, event: MouseEvent) -> None:
        if self._corners and self._tool == "polygon":
            self._draw(_position(event))
        self._hovered(event)

    def _double_clicked(self, viewer: ViewerModel, event: MouseEvent) -> None:
        """Close a polygon, and undo the zoom that napari has just made."""
        if self._tool != "polygon" or not self._corners or self._view_before is None:
            return
        viewer.scene.camera.center, viewer.scene.camera.zoom = self._view_before
        if len(self._corners) > 2:
            self._finish(event, mode_of(event.modifiers))

    def _is_free(self) -> bool:
        """Whether the active layer leaves the mouse to the viewer."""
        active = self._viewer.layers.selection.active
        return active is None or str(active.mode) in _FREE

    def _corner(self, event: MouseEvent) -> None:
        """Add a corner to the polygon, or close it."""
        closes = event.button == 2 or (len(self._corners) > 2 and self._distance(self._corners[0], event) <= _CLOSE)
        if closes and len(self._corners) > 2:
            self._finish(event, mode_of(event.modifiers))
        elif event.button == 1:
            self._add(event)
            self._draw()

    def _add(self, event: MouseEvent) -> None:
        """Add the position of the mouse to the drawing."""
        if not self._corners or self._distance(self._corners[-1], event) >= _SHORTEST:
            self._corners.append(_position(event))

    def _distance(self, corner: np.ndarray, event: MouseEvent) -> float:
        """The distance of the mouse from a corner, in screen pixels."""
        return float(np.linalg.norm(_position(event) - corner)) * (self._zoom if _is_flat(event) else 1.0)

    @property
    def _zoom(self) -> float:
        return float(self._viewer.scene.camera.zoom)

    def _finish(self, event: MouseEvent, mode: Mode) -> None:
        corners, radius = np.array(self._corners), BRUSH / (self._zoom if _is_flat(event) else 1.0)
        self._discard()
        region = drawn_region(self._tool, _outline(corners, self._tool), radius)
        self._drawn(Drawing(region, self._tool, mode))

    def _draw(self, end: np.ndarray | None = None) -> None:
        """Show the drawing so far, as a vispy line, because a shapes layer would take seconds."""
        positions = np.array([*self._corners, *([] if end is None else [end])])
        is_brush, is_flat = self._tool == "brush", self._viewer.dims.ndisplay == 2
        if self._trail is None:
            colour = highlight_color() * ([1, 1, 1, 0.4] if is_brush else 1)
            width, method = (2 * BRUSH, "agg") if is_brush else (_WIDTH, "gl")
            self._trail = Line(color=colour, width=width, method=method)
            self._trail.order = _ABOVE_ALL
            # In world coordinates, so that the line stays with the layers when the view is zoomed.
            self._trail.parent = self._canvas().scene if is_flat else self._canvas()
        if len(positions) > 1:
            if not is_brush:
                loop = _outline(positions, self._tool)
                positions = np.vstack([loop, loop[:1]])
            self._trail.set_data(positions[:, ::-1] if is_flat else positions)

    def _escape(self, *_: object) -> None:
        if self._corners:
            self._discard()
        else:
            self._escaped()

    def _discard(self, *_: object) -> None:
        self._corners = []
        if self._trail is not None:
            self._trail.parent = None
            self._trail = None


def _is_flat(event: MouseEvent) -> bool:
    return len(event.dims_displayed) == 2


def _position(event: MouseEvent) -> np.ndarray:
    """The position of the mouse: world coordinates (row, column) in 2-D, canvas pixels (column, row) in 3-D."""
    if _is_flat(event):
        return np.asarray(event.position, dtype=float)[list(event.dims_displayed)]
    return np.array(event.pos, dtype=float)


def mode_of(modifiers: Iterable[object]) -> Mode:
    """Return how to combine new cells with the selection while these modifier keys are held.

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


def _outline(corners: np.ndarray, tool: str) -> np.ndarray:
    """The corners of the drawn region; of a rectangle, only two of them are given."""
    if tool != "rectangle":
        return corners
    (top, left), (bottom, right) = corners[0], corners[-1]
    return np.array([(top, left), (top, right), (bottom, right), (bottom, left)])
