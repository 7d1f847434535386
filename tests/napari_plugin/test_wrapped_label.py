import pytest
from qtpy.QtCore import QRect, Qt
from qtpy.QtWidgets import QApplication, QVBoxLayout, QWidget

from latentmap.napari_plugin.qt.wrapped_label import paragraph, wrapped_label

LONG = "2024-05-11_PDAC_patient07_slide3_region02_cellpose_masks_of_the_nuclei.tif"


@pytest.mark.parametrize("name", [LONG, "x" * 200, f"{LONG}/{LONG}", "3.25 of a-b, 0.97"])
def test_words_as_long_as_names_of_files_are_broken(qtbot, name):
    label = wrapped_label()
    qtbot.addWidget(label.native)
    label.value = sentence = f'"{name}" has no features yet.'
    assert label.native.minimumSizeHint().width() < 300
    assert label.value == sentence


def test_the_panel_stays_as_wide_whatever_a_layer_is_called(qtbot, viewer, panel, labels):
    viewer.add_labels(labels, name=LONG)
    panel.tell(panel.cells.about.value)
    assert LONG in panel.status.value
    page = panel.tabs.widget(0)
    qtbot.wait(100)
    assert page.horizontalScrollBar().maximum() == 0
    layers = panel.cells.layers
    assert layers.visualItemRect(layers.item(0)).width() <= layers.viewport().width()
    assert panel.width() < 460


@pytest.mark.parametrize("make", [paragraph, wrapped_label])
def test_no_line_is_lost_where_there_is_too_little_room(qtbot, make):
    page, labels = QWidget(), [make() for _ in range(3)]
    layout = QVBoxLayout(page)
    for label in labels:
        label.value = "a sentence "
        layout.addWidget(label.native)
    qtbot.addWidget(page)
    page.resize(220, 90)
    page.show()
    for n_words, width in ((40, 220), (40, 400), (90, 180), (5, 400)):
        for label in labels:
            label.value = "a sentence " * n_words
        page.resize(width, 90)
        QApplication.processEvents()
        for label in labels:
            room, wrap = QRect(0, 0, label.native.width(), 9999), int(Qt.TextFlag.TextWordWrap)
            lines = label.native.fontMetrics().boundingRect(room, wrap, label.value).height()
            assert label.native.height() >= lines
            assert lines <= label.native.minimumHeight() < lines + 10  # and not the room of a longer text before
        # Whoever scrolls this page is told at once how tall it has become.
        assert page.minimumSizeHint().height() > 3 * lines
