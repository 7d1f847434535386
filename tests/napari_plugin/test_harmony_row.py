"""The row in which a batch correction is chosen, as where harmonypy is installed and where it is not."""

import pytest

from latentmap.display import fields
from latentmap.napari_plugin.panel.preparation_section import PreparationSection
from latentmap.session import Parameters


@pytest.mark.parametrize("installed", [True, False])
def test_batches_are_chosen_once_there_are_principal_components(qtbot, monkeypatch, installed):
    monkeypatch.setattr(fields, "is_installed", lambda: installed)
    parameters = Parameters(n_pca=0)
    section = PreparationSection(parameters)
    qtbot.addWidget(section.native)
    section.show()
    section.offer_groups(["plate", "day"])
    assert not section.harmony_by.visible
    parameters.n_pca = 5
    assert section.harmony_by.visible
    assert section.harmony_by.choices == ("", "plate", "day")
    words = [section.harmony_by.native.itemText(at) for at in range(3)]
    assert any("pip install harmonypy" in word for word in words) != installed
    section.harmony_by.value = "plate"
    assert parameters.harmony_by == "plate"
    parameters.harmony_by = "day"
    assert section.harmony_by.value == "day"
    parameters.n_pca = 0
    section.offer_groups([])
    parameters.harmony_by = ""
    assert not section.harmony_by.visible
