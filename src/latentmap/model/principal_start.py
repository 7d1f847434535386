"""The start of an ascent: principal components of the rows, or of their distances to some rows, smoothed or not."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from sklearn.utils import gen_batches

from latentmap.model.inputs import CHUNK, Inputs
from latentmap.model.thread_limits import limit_threads

# Rows from which the components are computed, the maximum number of their entries, and rows from which distances are
# taken if the metric has no vectors.
_MOST_ROWS, _MOST_NUMBERS, _PIVOTS = 10_000, 1_500_000, 200
# Rows farther from the centre than this multiple of the median are pulled in to it, or they would determine the
# components alone.
_FARTHEST = 5.0
# Directions with less than this fraction of the spread of the first are filled up with noise, since no gradient leads
# out of a line. Otherwise copies stay at one position.
_THINNEST = 0.05
# How often each row moves half way to the mean of its neighbours. Rows that are close in all components can be far
# apart in the first two: without smoothing, the digits 2 of MNIST end as two or three groups.
_N_SMOOTHINGS = 20


def principal_start(
    inputs: Inputs, d: int, random_state: np.random.Generator, edges: sp.csr_array | None = None
) -> np.ndarray | None:
    """Return the first principal components of the rows, smoothed over a graph if there is one.

    If the metric is not the Euclidean distance of some vectors, they are the components of the doubly centred squared
    distances to some rows, the pivots.

    Parameters
    ----------
    inputs : Inputs
        The rows.
    d : int
        Output dimensions, below n.
    random_state : numpy.random.Generator
        Draws rows.
    edges : csr_array of shape (n, n), optional
        Weights of neighbours, symmetric, at least one above 0 in each row: each row moves half way to the weighted mean
        of its neighbours, 20 times.

    Returns
    -------
    ndarray of float64, shape (n, d), or None
        None if not all distances are known.

    References
    ----------
    U. Brandes and C. Pich, "Eigensolver methods for progressive multidimensional scaling of large data", Graph
    Drawing 2006: pivots.

    Examples
    --------
    >>> from latentmap.model.vectors import Vectors
    >>> line = np.arange(5.0)[:, None] * [[0.6, 0.8]]
    >>> positions = principal_start(Vectors(line), 1, np.random.default_rng(0))
    >>> np.abs(positions[:, 0]).round(2).tolist()
    [2.0, 1.0, 0.0, 1.0, 2.0]
    """
    n = len(inputs)
    drawn = random_state.permutation(n)
    coordinates = inputs.coordinates(np.sort(drawn[:_PIVOTS]))
    if coordinates is None:
        return None
    width = coordinates(slice(0, 1)).shape[1]
    some = coordinates(np.sort(drawn[: max(2, min(_MOST_ROWS, _MOST_NUMBERS // width))]))
    positions = np.empty((n, d))
    # With more threads, BLAS sums in another order.
    with limit_threads(1, "blas"):
        frame = _Frame.of(some, min(d, *some.shape))
        for batch in gen_batches(n, max(1, CHUNK // width)):
            positions[batch] = frame.positions(coordinates(batch), d)
    if edges is not None:
        positions = _smoothed(positions, edges)
    positions -= positions.mean(axis=0)
    spread = positions.std(axis=0)
    first = spread.max(initial=0.0) or 1.0
    return np.asarray(positions + np.maximum(0.0, _THINNEST * first - spread) * random_state.standard_normal((n, d)))


def _smoothed(positions: np.ndarray, edges: sp.csr_array) -> np.ndarray:
    """Return the positions after ``_N_SMOOTHINGS`` steps of a lazy random walk, in single precision."""
    walk = sp.diags_array(1 / edges.sum(axis=1)) @ edges
    walk = sp.csr_array(walk, dtype=np.float32)
    smooth = positions.astype(np.float32)
    for _ in range(_N_SMOOTHINGS):
        smooth = (smooth + walk @ smooth) / 2
    return smooth.astype(float)


class _Frame:
    """The centre of some rows, the distance from it beyond which rows are pulled in, and the components."""

    def __init__(self, centre: np.ndarray, farthest: float) -> None:
        self.centre, self.farthest = centre, farthest
        self.axes = np.empty((0, len(centre)))

    @classmethod
    def of(cls, rows: np.ndarray, d: int) -> _Frame:
        centre = np.quantile(rows, 0.5, axis=0, method="lower")
        norms = np.linalg.norm(rows - centre, axis=1)
        frame = cls(centre, _FARTHEST * float(np.median(norms[norms > 0])) if norms.any() else np.inf)
        near = frame.drawn_in(rows)
        frame.axes = _axes(near - near.mean(axis=0), d)
        return frame

    def drawn_in(self, rows: np.ndarray) -> np.ndarray:
        """Return rows relative to the centre, with those beyond ``farthest`` pulled in."""
        apart = rows - self.centre
        norms = np.linalg.norm(apart, axis=1, keepdims=True)
        return np.asarray(apart * np.divide(self.farthest, norms, out=np.ones_like(norms), where=norms > self.farthest))

    def positions(self, rows: np.ndarray, d: int) -> np.ndarray:
        """Return the components; 0 in missing dimensions."""
        found = self.drawn_in(rows) @ self.axes.T
        return np.pad(found, ((0, 0), (0, d - found.shape[1])))


def _axes(rows: np.ndarray, d: int) -> np.ndarray:
    """Return the first d principal axes, without scikit-learn's PCA, which takes a tenth of a second to import."""
    is_tall = len(rows) >= rows.shape[1]
    products = rows.T @ rows if is_tall else rows @ rows.T
    vectors = eigh(products, subset_by_index=(len(products) - d, len(products) - 1))[1][:, ::-1]
    axes = vectors if is_tall else rows.T @ vectors
    axes /= np.maximum(np.linalg.norm(axes, axis=0), np.finfo(float).tiny)
    positions = rows @ axes
    # Signs are determined by the rows, so that rotating them changes nothing.
    signs = np.sign(positions[np.abs(positions).argmax(axis=0), np.arange(d)])
    return np.asarray((axes * np.where(signs == 0, 1.0, signs)).T)
