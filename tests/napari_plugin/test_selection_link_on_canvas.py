"""What is selected is seen where it is, and what is clicked is what is seen: on the real canvas."""

import numpy as np
import pandas as pd
import pytest
from test_selection_link import click, is_lit

from latentmap.display.region import Lasso
from latentmap.napari_plugin.scene.mouse import Drawing

pytestmark = pytest.mark.usefixtures("replayed")

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


def test_cells_of_a_layer_that_lies_anyhow(
    qtbot, viewer, panel, labels, features, placed, finish, colour_at, colours_at
):
    layer = viewer.add_labels(labels, name="cells", features=features.sample(frac=1, random_state=0), **placed)
    panel.embed()
    finish()
    click(qtbot, viewer, middle(layer, 1010))
    assert set(panel.selection.keys) == {("cells", 0, 1010)}
    assert is_lit(colour_at(middle(layer, 1010)))
    assert not any(map(is_lit, colours_at([middle(layer, other) for other in (7, 1009, 1011, 1020)])))


def test_cells_of_a_multiscale_film(qtbot, viewer, panel, labels, features, placed, finish, colour_at):
    panel.form.fields["n_neighbors"].value = 10
    film = np.stack([labels, labels[::-1]])
    both = pd.concat([features.assign(frame=frame, area=features["area"] + frame) for frame in (0, 1)])
    turned = {"scale": (1.0, *placed["scale"]), "translate": (0.0, *placed["translate"])}
    layer = viewer.add_labels(
        [film, film[:, ::2, ::2]], multiscale=True, name="film", features=both.reset_index(drop=True), **turned
    )
    panel.embed()
    finish()
    panel.selection.select_keys([("film", 1, 3), ("film", 0, 1010)])
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


def test_a_lasso_on_a_view_of_three_axes(qtbot, viewer, panel, mapped, cells):
    """It takes the points that are seen within, wherever the camera looks from."""
    viewer.dims.ndisplay = 3
    viewer.scene.camera.angles = (20, 30, 40)
    viewer.scene.camera.perspective = 30
    qtbot.wait(200)
    link, shown = panel.scene.link, panel.scene.maps.shown[0]
    places = np.pad(shown.positions, ((0, 0), (1, 0)))
    seen = link._project(viewer, places)
    viewer.layers["cells"].visible = False
    picture = viewer.screenshot(canvas_only=True, flash=False)
    around = [picture[round(row) - 2 : round(row) + 3, round(column) - 2 : round(column) + 3] for column, row in seen]
    assert np.mean([patch[..., :3].astype(int).sum(axis=-1).max(initial=0) > 60 for patch in around]) > 0.9
    row = 12
    box = seen[row] + 25 * np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]])
    link.draw(Drawing(Lasso(box), "lasso", "replace"), viewer)
    inside = np.all(np.abs(seen - seen[row]) < 25, axis=1)
    assert set(panel.selection.numbers) == set(shown.numbers[inside])
    assert 0 < inside.sum() < len(inside)
    link.draw(Drawing(Lasso(box - 5000), "lasso", "replace"), viewer)
    assert "In 3-D, regions select points only" in panel.status.value


def test_a_lasso_around_points_in_space(qtbot, viewer, panel, finish):
    rng = np.random.default_rng(0)
    features = pd.DataFrame(rng.normal(size=(40, 3)), columns=["area", "DNA", "actin"])
    spots = viewer.add_points(rng.uniform(0, 50, (40, 3)), name="spots", features=features, scale=(3, 1, 1))
    panel.embed()
    finish()
    viewer.dims.ndisplay = 3
    viewer.scene.camera.angles = (10, 50, 70)
    qtbot.wait(200)
    link = panel.scene.link
    seen = link._project(viewer, spots.data * spots.scale)
    viewer.layers["map of spots"].visible = False
    box = seen[7] + 60 * np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]])
    link.draw(Drawing(Lasso(box), "lasso", "replace"), viewer)
    inside = np.flatnonzero(np.all(np.abs(seen - seen[7]) < 60, axis=1))
    assert set(panel.selection.keys) == {("spots", 0, row + 1) for row in inside.tolist()}
