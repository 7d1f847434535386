"""Coarse-graining: landmarks that stand for their cells, so that far fewer dissimilar pairs need be counted.

A *block* is a set of nodes of which all pairs are dissimilar. One level replaces each block of m nodes by one block of
landmarks and one block for each landmark's cell. Two facts keep a block small. The number of inputs that a pair stands
for is a product, D_ij = w_i w_j, Saul (25). And the length scale is a sum, Delta_ij = a_i + b_j: at first a_i = Delta_i
and b_j = 0, and the maximum in Saul (26) over both cells is the sum of a maximum over each. So a block is four vectors,
never a matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

Nearest = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]

# Ordered pairs that n_levels="auto" allows: about a tenth of a second for each EM iteration on two cores.
PAIR_BUDGET = 20_000_000
# No table has so many rows that it would need more.
MOST_LEVELS = 8


@dataclass(frozen=True, eq=False)
class Block:
    """Nodes of which all pairs are dissimilar.

    Attributes
    ----------
    nodes : ndarray of shape (m,), int
    represented : ndarray of shape (m,)
        w: the number of inputs that each node stands for, in this block.
    outer, inner : ndarray of shape (m,)
        a and b: Delta_ij = a_i + b_j is the length scale at which i is to be kept away from j.
    is_finest : bool
        Whether the nodes stand for themselves alone; pairs of neighbours are left out here, and only here.
    """

    nodes: np.ndarray
    represented: np.ndarray
    outer: np.ndarray
    inner: np.ndarray
    is_finest: bool

    @property
    def n_pairs(self) -> int:
        """Ordered pairs of different nodes."""
        return len(self.nodes) * (len(self.nodes) - 1)


@dataclass(frozen=True, eq=False)
class Split:
    """What one level did to one block.

    Attributes
    ----------
    members : ndarray of shape (m,), int
        The nodes of the block.
    landmarks : ndarray of shape (m_landmarks,), int
        Those chosen as landmarks.
    assignment : ndarray of shape (m,), int
        The landmark of each member; a landmark is its own.
    distances : ndarray of shape (m,)
        The distance of each member from its landmark.
    represented : ndarray of shape (m,)
        The number of inputs that each member stands for.
    is_finest : bool
        Whether the members stand for themselves alone.
    """

    members: np.ndarray
    landmarks: np.ndarray
    assignment: np.ndarray
    distances: np.ndarray
    represented: np.ndarray
    is_finest: bool


@dataclass(frozen=True, eq=False)
class Coarse:
    """The dissimilar pairs after some levels of coarse-graining.

    Attributes
    ----------
    blocks : list of Block
        Each input is in exactly one finest block.
    splits : list of list of Split
        What was done, level by level.
    """

    blocks: list[Block]
    splits: list[list[Split]] = field(default_factory=list)

    @property
    def n_levels(self) -> int:
        """The number of levels (l)."""
        return len(self.splits)

    @property
    def n_pairs(self) -> int:
        """Ordered pairs in all blocks."""
        return sum(block.n_pairs for block in self.blocks)

    @property
    def landmarks(self) -> np.ndarray:
        """The landmarks of the first level."""
        return self.splits[0][0].landmarks if self.splits else np.empty(0, int)

    def attachments(self, vote_power: float = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the pairs of a member and its landmark: members, landmarks, distances and votes.

        Parameters
        ----------
        vote_power : float
            The paper counts the inputs that a member stands for; an unpublished program of its author counts their
            square (2). The two agree where there is one level.
        """
        splits = [split for level in self.splits for split in level]
        if not splits:
            return np.empty(0, int), np.empty(0, int), np.empty(0), np.empty(0)
        members = np.concatenate([split.members for split in splits])
        landmarks = np.concatenate([split.assignment for split in splits])
        distances = np.concatenate([split.distances for split in splits])
        votes = np.concatenate([split.represented for split in splits]) ** vote_power
        others = members != landmarks
        return members[others], landmarks[others], distances[others], votes[others]


def coarsen(
    scales: np.ndarray,
    nearest: Nearest,
    n_levels: int | str = "auto",
    *,
    calibration: float,
    random_state: np.random.Generator,
    pair_budget: int = PAIR_BUDGET,
) -> Coarse:
    """Coarse-grain all pairs of inputs.

    Parameters
    ----------
    scales : ndarray of shape (n,)
        Delta_i of the base model.
    nearest : callable
        ``nearest(members, candidates)`` returns the place of the nearest candidate of each member and its distance.
    n_levels : int or "auto"
        Levels (l), as far as each leaves fewer pairs than the one before. "auto" takes the fewest that bring the
        ordered pairs within ``pair_budget``.
    calibration : float
        Squared distance over squared length scale: 2 log 2 in the paper.
    random_state : numpy.random.Generator
        Chooses the landmarks. Fewer levels are always a prefix of more.
    pair_budget : int
        Ordered pairs.

    Returns
    -------
    Coarse
    """
    n = len(scales)
    coarse = Coarse([Block(np.arange(n), np.ones(n), scales, np.zeros(n), True)])
    wanted = MOST_LEVELS if n_levels == "auto" else int(n_levels)
    while coarse.n_levels < wanted:
        if n_levels == "auto" and coarse.n_pairs <= pair_budget:
            break
        blocks: list[Block] = []
        splits: list[Split] = []
        for block in coarse.blocks:
            split = _split(block, nearest, random_state)
            if split is None:
                blocks.append(block)
                continue
            splits.append(split)
            blocks.extend(_refined(block, split, calibration))
        coarser = Coarse(blocks, [*coarse.splits, splits])
        # Where one level has left no fewer pairs, another would not either.
        if coarser.n_pairs >= coarse.n_pairs:
            break
        coarse = coarser
    return coarse


def n_landmarks(m: int) -> int:
    """Return the number of landmarks for m nodes that leaves the fewest pairs (SI, after Saul (40))."""
    return round((m * m / 2) ** (1 / 3))


def _split(block: Block, nearest: Nearest, random_state: np.random.Generator) -> Split | None:
    """Choose landmarks, and give each node to its nearest one."""
    m = len(block.nodes)
    if m < 2:
        return None
    chosen = np.sort(random_state.choice(m, n_landmarks(m), replace=False))
    landmarks = block.nodes[chosen]
    which, distances = nearest(block.nodes, landmarks)
    # Of duplicates each landmark is to be its own.
    which[chosen] = np.arange(len(chosen))
    distances[chosen] = 0
    return Split(block.nodes, landmarks, landmarks[which], distances, block.represented, block.is_finest)


def _refined(block: Block, split: Split, calibration: float) -> list[Block]:
    """Return the block of landmarks and the blocks of their cells, without those that have no pair."""
    delta = split.distances / np.sqrt(calibration)
    order = np.argsort(split.assignment, kind="stable")
    landmarks, starts = np.unique(split.assignment[order], return_index=True)
    of_landmarks = Block(
        landmarks,
        np.add.reduceat(block.represented[order], starts),  # Saul (25)
        np.maximum.reduceat((block.outer + delta)[order], starts),  # Saul (26)
        np.maximum.reduceat((block.inner + delta)[order], starts),  # Saul (26)
        False,
    )
    cells = [
        Block(block.nodes[cell], block.represented[cell], block.outer[cell], block.inner[cell], block.is_finest)
        for cell in np.split(order, starts[1:])
    ]
    return [refined for refined in (of_landmarks, *cells) if refined.is_finest or len(refined.nodes) > 1]
