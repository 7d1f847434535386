"""The way from any thread into Qt's main thread."""

from collections.abc import Callable
from functools import cache
from queue import Empty, SimpleQueue

from qtpy.QtCore import QObject, Qt, QTimer, Signal


class _MainThread(QObject):
    _called = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        # By a timer, one call a turn: what is called by a signal, what that has drawn, and the next call would follow
        # one another without the user having a turn.
        self._turns = QTimer(self)
        self._turns.setInterval(0)
        self._turns.timeout.connect(self._call)
        # Nothing travels with the signal, and no object of Qt is made or lost outside the main thread: superqt's way,
        # one such object for each call, ends in a segmentation fault now and then.
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
    """Return what has a function called in Qt's main thread, after what that is at now.

    Returns
    -------
    callable
        One for all; it must be asked for in the main thread first.
    """
    return _MainThread()
