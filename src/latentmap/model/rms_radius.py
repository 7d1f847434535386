"""The width of a table in any metric."""

from __future__ import annotations

import numpy as np
from sklearn.utils import gen_batches

from latentmap.model.inputs import CHUNK, Inputs

# Rows from which the others are measured.
_MOST_ROWS = 200


def rms_radius(inputs: Inputs, largest: float, random_state: np.random.Generator) -> float:
    """Return the root mean square distance of the rows from their centroid.

    Its square is half the mean squared distance between two rows, in any metric, and is well estimated from some rows.

    Parameters
    ----------
    inputs : Inputs
        The rows.
    largest : float
        Longer distances are lowered to this, lest a single outlier determine the width.
    random_state : numpy.random.Generator
        Draws rows.

    Returns
    -------
    float
        For a graph of distances, computed from the known ones.

    Examples
    --------
    >>> from latentmap.model.vectors import Vectors
    >>> corners = Vectors(np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]))
    >>> round(rms_radius(corners, np.inf, np.random.default_rng(0)) ** 2, 6)
    2.0
    """
    n = len(inputs)
    rows = np.sort(random_state.permutation(n)[:_MOST_ROWS])
    total, n_known = 0.0, 0
    for batch in gen_batches(len(rows), max(1, CHUNK // n)):
        distances = inputs.distances_from(rows[batch])
        # Some metrics are undefined between a row and itself.
        distances[np.arange(len(distances)), rows[batch]] = 0
        known = distances[np.isfinite(distances)]
        total += float(np.sum(np.minimum(known, largest) ** 2))
        n_known += len(known)
    return float(np.sqrt(total / (2 * n_known)))
