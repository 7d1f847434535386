"""Classical scaling of some rows, and all others placed by their distances to these."""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import isqrt
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import gen_batches

from latentmap.methods.all_pairs import read_all, squared_to
from latentmap.methods.fields import METRIC, N_COMPONENTS, SEED, Field
from latentmap.methods.mds.scaling import Scaling
from latentmap.methods.method import Method
from latentmap.methods.one_shot import OneShot, Solving, stage
from latentmap.model import parameter_checks, row_checks
from latentmap.model.inputs import CHUNK, Inputs
from latentmap.model.limits import limited
from latentmap.model.quiet import quiet
from latentmap.model.state import Progress, State
from latentmap.model.vectors import Metric, Vectors

MOST_DISTANCES = 10**8
"""Distances between rows and landmarks that are held in memory: 1.6 GB, two matrices at once."""
CHOICES = ("random", "farthest", "kmeans")
"""Ways to choose landmarks."""
# Rows for each centre and iterations that k-means gets: centres that are nearly right choose landmarks as well.
_ROWS_PER_CENTER = 100
_LLOYD_STEPS = 20


class LandmarkMDS(OneShot):
    """Classical scaling of some rows, the landmarks; all others are placed by their distances to these.

    It comes close to :class:`ClassicalMDS` at a small part of its price, for hundreds of thousands of rows.

    Parameters
    ----------
    n_landmarks : int, default=200
        Rows that are landmarks; all of them where there are no more. With more of them the map comes closer to that of
        ClassicalMDS.
    n_components : int, default=2
        Dimensions (d) of the map, below the number of landmarks.
    metric : str or callable, default="euclidean"
        As in :class:`latentmap.LVM`; with "precomputed", X holds the distances between all rows.
    metric_params : dict, default=None
        Further arguments of the metric.
    landmarks : {"random", "farthest", "kmeans"}, default="random"
        Landmarks are drawn at random, so that most are where most rows are; each is the row farthest from those
        before, which spreads them out to the odd ones; or each is the row nearest to one of so many centres that
        k-means finds among at most 100 n_landmarks rows, by Euclidean distances alone. Of tables with many columns
        random ones come much closer to ClassicalMDS than the farthest: ``docs/lecture.md`` compares them.
    random_state : int, numpy Generator, RandomState or None, default=0
        Draws the landmarks, or the first of them.
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

    title = "Landmark scaling"
    sought = "strain"

    def __init__(
        self,
        n_landmarks: int = 200,
        n_components: int = 2,
        *,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        landmarks: str = "random",
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
        why = f"holds the distances to {self.n_landmarks} landmarks in memory, and takes more rows with fewer of them"
        # Of fewer rows than landmarks asked for, each is one.
        most = max(MOST_DISTANCES // self.n_landmarks, min(self.n_landmarks, isqrt(MOST_DISTANCES)))
        inputs = read_all(X, self, most, why=why)
        m = min(self.n_landmarks, len(inputs))
        rng = self._generator()
        yield stage("neighbours")
        if self.landmarks == "farthest":
            chosen, squared = yield from _spread_out(inputs, m, rng)
        else:
            chosen = self._drawn(inputs, m, rng)
            squared = np.square(inputs.distances_from(chosen))
        row_checks.check_defined(squared.T)
        row_checks.check_usual(np.sqrt(squared))
        yield stage("start")
        between = squared[:, chosen]
        between = (between + between.T) / 2
        np.fill_diagonal(between, 0.0)
        scaling = Scaling.of(between, self.n_components)
        self.landmarks_, self.eigenvalues_, self.strain_ = chosen, scaling.eigenvalues, scaling.strain
        self._inputs, self._scaling = inputs.subset(chosen), scaling
        return scaling.place(squared.T), scaling.strain

    def _drawn(self, inputs: Inputs, m: int, rng: np.random.Generator) -> np.ndarray:
        if self.landmarks == "random":
            return rng.choice(len(inputs), m, replace=False)
        assert isinstance(inputs, Vectors)
        rows = rng.choice(len(inputs), min(len(inputs), _ROWS_PER_CENTER * m), replace=False)
        return rows[_central(inputs.X[rows].astype(float), m, rng)]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        fewest, meaning = self.n_components + 1, "the rows that all others are placed by"
        parameter_checks.check_integer(self.n_landmarks, "n_landmarks", "landmarks", fewest, meaning)
        parameter_checks.check_choice(self.landmarks, "landmarks", CHOICES)
        if self.landmarks == "kmeans" and self.metric != "euclidean":
            raise ValueError(
                'landmarks="kmeans" takes means of rows, which are central by Euclidean distances alone, but '
                f'metric="{self.metric}". Choose landmarks="random" or "farthest", or metric="euclidean".'
            )


def _spread_out(
    inputs: Inputs, m: int, rng: np.random.Generator
) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray]]:
    """Return rows of which each is the farthest from those before, and the squared distances from them to all."""
    chosen = np.empty(m, dtype=np.int64)
    squared = np.empty((m, len(inputs)))
    nearest = np.full(len(inputs), np.inf)
    row = int(rng.integers(len(inputs)))
    for number in range(m):
        yield stage("neighbours")
        chosen[number] = row
        squared[number] = np.square(inputs.distances_from(np.array([row]))[0])
        nearest = np.minimum(nearest, squared[number])
        # A row is no landmark twice, even where copies leave no other.
        nearest[row] = -1.0
        row = int(nearest.argmax())
    return chosen, squared


# Copies may leave fewer distinct rows than centres.
@quiet
def _central(table: np.ndarray, m: int, rng: np.random.Generator) -> np.ndarray:
    """Return the row nearest to the centre of each of m clusters; where there are fewer, random ones of the others."""
    means = KMeans(m, n_init=1, max_iter=_LLOYD_STEPS, random_state=int(rng.integers(2**31)))
    # More threads add up in another order.
    with limited(1):
        labels = means.fit_predict(table)
    away = np.square(table - means.cluster_centers_[labels]).sum(axis=1)
    order = np.lexsort((away, labels))
    chosen = order[np.unique(labels[order], return_index=True)[1]]
    others = np.setdiff1d(np.arange(len(table)), chosen)
    return np.concatenate([chosen, rng.choice(others, m - len(chosen), replace=False)])


METHOD = Method(
    LandmarkMDS,
    "For the map of classical scaling when there are too many cells for it, up to half a million. It "
    "compares each cell with some hundred landmark cells only, and takes seconds. The fewer features "
    "the cells have, or the more landmarks you allow, the nearer it comes to the map of all "
    "distances.",
    {
        "n_landmarks": Field(
            "Landmarks",
            "How many cells are landmarks, from d + 1; usual are 50 to 1000. As they grow, the map nears that "
            "of all distances and takes longer.",
            least=2,
            most=10_000,
            is_whole=True,
        ),
        "n_components": N_COMPONENTS,
        "metric": METRIC,
        "landmarks": Field(
            "Chosen",
            "Which cells are landmarks: each the farthest from those before, any at random, or the one in the "
            "middle of each of so many clusters. The farthest reach the edges; at random is faster and minds "
            "strays less; k-means needs Euclidean distances.",
            choices=(("the farthest", "farthest"), ("at random", "random"), ("by k-means", "kmeans")),
            is_seldom=True,
        ),
        "random_state": SEED,
    },
)
