"""The session: the one model that both front ends share."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from latentmap.methods import METHODS
from latentmap.session.classes import Classes
from latentmap.session.comparing import Comparing
from latentmap.session.dropped import Dropped
from latentmap.session.job import Post
from latentmap.session.live import Live
from latentmap.session.look import Look
from latentmap.session.parameters import Parameters
from latentmap.session.provenance import sheet
from latentmap.session.register import Register
from latentmap.session.runs import Run, Runs
from latentmap.session.selection import Selection
from latentmap.session.taught import Taught, TaughtClasses, TaughtTriplets
from latentmap.session.wording import counted
from latentmap.table import CellTable, Sheet


class Session:
    """Parameters, cells, selection, classes and runs, without a window.

    Views display and change these, and know nothing of each other.

    Parameters
    ----------
    post : callable
        Schedules a function in the front end's thread.

    Attributes
    ----------
    parameters : Parameters
        The parameters of the next run.
    register : Register
        All cells that the session has met.
    selection : Selection
        The selected cells.
    classes : Classes
        The user's classes of cells.
    dropped : Dropped
        The cells that the user has dropped; they are never selected.
    comparing : Comparing
        What the user says of which cells are more alike, for a method that learns from comparisons.
    look : Look
        How maps are drawn.
    runs : Runs
        The runs kept, and the one under way.
    live : Live
        Live tuning: starts runs when parameters change, if it is switched on.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> session = Session(SimpleQueue().put)
    >>> cells = session.register.enter([("cells", 0, 3), ("cells", 0, 7)])
    >>> session.selection.choose(cells[:1], how="click in the image")
    >>> session.classes.assign("dividing", session.selection.numbers, session.selection.story)
    >>> session.classes["dividing"].story[0].how
    'click in the image'
    """

    def __init__(self, post: Post) -> None:
        self.parameters = Parameters()
        self.register = Register()
        self.selection = Selection(self.register)
        self.classes = Classes(self.register)
        self.dropped = Dropped(self.register)
        self.comparing = Comparing(self.selection)
        self.look = Look()
        self.runs = Runs(self.register, post, self._teach)
        self.live = Live(self.runs, self.parameters, post)
        self.dropped.changed.connect(self._leave_selection)

    def embed(self, table: CellTable, only: Iterable[int] | None = None) -> Run:
        """Start a run with the current parameters.

        Parameters
        ----------
        table : CellTable
            The cells. Dropped cells are left out.
        only : iterable of int, optional
            The numbers of the cells to embed, such as ``selection.numbers``; by default all.

        Returns
        -------
        Run
            The notes of its table say which cells were left out; its name gives the number of cells, if not all.

        Raises
        ------
        ValueError
            If no cell is left.
        """
        table = self.dropped.without(table)
        if only is None:
            return self.runs.start(table, self.parameters)
        table = self._subset(table, np.asarray(only, dtype=np.int64))
        return self.runs.start(table, self.parameters, about=counted(len(table.features), "cell"))

    def sheet(self, run: Run) -> Sheet:
        """Return the table of a map, for `~latentmap.table.write_table`.

        Parameters
        ----------
        run : Run
            A run with a result.

        Returns
        -------
        Sheet
            The table, without cells dropped since. Its record says how many these are, and what was left out before.

        Raises
        ------
        ValueError
            If the run has no map, or all its cells are dropped.
        """
        return sheet(run.finished(), self.classes, self.register, self.dropped)

    def close(self) -> None:
        """Disconnect all views, and drop the run under way."""
        self.live.close()
        for source in (
            self.selection.changed,
            self.selection.chosen,
            self.classes.changed,
            self.dropped.changed,
            self.comparing.changed,
        ):
            source.disconnect()
        for source in (self.runs.started, self.runs.progressed, self.runs.ended, self.runs.changed):
            source.disconnect()
        self.runs.drop()

    def _teach(self, method: str, table: CellTable) -> Taught | None:
        keys = table.features.index
        learns_from = METHODS[method].learns_from
        if learns_from == "classes":
            return TaughtClasses(pd.Series(self.classes.names_of(self.register.find(keys)), keys))
        if learns_from == "comparisons":
            return TaughtTriplets(self.register.keys(np.ravel(self.comparing.triplets).astype(np.int64)))
        return None

    def _subset(self, table: CellTable, numbers: np.ndarray) -> CellTable:
        kept = self.register.mask(numbers)[self.register.find(table.features.index)]
        if not kept.any():
            raise ValueError("None of the selected cells is in this table: select some of its cells.")
        note = f"Only {int(kept.sum())} of {counted(len(kept), 'cell')}: the selection."
        if absent := int(self.register.mask(numbers).sum() - kept.sum()):
            is_ = "is" if absent == 1 else "are"
            note += f" {counted(absent, 'cell')} more {is_} selected, but not in this table or dropped."
        return table.keep(kept, note)

    def _leave_selection(self, dropped: np.ndarray, restored: np.ndarray) -> None:
        self.comparing.forget(dropped)
        self.selection.forget(dropped)
