"""Classical multidimensional scaling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from latentmap.methods.all_pairs import all_squared, place_by_squared_distances, read_all_distances
from latentmap.methods.direct_method import DirectMethod, Solving, stage
from latentmap.methods.fields import METRIC, N_COMPONENTS
from latentmap.methods.mds.scaling import Scaling
from latentmap.methods.method import Method
from latentmap.model.lazy_rows import takes_lazy_rows
from latentmap.model.row_precision import keeps_precision
from latentmap.model.state import State
from latentmap.model.vectors import Metric

MOST_ROWS = 10_000
"""Maximum number of rows, since all pairs are held in memory: 1.6 GB, two matrices at once."""


class ClassicalMDS(DirectMethod):
    """A map whose distances are as close to those of the table as a linear projection allows.

    B = -H D H / 2 holds the scalar products of the rows, where D holds their squared distances and H = I - 11'/n; its
    largest eigenvalues and their eigenvectors make the map. For Euclidean distances these are the principal components.
    It counts every pair, for up to 10 000 rows; :class:`LandmarkMDS` accepts more.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions (d) of the map.
    metric : str or callable, default="euclidean"
        As in :class:`latentmap.LVM`; with "precomputed", X holds the distances between all rows.
    metric_params : dict, default=None
        Additional arguments of the metric.
    callback : callable, default=None
        As in :class:`latentmap.LVM`.
    verbose : bool, default=False
        As in :class:`latentmap.LVM`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        The map; 0 in dimensions that the distances do not span, which gives a warning.
    eigenvalues_ : ndarray
        Of B, in descending order: all for up to 1000 rows, the first d beyond. Negative ones show that no points in
        Euclidean space have these distances; the map ignores them.
    strain_ : float
        The objective: the fraction of the sum of squares of B that the map does not explain, from 0 to 1.
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
    W. S. Torgerson, "Multidimensional scaling: I. Theory and method", Psychometrika 17, 1952. J. B. Kruskal and M.
    Wish, "Multidimensional scaling", 1978.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> method = ClassicalMDS().fit(load_iris().data)
    >>> method.embedding_.shape
    (150, 2)
    >>> method.strain_ < 0.001
    True
    """

    title = "Classical scaling"
    objective_name = "strain"

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        callback: Callable[[State], Any] | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.callback = callback
        self.verbose = verbose

    @takes_lazy_rows
    @keeps_precision
    def transform(self, X: Any) -> np.ndarray:
        """Place new rows on the finished map by their distances to all its rows, each of which is a landmark.

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
        return place_by_squared_distances(self._inputs, table, self.embedding_, self._scaling.place)

    def _solve(self, X: Any) -> Solving:
        inputs = read_all_distances(X, self, MOST_ROWS, arrays=2.5)
        squared = yield from all_squared(inputs, stage("neighbours"))
        yield stage("start")
        scaling = Scaling.of(squared, self.n_components)
        self.eigenvalues_, self.strain_ = scaling.eigenvalues, scaling.strain
        self._inputs, self._scaling = inputs, scaling
        return scaling.positions, scaling.strain


METHOD = Method(
    ClassicalMDS,
    "For up to 10 000 cells when you want the simplest picture of which cells differ most, or (from Python) when "
    "all you have is a table of distances between them. Cells far apart on the map do differ, but cells that lie "
    "together may still differ in directions that the map leaves out. It has no random start and nothing to tune.",
    {"n_components": N_COMPONENTS, "metric": METRIC},
    has_meaningful_axes=True,
)
