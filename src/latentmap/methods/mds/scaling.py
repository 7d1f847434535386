"""Classical scaling: places from squared distances, and places for what comes later."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.utils.extmath import svd_flip

from latentmap.model.limits import limited
from latentmap.model.sentences import warn

# Up to this many rows all eigenvalues are found, beyond it only those of the map.
DENSE_LIMIT = 1000
# Eigenvalues below this part of the largest are rounding, for each row.
_ROUNDING = 1e-15
_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Scaling:
    """The classical map of some rows, and how others are placed on it by their distances to these.

    Newer versions of scikit-learn have a ``ClassicalMDS`` too. It keeps only the eigenvalues of the map, gives NaN
    where one of them is negative, and places no new rows.

    Attributes
    ----------
    places : ndarray of shape (m, d)
        The map; 0 in dimensions that there are not.
    eigenvalues : ndarray
        Of B, the largest first: all up to 1000 rows, the first d beyond.
    strain : float
        What part of the sum of squares of B the map does not have: 0 where it has all.
    mean_squared : ndarray of shape (m,)
        The mean squared distance of each row to all.
    directions : ndarray of shape (m, d)
        What takes differences of squared distances to places.

    References
    ----------
    W. S. Torgerson, "Multidimensional scaling: I. Theory and method", Psychometrika 17, 1952. V. de Silva and J. B.
    Tenenbaum, "Sparse multidimensional scaling using landmark points", Stanford University, 2004.

    Examples
    --------
    Three points on a line, at 0, 1 and 3, and one more at 2:

    >>> line = np.array([[0.0], [1.0], [3.0]])
    >>> scaling = Scaling.of(np.square(line - line.T), 1)
    >>> (scaling.places - scaling.places[0]).round(6).tolist()
    [[0.0], [1.0], [3.0]]
    >>> (scaling.place(np.square(2.0 - line.T)) - scaling.places[0]).round(6).tolist()
    [[2.0]]
    """

    places: np.ndarray
    eigenvalues: np.ndarray
    strain: float
    mean_squared: np.ndarray
    directions: np.ndarray

    @classmethod
    def of(cls, squared: np.ndarray, d: int) -> Scaling:
        """Make the map.

        Parameters
        ----------
        squared : ndarray of float64, shape (m, m)
            Squared distances, symmetric; B is written over them.
        d : int
            Dimensions, below m.

        Returns
        -------
        Scaling
        """
        mean_squared = squared.mean(axis=0)
        B = _centred(squared, mean_squared)
        # More threads of BLAS add up in another order.
        with limited(1, "blas"):
            total = float(np.vdot(B, B))
            values, vectors = _all_eigenvectors(B) if len(B) <= DENSE_LIMIT else _top_eigenvectors(B, d, total)
        vectors = svd_flip(vectors[:, :d], None)[0]
        top = values[:d]
        counts = top > _ROUNDING * len(B) * max(values[0], 0.0)
        if not counts.all():
            _warn_of_missing(int(counts.sum()), d)
        roots = np.sqrt(np.where(counts, top, 0.0))
        inverse = np.divide(1.0, roots, out=np.zeros(d), where=counts)
        strain = 1 - float(np.square(top[counts]).sum()) / total
        return cls(vectors * roots, values, max(strain, 0.0), mean_squared, vectors * inverse)

    def place(self, squared: np.ndarray) -> np.ndarray:
        """Place rows by their distances, de Silva and Tenenbaum's triangulation; a row of the map is put back.

        Parameters
        ----------
        squared : ndarray of shape (r, m)
            Their squared distances to the rows of the map.

        Returns
        -------
        ndarray of shape (r, d)
        """
        # A sum of its own for each row, lest it depend on how many there are.
        return -0.5 * np.einsum("ij,jk->ik", squared - self.mean_squared, self.directions)


def _centred(squared: np.ndarray, mean_squared: np.ndarray) -> np.ndarray:
    """Return B = -H D H / 2, in place."""
    squared -= mean_squared
    squared -= mean_squared[:, None]
    squared += mean_squared.mean()
    squared *= -0.5
    return squared


def _all_eigenvectors(B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = eigh(B)
    return values[::-1], vectors[:, ::-1]


def _top_eigenvectors(B: np.ndarray, d: int, total: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the d largest eigenvalues and their vectors."""
    scale = np.sqrt(total)
    # The tolerance is a part of the eigenvalue sought: moved up by 1, none is 0, and all are found.
    moved = LinearOperator(B.shape, matvec=lambda vector: B @ vector / scale + vector, dtype=B.dtype)
    first = np.random.default_rng(0).standard_normal(len(B))
    values, vectors = eigsh(moved, d, which="LA", v0=first, tol=_TOLERANCE)
    order = np.argsort(values)[::-1]
    return (values[order] - 1) * scale, vectors[:, order]


def _warn_of_missing(found: int, d: int) -> None:
    warn(
        f"n_components (d) = {d}, but these distances span {found} dimension{'s' * (found != 1)} only: no other "
        f"eigenvalue is above 0, and the map is 0 there. Lower n_components to {max(found, 1)}."
    )
