"""The landmarks of coarse-graining, Saul (40): how many rows each stands for, and which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentmap.model.coarse import Coarse, Nearest, choose_landmarks


@dataclass(frozen=True, eq=False)
class Landmarks:
    """The landmarks of one level, and the rows that they stand for.

    Attributes
    ----------
    rows : ndarray of int, shape (n_landmarks,)
        Row numbers of the landmarks, ascending.
    represented : ndarray of int, shape (n_landmarks,)
        How many rows each stands for, itself among them.
    assignment : ndarray of int, shape (n,)
        The landmark of each row, as an index into ``rows``; -1 for rows that are not on the map.

    Examples
    --------
    >>> landmarks = Landmarks(np.array([0, 2]), np.array([2, 1]), np.array([0, 0, 1]))
    >>> landmarks.members([0])
    array([0, 1])
    """

    rows: np.ndarray
    represented: np.ndarray
    assignment: np.ndarray

    def members(self, which: np.ndarray | list[int]) -> np.ndarray:
        """Return the rows that some of the landmarks stand for, ascending.

        Parameters
        ----------
        which : ndarray of int
            Indices into ``rows``.
        """
        return np.flatnonzero(np.isin(self.assignment, which))


def chosen_landmarks(coarse: Coarse, level: int) -> Landmarks:
    """Return the landmarks of a level that a fit has coarse-grained its pairs by, among the rows on the map."""
    first, *others = [splits[0] for splits in coarse.splits[:level]]
    assignment = np.searchsorted(first.landmarks, first.assignment)
    for split in others:
        assignment = np.searchsorted(split.landmarks, split.assignment)[assignment]
    rows = (others or [first])[-1].landmarks
    return Landmarks(rows, np.bincount(assignment, minlength=len(rows)), assignment)


def find_landmarks(n: int, nearest: Nearest, level: int, random_state: np.random.Generator) -> Landmarks:
    """Choose the landmarks of a level: those of level 1 among all rows, those of level 2 among these, and so on.

    Parameters
    ----------
    n : int
        Number of rows.
    nearest : callable
        As for :func:`~latentmap.model.coarse.coarsen`.
    level : int
        From 1.
    random_state : numpy.random.Generator
        Chooses the landmarks; those of the first level are the ones that `coarsen` chooses with an equal generator.

    Raises
    ------
    ValueError
        If there is no such level.
    """
    if not isinstance(level, int | np.integer) or isinstance(level, bool) or level < 1:
        raise ValueError(f"level is {level!r}; it must be a whole number from 1, the level with the most landmarks.")
    nodes, assignment = np.arange(n), np.arange(n)
    for done in range(level):
        if len(nodes) < 2:
            raise ValueError(f"{n} rows have no landmarks of level {level}: give a level of at most {done}.")
        chosen, which, _ = choose_landmarks(nodes, nearest, random_state)
        nodes, assignment = nodes[chosen], which[assignment]
    return Landmarks(nodes, np.bincount(assignment, minlength=len(nodes)), assignment)
