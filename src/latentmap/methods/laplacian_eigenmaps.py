"""Laplacian eigenmaps, computed by scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import laplacian

from latentmap.methods.affinities import gaussian, shared_width
from latentmap.methods.all_pairs import read_all_distances
from latentmap.methods.direct_method import DirectMethod, Solving, stage
from latentmap.methods.eigenmaps import eigenmaps
from latentmap.methods.fields import METRIC, N_COMPONENTS, Field, neighbors_field, width_field
from latentmap.methods.method import Method
from latentmap.model import distance_checks, parameter_checks
from latentmap.model.graph import joined_neighbors
from latentmap.model.state import State
from latentmap.model.vectors import Metric

MOST_ROWS = 20_000
"""Maximum number of rows: the eigenvectors take minutes, and their time grows faster than quadratically."""
WEIGHTS = ("binary", "gaussian")
"""Ways to weigh neighbours."""
# Neighbours farther away than this many widths, such as across a bridge, weigh as if at this distance, never 0.
_FARTHEST = 3.0


class LaplacianEigenmaps(DirectMethod):
    """A map that keeps neighbours close: the smoothest functions on the graph of neighbours.

    It minimises ``sum w_ij |y_i - y_j|^2`` among maps that, weighted by the degree of each row, have the same spread in
    all dimensions. A disconnected graph is joined by its shortest bridges. The eigenvectors are computed by
    scikit-learn's ``spectral_embedding``, for up to 20 000 rows. A fit can be stopped before that computation but not
    during it, and in a session the next run waits for it. It does not place new rows; use :class:`LearnedMapping`.

    Parameters
    ----------
    n_neighbors : int, default=15
        Neighbours (k) of each row. Two rows are linked if either is a neighbour of the other.
    n_components : int, default=2
        Dimensions (d) of the map.
    metric : str or callable, default="euclidean"
        As in :class:`latentmap.LVM`; with "precomputed", X holds the distances between all rows.
    metric_params : dict, default=None
        Additional arguments of the metric.
    weights : {"binary", "gaussian"}, default="binary"
        The weights of neighbours: all equal, or a Gaussian of their distance.
    width : float or "auto", default="auto"
        sigma of "gaussian", in the unit of the distances. "auto" is the median distance of the k-th neighbour.
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
    graph_ : csr_array of shape (n, n)
        The weights w, symmetric.
    eigenvalue_sum_ : float
        The objective: the minimum of the sum over pairs, which is the sum of the eigenvalues; near 0 if only bridges
        join the parts of the graph.
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
    M. Belkin and P. Niyogi, "Laplacian eigenmaps for dimensionality reduction and data representation", Neural
    Computation 15, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> LaplacianEigenmaps(9).fit_transform(load_iris().data).shape
    (150, 2)
    """

    title = "Laplacian eigenmaps"
    objective_name = "sum of eigenvalues"

    def __init__(
        self,
        n_neighbors: int = 15,
        n_components: int = 2,
        *,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        weights: str = "binary",
        width: float | str = "auto",
        n_jobs: int | None = -1,
        callback: Callable[[State], Any] | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.weights = weights
        self.width = width
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    def _solve(self, X: Any) -> Solving:
        inputs = read_all_distances(X, self, MOST_ROWS, why="computes eigenvectors over all rows")
        yield stage("neighbours")
        neighbors = inputs.kneighbors(self._fitting_neighbors(len(inputs)))
        distance_checks.check_neighbors(neighbors.distances)
        yield stage("graph")
        joined = joined_neighbors(inputs, neighbors)
        width = shared_width(neighbors, self.width)
        graph = self._weighted(joined.maximum(joined.T).tocsr(), width)
        yield stage("start")
        positions = eigenmaps(graph, self.n_components)
        self.graph_, self.eigenvalue_sum_ = graph, float(np.vdot(positions, laplacian(graph) @ positions))
        return positions, self.eigenvalue_sum_

    def _weighted(self, joined: sp.csr_array, width: float) -> sp.csr_array:
        """Convert a graph of distances into one of weights."""
        if self.weights == "binary":
            weights = np.ones_like(joined.data)
        else:
            weights = gaussian(np.square(np.minimum(joined.data, _FARTHEST * width)), width)
        return sp.csr_array((weights, joined.indices, joined.indptr), joined.shape)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        parameter_checks.check_choice(self.weights, "weights", WEIGHTS)


METHOD = Method(
    LaplacianEigenmaps,
    "For up to 20 000 cells when you ask which groups are connected and in what order. The first dimension "
    "separates the two least connected halves, the next ones split them further. Long paths come out as a curve, "
    "which says nothing about the cells.",
    {
        "n_neighbors": neighbors_field(
            "How many of its most similar cells each cell is connected to, from 1; usually 5 to 30. Higher values "
            "draw in small groups.",
        ),
        "n_components": N_COMPONENTS,
        "metric": METRIC,
        "weights": Field(
            "Weights",
            "How much a connection counts: all equally, or less for less similar cells.",
            choices=(("equal", "binary"), ("by distance", "gaussian")),
            is_advanced=True,
        ),
        "width": width_field(
            "Distance at which a connection counts less, in units of the distances; auto is the median distance of"
            " the k-th neighbour. With high values all connections count equally.",
            "weights",
            ("gaussian",),
        ),
    },
    has_meaningful_axes=True,
)
