"""What follows from the deletion of layers, in a turn of its own."""

from collections.abc import Callable
from typing import Any

from qtpy.QtCore import QTimer


class Deletions:
    """Waits until napari has removed all the layers that it is at.

    Napari goes through a list of layers, or of their places, when it removes several: whoever removes or adds others
    meanwhile makes it fail, or remove the wrong ones.

    Parameters
    ----------
    act : callable
        Called once after any number of layers were removed, by whomever.
    """

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._turn = QTimer()
        self._turn.setSingleShot(True)
        self._turn.timeout.connect(act)

    def watch(self, viewer: Any) -> None:
        """Follow what is removed from a viewer."""
        viewer.layers.events.removed.connect(self._removed)

    def leave(self, viewer: Any) -> None:
        """Stop watching a viewer."""
        viewer.layers.events.removed.disconnect(self._removed)

    def settle(self) -> None:
        """Act now, if there is something to act on: what comes next needs the layers in order."""
        if self._turn.isActive():
            self._turn.stop()
            self._act()

    def close(self) -> None:
        """Cancel what is due."""
        self._turn.stop()

    def _removed(self) -> None:
        self._turn.start(0)
