"""Which cells lie around each cell in its image."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial import KDTree

from latentmap.session.counting import NONE, free_name

NEIGHBORS = "neighbours"
"""The column with the number of cells around each cell."""

NEAR = "near "
"""The start of the names of the columns with the share of each group."""

# By default, cells count within this many times the usual distance between neighbouring cells.
_USUAL = 3.0
# More pairs of neighbours than this would not fit into the memory of a laptop.
_MOST_PAIRS = 50_000_000


class Surroundings(NamedTuple):
    """The cells around each cell.

    Attributes
    ----------
    columns : pandas.DataFrame, shape (n_cells, n_groups + 1)
        For each group "near GROUP", its share of the cells around, empty if there are none; then `NEIGHBORS`, empty for
        cells whose place is not known.
    radius : float
        The radius within which cells count.
    """

    columns: pd.DataFrame
    radius: float

    @property
    def n_alone(self) -> int:
        """How many cells have no other cell around them."""
        return int((self.columns[NEIGHBORS] == 0).sum())

    @property
    def n_unplaced(self) -> int:
        """Of how many cells the place is not known."""
        return int(self.columns[NEIGHBORS].isna().sum())


def surroundings(
    places: pd.DataFrame, indices: np.ndarray, groups: tuple[str, ...], radius: float = 0.0
) -> Surroundings:
    """Find which groups the cells within a radius of each cell belong to, image by image and frame by frame.

    Parameters
    ----------
    places : pandas.DataFrame, shape (n_cells, n_axes)
        The centroids of the cells, under their keys (layer, frame, label).
    indices : ndarray of int, shape (n_cells,)
        The index of each cell's group, -1 for none.
    groups : tuple of str
        The names of the groups.
    radius : float
        In the unit of the centroids; 0 for three times the median distance of a cell to the nearest one.

    Returns
    -------
    Surroundings
        A cell itself does not count. Cells in no group count as "none" or, if a group is called so, as "(none)".

    Raises
    ------
    ValueError
        If no image has two cells, or the radius takes in too many.

    Examples
    --------
    >>> keys = pd.MultiIndex.from_product([["a"], [0], [1, 2, 3, 4]], names=("layer", "frame", "label"))
    >>> places = pd.DataFrame({0: [0.0, 0.0, 0.0, 0.0], 1: [0.0, 1.0, 2.0, 9.0]}, keys)
    >>> surroundings(places, np.array([0, 1, 0, 1]), ("B", "T"), 1.5).columns.reset_index(drop=True)
       near B  near T  neighbours
    0     0.0     1.0           1
    1     1.0     0.0           2
    2     0.0     1.0           1
    3     NaN     NaN           0
    """
    if (indices < 0).any():
        indices, groups = np.where(indices < 0, len(groups), indices), (*groups, free_name(NONE, groups))
    points = places.to_numpy(dtype=float)
    images = places.index.to_frame(index=False).groupby(["layer", "frame"], sort=False).indices
    trees = [_tree(points, np.asarray(rows)) for rows in images.values()]
    is_placed = np.zeros(len(places), dtype=bool)
    is_placed[np.concatenate([rows for rows, _ in trees])] = True
    trees = [(rows, tree) for rows, tree in trees if len(rows) > 1]
    if not trees:
        raise ValueError("No image has two cells, so no cell has others around it.")
    radius = radius or _USUAL * float(
        np.median(np.concatenate([tree.query(tree.data, k=2)[0][:, 1] for _, tree in trees]))
    )
    n_pairs = sum(tree.count_neighbors(tree, radius) for _, tree in trees)
    if n_pairs > _MOST_PAIRS:
        raise ValueError(
            f"Within {radius:.3g} each cell has {n_pairs / len(places):.0f} others around it on average, too many to "
            "look at: choose a smaller radius."
        )
    counts = np.zeros((len(places), len(groups)))
    for rows, tree in trees:
        one, other = rows[tree.query_pairs(radius, output_type="ndarray")].T
        for cell, neighbor in ((one, other), (other, one)):
            np.add.at(counts, (cell, indices[neighbor]), 1)
    n_around = counts.sum(axis=1)
    shares = np.divide(counts, n_around[:, None], out=np.full_like(counts, np.nan), where=n_around[:, None] > 0)
    columns = {f"{NEAR}{name}": share for name, share in zip(groups, shares.T, strict=True)}
    numbers = n_around.astype(int) if is_placed.all() else np.where(is_placed, n_around, np.nan)
    return Surroundings(pd.DataFrame({**columns, NEIGHBORS: numbers}, places.index), radius)


def _tree(points: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, KDTree]:
    """The cells of an image whose places are known, and a tree of these."""
    is_known = np.isfinite(points[rows])
    # Of a flat image beside a stack, no cell has a number along the last axis.
    axes = is_known.any(axis=0) if is_known.any() else np.ones(points.shape[1], dtype=bool)
    known = rows[is_known[:, axes].all(axis=1)]
    return known, KDTree(points[known][:, axes])
