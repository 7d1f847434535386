"""Maps made elsewhere, maps that lie like the one before, and more cells like those selected, in a real window."""

import numpy as np
import pytest
from qtpy.QtWidgets import QFileDialog

from latentmap.display.unit_square import unit_square


@pytest.fixture
def with_umap(cells, features):
    """The cells' layer, whose table has a map that another program has made; two cells are not on it."""
    rows = features.assign(UMAP1=features["area"], UMAP2=3 * features["DNA"])
    rows.loc[[5, 17], "UMAP1"] = np.nan
    cells.features = rows
    return rows.drop(index=[5, 17])


def test_a_map_made_elsewhere_stands_beside_ours(
    qtbot, viewer, panel, with_umap, mapped, finish, hand, colours_at, monkeypatch, tmp_path
):
    ours, section = panel.session.runs.current, panel.elsewhere
    panel.form.features.value = ["area", "DNA", "actin"]
    section.expand()
    qtbot.wait_until(section.add.native.isVisible)
    section.add.native.click()  # what was just unfolded takes no click of the mouse yet
    finish()
    run = panel.session.runs.current
    assert run.name == "UMAP (from the table)"
    assert "2 of 60 cells left out: no position in" in panel.status.value
    panel.kept.table.tick(ours)
    assert [shown.points.name for shown in panel.scene.maps.shown] == [
        "map of cells",
        "map of cells, UMAP (from the table)",
    ]
    points = panel.scene.maps.shown[1].points
    np.testing.assert_array_equal(points.features[["map_1", "map_2"]], with_umap[["UMAP1", "UMAP2"]])
    row = list(panel.session.runs).index(run)
    texts = [panel.kept.table.item(row, column).text() for column in range(1, 5)]
    assert texts == [run.name, "58", *(f"{share:.2f}" for share in run.result.quality.values())]
    # Grey, as no variance is known; a click on it lights up the cell in the image, and on our map.
    red, green, blue = np.array(colours_at(points.data[[7]])[0][:3], dtype=int)
    assert max(abs(red - green), abs(green - blue)) < 12 < red
    hand.click(points.data[7])
    assert list(panel.selection.keys) == [("cells", 0, int(with_umap["label"].iloc[7]))]
    assert panel.scene.maps.shown[0].points.selected_data
    # What is not known of it is said.
    hand.press_button(panel.kept.use_button)
    assert "made elsewhere: its parameters are not known" in panel.status.value
    # Another table, by key.
    path = tmp_path / "tsne.csv"
    with_umap.iloc[::-1][["label"]].assign(tsne_1=np.arange(58.0), tsne_2=np.arange(58.0) ** 2).to_csv(
        path, index=False
    )
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    hand.press_button(section.file)
    finish()
    assert section.map.current_choice == "t-SNE (from tsne.csv)"
    hand.press_button(section.add)
    finish()
    assert panel.session.runs.current.result.embedding[:, 0].tolist() == list(range(57, -1, -1))


def test_a_new_map_is_drawn_like_the_one_before_and_keeps_its_coordinates(panel, cells, features, mapped, finish):
    before = panel.session.runs.current
    cells.features = features.assign(area=-features["area"], actin=-2 * features["actin"])
    panel.form.preparation.scaling.value = "none"
    panel.embed()
    finish()
    run = panel.session.runs.current
    assert run.turn.shape == (2, 2)
    assert not np.allclose(run.turn, np.eye(2))
    (shown,) = panel.scene.maps.shown
    drawn = unit_square(run.result.embedding @ run.turn, run.result.variances, (0, 1))[0]
    seen, expected = ((one - one.mean(axis=0)) / np.ptp(one, axis=0).max() for one in (shown.points.data, drawn))
    np.testing.assert_allclose(seen, expected, atol=1e-9)
    np.testing.assert_array_equal(shown.points.features[["map_1", "map_2"]], run.result.embedding)
    sides = [np.corrcoef(before.drawn[:, axis], run.drawn[:, axis])[0, 1] for axis in (0, 1)]
    assert min(sides) > 0
    # The map before, shown again, lies as it lay.
    panel.session.runs.show(before)
    assert before.turn is None


def test_more_cells_like_those_selected_light_up(viewer, panel, cells, mapped, labels, hand, finish, qtbot):
    panel.tabs.setCurrentIndex(1)
    more = panel.explore.more
    assert not more.alike.enabled
    panel.selection.select_keys([("cells", 0, 1020)], how="test")
    more.n_more.value = 4
    hand.press_button(more.near)
    qtbot.wait_until(lambda: not more.presenter.running)
    row, column = np.argwhere(labels == 1020).mean(axis=0).astype(int)
    around = [(row, column), (row - 10, column), (row + 10, column), (row, column - 10), (row, column + 10)]
    assert {label for _, _, label in panel.selection.keys} == {int(labels[place]) for place in around}
    lit = np.asarray(panel.scene.link.sources[0].highlight.data)
    assert [bool(lit[place] > 0) for place in around] == [True] * 5
    assert panel.session.selection.story[-1].how == "4 cells nearest to the selection in the image"
    more.n_more.value = 0
    hand.press_button(more.alike)
    qtbot.wait_until(lambda: not more.presenter.running)
    assert len(panel.selection) == 10
    hand.press_button(panel.explore.selected.undo)
    hand.press_button(panel.explore.selected.undo)
    assert panel.selection.keys.tolist() == [("cells", 0, 1020)]
