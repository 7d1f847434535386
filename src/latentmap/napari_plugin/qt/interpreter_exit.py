"""Whether the interpreter has begun to exit, when Qt's objects are deleted in any order."""

import atexit
from threading import Event

_begun = Event()
# Functions registered later are called earlier, and Qt registers its own when it is imported.
atexit.register(_begun.set)


def is_exiting() -> bool:
    """Return whether a Qt object that is alive in Python may be deleted in Qt, with nothing left to draw on."""
    return _begun.is_set()
