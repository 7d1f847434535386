"""Calls from any thread into Qt's main thread."""

from collections.abc import Callable
from functools import cache
from queue import Empty, SimpleQueue

from qtpy.QtCore import QObject, Qt, QTimer, Signal


class _MainThread(QObject):
    _called = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        # A timer makes one call in each turn of the event loop. Called by the signal itself, many calls would follow
        # each other before the user's events have a turn.
        self._turns = QTimer(self)
        self._turns.setInterval(0)
        self._turns.timeout.connect(self._call)
        # The signal carries nothing, and no Qt object is created or deleted outside the main thread. With one object
        # per call, as in superqt, there is now and then a segmentation fault.
        self._called.connect(self._turns.start, Qt.ConnectionType.QueuedConnection)

    def __call__(self, function: Callable[[], None]) -> None:
        self._calls.put(function)
        self._called.emit()

    def _call(self) -> None:
        try:
            function = self._calls.get_nowait()
        except Empty:
            self._turns.stop()
        else:
            function()


@cache
def main_thread() -> Callable[[Callable[[], None]], None]:
    """Return a callable that schedules a function in Qt's main thread.

    It is the same object on every call. The first call must be made in the main thread.
    """
    return _MainThread()
