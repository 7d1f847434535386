"""Placing new cells on a finished map."""

from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from latentmap.methods import METHODS
from latentmap.model.data_warnings import collect_warnings
from latentmap.session.learned_placing import learned_pipeline
from latentmap.session.parameters import Parameters
from latentmap.session.result import Result, map_columns
from latentmap.session.run import Run
from latentmap.session.wording import counted
from latentmap.table import CellTable
from latentmap.table.harmony import NO_NEW_CELLS
from latentmap.table.preparing import fit_preparation
from latentmap.table.within_groups import WithinGroups

# How far a recomputed map may differ from the stored one, in standard deviations of that map.
_ALIKE = 1e-6


def place(run: Run, table: CellTable) -> CellTable:
    """Place cells on a finished map by their features; the map itself does not change.

    The features go the way of the first cells': with their medians, ranks, means and components. A cell of the map with
    the features that it had then lies where it lay, by the latent variable model. Where the method places no new cells,
    it is learned from the map where they belong, see :class:`~latentmap.methods.LearnedMapping`.

    Parameters
    ----------
    run : Run
        A run with a result.
    table : CellTable
        Cells with the features that shaped the map, in the same units.

    Returns
    -------
    CellTable
        The coordinates, in columns ``map_1`` to ``map_d``, and ``variance`` if the method gives one for new cells. The
        notes say which cells were left out, and why; and, if coordinates were learned, how accurate they are.

    Raises
    ------
    ValueError
        If there is no map, Harmony has corrected its cells, a feature is missing, or no cell can be placed.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> from latentmap.session import Session
    >>> from latentmap.samples.tissue import tissue
    >>> calls, cells = SimpleQueue(), tissue().cells
    >>> session = Session(calls.put)
    >>> session.parameters.features, session.parameters.max_iter = ("area", "dab_mean"), 3
    >>> run = session.embed(cells)
    >>> while session.runs.running:
    ...     calls.get()()
    >>> again = place(run, cells)
    >>> list(again.features), bool(np.isclose(again.features["map_1"], run.result.embedding[:, 0]).all())
    (['map_1', 'map_2', 'variance'], True)
    """
    result = run.finished()
    if Parameters(**result.parameters).preparation.batches_by:
        raise ValueError(NO_NEW_CELLS)
    method = METHODS[result.method]
    if method.places_new_cells and not result.made_elsewhere:
        pipeline, notes = fitted_pipeline(run), list(table.notes)
    else:
        pipeline, said = learned_pipeline(result)
        notes = [*table.notes, said]
    found = pipeline["features"].inspect(table.features)
    n, n_refused = len(found.refused), int(found.refused.sum())
    if n_refused == n:
        raise ValueError(f"None of {counted(n, 'cell')} can be placed on the map: {found.why}.")
    kept = ~found.refused
    if isinstance(pipeline["features"], WithinGroups):
        notes += pipeline["features"].notes(table.features[kept])
    values = pipeline[:-1].transform(table.features[kept])
    if method.gives_variances_of_new_cells and not result.made_elsewhere:
        positions, variances = pipeline["map"].transform_with_variances(values)
    else:
        positions, variances = pipeline["map"].transform(values), np.full(len(values), np.nan)
    if n_refused:
        notes.append(f"{n_refused} of {counted(n, 'cell')} left out, because they cannot be placed: {found.why}.")
    return CellTable(pd.DataFrame(map_columns(positions, variances), table.features.index[kept]), tuple(notes))


def fitted_pipeline(run: Run) -> Pipeline:
    """Return the fitted pipeline of a map, which can place new cells.

    A map from a file has none. The latent variable model finds the neighbours anew and takes the places over from the
    file; by a method that can take over no map the whole map is made anew, which takes as long as it did, and compared
    with that of the file. The run keeps what was found.

    Parameters
    ----------
    run : Run
        A run with a result.

    Returns
    -------
    sklearn.pipeline.Pipeline
        The preparation and the method, fitted to the cells of the map.

    Raises
    ------
    ValueError
        If there is no map, or the recomputed map differs from it.
    """
    result = run.finished()
    if result.made_elsewhere:
        raise ValueError(
            f'"{run.name}" was made elsewhere, so its method is not here. "Place on this map" and place() learn from '
            "the map itself where new cells belong."
        )
    if result.estimator is None:
        with collect_warnings([]):  # the same warnings as when the map was made
            result = run.result = replace(result, estimator=_made_anew(run, result))
    return result.estimator


def _made_anew(run: Run, result: Result) -> Pipeline:
    parameters = Parameters(**result.parameters)
    (_, values), preparing = fit_preparation(result.cells, parameters.features, parameters.preparation)
    estimator: Any = parameters.estimator()
    if METHODS[parameters.method].restores_maps:
        estimator.restore(values, result.embedding, result.variances, result.n_iter)
    else:
        with closing(estimator.iter_fit(values, result.supervision)) as steps:
            for step in steps:
                if result.stopped and step.state is not None and step.iteration == result.n_iter:
                    break
        _check_same(run.name, result.embedding, estimator.embedding_)
    return Pipeline([*preparing.steps, ("map", estimator)])


def _check_same(name: str, stored: np.ndarray, again: np.ndarray) -> None:
    if not np.allclose(again, stored, rtol=0, atol=_ALIKE * stored.std()):
        raise ValueError(
            f'The map "{name}" comes from a file, which holds the coordinates of its cells but not its model, and '
            "recomputed here it is different: it may have been made by another kind of machine or another version. "
            "Press Embed for a map that new cells can be placed on."
        )
