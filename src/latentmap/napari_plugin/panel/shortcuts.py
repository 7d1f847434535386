"""Keys for the tools and for Embed."""

from collections.abc import Callable, Mapping
from typing import Any

from napari.components import ViewerModel

KEYS: Mapping[str, str] = {
    "move": "Alt-1",
    "lasso": "Alt-2",
    "polygon": "Alt-3",
    "rectangle": "Alt-4",
    "brush": "Alt-5",
    "embed": "Alt-E",
}
"""The key for each tool and for Embed; none of them is one of napari's own, or opens a menu."""


def with_key(tooltip: str, name: str) -> str:
    """Add the key for an action to its tooltip.

    Examples
    --------
    >>> with_key("Make a map.", "embed")
    'Make a map. (Alt+E)'
    """
    return f"{tooltip} ({KEYS[name].replace('-', '+')})"


class Shortcuts:
    """Binds keys of a viewer, which take effect on its canvas and wherever else in the window no field uses the key.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
    actions : mapping of str to callable
        What each key of `KEYS` does.
    """

    def __init__(self, viewer: ViewerModel, actions: Mapping[str, Callable[[], None]]) -> None:
        self._viewer = viewer
        for name, act in actions.items():
            viewer.bind_key(KEYS[name], _ignoring_viewer(act), overwrite=True)
        self._names = list(actions)

    def close(self) -> None:
        """Give the keys back."""
        for name in self._names:
            self._viewer.bind_key(KEYS[name], None)
        self._names = []


def _ignoring_viewer(act: Callable[[], None]) -> Callable[[Any], None]:
    def pressed(_: Any) -> None:
        act()

    return pressed
