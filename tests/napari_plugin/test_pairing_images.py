"""Labels are measured in their own images, and the user sees which these are."""

import numpy as np
import pytest
from napari.components import ViewerModel
from napari.layers import Image
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QComboBox

from latentmap.napari_layers.layers import pictures_of
from latentmap.napari_layers.pairs import paired
from latentmap.napari_layers.session_layers import copied_layers, made_layers, open_layers
from latentmap.napari_plugin.panel.measure_section import MeasureSection
from latentmap.napari_plugin.panel.progress_bar import RunProgressBar
from latentmap.presenters.progress import ProgressPresenter

LABELS = np.zeros((64, 64), dtype=np.int32)
for _cell in range(9):
    _row, _column = divmod(_cell, 3)
    LABELS[20 * _row + 2 : 20 * _row + 16, 20 * _column + 2 : 20 * _column + 16] = 3 * _cell + 1


def brightness(field, labels=LABELS):
    """What the cells of a field have: no other field's do."""
    return 1000 * field + labels


@pytest.fixture
def viewer_model():
    return ViewerModel()


@pytest.fixture
def told():
    return []


@pytest.fixture
def section(qtbot, viewer_model, told):
    made = MeasureSection(
        viewer_model, ProgressPresenter(RunProgressBar()), told.append, lambda layer: layer.name, lambda: None
    )
    qtbot.addWidget(made.native)
    yield made
    made.stop()
    made.changes.close()


@pytest.fixture
def measure(qtbot, section):
    def wait():
        section.measure()
        qtbot.wait_until(lambda: not section.running, timeout=120_000)

    return wait


def assert_own(layers):
    for field, layer in enumerate(layers, start=1):
        np.testing.assert_allclose(layer.features["DAPI_mean"], brightness(field)[LABELS > 0][0] + 3 * np.arange(9))
        assert {name for name in layer.features if "DAPI" in name} == {
            f"DAPI_{of}" for of in ("mean", "std", "min", "max")
        }


def three_fields(viewer, image="DAPI", labels="labels"):
    for field in (1, 2, 3):
        viewer.add_image(brightness(field), name=image.format(field))
    return [viewer.add_labels(LABELS, name=labels.format(field)) for field in (1, 2, 3)]


def test_fields_of_one_size_are_not_measured_before_the_user_has_seen_the_pairs(
    viewer_model, section, measure, told, monkeypatch
):
    layers = three_fields(viewer_model)
    section.offer(layers)
    measure()
    assert told[-1].startswith("Nothing has been measured: check the pairs in orange")
    assert "only the order of the layers" in section.doubt.value
    assert all(layer.features.empty for layer in layers)
    assert [section.pairs.item(row, 0).text() for row in (1, 2, 3)] == ["? labels", "? labels [1]", "? labels [2]"]
    assert section.pairs.item(2, 1).text() == "? DAPI [1] ▾"
    section.right_button.changed.emit(True)
    measure()
    assert_own(layers)
    assert told[-1].startswith(
        'Measured 27 cells of 3 layers, from "labels" to "labels [2]": shape, and intensities in DAPI'
    )


def test_names_like_those_of_files_are_enough(viewer_model, section, measure):
    layers = three_fields(viewer_model, "field{}_DAPI", "field{}_labels")
    viewer_model.layers.reverse()
    section.offer(layers)
    assert not section.doubt.value
    measure()
    assert_own(layers)


def test_what_all_names_begin_with_is_left_out_of_the_table(viewer_model, section):
    section.offer(three_fields(viewer_model, "20260113_plate2_B0{}_DAPI", "20260113_plate2_B0{}_labels"))
    assert [section.pairs.item(2, column).text() for column in (0, 1)] == ["…B02_labels", "…B02_DAPI ▾"]


def test_the_user_pairs_otherwise(viewer_model, section, measure):
    layers = three_fields(viewer_model)
    images = [layer for layer in viewer_model.layers if isinstance(layer, Image)]
    section.offer(layers)
    for row, image in ((1, images[1]), (2, images[0]), (3, images[2])):
        section.pairs.choose(row, 1, image)
    assert not section.doubt.value
    assert section.pairs.channels == ["DAPI"]
    measure()
    assert_own([layers[1], layers[0], layers[2]])


def test_images_are_chosen_channels_renamed_and_unticked_in_the_table(qtbot, viewer_model, section, measure):
    layers = three_fields(viewer_model, "field{}_DAPI", "field{}_labels")
    viewer_model.add_image(LABELS, name="field1_GFP")
    section.native.show()
    section.offer(layers)
    assert '"field2_labels", "field3_labels" have no GFP: a map of all these layers' in section.doubt.value
    section.pairs.cellClicked.emit(2, 1)
    box = section.pairs.findChild(QComboBox)
    assert [box.itemText(at) for at in range(box.count())] == [
        "–",
        *(f"field{one}_DAPI" for one in (1, 2, 3)),
        "field1_GFP",
    ]
    box.setCurrentIndex(0)
    box.activated.emit(0)
    assert section.pairs.item(2, 1).text() == "– ▾"
    section.pairs.item(0, 1).setText("DNA")
    assert section.pairs.channels == ["DNA", "GFP"]
    section.pairs.item(0, 2).setCheckState(Qt.CheckState.Unchecked)
    assert section.pairs.ticked == ["DNA"]
    assert section.doubt.value == '"field2_labels" has no DNA: a map of all these layers cannot use it.'
    measure()
    assert "DNA_mean" in layers[0].features
    assert not [name for name in layers[1].features if "mean" in name]
    assert not [name for name in layers[0].features if "GFP" in name]


def test_an_image_of_another_size_is_told_of_before_measuring(viewer_model, section):
    viewer_model.add_image(np.zeros((9, 9)), name="DAPI")
    section.offer([viewer_model.add_labels(LABELS, name="nuclei")])
    assert 'No image has the size of "nuclei"' in section.doubt.value


def test_one_layer_alone_is_measured_in_its_own_image_too(viewer_model, section, measure):
    layers = three_fields(viewer_model, "field{}_DAPI", "field{}_labels")
    section.offer(layers[1:2])
    measure()
    np.testing.assert_allclose(layers[1].features["DAPI_max"], brightness(2)[LABELS > 0][0] + 3 * np.arange(9))


def test_cells_are_shown_in_their_own_image(viewer_model, section):
    layers = three_fields(viewer_model, "DAPI", "labels")
    images = [layer for layer in viewer_model.layers if isinstance(layer, Image)]
    section.offer(layers)
    section.right_button.changed.emit(True)
    section.pairs.choose(1, 1, images[2])
    assert [pictures_of(layer, viewer_model.layers) for layer in layers] == [[images[2]], [images[1]], [images[2]]]


def test_renaming_an_image_changes_no_pair(viewer_model, section):
    layers = three_fields(viewer_model)
    section.offer(layers)
    section.right_button.changed.emit(True)
    before = {layer: [pair.image for pair in own.values()] for layer, own in paired(viewer_model.layers).items()}
    first, second, _ = (layer for layer in viewer_model.layers if isinstance(layer, Image))
    first.name, second.name = "b", "a"
    after = paired(viewer_model.layers)
    assert {layer: [pair.image for pair in own.values()] for layer, own in after.items()} == before
    assert all(pair.is_sure for own in after.values() for pair in own.values())


def test_a_session_keeps_the_pairs_and_what_was_measured(viewer_model, section, measure):
    layers = three_fields(viewer_model)
    images = [layer for layer in viewer_model.layers if isinstance(layer, Image)]
    section.offer(layers)
    for row, image in enumerate(reversed(images), start=1):
        section.pairs.choose(row, 1, image)
    measure()
    taken, left_out = copied_layers(viewer_model.layers)
    assert not left_out
    stored = [one.stored() for one in taken]
    other = ViewerModel()
    open_layers(other, made_layers(stored), stored)
    again = {
        layer.name: {name: (pair.image.name, pair.why) for name, pair in own.items()}
        for layer, own in paired(other.layers).items()
    }
    assert again == {
        "labels": {"DAPI": ("DAPI [2]", "you")},
        "labels [1]": {"DAPI": ("DAPI [1]", "you")},
        "labels [2]": {"DAPI": ("DAPI", "you")},
    }
    assert other.layers["labels"].metadata["latentmap_measured"] == {"DAPI": "DAPI [2]"}


def test_the_record_of_a_map_says_in_which_image_each_layer_was_measured(qtbot, panel, viewer, finish, monkeypatch):
    layers = three_fields(viewer, "field{}_DAPI", "field{}_labels")
    panel.cells.layers.value = layers
    panel.cells.measuring.measure()
    finish()
    panel.parameters.max_iter = 2
    panel.embed()
    finish()
    sheet = panel.session.map_table(panel.session.runs.current)
    assert 'Measured: "field2_labels", DAPI in "field2_DAPI".' in sheet.provenance["notes"]
    assert "field2_DAPI" not in panel.status.value
    assert_own(layers)
    # What a cell is shown in is its own image: in the two others it would be as bright.
    for field, layer in enumerate(layers, start=1):
        source = next(one for one in panel.scene.link.sources if one.layer is layer)
        assert [
            channel.image is viewer.layers[f"field{field}_DAPI"].data
            for channel in panel.crops._crops_of(source)._channels
        ] == [True]


def test_names_as_long_as_those_of_files_are_told_apart_where_there_is_no_room_for_all(viewer_model, section):
    begin, end = "2024-05-11_PDAC_slide3_region0", "_aSMA_Alexa594.ome.tif"
    section.offer(three_fields(viewer_model, begin + "{}" + end, begin + "{}_cellpose_masks.tif"))
    table = section.pairs
    for column in (0, 1):
        room = table.columnWidth(column) - 12
        texts = [table.item(row, column).text() for row in (1, 2, 3)]
        shown = {table.fontMetrics().elidedText(text, table.textElideMode(), room) for text in texts}
        assert len(shown) == 3


def test_short_names_are_whole_in_the_larger_font_of_a_window_that_opens_later(qtbot, viewer_model, section):
    viewer_model.add_image(np.ones(LABELS.shape), name="sky")
    section.offer([viewer_model.add_labels(LABELS, name="objects")])
    table = section.pairs
    section.native.setStyleSheet("* { font-size: 17pt; }")
    section.native.show()
    qtbot.wait_until(table.isVisible)
    assert table.item(1, 0).text() == "objects"
    assert table.columnWidth(0) >= table.sizeHintForColumn(0)


def test_the_list_of_images_shows_every_one(qtbot, panel, viewer):
    three_fields(viewer)
    panel.cells.layers.value = panel.cells.layers.things
    table = panel.cells.measuring.pairs
    qtbot.wait_until(table.isVisible)
    table.cellClicked.emit(1, 1)
    choices = table.findChild(QComboBox).view()
    qtbot.wait_until(choices.isVisible)
    qtbot.wait(100)
    last = choices.visualRect(choices.model().index(3, 0))
    assert last.bottom() <= choices.viewport().height()
    table.findChild(QComboBox).hidePopup()


@pytest.mark.parametrize("width", [380, 900])
@pytest.mark.parametrize("name", ["{}", "a long name of the channel {}"])
def test_the_table_is_as_high_as_its_lines_and_has_no_empty_strip(qtbot, viewer_model, section, name, width):
    for field in (1, 2):
        for channel in "ABCDE":
            viewer_model.add_image(brightness(field), name=f"field{field}_{name.format(channel)}")
    section.offer([viewer_model.add_labels(LABELS, name=f"field{field}_labels") for field in (1, 2)])
    section.native.resize(width, 600)
    section.show()
    table = section.pairs
    qtbot.wait_until(lambda: table.viewport().height() == table.verticalHeader().length())
    assert table.horizontalScrollBar().isVisible() == (table.horizontalHeader().length() > table.viewport().width())
    assert table.horizontalScrollBar().isVisible() or width == 900 or name == "{}"
