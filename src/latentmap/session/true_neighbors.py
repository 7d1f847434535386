"""The true neighbours of the cells of a map: from its fit, or searched for where that does not know them."""

from dataclasses import replace
from typing import Any

import numpy as np

from latentmap.model.lvm import LVM
from latentmap.quality import lost_neighbors
from latentmap.session.parameters import Parameters
from latentmap.session.result import Result
from latentmap.table import CellTable
from latentmap.table.preparing import prepare

N_TRUE = 15
"""How many nearest neighbours of a cell count as its true ones, unless the map was made with fewer."""


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


def measured_rows(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Return what a map was made of: which of its cells have all features, and their prepared values.

    Parameters
    ----------
    result : Result
        The map. Only on one made elsewhere can cells lack a feature.

    Returns
    -------
    rows : ndarray of int, shape (n_rows,)
    values : ndarray of float, shape (n_rows, n_features or n_pca)

    Raises
    ------
    ValueError
        If the features cannot be prepared.
    """
    parameters = Parameters(**result.parameters)
    # Harmony corrects all cells together, and no other way gives its numbers again.
    if result.estimator is not None and not parameters.harmony_by:
        values = np.asarray(result.estimator[:-1].transform(result.cells.features))
        return np.arange(len(values)), values
    prepared = prepare(CellTable(result.cells.features), parameters.features, parameters.preparation)
    return result.cells.features.index.get_indexer(prepared.cells.features.index), prepared.values


def with_neighbors(result: Result) -> Result:
    """Return a map with the true neighbours of its cells, and the share of them that it has lost.

    Parameters
    ----------
    result : Result
        A map that may know them already.

    Raises
    ------
    ValueError
        If there are too few cells.

    Examples
    --------
    >>> from latentmap.generators import result_of
    >>> from latentmap.session.embedding import iter_run
    >>> from latentmap.samples.tissue import tissue
    >>> result = result_of(iter_run(tissue().cells, Parameters(features=("area", "dab_mean"), max_iter=2)))
    >>> again = with_neighbors(replace(result, neighbors=None, lost_neighbors=None))
    >>> bool((again.lost_neighbors == result.lost_neighbors).all())
    True
    """
    if result.neighbors is not None and result.lost_neighbors is not None:
        return result
    rows, values = measured_rows(result)
    near = true_neighbors(values, method_of(result))
    if near is None:
        raise ValueError(
            f"A map of {len(values)} cells has too few to ask for the nearest of each: there must be {3 * N_TRUE}."
        )
    lost = np.full(len(result.embedding), np.nan)
    lost[rows] = lost_neighbors(near, result.embedding[rows])
    neighbors = np.full((len(lost), near.shape[1]), -1, dtype=np.int32)
    neighbors[rows] = rows[near]
    return replace(result, neighbors=neighbors, lost_neighbors=lost)


def method_of(result: Result) -> Any:
    """Return the method of a map or, of one made elsewhere, one with the metric that it is compared by."""
    parameters = Parameters(**result.parameters)
    if result.made_elsewhere:
        return LVM(N_TRUE, metric=parameters.metric)
    return parameters.fitted_to(len(result.embedding))[0].estimator()
