"""An outline, a group opened from it, and the way back, in a real window."""

import numpy as np
from hand import around
from ringed import ringed


def press(panel, hand, name, finish):
    panel.tabs.setCurrentIndex(1)
    hand.press_button(panel.explore.opening.buttons[name])
    finish()


def test_into_a_group_and_back(panel, viewer, cells, hand, finish):
    section = panel.explore.opening
    panel.tabs.setCurrentIndex(1)
    assert section.path.value.startswith("No map yet.")
    assert not section.buttons["open"].enabled
    press(panel, hand, "outline", finish)
    outline = panel.session.runs.current
    points = viewer.layers["map of cells"]
    assert section.path.value == "12 landmarks of 60 cells"
    assert len(points.data) == 12
    # A point is larger where it stands for more cells.
    counts = np.bincount(outline.result.members)
    by_label = dict(zip((key[2] for key in outline.result.cells.keys), counts, strict=True))
    drawn = np.array([by_label[label] for label in points.features["label"]])
    assert (np.diff(points.size[np.argsort(drawn, kind="stable")]) >= 0).all()
    assert points.size.max() > 1.5 * points.size.min()

    # A lasso around some landmarks, by hand.
    panel.tools.press("lasso")
    chosen = np.argsort(points.data[:, -1])[:7]
    hand.drag(*around(points.data[chosen], 0.01))
    # Their cells are selected with them: in the image, for classes and counts.
    selected = panel.selection.numbers
    is_chosen = np.isin(outline.numbers, selected)
    assert 5 <= is_chosen.sum() < 12
    in_group = is_chosen[outline.result.members]
    everyone = panel.session.cell_index.numbers_of(outline.table.keys)
    np.testing.assert_array_equal(selected, np.sort(everyone[in_group]))
    lit = next(source for source in panel.scene.link.sources if source.name == "cells")._shown
    assert len(lit.labels) == in_group.sum() > is_chosen.sum()
    # In the image any cell can be selected, not only a landmark.
    member = outline.table.keys[int(np.flatnonzero(~np.isin(everyone, outline.numbers))[0])]
    panel.scene.link._select(member, "replace", "click in the image")
    assert panel.selection.keys.tolist() == [member]
    assert "not on the map" not in panel.status.value
    panel.selection.select(selected)
    press(panel, hand, "open", finish)
    group = panel.session.runs.current
    assert section.path.value == f"12 landmarks of 60 cells > {in_group.sum()} cells"
    assert set(group.result.cells.keys) == {
        key for key, is_in in zip(outline.table.keys, in_group, strict=True) if is_in
    }
    assert len(viewer.layers["map of cells"].data) == in_group.sum()

    # Brushing stays linked: with the labels and with the map before.
    label = int(viewer.layers["map of cells"].features["label"].iloc[0])
    panel.selection.select_keys([("cells", 0, label)])
    assert panel.scene.link is not None
    panel.kept.table.tick(outline)
    assert len(panel.scene.maps.shown) == 2
    panel.selection.select(selected)
    rings = [len(ringed(shown)) for shown in panel.scene.maps.shown]
    assert is_chosen.sum() in rings
    assert in_group.sum() in rings
    before = panel.selection.numbers
    press(panel, hand, "back", finish)
    assert panel.session.runs.current is outline
    np.testing.assert_array_equal(panel.selection.numbers, before)
    assert "Back on the map" in panel.status.value
    assert section.path.value == "12 landmarks of 60 cells"


def test_what_cannot_be_opened_is_said_in_the_window(panel, mapped, hand, finish):
    panel.selection.select(panel.session.runs.current.numbers[:9])
    press(panel, hand, "open", finish)
    assert "9 cells would make no map: select at least 10" in panel.status.value
    panel.parameters.method = "isomap"
    press(panel, hand, "outline", finish)
    assert "Isomap has no landmarks" in panel.status.value
    assert len(panel.session.runs) == 1
