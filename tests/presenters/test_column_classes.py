"""Classes from a column of the table: what is offered, and what is said of it."""

import pandas as pd
import pytest

from latentmap.presenters.column_classes import NO_COLUMNS, ColumnClassPresenter
from latentmap.table import CellTable


@pytest.fixture
def columns(session, view, told):
    """Make the presenter of a table with these columns, or of none."""

    def make(**features):
        rows = pd.DataFrame(features)
        table = CellTable.read(rows.assign(label=range(1, len(rows) + 1)), layer="cells") if features else None
        return ColumnClassPresenter(session, lambda: table, view, told.append)

    return make


@pytest.mark.parametrize("features", [{}, {"area": [1.5, 2.5], "DNA": [3.5, 4.5]}])
def test_where_no_column_can_be_classes_it_is_said(columns, view, told, features):
    columns(**features).offer()
    assert told == [NO_COLUMNS]
    assert view.all("offer_columns") == []


def test_words_and_few_whole_numbers_are_offered(columns, view, told):
    columns(area=[1.5, 2.5], kind=["T", "B"], cluster=[1, 2]).offer()
    assert view.last("offer_columns") == ["kind", "cluster"]
    assert told == []


def test_without_a_table_no_classes_are_made(columns, session, told):
    columns().make("kind")
    assert told == [NO_COLUMNS]
    assert len(session.classes) == 0


def test_classes_are_counted_and_so_are_cells_without_a_value(columns, session, told):
    columns(kind=["T", "B", None, "T"]).make("kind")
    assert told[-1] == ('3 cells classed by "kind": 2 classes have cells now. 1 cell without a value left as before.')
    assert session.classes.names == ("B", "T")


def test_dropped_cells_stay_without_a_class(columns, session, told):
    made = columns(kind=["T", "B", "T"])
    session.dropped.drop(session.cell_index.add([("cells", 0, 2)]))
    made.make("kind")
    assert told[-1] == '2 cells classed by "kind": 1 class has cells now.'
    assert session.classes.names == ("T",)


@pytest.mark.parametrize(
    ("name", "said"),
    [("other", 'The cells have no column "other".'), ("area", 'The values of "area" are no classes')],
)
def test_a_column_that_is_none_or_holds_a_measurement_is_refused(columns, session, told, name, said):
    columns(area=[1.5, 2.5]).make(name)
    assert told[-1].startswith(said)
    assert len(session.classes) == 0
