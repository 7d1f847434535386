"""Gates in a real window: the mouse on the plot, and what becomes of it in the image and in the classes."""

import numpy as np
import pytest
from matplotlib.path import Path
from qtpy.QtCore import QPoint, QPointF, Qt
from qtpy.QtGui import QWheelEvent
from qtpy.QtWidgets import QApplication, QInputDialog

from latentmap.napari_layers.layer_writing import write_features

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def gates(panel, cells, qtbot):
    """The tab, in view, with area to the right and DNA upwards."""
    names = [panel.tabs.tabText(place) for place in range(panel.tabs.count())]
    panel.tabs.setCurrentIndex(names.index("Gates"))
    qtbot.wait_until(lambda: panel.gates.plot.isVisible())
    return panel.gates


@pytest.fixture
def drag(qtbot, gates):
    """Drag from one position along the axes to others."""

    def move(*positions, keys=NONE):
        points = [gates.plot.to_pixel(*at).toPoint() for at in positions]
        qtbot.mousePress(gates.plot, LEFT, keys, points[0])
        for at in points[1:]:
            qtbot.mouseMove(gates.plot, at)
        qtbot.mouseRelease(gates.plot, LEFT, keys, points[-1])

    return move


def labels_of(panel, name):
    numbers = panel.session.classes.members(name)
    return set(panel.session.cell_index.keys(numbers).get_level_values("label"))


def coloured(gates, position, colour):
    """Whether a pixel within two of a position along the axes has a colour, up to its rim."""
    image, at = gates.plot.grab().toImage(), gates.plot.to_pixel(*position)
    ratio = image.devicePixelRatio()
    near = [
        image.pixelColor(round(ratio * at.x()) + dx, round(ratio * at.y()) + dy)
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
    ]
    return any(np.abs(np.array(one.getRgb()[:3]) - colour).max() < 30 for one in near)


def test_a_rectangle_on_the_plot_selects_in_the_image_and_becomes_a_class(
    panel, gates, features, drag, viewer, colours_at
):
    assert [axis.feature for axis in gates.presenter.plot.axes] == ["area", "DNA"]
    high = features[features["area"] > 3]
    drag((3.0, 2.0), (20.0, 20.0))  # no map has been made
    assert set(panel.selection.keys.get_level_values("label")) == set(high["label"])
    assert gates.current.value == f"In the shape: {len(high)} of 60 cells ({100 * len(high) / 60:.1f} %)."
    inside, outside = high.iloc[0], features[features["area"] < 3].iloc[0]
    gates.name.setText("large")
    gates.add.click()
    assert labels_of(panel, "large") == set(high["label"])
    orange = [230, 159, 0]
    assert coloured(gates, (inside["area"], inside["DNA"]), orange)
    assert not coloured(gates, (outside["area"], outside["DNA"]), orange)
    # The plot shows what is selected elsewhere: the other cells dim.
    panel.selection.select_keys([("cells", 0, int(outside["label"]))], how="click in the image")
    assert not coloured(gates, (inside["area"], inside["DNA"]), orange)
    drag((inside["area"], inside["DNA"]))
    assert panel.selection.keys.tolist() == [("cells", 0, int(inside["label"]))]


def inside(features, corners):
    return set(features["label"][Path(corners).contains_points(features[["area", "DNA"]])])


@pytest.mark.parametrize("closing", ["double click", "Enter", "right button", "first corner"])
def test_a_polygon_is_clicked_corner_by_corner(panel, gates, features, qtbot, closing):
    gates.tools["polygon"].click()
    low, high = features[["area", "DNA"]].min(), features[["area", "DNA"]].max()
    middle = (low + high) / 2
    corners = [(low["area"], low["DNA"]), (high["area"], middle["DNA"]), (middle["area"], high["DNA"])]
    points = [gates.plot.to_pixel(*at).toPoint() for at in corners]
    for point in points:
        qtbot.mouseClick(gates.plot, LEFT, NONE, point)
    assert not panel.selection
    qtbot.mouseMove(gates.plot, points[0])
    if closing == "double click":
        qtbot.mouseDClick(gates.plot, LEFT, NONE, points[-1])
    elif closing == "Enter":
        qtbot.keyClick(gates.plot, Qt.Key.Key_Return)
    else:
        button, at = (Qt.MouseButton.RightButton, points[1]) if closing == "right button" else (LEFT, points[0])
        qtbot.mouseClick(gates.plot, button, NONE, at)
    drawn = [gates.plot.to_position(QPointF(point)) for point in points]
    assert set(panel.selection.keys.get_level_values("label")) == inside(features, drawn)
    assert 0 < len(panel.selection) < 60
    gates.name.setText("T")
    gates.add.click()
    (gate,) = panel.session.gates
    assert gate.kind == "polygon"
    np.testing.assert_allclose(gate.corners, drawn)
    assert labels_of(panel, "T") == inside(features, drawn)


def test_a_polygon_is_given_up(panel, gates, qtbot):
    gates.tools["polygon"].click()
    middle, limits = gates.plot.rect().center(), gates.plot.limits
    for give_up in (
        lambda: qtbot.keyClick(gates.plot, Qt.Key.Key_Escape),
        lambda: gates.tools["rectangle"].click(),
        lambda: gates.fit.click(),
        lambda: qtbot.mouseDClick(gates.plot, LEFT, NONE, middle + QPoint(20, 0)),  # a line encloses nothing
    ):
        gates.tools["polygon"].click()
        qtbot.mouseClick(gates.plot, LEFT, NONE, middle)
        qtbot.mouseClick(gates.plot, LEFT, NONE, middle + QPoint(20, 0))
        give_up()
        gates.tools["polygon"].click()
        qtbot.mouseClick(gates.plot, Qt.MouseButton.RightButton, NONE, middle)
        qtbot.keyClick(gates.plot, Qt.Key.Key_Enter)
        assert not gates.add.isEnabled()
    assert gates.plot.limits == limits
    assert not panel.selection


def test_a_gate_is_moved_by_its_outline_and_reshaped_by_a_corner(panel, gates, drag, features, qtbot):
    drag((-20.0, -20.0), (20.0, 3.0))
    gates.name.setText("T")
    gates.add.click()
    assert labels_of(panel, "T") == set(features.query("DNA < 3")["label"]) != set()
    gates.tools["move"].click()
    before = gates.plot.limits
    drag((4.0, 0.0), (4.0, 1.0), (4.0, 3.0))
    assert gates.plot.limits == before
    (gate,) = panel.session.gates
    assert gate.corners[1][1] == pytest.approx(6.0, abs=0.2)
    expected = features.query(f"{gate.corners[0][1]} <= DNA <= {gate.corners[1][1]}")
    assert labels_of(panel, "T") == set(expected["label"])
    low = before.bottom + 0.2 * (before.top - before.bottom)
    gates.presenter.drag(None, (0.0, low - gate.corners[0][1]))
    gates.presenter.drop()
    corner = panel.session.gates[0].corners[0]
    drag(corner, (corner[0] + 1, corner[1] + 1))
    assert panel.session.gates[0].corners[0] == pytest.approx((corner[0] + 1, corner[1] + 1), abs=0.2)
    gates.name.setText("B")
    gates.rename.click()
    assert panel.session.classes.names == ("B",)
    gates.gates.itemClicked.emit(gates.gates.item(0))
    gates.remove.click()
    assert len(panel.session.classes) == len(panel.session.gates) == 0
    assert not gates.gates.isVisible()


def test_a_histogram_has_a_line_that_is_dragged_or_typed(panel, gates, drag, features, qtbot):
    gates.up.feature.setCurrentText("number of cells")
    gates.up.feature.activated.emit(0)
    assert gates.plot.tool == "threshold"
    assert not gates.tools["lasso"].isVisible()
    gates.across.scaling.setCurrentText("arcsinh")
    gates.across.scaling.activated.emit(0)
    assert gates.across.cofactor.isVisible()
    drag((0.1, 1), (float(np.arcsinh(3 / 5)), 2))
    assert float(gates.threshold.text()) == pytest.approx(3, abs=0.1)
    gates.threshold.selectAll()
    qtbot.keyClicks(gates.threshold, "4.5")
    qtbot.keyClick(gates.threshold, Qt.Key.Key_Return)
    assert panel.session.selection.story[0].how == "gate, threshold: area (arcsinh, cofactor 5) at least 4.5"
    gates.add.click()
    assert labels_of(panel, "area+") == set(features.query("area >= 4.5")["label"])
    # The line of a gate is dragged with any tool.
    drag((float(np.arcsinh(4.5 / 5)), 3), (0.2, 3), (float(np.arcsinh(1 / 5)), 3))
    assert labels_of(panel, "area+") == set(features.query(f"area >= {panel.session.gates[0].corners[0][0]}")["label"])
    assert panel.session.gates[0].corners[0][0] == pytest.approx(1, abs=0.2)


def test_a_feature_is_found_by_its_name_and_nonsense_is_forgotten(gates, qtbot):
    typed = gates.up.feature.lineEdit()
    for text, expected in (("actin", "actin"), ("nonsense", "actin")):
        typed.selectAll()
        qtbot.keyClicks(typed, text)
        qtbot.keyClick(typed, Qt.Key.Key_Return)
        assert [axis.feature for axis in gates.presenter.plot.axes] == ["area", expected]
    qtbot.wait_until(lambda: typed.text() == "actin")


def test_the_plot_is_zoomed_moved_and_shown_whole_again(gates, drag):
    whole = gates.plot.limits
    at = QPointF(gates.plot.to_pixel(0.0, 0.0))
    wheel = QWheelEvent(
        at, at, QPoint(), QPoint(0, 360), Qt.MouseButton.NoButton, NONE, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(gates.plot, wheel)
    closer = gates.plot.limits
    assert closer.right - closer.left < 0.7 * (whole.right - whole.left)
    gates.tools["move"].click()
    drag((0.0, 0.0), (0.5, 0.0), (1.0, 0.5))
    assert gates.plot.limits.left == pytest.approx(closer.left - 1, abs=0.1)
    assert gates.plot.limits.bottom == pytest.approx(closer.bottom - 0.5, abs=0.2)
    gates.fit.click()
    assert gates.plot.limits == whole


def test_classes_come_from_a_column_of_the_layer(panel, gates, cells, features, qtbot, monkeypatch):
    offered = []
    monkeypatch.setattr(QInputDialog, "getItem", lambda *given: (offered.extend(given[3]), ("type", True))[1])
    gates.column.click()
    assert offered == []
    assert panel.status.value == "The table has no column of words or few whole numbers."
    cells.features = features.assign(type=np.where(features["area"] > 3, "T", "B"))
    qtbot.wait_until(lambda: "type" in panel.cells.cells.features)
    gates.column.click()
    assert offered == ["type"]
    assert labels_of(panel, "T") == set(features.query("area > 3")["label"])
    assert panel.status.value == '60 cells classed by "type": 2 classes have cells now.'


def test_two_layers_have_bounds_of_their_own(panel, gates, cells, features, viewer, labels, qtbot):
    shifted = features.assign(area=features["area"] + 10)
    second = viewer.add_labels(labels, name="second", features=shifted)
    panel.cells.layers.value = [cells, second]
    qtbot.wait_until(lambda: gates.image.isVisible())
    gates.presenter.draw("rectangle", np.array([[3.0, -20.0], [9.5, 20.0]]))
    gates.name.setText("large")
    gates.add.click()
    first = set(features.query("3 <= area <= 9.5")["label"])
    assert not gates.share.isVisible()
    gates.image.setCurrentText("second")
    gates.image.activated.emit(0)
    gates.presenter.drag(None, (10.0, 0.0))
    gates.presenter.drop()
    assert gates.current.value.endswith('In "second" it has bounds of its own.')
    keys = panel.session.cell_index.keys(panel.session.classes.members("large"))
    assert set(keys) == {(name, 0, label) for name in ("cells", "second") for label in first}
    assert gates.share.isVisible()
    gates.grab()


def test_a_class_written_into_the_layer_comes_back_from_its_column(panel, gates, mapped, features, qtbot):
    gates.presenter.draw("rectangle", np.array([[3.0, -20.0], [20.0, 20.0]]))
    gates.presenter.add("large")
    write_features(panel.session, panel.session.runs.current, panel.cells.chosen())
    qtbot.wait_until(lambda: "class" in panel.cells.cells.features)
    gates.presenter.remove()
    assert len(panel.session.classes) == 0
    gates.columns.make("class")
    assert panel.session.classes.names == ("large",)
    assert labels_of(panel, "large") == set(features.query("area >= 3")["label"])
    assert panel.status.value.endswith(f"{60 - len(labels_of(panel, 'large'))} cells without a value left as before.")
