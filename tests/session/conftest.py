"""Sessions whose calls wait until a test lets them through, and that leave no thread behind."""

import threading
import time

import pytest
from event_loop import Loop

from latentmap.session import Session


@pytest.fixture
def loop():
    return Loop()


@pytest.fixture
def no_thread_left():
    """Wait, after the test, for the threads of its runs."""
    yield
    end = time.monotonic() + 10
    while [thread for thread in threading.enumerate() if thread.name == "latentmap run"]:
        assert time.monotonic() < end, "a thread is left"
        time.sleep(0.01)


@pytest.fixture
def new(loop, no_thread_left):
    """Make sessions, and close them in the end."""
    made = []

    def new():
        made.append(Session(loop.calls.put))
        return made[-1]

    yield new
    for session in made:
        session.close()


@pytest.fixture
def session(new):
    return new()


@pytest.fixture
def settle(session, loop):
    """Let the event loop turn until nothing is under way and nothing is due."""
    return lambda: loop.turn(lambda: not session.runs.running and loop.calls.empty(), seconds=60)
