"""The session: the one model that both front ends share."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from latentmap.methods import METHODS
from latentmap.session.cell_field import CellField
from latentmap.session.cell_index import CellIndex
from latentmap.session.classes import Classes
from latentmap.session.colouring import ColourBy
from latentmap.session.comparisons import ClickedComparisons
from latentmap.session.display_settings import DisplaySettings
from latentmap.session.dropped import Dropped
from latentmap.session.gates import Gates
from latentmap.session.given_map import GivenMap
from latentmap.session.hierarchy import check_group, check_way_back, group, stood_for
from latentmap.session.job import Schedule
from latentmap.session.landmarks import check_landmarks
from latentmap.session.live import Live
from latentmap.session.parameters import Parameters
from latentmap.session.playhead import Playhead
from latentmap.session.provenance import map_table
from latentmap.session.run import Run
from latentmap.session.runs import Runs
from latentmap.session.selection import Selection
from latentmap.session.supervision import ClassSupervision, Supervision, TripletSupervision
from latentmap.session.wording import counted
from latentmap.table import CellTable, MapTable


class Session:
    """Parameters, cells, selection, classes and runs, without a window.

    Views display and change these, and know nothing of each other.

    Parameters
    ----------
    schedule : callable
        Schedules a function in the front end's thread.

    Attributes
    ----------
    parameters : Parameters
        The parameters of the next run.
    cell_index : CellIndex
        All cells that the session has met.
    selection : Selection
        The selected cells.
    classes : Classes
        The user's classes of cells.
    gates : Gates
        The regions of features that give some of these classes.
    dropped : Dropped
        The cells that the user has dropped; they are never selected.
    comparisons : ClickedComparisons
        What the user says of which cells are more alike, for a method that learns from comparisons.
    display_settings : DisplaySettings
        How maps are drawn.
    playhead : Playhead
        The frame shown, of cells in time.
    cell_field : CellField
        Where else on a map one cell could lie, which is drawn as a faint field.
    surroundings : dict
        The columns that were added for the groups around each cell, by what gives the groups.
    runs : Runs
        The runs kept, and the one under way.
    live : Live
        Live tuning: starts runs when parameters change, if it is switched on.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> session = Session(SimpleQueue().put)
    >>> cells = session.cell_index.add([("cells", 0, 3), ("cells", 0, 7)])
    >>> session.selection.select(cells[:1], how="click in the image")
    >>> session.classes.assign("dividing", session.selection.numbers, session.selection.story)
    >>> session.classes["dividing"].story[0].how
    'click in the image'
    """

    def __init__(self, schedule: Schedule) -> None:
        self.parameters = Parameters()
        self.cell_index = CellIndex()
        self.dropped = Dropped(self.cell_index)
        self.selection = Selection(self.cell_index, self.dropped.is_dropped)
        self.classes = Classes(self.cell_index)
        self.gates = Gates(self.classes, self.cell_index)
        self.comparisons = ClickedComparisons(self.selection)
        self.display_settings = DisplaySettings()
        self.playhead = Playhead()
        self.cell_field = CellField()
        self.surroundings: dict[ColourBy, tuple[str, ...]] = {}
        self.runs = Runs(self.cell_index, schedule, self._supervision)
        self.live = Live(self.runs, self.parameters, schedule)
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
        self.take_colours(table)
        table = self.dropped.without(table)
        if only is None:
            return self.runs.start(table, self.parameters)
        table = self._subset(table, np.asarray(only, dtype=np.int64))
        return self.runs.start(table, self.parameters, about=counted(len(table.features), "cell"))

    def outline(self, table: CellTable) -> Run:
        """Start a run on the landmarks of a table alone, each of which stands for the cells nearest it.

        Parameters
        ----------
        table : CellTable
            The cells. Dropped cells are left out.

        Returns
        -------
        Run

        Raises
        ------
        ValueError
            If the method has no landmarks, or the cells are too few.
        """
        self.take_colours(table)
        table = self.dropped.without(table)
        check_landmarks(self.parameters.method, len(table.features))
        return self.runs.start(table, self.parameters, about="landmarks", level=1)

    def check_group(self) -> tuple[Run, np.ndarray]:
        """Return the current run, and the numbers of the cells that `open_group` would open.

        Raises
        ------
        ValueError
            If there is no map, or too few of its cells are selected.
        """
        current, selected = self.runs.current, self.selection.numbers
        numbers = np.empty(0, np.int64) if current is None else group(current, selected, self.cell_index)
        numbers = numbers[~self.dropped.is_dropped(numbers)]
        return check_group(current, numbers), numbers

    def open_group(self) -> Run:
        """Start a run on the selected cells of the current map, from where they lie there.

        On a map of landmarks, they are the cells that the selected landmarks stand for. The current map is kept, and
        `back` returns to it.

        Returns
        -------
        Run

        Raises
        ------
        ValueError
            As `check_group` does.
        """
        parent, numbers = self.check_group()
        self.runs.keep(parent)
        table = self._subset(self.dropped.without(parent.table), numbers, f'opened from the map "{parent.name}"')
        about = counted(len(table.features), "cell")
        return self.runs.start(table, self.parameters, about=about, start=parent, parent=parent)

    def stood_for(self, run: Run, numbers: np.ndarray) -> np.ndarray:
        """Return points of a map and, if they are landmarks, all cells that they stand for and that are not dropped.

        Parameters
        ----------
        run : Run
            Without a map yet, points stand for themselves.
        numbers : ndarray of int
            The numbers of cells that are points of its map.

        Returns
        -------
        ndarray of int64
        """
        found = stood_for(run, numbers, self.cell_index)
        left: np.ndarray = found[~self.dropped.is_dropped(found)]
        return left

    def members(self, name: str) -> np.ndarray:
        """Return the cells of a class that are not dropped; those dropped stay in it, for when they come back.

        Parameters
        ----------
        name : str
            The name of the class.

        Returns
        -------
        ndarray of int64
            Their numbers, ascending.
        """
        found = self.classes.members(name)
        left: np.ndarray = found[~self.dropped.is_dropped(found)]
        return left

    def back(self) -> Run:
        """Show the map that the cells of the current one were opened from; the selection stays.

        Returns
        -------
        Run

        Raises
        ------
        ValueError
            If the current map was not opened from another, or that one was deleted.
        """
        parent = check_way_back(self.runs.current)
        self.runs.show(parent)
        return parent

    def take_colours(self, table: CellTable) -> None:
        """Colour the groups of a table's columns as the table does, if it says how."""
        known = self.display_settings.group_colours
        if table.colours and (wanted := {**known, **table.colours}) != known:
            self.display_settings.group_colours = wanted

    def same_run(self, table: CellTable, only: Iterable[int] | None = None, level: int = 0) -> Run | None:
        """Return the run kept whose map `embed` would make again, bit for bit; None if there is none.

        Parameters
        ----------
        table, only
            As for `embed`.
        level : int
            1 for `outline`.
        """
        table = self.dropped.without(table)
        if only is not None:
            table = self._subset(table, np.asarray(only, dtype=np.int64))
        return self.runs.same(table, self.parameters, level)

    def add_map(self, table: CellTable, given: GivenMap) -> Run:
        """Put a map that was made elsewhere beside ours: as a run, with its quality against the features chosen.

        Parameters
        ----------
        table : CellTable
            The cells. Dropped cells, and those without a position on the map, are left out.
        given : GivenMap
            The map; cells are matched by key.

        Returns
        -------
        Run
            The run, which has just been started: its quality is being measured.

        Raises
        ------
        ValueError
            If no cell is left.
        """
        self.take_colours(table)
        return self.runs.add(self.dropped.without(table), self.parameters, given)

    def add_features(self, columns: pd.DataFrame, gone: Sequence[str] = ()) -> list[str]:
        """Add features to the cells of all maps, so that maps can be coloured by them and files have them.

        Parameters
        ----------
        columns : pandas.DataFrame
            Indexed by the keys (layer, frame, label). They replace columns of the same names, but not those that a map
            was made of: its neighbours and what is saved of it would no longer be its own.
        gone : sequence of str
            Columns to take out, of which no map was made.

        Returns
        -------
        list of str
            The names of the maps that keep such columns.
        """
        kept: list[str] = []
        tables: dict[tuple[int | str, ...], CellTable] = {}  # runs on the same cells share one table
        for run in self.runs:
            own = columns.columns.intersection(run.finished().parameters["features"])
            new, which = columns.drop(columns=own), (id(run.table), *own)
            if which not in tables:
                tables[which] = run.table.with_features(new, gone)
            run.table = tables[which]
            run.result = replace(run.finished(), cells=run.finished().cells.with_features(new, gone))
            kept += [run.name] if len(own) else []
        self.runs.changed.emit()
        return kept

    def map_table(self, run: Run) -> MapTable:
        """Return the table of a map, for `~latentmap.table.write_table`.

        Parameters
        ----------
        run : Run
            A run with a result.

        Returns
        -------
        MapTable
            The table, without cells dropped since. Its record says how many these are, and what was left out before.

        Raises
        ------
        ValueError
            If the run has no map, or all its cells are dropped.
        """
        made = map_table(run.finished(), self.classes, self.cell_index, self.dropped, tuple(self.gates))
        named = {made.added[-1]: {one.name: one.colour for one in self.classes}} if len(self.classes) else {}
        colours = {**self.display_settings.group_colours, **named}
        return replace(made, colours=colours)

    def close(self) -> None:
        """Disconnect all views, and drop the run under way."""
        self.live.close()
        for source in (
            self.selection.changed,
            self.selection.chosen,
            self.classes.changed,
            self.gates.changed,
            self.dropped.changed,
            self.comparisons.changed,
            self.playhead.changed,
            self.cell_field.changed,
        ):
            source.disconnect()
        for source in (self.runs.started, self.runs.progressed, self.runs.ended, self.runs.changed, self.runs.checked):
            source.disconnect()
        self.runs.drop()

    def _supervision(self, method: str, table: CellTable) -> Supervision | None:
        keys = table.features.index
        learns_from = METHODS[method].learns_from
        if learns_from == "classes":
            return ClassSupervision(pd.Series(self.classes.names_of(self.cell_index.numbers_of(keys)), keys))
        if learns_from == "comparisons":
            return TripletSupervision(self.cell_index.keys(np.ravel(self.comparisons.triplets).astype(np.int64)))
        return None

    def _subset(self, table: CellTable, numbers: np.ndarray, why: str = "the selection") -> CellTable:
        kept = self.cell_index.mask_of(numbers)[self.cell_index.numbers_of(table.features.index)]
        if not kept.any():
            raise ValueError("None of the selected cells is in this table: select some of its cells.")
        note = f"Only {int(kept.sum())} of {counted(len(kept), 'cell')}: {why}."
        if absent := int(self.cell_index.mask_of(numbers).sum() - kept.sum()):
            is_ = "is" if absent == 1 else "are"
            note += f" {counted(absent, 'cell')} more {is_} selected, but not in this table or dropped."
        return table.select(kept, note)

    def _leave_selection(self, dropped: np.ndarray, restored: np.ndarray) -> None:
        self.comparisons.discard_cells(dropped)
        self.selection.discard_cells(dropped)
