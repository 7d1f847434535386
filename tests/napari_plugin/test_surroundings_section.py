"""Which cells lie around each cell, as features of napari's layers."""

from latentmap.session import ColourBy


def test_what_lies_around_each_cell_becomes_features(panel, mapped, cells, qtbot, finish):
    section = panel.surroundings
    numbers = panel.session.runs.current.numbers
    panel.session.classes.assign("first row", numbers[:10])
    panel.tabs.setCurrentIndex(1)
    section.expand(animate=False)
    section.radius.value = 11
    section.button.native.click()
    qtbot.wait_until(lambda: not section.presenter.running)
    assert "within 11 pixels" in section.said.value
    features = cells.features.set_index("label")
    # Six rows of ten cells, of which each has those above, below and on either side around it.
    assert features.loc[3, "neighbours"] == 2
    assert (features.loc[3, "near first row"], features.loc[3, "near none"]) == (0.5, 0.5)
    assert {"near first row", "near none", "neighbours"} <= {*panel.form.features.choices}
    assert {*panel.parameters.features} == {"area", "DNA", "actin"}
    assert ColourBy("feature", "near first row") in panel.explore.colours.by.choices
    panel.session.display_settings.colour_by = ColourBy("feature", "near first row")
    assert panel.explore.colours.legend.text[0].startswith("0 to 0.667")
    before = panel.session.runs.current
    panel.parameters.features = ("area", "neighbours")
    panel.embed()
    finish()
    panel.session.display_settings.colour_by = ColourBy("feature", "neighbours")
    own = panel.result.cells.features["neighbours"].copy()
    section.radius.value = 25
    section.button.native.click()
    qtbot.wait_until(lambda: not section.presenter.running)
    made = panel.session.runs.current
    assert f'"{made.name}" keeps the values that it was made of.' in section.said.value
    assert made.result.cells.features["neighbours"].equals(own)
    assert (before.result.cells.features["neighbours"] > own).all()
    panel.session.classes.delete("first row")
    section.button.native.click()
    assert "There is no class yet" in section.said.value
