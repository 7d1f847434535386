"""Locally linear embedding, computed by scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn import manifold

from latentmap.methods.affinities import mutual
from latentmap.methods.all_pairs import read_all_distances
from latentmap.methods.direct_method import DirectMethod, Solving, stage
from latentmap.methods.fields import N_COMPONENTS, Field, neighbors_field
from latentmap.methods.mds.scaling import DENSE_LIMIT
from latentmap.methods.method import Method
from latentmap.model import distance_checks, parameter_checks
from latentmap.model.data_warnings import warn_user
from latentmap.model.lazy_rows import takes_lazy_rows
from latentmap.model.row_precision import keeps_precision
from latentmap.model.state import State
from latentmap.model.thread_limits import limit_threads
from latentmap.model.vectors import Vectors

MOST_ROWS = 10_000
"""Maximum number of rows: the eigenvectors take minutes, and their time grows faster than quadratically."""
VARIANTS = ("standard", "modified", "hessian", "ltsa")
"""Ways to describe a row relative to its neighbours."""
_MAX_ITER = 1000


class LocallyLinearEmbedding(DirectMethod):
    """A map in which each row is the same linear combination of its neighbours as in the table.

    It is computed by scikit-learn from the distinct rows; copies get the same position. The map has the same spread in
    all dimensions, whatever that of the data. It is for up to 10 000 rows. A fit can be stopped before the weights and
    eigenvectors are computed but not during it, and in a session the next run waits for it.

    Parameters
    ----------
    n_neighbors : int, default=15
        Neighbours (k) of each row, by Euclidean distance; more than n_components, and with "hessian" more than
        d (d + 3) / 2.
    n_components : int, default=2
        Dimensions (d) of the map; no more than the table has columns.
    variant : {"standard", "modified", "hessian", "ltsa"}, default="standard"
        The weights of Roweis and Saul; several weights per row, which is slower and distorts less; second derivatives;
        or tangent planes.
    reg : float, default=0.001
        Regularisation of the weights of "standard", needed if k exceeds the number of columns. For a sheet with few
        columns, 0.001 gives a map that narrows, and a smaller number may be better: ``docs/lecture.md`` compares some.
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
    reconstruction_error_ : float
        The objective: the error of reconstructing the map by the weights, which is the sum of the eigenvalues.
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
    S. T. Roweis and L. K. Saul, "Nonlinear dimensionality reduction by locally linear embedding", Science 290, 2000.

    Examples
    --------
    >>> from sklearn.datasets import make_swiss_roll
    >>> LocallyLinearEmbedding(9).fit_transform(make_swiss_roll(200, random_state=0)[0]).shape
    (200, 2)
    """

    title = "Locally linear embedding"
    objective_name = "reconstruction error"

    def __init__(
        self,
        n_neighbors: int = 15,
        n_components: int = 2,
        *,
        variant: str = "standard",
        reg: float = 1e-3,
        n_jobs: int | None = -1,
        callback: Callable[[State], Any] | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.variant = variant
        self.reg = reg
        self.n_jobs = n_jobs
        self.callback = callback
        self.verbose = verbose

    @takes_lazy_rows
    @keeps_precision
    def transform(self, X: Any) -> np.ndarray:
        """Place new rows on the finished map, each as the same combination of its neighbours as in the table.

        Parameters
        ----------
        X : array-like of shape (m, D)
            New rows.

        Returns
        -------
        ndarray of shape (m, n_components)
            Their positions.
        """
        table = self._read_new(X).astype(float, copy=False)
        with limit_threads(1, "blas"):
            return np.asarray(self._solver.transform(table))

    def _solve(self, X: Any) -> Solving:
        inputs = read_all_distances(X, self, MOST_ROWS, why="computes eigenvectors over all rows", arrays=1.5)
        assert isinstance(inputs, Vectors)
        distinct, own = np.unique(inputs.X.astype(float, copy=False), axis=0, return_inverse=True)
        self._check_distinct(distinct, len(own))
        k = self._fitting_neighbors(len(distinct))
        yield stage("neighbours")
        _warn_of_parts(Vectors(distinct, n_jobs=self.n_jobs), k)
        yield stage("start")
        solver = manifold.LocallyLinearEmbedding(
            n_neighbors=k,
            n_components=self.n_components,
            reg=self.reg,
            method=self.variant,
            eigen_solver="dense" if len(distinct) <= DENSE_LIMIT else "arpack",
            max_iter=_MAX_ITER,
            random_state=0,
            n_jobs=self.n_jobs,
        )
        with limit_threads(1, "blas"):
            positions = _fitted(solver, distinct)
        self._solver, self.reconstruction_error_ = solver, float(solver.reconstruction_error_)
        return positions[own.ravel()], self.reconstruction_error_

    def _check_parameters(self) -> None:
        super()._check_parameters()
        d, k = self.n_components, self.n_neighbors
        parameter_checks.check_choice(self.variant, "variant", VARIANTS)
        parameter_checks.check_real(
            self.reg, "reg", "the regularisation of the weights", lambda value: 0 <= value < np.inf, "from 0"
        )
        if k < self._fewest_neighbors:
            raise ValueError(
                f'n_neighbors (k) = {k}, but variant="{self.variant}" needs at least {self._fewest_neighbors} '
                f"neighbours for a map of {d} dimensions. Raise n_neighbors, or lower n_components."
            )

    @property
    def _fewest_neighbors(self) -> int:
        d = self.n_components
        return d * (d + 3) // 2 + 1 if self.variant == "hessian" else d + 1

    def most_neighbors(self, n: int) -> int:
        """Return the largest number of neighbours (k) for n rows: half of the rows, or as many as the variant needs."""
        return min(n - 1, max(n // 2, self._fewest_neighbors))

    def _check_distinct(self, distinct: np.ndarray, n: int) -> None:
        n_distinct, n_columns = distinct.shape
        fewest = self._fewest_neighbors
        if n_distinct <= fewest:
            raise ValueError(
                f'Only {n_distinct} of the {n} rows differ, but variant="{self.variant}" needs at least {fewest + 1} '
                f"for a map of {self.n_components} dimensions: each row and {fewest} neighbours. Add rows, or lower "
                "n_components."
            )
        if n_columns < self.n_components:
            raise ValueError(
                f"n_components (d) = {self.n_components}, but a locally linear embedding has at most as many "
                f"dimensions as X has columns (n_features = {n_columns}). Lower n_components, or add columns."
            )


def _warn_of_parts(inputs: Vectors, k: int) -> None:
    found = inputs.kneighbors(k)
    distance_checks.check_magnitude(found.distances)
    n_parts = connected_components(mutual(found, np.ones_like(found.distances)), directed=False)[0]
    if n_parts > 1:
        warn_user(
            f"The graph of neighbours falls into {n_parts} parts. A locally linear embedding knows nothing of how they "
            "lie relative to each other, and collapses most of them to points. Raise n_neighbors (k), or use Isomap, "
            "which joins the parts."
        )


def _fitted(solver: manifold.LocallyLinearEmbedding, table: np.ndarray) -> np.ndarray:
    try:
        return np.asarray(solver.fit_transform(table))
    except np.linalg.LinAlgError as error:
        raise ValueError(
            f"The weights of the neighbours of some rows cannot be computed with reg={solver.reg:g}, as there are more "
            "neighbours than independent directions. Raise reg, for instance to 0.001, or lower n_neighbors (k)."
        ) from error
    except ValueError as error:
        if "null-space" not in str(error):
            raise
        raise ValueError(
            "The eigenvectors of this locally linear embedding cannot be distinguished, usually because the graph of "
            'neighbours falls into parts. Raise n_neighbors (k), or use variant="standard".'
        ) from error


METHOD = Method(
    LocallyLinearEmbedding,
    "For up to 10 000 cells on one smooth surface, when you want it flattened and its size does not matter. The "
    "map is always as wide as it is long. If the cells fall into separate groups, choose another method: each "
    "group would become a point.",
    {
        "n_neighbors": neighbors_field(
            "From how many of its most similar cells each cell is reconstructed, from 1; usually 5 to 30. Higher "
            "values give a smoother surface.",
        ),
        "n_components": N_COMPONENTS,
        "variant": Field(
            "Weights",
            "What describes a cell among its neighbours: one set of weights; several sets, which keep a surface "
            "together better; second derivatives; or tangent planes. All need k above d; second derivatives need k"
            " above d (d + 3) / 2.",
            choices=(
                ("standard", "standard"),
                ("modified", "modified"),
                ("second derivatives (Hessian)", "hessian"),
                ("tangent planes (LTSA)", "ltsa"),
            ),
            is_advanced=True,
        ),
        "reg": Field(
            "Evened out",
            "How much the weights of a cell's neighbours are evened out; needed if k exceeds the number of "
            "features. Higher values make the weights more equal and the surface smoother.",
            minimum=0,
            maximum=1000,
            step=1e-4,
            is_advanced=True,
            depends_on="variant",
            depends_on_values=("standard",),
        ),
    },
    has_meaningful_axes=True,
)
