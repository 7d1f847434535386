"""What a method is told of the cells beside their features, as it was when a run began."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from latentmap.session.wording import counted


class Supervision(Protocol):
    """What a method is told."""

    def of(self, keys: pd.Index) -> tuple[np.ndarray | None, str]:
        """Return it for the cells of a map, and a note for the user, "" if there is nothing to say.

        Parameters
        ----------
        keys : pandas.MultiIndex of (layer, frame, label)
            The cells of the map, in its order.
        """
        ...


@dataclass(frozen=True, eq=False)
class TripletSupervision:
    """Triplets of cells: the first is more like the second than the third.

    Parameters
    ----------
    keys : pandas.MultiIndex of (layer, frame, label)
        Three cells for each triplet, one triplet after the other.

    Examples
    --------
    >>> from latentmap.session.cell_index import as_keys
    >>> cells = as_keys([("a", 0, 1), ("a", 0, 2), ("a", 0, 3), ("a", 0, 4)])
    >>> TripletSupervision(cells[[3, 0, 1, 3, 0, 2]]).of(cells[[0, 1, 3]])
    (array([[2, 0, 1]]), '1 of 2 comparisons is of cells that are not on the map, and was left out.')
    """

    keys: pd.MultiIndex

    def of(self, keys: pd.Index) -> tuple[np.ndarray | None, str]:
        """Return the rows of the cells compared, of shape (m, 3), without those of cells that are not on the map.

        Raises
        ------
        ValueError
            If there are none.
        """
        if not len(self.keys):
            raise ValueError(
                'There are no comparisons yet. Tick "compare cells by clicking", then click three cells: one, one that '
                "is more like it, and one that is less like it."
            )
        rows = keys.get_indexer(self.keys).reshape(-1, 3)
        kept = (rows >= 0).all(axis=1)
        lost, n = int((~kept).sum()), len(rows)
        are = "is" if lost == 1 else "are"
        was = "was" if lost == 1 else "were"
        note = f"{lost} of {n} comparisons {are} of cells that are not on the map, and {was} left out."
        if lost == n:
            raise ValueError(
                f"None of the {counted(n, 'comparison')} is of three cells that are on this map: compare some of its "
                "cells, or put those left out back in."
            )
        return rows[kept], note if lost else ""


@dataclass(frozen=True, eq=False)
class ClassSupervision:
    """The class that the user has put each cell into.

    Parameters
    ----------
    names : pandas.Series of str
        By the cells' keys; "" for none.
    """

    names: pd.Series

    def of(self, keys: pd.Index) -> tuple[np.ndarray | None, str]:
        """Return each cell's class, "" for none; None where there are not two classes, one of
        two cells or more, to tell apart.
        """
        names = self.names.reindex(keys, fill_value="").to_numpy(dtype=str)
        known = names[names != ""]
        sizes = np.unique(known, return_counts=True)[1]
        if len(sizes) < 2 or sizes.max() < 2:
            return None, "Learned from neighbours: to learn from classes takes two of them, one of two cells or more."
        return names, f"Learned from {len(sizes)} classes of {counted(len(known), 'cell')}."
