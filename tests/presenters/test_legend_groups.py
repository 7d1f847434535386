"""What a click on the legend selects."""

import numpy as np
import pandas as pd
import pytest

from latentmap.presenters.colours import ColourPresenter, joint_legend
from latentmap.session import VARIANCE, ColourBy, ColourGroups, ColourScale
from latentmap.table import CellTable


@pytest.fixture
def colours(session, view):
    presenter = ColourPresenter(session, view)
    yield presenter
    presenter.close()


def test_a_group_of_the_legend_is_selected(colours, session, embed):
    run = embed()
    session.display_settings.colour_by = ColourBy("class")
    session.classes.assign("stroma", run.numbers[3:9])
    session.classes.assign("gland", run.numbers[20:25])
    colours.select_group("stroma")
    np.testing.assert_array_equal(session.selection.numbers, run.numbers[3:9])
    assert session.selection.story[-1].how == 'class "stroma"'
    colours.select_group("gland", "add")
    np.testing.assert_array_equal(session.selection.numbers, np.r_[run.numbers[3:9], run.numbers[20:25]])
    colours.select_group("stroma", "subtract")
    np.testing.assert_array_equal(session.selection.numbers, run.numbers[20:25])


def test_the_cells_of_an_image_are_selected(colours, session, calls):
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["area", "DNA", "actin"])
    rows = rows.assign(label=np.arange(60) % 30 + 1, layer=np.repeat(["field 1", "field 2"], 30))
    session.parameters.features = ("area", "DNA", "actin")
    session.embed(CellTable.read(rows, layer="field 1"))
    calls.until(lambda: not session.runs.running)
    session.display_settings.colour_by = ColourBy("layer")
    colours.select_group("field 2")
    assert session.selection.keys.tolist() == [("field 2", 0, label) for label in range(1, 31)]


def test_only_cells_on_the_map_are_selected(colours, session, embed, cells, calls):
    everyone = embed().numbers
    session.classes.assign("stroma", everyone[50:150])
    session.display_settings.colour_by = ColourBy("class")
    session.embed(cells, only=everyone[:100])
    calls.until(lambda: not session.runs.running)
    colours.select_group("stroma")
    np.testing.assert_array_equal(session.selection.numbers, everyone[50:100])


def test_cells_that_are_dropped_stay_out(colours, session, embed):
    numbers = embed().numbers
    session.classes.assign("stroma", numbers[3:9])
    session.dropped.drop(numbers[5:20])
    session.display_settings.colour_by = ColourBy("class")
    colours.select_group("stroma")
    np.testing.assert_array_equal(session.selection.numbers, numbers[3:5])


def test_nothing_is_selected_without_a_map_or_by_another_name(colours, session, embed):
    colours.select_group("stroma")
    embed()
    session.selection.select([1, 2])
    colours.select_group("stroma")
    session.display_settings.colour_by = ColourBy("class")
    colours.select_group("stroma")
    assert set(session.selection.numbers) == {1, 2}


def test_a_class_is_renamed_but_no_value_of_a_column(session, view, embed, told):
    colours = ColourPresenter(session, view, told.append)
    session.classes.assign("stroma", embed().numbers[3:9])
    session.classes.assign("gland", [2])
    colours.choose(VARIANCE)
    colours.rename_group("stroma", "connective tissue")
    assert session.classes.names == ("stroma", "gland")  # coloured by variance
    session.display_settings.colour_by = ColourBy("class")
    assert "rename" in colours.group_help
    colours.rename_group("stroma", "connective tissue")
    assert session.classes.names == ("connective tissue", "gland")
    colours.rename_group("connective tissue", "gland")
    assert session.classes.names == ("connective tissue", "gland")
    assert told == ['There is a class "gland" already: choose another name.']
    session.display_settings.colour_by = ColourBy("layer")
    assert colours.group_help.endswith('The names are those in "layer": they cannot be changed here.')
    assert not colours.can_rename
    colours.close()


def grouped(names, title="type"):
    colours = {"B": "#ff0000", "NK": "#00ff00", "T": "#0000ff"}
    return ColourGroups(title, np.arange(len(names)), tuple(names), tuple(colours[name] for name in names))


def scale(low, high, title="area"):
    return ColourScale(title, np.array([0.0, 1.0]), low, high)


def test_one_legend_has_the_groups_of_all_maps():
    meant, others = joint_legend([("all", grouped(["B", "T"])), ("some", grouped(["NK", "T"]))])
    assert (meant.names, meant.colours) == (("B", "T", "NK"), ("#ff0000", "#0000ff", "#00ff00"))
    assert not others


def test_the_legend_says_where_another_map_has_another_scale():
    assert joint_legend([("all", scale(1, 5)), ("some", scale(1, 5))])[1] == []
    meant, others = joint_legend([("all", scale(1, 5)), ("some", scale(2, 3)), ("more", scale(0, 1, "variance (σ²)"))])
    assert (meant.low, meant.high) == (1, 5)
    assert others == ["some: 2 to 3", "more: variance (σ²), 0 to 1"]


def test_groups_are_listed_also_if_the_first_map_has_a_scale():
    meant, others = joint_legend([("first", scale(0, 1)), ("second", grouped(["B"]))])
    assert meant.names == ("B",)
    assert others == ["first: area, 0 to 1"]
    assert joint_legend([]) == (None, [])


def test_a_group_of_another_map_has_no_cells_on_this_one(session, view, cells, calls, embed):
    told = []
    presenter = ColourPresenter(session, view, told.append)
    embed()
    session.display_settings.colour_by = ColourBy("feature", "area")
    presenter.select_group("NK")
    assert told == ['No cell of the current map is in "NK": click the other map in the table of maps first.']
    presenter.close()
