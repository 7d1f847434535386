"""napari's grid mode, which would give maps tiles of their own among the images."""

from collections.abc import Callable

from napari.components import ViewerModel
from napari.utils.events import EventEmitter
from psygnal import SignalInstance
from qtpy.QtCore import QTimer

from latentmap.session.display_settings import DisplaySettings


class ViewerGrid:
    """Puts the maps into a separate view while napari's grid is on, and back when it is switched off.

    Without that view there is no grid: its tiles would take the maps apart.

    Parameters
    ----------
    viewer : napari.components.ViewerModel
    display_settings : DisplaySettings
        Says whether the maps are in a separate view.
    has_maps : callable
        Returns whether there are maps, or one is being made.
    tell : callable
        Shows a sentence to the user.
    """

    def __init__(
        self,
        viewer: ViewerModel,
        display_settings: DisplaySettings,
        has_maps: Callable[[], bool],
        tell: Callable[[str], None],
    ) -> None:
        self._viewer, self._display_settings, self._has_maps, self._tell = viewer, display_settings, has_maps, tell
        self._own_view_before: bool | None = None
        # In the next turn of the event loop: napari is still changing the list of layers or the grid.
        self._turn = QTimer()
        self._turn.setSingleShot(True)
        self._turn.timeout.connect(self._update)
        for event in self._events():
            event.connect(self._changed)
        for signal in self._signals():
            signal.connect(self._changed)
        self._changed()

    def close(self) -> None:
        """Leave the grid alone."""
        self._turn.stop()
        for event in self._events():
            event.disconnect(self._changed)
        for signal in self._signals():
            signal.disconnect(self._changed)

    def _events(self) -> list[EventEmitter]:
        return [self._viewer.canvas.grid.events.enabled, self._viewer.layers.events.inserted]

    def _signals(self) -> list[SignalInstance]:
        return [self._display_settings.events.own_view, self._display_settings.events.axes]

    @property
    def _are_apart(self) -> bool:
        """Whether the maps are in a separate view."""
        return self._display_settings.own_view or len(self._display_settings.axes) == 3

    def _changed(self, *_: object) -> None:
        if self._viewer.canvas.grid.enabled or self._own_view_before is not None:
            self._turn.start(0)

    def _update(self) -> None:
        is_on = self._viewer.canvas.grid.enabled
        if not is_on and self._own_view_before is not None:
            self._display_settings.own_view, self._own_view_before = self._own_view_before, None
        elif is_on and self._own_view_before is None and self._has_maps():
            self._own_view_before = self._display_settings.own_view
            self._display_settings.own_view = True
            self._tell("Grid mode: the maps are in a separate view.")
        elif is_on and not self._are_apart and self._has_maps():
            self._own_view_before = None
            self._viewer.canvas.grid.enabled = False
            self._tell("Grid mode is off, because the maps are beside the images again.")
