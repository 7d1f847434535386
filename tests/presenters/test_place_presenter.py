"""Cells placed on a finished map, as every front end does it."""

import numpy as np
import pandas as pd
import pytest

from latentmap.presenters.placing import PlacePresenter, save_placed
from latentmap.table import CellTable


@pytest.fixture
def presenter(session, view, calls, told):
    presenter = PlacePresenter(session, view, calls.put, told.append)
    yield presenter
    presenter.stop()


def place(presenter, calls, table, shows=True):
    shown = []

    def show(run, placed):
        shown.append((run, placed))
        if isinstance(shows, Exception):
            raise shows
        return shows

    presenter.place("others", lambda: table, show)
    calls.until(lambda: not presenter.running)
    return shown


def test_there_must_be_a_map_and_no_run(presenter, session, view, calls, embed, cells):
    presenter.refresh()
    assert view.last("show_place") == (False, False)
    presenter.place("others", lambda: cells, lambda *_: True)
    assert not presenter.running
    embed()
    assert view.last("show_place") == (True, True)
    session.parameters.random_state = 1
    session.embed(cells)
    assert view.last("show_place") == (True, False)
    calls.until(lambda: not session.runs.running)
    assert view.last("show_place") == (True, True)


def test_cells_of_the_map_lie_where_they_lay(presenter, view, calls, told, embed, cells):
    run = embed()
    ((shown, placed),) = place(presenter, calls, cells)
    assert shown is run
    np.testing.assert_allclose(placed.features[["map_1", "map_2"]], run.result.embedding)
    assert told[0] == 'Placing the cells of "others" …'
    assert told[-1].startswith(f'313 cells of "others" placed on "{run.name}", in magenta.')
    assert (True, False) in view.all("show_place")
    assert view.last("show_place") == (True, True)
    place(presenter, calls, cells, shows=False)
    assert "in magenta" not in told[-1]


def test_what_cannot_be_placed_or_shown_is_said(presenter, calls, told, embed, cells):
    embed()
    assert place(presenter, calls, CellTable(cells.features.drop(columns="area"))) == []
    assert told[-1].startswith('The table has no feature "area"')
    place(presenter, calls, cells, shows=ValueError("The layer is gone."))
    assert told[-1] == "The layer is gone."

    def read():
        raise FileNotFoundError(2, "No such file or directory")

    presenter.place("others.csv", read, lambda *_: True)
    calls.until(lambda: not presenter.running)
    assert told[-1] == '"others.csv": No such file or directory.'


def test_positions_are_saved(tmp_path):
    with pytest.raises(ValueError, match="No cells have been placed yet"):
        save_placed(None, tmp_path / "map.placed.csv")
    rows = pd.DataFrame({"label": [3], "map_1": [0.5]})
    assert save_placed(rows, tmp_path / "map.placed.csv") == f"Saved 1 cell in {tmp_path / 'map.placed.csv'}."
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "map.placed.csv"), rows)
