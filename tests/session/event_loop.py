"""A front end's event loop, without a front end."""

import time
from queue import Empty, SimpleQueue


class Loop:
    """A front end's event loop: calls what was posted when it is asked to."""

    def __init__(self):
        self.calls = SimpleQueue()

    def turn(self, until=lambda: False, seconds=10):
        end = time.monotonic() + seconds
        while not until():
            try:
                self.calls.get(timeout=0.01)()
            except Empty:
                assert time.monotonic() < end, "in vain"
