"""The coordinates of cells on a map, as a start for another run."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

ENOUGH_CELLS = 0.9
"""The share of a run's cells that must be on a map for the run to continue from it."""

_SMOOTHINGS = 3


@dataclass(frozen=True, eq=False)
class WarmStart:
    """Cells and their coordinates on a map.

    Attributes
    ----------
    name : str
        The name of the map.
    keys : pandas.MultiIndex of (layer, frame, label)
        The cells.
    embedding : ndarray, shape (n_cells, n_components)
    variances : ndarray, shape (n_cells,)
    n_cells : int
        How many cells the map has, or stands for, if a group of them starts from it; else 0. A group starts from any
        share of its cells, and its result keeps where each began.
    """

    name: str
    keys: pd.Index
    embedding: np.ndarray
    variances: np.ndarray
    n_cells: int = 0

    @property
    def is_enough(self) -> float:
        """The share of a run's cells that must be on the map."""
        return 0.0 if self.n_cells else ENOUGH_CELLS

    def find(self, keys: pd.Index) -> np.ndarray:
        """Return the row on the map of each cell in `keys`, and -1 for those that are not on it.

        Parameters
        ----------
        keys : pandas.MultiIndex of (layer, frame, label)

        Returns
        -------
        ndarray of int, shape (n_keys,)
        """
        if are_same_keys(keys, self.keys):
            return np.arange(len(keys))
        return self.keys.get_indexer(keys)

    def begin(self, rows: np.ndarray, neighbors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates to start from; cells that are not on the map start amid their neighbours.

        Parameters
        ----------
        rows : ndarray of int, shape (n,)
            As returned by :meth:`find`; at least one is not -1.
        neighbors : ndarray of int, shape (n, k)
            The row numbers of each cell's neighbours.

        Returns
        -------
        embedding : ndarray of float64, shape (n, n_components)
        variances : ndarray of float64, shape (n,)

        Examples
        --------
        >>> placed = WarmStart("1", pd.MultiIndex.from_tuples([(1,), (2,)]), np.array([[0.0, 0], [2, 2]]), np.ones(2))
        >>> placed.begin(np.array([0, 1, -1]), np.array([[1, 2], [0, 2], [0, 1]]))[0][2]
        array([1., 1.])
        """
        positions = np.column_stack([self.embedding, self.variances]).astype(float)[rows]
        waiting = new = np.flatnonzero(rows < 0)
        is_placed = rows >= 0
        while len(waiting):
            near = is_placed[neighbors[waiting]]
            ready = near.any(axis=1)
            if not ready.any():
                # No path of neighbours leads from them to the map.
                positions[waiting] = positions[is_placed].mean(axis=0)
                break
            now, counts = waiting[ready], near[ready].astype(float)
            positions[now] = np.einsum("ij,ijc->ic", counts, positions[neighbors[now]]) / counts.sum(axis=1)[:, None]
            is_placed[now] = True
            waiting = waiting[~ready]
        # Of a group of landmarks nearly all cells are new, and most would lie exactly on a landmark: neighbours that
        # coincide cannot push each other apart.
        for _ in range(_SMOOTHINGS if self.n_cells else 0):
            positions[new] = positions[neighbors[new]].mean(axis=1)
        return positions[:, :-1], positions[:, -1]


def are_same_keys(one: pd.Index, other: pd.Index) -> bool:
    """Return whether two indices hold the same cells in the same order; at once where they are one object."""
    return one is other or bool(one.equals(other))
