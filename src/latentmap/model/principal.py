"""Where an ascent starts: the principal components of the rows, or of their distances to some of them."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import gen_batches

from latentmap.model.inputs import CHUNK, Inputs
from latentmap.model.limits import limited

# Rows that the components are found from, numbers that these may hold, and rows that others are measured from where
# the metric has no vectors.
_MOST_ROWS, _MOST_NUMBERS, _PIVOTS = 10_000, 1_500_000, 200
# Rows farther from the middle than so many times the usual are drawn in to there: they would set the components alone.
_FARTHEST = 5.0
# Directions in which there is less than this part of the first component are filled up at random: out of a line no
# slope would lead. Elsewhere copies stay at one place.
_THINNEST = 0.05


def principal_start(inputs: Inputs, d: int, random_state: np.random.Generator) -> np.ndarray | None:
    """Return the first principal components of the rows.

    Where the metric is not the Euclidean distance of some vectors, they are the components of the squared distances
    to some rows, the pivots, centred both ways.

    Parameters
    ----------
    inputs : Inputs
        The rows.
    d : int
        Output dimensions, below n.
    random_state : numpy.random.Generator
        Draws rows.

    Returns
    -------
    ndarray of float64, shape (n, d), or None
        None where not all distances are known.

    References
    ----------
    U. Brandes and C. Pich, "Eigensolver methods for progressive multidimensional scaling of large data", Graph
    Drawing 2006: pivots.

    Examples
    --------
    >>> from latentmap.model.vectors import Vectors
    >>> line = np.arange(5.0)[:, None] * [[0.6, 0.8]]
    >>> places = principal_start(Vectors(line), 1, np.random.default_rng(0))
    >>> np.abs(places[:, 0]).round(2).tolist()
    [2.0, 1.0, 0.0, 1.0, 2.0]
    """
    n = len(inputs)
    drawn = random_state.permutation(n)
    coordinates = inputs.coordinates(np.sort(drawn[:_PIVOTS]))
    if coordinates is None:
        return None
    width = coordinates(slice(0, 1)).shape[1]
    some = coordinates(np.sort(drawn[: max(2, min(_MOST_ROWS, _MOST_NUMBERS // width))]))
    places = np.empty((n, d))
    # More threads of BLAS add up in another order.
    with limited(1, "blas"):
        frame = _Frame.of(some, min(d, *some.shape))
        for batch in gen_batches(n, max(1, CHUNK // width)):
            places[batch] = frame.places(coordinates(batch), d)
    places -= places.mean(axis=0)
    spread = places.std(axis=0)
    first = spread.max(initial=0.0) or 1.0
    return places + np.maximum(0.0, _THINNEST * first - spread) * random_state.standard_normal((n, d))


class _Frame:
    """The middle of some rows, how far from it is far, and the components."""

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
        """Return rows relative to the middle, none farther from it than is far."""
        apart = rows - self.centre
        norms = np.linalg.norm(apart, axis=1, keepdims=True)
        return apart * np.divide(self.farthest, norms, out=np.ones_like(norms), where=norms > self.farthest)

    def places(self, rows: np.ndarray, d: int) -> np.ndarray:
        """Return the components; 0 in dimensions that there are not."""
        found = self.drawn_in(rows) @ self.axes.T
        return np.pad(found, ((0, 0), (0, d - found.shape[1])))


def _axes(rows: np.ndarray, d: int) -> np.ndarray:
    """Return the first d principal axes; scikit-learn's PCA would take a tenth of a second to import."""
    is_tall = len(rows) >= rows.shape[1]
    products = rows.T @ rows if is_tall else rows @ rows.T
    vectors = eigh(products, subset_by_index=(len(products) - d, len(products) - 1))[1][:, ::-1]
    axes = vectors if is_tall else rows.T @ vectors
    axes /= np.maximum(np.linalg.norm(axes, axis=0), np.finfo(float).tiny)
    places = rows @ axes
    # Told by the rows, so that turning them changes nothing.
    signs = np.sign(places[np.abs(places).argmax(axis=0), np.arange(d)])
    return np.asarray((axes * np.where(signs == 0, 1.0, signs)).T)
