"""Many images in one window: ticked at once, laid out side by side, and chosen by the legend."""

import numpy as np
import pytest

from latentmap.display.region import Lasso
from latentmap.napari_layers.layout import are_apart, places
from latentmap.napari_plugin.scene.mouse import Drawing
from latentmap.session import ColourBy

pytestmark = pytest.mark.usefixtures("replayed")


@pytest.fixture
def fields(viewer, panel, labels, features):
    """Three wells of a plate, each with a channel and labels, one on top of the other."""
    made = []
    for number, well in enumerate(("B02", "B10", "C02")):
        viewer.add_image(np.where(labels, 200, 10), name=f"{well}_DNA")
        table = features.assign(DNA=features["DNA"] + number)
        made.append(viewer.add_labels(labels, name=f"{well}_cells", features=table))
    return made


def apart(viewer):
    return are_apart([place.layers[0] for place in places(viewer)])


def boxes(viewer):
    return [place.box for place in places(viewer)]


def test_all_and_none(qtbot, viewer, panel, fields):
    row = panel.cells.layers_row
    assert row.native.isVisibleTo(panel)
    assert panel.cells.value == fields[:1]
    row.all.native.click()
    assert set(panel.cells.value) == set(fields)
    qtbot.wait_until(lambda: panel.about.value.startswith("180 cells from 3 layers"))
    row.none.native.click()
    assert panel.cells.value == []
    for layer in fields[1:]:
        viewer.layers.remove(layer)
    assert not row.native.isVisibleTo(panel)


def test_wells_lie_as_on_their_plate_and_go_back_exactly(viewer, panel, fields):
    button = panel.cells.layers_row.layout_button
    third = viewer.layers["C02_DNA"]
    third.affine = np.diag([2.0, 2.0, 1.0])
    fields[2].affine = np.diag([2.0, 2.0, 1.0])
    before = {layer.name: np.array(layer.translate) for layer in viewer.layers}
    data = {layer.name: np.array(layer.data) for layer in viewer.layers}
    assert button.text == "Side by side"
    button.native.click()
    assert "3 images (6 layers) lie side by side, as on their plate." in panel.status.value
    one, other, below = boxes(viewer)
    assert apart(viewer)
    # B10 is to the right of B02 and C02 below it; wells between them, of which there is no image, take no room.
    assert other[0][0] == one[0][0]
    assert one[1][1] < other[0][1] < one[1][1] + 120
    assert below[0][1] == one[0][1]
    assert below[0][0] > one[1][0]
    for well in ("B02", "B10", "C02"):
        assert (viewer.layers[f"{well}_DNA"].extent.world == viewer.layers[f"{well}_cells"].extent.world).all()
    assert button.text == "On top of each other"
    button.native.click()
    for layer in viewer.layers:
        np.testing.assert_array_equal(layer.translate, before[layer.name])
        np.testing.assert_array_equal(layer.data, data[layer.name])
    # What the user has moved meanwhile is laid out anew, and not put where it was.
    fields[0].translate = viewer.layers["B02_DNA"].translate = (7.0, 0.0)
    button.native.click()
    assert apart(viewer)


def test_names_without_wells_make_a_grid_in_their_order(viewer, panel, labels):
    for number in (10, 2, 1, 3):
        viewer.add_labels(labels, name=f"field {number}")
    panel.cells.layers_row.layout_button.native.click()
    corner = {layer.name: layer.extent.world[0].round().tolist() for layer in viewer.layers}
    (top, left), (_, right), (bottom, _) = corner["field 1"], corner["field 2"], corner["field 3"]
    assert corner == {
        "field 1": [top, left],
        "field 2": [top, right],
        "field 3": [bottom, left],
        "field 10": [bottom, right],
    }
    assert right > left
    assert bottom > top


def test_labels_of_one_image_stay_on_it(viewer, panel, labels):
    viewer.add_image(np.where(labels, 200, 10), name="DNA")
    viewer.add_labels(labels, name="nuclei")
    viewer.add_labels(labels, name="membranes")
    panel.cells.layers_row.layout_button.native.click()
    assert all((layer.translate == 0).all() for layer in viewer.layers)
    assert "nothing to lay out" in panel.status.value


def test_maps_selection_and_legend_follow(viewer, panel, fields, finish, colour_at):
    row = panel.cells.layers_row
    row.all.native.click()
    panel.embed()
    finish()
    row.layout_button.native.click()
    points = next(layer for layer in viewer.layers if layer.name.startswith("map of"))
    bottom, right = np.max([box[1] for box in boxes(viewer)], axis=0)
    assert points.data[:, -1].min() > right or points.data[:, -2].min() > bottom
    for source in panel.scene.link.sources:
        np.testing.assert_array_equal(source.highlight.translate, source.layer.translate)
    # A loop round an image selects its cells, where it is drawn now.
    (top, left), (bottom, far) = boxes(viewer)[1]
    around = Lasso(np.array([[top, left], [top, far], [bottom, far], [bottom, left]]))
    panel.scene.link.draw(Drawing(around, "lasso", "replace"), viewer)
    assert set(panel.selection.keys.get_level_values("layer")) == {"B10_cells"}
    assert len(panel.selection) == 60
    # A click on an image's line of the legend does the same.
    panel.session.display_settings.colour_by = ColourBy("layer")
    panel.explore.colours.legend.picked.emit("C02_cells", "replace")
    assert set(panel.selection.keys.get_level_values("layer")) == {"C02_cells"}
    assert len(panel.selection) == 60
    at = fields[2].data_to_world((5, 5))
    lit = colour_at(at).astype(int)
    panel.explore.colours.legend.picked.emit("B02_cells", "replace")
    assert np.abs(colour_at(at) - lit).max() > 30
    row.layout_button.native.click()
    assert not apart(viewer)
    points = next(layer for layer in viewer.layers if layer.name.startswith("map of"))
    low, far = np.max([box[1] for box in boxes(viewer)], axis=0)
    assert points.data[:, -1].min() > far or points.data[:, -2].min() > low
