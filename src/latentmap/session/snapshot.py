"""Snapshots of a session, which are saved in files."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd

from latentmap.session.classes import CellClass
from latentmap.session.colouring import VARIANCE
from latentmap.session.columns import StoredColumn
from latentmap.session.display_settings import DisplaySettings
from latentmap.session.gate import Gate
from latentmap.session.parameters import Parameters
from latentmap.session.result import GroupStart, MapCheck, MapStability, Result
from latentmap.session.run import Run
from latentmap.session.selection import SelectionStep
from latentmap.session.session import Session
from latentmap.table import CellTable

LARGEST = 4_000_000_000
"""The largest layer that is saved, in bytes."""


@dataclass(frozen=True, eq=False)
class LayerSnapshot:
    """A layer of the front end, saved with the session.

    Attributes
    ----------
    name : str
        The name of the layer.
    kind : str
        The front end's kind of layer: "labels", "image", "points", ...
    arrays : mapping of str to ndarray
        Its data.
    options : mapping of str to values that JSON can hold
        Its scale, colours and the like. Tuples come back as lists.
    features : mapping of str to StoredColumn, or None
        The columns of its own table, if it has one.
    """

    name: str
    kind: str
    arrays: Mapping[str, np.ndarray]
    options: Mapping[str, Any]
    features: Mapping[str, StoredColumn] | None = None


@dataclass(frozen=True, eq=False)
class MapSnapshot:
    """A map; see :class:`~latentmap.session.Result`."""

    cells: CellTable
    embedding: np.ndarray
    variances: np.ndarray
    quality: Mapping[str, float]
    n_iter: int
    n_levels: int | None
    objective: np.ndarray
    objective_iterations: np.ndarray
    taught: np.ndarray | None = None
    remarks: tuple[str, ...] = ()
    made_elsewhere: str = ""
    turn: np.ndarray | None = None
    lost_neighbors: np.ndarray | None = None
    check: MapCheck | None = None
    stability: MapStability | None = None
    members: np.ndarray | None = None
    start: GroupStart | None = None

    def __post_init__(self) -> None:
        n = len(self.cells.features)
        _check(self.members is None or _within(self.members, -1, n), "a landmark is missing")
        width = self.embedding.shape[-1] + 1
        _check(self.start is None or self.start.positions.shape == (n, width), "a group lacks where it began")
        told = [] if self.lost_neighbors is None else [self.lost_neighbors]
        told += [] if self.check is None else [self.check.p_values, self.check.is_sure]
        told += [] if self.stability is None else [self.stability.kept]
        _check(all(array.shape == (n,) for array in told), "a map was checked for other cells")
        _check(self.check is None or self.check.is_sure.dtype == bool, "a map was checked for other cells")
        real = all(array.dtype == float for array in (self.embedding, self.variances, self.objective))
        _check(real and self.embedding.ndim == 2 and len(self.embedding) == n, "a map lacks coordinates of some cells")
        _check(self.variances.shape == (n,), "a map lacks variances of some cells")
        _check(
            self.objective.shape == self.objective_iterations.shape == (len(self.objective),)
            and self.objective_iterations.dtype.kind == "i",
            "an objective lacks its iterations",
        )
        _check(self.turn is None or _is_turn(self.turn, self.embedding.shape[1]), "the turn of a map is no rotation")

    @classmethod
    def of(cls, result: Result) -> "MapSnapshot":
        """Copy what is saved of a result."""
        kept = {field.name: getattr(result, field.name) for field in fields(cls) if field.name != "taught"}
        return cls(taught=result.supervision, **kept)

    def result(self, parameters: Parameters) -> Result:
        """Return the result, without a fitted model.

        Parameters
        ----------
        parameters : Parameters
            The parameters of its run.
        """
        kept = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "taught"}
        kept["quality"] = MappingProxyType(dict(self.quality))
        return Result(parameters=MappingProxyType(asdict(parameters)), supervision=self.taught, **kept)


@dataclass(frozen=True, eq=False)
class RunSnapshot:
    """A run with a map; see :class:`~latentmap.session.Run`."""

    name: str
    number: int
    origin: str | None
    table: CellTable
    parameters: Parameters
    status: Literal["done", "stopped"]
    map: MapSnapshot
    level: int = 0
    opened_from: str = ""
    parent: int = -1

    def __post_init__(self) -> None:
        members = self.map.members
        _check(members is None or members.shape == (len(self.table.features),), "a cell lacks its landmark")
        is_known = {*self.parameters.features} <= {*self.map.cells.features}
        _check(is_known or bool(self.map.made_elsewhere), "a map was made of features that its cells lack")


@dataclass(frozen=True, eq=False)
class SelectionSnapshot:
    """A selection from the history of selections.

    Attributes
    ----------
    places : ndarray of int, shape (n_selected,)
        The cells' numbers in the session, ascending.
    story : tuple of SelectionStep
        The choices that led to it.
    """

    places: np.ndarray
    story: tuple[SelectionStep, ...]


@dataclass(frozen=True, eq=False)
class SessionSnapshot:
    """A snapshot of a session: parameters, selection, classes, dropped cells and maps at one moment.

    A run under way is not part of it. `SessionSnapshot.of` takes a snapshot, :func:`~latentmap.session.write` writes
    it, in another thread if need be, and :func:`~latentmap.session.load` reads it.

    Attributes
    ----------
    parameters : Parameters
        The parameters of the next run.
    look : DisplaySettings
        How maps are drawn.
    cells : pandas.MultiIndex of (layer, frame, label)
        The keys of all cells of the session. Their positions are the numbers used below.
    classes : tuple of CellClass
        The user's classes.
    class_of_cell : ndarray of int, shape (n_cells,)
        The index of each cell's class, -1 for none.
    dropped : ndarray of int, shape (n_dropped,)
        The numbers of the dropped cells, ascending.
    dropped_story : tuple of SelectionStep
        How the cells dropped last were selected.
    selections : tuple of SelectionSnapshot
        The history of selections.
    selected : int
        The index of the current selection.
    runs : tuple of RunSnapshot
        The runs kept.
    shown : int
        The index of the current run, -1 for none.
    n_started : int
        How many runs have been started; the names of the next runs continue from this number.
    layers : tuple of LayerSnapshot
        The layers of the front end.
    triplets : tuple of (int, int, int)
        The comparisons, each as the numbers of three cells.
    gates : tuple of Gate
        The gates.
    frame : int
        The frame shown, of cells in time.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> session, other = Session(SimpleQueue().put), Session(SimpleQueue().put)
    >>> session.cell_index.add([("nuclei", 0, 3), ("nuclei", 0, 7)])
    array([0, 1])
    >>> session.classes.assign("dividing", [1])
    >>> SessionSnapshot.of(session).restore(other)
    >>> other.cell_index.keys(other.classes.members("dividing")).tolist()
    [('nuclei', 0, 7)]
    """

    parameters: Parameters
    look: DisplaySettings
    cells: pd.MultiIndex
    classes: tuple[CellClass, ...]
    class_of_cell: np.ndarray
    dropped: np.ndarray
    dropped_story: tuple[SelectionStep, ...]
    selections: tuple[SelectionSnapshot, ...]
    selected: int
    runs: tuple[RunSnapshot, ...]
    shown: int
    n_started: int
    layers: tuple[LayerSnapshot, ...] = ()
    triplets: tuple[tuple[int, int, int], ...] = ()
    gates: tuple[Gate, ...] = ()
    frame: int = 0

    def __post_init__(self) -> None:
        names, n = [one.name for one in self.classes], len(self.cells)
        _check(len(set(names)) == len(names) and all(name.strip() for name in names), "two classes share a name")
        _check(
            all(re.fullmatch("#[0-9a-fA-F]{6}", one.colour) for one in self.classes),
            "the colour of a class is not of the form #e69f00",
        )
        _check(self.class_of_cell.shape == (n,), "the classes are of other cells")
        _check(_within(self.class_of_cell, -1, len(names)), "a cell is in a class that does not exist")
        for places in (self.dropped, *(one.places for one in self.selections)):
            _check(places.ndim == 1 and _within(places, 0, n), "a cell is selected that does not exist")
            _check(bool((np.diff(places) > 0).all()), "a cell is selected twice")
        for triplet in self.triplets:
            _check(_within(np.array(triplet), 0, n) and len(set(triplet)) == 3, "a comparison is not of three cells")
        _check(0 <= self.selected < len(self.selections), "the selection is missing")
        _check(_lead_to_an_end([one.parent for one in self.runs]), "a group was opened from a map that is not there")
        _check(-1 <= self.shown < len(self.runs) <= self.n_started, "the current map is missing")

    @classmethod
    def of(cls, session: Session, layers: Sequence[LayerSnapshot] = ()) -> "SessionSnapshot":
        """Take a snapshot of a session.

        Parameters
        ----------
        session : Session
            The session.
        layers : sequence of LayerSnapshot
            Layers of the front end to save with it.

        Returns
        -------
        SessionSnapshot
            The snapshot.
        """
        cell_index, runs, everyone = session.cell_index, list(session.runs), np.arange(len(session.cell_index))
        return cls(
            parameters=replace(session.parameters),
            look=replace(session.display_settings),
            cells=cell_index.keys(everyone),
            classes=tuple(session.classes),
            class_of_cell=session.classes.indices_of(everyone),
            dropped=session.dropped.numbers,
            dropped_story=session.dropped.story,
            selections=tuple(SelectionSnapshot(*state) for state in session.selection.history),
            selected=session.selection.history_index,
            runs=tuple(_run_snapshot(run, run.result, runs) for run in runs if run.result is not None),
            shown=runs.index(session.runs.current) if session.runs.current in runs else -1,
            n_started=session.runs.n_started,
            layers=tuple(layers),
            triplets=session.comparisons.triplets,
            gates=tuple(session.gates),
            frame=session.playhead.frame,
        )

    def restore(self, session: Session) -> None:
        """Restore the snapshot in a session, which loses its former content, including a run under way.

        Views are informed by the usual signals, of the current map and the selection last.

        Parameters
        ----------
        session : Session
            The session to change.
        """
        session.runs.drop()
        # The maps to come may lack the feature that the points are coloured by.
        session.display_settings.colour_by = VARIANCE
        numbers = session.cell_index.add(self.cells)
        session.classes.restore(self.classes, numbers, self.class_of_cell)
        session.gates.restore(self.gates)
        session.dropped.set_dropped(numbers[self.dropped], self.dropped_story)
        _copy_fields(session.parameters, self.parameters)
        runs = [_restored_run(run, session) for run in self.runs]
        for run, stored in zip(runs, self.runs, strict=True):
            run.parent = runs[stored.parent] if stored.parent >= 0 else None
        session.runs.restore(runs, runs[self.shown] if self.shown >= 0 else None, self.n_started)
        _copy_fields(session.display_settings, self.look)
        states = [(np.sort(numbers[state.places]), state.story) for state in self.selections]
        session.comparisons.on = False
        session.selection.restore(states, self.selected)
        session.comparisons.restore(numbers[list(triplet)] for triplet in self.triplets)
        # Last: a view goes to the frame of a cell that is selected alone.
        session.playhead.frame = self.frame


def too_large(name: str, arrays: Mapping[str, Any]) -> str | None:
    """Say that a layer is too large to be saved, without reading it; None if it is not.

    Parameters
    ----------
    name : str
    arrays : mapping of str to array-like
        The layer's data, which may be lazy.

    Examples
    --------
    >>> too_large("plate", {"data": np.broadcast_to(0.0, (1000, 1000, 1000))})
    'Not kept: "plate", because it has 8.0 GB; open it yourself.'
    """
    size = sum(math.prod(array.shape) * np.dtype(array.dtype).itemsize for array in arrays.values())
    return f'Not kept: "{name}", because it has {size / 1e9:.1f} GB; open it yourself.' if size > LARGEST else None


def _run_snapshot(run: Run, result: Result, kept: Sequence[Run]) -> RunSnapshot:
    status: Literal["done", "stopped"] = "stopped" if run.status == "stopped" else "done"
    made_by = Parameters(**result.parameters)
    parent = kept.index(run.parent) if run.parent in kept else -1
    return RunSnapshot(
        run.name,
        run.number,
        run.origin,
        run.table,
        made_by,
        status,
        MapSnapshot.of(result),
        level=run.level,
        opened_from=run.opened_from,
        parent=parent,
    )


def _restored_run(stored: RunSnapshot, session: Session) -> Run:
    result = replace(stored.map.result(stored.parameters), stopped=stored.status == "stopped")
    numbers = session.cell_index.add(result.cells.features.index)
    return Run(
        stored.name,
        stored.table,
        result.parameters,
        stored.status,
        result=result,
        numbers=numbers,
        number=stored.number,
        origin=stored.origin,
        made_elsewhere=result.made_elsewhere,
        level=stored.level,
        opened_from=stored.opened_from,
    )


def _copy_fields(live: Parameters | DisplaySettings, stored: Parameters | DisplaySettings) -> None:
    for field in fields(stored):
        setattr(live, field.name, getattr(stored, field.name))


def _is_turn(turn: np.ndarray, d: int) -> bool:
    return d == 2 and turn.shape == (2, 2) and turn.dtype == float and np.allclose(turn @ turn.T, np.eye(2))


def _lead_to_an_end(parents: Sequence[int]) -> bool:
    """Whether these are indices of each other, -1 for none, and no path of them runs in a circle."""
    if not all(-1 <= parent < len(parents) for parent in parents):
        return False
    ends = list(parents)
    for _ in parents:
        ends = [parents[end] if end >= 0 else -1 for end in ends]
    return max(ends, default=-1) == -1


def _within(numbers: np.ndarray, low: int, end: int) -> bool:
    return numbers.dtype.kind == "i" and bool(((numbers >= low) & (numbers < end)).all())


def _check(right: bool, otherwise: str) -> None:
    if not right:
        raise ValueError(otherwise)
