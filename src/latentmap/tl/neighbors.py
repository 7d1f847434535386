"""Neighbours that ``scanpy.pp.neighbors`` has found, for a map that need not search them again."""

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from latentmap.model.data_warnings import warn_user
from latentmap.model.distances import DistanceGraph
from latentmap.model.inputs import Inputs, Neighbors
from latentmap.model.vectors import Vectors
from latentmap.table.wording import counted, listed

if TYPE_CHECKING:
    from anndata import AnnData

# Distances that are compared with the representation, and how far they may be off: scanpy rounds as float32.
_ROWS, _TOLERANCE, _SHARE = 50, 1e-2, 0.9
# How many stored neighbours must be among the nearest: approximate searches miss some.
_NEAREST = 0.75


class KnownNeighbors(Vectors):
    """Rows of numbers whose neighbours are known, however a method would have them searched.

    Parameters
    ----------
    X : ndarray of shape (n, D)
    metric : str
    found : Neighbors
        At least as many for each row as the method asks for.
    """

    def __init__(self, X: np.ndarray, metric: str, found: Neighbors) -> None:
        super().__init__(X, metric, None, found)
        self.read_with = metric, None

    def again(self, *_: Any) -> Self:
        """Return itself: there is nothing to search."""
        return self


class StoredNeighbors(NamedTuple):
    """Neighbours as an AnnData has them.

    Attributes
    ----------
    key : str
        The key of ``uns``.
    distances_key : str
        The key of ``obsp``.
    graph : csr_array of shape (n_obs, n_obs)
        The distances to the neighbours of each row. A stored zero is a distance.
    metric : str
    use_rep : str or None
    n_pcs : int or None
        What they were found in.
    """

    key: str
    distances_key: str
    graph: sp.csr_array
    metric: str
    use_rep: str | None
    n_pcs: int | None

    @property
    def n_each(self) -> int:
        """How many others every row has at least: scanpy's n_neighbors counts the row itself, so one less."""
        return n_others(self.graph)

    def first(self, k: int) -> Neighbors:
        """Return the k nearest of each row."""
        return DistanceGraph(self.graph).kneighbors(k)

    def check_fits(self, values: np.ndarray) -> None:
        """Raise unless the distances are those of these rows; warn if many others are nearer.

        Raises
        ------
        ValueError
            If most of some that are computed anew differ.
        """
        rows = np.linspace(0, len(values) - 1, min(len(values), _ROWS)).astype(int)
        found = self.first(self.n_each)
        others, stored = found.indices[rows], found.distances[rows]
        inputs = Vectors(values, self.metric, None, "exact")
        now, farthest = np.empty(others.shape), np.empty((len(rows), 1))
        for at, row in enumerate(rows):
            to_all = inputs.distances_from(np.array([row]))[0]
            now[at] = to_all[others[at]]
            farthest[at] = np.partition(np.delete(to_all, row), self.n_each - 1)[self.n_each - 1]
        room = _TOLERANCE * max(float(np.median(now)), np.finfo(float).tiny)
        if (np.abs(now - stored) <= room).mean() < _SHARE:
            raise ValueError(
                f'The distances in obsp["{self.distances_key}"] are not those of the representation as it is now: it '
                "has changed since. Call scanpy.pp.neighbors(adata) again, or give neighbors_key=False to have the "
                "neighbours searched here."
            )
        if (share := float((now <= farthest + room).mean())) < _NEAREST:
            warn_user(
                f'Of the neighbours in obsp["{self.distances_key}"], only {share:.0%} are among the nearest as the '
                "cells are now, as after two AnnData were put together, or where batches are balanced. If that is not "
                "meant, call scanpy.pp.neighbors(adata) again."
            )


def stored_neighbors(adata: "AnnData", key: str) -> StoredNeighbors:
    """Return the neighbours that ``scanpy.pp.neighbors`` has stored under a key of ``uns``.

    Raises
    ------
    ValueError
        If there are none, or they are no distances.
    """
    if key not in adata.uns:
        raise ValueError(f'uns has no "{key}": call scanpy.pp.neighbors(adata) first, or give neighbors_key=False.')
    said = adata.uns[key]
    distances_key = str(said.get("distances_key", "distances"))
    if distances_key not in adata.obsp:
        raise ValueError(
            f'uns has "{key}", but obsp no "{distances_key}", as after anndata.concat: call scanpy.pp.neighbors(adata) '
            "again, or give neighbors_key=False to have the neighbours searched here."
        )
    params = dict(said.get("params", {}))
    n_pcs = params.get("n_pcs")
    return StoredNeighbors(
        key,
        distances_key,
        distance_graph(adata, distances_key),
        str(params.get("metric", "euclidean")),
        None if params.get("use_rep") is None else str(params["use_rep"]),
        None if n_pcs is None else int(n_pcs),
    )


def distance_graph(adata: "AnnData", key: str) -> sp.csr_array:
    """Return a graph of distances in ``obsp``, without the distances of rows from themselves.

    Raises
    ------
    ValueError
        If there is none, or it holds similarities.
    """
    if key not in adata.obsp:
        raise ValueError(f'obsp has no "{key}". It has {listed(list(adata.obsp)) or "nothing"}.')
    if key.endswith("connectivities"):
        raise ValueError(
            f'obsp["{key}"] holds similarities, which are no distances: give the key that ends in "distances".'
        )
    stored = adata.obsp[key]
    if hasattr(stored, "to_memory"):
        stored = stored.to_memory()
    if not sp.issparse(stored):
        raise ValueError(f'obsp["{key}"] is not sparse: a graph of neighbours holds some distances of each row only.')
    found = sp.coo_array(stored)
    other = found.row != found.col
    return sp.coo_array((found.data[other].astype(float), (found.row[other], found.col[other])), found.shape).tocsr()


def n_others(graph: sp.csr_array) -> int:
    """Return how many other rows every row of a graph has at least."""
    return int(np.diff(graph.indptr).min(initial=graph.shape[0]))


def known_inputs(values: np.ndarray, stored: StoredNeighbors, k: int) -> Inputs:
    """Return rows of numbers with their k nearest neighbours as they are stored."""
    return KnownNeighbors(values, stored.metric, stored.first(k))


def taken_up(stored: StoredNeighbors, k: int) -> str:
    """Say which neighbours a map takes up."""
    return f'{counted(k, "neighbour")} of each cell taken up from obsp["{stored.distances_key}"] ({stored.metric}).'
