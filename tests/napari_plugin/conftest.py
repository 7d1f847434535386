import time

import numpy as np
import pandas as pd
import pytest

from latentmap import LVM

N_CELLS = 60


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
    panel.form.n_neighbors.value = 6
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

    def iter_fit_slowly(self, X):
        for step in iter_fit(self, X):  # closing this generator closes the model's, as it goes out of scope
            time.sleep(seconds)
            yield step

    monkeypatch.setattr(LVM, "iter_fit", iter_fit_slowly)


@pytest.fixture
def slow(monkeypatch):
    """Let the model take long enough for several drawings of the map."""
    delay(monkeypatch, 0.02)


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
        centre = np.array(picture.shape[:2]) / 2
        row, column = centre + (np.asarray(position) - viewer.camera.center[-2:]) * viewer.camera.zoom
        return picture[round(row), round(column), :3].astype(int)

    return read
