"""Classical scaling: positions from squared distances, and positions of further rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.utils.extmath import svd_flip

from latentmap.model.data_warnings import warn_user
from latentmap.model.thread_limits import limit_threads

# Up to this many rows all eigenvalues are computed, beyond only those of the map.
DENSE_LIMIT = 1000
# Eigenvalues below n times this fraction of the largest are rounding.
_ROUNDING = 1e-15
_TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Scaling:
    """The classical map of some rows, on which others can be placed by their distances to these.

    Newer versions of scikit-learn also have a ``ClassicalMDS``. It keeps only the eigenvalues of the map, gives NaN
    if one of them is negative, and does not place new rows.

    Attributes
    ----------
    positions : ndarray of shape (m, d)
        The map; 0 in missing dimensions.
    eigenvalues : ndarray
        Of B, in descending order: all for up to 1000 rows, the first d beyond.
    strain : float
        The fraction of the sum of squares of B that the map does not explain.
    mean_squared : ndarray of shape (m,)
        The mean squared distance of each row to all.
    directions : ndarray of shape (m, d)
        The matrix that maps differences of squared distances to positions.

    References
    ----------
    W. S. Torgerson, "Multidimensional scaling: I. Theory and method", Psychometrika 17, 1952. V. de Silva and J. B.
    Tenenbaum, "Sparse multidimensional scaling using landmark points", Stanford University, 2004.

    Examples
    --------
    Three points on a line, at 0, 1 and 3, and one more at 2:

    >>> line = np.array([[0.0], [1.0], [3.0]])
    >>> scaling = Scaling.of(np.square(line - line.T), 1)
    >>> (scaling.positions - scaling.positions[0]).round(6).tolist()
    [[0.0], [1.0], [3.0]]
    >>> (scaling.place(np.square(2.0 - line.T)) - scaling.positions[0]).round(6).tolist()
    [[2.0]]
    """

    positions: np.ndarray
    eigenvalues: np.ndarray
    strain: float
    mean_squared: np.ndarray
    directions: np.ndarray

    @classmethod
    def of(cls, squared: np.ndarray, d: int) -> Scaling:
        """Make a map of d dimensions, below m, from symmetric squared distances, (m, m), which B overwrites."""
        mean_squared = squared.mean(axis=0)
        B = _centred(squared, mean_squared)
        # With more threads, BLAS sums in another order.
        with limit_threads(1, "blas"):
            total = float(np.vdot(B, B))
            if total == 0:
                raise ValueError(
                    "The rows by whose distances the map is scaled lie at distance 0 from each other, or so close that "
                    "the powers of their distances vanish. Change the unit of the columns; if many rows are copies of "
                    "one, leave the copies out or take more landmarks."
                )
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
        """Place rows by their squared distances to those of the map, (r, m): de Silva and Tenenbaum's triangulation.

        The rows of the map keep their positions.
        """
        # A separate sum for each row, so that it does not depend on how many there are.
        return np.asarray(-0.5 * np.einsum("ij,jk->ik", squared - self.mean_squared, self.directions))


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
    """Return the d largest eigenvalues and their eigenvectors."""
    scale = np.sqrt(total)
    # The tolerance is relative to the eigenvalue; shifted by 1, none is 0, so that all are found.
    moved = LinearOperator(B.shape, matvec=lambda vector: B @ vector / scale + vector, dtype=B.dtype)
    first = np.random.default_rng(0).standard_normal(len(B))
    values, vectors = eigsh(moved, d, which="LA", v0=first, tol=_TOLERANCE)
    order = np.argsort(values)[::-1]
    return (values[order] - 1) * scale, vectors[:, order]


def _warn_of_missing(found: int, d: int) -> None:
    warn_user(
        f"n_components (d) = {d}, but these distances span only {found} dimension{'s' * (found != 1)}: no other "
        f"eigenvalue is above 0, and the map is 0 there. Lower n_components to {max(found, 1)}."
    )
