"""Classical scaling of some rows, and placement of all others by their distances to these."""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import isqrt
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import gen_batches

from latentmap.methods.all_pairs import read_all_distances, squared_to
from latentmap.methods.direct_method import DirectMethod, Solving, stage
from latentmap.methods.fields import METRIC, N_COMPONENTS, SEED, Field
from latentmap.methods.mds.scaling import Scaling
from latentmap.methods.method import Method
from latentmap.model import distance_checks, parameter_checks
from latentmap.model.inputs import CHUNK, Inputs
from latentmap.model.lazy_rows import takes_lazy_rows
from latentmap.model.row_precision import keeps_precision
from latentmap.model.state import FitProgress, State
from latentmap.model.third_party_warnings import suppress_third_party_warnings
from latentmap.model.thread_limits import limit_threads
from latentmap.model.vectors import Metric, Vectors

MOST_DISTANCES = 10**8
"""Maximum number of distances between rows and landmarks held in memory: 1.6 GB, two matrices at once."""
CHOICES = ("random", "farthest", "kmeans")
"""Ways to choose landmarks."""
# Rows per centre, and iterations, of k-means: approximate centres are good enough to choose landmarks.
_ROWS_PER_CENTER = 100
_LLOYD_STEPS = 20


class LandmarkMDS(DirectMethod):
    """Classical scaling of some rows, the landmarks; all others are placed by their distances to these.

    It approximates :class:`ClassicalMDS` at a fraction of its cost, for hundreds of thousands of rows.

    Parameters
    ----------
    n_landmarks : int, default=200
        Number of landmarks, at most that of the rows. With more of them the map is closer to that of ClassicalMDS.
    n_components : int, default=2
        Dimensions (d) of the map, below the number of landmarks.
    metric : str or callable, default="euclidean"
        As in :class:`latentmap.LVM`; with "precomputed", X holds the distances between all rows.
    metric_params : dict, default=None
        Additional arguments of the metric.
    landmarks : {"random", "farthest", "kmeans"}, default="random"
        Landmarks are drawn at random, so that most are where most rows are; each is the row farthest from those before,
        which includes outliers; or each is the row nearest to a k-means centre, computed from at most 100 n_landmarks
        rows and only for Euclidean distances. For tables with many columns, random landmarks come much closer to
        ClassicalMDS than the farthest: ``docs/lecture.md`` compares them.
    random_state : int, numpy Generator, RandomState or None, default=0
        Draws the landmarks, or the first of them.
    callback : callable, default=None
        As in :class:`latentmap.LVM`.
    verbose : bool, default=False
        As in :class:`latentmap.LVM`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map.
    landmarks_ : ndarray of int
        Row numbers of the landmarks, in the order in which they were chosen.
    eigenvalues_ : ndarray
        As in :class:`ClassicalMDS`, of the landmarks.
    strain_ : float
        The objective, as in :class:`ClassicalMDS`, of the landmarks alone.
    n_iter_ : int
        1.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Raises
    ------
    ValueError
        In :meth:`fit`, if the data or a parameter is invalid; the message says what to change.

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
    objective_name = "strain"

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
        verbose: bool = False,
    ) -> None:
        self.n_landmarks = n_landmarks
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.landmarks = landmarks
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    @takes_lazy_rows
    @keeps_precision
    def transform(self, X: Any) -> np.ndarray:
        """Place new rows by their distances to the landmarks, as all rows of the map were.

        Parameters
        ----------
        X : array-like of shape (m, D)
            New rows; with ``metric="precomputed"``, their distances to the rows of the map.

        Returns
        -------
        ndarray of shape (m, n_components)
            Their positions.
        """
        table = self._read_new(X)
        if self._is_precomputed:
            table = table[:, self.landmarks_]
        placed = np.empty((len(table), self.embedding_.shape[1]))
        for batch in gen_batches(len(table), max(1, CHUNK // len(self.landmarks_))):
            placed[batch] = self._scaling.place(squared_to(self._inputs, table[batch]))
        return placed

    def _solve(self, X: Any) -> Solving:
        why = f"holds the distances to {self.n_landmarks} landmarks in memory, and accepts more rows with fewer of them"
        # If there are fewer rows than requested landmarks, each row is one.
        most = max(MOST_DISTANCES // self.n_landmarks, min(self.n_landmarks, isqrt(MOST_DISTANCES)))
        inputs = read_all_distances(X, self, most, why=why, arrays=3, columns=self.n_landmarks)
        m = min(self.n_landmarks, len(inputs))
        rng = self._generator()
        yield stage("neighbours")
        if self.landmarks == "farthest":
            chosen, squared = yield from _spread_out(inputs, m, rng)
        else:
            chosen = self._drawn(inputs, m, rng)
            squared = np.square(inputs.distances_from(chosen))
        distance_checks.check_metric_defined(squared.T)
        distance_checks.check_magnitude(np.sqrt(squared))
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
        return np.asarray(rows[_central(inputs.X[rows].astype(float), m, rng)])

    def _check_parameters(self) -> None:
        super()._check_parameters()
        fewest, meaning = self.n_components + 1, "the rows by which all others are placed"
        parameter_checks.check_integer(self.n_landmarks, "n_landmarks", "landmarks", fewest, meaning)
        parameter_checks.check_choice(self.landmarks, "landmarks", CHOICES)
        if self.landmarks == "kmeans" and self.metric != "euclidean":
            raise ValueError(
                'landmarks="kmeans" uses means of rows, which are central only for Euclidean distances, but '
                f'metric="{self.metric}". Choose landmarks="random" or "farthest", or metric="euclidean".'
            )


def _spread_out(
    inputs: Inputs, m: int, rng: np.random.Generator
) -> Generator[FitProgress, None, tuple[np.ndarray, np.ndarray]]:
    """Choose rows, each the farthest from those before, and return their squared distances to all."""
    chosen = np.empty(m, dtype=np.int64)
    squared = np.empty((m, len(inputs)))
    nearest = np.full(len(inputs), np.inf)
    row = int(rng.integers(len(inputs)))
    for number in range(m):
        yield stage("neighbours")
        chosen[number] = row
        squared[number] = np.square(inputs.distances_from(np.array([row]))[0])
        nearest = np.minimum(nearest, squared[number])
        # No row becomes a landmark twice, even if only copies are left.
        nearest[row] = -1.0
        row = int(nearest.argmax())
    return chosen, squared


# With copies there may be fewer distinct rows than centres.
@suppress_third_party_warnings
def _central(table: np.ndarray, m: int, rng: np.random.Generator) -> np.ndarray:
    """Return the row nearest to the centre of each of m clusters, completed by random rows if there are fewer."""
    means = KMeans(m, n_init=1, max_iter=_LLOYD_STEPS, random_state=int(rng.integers(2**31)))
    # With more threads, sums are rounded differently.
    with limit_threads(1):
        labels = means.fit_predict(table)
    away = np.square(table - means.cluster_centers_[labels]).sum(axis=1)
    order = np.lexsort((away, labels))
    chosen = order[np.unique(labels[order], return_index=True)[1]]
    others = np.setdiff1d(np.arange(len(table)), chosen)
    return np.concatenate([chosen, rng.choice(others, m - len(chosen), replace=False)])


METHOD = Method(
    LandmarkMDS,
    "For the map of classical scaling when there are too many cells for it, up to half a million. It compares each"
    " cell with only a few hundred landmark cells, and takes seconds. The fewer features the cells have, or the "
    "more landmarks you allow, the closer it comes to the map of all distances.",
    {
        "n_landmarks": Field(
            "Landmarks",
            "How many cells are landmarks, from d + 1; usually 50 to 1000. More landmarks come closer to the map "
            "of all distances and take longer.",
            minimum=2,
            maximum=10_000,
            is_whole=True,
        ),
        "n_components": N_COMPONENTS,
        "metric": METRIC,
        "landmarks": Field(
            "Chosen",
            "Which cells are landmarks: each the farthest from those before, a random sample, or the central cell "
            "of each k-means cluster. The farthest reach the edges; random ones are faster and less sensitive to "
            "outliers; k-means needs Euclidean distances.",
            choices=(("the farthest", "farthest"), ("at random", "random"), ("by k-means", "kmeans")),
            is_advanced=True,
        ),
        "random_state": SEED,
    },
    has_meaningful_axes=True,
)
