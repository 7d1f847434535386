"""Laplacian eigenmaps, as scikit-learn makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import laplacian

from latentmap.methods.affinities import gaussian, shared_width
from latentmap.methods.all_pairs import read_all
from latentmap.methods.eigenmaps import eigenmaps
from latentmap.methods.fields import METRIC, N_COMPONENTS, Field, neighbors_field, width_field
from latentmap.methods.method import Method
from latentmap.methods.one_shot import OneShot, Solving, stage
from latentmap.model import parameter_checks, row_checks
from latentmap.model.graph import joined_neighbors
from latentmap.model.state import State
from latentmap.model.vectors import Metric

MOST_ROWS = 20_000
"""Rows beyond which the eigenvectors take minutes: the time grows faster than the square of their number."""
WEIGHTS = ("binary", "gaussian")
"""Ways to weigh neighbours."""
# A neighbour farther away than so many widths, such as across a bridge, weighs as if it were there: never nothing.
_FARTHEST = 3.0


class LaplacianEigenmaps(OneShot):
    """A map in which neighbours lie together: the smoothest functions on the graph of neighbours.

    It minimises sum w_ij |y_i - y_j|^2 where the map, weighted by how much ties each row, has the same spread in all
    dimensions. A graph that falls apart is joined by its shortest bridges. The eigenvectors are found by scikit-learn's
    ``spectral_embedding``, for up to 20 000 rows. A fit can be stopped before they are sought; this is one step, which
    cannot, and in a session the next run waits for it. It places no new rows: :class:`LearnedMapping` does.

    Parameters
    ----------
    n_neighbors : int, default=15
        Neighbours (k) of each row. Two rows are tied where either is the other's neighbour.
    n_components : int, default=2
        Dimensions (d) of the map.
    metric : str or callable, default="euclidean"
        As in :class:`latentmap.LVM`; with "precomputed", X holds the distances between all rows.
    metric_params : dict, default=None
        Further arguments of the metric.
    weights : {"binary", "gaussian"}, default="binary"
        How much neighbours are tied: all alike, or by a Gaussian of their distance.
    width : float or "auto", default="auto"
        sigma of "gaussian", in the unit of the distances. "auto" is the median distance of the k-th neighbour.
    n_jobs : int or None, default=-1
        Threads of the search for neighbours; -1 is all cores. The map does not depend on it.
    callback : callable, default=None
        As in :class:`latentmap.LVM`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map.
    graph_ : csr_array of shape (n, n)
        The weights w, symmetric.
    eigenvalue_sum_ : float
        The objective: the sum over pairs at its least, which is that of the eigenvalues; near
        0 where only bridges join its parts.
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
    M. Belkin and P. Niyogi, "Laplacian eigenmaps for dimensionality reduction and data representation", Neural
    Computation 15, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> LaplacianEigenmaps(9).fit_transform(load_iris().data).shape
    (150, 2)
    """

    title = "Laplacian eigenmaps"
    sought = "sum of eigenvalues"

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
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.weights = weights
        self.width = width
        self.n_jobs = n_jobs
        self.callback = callback

    def _solve(self, X: Any) -> Solving:
        inputs = read_all(X, self, MOST_ROWS, why="looks for the eigenvectors of all rows")
        yield stage("neighbours")
        neighbors = inputs.kneighbors(self._fitting_neighbors(len(inputs)))
        row_checks.check_neighbors(neighbors.distances)
        yield stage("graph")
        joined = joined_neighbors(inputs, neighbors)
        width = shared_width(neighbors, self.width)
        graph = self._weighted(joined.maximum(joined.T).tocsr(), width)
        yield stage("start")
        places = eigenmaps(graph, self.n_components)
        self.graph_, self.eigenvalue_sum_ = graph, float(np.vdot(places, laplacian(graph) @ places))
        return places, self.eigenvalue_sum_

    def _weighted(self, joined: sp.csr_array, width: float) -> sp.csr_array:
        """Return a graph of distances as one of weights."""
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
    "For up to 20 000 cells when you ask which groups hang together and in what order they follow. "
    "The first dimension sets the two least connected halves apart, the next ones split them further."
    " Long paths come out as a curve, which is no finding about the cells.",
    {
        "n_neighbors": neighbors_field(
            "How many of the most similar cells each cell is tied to, from 1; usual are 5 to 30. As it "
            "grows, small groups are drawn in.",
        ),
        "n_components": N_COMPONENTS,
        "metric": METRIC,
        "weights": Field(
            "Weights",
            "How much a tie counts: all alike, or less the less alike two cells are.",
            choices=(("all alike", "binary"), ("by distance", "gaussian")),
            is_seldom=True,
        ),
        "width": width_field(
            "At which distance a tie counts less, in the unit of the distances; auto takes the median one of "
            "the k-th neighbour. As it grows, all ties count alike.",
            "weights",
            ("gaussian",),
        ),
    },
)
