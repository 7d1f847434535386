"""How wide a table is, by any metric."""

from __future__ import annotations

import numpy as np
from sklearn.utils import gen_batches

from latentmap.model.inputs import CHUNK, Inputs

# Rows that the others are measured from.
_MOST_ROWS = 200


def width(inputs: Inputs, largest: float, random_state: np.random.Generator) -> float:
    """Return the root mean square distance of the rows from their centroid.

    Half the mean squared distance between two rows is its square, whatever the metric, and some rows tell it well.

    Parameters
    ----------
    inputs : Inputs
        The rows.
    largest : float
        Distances beyond it count as this: a row very far out would set the width alone.
    random_state : numpy.random.Generator
        Draws rows.

    Returns
    -------
    float
        Of a graph of distances to some rows only, told by these.

    Examples
    --------
    >>> from latentmap.model.vectors import Vectors
    >>> corners = Vectors(np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]))
    >>> round(width(corners, np.inf, np.random.default_rng(0)) ** 2, 6)
    2.0
    """
    n = len(inputs)
    rows = np.sort(random_state.permutation(n)[:_MOST_ROWS])
    total, n_known = 0.0, 0
    for batch in gen_batches(len(rows), max(1, CHUNK // n)):
        distances = inputs.distances_from(rows[batch])
        # Some metrics have no value for a row and itself.
        distances[np.arange(len(distances)), rows[batch]] = 0
        known = distances[np.isfinite(distances)]
        total += float(np.sum(np.minimum(known, largest) ** 2))
        n_known += len(known)
    return float(np.sqrt(total / (2 * n_known)))
