"""Pairs of similar and dissimilar cells, by their classes or else by their features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from latentmap.methods.classes import NO_CLASS


class Drawn(NamedTuple):
    """Pairs of rows.

    Attributes
    ----------
    one, other : ndarray of int, shape (m,)
        The two rows of each pair.
    is_similar : ndarray of bool, shape (m,)
        Whether they are similar.
    """

    one: np.ndarray
    other: np.ndarray
    is_similar: np.ndarray


class Pairs:
    """Draws one similar and one dissimilar row for each of some rows.

    A row with a class is similar to those of its class and dissimilar to those of other classes. A row without a class
    is similar to its neighbours and dissimilar to all other rows.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        From :func:`~latentmap.methods.classes.read_classes`.
    among : ndarray of int, shape (n_among,)
        The rows that may be drawn.
    neighbors : ndarray of int, shape (n, k), or None
        The nearest of these rows to each row; None if all have classes.

    Examples
    --------
    >>> drawn = Pairs(np.array([0, 0, 1, 1]), np.arange(4), None).draw(np.arange(4), np.random.default_rng(0))
    >>> bool(((drawn.one // 2 == drawn.other // 2) == drawn.is_similar).all())
    True
    """

    def __init__(self, codes: np.ndarray, among: np.ndarray, neighbors: np.ndarray | None) -> None:
        self._codes, self._among, self._neighbors = codes, among, neighbors
        named = among[codes[among] != NO_CLASS]
        # Sorted by class, so that in circular order the rows of other classes follow those of each class.
        self._named = named[np.argsort(codes[named], kind="stable")]
        self._counts = np.bincount(codes[named], minlength=codes.max() + 1)
        self._starts = np.cumsum(self._counts) - self._counts

    def draw(self, rows: np.ndarray, rng: np.random.Generator) -> Drawn:
        """Return pairs that begin with each row: two for most rows, fewer if there is no partner to draw."""
        has_class = self._codes[rows] != NO_CLASS
        parts = [*self._by_class(rows[has_class], rng), *self._by_features(rows[~has_class], rng)]
        one, other = (np.concatenate(column) for column in list(zip(*parts, strict=True))[:2])
        is_similar = np.concatenate([np.full(len(part[0]), part[2]) for part in parts])
        kept = one != other
        return Drawn(one[kept], other[kept], is_similar[kept])

    def _by_class(self, rows: np.ndarray, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray, bool]]:
        codes = self._codes[rows]
        starts, counts, total = self._starts[codes], self._counts[codes], len(self._named)
        parts = []
        for is_similar, first, many in ((True, starts, counts), (False, starts + counts, total - counts)):
            some = many > 0
            places = first[some] + rng.integers(0, many[some])
            parts.append((rows[some], self._named[places % total], is_similar))
        return parts

    def _by_features(self, rows: np.ndarray, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray, bool]]:
        if self._neighbors is None or not len(rows):
            return []
        near = self._neighbors[rows]
        similar = near[np.arange(len(rows)), rng.integers(0, near.shape[1], len(rows))]
        others = self._among[rng.integers(0, len(self._among), len(rows))]
        far = (near != others[:, None]).all(axis=1)
        return [(rows, similar, True), (rows[far], others[far], False)]
