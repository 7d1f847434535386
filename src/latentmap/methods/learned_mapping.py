"""A mapping learned from rows and their positions, to place new rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from latentmap.model import parameter_checks, size_checks, table_checks
from latentmap.model.data_warnings import listed
from latentmap.model.lazy_rows import takes_lazy_rows
from latentmap.model.row_precision import keeps_precision
from latentmap.model.thread_limits import limit_threads
from latentmap.model.validation import read_table
from latentmap.model.vectors import Vectors

MOST_ROWS_OF_KERNEL = 10_000
"""Maximum number of rows of a kernel, which holds all pairs in memory: a matrix of 800 MB."""
REGRESSORS = ("neighbors", "kernel", "network")
"""Ways to learn the mapping."""
# The candidate widths of the kernel, in units of the distance of the k-th neighbour, and its regularisation.
_WIDTHS = (1.0, 2.0, 4.0, 8.0)
_SMOOTHINGS = (1e-4, 1e-2)
_FOLDS = 3
# The network, its epochs, and the fewest rows for which some are held out for early stopping.
_LAYERS, _EPOCHS, _ENOUGH_TO_SPARE = (100, 100), 1000, 100


# scikit-learn has no types.
class LearnedMapping(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A mapping f from rows to positions, learned so that f(x_i) is close to y_i.

    It places new rows on any map, including those of methods that have no ``transform``.

    Parameters
    ----------
    regressor : {"neighbors", "kernel", "network"} or scikit-learn regressor, default="neighbors"
        The mean position of the nearest rows, weighted by inverse distance, which reproduces the rows of the map; ridge
        regression with a Gaussian kernel, whose width is cross-validated, for up to 10 000 rows; a neural network, the
        slowest to learn and fastest to place; or any other regressor with several outputs.
    n_neighbors : int, default=10
        Neighbours (k) of "neighbors", and of the unit in which "kernel" chooses its width.
    random_state : int, RandomState or None, default=0
        Initialises the network.

    Attributes
    ----------
    regressor_ : object
        The fitted regressor.
    embedding_ : ndarray of shape (n, d)
        The positions from which it was learned.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Raises
    ------
    ValueError
        In :meth:`fit`, if the data or a parameter is invalid; the message says what to change.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentmap.methods import LaplacianEigenmaps
    >>> X = load_iris().data
    >>> positions = LaplacianEigenmaps(9, metric="manhattan").fit_transform(X[::2])
    >>> LearnedMapping().fit(X[::2], positions).transform(X[1::2]).shape
    (75, 2)
    """

    def __init__(self, regressor: Any = "neighbors", *, n_neighbors: int = 10, random_state: Any = 0) -> None:
        self.regressor = regressor
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the mapping.

        Parameters
        ----------
        X : array-like of shape (n, D)
            The rows of the map.
        y : array-like of shape (n, d)
            Their positions, ``embedding_`` of the map. Rows with NaN are ignored.

        Returns
        -------
        Self
            Itself.
        """
        parameter_checks.check_integer(self.n_neighbors, "n_neighbors", "k", 1, "the neighbours of each row")
        table = read_table(X, self, False).astype(float, copy=False)
        positions = _read_positions(y, len(table))
        known = np.isfinite(positions).all(axis=1)
        table, positions = table[known], positions[known]
        size_checks.check_size(len(table), 1)
        regressor = self._made(table, min(self.n_neighbors, len(table) - 1))
        validate_data(self, X, skip_check_array=True)
        # With more threads, BLAS sums in another order.
        with limit_threads(1, "blas"):
            self.regressor_ = regressor.fit(table, positions)
        self.embedding_ = positions
        return self

    @takes_lazy_rows
    @keeps_precision
    def transform(self, X: Any) -> np.ndarray:
        """Return f(x) for each row.

        Parameters
        ----------
        X : array-like of shape (m, D)
            Rows with the same columns.

        Returns
        -------
        ndarray of shape (m, d)
            Their positions.
        """
        check_is_fitted(self, "regressor_")
        table = read_table(X, self, False).astype(float, copy=False)
        validate_data(self, X, reset=False, skip_check_array=True)
        with limit_threads(1, "blas"):
            return np.asarray(self.regressor_.predict(table)).reshape(len(table), -1)

    def _made(self, table: np.ndarray, k: int) -> Any:
        if not isinstance(self.regressor, str):
            if not is_regressor(self.regressor):
                raise ValueError(
                    f"regressor is {self.regressor!r}; it must be one of {listed(REGRESSORS)}, or a "
                    "scikit-learn regressor."
                )
            return clone(self.regressor)
        parameter_checks.check_choice(self.regressor, "regressor", REGRESSORS)
        if self.regressor == "neighbors":
            return KNeighborsRegressor(k, weights="distance")
        if self.regressor == "kernel":
            return self._kernel(table, k)
        network = MLPRegressor(
            hidden_layer_sizes=_LAYERS,
            max_iter=_EPOCHS,
            early_stopping=len(table) >= _ENOUGH_TO_SPARE,
            random_state=self.random_state,
        )
        return TransformedTargetRegressor(make_pipeline(StandardScaler(), network), transformer=StandardScaler())

    def _kernel(self, table: np.ndarray, k: int) -> Any:
        if len(table) > MOST_ROWS_OF_KERNEL:
            raise ValueError(
                f'regressor="kernel" holds all pairs of rows in memory: it takes up to {MOST_ROWS_OF_KERNEL} rows, but '
                f'there are {len(table)}. Choose some of them, or use regressor="neighbors".'
            )
        table_checks.check_not_all_equal(table)
        farthest = Vectors(table).kneighbors(k).distances[:, -1]
        unit = float(np.median(farthest[farthest > 0])) if farthest.any() else float(table.std())
        gammas = [0.5 / (width * unit) ** 2 for width in _WIDTHS]
        folds = KFold(_FOLDS, shuffle=True, random_state=0)
        search = GridSearchCV(KernelRidge(kernel="rbf"), {"gamma": gammas, "alpha": _SMOOTHINGS}, cv=folds)
        # Far from all rows f tends to 0, so the positions are centred.
        return TransformedTargetRegressor(search, transformer=StandardScaler())

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _read_positions(y: Any, n: int) -> np.ndarray:
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None. Give the positions of the rows, such as embedding_ of "
            "a map."
        )
    positions = np.asarray(y, dtype=float)
    positions = positions[:, None] if positions.ndim == 1 else positions
    if positions.ndim != 2 or len(positions) != n:
        raise ValueError(
            f"The positions have the shape {positions.shape}, but X has {n} rows. Give one position for each row, such "
            f"as "
            "embedding_ of a map of X."
        )
    return positions
