import numpy as np
import pytest

from latentmap.session import CellIndex, Classes, SelectionStep
from latentmap.session.palette import next_colour


@pytest.fixture
def cell_index():
    cell_index = CellIndex()
    cell_index.add([("cells", 0, label) for label in range(6)])
    return cell_index


@pytest.fixture
def classes(cell_index):
    return Classes(cell_index)


def test_a_cell_is_in_one_class_or_in_none(classes):
    classes.assign("B", [0, 1, 2])
    classes.assign("T", [2, 3])
    assert classes.members("B").tolist() == [0, 1]
    assert classes.members("T").tolist() == [2, 3]
    classes.unassign([3])
    assert classes.names_of(np.array([0, 2, 3, 5, -1])).tolist() == ["B", "T", "", "", ""]


def test_cells_that_come_later_are_in_no_class_and_can_join(cell_index, classes):
    classes.assign("B", [0])
    late = cell_index.add([("cells", 1, 0)])
    assert classes.indices_of(late).tolist() == [-1]
    classes.assign("B", late)
    assert classes.members("B").tolist() == [0, 6]


def test_deleting_a_class_leaves_the_others_their_cells(classes):
    for number, name in enumerate("ABC"):
        classes.assign(name, [number])
    classes.delete("B")
    assert classes.names == ("A", "C")
    assert classes.names_of(np.arange(3)).tolist() == ["A", "", "C"]
    assert len({one.colour for one in classes} | {next_colour([one.colour for one in classes])}) == 3


def test_renaming_and_recolouring(classes):
    classes.assign("A", [0])
    classes.assign("B", [1])
    classes.rename("A", " B cells ")
    classes.recolour("B cells", "#102030")
    assert classes["B cells"].colour == "#102030"
    assert classes.members("B cells").tolist() == [0]
    with pytest.raises(ValueError, match='"B" already'):
        classes.rename("B cells", "B")
    with pytest.raises(ValueError, match='no class "A"'):
        classes.delete("A")
    with pytest.raises(ValueError, match="needs a name"):
        classes.assign("  ", [0])


def test_a_class_knows_how_its_cells_were_selected(classes):
    story = (SelectionStep("replace", "lasso on the map", 2, 2),)
    classes.assign("A", [0, 1], story)
    assert classes["A"].story == story


def test_every_change_is_told_once(classes):
    heard = []
    classes.changed.connect(lambda: heard.append(classes.names))
    classes.assign("A", [0])
    classes.rename("A", "B")
    classes.recolour("B", "#000000")
    classes.unassign([0])
    classes.delete("B")
    assert heard == [("A",), ("B",), ("B",), ("B",), ()]


def test_colours_differ_however_many_there_are():
    colours = []
    for _ in range(40):
        colours.append(next_colour(colours))
    assert len(set(colours)) == 40
    assert all(len(colour) == 7 and colour[0] == "#" for colour in colours)
