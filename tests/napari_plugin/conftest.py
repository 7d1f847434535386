import gc
from threading import Event
from unittest.mock import patch

import numba
import numpy as np
import pandas as pd
import pytest
from hand import Hand
from leftovers import left, more_than
from napari.settings import get_settings
from shared_window import SharedWindow, has_passed
from stored_fits import ITER_FIT, StoredFits

import latentmap.napari_plugin.commands  # noqa: F401  what modules hold is there before anything is counted
from latentmap import LVM
from latentmap.napari_plugin.qt.main_thread import main_thread

N_CELLS = 60
# Seconds that a step takes at most before the first iteration: what tests wait for comes thereafter.
_BEGINNING = 0.02

# What modules hold is never garbage, and takes most of the time that looking for garbage takes.
gc.collect()
gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def quick_clicks(qapp):
    """Two clicks must not follow one another faster than a double click would; let that be soon."""
    usual = qapp.doubleClickInterval()
    qapp.setDoubleClickInterval(10)
    yield
    qapp.setDoubleClickInterval(usual)


@pytest.fixture(autouse=True, scope="session")
def trusted_widgets():
    """magicgui checks of each widget that its backend is complete: a fifth of the time that a panel takes."""
    with patch("magicgui.widgets.protocols.assert_protocol"):
        yield


@pytest.fixture(autouse=True, scope="session")
def unsaved_settings():
    """napari's settings are not written: the file is the developer's own, and each change writes all of it."""
    with patch.object(get_settings(), "_save_on_change", False):
        yield


@pytest.fixture(autouse=True)
def one_thread():
    """napari colours labels by several threads, which cost images as small as these more than they gain."""
    usual = numba.get_num_threads()
    numba.set_num_threads(1)  # in the window's thread alone
    yield
    numba.set_num_threads(usual)


@pytest.fixture(autouse=True)
def nothing_is_left(request, qtbot):
    """After each test, when its viewer is closed or put back, there is nothing that was not there before: no thread, no
    panel, and nothing that belongs to one.
    """
    if not {"make_napari_viewer", "viewer"} & set(request.fixturenames):
        yield
        return
    main_thread()  # one for all, made when it is first needed
    if "shared_window" in request.fixturenames:
        window = request.getfixturevalue("shared_window")
        if "new_window" in request.fixturenames:
            window.close()
        window.lend(qtbot)
    before = left(qtbot)
    yield
    if has_passed(request):
        # Pytest holds what the fixtures returned a moment longer.
        request.node.funcargs.clear()
        assert not more_than(before, qtbot)
        # What there is now stays, and need not be looked through after each of the other tests.
        gc.freeze()


@pytest.fixture(scope="session")
def shared_window(qapp):
    """The window that tests borrow."""
    window = SharedWindow()
    yield window
    window.leave()


@pytest.fixture
def new_window(shared_window):
    """For tests that need a window that no other has used: napari's docks keep the height of what was in them."""


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
def viewer(request, qtbot, shared_window):
    """The viewer of a window that other tests have used, and that is as it was at first."""
    yield shared_window.lend(qtbot)
    if has_passed(request):
        assert not shared_window.put_back(qtbot)
    else:
        shared_window.close()


@pytest.fixture
def panel(viewer, qtbot):
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    panel.form.fields["n_neighbors"].value = 6
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
        qtbot.wait_until(lambda: not panel.running, timeout=300_000)

    return wait


@pytest.fixture
def measured(viewer, panel, labels, finish):
    """The labels layer, measured in an image and on a map."""
    viewer.add_image(np.cumsum(labels > 0, axis=1) * 1.0, name="DNA")
    layer = viewer.add_labels(labels, name="cells")
    panel.cells.measuring.measure()
    finish()
    panel.embed()
    finish()
    return layer


@pytest.fixture(scope="session")
def stored_fits():
    return StoredFits()


@pytest.fixture
def replayed(stored_fits, monkeypatch):
    """A fit of the same table with the same parameters is made but once, for whichever test."""
    # By monkeypatch, as all that replaces the fit for a whole test: what comes last must be put back first.
    monkeypatch.setattr(LVM, "iter_fit", stored_fits.replay())


@pytest.fixture
def mapped(panel, cells, finish, viewer, stored_fits):
    """The points layer of a finished map, which need not be computed anew."""
    with stored_fits.used():
        panel.embed()
        finish()
    return viewer.layers["map of cells"]


class Pace:
    """How long the model takes for each step; `n_steps` counts those that it has made."""

    def __init__(self, monkeypatch, seconds):
        self.seconds, self.n_steps = seconds, 0
        self._is_hurrying = Event()

        def iter_fit_slowly(model, X, y=None):
            for step in ITER_FIT(model, X):  # closing this generator closes the model's, as it goes out of scope
                self._is_hurrying.wait(self.seconds if step.iteration else min(self.seconds, _BEGINNING))
                self.n_steps += 1
                yield step

        monkeypatch.setattr(LVM, "iter_fit", iter_fit_slowly)

    def hurry(self):
        """From now on, and in the step under way, the model takes no longer than it has to."""
        self._is_hurrying.set()

    def dawdle(self):
        """From now on the model takes its time again."""
        self._is_hurrying.clear()


@pytest.fixture
def slow(monkeypatch):
    """Let the model take long enough for several drawings of the map."""
    return Pace(monkeypatch, 0.006)


@pytest.fixture
def crawling(monkeypatch):
    """Let the model take so long that it is met half-way on any machine, until the test lets it hurry, or has ended."""
    pace = Pace(monkeypatch, 0.5)
    yield pace
    pace.hurry()


@pytest.fixture
def colours_at(viewer, qtbot):
    """The colours drawn at world positions, from 0 to 255."""

    def read(positions):
        qtbot.wait(10)
        picture = viewer.screenshot(canvas_only=True, flash=False)
        centre, camera = np.array(picture.shape[:2]) / 2, viewer.scene.camera
        pixels = centre + (np.asarray(positions) - np.asarray(camera.center)[-2:]) * camera.zoom
        return [picture[round(row), round(column), :3].astype(int) for row, column in pixels]

    return read


@pytest.fixture
def colour_at(colours_at):
    """The colour drawn at a world position, from 0 to 255."""
    return lambda position: colours_at([position])[0]


@pytest.fixture
def hand(qtbot, viewer):
    """A hand on the mouse and the keys."""
    return Hand(qtbot, viewer)
