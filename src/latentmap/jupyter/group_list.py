"""The groups of a legend, to click and to rename."""

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from latentmap.jupyter.assets import asset
from latentmap.session import ColourGroups


class GroupList(anywidget.AnyWidget):
    """Lists groups with their colours.

    Parameters
    ----------
    picked : callable
        Called with the name of the group clicked, and the mode in which the selection changes.
    renamed : callable
        Called with the name of a group, and the name that the user gives it.
    """

    _esm = asset("legend.js")
    _css = asset("legend.css")

    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    colours = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """The colour of each group, as ``#rrggbb``."""
    can_rename = traitlets.Bool().tag(sync=True)
    about = traitlets.Unicode().tag(sync=True)
    """What a click does."""

    def __init__(self, picked: Callable[..., None], renamed: Callable[[str, str], None]) -> None:
        super().__init__()
        self._picked, self._renamed = picked, renamed
        self.on_msg(self._hear)

    def show_groups(self, groups: ColourGroups | None, about: str = "", can_rename: bool = False) -> None:
        """List these groups; None empties the list."""
        names, colours = ([], []) if groups is None else (list(groups.names), list(groups.colours))
        with self.hold_sync():
            self.names, self.colours, self.about, self.can_rename = names, colours, about, can_rename

    def _hear(self, _: object, content: dict[str, Any], buffers: object) -> None:
        if content["kind"] == "picked":
            self._picked(content["name"], content["mode"])
        elif content["kind"] == "renamed":
            self._renamed(content["name"], content["to"])
