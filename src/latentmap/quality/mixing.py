"""How well batches, such as images, are mixed on a map."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from latentmap.model.vectors import Metric
from latentmap.quality.ranked_rows import RankedRows
from latentmap.quality.validation import checked_classes, sampled_rows, whole_number


class Mixing(NamedTuple):
    """How well batches are mixed.

    Attributes
    ----------
    share : float
        The mean share of each row's nearest neighbours that are of other batches.
    by_chance : float
        The share to expect if the batches were shuffled.
    """

    share: float
    by_chance: float

    @property
    def ratio(self) -> float:
        """The share as a multiple of that by chance: 0 if the batches lie apart, 1 if they are mixed as by chance."""
        return self.share / self.by_chance


def neighbor_mixing(
    Y: ArrayLike,
    batches: Any,
    n_neighbors: int = 15,
    *,
    n_samples: int | None = None,
    metric: Metric = "euclidean",
    random_state: int | np.random.RandomState = 0,
    n_jobs: int | None = None,
) -> Mixing:
    """Share of each row's nearest neighbours that are of other batches, and what chance would give.

    Parameters
    ----------
    Y : array-like of shape (n, d)
        Positions on the map, or any other table.
    batches : array-like of shape (n,)
        The batch of each row, for instance its image: numbers, words or categories.
    n_neighbors : int
        Number of neighbours (k).
    n_samples : int, optional
        Number of rows whose neighbours are looked at, drawn at random; by default all.
    metric : str or callable
        A metric of scikit-learn.
    random_state : int or RandomState
        Draws the rows.
    n_jobs : int, optional
        Threads, as for :func:`neighbor_recall`. The result is the same for any number.

    Returns
    -------
    Mixing
        The two shares; ``ratio`` is their quotient.

    Raises
    ------
    ValueError
        If rows and batches differ in number, a value is not finite, a batch is missing, there are fewer than two
        batches, or there are no more than ``n_neighbors`` rows.

    Notes
    -----
    One minus the share is the statistic of Schilling's test of whether two samples have one distribution (1986,
    https://doi.org/10.1080/01621459.1986.10478337), of Henze (1988) for several. kBET
    (https://doi.org/10.1038/s41592-018-0254-1) and LISI (https://doi.org/10.1038/s41592-019-0619-0) count the same
    neighbours. By chance a row of a batch of m rows has (n - m) / (n - 1) of its neighbours in other batches.

    Examples
    --------
    >>> import numpy as np
    >>> from latentmap.quality import neighbor_mixing
    >>> Y = np.random.default_rng(0).normal(size=(400, 2))
    >>> batches = np.repeat(["first image", "second image"], 200)
    >>> round(neighbor_mixing(Y, batches).ratio, 1)
    1.0
    >>> neighbor_mixing(Y + 50 * (batches == "second image")[:, None], batches).ratio
    0.0
    """
    Y, batches = checked_classes(Y, batches, metric, ("Y", "batches"))
    n = len(Y)
    k = whole_number(n_neighbors, "n_neighbors", n - 1, f"there are {n} rows")
    names, codes, sizes = np.unique(batches, return_inverse=True, return_counts=True)
    if len(names) < 2:
        raise ValueError("All rows are of one batch: give at least two.")
    rows = sampled_rows(n, n_samples, random_state)
    neighbors = RankedRows(Y, metric, n_jobs).neighbors_of(rows, k)
    share = np.mean(codes[neighbors] != codes[rows][:, None])
    return Mixing(float(share), float(np.mean((n - sizes[codes[rows]]) / (n - 1))))
