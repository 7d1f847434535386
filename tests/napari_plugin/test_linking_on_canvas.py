"""What is selected is seen where it is, and what is clicked is what is seen: on the real canvas."""

import numpy as np
import pandas as pd
import pytest
from test_linking import click, is_lit

PLACED = {
    "moved and stretched": {"scale": (2.0, 0.7), "translate": (-30.0, 400.0)},
    "turned": {"scale": (1.0, 1.0), "rotate": 35.0, "translate": (5.0, 5.0)},
}


@pytest.fixture(params=PLACED)
def placed(request):
    return PLACED[request.param]


def middle(layer, number, *frame):
    pixels = np.argwhere(layer.data[frame] == number)
    return np.array(layer.data_to_world((*frame, *pixels.mean(axis=0))))[-2:]


def test_cells_of_a_layer_that_lies_anyhow(qtbot, viewer, panel, labels, features, placed, finish, colour_at):
    layer = viewer.add_labels(labels, name="cells", features=features.sample(frac=1, random_state=0), **placed)
    panel.embed()
    finish()
    click(qtbot, viewer, middle(layer, 1010))
    assert set(panel.selection.keys) == {("cells", 0, 1010)}
    assert is_lit(colour_at(middle(layer, 1010)))
    for other in (7, 1009, 1011, 1020):
        assert not is_lit(colour_at(middle(layer, other)))


def test_cells_of_a_multiscale_film(qtbot, viewer, panel, labels, features, placed, finish, colour_at):
    panel.form.n_neighbors.value = 10
    film = np.stack([labels, labels[::-1]])
    both = pd.concat([features.assign(frame=frame, area=features["area"] + frame) for frame in (0, 1)])
    turned = {"scale": (1.0, *placed["scale"]), "translate": (0.0, *placed["translate"])}
    layer = viewer.add_labels(
        [film, film[:, ::2, ::2]], multiscale=True, name="film", features=both.reset_index(drop=True), **turned
    )
    panel.embed()
    finish()
    panel.selection.choose_keys([("film", 1, 3), ("film", 0, 1010)])
    for frame, (bright, dark) in enumerate([(1010, 3), (3, 1010)]):
        viewer.dims.set_current_step(0, frame)
        place = {
            number: np.array(layer.data_to_world((frame, *np.argwhere(film[frame] == number).mean(axis=0))))[-2:]
            for number in (bright, dark)
        }
        assert is_lit(colour_at(place[bright]))
        assert not is_lit(colour_at(place[dark]))
    click(qtbot, viewer, place[1010])
    assert set(panel.selection.keys) == {("film", 1, 1010)}
