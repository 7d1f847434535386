"""Inputs and their nearest neighbours: from vectors, from all distances, or from a graph of known distances.

All kinds of inputs answer the same questions, the only ones that the model asks of the data:

``kneighbors(k)``
    the k nearest other rows of each row;
``query(X_new, k)``
    the k nearest rows of new inputs;
``nearest(members, candidates)``
    which candidate is nearest to each member, and its distance;
``shortest_bridges(part)``
    the shortest bridge from each part of the rows to the rest;
``coordinates(pivots)``
    vectors that roughly locate the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

if TYPE_CHECKING:
    from latentmap.model.found_graph import FoundGraph

# Numbers in one temporary array of the distance computations: 8 MiB.
CHUNK = 2**20


class Neighbors(NamedTuple):
    """The nearest neighbours of each row, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (n, k), int64
        Row numbers of the neighbours.
    distances : ndarray of shape (n, k), float64
        Their distances.
    """

    indices: np.ndarray
    distances: np.ndarray


# From some rows, by number or as a slice, to an array of float64, shape (m, width).
Coordinates = Callable[[np.ndarray | slice], np.ndarray]


class Inputs(ABC):
    """What the model asks of the data, whatever their form.

    A fit takes them in place of a table that it would check again.

    Attributes
    ----------
    read_with : tuple of metric and metric_params, or None
        With which parameters :func:`latentmap.model.validation.read_inputs` has checked the rows; None if it has not.
    found_graph : FoundGraph or None
        Remembers the graph made last of these rows, for the next fit; None where none is remembered.
    """

    read_with: tuple[Any, Any] | None = None
    found_graph: FoundGraph | None = None

    @property
    @abstractmethod
    def table(self) -> Any:
        """What they were made of: an array of rows, distances or objects, or a sparse graph of distances."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def subset(self, rows: np.ndarray) -> Inputs:
        """Return some of the rows."""

    @abstractmethod
    def kneighbors(self, k: int) -> Neighbors:
        """Return the k nearest other rows of each row."""

    @abstractmethod
    def query(self, X_new: Any, k: int) -> Neighbors:
        """Return the k nearest rows of new inputs, given in the same form."""

    @abstractmethod
    def nearest(self, members: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the index in ``candidates`` of the one nearest to each member, and its distance."""

    @abstractmethod
    def distances_from(self, rows: np.ndarray) -> np.ndarray:
        """Return the distances from some rows to all, infinite where unknown."""

    @abstractmethod
    def distances_to(self, X_new: Any) -> np.ndarray:
        """Return the distances from new inputs, given in the same form, to all rows, each on its own."""

    @abstractmethod
    def coordinates(self, pivots: np.ndarray) -> Coordinates | None:
        """Return the function that turns rows into vectors whose principal components are those of the metric.

        If the metric has none, the vectors are made from the distances to the pivots, which are rows. None if not all
        distances are known.
        """

    def lengths(self, distances: np.ndarray) -> np.ndarray:
        """Return distances as lengths that grow in proportion to the way from row to row."""
        return distances

    def shortest_bridges(self, part: np.ndarray) -> list[tuple[int, int, float]]:
        """Return the shortest bridge from each part except the largest to any other, as (row, other row, distance).

        Parameters
        ----------
        part : ndarray of shape (n,), int
            The part that each row is in, counted from 0.
        """
        best: dict[int, tuple[float, int, int]] = {}
        rows = np.flatnonzero(part != np.argmax(np.bincount(part)))
        for batch in gen_batches(len(rows), max(32, CHUNK // len(self))):
            D = self.distances_from(rows[batch])
            D[part[rows[batch], None] == part] = np.inf
            other = D.argmin(axis=1)
            for i, j, distance in zip(rows[batch], other, D[np.arange(len(other)), other], strict=True):
                way = (float(distance), int(i), int(j))
                best[part[i]] = min(way, best.get(part[i], way))
        if any(np.isinf(distance) for distance, *_ in best.values()):
            raise ValueError(
                f"The precomputed graph falls into {len(best) + 1} separate parts (the largest has "
                f"{np.bincount(part).max()} rows), and the distances between them are unknown. Add the missing "
                'edges, raise the number of neighbours in the graph, or use connect="largest" to embed only the '
                "largest part."
            )
        return [(i, j, distance) for distance, i, j in best.values()]


def from_pivots(distances: np.ndarray) -> np.ndarray:
    """Return squared distances to pivots minus the mean of each row (Brandes and Pich 2006)."""
    # Some metrics are undefined between a row and itself; a start need only be rough.
    squared = np.nan_to_num(np.square(distances), posinf=0.0)
    return np.asarray(squared - squared.mean(axis=1, keepdims=True))


def without_self(found: Neighbors, k: int) -> Neighbors:
    """Drop each row from its own neighbours, by index, and keep the first k of the others.

    Dropping the first column would be wrong where rows are duplicates.
    """
    own = found.indices == np.arange(len(found.indices))[:, None]
    # A row with many duplicates may be missing from its own list: then the last entry goes.
    own[~own.any(axis=1), -1] = True
    kept = np.argsort(own, axis=1, kind="stable")[:, :k]
    return Neighbors(np.take_along_axis(found.indices, kept, 1), np.take_along_axis(found.distances, kept, 1))


def in_order(found: Neighbors) -> Neighbors:
    """Sort neighbours by distance, then by index."""
    order = np.lexsort((found.indices, found.distances), axis=1)
    return Neighbors(
        np.take_along_axis(found.indices, order, 1).astype(np.int64),
        np.take_along_axis(found.distances, order, 1).astype(float),
    )
