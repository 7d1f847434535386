"""How well images, or other batches, are mixed on a map and in the features that it was made of."""

from dataclasses import dataclass

import numpy as np

from latentmap.quality import Mixing, neighbor_mixing
from latentmap.session.result import Result
from latentmap.session.true_neighbors import measured_rows, method_of

_K = 15
_SAMPLES = 2000


@dataclass(frozen=True)
class BatchMixing:
    """How well batches are mixed.

    Attributes
    ----------
    on_map, in_features : Mixing
        On the map, and in the prepared features.
    n_neighbors : int
        How many neighbours of a cell were looked at.
    of_landmarks : bool
        Whether the map is an outline: then its landmarks alone were looked at, and not the cells that they stand for.
    n_drawn : int or None
        The neighbours of how many cells were looked at, drawn at random; None if those of all.
    """

    on_map: Mixing
    in_features: Mixing
    n_neighbors: int
    of_landmarks: bool = False
    n_drawn: int | None = None


def batch_mixing(result: Result, batches: np.ndarray) -> BatchMixing:
    """Measure how well batches are mixed among the cells of a map; of many cells, 2000 are drawn.

    Parameters
    ----------
    result : Result
        The map.
    batches : ndarray of int, shape (n_cells,)
        The batch of each cell on the map, -1 for cells that do not count.

    Raises
    ------
    ValueError
        If there are fewer than two batches, or hardly any cells.
    """
    rows, features = measured_rows(result)
    kept = batches[rows] >= 0
    batches = batches[rows][kept]
    if len(np.unique(batches)) < 2:
        raise ValueError("All cells are of one kind: there is nothing to mix.")
    k = min(_K, int(kept.sum()) - 1)
    samples = min(_SAMPLES, int(kept.sum()))
    metric = getattr(method_of(result), "metric", "euclidean")
    on_map, in_features = (
        neighbor_mixing(values[kept], batches, k, n_samples=samples, metric=one)
        for values, one in ((result.embedding[rows], "euclidean"), (features, metric))
    )
    return BatchMixing(on_map, in_features, k, result.members is not None, samples if samples < kept.sum() else None)
