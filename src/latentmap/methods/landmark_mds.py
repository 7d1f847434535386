"""Classical scaling of some rows, and all others placed by their distances to these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from latentmap.methods.all_pairs import read_all, squared_to
from latentmap.methods.one_shot import OneShot, Solving, stage
from latentmap.methods.scaling import Scaling
from latentmap.model import checks
from latentmap.model.inputs import CHUNK, Inputs
from latentmap.model.state import State
from latentmap.model.vectors import Metric

MOST_DISTANCES = 10**8
"""Distances between rows and landmarks that are held in memory: 800 MB."""
CHOICES = ("farthest", "random")
"""Ways to choose landmarks."""


class LandmarkMDS(OneShot):
    """Classical scaling of some rows, the landmarks; all others are placed by their distances to these.

    It comes close to :class:`ClassicalMDS` at a small part of its price, and takes a million rows.

    Parameters
    ----------
    n_landmarks : int, default=100
        Rows that are landmarks; all of them where there are no more. With more of them the map comes closer to that of
        ClassicalMDS.
    n_components : int, default=2
        Dimensions (d) of the map, below the number of landmarks.
    metric : str or callable, default="euclidean"
        As in :class:`latentmap.LVM`; with "precomputed", X holds the distances between all rows.
    metric_params : dict, default=None
        Further arguments of the metric.
    landmarks : {"farthest", "random"}, default="farthest"
        Each landmark is the row farthest from those before, which spreads them out to the outliers too; or they are
        drawn at random, where most rows are.
    random_state : int, numpy Generator, RandomState or None, default=0
        Chooses the first landmark, or all of them.
    callback : callable, default=None
        As in :class:`latentmap.LVM`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map.
    landmarks_ : ndarray of int
        Rows that are landmarks, in the order in which they were chosen.
    eigenvalues_ : ndarray
        As in :class:`ClassicalMDS`, of the landmarks.
    strain_ : float
        The objective, as in :class:`ClassicalMDS`: that of the landmarks alone.
    n_iter_ : int
        1.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Raises
    ------
    ValueError
        In :meth:`fit`, if the data or a parameter cannot be used; the sentence says what to change.

    References
    ----------
    V. de Silva and J. B. Tenenbaum, "Sparse multidimensional scaling using landmark points", Stanford University, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> LandmarkMDS(20).fit_transform(load_iris().data).shape
    (150, 2)
    """

    def __init__(
        self,
        n_landmarks: int = 100,
        n_components: int = 2,
        *,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        landmarks: str = "farthest",
        random_state: Any = 0,
        callback: Callable[[State], Any] | None = None,
    ) -> None:
        self.n_landmarks = n_landmarks
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.landmarks = landmarks
        self.random_state = random_state
        self.callback = callback

    def transform(self, X: Any) -> np.ndarray:
        """Place rows by their distances to the landmarks, as all rows of the map were.

        Parameters
        ----------
        X : array-like of shape (m, D)
            New rows; with ``metric="precomputed"`` their distances to the rows the map was made from.

        Returns
        -------
        ndarray of shape (m, n_components)
        """
        table = self._read_new(X)
        if self._is_precomputed:
            table = table[:, self.landmarks_]
        placed = np.empty((len(table), self.embedding_.shape[1]))
        for batch in gen_batches(len(table), max(1, CHUNK // len(self.landmarks_))):
            placed[batch] = self._scaling.place(squared_to(self._inputs, table[batch]))
        return placed

    def _solve(self, X: Any) -> Solving:
        inputs = read_all(X, self, MOST_DISTANCES // self.n_landmarks, why="holds the distances to all landmarks")
        m = min(self.n_landmarks, len(inputs))
        rng = self._generator()
        yield stage("neighbours")
        if self.landmarks == "farthest":
            chosen, squared = _spread_out(inputs, m, rng)
        else:
            chosen = rng.choice(len(inputs), m, replace=False)
            squared = np.square(inputs.distances_from(chosen))
        checks.check_defined(squared.T)
        yield stage("start")
        between = squared[:, chosen]
        between = (between + between.T) / 2
        np.fill_diagonal(between, 0.0)
        scaling = Scaling.of(between, self.n_components)
        self.landmarks_, self.eigenvalues_, self.strain_ = chosen, scaling.eigenvalues, scaling.strain
        self._inputs, self._scaling = inputs.subset(chosen), scaling
        return scaling.place(squared.T), scaling.strain

    def _check_parameters(self) -> None:
        super()._check_parameters()
        fewest, meaning = self.n_components + 1, "the rows that all others are placed by"
        checks.check_integer(self.n_landmarks, "n_landmarks", "landmarks", fewest, meaning)
        checks.check_choice(self.landmarks, "landmarks", CHOICES)


def _spread_out(inputs: Inputs, m: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of which each is the farthest from those before, and the squared distances from them to all."""
    chosen = np.empty(m, dtype=np.int64)
    squared = np.empty((m, len(inputs)))
    nearest = np.full(len(inputs), np.inf)
    row = int(rng.integers(len(inputs)))
    for number in range(m):
        chosen[number] = row
        squared[number] = np.square(inputs.distances_from(np.array([row]))[0])
        nearest = np.minimum(nearest, squared[number])
        # A row is no landmark twice, even where copies leave no other.
        nearest[row] = -1.0
        row = int(nearest.argmax())
    return chosen, squared
