"""Comparisons of cells by a person, in one form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from latentmap.methods.classes import read_classes
from latentmap.model.data_warnings import listed

UNIT = -1
"""Replaces both rows of a pair whose distance is, by definition, the unit of the map."""

_HOW = (
    "Give y as row numbers of X, counted from 0: three columns (i, j, k) mean that row i is more like row j than row "
    "k, four columns (i, j, u, v) that i is more like j than u is like v. For similar and dissimilar pairs, make y by "
    "Comparisons.from_pairs(similar, dissimilar). One column is the class of each row."
)


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Comparisons of cells: the first pair is nearer than the second.

    Parameters
    ----------
    quadruplets : ndarray of int, shape (m, 4)
        Rows (i, j, u, v): i is more like j than u is like v. A pair (-1, -1) represents two cells one unit of the map
        apart.

    Raises
    ------
    ValueError
        If they are not row numbers, or compare a row with itself.

    Examples
    --------
    >>> said = Comparisons.from_triplets([[0, 1, 5]]) + Comparisons.from_pairs(similar=[[2, 3]])
    >>> said.quadruplets.tolist()
    [[0, 1, 0, 5], [2, 3, -1, -1]]
    """

    quadruplets: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "quadruplets", _rows(self.quadruplets, "Quadruplets", 4))
        first, second = self.quadruplets[:, :2], self.quadruplets[:, 2:]
        same = (first[:, 0] == first[:, 1]) & (first[:, 0] != UNIT)
        same |= (second[:, 0] == second[:, 1]) & (second[:, 0] != UNIT)
        same |= (np.sort(first, axis=1) == np.sort(second, axis=1)).all(axis=1)
        if same.any():
            raise ValueError(
                f"{same.sum()} of {len(self)} comparisons compare a row with itself, or a pair with the same pair (the "
                f"first is number {same.argmax()}, {self.quadruplets[same.argmax()].tolist()}), which says nothing. "
                "Leave them out."
            )

    @classmethod
    def from_triplets(cls, triplets: Any) -> Self:
        """Return comparisons from triplets.

        Parameters
        ----------
        triplets : array-like of int, shape (m, 3)
            Rows (i, j, k): i is more like j than k.

        Returns
        -------
        Comparisons
            One for each triplet.
        """
        return cls(_rows(triplets, "Triplets", 3)[:, [0, 1, 0, 2]])

    @classmethod
    def from_quadruplets(cls, quadruplets: Any) -> Self:
        """Return comparisons from quadruplets.

        Parameters
        ----------
        quadruplets : array-like of int, shape (m, 4)
            Rows (i, j, u, v): i is more like j than u is like v.

        Returns
        -------
        Comparisons
            One for each quadruplet.
        """
        return cls(quadruplets)

    @classmethod
    def from_pairs(cls, similar: Any = (), dissimilar: Any = ()) -> Self:
        """Return comparisons from pairs.

        Parameters
        ----------
        similar : array-like of int, shape (m, 2)
            Pairs of rows that are nearer than one unit of the map.
        dissimilar : array-like of int, shape (m, 2)
            Pairs of rows that are farther apart.

        Returns
        -------
        Comparisons
            One for each pair.
        """
        near, far = _rows(similar, "Similar pairs", 2), _rows(dissimilar, "Dissimilar pairs", 2)
        return cls(
            np.vstack(
                [np.column_stack([near, np.full_like(near, UNIT)]), np.column_stack([np.full_like(far, UNIT), far])]
            )
        )

    @classmethod
    def from_classes(cls, classes: Any, n_each: int = 5, seed: int = 0) -> Self:
        """Return comparisons drawn from classes: a row is more like one of its own class than one of another.

        Parameters
        ----------
        classes : array-like of shape (n,)
            The class of each row, numbers or names; -1, None, NaN or "" if it has none.
        n_each : int, optional
            Comparisons of each row that shares its class with another.
        seed : int, optional
            Chooses the other two rows.

        Returns
        -------
        Comparisons
            ``n_each`` for each of these rows.

        Raises
        ------
        ValueError
            If there are not two classes, or none has two rows.

        Examples
        --------
        >>> Comparisons.from_classes(["B", "T", "B", None], n_each=1).quadruplets.tolist()
        [[0, 2, 0, 1], [2, 0, 2, 1]]
        """
        codes = read_classes(classes, np.asarray(classes, dtype=object).size)
        rng = np.random.default_rng(seed)
        triplets = [np.empty((0, 3), int)]
        for code in range(codes.max() + 1):
            own, others = np.flatnonzero(codes == code), np.flatnonzero((codes >= 0) & (codes != code))
            if len(own) < 2:
                continue
            row = np.repeat(np.arange(len(own)), n_each)
            # Any row of the class except the row itself.
            like = (row + rng.integers(1, len(own), len(row))) % len(own)
            triplets.append(np.column_stack([own[row], own[like], rng.choice(others, len(row))]))
        return cls.from_triplets(np.vstack(triplets))

    @classmethod
    def read(cls, y: Any, n: int, seed: int = 0) -> Self:
        """Return the user's ``y`` as comparisons of the rows of a table.

        Parameters
        ----------
        y : Comparisons, array-like of int of shape (m, 3) or (m, 4), or array-like of shape (n,)
            The last is the class of each row; see :meth:`from_classes`.
        n : int
            Number of rows of the table.
        seed : int, optional
            Draws the comparisons if ``y`` are classes.

        Returns
        -------
        Comparisons
            At least one.

        Raises
        ------
        ValueError
            If there are none, they have another form, or name rows that do not exist.
        """
        if y is None:
            raise ValueError(f"This method requires y to be passed, but the target y is None. {_HOW}")
        said = y if isinstance(y, cls) else cls._from_array(y, n, seed)
        if not len(said):
            raise ValueError(f"y holds no comparisons. {_HOW}")
        largest = int(said.quadruplets.max())
        if largest >= n:
            raise ValueError(f"y names row {largest}, but X has {n} rows, counted from 0 to {n - 1}.")
        return said

    @classmethod
    def _from_array(cls, y: Any, n: int, seed: int) -> Self:
        given = np.asarray(y)
        if given.ndim == 1 and len(given) == n:
            return cls.from_classes(y, seed=seed)  # as given: among words, the array has "nan" for a gap
        columns = given.shape[1] if given.ndim == 2 else 0
        if columns not in (3, 4):
            raise ValueError(f"y has the shape {given.shape}, which is not a shape of comparisons. {_HOW}")
        return cls.from_triplets(given) if columns == 3 else cls.from_quadruplets(given)

    def __len__(self) -> int:
        return len(self.quadruplets)

    def __add__(self, other: Comparisons) -> Comparisons:
        return Comparisons(np.vstack([self.quadruplets, other.quadruplets]))

    def take(self, chosen: np.ndarray) -> Comparisons:
        """Return some of the comparisons, by number or mask."""
        return Comparisons(self.quadruplets[chosen])

    def among(self, rows: Any) -> Comparisons:
        """Return the comparisons of some rows only, renumbered.

        Parameters
        ----------
        rows : array-like of int, shape (n_kept,)
            The rows kept, in their new order.

        Returns
        -------
        Comparisons
            Those that name no other rows.

        Examples
        --------
        >>> Comparisons.from_triplets([[0, 1, 5], [2, 5, 1]]).among([5, 2, 1]).quadruplets.tolist()
        [[1, 0, 1, 2]]
        """
        kept = np.asarray(rows, dtype=np.int64)
        # One element more than rows, so that UNIT, -1, maps to itself.
        rows_after = np.full(max(self.quadruplets.max(initial=UNIT), kept.max(initial=UNIT)) + 2, UNIT)
        rows_after[kept] = np.arange(len(kept))
        found = rows_after[self.quadruplets]
        return Comparisons(found[((found != UNIT) | (self.quadruplets == UNIT)).all(axis=1)])

    def rows(self) -> np.ndarray:
        """Return the rows that the comparisons name, in ascending order."""
        found = np.unique(self.quadruplets)
        return np.asarray(found[found != UNIT])

    def accuracy(self, embedding: np.ndarray) -> float:
        """Return the fraction of the comparisons with which a map agrees.

        Parameters
        ----------
        embedding : ndarray of shape (n, d)
            The map.

        Returns
        -------
        float
            From 0 to 1, about 0.5 by chance; NaN if there are no comparisons.

        Examples
        --------
        >>> Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]]).accuracy(np.array([[0.0], [1.0], [5.0]]))
        0.5
        """
        near, far = (_squared(embedding, pairs) for pairs in (self.quadruplets[:, :2], self.quadruplets[:, 2:]))
        return float((near < far).mean()) if len(self) else np.nan


def _squared(embedding: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    away = np.square(embedding[pairs[:, 0]] - embedding[pairs[:, 1]]).sum(axis=1)
    return np.where(pairs[:, 0] == UNIT, 1.0, away)


def _rows(values: Any, name: str, columns: int) -> np.ndarray:
    """Return row numbers as an array with this number of columns."""
    numbers = np.asarray(values)
    if numbers.size == 0:
        return np.empty((0, columns), dtype=np.int64)
    if numbers.ndim != 2 or numbers.shape[1] != columns:
        raise ValueError(f"{name} have {columns} columns, but these have the shape {numbers.shape}.")
    if numbers.dtype.kind not in "iuf" or (numbers != np.floor(numbers)).any():
        wrong = [value for value in numbers.ravel().tolist() if not _is_whole(value)]
        raise ValueError(f"{name} contain {listed(wrong)}, which are not row numbers. {_HOW}")
    numbers = numbers.astype(np.int64)
    pairs = (numbers == UNIT).reshape(len(numbers), -1, 2) if columns == 4 else np.zeros((1, 1, 2), dtype=bool)
    if (numbers < UNIT).any() or (pairs[..., 0] != pairs[..., 1]).any() or (columns < 4 and (numbers < 0).any()):
        raise ValueError(f"{name} contain negative row numbers, but rows are counted from 0.")
    return numbers


def _is_whole(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and float(value).is_integer()
