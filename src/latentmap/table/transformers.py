"""The steps that prepare features, as scikit-learn transformers, so that new rows are treated like the first ones."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.impute import KNNImputer

from latentmap.table.cells import CellTable
from latentmap.table.wording import listed, shortened_list

N_SIMILAR = 5
"""The number of similar cells whose mean fills a gap."""


class SelectedFeatures(NamedTuple):
    """The features of some rows.

    Attributes
    ----------
    values : ndarray of float64, shape (n, n_features)
    refused : ndarray of bool, shape (n,)
        Which rows must be left out.
    why : str
        The reasons, with numbers of rows; "" if no row must be left out.
    """

    values: np.ndarray
    refused: np.ndarray
    why: str


class Features(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Selects the features that shape a map from a table, by name.

    Parameters
    ----------
    names : tuple of str
        The features, in the order of the columns returned.
    fills : bool
        Whether a later step fills gaps: then gaps and infinite values pass as NaN. Otherwise their rows are refused.
    above : float or None
        Rows with a value up to this one are refused, because it has no logarithm.

    Raises
    ------
    ValueError
        In ``fit`` and ``transform``, if a column is missing or not numeric, or rows must be left out; the message names
        the columns and counts the rows.

    Examples
    --------
    >>> rows = pd.DataFrame({"area": [4, 5], "name": ["a", "b"], "DNA": [0.5, 1.5]})
    >>> Features(("DNA", "area")).fit_transform(rows)
    array([[0.5, 4. ],
           [1.5, 5. ]])
    """

    def __init__(self, names: tuple[str, ...], fills: bool = False, above: float | None = None) -> None:
        self.names = names
        self.fills = fills
        self.above = above

    def fit(self, X: Any, y: Any = None) -> Self:
        """Record the number of features; X is a table that has them, y is ignored."""
        self.n_features_in_ = len(self.names)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the features as numbers.

        Parameters
        ----------
        X : DataFrame, or array-like of shape (n, n_features) with the features in their order

        Returns
        -------
        ndarray of float64, shape (n, n_features)
        """
        found = self.inspect(X)
        if n := int(found.refused.sum()):
            raise ValueError(f"{n} of {len(found.refused)} rows cannot be placed: {found.why}. Leave them out.")
        return found.values

    def inspect(self, X: Any) -> SelectedFeatures:
        """Return the features, and which rows must be left out.

        Parameters
        ----------
        X : DataFrame, or array-like of shape (n, n_features) with the features in their order

        Raises
        ------
        ValueError
            If a column is missing, not numeric, or there twice.
        """
        values = self._numbers(X)
        gaps, infinite = np.isnan(values), np.isinf(values)
        if self.fills:
            values = np.where(infinite, np.nan, values)
            gaps = infinite = np.zeros_like(gaps)
        low = np.zeros_like(gaps) if self.above is None else (values <= self.above) & ~infinite
        reasons = {
            "no number in": gaps,
            "infinite in": infinite,
            "too low for the logarithm in": low,
        }
        why = "; ".join(
            f"{words} {shortened_list(said)}"
            for words, bad in reasons.items()
            if (said := worst_features(bad, self.names))
        )
        return SelectedFeatures(values, (gaps | infinite | low).any(axis=1), why)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the features."""
        return np.array(self.names, dtype=object)

    def _numbers(self, X: Any) -> np.ndarray:
        if not isinstance(X, pd.DataFrame):
            array = np.asarray(X)
            if array.ndim != 2 or array.shape[1] != len(self.names):
                raise ValueError(
                    f"The map was made of {len(self.names)} features, but the rows have the shape {array.shape}: give "
                    f"a DataFrame with the columns {listed(self.names)}."
                )
            X = pd.DataFrame(array, columns=list(self.names))
        names = list(self.names)
        CellTable(X).require_features(names)
        # In the same memory order however the table stores them: the last bits of sums depend on it.
        values = np.ascontiguousarray(X[names].to_numpy(dtype=float, na_value=np.nan))
        if values.shape[1] != len(names):
            twice = X.columns[X.columns.duplicated()].intersection(names)
            raise ValueError(f"The table has more than one column {listed(list(map(str, twice)))}: keep one.")
        return values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.fills
        return tags


class Medians(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Fills gaps with the median of the first cells.

    It does what scikit-learn's SimpleImputer does, in a tenth of the time.

    Examples
    --------
    >>> Medians().fit(np.array([[1.0], [2.0], [9.0]])).transform(np.array([[np.nan], [7.0]]))
    array([[2.],
           [7.]])
    """

    def fit(self, X: np.ndarray, y: Any = None) -> Self:
        """Compute the medians; X has NaN for gaps, y is ignored."""
        self.medians_ = pd.DataFrame(X).median().to_numpy()
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Return X with its gaps filled."""
        return np.where(np.isnan(X), self.medians_, X)


class SimilarCells(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Fills gaps with the mean of the most similar of the first cells, whatever the features' units.

    Examples
    --------
    >>> first = np.column_stack([np.arange(8.0), 10 * np.arange(8.0)])
    >>> SimilarCells().fit(first).transform(np.array([[2.0, np.nan], [3.0, 7.0]]))
    array([[ 2., 20.],
           [ 3.,  7.]])
    """

    def fit(self, X: np.ndarray, y: Any = None) -> Self:
        """Keep the cells; X has NaN for gaps, y is ignored."""
        known = pd.DataFrame(X)
        # Scaled, so that no unit outweighs another.
        self.scale_ = known.std(ddof=0).replace(0, 1).to_numpy()
        self.range_ = known.min().to_numpy(), known.max().to_numpy()
        self.imputer_ = KNNImputer(n_neighbors=N_SIMILAR).fit(X / self.scale_)
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Return X with its gaps filled."""
        gaps = np.isnan(X)
        if not gaps.any():
            return X
        # A mean of equal numbers may differ from them in the last digit, which would change their ranks.
        means = np.clip(self.imputer_.transform(X / self.scale_) * self.scale_, *self.range_)
        return np.where(gaps, means, X)


class Ranks(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns each value into its rank among those of the first cells, from 0 to 1, and interpolates between them.

    Examples
    --------
    >>> Ranks().fit(np.array([[10.0], [20.0], [30.0], [50.0]])).transform(np.array([[5.0], [30.0], [40.0]]))
    array([[0.125],
           [0.625],
           [0.75 ]])
    """

    def fit(self, X: np.ndarray, y: Any = None) -> Self:
        """Keep each feature's values, sorted; y is ignored."""
        self.known_ = []
        for column in X.T:
            values, counts = np.unique(column, return_counts=True)
            self.known_.append((values, (np.cumsum(counts) - counts / 2) / len(X)))
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Return the ranks."""
        return np.array([np.interp(column, *known) for column, known in zip(X.T, self.known_, strict=True)]).T


def arcsinh(values: np.ndarray, cofactor: float) -> np.ndarray:
    """Return arcsinh(x / cofactor)."""
    return np.arcsinh(values / cofactor)


def worst_features(bad: np.ndarray, names: tuple[str, ...] | list[str]) -> list[str]:
    """List the features with bad values and how many rows each affects, the worst first.

    Parameters
    ----------
    bad : ndarray of bool, shape (n, n_features)
    names : sequence of str

    Examples
    --------
    >>> worst_features(np.array([[True, True], [False, True], [False, False]]), ["area", "DNA"])
    ['DNA (2)', 'area (1)']
    """
    counts = bad.sum(axis=0)
    return [f"{names[place]} ({counts[place]})" for place in np.argsort(-counts, kind="stable") if counts[place]]
