"""Classes from a column of the table, and the messages about them."""

from collections.abc import Callable, Sequence
from typing import Protocol

from latentmap.session import Session
from latentmap.session.column_classes import class_columns, classes_from_column
from latentmap.session.wording import counted
from latentmap.table import CellTable

NO_COLUMNS = "The table has no column of words or few whole numbers."


class ColumnClassView(Protocol):
    """A list of columns."""

    def offer_columns(self, names: Sequence[str]) -> None:
        """Let the user choose one of these columns."""


class ColumnClassPresenter:
    """Makes classes of the values in a column.

    Parameters
    ----------
    session : Session
    table : callable
        Returns the current cells; None if there are none.
    view : ColumnClassView
    tell : callable
        Shows the user a sentence.
    """

    def __init__(
        self,
        session: Session,
        table: Callable[[], CellTable | None],
        view: ColumnClassView,
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._table, self._view, self._tell = session, table, view, tell

    def offer(self) -> None:
        """Offer the columns whose values can be classes, or say that there is none."""
        table = self._table()
        names = [] if table is None else class_columns(table.features)
        if names:
            self._view.offer_columns(names)
        else:
            self._tell(NO_COLUMNS)

    def make(self, name: str) -> None:
        """Make classes of the values in a column; dropped cells stay as they are."""
        table = self._table()
        if table is None:
            self._tell(NO_COLUMNS)
            return
        session = self._session
        dropped = session.dropped.is_dropped(session.cell_index.add(table.features.index))
        features = table.features[~dropped]
        try:
            without = classes_from_column(session.classes, session.cell_index, features, name)
        except ValueError as error:
            self._tell(str(error))
            return
        n_classes = sum(len(session.classes.members(one.name)) > 0 for one in session.classes)
        classes = "1 class has" if n_classes == 1 else f"{n_classes} classes have"
        stay = f" {counted(without, 'cell')} without a value left as before." if without else ""
        self._tell(f'{counted(len(features) - without, "cell")} classed by "{name}": {classes} cells now.{stay}')
