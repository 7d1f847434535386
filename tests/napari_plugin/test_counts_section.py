"""The counts of cells in napari's panel."""

import pandas as pd

from latentmap.presenters.counts import CLASS, LAYER


def test_counts_are_drawn_with_bars_and_saved(panel, mapped, qtbot, tmp_path):
    section = panel.explore.counts
    panel.tabs.setCurrentIndex(1)
    assert section.table.toPlainText() == ""  # folded away
    section.expand(animate=False)
    numbers = panel.session.runs.current.numbers
    panel.session.classes.assign("dividing", numbers[:15])
    panel.session.classes.recolour("dividing", "#00ff00")
    text = section.table.toPlainText()
    assert "dividing" in text
    assert "15 (25 %)" in text
    assert "45 (75 %)" in text
    assert (section.of.value, section.by.value) == (CLASS, LAYER)
    section.table.resize(340, 240)
    picture = section.table.grab().toImage()
    colours = {picture.pixelColor(column, row).name() for column in range(0, 340, 3) for row in range(0, 200, 3)}
    assert "#00ff00" in colours
    section.save(tmp_path / "counts.csv")
    assert pd.read_csv(tmp_path / "counts.csv")["cells"].tolist() == [15, 45]
    section.save(tmp_path / "missing" / "counts.csv")
    assert "counts.csv" in panel.status.value
    section.mixed_button.native.click()
    assert "one layer" in section.mixed.value
