"""What every method does alike: a fit is a generator of states, and everything else drives it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from latentmap.model.intake import read_table
from latentmap.model.state import Progress, State


class Stepwise(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """An estimator of scikit-learn whose fit is a generator of states.

    Each method says in words what it is called, ``title``, and what it raises or lowers, ``sought``.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map, once there is one.
    """

    title: ClassVar[str]
    sought: ClassVar[str] = "cost"

    embedding_: np.ndarray
    random_state: Any
    callback: Callable[[State], Any] | None

    @abstractmethod
    def iter_fit(self, X: Any, y: Any = None) -> Generator[Progress, None, None]:
        """Make the map, step by step; closing the generator early keeps the last state as the result."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Make the map.

        Parameters
        ----------
        X : array-like of shape (n, D)
            One row for each cell; distances if ``metric="precomputed"``.
        y : object, optional
            What else the method learns from; most ignore it.

        Returns
        -------
        Self
            Itself.
        """
        with closing(self.iter_fit(X, y)) as steps:
            for progress in steps:
                if self.callback is not None and progress.state is not None and self.callback(progress.state):
                    break
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Make the map and return it.

        Parameters
        ----------
        X : array-like of shape (n, D)
            As in :meth:`fit`.
        y : object, optional
            As in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n, n_components)
        """
        return self.fit(X, y).embedding_

    def remarks(self) -> list[str]:
        """Say what the fit has found out about its map, beside the map itself.

        Returns
        -------
        list of str
            Sentences for the user; mostly none.
        """
        return []

    def _generator(self) -> np.random.Generator:
        """Return the generator that ``random_state`` stands for."""
        if isinstance(self.random_state, np.random.RandomState):
            return np.random.default_rng(self.random_state.randint(2**31))
        return np.random.default_rng(self.random_state)

    def _read_new(self, X: Any) -> Any:
        """Return new rows as a table, if there is a map and they have its columns."""
        check_is_fitted(self, "embedding_")
        table = read_table(X, self, self._is_precomputed)
        validate_data(self, X, reset=False, skip_check_array=True)
        return table

    @property
    def _is_precomputed(self) -> bool:
        metric = getattr(self, "metric", None)
        return isinstance(metric, str) and metric == "precomputed"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self._is_precomputed
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]
