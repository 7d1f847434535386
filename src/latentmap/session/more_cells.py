"""More cells like those selected: the nearest to any of them, by their features or in the tissue."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree
from sklearn.metrics import pairwise_distances_argmin_min

from latentmap.images.cell_places import cell_places
from latentmap.images.crops import Crops
from latentmap.session.parameters import Parameters
from latentmap.session.result import Result
from latentmap.table.preparing import prepare


def most_alike(result: Result, is_chosen: np.ndarray, is_open: np.ndarray, n_more: int) -> np.ndarray:
    """Return the cells of a map that are most like any of those chosen.

    Parameters
    ----------
    result : Result
        The map. Its features count, prepared as for the map, by its metric.
    is_chosen, is_open : ndarray of bool, shape (n_cells,)
        The cells chosen, and those that may be found.
    n_more : int
        How many to find.

    Returns
    -------
    ndarray of int
        Rows, the most alike first; of equals the first. Fewer than asked for where there are no more.

    Raises
    ------
    ValueError
        If the cells chosen lack the features, or those of the map allow no comparison.
    """
    parameters = Parameters(**result.parameters)
    prepared = prepare(result.cells, parameters.features, parameters.preparation)
    rows = result.cells.features.index.get_indexer(prepared.cells.features.index)
    ours, others = is_chosen[rows], is_open[rows] & ~is_chosen[rows]
    if not ours.any():
        raise ValueError("The selected cells lack a number in some of the features of this map.")
    values, metric = prepared.values, str(getattr(parameters.estimator(), "metric", "euclidean"))
    if metric == "correlation":
        values, metric = values - values.mean(axis=1, keepdims=True), "cosine"
    if not others.any():
        return np.empty(0, dtype=np.int64)
    distances = pairwise_distances_argmin_min(values[others], values[ours], metric=metric)[1]
    found: np.ndarray = rows[np.flatnonzero(others)[_first(distances, n_more)]]
    return found


def nearest_in_tissue(
    result: Result, crops: Mapping[str, Crops], is_chosen: np.ndarray, is_open: np.ndarray, n_more: int
) -> np.ndarray:
    """Return the cells of a map that lie nearest to any of those chosen, in the same image and frame.

    Parameters
    ----------
    result, is_chosen, is_open, n_more
        As for `most_alike`.
    crops : mapping of str to Crops
        As for `latentmap.images.cell_places.cell_places`.

    Returns
    -------
    ndarray of int
        Rows, the nearest first.

    Raises
    ------
    ValueError
        If it is not known where the cells chosen lie.
    """
    features = result.cells.features
    places = cell_places(features, crops)
    distances = np.full(len(places), np.inf)
    keys, knows_some = features.index, False
    images = pd.MultiIndex.from_arrays([keys.get_level_values(part) for part in ("layer", "frame")]).factorize()[0]
    for image in np.unique(images[is_chosen]):
        here = images == image
        # Of a flat image beside a stack, no cell has a number along the last axis.
        axes = np.isfinite(places[here]).any(axis=0)
        here &= np.isfinite(places[:, axes]).all(axis=1) & axes.any()
        if not (here & is_chosen).any():
            continue
        knows_some, others = True, here & is_open & ~is_chosen
        distances[others] = cKDTree(places[here & is_chosen][:, axes]).query(places[others][:, axes])[0]
    if not knows_some:
        raise ValueError(
            "Where these cells lie is not known: open their labels, or add columns centroid_x and centroid_y to the "
            "table."
        )
    return _first(distances, n_more)


def _first(distances: np.ndarray, n: int) -> np.ndarray:
    order: np.ndarray = np.argsort(distances, kind="stable")[:n]
    found: np.ndarray = order[np.isfinite(distances[order])]
    return found
