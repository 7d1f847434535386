"""The graph made last of some rows' neighbours: to make it takes longer than to find them."""

from __future__ import annotations

from typing import Any

import numpy as np

from latentmap.model.graph import NeighborGraph, neighbor_graph
from latentmap.model.inputs import Inputs, Neighbors


class FoundGraph:
    """Makes the graph of some rows, and remembers the last one.

    What it returns is the same as without memory, bit for bit: it is that graph only if it was made of equal neighbours
    in the same way.
    """

    def __init__(self) -> None:
        self._last: tuple[Neighbors, tuple[Any, ...], NeighborGraph] | None = None

    def of(
        self,
        inputs: Inputs,
        neighbors: Neighbors,
        n_steps: int,
        connect: str,
        *,
        min_neighbors: int,
        local_scaling: float,
    ) -> NeighborGraph:
        """Return the graph; the arguments are those of :func:`~latentmap.model.graph.neighbor_graph`."""
        way, last = (n_steps, connect, min_neighbors, local_scaling), self._last
        if last is not None and way == last[1] and _are_equal(neighbors, last[0]):
            return last[2]
        # Copies, because sparse arrays that are made of them sort them in place.
        known = Neighbors(neighbors.indices.copy(), neighbors.distances.copy())
        graph = neighbor_graph(
            inputs, neighbors, n_steps, connect, min_neighbors=min_neighbors, local_scaling=local_scaling
        )
        self._last = known, way, graph
        return graph


def _are_equal(one: Neighbors, other: Neighbors) -> bool:
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(one, other, strict=True))
