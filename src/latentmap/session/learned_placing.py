"""Where new cells belong on a map whose method places none, as it can be learned from the cells on it."""

import numpy as np
from sklearn.pipeline import Pipeline

from latentmap.methods import METHODS, LearnedMapping
from latentmap.session.parameters import Parameters
from latentmap.session.result import Result
from latentmap.session.wording import counted
from latentmap.table.preparing import fit_preparation

# Cells kept back to see how near they are put: at most so many, as one of so many, and no fewer.
_MOST, _ONE_OF, _FEWEST = 1000, 5, 10


def learned_pipeline(result: Result) -> tuple[Pipeline, str]:
    """Learn from a map where its method puts cells.

    Parameters
    ----------
    result : Result
        A map, from a file or not.

    Returns
    -------
    pipeline : sklearn.pipeline.Pipeline
        Prepares the features as those of the map's cells were, and puts cells at the mean place of those most like
        them, weighted by nearness; a cell of the map lies where it lay.
    sentence : str
        What is done, and how near it comes: of cells of the map that are kept back, half lie so near to their place.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> from latentmap.session import Session
    >>> from latentmap.samples.tissue import tissue
    >>> calls = SimpleQueue()
    >>> session = Session(calls.put)
    >>> session.parameters.features, session.parameters.method = ("area", "dab_mean"), "laplacian-eigenmaps"
    >>> run = session.embed(tissue().cells)
    >>> while session.runs.running:
    ...     calls.get()()
    >>> learned_pipeline(run.result)[1][:50]
    '"Laplacian eigenmaps" places no new cells, so each'
    """
    if result.estimator is None:
        parameters = Parameters(**result.parameters)
        preparing = fit_preparation(result.cells, parameters.features, parameters.preparation)[1]
    else:
        preparing = result.estimator[:-1]
    # A map made elsewhere may have cells that lack a feature.
    known = ~preparing["features"].inspect(result.cells.features).refused
    values, positions = preparing.transform(result.cells.features[known]), result.embedding[known]
    mapping = LearnedMapping().fit(values, positions)
    title = METHODS[result.method].title
    why = "The map was made elsewhere" if result.made_elsewhere else f'"{title}" places no new cells'
    said = (
        f"{why}, so each of these is at the mean place of the {mapping.regressor_.n_neighbors} cells of the map that "
        f"are most like it, weighted by nearness. {_how_near(values, positions)}"
    )
    return Pipeline([*preparing.steps, ("map", mapping)]), said


def _how_near(values: np.ndarray, positions: np.ndarray) -> str:
    """How near cells of the map are put to their place when they are kept back."""
    n_out = min(_MOST, len(positions) // _ONE_OF)
    if n_out < _FEWEST:
        return f"How near that comes cannot be told from {counted(len(positions), 'cell')}."
    out, kept = np.split(np.random.default_rng(0).permutation(len(positions)), [n_out])
    found = LearnedMapping().fit(values[kept], positions[kept]).transform(values[out])
    away = np.linalg.norm(found - positions[out], axis=1) / np.ptp(positions, axis=0).max()
    return (
        f"Of {n_out} cells of the map that were kept back and put so, half are within {np.median(away):.1%} of the "
        f"map's width of where the method has them, and nine of ten within {np.quantile(away, 0.9):.1%}."
    )
