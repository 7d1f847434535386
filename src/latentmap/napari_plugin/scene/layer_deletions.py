"""Reactions to deleted layers, once napari has finished deleting."""

from collections.abc import Callable

from napari.components import ViewerModel
from qtpy.QtCore import QTimer


class LayerDeletions:
    """Calls a function once napari has removed all the layers that it is removing.

    When napari removes several layers, it works through a list of layers or indices. If others are added or removed in
    the meantime, it fails or removes the wrong ones.

    Parameters
    ----------
    act : callable
        Called once for any number of removed layers, whoever removed them.
    """

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._turn = QTimer()
        self._turn.setSingleShot(True)
        self._turn.timeout.connect(act)

    def watch(self, viewer: ViewerModel) -> None:
        """Start watching a viewer."""
        viewer.layers.events.removed.connect(self._removed)

    def unwatch(self, viewer: ViewerModel) -> None:
        """Stop watching a viewer."""
        viewer.layers.events.removed.disconnect(self._removed)

    def process(self) -> None:
        """Act now instead of later, if any layer was removed."""
        if self._turn.isActive():
            self._turn.stop()
            self._act()

    def close(self) -> None:
        """Cancel a pending call."""
        self._turn.stop()

    def _removed(self) -> None:
        self._turn.start(0)
