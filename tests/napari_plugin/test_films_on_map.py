"""Films whose cells are on a map, and whose features are replaced by others that do not tell frames."""

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.usefixtures("replayed")


@pytest.fixture
def film(viewer, panel, labels, features, finish):
    """The labels layer of a film of two frames that is on a map; the second one is the first, upside down."""
    both = pd.concat([features.assign(frame=frame, area=features["area"] + frame) for frame in (0, 1)])
    layer = viewer.add_labels(np.stack([labels, labels[::-1]]), name="film", features=both.reset_index(drop=True))
    panel.form.fields["n_neighbors"].value = 10
    panel.embed()
    finish()
    return layer


@pytest.mark.parametrize("others", ["rows without a frame", "none"])
def test_cells_stay_those_of_their_frame(viewer, panel, features, film, others):
    film.features = features if others != "none" else pd.DataFrame()
    (source,) = panel.scene.link.sources
    panel.selection.select_keys([("film", 1, 7)])
    is_cell = (film.data == 7) & (np.arange(2) == 1)[:, None, None]
    np.testing.assert_array_equal(np.asarray(source.highlight.data) == 1, is_cell)
    viewer.dims.set_current_step(0, 1)
    film.selected_label = 1005
    assert panel.selection.keys.tolist() == [("film", 1, 1005)]
    panel.session.classes.assign("A", panel.session.cell_index.numbers_of([("film", 0, 3), ("film", 1, 7)]))
    panel.saving.class_name.value = "A"
    panel.saving.export_class()
    assert [np.unique(frame).tolist() for frame in viewer.layers["A of film"].data] == [[0, 3], [0, 7]]


def test_a_map_of_a_volume_that_was_taken_for_a_film_has_no_frames(panel, features, film, finish):
    film.features = features
    panel.embed()
    finish()
    (source,) = panel.scene.link.sources
    panel.selection.select_keys([("film", 0, 7)])
    np.testing.assert_array_equal(np.asarray(source.highlight.data) == 1, film.data == 7)
