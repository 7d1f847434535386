"""More cells like those selected, as every front end finds them."""

from dataclasses import replace

import numpy as np
import pytest

from latentmap.images.crops import Crops
from latentmap.presenters.more_cells import MoreCellsPresenter
from latentmap.samples.tissue import tissue
from latentmap.session.more_cells import most_alike


@pytest.fixture
def presenter(session, view, calls, told):
    presenter = MoreCellsPresenter(session, view, calls.put, told.append)
    crops = Crops(tissue().labels)
    presenter.crops_of = {"cells": crops}.get
    yield presenter
    presenter.stop()


@pytest.fixture
def find(presenter, calls):
    def find(way, count=0):
        presenter.find(way, count)
        calls.until(lambda: not presenter.running)

    return find


def test_as_many_as_are_selected_join_them_in_a_step_that_can_be_undone(session, view, embed, find, told):
    run = embed()
    assert view.last("show_more") is False
    session.selection.select([3, 8, 200], how="lasso on the map")
    assert view.last("show_more") is True
    session.dropped.drop([10])
    find("alike")
    assert len(session.selection) == 6
    open_cells = np.arange(313) != 10
    chosen = np.isin(np.arange(313), [3, 8, 200])
    assert set(most_alike(run.result, chosen, open_cells, 3)) == {*session.selection.numbers} - {3, 8, 200}
    assert [step.how for step in session.selection.story] == [
        "lasso on the map",
        "3 cells most like the selection by the features of the map",
    ]
    assert told[-1].startswith("3 cells added: most like the selection")
    find("near", 20)
    assert len(session.selection) == 26
    assert session.selection.story[-1].how == "20 cells nearest to the selection in the image"
    session.selection.undo()
    session.selection.undo()
    assert session.selection.numbers.tolist() == [3, 8, 200]


def test_when_there_is_nothing_to_find_a_sentence_says_so(session, presenter, embed, find, calls, told):
    presenter.find("alike", 3)  # without a map nothing happens
    assert told == []
    run = embed()
    find("alike", 3)
    assert "None of the selected cells is on this map" in told[-1]
    session.selection.select([0, 1])
    find("alike", 1000)
    assert len(session.selection) == 313
    assert "Only these are left; 1000 were asked for." in told[-1]
    find("near")
    assert told[-1].startswith("There are no more cells to add")
    presenter.crops_of = lambda _: None
    cells = run.result.cells
    placeless = cells.features.drop(columns=[name for name in cells.features if name.startswith("centroid")])
    run.result = replace(run.result, cells=replace(cells, features=placeless))
    session.selection.select([0])
    find("near")
    assert told[-1].startswith("Where these cells lie is not known")
    presenter.find("alike", 5)
    session.selection.select([7])
    calls.until(lambda: not presenter.running)
    assert session.selection.numbers.tolist() == [7]
    assert "changed meanwhile" in told[-1]
