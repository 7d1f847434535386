"""Live tuning: the map follows the user's changes."""

from collections.abc import Callable
from dataclasses import asdict

from psygnal import Signal

from latentmap.session.job import Schedule
from latentmap.session.parameters import Parameters
from latentmap.session.run import Run
from latentmap.session.runs import Runs
from latentmap.table import CellTable


class Live:
    """Starts a run when parameters change.

    Switched on, a change of any parameter has a short run go on from the map of this moment, in place of a live run
    under way. The maps of live runs do not pile up: each takes the place of the last, until live tuning is switched off
    or the user keeps one (:meth:`Runs.keep`). A run that began afresh and is still under way has no map to go on from
    yet: it begins anew, whole. So it does where another number of dimensions is asked for, and by a method that cannot
    go on from a map, and where the map shown was made elsewhere.
    What a method is told beside the parameters, such as comparisons, counts from the next run.

    Changes within one turn of the front end's event loop, such as those of a preset, start a single run, and none if
    the parameters equal those of the last run.

    Parameters
    ----------
    runs : Runs
        Starts the runs.
    parameters : Parameters
        The parameters that are watched.
    schedule : callable
        Schedules a function in the front end's thread.

    Attributes
    ----------
    restarts_on_change : bool
        Whether a change during a run restarts it even if live tuning is off, unless the method was changed. False by
        default.
    table : callable or None
        Returns the current cells, or None if there are none. Without it, the cells are those of the last run. It is
        held strongly, so it should not hold a view.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> from latentmap.session.cell_index import CellIndex
    >>> from latentmap.samples.tissue import tissue
    >>> calls = SimpleQueue()
    >>> runs, parameters = Runs(CellIndex(), calls.put), Parameters(features=("area", "dab_mean"), max_iter=9)
    >>> live = Live(runs, parameters, calls.put)
    >>> live.on = True
    >>> first = runs.start(tissue().cells, parameters)
    >>> while runs.running:
    ...     calls.get()()
    >>> parameters.n_neighbors = 30
    >>> while not runs.running or runs.active.progress is None:
    ...     calls.get()()
    >>> runs.active.is_live, runs.active.has_warm_start
    (True, True)
    >>> runs.drop()
    """

    switched = Signal(bool)
    """Emitted when live tuning is switched on or off."""

    def __init__(self, runs: Runs, parameters: Parameters, schedule: Schedule) -> None:
        self.restarts_on_change = False
        self.table: Callable[[], CellTable | None] | None = None
        self._runs, self._parameters, self._schedule = runs, parameters, schedule
        self._is_on = self._is_due = self._waits = False
        parameters.events.connect(self._changed)
        runs.ended.connect(self._ended)

    @property
    def on(self) -> bool:
        """Whether live tuning is on."""
        return self._is_on

    @on.setter
    def on(self, on: bool) -> None:
        if on != self._is_on:
            self._is_on = on
            self._runs.keep_live_run()
            self.switched.emit(on)

    def close(self) -> None:
        """Stop following changes."""
        self._parameters.events.disconnect(self._changed)
        self._runs.ended.disconnect(self._ended)
        self.switched.disconnect()
        self.table, self._is_on, self.restarts_on_change = None, False, False

    def _changed(self) -> None:
        if (self._is_on or (self.restarts_on_change and self._runs.running)) and not self._is_due:
            self._is_due = True
            self._schedule(self._restart)

    def _restart(self) -> None:
        self._is_due = False
        at_work = self._runs.active
        last = at_work if at_work is not None else self._runs.current
        if last is None or (at_work is not None and at_work.made_elsewhere):
            return
        if not last.made_elsewhere and last.parameters == asdict(self._parameters):
            return
        if at_work is not None and at_work.status == "stopped":
            # The user asked for the map so far: that comes first, then the change.
            self._waits = self._is_on
        elif at_work is not None and not self._is_on and at_work.parameters["method"] != self._parameters.method:
            # A user who browses the methods does not want to lose the map that is being made.
            return
        elif at_work is not None and (self._is_on or self.restarts_on_change):
            goes_on = at_work if at_work.has_warm_start else None
            self._start(at_work, goes_on if at_work.is_live else at_work.parent or goes_on, at_work.is_live)
        elif self._is_on:
            self._start(last, None if last.made_elsewhere else last, True)

    def _start(self, last: Run, start: Run | None, is_live: bool) -> None:
        # A group keeps its cells, whatever the front end would embed.
        table = last.table if self.table is None or last.opened_from else self.table()
        if table is not None:
            started = self._runs.start(
                table, self._parameters, start=start, is_live=is_live, level=last.level, parent=last.parent
            )
            started.opened_from = last.opened_from

    def _ended(self) -> None:
        if self._waits:
            self._waits = False
            self._changed()
