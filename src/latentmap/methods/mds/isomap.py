"""Isomap: classical scaling of distances along the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.csgraph import dijkstra
from sklearn.utils import gen_batches

from latentmap.methods.all_pairs import read_all_distances
from latentmap.methods.direct_method import DirectMethod, Solving, stage
from latentmap.methods.fields import METRIC, N_COMPONENTS, neighbors_field
from latentmap.methods.mds.scaling import Scaling
from latentmap.methods.method import Method
from latentmap.model import distance_checks
from latentmap.model.graph import joined_neighbors
from latentmap.model.inputs import CHUNK
from latentmap.model.lazy_rows import takes_lazy_rows
from latentmap.model.narrow_indices import narrow_indices
from latentmap.model.row_precision import keeps_precision
from latentmap.model.state import State
from latentmap.model.vectors import Metric

MOST_ROWS = 10_000
"""Maximum number of rows, since all pairs are held in memory: 1.6 GB, two matrices at once."""
# Rows whose shortest paths are computed at once; a fit can be stopped between these batches.
_ROWS = 250


class Isomap(DirectMethod):
    """A map of the distances along the data, from neighbour to neighbour.

    The shortest paths through the graph of neighbours replace straight distances in :class:`ClassicalMDS`. A
    disconnected graph is joined by its shortest bridges. It counts every pair, for up to 10 000 rows.

    Parameters
    ----------
    n_neighbors : int, default=7
        Neighbours (k) of each row. Too many make short cuts between sheets that merely come close to each other.
    n_components : int, default=2
        Dimensions (d) of the map.
    metric : str or callable, default="euclidean"
        As in :class:`latentmap.LVM`; with "precomputed", X holds the distances between all rows.
    metric_params : dict, default=None
        Additional arguments of the metric.
    n_jobs : int or None, default=-1
        Threads of the neighbour search; -1 uses all cores. The map does not depend on it.
    callback : callable, default=None
        As in :class:`latentmap.LVM`.
    verbose : bool, default=False
        As in :class:`latentmap.LVM`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map.
    distances_ : ndarray of float64, shape (n, n)
        Lengths of the shortest paths.
    eigenvalues_ : ndarray
        As in :class:`ClassicalMDS`.
    strain_ : float
        The objective, as in :class:`ClassicalMDS`.
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
    J. B. Tenenbaum, V. de Silva and J. C. Langford, "A global geometric framework for nonlinear dimensionality
    reduction", Science 290, 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> Isomap(9).fit_transform(load_iris().data).shape
    (150, 2)
    """

    title = "Isomap"
    objective_name = "strain"

    def __init__(
        self,
        n_neighbors: int = 7,
        n_components: int = 2,
        *,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = -1,
        callback: Callable[[State], Any] | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    @takes_lazy_rows
    @keeps_precision
    def transform(self, X: Any) -> np.ndarray:
        """Place new rows on the finished map by the shortest paths to all its rows, via their neighbours among these.

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
        found = self._inputs.query(table, self._k)
        placed = np.empty((len(found.indices), self.embedding_.shape[1]))
        for batch in gen_batches(len(placed), max(1, CHUNK // (self._k * len(self.distances_)))):
            paths = self.distances_[found.indices[batch]] + found.distances[batch, :, None]
            placed[batch] = self._scaling.place(np.square(paths.min(axis=1)))
        return placed

    def _solve(self, X: Any) -> Solving:
        inputs = read_all_distances(X, self, MOST_ROWS, arrays=2.5)
        k = self._fitting_neighbors(len(inputs))
        yield stage("neighbours")
        neighbors = inputs.kneighbors(k)
        distance_checks.check_neighbors(neighbors.distances)
        graph = narrow_indices(joined_neighbors(inputs, neighbors))
        distances = np.empty(graph.shape)
        for batch in gen_batches(len(inputs), _ROWS):
            yield stage("graph")
            distances[batch] = dijkstra(graph, directed=False, indices=np.arange(batch.start, batch.stop))
        yield stage("start")
        scaling = Scaling.of(np.square(distances), self.n_components)
        self.distances_, self.eigenvalues_, self.strain_ = distances, scaling.eigenvalues, scaling.strain
        self._inputs, self._scaling, self._k = inputs, scaling, k
        return scaling.positions, scaling.strain


METHOD = Method(
    Isomap,
    "For up to 10 000 cells that change along one or two smooth paths, such as a differentiation, when distances "
    "on the map should say how far it is along the path. It does not suit separate types of cells: they are joined"
    " by bridges whose lengths mean little. If the map looks folded, lower the number of neighbours.",
    {
        "n_neighbors": neighbors_field(
            "How many of its most similar cells each cell is connected to, from 1; usually 5 to 30. Higher values "
            "shorten the paths, until they jump from fold to fold.",
        ),
        "n_components": N_COMPONENTS,
        "metric": METRIC,
    },
    has_meaningful_axes=True,
)
