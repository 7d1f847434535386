import itertools
import time
import weakref

import numpy as np
import pandas as pd
import pytest
from leftovers import wait_until_gone
from qtpy.QtCore import QPoint, Qt

from latentmap.napari_plugin.panel.distinctive_section import DistinctiveSection
from latentmap.presenters import distinctive
from latentmap.presenters.distinctive import SHOWN
from latentmap.session import Session

N_CELLS = 200


@pytest.fixture
def session():
    session = Session(lambda function: function())
    # The first two are not on the map.
    session.cell_index.add([("cells", 0, label) for label in range(1, N_CELLS + 3)])
    return session


@pytest.fixture
def features():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(N_CELLS, 8)), columns=list("abcdefgh"))
    table.loc[:19, "f"] += 5
    table["type"] = ["B"] * 20 + ["T"] * (N_CELLS - 20)
    return table


@pytest.fixture
def numbers():
    return np.arange(2, N_CELLS + 2)


@pytest.fixture
def section(qtbot, session, features, numbers):
    section = DistinctiveSection(session.selection, lambda: (features, numbers))
    qtbot.addWidget(section)
    section.resize(340, 240)
    section.show()
    return section


@pytest.fixture
def settle(qtbot, section):
    return lambda: qtbot.wait_until(lambda: not section.waiting)


def test_without_a_selection_it_says_what_to_do(section, session, settle, numbers):
    assert section.headline.text().startswith("Select cells")
    assert not any(row.isVisible() for row in section.rows)
    session.selection.select(numbers)
    settle()
    assert section.headline.text() == "All cells are selected: there are no others to compare them with."
    session.selection.select([0, 1])
    settle()
    assert section.headline.text().startswith("Select cells")


def test_without_a_map_it_says_so(qtbot, session):
    section = DistinctiveSection(session.selection, lambda: None)
    qtbot.addWidget(section)
    session.selection.select([3])
    assert "once there is a map" in section.headline.text()


def test_the_most_special_features_are_shown_with_their_numbers(section, session, settle, numbers):
    session.selection.select([0, *numbers[:20]])
    settle()
    assert section.headline.text() == "What is special about these 20 of 200 cells:"
    assert sum(row.isVisible() for row in section.rows) == SHOWN
    assert {row.difference.name for row in section.rows[:2]} == {"f", "type"}
    row = next(row for row in section.rows if row.difference.name == "f")
    assert "f: median" in row.toolTip()
    assert "of 20 chosen cells" in row.toolTip()
    assert "of 180 other cells" in row.toolTip()
    session.selection.clear()
    settle()
    assert not any(row.isVisible() for row in section.rows)


def test_a_click_tells_the_feature(qtbot, section, session, settle, numbers):
    clicked = []
    section.feature_clicked.connect(clicked.append)
    session.selection.select(numbers[:20])
    settle()
    for row in section.rows[:2]:
        qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    section.rows[2].setFocus()
    qtbot.keyClick(section.rows[2], Qt.Key.Key_Space)
    assert clicked == [row.difference.name for row in section.rows[:3]]


def test_the_plot_shows_the_selected_cells_beside_the_others(section, session, settle, numbers):
    session.selection.select(numbers[:20])
    settle()
    row = next(row for row in section.rows if row.difference.name == "f")
    picture = row.grab().toImage()
    left, right, bottom = picture.width() - 74, picture.width() - 10, picture.height() - 6

    def is_orange(x):
        colour = picture.pixelColor(QPoint(x, bottom))
        return colour.red() - colour.blue() > 40

    # The others are low, to the left; the selected ones high, to the right.
    orange = [is_orange(x) for x in range(left, right)]
    assert not any(orange[:20])
    assert sum(orange[-25:]) > 8
    background = picture.pixelColor(QPoint(left - 10, bottom))
    grey = [picture.pixelColor(QPoint(x, bottom)) != background for x in range(left, left + 35)]
    assert sum(grey) > 15


def test_many_changes_in_quick_succession_are_answered_once(monkeypatch, qtbot, section, session, settle, numbers):
    compared = []
    whole = distinctive.feature_differences
    monkeypatch.setattr(distinctive, "feature_differences", lambda *given: compared.append(1) or whole(*given))
    for count in range(1, 100):
        session.selection.select(numbers[:count])
    settle()
    assert len(compared) == 1
    assert section.headline.text() == "What is special about these 99 of 200 cells:"


def test_a_selection_that_keeps_changing_is_answered_in_the_meantime(qtbot, section, session, numbers):
    shown, counts, deadline = set(), itertools.cycle(range(1, 120)), time.monotonic() + 60
    while len(shown) < 4:
        assert time.monotonic() < deadline
        session.selection.select(numbers[: next(counts)])
        qtbot.wait(5)
        shown.add(section.headline.text())


def test_a_map_of_other_cells_is_taken_up_when_told(section, session, features, numbers, settle):
    session.selection.select(numbers[:20])
    settle()
    features.drop(index=features.index[50:], inplace=True)
    del features["f"]
    section._presenter._cells = lambda: (features, numbers[:50])
    section.refresh()
    settle()
    assert section.headline.text() == "What is special about these 20 of 50 cells:"
    assert "f" not in [row.difference.name for row in section.rows if row.isVisible()]


def test_it_can_be_closed_while_it_works_and_is_let_go_of(qtbot, session, features, numbers):
    section = DistinctiveSection(session.selection, lambda: (features, numbers))
    session.selection.select(numbers[:20])
    section.refresh()
    assert section.waiting
    gone = weakref.ref(section)
    section.deleteLater()
    del section
    wait_until_gone(qtbot, [gone])
    session.selection.select(numbers[:30])
    qtbot.wait(100)
