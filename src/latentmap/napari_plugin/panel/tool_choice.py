"""The tool that the mouse works with, and what makes way for it."""

from collections.abc import Callable

from latentmap.display.region import Tool
from latentmap.napari_plugin.panel.tool_section import ToolSection
from latentmap.napari_plugin.scene.scene import Scene
from latentmap.session import Session


class ToolChoice:
    """Has the mouse work with the tool that the user has chosen.

    Parameters
    ----------
    tools : ToolSection
    scene : Scene
    session : Session
    tell : callable
        Shows the user a sentence.
    """

    def __init__(self, tools: ToolSection, scene: Scene, session: Session, tell: Callable[[str], None]) -> None:
        self._tools, self._scene, self._comparisons, self._tell = tools, scene, session.comparisons, tell
        self._compares = False
        self._put_away = tools.value
        tools.changed.connect(self._use_tool)
        tools.pressed.connect(self._take_mouse)
        session.comparisons.changed.connect(self._free_clicks)

    def put_away(self) -> None:
        """Let the mouse only move the view, as the user cannot reach the buttons."""
        self._put_away = self._tools.value
        self._tools.value, self._comparisons.on = "move", False

    def take_up(self) -> None:
        """Return to the tool that was put away."""
        self._tools.value = self._put_away

    def _use_tool(self, tool: Tool) -> None:
        self._scene.use_tool(tool)
        if tool == "polygon" and self._comparisons.on:
            self._comparisons.on = False
            self._tell("Comparing is off: with the polygon tool, clicks set corners.")

    def _take_mouse(self) -> None:
        """Have the tool that the user has just chosen work, even where a layer was being painted."""
        if freed := self._scene.free_clicks():
            self._tell(f"Switched off, so that the mouse is free: {', '.join(freed)}.")

    def _free_clicks(self) -> None:
        """Make clicks pick cells as soon as comparing is switched on."""
        on, was_on = self._comparisons.on, self._compares
        self._compares = on
        if on and not was_on:
            freed = self._scene.free_clicks()
            if self._tools.value == "polygon":
                self._tools.value = "move"
                freed.append("the polygon")
            if freed:
                self._tell(f"Switched off, so that clicks pick cells: {', '.join(freed)}.")
