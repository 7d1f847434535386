from qtpy.QtWidgets import QApplication


def test_the_sample_opens_from_the_menu_s_name_ready_to_embed(viewer, panel):
    viewer.open_sample("latentmap", "tissue")
    assert [layer.name for layer in viewer.layers] == ["tissue", "cells"]
    cells = viewer.layers["cells"]
    assert panel.cells.value is cells
    assert panel.about.value == f"{cells.data.max()} cells, {len(cells.features.columns) - 1} features."
    QApplication.processEvents()
