"""New cells on a map that stays as it is."""

from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from latentmap.methods import METHODS
from latentmap.model.sentences import hearing
from latentmap.session.learned import learned
from latentmap.session.parameters import Parameters
from latentmap.session.run import Result, map_columns
from latentmap.session.runs import Run
from latentmap.session.wording import counted
from latentmap.table import CellTable
from latentmap.table.preparing import fit

# How far a map that is made anew may lie from the one stored, in its own standard deviations.
_ALIKE = 1e-6


def place(run: Run, table: CellTable) -> CellTable:
    """Place cells on a finished map by what was measured of them; the map does not move.

    The features go the way of the first cells': with their medians, ranks, means and components. A cell of the map with
    the features that it had then lies where it lay, by the latent variable model. Where the method places no new cells,
    it is learned from the map where they belong, see :class:`~latentmap.methods.LearnedMapping`.

    Parameters
    ----------
    run : Run
        It has a result.
    table : CellTable
        With the features that shaped the map, in the same units.

    Returns
    -------
    CellTable
        The places, in columns ``map_1`` to ``map_d``, and ``variance`` where the method says how uncertain a new place
        is. The notes say which cells were left out, and why; and where places were learned, how near that comes.

    Raises
    ------
    ValueError
        If there is no map, a feature is missing, or no cell can be placed.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> from latentmap.session import Session
    >>> from latentmap.table.tissue import tissue
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
    result = _finished(run)
    method = METHODS[result.method]
    if method.places_new_cells:
        pipeline, notes = fitted(run), list(table.notes)
    else:
        pipeline, said = learned(result)
        notes = [*table.notes, said]
    found = pipeline["features"].look(table.features)
    n, n_refused = len(found.refused), int(found.refused.sum())
    if n_refused == n:
        raise ValueError(f"None of {counted(n, 'cell')} can be placed on the map: {found.why}.")
    kept = ~found.refused
    values = pipeline[:-1].transform(table.features[kept])
    if method.says_how_uncertain_new_cells_are:
        places, variances = pipeline["map"].transform_with_variances(values)
    else:
        places, variances = pipeline["map"].transform(values), np.full(len(values), np.nan)
    if n_refused:
        notes.append(f"{n_refused} of {counted(n, 'cell')} left out, for they cannot be placed: {found.why}.")
    return CellTable(pd.DataFrame(map_columns(places, variances), table.features.index[kept]), tuple(notes))


def fitted(run: Run) -> Pipeline:
    """Return what prepared the features of a map and made it, to place new cells.

    A map from a file has none. The latent variable model finds the neighbours anew and takes the places over from the
    file; by a method that can take over no map the whole map is made anew, which takes as long as it did, and compared
    with that of the file. The run keeps what was found.

    Parameters
    ----------
    run : Run
        It has a result.

    Returns
    -------
    sklearn.pipeline.Pipeline

    Raises
    ------
    ValueError
        If there is no map, or it does not become the same again.
    """
    result = _finished(run)
    if result.estimator is None:
        with hearing([]):  # what was told with the map
            result = run.result = replace(result, estimator=_made_anew(run, result))
    return result.estimator


def _finished(run: Run) -> Result:
    if run.result is None:
        raise ValueError(f'"{run.name}" has no map yet.')
    return run.result


def _made_anew(run: Run, result: Result) -> Pipeline:
    parameters = Parameters(**result.parameters)
    (_, values), preparing = fit(result.cells, parameters.features, parameters.preparation)
    estimator: Any = parameters.estimator()
    if METHODS[parameters.method].takes_over_maps:
        estimator.take_over(values, result.embedding, result.variances, result.n_iter)
    else:
        with closing(estimator.iter_fit(values, result.taught)) as steps:
            for step in steps:
                if result.stopped and step.state is not None and step.iteration == result.n_iter:
                    break
        _check_same(run.name, result.embedding, estimator.embedding_)
    return Pipeline([*preparing.steps, ("map", estimator)])


def _check_same(name: str, stored: np.ndarray, again: np.ndarray) -> None:
    if not np.allclose(again, stored, rtol=0, atol=_ALIKE * stored.std()):
        raise ValueError(
            f'The map "{name}" comes from a file, which keeps the places of its cells but not its model, and made anew '
            "here it is another one: another kind of machine or another version may have made it. Press Embed for a "
            "map that new cells can be placed on."
        )
