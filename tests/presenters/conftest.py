"""A session on the tissue's cells, whose calls wait until a test lets them through."""

from queue import SimpleQueue

import pytest
from recording_view import RecordingView

from latentmap.samples.tissue import tissue
from latentmap.session import Session


class Calls(SimpleQueue):
    """What threads have asked the front end to do."""

    def until(self, is_so):
        """Do one thing after the other until something is so."""
        while not is_so():
            self.get(timeout=120)()


@pytest.fixture
def calls():
    return Calls()


@pytest.fixture(scope="session")
def cells():
    return tissue().cells


@pytest.fixture
def session(calls):
    session = Session(calls.put)
    session.parameters.features = ("area", "dab_mean")
    session.parameters.max_iter = 4
    yield session
    session.close()


@pytest.fixture
def view():
    return RecordingView()


@pytest.fixture
def told():
    return []


@pytest.fixture
def embed(session, cells, calls):
    """Make a map, and return its run."""

    def make(**changes):
        for name, value in changes.items():
            setattr(session.parameters, name, value)
        run = session.embed(cells)
        calls.until(lambda: not session.runs.running)
        return run

    return make
