import gc
import threading
import time
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hand import Hand
from qtpy.QtCore import QEvent, QTimer
from qtpy.QtWidgets import QApplication
from superqt.utils._throttler import ThrottledCallable

import latentmap.napari_plugin.panel.panel  # noqa: F401  what modules hold is there before anything is counted
from latentmap import LVM
from latentmap.napari_plugin.qt.main_thread import main_thread

N_CELLS = 60

# What modules hold is never garbage, and takes most of the time that looking for garbage takes.
gc.collect()
gc.freeze()


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
    own = str(kind.__module__).startswith(("latentmap.napari_plugin", "latentmap.session"))
    return own or issubclass(kind, ThrottledCallable | QTimer)


@pytest.fixture(autouse=True, scope="session")
def quick_clicks(qapp):
    """Two clicks must not follow one another faster than a double click would; let that be soon."""
    usual = qapp.doubleClickInterval()
    qapp.setDoubleClickInterval(50)
    yield
    qapp.setDoubleClickInterval(usual)


@pytest.fixture(autouse=True)
def nothing_is_left(request, qtbot):
    """After each test, when its viewer is closed, there is nothing that was not there before: no thread, no panel, and
    nothing that belongs to one.
    """
    if not {"make_napari_viewer", "panel"} & set(request.fixturenames):
        yield
        return
    main_thread()  # one for all, made when it is first needed
    before = left(qtbot)
    yield
    called = getattr(request.node, "rep_call", None)
    if called is not None and called.passed:
        # Pytest holds what the fixtures returned a moment longer.
        request.node.funcargs.clear()
        # Napari's own threads may hold what they were told a little longer; what leaks stays.
        for pause in (0, 500, 2000, 5000):
            qtbot.wait(pause)
            more = {name: count for name, count in left(qtbot).items() if count > before.get(name, 0)}
            if not more:
                break
        assert not more


@pytest.fixture
def labels():
    """60 cells of 6 x 6 pixels on a grid, with the numbers 3, 7, 1000, 1001 ..."""
    numbers = np.array([3, 7, *range(1000, 1000 + N_CELLS - 2)])
    image = np.zeros((60, 100), dtype=np.int32)
    for cell, number in enumerate(numbers):
        row, column = divmod(cell, 10)
        image[10 * row + 2 : 10 * row + 8, 10 * column + 2 : 10 * column + 8] = number
    return image


@pytest.fixture
def features(labels):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N_CELLS, 3)) + 6 * (np.arange(N_CELLS) % 2)[:, None]
    return pd.DataFrame(values, columns=["area", "DNA", "actin"]).assign(label=np.unique(labels)[1:])


@pytest.fixture
def viewer(make_napari_viewer):
    viewer = make_napari_viewer(show=True)
    viewer.window.resize(1200, 700)
    return viewer


@pytest.fixture
def panel(viewer, qtbot):
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    panel.form.lvm.n_neighbors.value = 6
    return panel


@pytest.fixture
def cells(viewer, panel, labels, features):
    """The labels layer with its features, in the viewer and chosen in the panel."""
    layer = viewer.add_labels(labels, name="cells", features=features)
    assert panel.cells.value == [layer]
    return layer


@pytest.fixture
def finish(qtbot, panel):
    """Wait for the run under way."""

    def wait():
        qtbot.wait_until(lambda: not panel.running, timeout=60_000)

    return wait


@pytest.fixture
def mapped(panel, cells, finish, viewer):
    """The points layer of a finished map."""
    panel.embed()
    finish()
    return viewer.layers["map of cells"]


def delay(monkeypatch, seconds):
    iter_fit = LVM.iter_fit

    def iter_fit_slowly(self, X, y=None):
        for step in iter_fit(self, X):  # closing this generator closes the model's, as it goes out of scope
            time.sleep(seconds)
            yield step

    monkeypatch.setattr(LVM, "iter_fit", iter_fit_slowly)


@pytest.fixture
def slow(monkeypatch):
    """Let the model take long enough for several drawings of the map."""
    delay(monkeypatch, 0.006)


@pytest.fixture
def crawling(monkeypatch):
    """Let the model take so long that it is met half-way on any machine; for runs that are not waited for."""
    delay(monkeypatch, 0.5)


@pytest.fixture
def colour_at(viewer, qtbot):
    """The colour drawn at a world position, from 0 to 255."""

    def read(position):
        qtbot.wait(100)
        picture = viewer.screenshot(canvas_only=True, flash=False)
        centre, camera = np.array(picture.shape[:2]) / 2, viewer.scene.camera
        row, column = centre + (np.asarray(position) - np.asarray(camera.center)[-2:]) * camera.zoom
        return picture[round(row), round(column), :3].astype(int)

    return read


@pytest.fixture
def hand(qtbot, viewer):
    """A hand on the mouse and the keys."""
    return Hand(qtbot, viewer)
