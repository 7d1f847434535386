"""What tests of the panel leave behind: objects of the interface, and threads."""

import gc
import threading
from collections import Counter

from qtpy.QtCore import QEvent, QTimer
from qtpy.QtWidgets import QApplication
from superqt.utils._throttler import ThrottledCallable

# Milliseconds. Napari's own threads may hold what they were told a little longer; what leaks stays.
_PAUSES = (0, 10, 30, 100, 400, 1000, 2000, 4000)


def left(qtbot):
    """What there is of latentmap's interface, and its threads, by name.

    Callbacks and connections belong to these objects, and are gone with them. Timers are counted whoever has them.
    """
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qtbot.wait_until(lambda: not runs_at_work(), timeout=30_000)
    qtbot.wait(1)
    gc.collect()
    gc.collect()  # what psygnal lets go of only once its owner is gone
    kinds = Counter(map(type, gc.get_objects()))
    return {f"{kind.__module__}.{kind.__qualname__}": count for kind, count in kinds.items() if is_own(kind)}


def runs_at_work():
    """The threads of runs and of other long work."""
    return [thread for thread in threading.enumerate() if thread.name == "latentmap run"]


def is_own(kind):
    """Whether things of a kind are part of latentmap's interface, or call something when a timer fires."""
    rooms = ("napari_layers", "napari_plugin", "presenters", "session")
    own = str(kind.__module__).startswith(tuple(f"latentmap.{room}" for room in rooms))
    return own or issubclass(kind, ThrottledCallable | QTimer)


def more_than(before, qtbot, but=()):
    """What there is more of than there was, asked again until there is nothing, or too late.

    Parameters
    ----------
    before : dict of str to int
        What :func:`left` returned then.
    qtbot : pytestqt.qtbot.QtBot
    but : tuple of str
        Ends of names that do not count.
    """
    for pause in _PAUSES:
        qtbot.wait(pause)
        now = left(qtbot)
        more = {name: count for name, count in now.items() if count > before.get(name, 0) and not name.endswith(but)}
        if not more:
            break
    return more


def wait_until_gone(qtbot, references):
    """Wait until nothing holds what weak references lead to."""

    def is_gone():
        gc.collect()
        return all(reference() is None for reference in references)

    qtbot.wait_until(is_gone, timeout=sum(_PAUSES))
