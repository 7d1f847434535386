"""A map made of a table and parameters, and what is reported on the way."""

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from latentmap.methods import DEFAULT, METHODS, Method
from latentmap.model.data_warnings import collect_warnings, collect_warnings_in_steps
from latentmap.model.inputs import Inputs
from latentmap.model.iterative_method import IterativeMethod
from latentmap.model.lvm import LVM
from latentmap.model.state import State
from latentmap.quality import lost_neighbors, recall_and_trustworthiness
from latentmap.session.alignment import turned
from latentmap.session.connected_parts import largest_connected_part
from latentmap.session.neighbor_cache import NeighborCache
from latentmap.session.parameters import Parameters
from latentmap.session.supervision import Supervision
from latentmap.session.warm_start import ENOUGH_CELLS, WarmStart
from latentmap.session.wording import counted
from latentmap.table import CellTable

VARIANCE_COLUMN = "variance"
"""The column that holds the variances of the coordinates, which say how uncertain they are."""

LOST_COLUMN, SURE_COLUMN, STABILITY_COLUMN = "lost_neighbors", "is_sure", "neighbor_stability"
"""The columns that hold the share of each cell's neighbours that the map has lost, which cells are sure, and the share
of each cell's neighbours on the map that stay when it is made again."""

FOUND_COLUMNS = (VARIANCE_COLUMN, LOST_COLUMN, SURE_COLUMN, STABILITY_COLUMN)
"""The columns of a map beside its coordinates."""

N_TRUE = 15
"""How many nearest neighbours of a cell count as its true ones, unless the map was made with fewer."""

# How many neighbours measure the quality of a map, and in how many cells.
_NEIGHBORS = 10
_SAMPLES = 1000


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


@dataclass(frozen=True, eq=False)
class MapCheck:
    """Which cells of a map are sure, and which doubtful; see :func:`latentmap.quality.neighborhood_test`.

    Attributes
    ----------
    p_values : ndarray of float64, shape (n_cells,)
        How many shuffled rows agree as well with their map, as a share.
    is_sure : ndarray of bool, shape (n_cells,)
        All other cells are doubtful.
    agreement, null : float
        The median agreement of table and map, of this map and of one of the table with shuffled columns; 1 at best.
    false_rate : float
        The share of the sure cells that may be so by chance.
    """

    p_values: np.ndarray
    is_sure: np.ndarray
    agreement: float
    null: float
    false_rate: float


@dataclass(frozen=True, eq=False)
class MapStability:
    """How stable the neighbourhoods on a map are; see :func:`latentmap.quality.neighbor_stability`.

    Attributes
    ----------
    kept : ndarray of float64, shape (n_cells,)
        The share of a cell's neighbours on the map that stay when the map is made again, from 0 to 1.
    n_maps : int
        How many maps were made for it.
    leaves_out : bool
        Whether each of them left out some of the cells, beside having another seed.
    """

    kept: np.ndarray
    n_maps: int
    leaves_out: bool


@dataclass(frozen=True, eq=False)
class Result:
    """A map of cells, and how it was made.

    Attributes
    ----------
    cells : CellTable
        The cells on the map, with all their features, and the notes on those left out.
    embedding : ndarray of float64, shape (n_cells, n_components)
        Each cell's coordinates on the map.
    variances : ndarray of float64, shape (n_cells,)
        How uncertain the coordinates are, in squared units of the map (Saul's sigma squared); NaN if the method does
        not say.
    parameters : mapping
        The parameters used, by name. With few cells, k is the number of other cells.
    quality : mapping
        How faithful the map is, by the measure's name, from 0 to 1: "recall" of the ten nearest neighbours and
        "trustworthiness". Empty if the run was stopped or has too few cells.
    n_iter : int
        Iterations done.
    n_levels : int or None
        Levels (l) of coarse-graining used; None where the method has none.
    objective : ndarray of float64
        The course of what the method raises or lowers; of the latent variable model the log-likelihood, Saul (6).
    objective_iterations : ndarray of int
        The iterations of its entries.
    supervision : ndarray or None
        The supervision: comparisons of rows, shape (n_comparisons, 3), or a class per cell, shape (n_cells,).
    remarks : tuple of str
        Sentences on the supervision, the warnings of the method, and what it found out about its map.
    stopped : bool
        Whether the user ended the run before the method did.
    estimator : sklearn.pipeline.Pipeline or None
        The fitted preparation and method; see :meth:`~latentmap.table.Preparation.pipeline`. Its ``transform`` takes a
        DataFrame with the features in their own units, and places new cells if the method can. None if the map comes
        from a file; `fitted` then computes it.
    made_elsewhere : str
        Where the coordinates come from if another program has made the map, such as columns of the table; else empty.
        Then `parameters` say only what its quality was measured against.
    turn : ndarray or None, shape (2, 2)
        The rotation, perhaps with a reflection, by which the map is drawn: ``embedding @ turn``. None for none.
    lost_neighbors : ndarray of float64, shape (n_cells,), or None
        The share of each cell's nearest neighbours, by the features, that are not among its nearest on the map: of 15,
        or of k if that is smaller. NaN for cells that lack a feature. None if the run was stopped or has too few cells.
    neighbors : ndarray of int32, shape (n_cells, 15 or k), or None
        These neighbours, as rows; -1 for cells that lack a feature. None where `lost_neighbors` is, and from files.
    check : MapCheck or None
        Which cells are sure, once that was tested.
    stability : MapStability or None
        How stable the neighbourhoods are, once maps were made for it.
    """

    cells: CellTable
    embedding: np.ndarray
    variances: np.ndarray
    parameters: MappingProxyType[str, Any]
    quality: Mapping[str, float]
    n_iter: int
    n_levels: int | None
    objective: np.ndarray
    objective_iterations: np.ndarray
    supervision: np.ndarray | None = None
    remarks: tuple[str, ...] = ()
    stopped: bool = False
    estimator: Pipeline | None = None
    made_elsewhere: str = ""
    turn: np.ndarray | None = None
    lost_neighbors: np.ndarray | None = None
    neighbors: np.ndarray | None = None
    check: MapCheck | None = None
    stability: MapStability | None = None

    @property
    def drawn(self) -> np.ndarray:
        """The coordinates as they are drawn, shape (n_cells, n_components)."""
        return turned(self.embedding, self.turn)

    @property
    def method(self) -> str:
        """The method's name in :func:`~latentmap.methods.available`."""
        return str(self.parameters["method"])

    @property
    def has_variances(self) -> bool:
        """Whether the method says how uncertain the coordinates are."""
        return bool(np.isfinite(self.variances).any())

    @property
    def has_distinct_variances(self) -> bool:
        """Whether the variances differ from cell to cell; tied ones do not."""
        known = self.variances[np.isfinite(self.variances)]
        return bool(len(known) and known.min() < known.max())

    @property
    def features(self) -> pd.DataFrame:
        """The cells' features, followed by the columns of the map, under the cells' keys."""
        return self.cells.features.assign(**self.columns)

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The columns of the map, so far as they are known: coordinates, and what `FOUND_COLUMNS` names."""
        known = map_columns(self.embedding, self.variances)
        if self.lost_neighbors is not None:
            known[LOST_COLUMN] = self.lost_neighbors
        if self.check is not None:
            known[SURE_COLUMN] = self.check.is_sure
        if self.stability is not None:
            known[STABILITY_COLUMN] = self.stability.kept
        return known

    def rows(self) -> pd.DataFrame:
        """Return the table to save.

        Returns
        -------
        pandas.DataFrame, shape (n_cells, n_columns)
            Key, features, coordinates ``map_1`` to ``map_d``, ``variance`` if the method gives one, ``lost_neighbors``
            and, if they were asked for, ``is_sure`` and ``neighbor_stability``.
        """
        return self.features.reset_index()


def map_columns(embedding: np.ndarray, variances: np.ndarray) -> dict[str, np.ndarray]:
    """Name the columns of a map: ``map_1`` to ``map_d``, and ``variance`` if there are variances.

    Parameters
    ----------
    embedding : ndarray, shape (n_cells, n_components)
    variances : ndarray, shape (n_cells,)
        All NaN where the method gives none.

    Returns
    -------
    dict of str to ndarray, shape (n_cells,) each

    Examples
    --------
    >>> import numpy as np
    >>> list(map_columns(np.zeros((4, 2)), np.ones(4)))
    ['map_1', 'map_2', 'variance']
    """
    coordinates = {f"map_{axis}": column for axis, column in enumerate(embedding.T, start=1)}
    return coordinates | ({VARIANCE_COLUMN: variances} if np.isfinite(variances).any() else {})


def iter_run(
    table: CellTable,
    parameters: Parameters,
    *,
    start: WarmStart | None = None,
    known: NeighborCache | None = None,
    supervision: Supervision | None = None,
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
    >>> from latentmap.table.tissue import tissue
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
        smaller = _without_small_parts(table, cells, inputs, estimator)
        if smaller is None:
            cells, has_warm_start = (cells, False) if start is None else _begin(cells, method, estimator, start, inputs)
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
    )


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
    if d != asked["n_components"] or n - n_new < ENOUGH_CELLS * n:
        why = f"has {d} dimensions" if d != asked["n_components"] else f"holds only {n - n_new} of {n} cells"
        note = f'Started afresh, because the map "{start.name}" {why}.'
        return CellTable(cells.features, (*cells.notes, note)), False
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


def true_neighbors(rows: Any, estimator: Any) -> np.ndarray | None:
    """Return the nearest neighbours of each row among all, nearest first; None if there are too few rows.

    Parameters
    ----------
    rows : ndarray of float, shape (n_cells, n_features), or Inputs
    estimator : estimator
        The method of the map. If it looks for neighbours itself, those are taken: a search takes long.

    Returns
    -------
    ndarray of int32, shape (n_cells, k), or None
        k is 15, or that of the method if it is smaller.
    """
    if len(rows) < 3 * N_TRUE:
        return None
    if not hasattr(estimator, "find_neighbors"):
        estimator = LVM(N_TRUE, metric=getattr(estimator, "metric", "euclidean"))
    found: np.ndarray = estimator.find_neighbors(rows).indices[:, :N_TRUE].astype(np.int32)
    return found


def map_quality(values: np.ndarray, embedding: np.ndarray, metric: str) -> dict[str, float]:
    """Return how faithful a map is, by the measure's name; empty if there are too few cells.

    Parameters
    ----------
    values : ndarray, shape (n_cells, n_features)
        What the map should be faithful to.
    embedding : ndarray, shape (n_cells, n_components)
    metric : str
        Of the distances of `values`.
    """
    n = len(values)
    if n < 2 * _NEIGHBORS + 2:
        return {}
    recall, trust = recall_and_trustworthiness(values, embedding, _NEIGHBORS, n_samples=min(n, _SAMPLES), metric=metric)
    return {"recall": recall, "trustworthiness": trust}
