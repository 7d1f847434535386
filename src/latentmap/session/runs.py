"""The runs of a session: those kept, and the one under way."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from psygnal import Signal

from latentmap.session.cell_index import CellIndex
from latentmap.session.embedding import RunProgress
from latentmap.session.given_map import GivenMap
from latentmap.session.job import BackgroundJob, Schedule
from latentmap.session.neighbor_cache import NeighborCache
from latentmap.session.new_run import NewRun, new_given_run, new_run
from latentmap.session.parameters import Parameters
from latentmap.session.repetition import is_repeated
from latentmap.session.result import Result
from latentmap.session.run import Run
from latentmap.session.supervision import Supervision
from latentmap.table import CellTable


class Runs:
    """Starts runs, one at a time, and keeps those that produced a map.

    Parameters
    ----------
    cell_index : CellIndex
        The numbers of the session's cells; cells on new maps are added.
    schedule : callable
        Schedules a function in the front end's thread; all signals are emitted there.
    supervise : callable, optional
        Takes the name of a method and a table, and returns the supervision.

    Attributes
    ----------
    current : Run or None
        The run that the views show.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> from latentmap.samples.tissue import tissue
    >>> calls = SimpleQueue()
    >>> runs = Runs(CellIndex(), calls.put)
    >>> run = runs.start(tissue().cells, Parameters(features=("area", "dab_mean"), max_iter=3))
    >>> while runs.running:
    ...     calls.get()()
    >>> run.status, run.result.n_iter, sorted(run.result.quality)
    ('done', 3, ['recall', 'trustworthiness'])
    """

    started = Signal(Run)
    """Emitted when a run is started."""
    progressed = Signal(Run)
    """Emitted when a run makes progress."""
    ended = Signal(Run)
    """Emitted when a run ends, for whatever reason."""
    changed = Signal()
    """Emitted when a run is kept, renamed or deleted, or another one becomes the current one."""
    checked = Signal(Run)
    """Emitted when something has been found out about the map of a run kept; see :mod:`~latentmap.session.trust`."""

    def __init__(
        self,
        cell_index: CellIndex,
        schedule: Schedule,
        supervise: Callable[[str, CellTable], Supervision | None] = lambda *_: None,
    ) -> None:
        self.current: Run | None = None
        self._cell_index = cell_index
        self._job, self._interim_job = BackgroundJob(schedule), BackgroundJob(schedule)
        self._active: Run | None = None
        self._kept: list[Run] = []
        self._count = 0
        self._neighbor_cache = NeighborCache()
        self._supervise = supervise

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Run]:
        return iter(tuple(self._kept))

    @property
    def running(self) -> bool:
        """Whether a run is under way, even if it is paused."""
        return self._job.running

    @property
    def paused(self) -> bool:
        """Whether the run under way is paused."""
        return self._job.paused

    @property
    def n_started(self) -> int:
        """How many runs have been started; names of runs contain their numbers."""
        return self._count

    def restore(self, kept: Sequence[Run], current: Run | None, n_started: int) -> None:
        """Replace all runs; one that is under way is dropped.

        Parameters
        ----------
        kept : sequence of Run
            Runs that have ended, with results.
        current : Run or None
            The one to show.
        n_started : int
            How many runs have been started.
        """
        self.drop()
        self._kept, self.current, self._count = list(kept), current, n_started
        self.changed.emit()

    def clear(self) -> None:
        """Forget all runs, including one under way, and the neighbours found for them."""
        self.restore((), None, self._count)
        self._neighbor_cache = NeighborCache()

    @property
    def active(self) -> Run | None:
        """The run under way."""
        return self._active

    def start(
        self,
        table: CellTable,
        parameters: Parameters,
        *,
        about: str = "",
        start: Run | None = None,
        is_live: bool = False,
        level: int = 0,
        parent: Run | None = None,
    ) -> Run:
        """Start a run; one that is under way is dropped.

        Parameters
        ----------
        table : CellTable
            The cells.
        parameters : Parameters
            The parameters. They are copied: changing them later does not affect this run.
        about : str
            A further part of the run's name, besides k and s.
        start : Run, optional
            A run, finished or under way, from whose map this one continues: it is then short, and keeps the layout. If
            fewer than nine in ten cells are on that map, or it has another number of dimensions, the run starts afresh.
            Until the neighbours are found, the map shown goes on along the graph of the last finished one, if it can.
        is_live : bool
            Whether the run replaces the last live one, and will be replaced by the next.
        level : int
            From 1, the map has the landmarks of this level alone.
        parent : Run, optional
            The run from whose map the cells were opened as a group.

        Returns
        -------
        Run
            The run, which has just been started.
        """
        replaces = next((run for run in self._kept if run.is_live), None) if is_live else None
        last = self._active if self._active is not None and self._active.is_live else replaces
        number = last.number if is_live and last is not None else self._count + 1
        begun = new_run(
            number,
            table,
            parameters,
            about=about,
            start=start,
            current=self.current,
            neighbor_cache=self._neighbor_cache,
            supervision=self._supervise(parameters.method, table),
            level=level,
            parent=parent,
        )
        begun.run.is_live, begun.run.replaced_run = is_live, replaces
        return self._begin(begun)

    def add(self, table: CellTable, parameters: Parameters, given: GivenMap) -> Run:
        """Keep a map that was made elsewhere, once its quality is measured; a run under way is dropped.

        Parameters
        ----------
        table : CellTable
            The cells. Those without a position on the map are left out.
        parameters : Parameters
            Their features and preparation are what the map is compared with.
        given : GivenMap

        Returns
        -------
        Run
            The run, which has just been started.
        """
        names = {run.name for run in self._kept}
        return self._begin(new_given_run(self._count + 1, table, parameters, given, names))

    def same(self, table: CellTable, parameters: Parameters, level: int = 0) -> Run | None:
        """Return the run kept that a new one with these cells and parameters would repeat, bit for bit.

        Parameters
        ----------
        table : CellTable
        parameters : Parameters
        level : int
            As for `start`.

        Returns
        -------
        Run or None
            None also where the run was stopped, was a live one, or learned from something else.
        """
        told = self._supervise(parameters.method, table)
        repeated = (
            run
            for run in reversed(self._kept)
            if run.result is not None
            and run.status == "done"
            and run.level == level
            and not (run.is_live or run.origin or run.made_elsewhere)
            and is_repeated(run.result, run.table, table, parameters, told)
        )
        return next(repeated, None)

    def _begin(self, begun: NewRun) -> Run:
        """Let a run take the place of the one under way."""
        if self._active is not None:
            self._active.is_superseded = True
            self.drop()
        run, self._count = begun.run, max(self._count, begun.run.number)
        self._active = run
        if begun.interim is not None:
            # A thread of its own, since a search cannot be interrupted, not even that of the run before.
            self._interim_job.start(
                begun.interim, yielded=partial(self._interim_progress, run), returned=lambda _: None, failed=_raise
            )
        self._job.start(
            begun.steps,
            yielded=partial(self._progress, run),
            returned=partial(self._return, run),
            failed=partial(self._fail, run),
        )
        self.started.emit(run)
        return run

    def stop(self) -> None:
        """End the run under way after its current step, and keep the map so far; one with an interim map ends now."""
        active = self._active
        if active is None:
            return
        if active.has_own_map or (active.interim is None and not self._interim_job.running):
            active.status = "stopped"
            self._job.stop()
        else:
            self.drop()

    def pause(self) -> None:
        """Pause the run under way after its current step."""
        self._job.pause()
        self._interim_job.pause()

    def resume(self) -> None:
        """Resume a paused run."""
        self._job.resume()
        self._interim_job.resume()

    def drop(self) -> None:
        """End the run under way, and discard its map."""
        if self._active is not None:
            self._job.drop()
            self._active.status = "stopped"
            self._end()

    def show(self, shown: Run | None) -> None:
        """Make a kept run the current one.

        Parameters
        ----------
        shown : Run or None
            The run; None to show no map.
        """
        if shown is not self.current:
            self.current = shown
            self.changed.emit()

    def rename(self, renamed: Run, name: str) -> None:
        """Rename a run; this also keeps a live one.

        Parameters
        ----------
        renamed : Run
            The run.
        name : str
            Its new name.

        Raises
        ------
        ValueError
            If the name is empty.
        """
        if not name.strip():
            raise ValueError("A run needs a name.")
        renamed.name = name.strip()
        self.keep(renamed)

    def keep(self, kept: Run) -> None:
        """Keep a live run, so that the next live run does not replace it.

        Parameters
        ----------
        kept : Run
            The run.
        """
        kept.is_live = False
        if self._active is not None and self._active.replaced_run is kept:
            self._active.replaced_run = None
        self.changed.emit()

    def keep_live_run(self) -> None:
        """Keep the live run; one under way still replaces it, and is then kept."""
        for settled in (*self._kept, self._active):
            if settled is not None:
                settled.is_live = False
        self.changed.emit()

    def delete(self, deleted: Run) -> None:
        """Delete a kept run; if it is the current one, the run kept last becomes current.

        Parameters
        ----------
        deleted : Run
            The run.
        """
        self._kept.remove(deleted)
        for run in self._kept:
            if run.parent is deleted:
                run.parent = deleted.parent
        if deleted is self.current:
            self.current = self._kept[-1] if self._kept else None
        self.changed.emit()

    def _interim_progress(self, begun: Run, progress: RunProgress) -> None:
        begun.interim = progress
        self.progressed.emit(begun)

    def _progress(self, begun: Run, progress: RunProgress) -> None:
        if progress.state is not None:
            self._interim_job.drop()
        begun.progress = progress
        self.progressed.emit(begun)

    def _return(self, begun: Run, result: Result | None) -> None:
        if begun.status == "running":
            begun.status = "done"
        if result is not None:
            if begun.alignment is not None:
                turn = begun.alignment.turn(result.cells.features.index, result.embedding)
                result = replace(result, turn=turn)
            begun.result = result
            begun.name += ", stopped" if result.stopped else ""
            begun.numbers = self._cell_index.add(result.cells.features.index)
            if result.members is not None:
                # The cells that landmarks stand for can be selected, too.
                self._cell_index.add(begun.table.features.index)
            begun.origin = begun.start.name if begun.has_warm_start and begun.start is not None else None
            if begun.replaced_run in self._kept:
                self._kept[self._kept.index(begun.replaced_run)] = begun
            else:
                self._kept.append(begun)
            self.current = begun
        self._end()
        if result is not None:
            self.changed.emit()

    def _fail(self, begun: Run, error: Exception) -> None:
        begun.status, begun.error = "failed", error
        self._end()

    def _end(self) -> None:
        self._interim_job.drop()
        ended, self._active = self._active, None
        if ended is not None:
            ended.start = ended.replaced_run = ended.alignment = ended.interim = None
            self.ended.emit(ended)


def _raise(error: Exception) -> None:
    raise error
