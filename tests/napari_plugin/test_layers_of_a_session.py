"""A session whose layers were too large for its file, and are opened by hand."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest

from latentmap.session import snapshot

pytestmark = pytest.mark.usefixtures("replayed")


@pytest.fixture
def opened_again(viewer, panel, finish, tmp_path, monkeypatch):
    """A function that saves the session without its layers, opens others by hand, and the session after them."""

    def opened_again(open_layers):
        panel.embed()
        finish()
        path = tmp_path / "session.latentmap"
        with monkeypatch.context() as patched:
            patched.setattr(snapshot, "LARGEST", 100)
            panel.saving.save_session(path)
            finish()
        assert "Not kept:" in panel.status.value
        viewer.layers.clear()
        open_layers()
        panel.saving.open_session(path)
        finish()
        return panel.scene.link.sources

    return opened_again


def test_a_film_opened_by_hand_has_its_frames(viewer, panel, labels, features, opened_again):
    film = np.stack([labels, labels[::-1]])
    both = pd.concat([features.assign(frame=frame, area=features["area"] + frame) for frame in (0, 1)])
    panel.form.fields["n_neighbors"].value = 10
    viewer.add_labels(film, name="film", features=both.reset_index(drop=True))
    (source,) = opened_again(lambda: viewer.add_labels(film, name="film"))
    panel.selection.select_keys([("film", 1, 7)], how="test")
    lit = np.asarray(source.highlight.data) == 1
    np.testing.assert_array_equal(lit, (film == 7) & (np.arange(2) == 1)[:, None, None])
    assert source.layer.features["area"].tolist() == both["area"].tolist()
    assert panel.status.value == "Opened session.latentmap."


@pytest.mark.parametrize("lazily", [False, True])
def test_an_image_of_other_cells_is_told(viewer, panel, cells, labels, lazily, opened_again):
    others = np.where(labels > 0, labels + 5000, 0)
    (source,) = opened_again(
        lambda: viewer.add_labels(da.from_array(others, chunks=20) if lazily else others, name="cells")
    )
    assert source.layer.name == "cells"
    assert panel.status.value.startswith('Opened session.latentmap. 0 of 60 rows have a cell in the labels "cells"')
    assert panel.status.value.endswith("is it the image of this session?")


@pytest.mark.parametrize("is_own", [True, False])
def test_an_image_opened_after_the_session_is_linked_at_once(qtbot, viewer, panel, cells, labels, is_own, opened_again):
    opened_again(lambda: None)
    assert panel.status.value.endswith("Open them by these names, and they do.")
    viewer.add_labels(labels if is_own else labels + 5000, name="cells")
    qtbot.wait_until(lambda: panel.status.value.startswith('The cells of "cells" light up from now on.'))
    qtbot.wait(100)
    qtbot.wait_until(lambda: panel.status.value.endswith("is it the image of this session?") != is_own)
    (source,) = panel.scene.link.sources
    panel.selection.select_keys([("cells", 0, 7)], how="test")
    assert (np.asarray(source.highlight.data) == 1).any() == is_own


def test_the_image_itself_is_linked_without_a_word(viewer, panel, cells, labels, features, opened_again):
    opened_again(lambda: viewer.add_labels(labels, name="cells", features=features.sample(frac=1, random_state=1)))
    assert panel.status.value == "Opened session.latentmap."


def test_lazy_pixels_of_another_image_are_not_taken_for_those_of_the_session(
    viewer, panel, mapped, labels, tmp_path, finish
):
    panel.saving.save_session(tmp_path / "session.latentmap")
    finish()
    viewer.layers.clear()
    viewer.add_labels(da.from_array(labels[::-1], chunks=20), name="cells")
    panel.saving.open_session(tmp_path / "session.latentmap")
    finish()
    (source,) = panel.scene.link.sources
    np.testing.assert_array_equal(source.layer.data, labels)
    assert source.layer.name == "cells [1]"


def test_all_of_an_opened_session_is_in_view(qtbot, viewer, panel, cells, mapped, tmp_path, finish):
    panel.saving.save_session(tmp_path / "session.latentmap")
    finish()
    camera = viewer.scene.camera
    camera.zoom, camera.center = 20 * camera.zoom, (0, -500, 0)
    panel.saving.open_session(tmp_path / "session.latentmap")
    finish()
    corners = viewer.layers["map of cells"].extent.world
    reach = np.array(viewer.canvas.size) / camera.zoom / 2
    assert (np.abs(corners - camera.center[1:]) < reach).all()
    assert camera.zoom < 20
