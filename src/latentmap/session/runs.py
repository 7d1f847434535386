"""The maps that the user has made and kept, and the one being made."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from psygnal import Signal

from latentmap.methods import DEFAULT, METHODS
from latentmap.session.job import Job, Post
from latentmap.session.known_neighbors import KnownNeighbors
from latentmap.session.parameters import Parameters
from latentmap.session.placed import Placed
from latentmap.session.register import Register
from latentmap.session.run import Progress, Result, run
from latentmap.session.taught import Taught
from latentmap.table import CellTable

Status = Literal["running", "done", "stopped", "failed"]


@dataclass(eq=False)
class Run:
    """A map, finished or being made.

    Attributes
    ----------
    name : str
        The user's.
    table : CellTable
        The cells it was started with.
    parameters : mapping
        By name, as they were when it was started.
    status : {"running", "done", "stopped", "failed"}
        "stopped" if the user ended it; it may have a result nevertheless.
    progress : Progress or None
        How far it is, or was.
    result : Result or None
        The map, once the run has ended.
    numbers : ndarray of int, or None
        The numbers of the result's cells in the session.
    error : Exception or None
        Why it failed.
    number : int
        How many runs there had been, itself included; a live run has that of the one that it replaces.
    origin : str or None
        The name of the map that it went on from; None if it began afresh.
    is_live : bool
        Whether the next live run takes its place; see :class:`~latentmap.session.Live`.
    start : Placed or None
        What it goes on from if it can, until it has ended.
    replaces : Run or None
        The live run whose place it is to take, until it has ended.
    """

    name: str
    table: CellTable
    parameters: MappingProxyType[str, Any]
    status: Status = "running"
    progress: Progress | None = None
    result: Result | None = None
    numbers: np.ndarray | None = None
    error: Exception | None = None
    number: int = 0
    origin: str | None = None
    is_live: bool = False
    start: Placed | None = None
    replaces: "Run | None" = None

    @property
    def is_warm(self) -> bool:
        """Whether it goes on, or went on, from a map; before it has begun, whether it is to."""
        return self.start is not None if self.progress is None else self.progress.is_warm

    @property
    def placed(self) -> Placed | None:
        """Where its cells lie: on the map, on the map so far, or on that which it is to go on from."""
        if self.result is not None:
            return Placed(self.name, self.result.cells.features.index, self.result.embedding, self.result.variances)
        if self.progress is not None and (state := self.progress.state) is not None:
            return Placed(self.name, self.progress.cells.features.index, state.embedding, state.variances)
        return self.start


class Runs:
    """Starts runs, one at a time, and keeps those that have come to a map.

    Parameters
    ----------
    register : Register
        Gets the cells on the maps.
    post : callable
        Has a function called soon in the thread of the front end; every signal comes from there.
    teach : callable, optional
        From the name of a method and a table to what the method is told of the cells beside their features.

    Attributes
    ----------
    current : Run or None
        The run that the views show.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> from latentmap.table.tissue import tissue
    >>> calls = SimpleQueue()
    >>> runs = Runs(Register(), calls.put)
    >>> run = runs.start(tissue().cells, Parameters(features=("area", "dab_mean"), max_iter=3))
    >>> while runs.running:
    ...     calls.get()()
    >>> run.status, run.result.n_iter, sorted(run.result.quality)
    ('done', 3, ['recall', 'trustworthiness'])
    """

    started = Signal(Run)
    """Emitted when a run has begun."""
    progressed = Signal(Run)
    """Emitted when a run has come further."""
    ended = Signal(Run)
    """Emitted when a run has ended, in whatever way."""
    changed = Signal()
    """Emitted when a run was kept, renamed or deleted, or another one is current."""

    def __init__(
        self, register: Register, post: Post, teach: Callable[[str, CellTable], Taught | None] = lambda *_: None
    ) -> None:
        self.current: Run | None = None
        self._register = register
        self._job = Job(post)
        self._at_work: Run | None = None
        self._kept: list[Run] = []
        self._count = 0
        self._known = KnownNeighbors()
        self._teach = teach

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Run]:
        return iter(tuple(self._kept))

    @property
    def running(self) -> bool:
        """Whether a run is under way; one that pauses is."""
        return self._job.running

    @property
    def paused(self) -> bool:
        """Whether the run under way waits to be resumed."""
        return self._job.paused

    @property
    def n_started(self) -> int:
        """How many runs there were; their numbers are in their names."""
        return self._count

    def fill(self, kept: Sequence[Run], current: Run | None, n_started: int) -> None:
        """Have these runs and no others; one that is under way is dropped.

        Parameters
        ----------
        kept : sequence of Run
            They have ended, and have results.
        current : Run or None
            The one of them to show.
        n_started : int
            How many runs there were.
        """
        self.drop()
        self._kept, self.current, self._count = list(kept), current, n_started
        self.changed.emit()

    def clear(self) -> None:
        """Let go of all runs, one that is under way included, and of the neighbours that were found for them."""
        self.fill((), None, self._count)
        self._known = KnownNeighbors()

    @property
    def at_work(self) -> Run | None:
        """The run under way."""
        return self._at_work

    def start(
        self,
        table: CellTable,
        parameters: Parameters,
        *,
        about: str = "",
        start: Run | None = None,
        is_live: bool = False,
    ) -> Run:
        """Start a run; one that is under way is dropped.

        Parameters
        ----------
        table : CellTable
        parameters : Parameters
            Copied: changing them later does not touch this run.
        about : str
            What the name says beside k and s.
        start : Run, optional
            A run, finished or under way, from whose map this one goes on: it is short, and keeps the layout. Where
            fewer than nine cells of ten are on that map, or it has another number of dimensions, the run begins afresh.
        is_live : bool
            Whether the run takes the place of the last live one, and the next live one takes its.

        Returns
        -------
        Run
        """
        placed = start.placed if start is not None else None
        replaces = next((run for run in self._kept if run.is_live), None) if is_live else None
        last = self._at_work if self._at_work is not None and self._at_work.is_live else replaces
        self.drop()
        parameters = replace(parameters)
        if is_live and last is not None:
            number = last.number
        else:
            number = self._count = self._count + 1
        said = ", ".join([*_letters(parameters.fitted_to(len(table.features))[0]), *filter(None, [about])])
        begun = Run(
            f"{number}: {said}",
            table,
            MappingProxyType(asdict(parameters)),
            number=number,
            is_live=is_live,
            start=placed,
            replaces=replaces,
        )
        self._at_work = begun
        self._job.start(
            run(table, parameters, start=placed, known=self._known, taught=self._teach(parameters.method, table)),
            yielded=partial(self._progress, begun),
            returned=partial(self._return, begun),
            failed=partial(self._fail, begun),
        )
        self.started.emit(begun)
        return begun

    def stop(self) -> None:
        """End the run under way after its current step, and keep the map as it is then."""
        if self._at_work is not None:
            self._at_work.status = "stopped"
            self._job.stop()

    def pause(self) -> None:
        """Have the run under way wait after its current step."""
        self._job.pause()

    def resume(self) -> None:
        """Have a run that waits go on."""
        self._job.resume()

    def drop(self) -> None:
        """End the run under way, and let go of what it has."""
        if self._at_work is not None:
            self._job.drop()
            self._at_work.status = "stopped"
            self._end()

    def show(self, shown: Run | None) -> None:
        """Make a kept run the current one.

        Parameters
        ----------
        shown : Run or None
            None for no map at all.
        """
        if shown is not self.current:
            self.current = shown
            self.changed.emit()

    def rename(self, renamed: Run, name: str) -> None:
        """Give a run another name; a live one is thereby kept.

        Parameters
        ----------
        renamed : Run
        name : str

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
        """Have a live run stay beside the next ones, as all other runs do.

        Parameters
        ----------
        kept : Run
        """
        kept.is_live = False
        if self._at_work is not None and self._at_work.replaces is kept:
            self._at_work.replaces = None
        self.changed.emit()

    def settle(self) -> None:
        """Keep the live run; if another one is under way, that one is kept when it has taken its place."""
        for settled in (*self._kept, self._at_work):
            if settled is not None:
                settled.is_live = False
        self.changed.emit()

    def delete(self, deleted: Run) -> None:
        """Let go of a kept run; if it was the current one, the one kept last becomes that.

        Parameters
        ----------
        deleted : Run
        """
        self._kept.remove(deleted)
        if deleted is self.current:
            self.current = self._kept[-1] if self._kept else None
        self.changed.emit()

    def _progress(self, begun: Run, progress: Progress) -> None:
        begun.progress = progress
        self.progressed.emit(begun)

    def _return(self, begun: Run, result: Result | None) -> None:
        if begun.status == "running":
            begun.status = "done"
        if result is not None:
            begun.result = result
            begun.name += ", stopped" if result.stopped else ""
            begun.numbers = self._register.enter(result.cells.features.index)
            begun.origin = begun.start.name if begun.is_warm and begun.start is not None else None
            if begun.replaces in self._kept:
                self._kept[self._kept.index(begun.replaces)] = begun
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
        ended, self._at_work = self._at_work, None
        if ended is not None:
            ended.start = ended.replaces = None
            self.ended.emit(ended)


def _letters(parameters: Parameters) -> list[str]:
    """What a run is called by: its method, unless that is the usual one, and what it has of k and s."""
    method = METHODS[parameters.method]
    named = [] if parameters.method == DEFAULT else [method.title]
    letters = [(letter, name) for letter, name in (("k", "n_neighbors"), ("s", "n_steps")) if name in method.defaults]
    return [*named, *(f"{letter} {parameters.of_method(name)}" for letter, name in letters)]
