import numpy as np
import pytest

from latentmap import DataWarning
from latentmap.session import CellIndex, Selection, SelectionStep

KEYS = [("cells", 0, 3), ("cells", 0, 7), ("cells", 1, 3), ("nuclei", 0, 3)]


@pytest.fixture
def heard():
    return []


@pytest.fixture
def cell_index():
    cell_index = CellIndex()
    cell_index.add(KEYS)
    return cell_index


@pytest.fixture
def selection(cell_index, heard):
    selection = Selection(cell_index)
    selection.changed.connect(lambda added, removed: heard.append((added.tolist(), removed.tolist())))
    return selection


def test_replacing_is_one_event_that_says_what_happened(selection, heard):
    selection.select([0, 1])
    selection.select([2, 1])
    assert heard == [([0, 1], []), ([2], [0])]
    assert selection.numbers.tolist() == [1, 2]
    assert selection.keys.tolist() == KEYS[1:3]


def test_replacing_by_the_same_says_nothing(selection, heard):
    selection.select([0, 1])
    selection.select([1, 0, 1])
    assert len(heard) == 1
    assert selection.can_undo
    selection.undo()
    assert not selection.can_undo


def test_clearing(selection, heard):
    selection.select([0, 1])
    selection.clear()
    assert heard[1] == ([], [0, 1])
    assert selection.story == ()


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("replace", [1, 2]), ("add", [0, 1, 2]), ("subtract", [0]), ("intersect", [1])],
)
def test_modes(selection, mode, expected):
    selection.select([0, 1])
    selection.select([2, 1], mode)
    assert selection.numbers.tolist() == expected


def test_inverting(selection):
    selection.select([1, 3])
    selection.invert([0, 1, 2])
    assert selection.numbers.tolist() == [0, 2]


def test_modes_are_those_of_sets_whatever_comes(cell_index):
    rng = np.random.default_rng(0)
    cell_index.add([("more", 0, label) for label in range(40)])
    selection, known = Selection(cell_index), set()
    states = [set()]
    operations = {
        "replace": lambda a, b: b,
        "add": set.union,
        "subtract": set.difference,
        "intersect": set.intersection,
    }
    for _ in range(300):
        chosen, mode = rng.integers(0, 44, rng.integers(0, 30)), rng.choice(list(operations))
        selection.select(chosen, mode)
        known = operations[mode](known, set(chosen.tolist()))
        assert set(selection.numbers.tolist()) == known
        np.testing.assert_array_equal(np.flatnonzero(selection.is_selected(np.arange(44))), sorted(known))
        if known != states[-1]:
            states.append(known)
    for expected in reversed(states[-50:-1]):
        selection.undo()
        assert set(selection.numbers.tolist()) == expected


def test_keys_that_nobody_knows_are_passed_over(selection):
    with pytest.warns(DataWarning, match='1 of 2 cells are unknown here, such as label 1 of "elsewhere"'):
        selection.select_keys([KEYS[3], ("elsewhere", 0, 1)])
    assert selection.keys.tolist() == [KEYS[3]]


@pytest.mark.parametrize(
    ("keys", "named"),
    [([1, 2], "1"), (["nuclei"], "'nuclei'"), (("nuclei", 0, 3), "'nuclei'"), ([("nuclei", 3)], r"\('nuclei', 3\)")],
)
def test_what_names_no_cell_is_refused_in_words(selection, keys, named):
    with pytest.raises(ValueError, match=f"^{named} is not a cell: give a list of cells, each by its layer, frame"):
        selection.select_keys(keys)


def test_rows_that_are_no_cell_are_not_selected(selection):
    selection.select([3])
    assert selection.is_selected(np.array([-1, 3, 0])).tolist() == [False, True, False]


def test_undo_and_redo(selection, heard):
    selection.select([0])
    selection.select([1], "add")
    selection.undo()
    selection.undo()
    selection.undo()
    assert not len(selection)
    selection.redo()
    selection.redo()
    selection.redo()
    assert selection.numbers.tolist() == [0, 1]
    assert heard[2:] == [([], [1]), ([], [0]), ([0], []), ([1], [])]
    selection.undo()
    selection.select([2])
    assert not selection.can_redo


def test_the_story_begins_where_the_selection_was_begun_anew(selection):
    selection.select([0, 1, 2], how="lasso on the map")
    selection.select([3], how="click in the image")
    selection.select([0, 1], "add", how="lasso on the map")
    assert selection.story == (
        SelectionStep("replace", "click in the image", 1, 1),
        SelectionStep("add", "lasso on the map", 2, 3),
    )
    selection.undo()
    assert len(selection.story) == 1


def test_what_is_forgotten_does_not_come_back(selection, heard):
    selection.select([0, 1])
    selection.select([2])
    selection.discard_cells([1, 2])
    assert heard[-1] == ([], [2])
    selection.undo()
    assert selection.numbers.tolist() == [0]


def test_a_change_from_within_settles_and_every_view_sees_it_in_order(cell_index):
    selection, first, second = Selection(cell_index), [], []

    def only_frame_0(added, removed):
        first.append((added.tolist(), removed.tolist()))
        selection.select_keys([key for key in selection.keys if key[1] == 0])

    selection.changed.connect(only_frame_0)
    selection.changed.connect(lambda added, removed: second.append((added.tolist(), removed.tolist())))
    selection.select([2])
    assert not len(selection)
    assert first == second == [([2], []), ([], [2])]
