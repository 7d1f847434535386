"""How a map is made of a table and parameters, and what is reported on the way."""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from latentmap.methods import DEFAULT, METHODS, Method
from latentmap.model.data_warnings import collect_warnings, collect_warnings_in_steps
from latentmap.model.inputs import Inputs
from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.state import State
from latentmap.quality import lost_neighbors, recall_and_trustworthiness
from latentmap.session.connected_parts import largest_connected_part
from latentmap.session.landmarks import on_map, only_landmarks
from latentmap.session.neighbor_cache import NeighborCache
from latentmap.session.parameters import Parameters
from latentmap.session.result import MOST_MEASURED, GroupStart, Result
from latentmap.session.supervision import Supervision
from latentmap.session.true_neighbors import true_neighbors
from latentmap.session.warm_start import WarmStart
from latentmap.session.wording import counted
from latentmap.table import CellTable

# How many neighbours measure the quality of a map, and in how many cells.
_NEIGHBORS = 10


@dataclass(frozen=True, eq=False)
class RunProgress:
    """The progress of a run.

    Attributes
    ----------
    stage : str
        What is being done: "neighbours", "graph", ..., "embedding", "quality"; "interim" of an interim map.
    iteration, max_iter : int
        Iterations done, and allowed; 0 done before the embedding starts.
    cells : CellTable
        The cells that will be on the map.
    state : State or None
        The map so far, in the order of `cells`; None before the embedding starts.
    objective : float or None
        The quantity that the method maximises or minimises, when it was last computed.
    has_warm_start : bool
        Whether the run continues from an earlier map; before the neighbours are found, whether it was asked to.
    method : str
        The method's name in :func:`~latentmap.methods.available`.
    """

    stage: str
    iteration: int
    max_iter: int
    cells: CellTable
    state: State | None = None
    objective: float | None = None
    has_warm_start: bool = False
    method: str = DEFAULT


def iter_run(
    table: CellTable,
    parameters: Parameters,
    *,
    start: WarmStart | None = None,
    known: NeighborCache | None = None,
    supervision: Supervision | None = None,
    level: int = 0,
) -> Generator[RunProgress, bool | None, Result | None]:
    """Embed the cells of a table, step by step.

    Sending True to the generator ends the run after the current step and keeps the map so far. The parameters are
    copied at the start; changing them later does not affect this run.

    Parameters
    ----------
    table : CellTable
        The cells. Cells without a finite value in every chosen feature are left out and, with ``connect="largest"``,
        those of small parts; the notes say so.
    parameters : Parameters
        The parameters of the map.
    start : WarmStart, optional
        A map to go on from, in a short run, if the method can (:attr:`~latentmap.methods.Method.can_warm_start`);
        others begin afresh. So does one that can where fewer than nine cells of ten are on the map, or it has another
        number of dimensions, and a note says so.
    known : NeighborCache, optional
        The rows of the last run, with the neighbours found among them.
    supervision : Supervision, optional
        The supervision.
    level : int
        From 1, only the landmarks of this level are embedded; see :meth:`latentmap.LVM.find_landmarks`.

    Yields
    ------
    RunProgress
        After every stage and every iteration.

    Returns
    -------
    Result or None
        None if the run was stopped before there was a map.

    Raises
    ------
    ValueError
        If the table or the parameters allow no map; the message says what to change.

    Examples
    --------
    >>> from latentmap.samples.tissue import tissue
    >>> cells = tissue().cells
    >>> steps = iter_run(cells, Parameters(features=("area", "dab_mean")))
    >>> next(steps).iteration
    0
    >>> steps.close()
    """
    asked, known = replace(parameters), known or NeighborCache()
    (cells, values), preparing = known.prepare(table, asked.features, asked.preparation)
    parameters, note = asked.fitted_to(len(values))
    cells = CellTable(cells.features, (*cells.notes, note)) if note else cells
    method, estimator = METHODS[parameters.method], parameters.estimator()
    most = getattr(estimator, "max_iter", 1)
    start = start if method.can_warm_start else None
    if (yield RunProgress("neighbours", 0, most, cells, has_warm_start=start is not None, method=parameters.method)):
        return None
    heard: list[str] = []
    with collect_warnings(heard):
        inputs = known.of(estimator, values)
        outline = only_landmarks(table, cells, inputs, estimator, level) if level else None
    if outline is not None:
        landmarks, members = outline
        found = yield from iter_run(landmarks, asked, start=start, supervision=supervision)
        return found and replace(found, members=on_map(members, landmarks, found))
    with collect_warnings(heard):
        smaller = _without_small_parts(table, cells, inputs, estimator)
        if smaller is None:
            cells, has_warm_start = (cells, False) if start is None else _begin(cells, method, estimator, start, inputs)
            begun = None if start is None or not (start.n_cells and has_warm_start) else _kept(start, estimator)
    if smaller is not None:
        return (yield from iter_run(smaller, asked, start=start, known=known, supervision=supervision))
    targets, note = (None, "") if supervision is None else supervision.of(cells.features.index)
    told = partial(RunProgress, cells=cells, has_warm_start=has_warm_start, method=parameters.method)
    course: dict[int, float] = {}
    last, stopped = yield from _embed(estimator, inputs, targets, told, course, heard)
    if last is None or last.state is None:
        return None
    state, quality, near = last.state, dict[str, float](), None
    if not stopped and not (yield replace(last, stage="quality")):
        metric = getattr(estimator, "metric", "euclidean")
        quality, near = map_quality(values, estimator.embedding_, metric), true_neighbors(inputs, estimator)
    course[state.iteration] = state.objective
    return Result(
        cells=cells,
        embedding=estimator.embedding_,
        variances=getattr(estimator, "variances_", state.variances),
        parameters=MappingProxyType(asdict(parameters)),
        quality=MappingProxyType(quality),
        n_iter=state.iteration,
        n_levels=getattr(estimator, "n_levels_", None),
        objective=np.array(list(course.values())),
        objective_iterations=np.array(list(course)),
        supervision=targets,
        remarks=tuple(filter(None, [note, *heard, *estimator.remarks()])),
        stopped=stopped and last.iteration < last.max_iter,
        estimator=Pipeline([*preparing.steps, ("map", estimator)]),
        lost_neighbors=None if near is None else lost_neighbors(near, estimator.embedding_),
        neighbors=near,
        start=begun,
    )


def _kept(start: WarmStart, estimator: Any) -> GroupStart:
    """Where the estimator is about to begin."""
    init = estimator.get_params(deep=False)["init"]
    positions, variances = init if isinstance(init, tuple) else (init, np.full(len(init), np.nan))
    return GroupStart(start.name, start.n_cells, np.column_stack([positions, variances]))


def _without_small_parts(table: CellTable, cells: CellTable, inputs: Inputs, estimator: Any) -> CellTable | None:
    """The table without the cells of small parts; None if the map is to have all cells.

    Scripts and files hold only the cells on the map, so these must be scaled without the others.
    """
    if getattr(estimator, "connect", "bridge") != "largest":
        return None
    is_in, n_parts = largest_connected_part(estimator.find_neighbors(inputs))
    if n_parts == 1:
        return None
    index, n_out = cells.features.index, int((~is_in).sum())
    note = (
        f"{n_out} of {counted(len(index), 'cell')} left out: the graph of neighbours falls into {n_parts} separate "
        "parts, and only the largest is on the map."
    )
    return table.select(~table.features.index.isin(index[~is_in]), note)


def _begin(
    cells: CellTable, method: Method, estimator: Any, start: WarmStart, inputs: Inputs
) -> tuple[CellTable, bool]:
    """Let the estimator continue from a map if it can; return the cells, with a note, and whether it does."""
    rows, asked = start.find(cells.features.index), estimator.get_params(deep=False)
    n, n_new, d = len(rows), int((rows < 0).sum()), start.embedding.shape[1]
    if d != asked["n_components"] or n_new == n or n - n_new < start.is_enough * n:
        why = f"has {d} dimensions" if d != asked["n_components"] else f"holds only {n - n_new} of {n} cells"
        note = f'Started afresh, because the map "{start.name}" {why}.'
        return CellTable(cells.features, (*cells.notes, note)), False
    # A short run refines a map of these cells. A group is to show what a larger map, or one of landmarks, cannot: after
    # a short run, a group of landmarks kept .07 of the ten nearest neighbours, after a whole one .18, and afresh .19.
    if not start.n_cells:
        estimator.set_params(**{**method.warm_start, "max_iter": min(asked["max_iter"], method.warm_start["max_iter"])})
    positions, variances = start.begin(rows, estimator.find_neighbors(inputs).indices)
    # A map made by another method may have no variances.
    estimator.set_params(init=(positions, variances) if np.isfinite(variances).all() else positions)
    note = f'{n_new} of {n} cells are not on the map "{start.name}" and started amid their neighbours.'
    return CellTable(cells.features, (*cells.notes, note)) if n_new else cells, True


def _embed(
    estimator: IterativeMethod,
    inputs: Inputs,
    supervision: np.ndarray | None,
    told: Callable[..., RunProgress],
    course: dict[int, float],
    heard: list[str],
) -> Generator[RunProgress, bool | None, tuple[RunProgress | None, bool]]:
    """Fit the estimator; return the last progress, and whether it was stopped.

    The course of the objective and the warnings are added to `course` and `heard`.
    """
    last, objective = None, None
    with closing(estimator.iter_fit(inputs, supervision)) as steps:
        for place, step in enumerate(collect_warnings_in_steps(steps, heard)):
            if place == 0 and step.stage == "neighbours":
                # The run has announced the search already.
                continue
            if step.state is not None and step.state.known_objective is not None:
                course[step.iteration] = objective = step.state.known_objective
            last = told(step.stage, step.iteration, step.max_iter, state=step.state, objective=objective)
            if (yield last):
                return last, True
    return last, False


def map_quality(values: np.ndarray, embedding: np.ndarray, metric: str) -> dict[str, float]:
    """Return how faithful a map is, by the measure's name; empty if there are too few cells.

    Parameters
    ----------
    values : ndarray, shape (n_cells, n_features)
        What the map should be faithful to.
    embedding : ndarray, shape (n_cells, n_components)
    metric : str
        Of the distances of `values`.

    Notes
    -----
    Of more than 1000 cells, 1000 drawn at random are measured; their neighbours are sought among all.
    """
    n = len(values)
    if n < 2 * _NEIGHBORS + 2:
        return {}
    recall, trust = recall_and_trustworthiness(
        values, embedding, _NEIGHBORS, n_samples=min(n, MOST_MEASURED), metric=metric
    )
    return {"recall": recall, "trustworthiness": trust}
