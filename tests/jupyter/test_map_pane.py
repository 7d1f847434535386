import numpy as np
import pandas as pd
import pytest

from latentmap.display.group_names import GroupName
from latentmap.display.thinning import POINTS_DURING_RUN
from latentmap.jupyter.map_controller import MapController, as_colour_codes
from latentmap.jupyter.map_pane import MapPane
from latentmap.samples.tissue import tissue
from latentmap.session import ColourGroups, ColourScale
from latentmap.table import CellTable

FLAT = [[1, 0], [0, 1]]


@pytest.fixture
def pane():
    pane = MapPane()
    yield pane
    pane.close()


def draw(pane, n=9):
    pane.draw(np.zeros((n, 2)), np.zeros(n, dtype=int), np.ones((2, 4)), None)


def test_it_is_busy_while_the_browser_is_far_behind(pane):
    assert not pane.is_busy
    while not pane.is_busy:
        draw(pane)
    ahead = pane.frame
    assert ahead > 4, "The browser says it of every fourth frame only."
    pane._receive(pane, {"kind": "shown", "frame": 4}, [])
    assert not pane.is_busy
    for _ in range(4):
        draw(pane)
    assert pane.is_busy
    pane._receive(pane, {"kind": "shown", "frame": ahead}, [])
    assert not pane.is_busy


def test_a_selection_sends_a_bit_for_each_point(pane):
    draw(pane, 100)
    selected = np.arange(100) % 3 == 0
    pane.mark(selected, np.zeros(100, dtype=bool))
    assert len(pane.selected) == 13
    np.testing.assert_array_equal(np.unpackbits(np.frombuffer(pane.selected, np.uint8))[:100], selected)
    assert pane.hidden == b""


def test_colours_of_a_scale_and_gaps():
    codes, palette = as_colour_codes(ColourScale("area", np.array([0.0, 0.5, 1.0, np.nan]), 0, 10))
    assert (np.diff(palette[codes][:3, :3].sum(axis=1)) > 0).all()
    np.testing.assert_allclose(palette[codes][3], [0.45, 0.45, 0.45, 1])


def test_no_groups_yet():
    codes, palette = as_colour_codes(ColourGroups("class", np.array([-1, -1]), (), ()))
    np.testing.assert_allclose(palette[codes], [[0.45, 0.45, 0.45, 1]] * 2)


@pytest.fixture
def shown():
    cells = tissue().cells
    n = len(cells.features)
    shown = MapController(cells, np.arange(n) + 100, (0, 1))
    embedding = np.random.default_rng(0).normal(size=(n, 2))
    shown.set_positions(embedding, np.ones(n))
    shown.draw(ColourScale("variance", np.linspace(0, 1, n), 0, 1), None)
    yield shown, embedding
    shown.close()


def test_a_loop_takes_the_cells_within_and_none_that_is_hidden(shown):
    shown, embedding = shown
    told = []
    shown.chosen.connect(lambda *what: told.append(what))
    corners = [[0, -1], [1, -1], [1, 1], [0, 1]]
    shown.pane._receive(
        None, {"kind": "drawn", "frame": 1, "corners": corners, "turn": FLAT, "tool": "lasso", "mode": "add"}, []
    )
    low, high = embedding[:, 0].min(), embedding[:, 0].max()
    right = np.flatnonzero(embedding[:, 0] > (low + high) / 2) + 100
    ((numbers, mode, how),) = told
    assert numbers.tolist() == right.tolist()
    assert (mode, how) == ("add", "lasso on the map")
    hidden = np.zeros(len(embedding), dtype=bool)
    hidden[right[0] - 100] = True
    shown.mark(np.zeros_like(hidden), hidden)
    shown.pane._receive(
        None, {"kind": "drawn", "frame": 1, "corners": corners, "turn": FLAT, "tool": "lasso", "mode": "replace"}, []
    )
    assert told[-1][0].tolist() == right[1:].tolist()


def test_a_brush_takes_the_cells_that_it_touches(shown):
    shown, _ = shown
    told = []
    shown.chosen.connect(lambda *what: told.append(what))
    places = np.frombuffer(shown.pane.places, dtype="<f4").reshape(-1, 2)
    distances = np.linalg.norm(places - places[7], axis=1)
    radius = float(np.sort(distances)[20:22].mean())
    stroke = {
        "kind": "drawn",
        "frame": 1,
        "corners": [places[7].tolist()],
        "turn": FLAT,
        "tool": "brush",
        "radius": radius,
    }
    shown.pane._receive(None, {**stroke, "mode": "replace"}, [])
    ((numbers, _, how),) = told
    assert numbers.tolist() == (np.flatnonzero(distances < radius) + 100).tolist()
    assert how == "brush on the map"


def test_a_click_beside_all_points_takes_the_selection_back(shown):
    shown, _ = shown
    told = []
    shown.chosen.connect(lambda numbers, mode, how: told.append((numbers.tolist(), mode)))
    for row, mode in ((5, "replace"), (-1, "add"), (-1, "replace")):
        shown.pane._receive(None, {"kind": "clicked", "row": row, "frame": 1, "mode": mode}, [])
    assert told == [([105], "replace"), ([], "replace")]


def test_a_loop_on_a_turned_map_of_three_axes(shown):
    shown, embedding = shown
    n = len(embedding)
    deep = np.random.default_rng(1).uniform(-1, 1, (n, 3))
    shown.begin(shown.cells, shown.numbers, (0, 1, 2))
    shown.set_positions(deep, np.ones(n))
    shown.draw(ColourScale("variance", np.linspace(0, 1, n), 0, 1), None)
    assert shown.pane.axes == 3
    told = []
    shown.chosen.connect(lambda *what: told.append(what))
    # Seen from the right: what is away lies to the right.
    turn = [[0, 0, -1], [0, 1, 0]]
    corners = [[0, -1], [1, -1], [1, 1], [0, 1]]
    shown.pane._receive(
        None, {"kind": "drawn", "frame": 2, "corners": corners, "turn": turn, "tool": "lasso", "mode": "add"}, []
    )
    middle = (deep[:, 2].min() + deep[:, 2].max()) / 2
    assert told[0][0].tolist() == (np.flatnonzero(deep[:, 2] > middle) + 100).tolist()


def test_a_loop_on_a_map_that_was_replaced_takes_no_cell_of_the_next(shown):
    """A kernel that is at work reads only afterwards what was drawn on the map before."""
    shown, embedding = shown
    told = []
    shown.chosen.connect(lambda *what: told.append(what))
    everywhere = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    loop = {"kind": "drawn", "frame": 1, "corners": everywhere, "tool": "lasso", "mode": "replace"}
    shown.begin(shown.cells, shown.numbers[::-1], (1, 0))
    shown.set_positions(embedding, np.ones(len(embedding)))
    shown.pane._receive(None, {**loop, "turn": FLAT}, [])
    shown.draw(ColourScale("variance", np.linspace(0, 1, len(embedding)), 0, 1), None)
    for turn in (FLAT, [[1, 0, 0], [0, 1, 0]]):  # on two axes, or on three
        shown.pane._receive(None, {**loop, "turn": turn}, [])
    assert told == []
    shown.pane._receive(None, {**loop, "frame": 2, "turn": FLAT}, [])
    assert len(told) == 1


def test_while_a_run_is_at_work_few_points_are_drawn_and_a_loop_takes_all():
    n = POINTS_DURING_RUN + 1000
    rows = pd.DataFrame({"label": np.arange(1, n + 1), "area": 1.0})
    shown = MapController(CellTable.read(rows, layer="cells"), np.arange(n) + 100, (0, 1))
    places, told = np.random.default_rng(0).normal(size=(n, 2)), []
    scale = ColourScale("variance", np.linspace(0, 1, n), 0, 1)
    shown.chosen.connect(lambda numbers, mode, how: told.append(numbers.tolist()))
    shown.limit_points(True)
    shown.set_positions(places, np.ones(n))
    shown.draw(scale, np.linspace(0, 1, n))
    assert {len(shown.pane.places) // 8, len(shown.pane.codes) // 2, len(shown.pane.shares)} == {POINTS_DURING_RUN}
    large = shown.pane.size
    everywhere = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    loop = {"kind": "drawn", "frame": 1, "corners": everywhere, "turn": FLAT, "tool": "lasso", "mode": "replace"}
    shown.pane._receive(None, loop, [])
    assert len(told[-1]) == n
    shown.pane._receive(None, {"kind": "clicked", "row": POINTS_DURING_RUN - 1, "frame": 1, "mode": "replace"}, [])
    (one,) = told[-1]
    drawn = np.frombuffer(shown.pane.places, "<f4").reshape(-1, 2)[POINTS_DURING_RUN - 1]
    np.testing.assert_allclose(shown._positions[one - 100], drawn, atol=1e-6)
    shown.limit_points(False)
    shown.draw(scale, None)
    assert len(shown.pane.places) // 8 == n
    assert shown.pane.size < large
    # The browser has told of a row that was another cell's in the frame before.
    shown.pane._receive(None, {"kind": "clicked", "row": POINTS_DURING_RUN - 1, "frame": 1, "mode": "replace"}, [])
    assert told[-1] == [one]
    shown.pane._receive(None, {"kind": "clicked", "row": 7, "frame": 2, "mode": "replace"}, [])
    assert told[-1] == [107]
    shown.close()


def test_names_stand_where_the_cells_are_drawn(shown):
    shown, _ = shown
    shown.name([GroupName("B", shown.positions[7])])
    (name,) = shown.pane.names
    drawn = np.frombuffer(shown.pane.places, "<f4").reshape(-1, 2)
    assert name["text"] == "B"
    np.testing.assert_allclose(name["place"], drawn[7], atol=1e-4)
