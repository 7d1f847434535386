"""How a run begins: its name, the map that it continues from, and the steps that make its own."""

from collections.abc import Collection, Generator
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import NamedTuple

from latentmap.methods import DEFAULT, METHODS
from latentmap.session.alignment import Alignment
from latentmap.session.embedding import RunProgress, iter_run
from latentmap.session.given_map import GivenMap, iter_given
from latentmap.session.hierarchy import n_stood_for
from latentmap.session.interim import can_go_on, iter_interim, not_followed
from latentmap.session.neighbor_cache import NeighborCache
from latentmap.session.parameters import Parameters
from latentmap.session.result import Result
from latentmap.session.run import Run
from latentmap.session.supervision import Supervision
from latentmap.session.warm_start import WarmStart
from latentmap.table import CellTable


class NewRun(NamedTuple):
    """A run that is about to begin.

    Attributes
    ----------
    run : Run
        The run.
    steps : generator
        Yields its progress, and returns its result.
    interim : generator or None
        Yields the interim map, until the run has a map of its own.
    """

    run: Run
    steps: Generator[RunProgress, bool | None, Result | None]
    interim: Generator[RunProgress, bool | None, None] | None = None


def new_run(
    number: int,
    table: CellTable,
    parameters: Parameters,
    *,
    about: str,
    start: Run | None,
    current: Run | None,
    neighbor_cache: NeighborCache,
    supervision: Supervision | None,
    level: int = 0,
    parent: Run | None = None,
) -> NewRun:
    """Return a run that makes a map.

    Parameters
    ----------
    number : int
        Its number in the order in which runs were started.
    table : CellTable
        The cells.
    parameters : Parameters
        The parameters, which are copied.
    about : str
        A further part of its name, besides k and s.
    start : Run or None
        The run, finished or under way, from whose map it continues. What is drawn of it now is what goes on.
    current : Run or None
        The run that the views show; the new map is turned to lie like its map.
    neighbor_cache : NeighborCache
        Keeps the neighbours found.
    supervision : Supervision or None
        What the method learns from, beside the features.
    level : int
        From 1, the map has the landmarks of this level alone.
    parent : Run or None
        The run from whose map the cells were opened as a group. If it is `start`, too, they begin where they lie there.

    Returns
    -------
    NewRun
    """
    placed, shown = (None, None) if start is None else (start.warm_start, start.shown or start.warm_start)
    if placed is not None and start is not None and start is parent:
        placed = replace(placed, n_cells=n_stood_for(start))
    base = None if start is None or shown is None or start is parent else _base(start, current, parameters, shown)
    parameters = replace(parameters)
    parts = [*_name_parts(parameters.fitted_to(len(table.features))[0]), *filter(None, [about])]
    run = Run(
        f"{number}: {', '.join(parts)}",
        table,
        MappingProxyType(asdict(parameters)),
        number=number,
        level=level,
        parent=parent,
        opened_from="" if parent is None else parent.name,
        start=placed,
        alignment=_alignment(current, parameters),
        interim_differences=() if base is None else not_followed(base, parameters),
    )
    steps = iter_run(table, parameters, start=placed, known=neighbor_cache, supervision=supervision, level=level)
    return NewRun(run, steps, None if base is None or shown is None else iter_interim(base, parameters, shown))


def new_given_run(
    number: int, table: CellTable, parameters: Parameters, given: GivenMap, names: Collection[str]
) -> NewRun:
    """Return a run that keeps a map made elsewhere.

    Parameters
    ----------
    number : int
        Its number in the order in which runs were started.
    table : CellTable
        The cells.
    parameters : Parameters
        Their features and preparation are what the map is compared with.
    given : GivenMap
        The map.
    names : collection of str
        The names of other runs; if one of them has the map's, the new one begins with its number.

    Returns
    -------
    NewRun
    """
    known = given.parameters(parameters)
    name = f"{number}: {given.name}" if given.name in names else given.name
    run = Run(name, table, MappingProxyType(asdict(known)), number=number, made_elsewhere=given.origin)
    return NewRun(run, iter_given(table, known, given))


def _base(start: Run, current: Run | None, parameters: Parameters, shown: WarmStart) -> Result | None:
    """The finished map along whose graph the map shown can go on at once."""
    finished = (run.result for run in (start, current) if run is not None and run.result is not None)
    return next((result for result in finished if can_go_on(result, parameters, shown)), None)


def _alignment(current: Run | None, parameters: Parameters) -> Alignment | None:
    """How a map with these parameters will be turned to lie like the current one, if its axes mean nothing."""
    if current is None or current.result is None or METHODS[parameters.method].has_meaningful_axes:
        return None
    result = current.result
    return Alignment(WarmStart(current.name, result.cells.features.index, result.drawn, result.variances))


def _name_parts(parameters: Parameters) -> list[str]:
    """The parts of a run's name: its method, unless it is the default, and k and s, if the method has them."""
    method = METHODS[parameters.method]
    named = [] if parameters.method == DEFAULT else [method.title]
    letters = [(letter, name) for letter, name in (("k", "n_neighbors"), ("s", "n_steps")) if name in method.defaults]
    return [*named, *(f"{letter} {parameters.of_method(name)}" for letter, name in letters)]
