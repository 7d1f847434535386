"""What the lines of the maps made so far say."""

from collections.abc import Sequence

import numpy as np

from latentmap.display.run_end import stopped_words
from latentmap.display.run_words import reached
from latentmap.session import Run
from latentmap.session.differences import differences, told_otherwise

_MOST_OF_COURSE = 8


def course(run: Run) -> str:
    """Say what there is to know of a run, and how it came to its map.

    Returns
    -------
    str
        A line for each thing.
    """
    if run.result is None:
        return "This map is being made."
    result, n_cells = run.result, len(run.result.embedding)
    # A method may know its objective after each iteration; the first and the last are always told.
    n_told = len(result.objective)
    told = np.unique(np.linspace(0, n_told - 1, min(n_told, _MOST_OF_COURSE)).astype(int))
    reached_at = zip(result.objective_iterations[told], result.objective[told], strict=True)
    lines = [
        run.name,
        f"{n_cells} cells by {len(run.parameters['features'])} features",
        *result.cells.notes,
        *result.remarks,
        f"{result.n_iter} iterations" + (f"; {stopped} by you" if (stopped := stopped_words(run)) else ""),
        *(f"{reached(result.method, value, n_cells)} at iteration {iteration}" for iteration, value in reached_at),
    ]
    if not result.quality:
        lines.append("Recall and trust were not measured: the run was stopped, or there are too few cells.")
    return "\n".join(lines)


def against_above(run: Run, kept: Sequence[Run]) -> str:
    """Say in which parameters a run differs from the one in the line above it.

    Returns
    -------
    str
        A sentence; empty for the first line.
    """
    place = kept.index(run)
    if not place:
        return ""
    above = kept[place - 1]
    told = differences(run.parameters, above.parameters)
    if run.result is not None and above.result is not None and run.result.method == above.result.method:
        told += told_otherwise(run.result.taught, above.result.taught)
    return f'Against "{above.name}": {", ".join(told) or "the same parameters"}.'


def variances(run: Run | None) -> np.ndarray | None:
    """Return the variances of a map where they tell sure places from unsure ones.

    Returns
    -------
    ndarray of float, shape (n_cells,), or None
    """
    result = None if run is None else run.result
    return result.variances if result is not None and result.tells_sure_from_unsure else None
