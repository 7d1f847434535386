"""Coarse-graining: landmarks represent their cells, so that far fewer dissimilar pairs are counted.

A *block* is a set of nodes all of whose pairs are dissimilar. One level replaces each block of m nodes by one block of
landmarks and one block for each landmark's cell. Two facts keep a block small. The number of inputs that a pair
represents is a product, D_ij = w_i w_j, Saul (25). The length scale is a sum, Delta_ij = a_i + b_j: at first a_i =
Delta_i and b_j = 0, and the maximum in Saul (26) over both cells is the sum of a maximum over each. So a block is four
vectors, never a matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

Nearest = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]

# Ordered pairs that n_levels="auto" allows: about a tenth of a second per EM iteration on two cores.
PAIR_BUDGET = 20_000_000
# No table is large enough to need more.
MOST_LEVELS = 8


@dataclass(frozen=True, eq=False)
class Block:
    """Nodes all of whose pairs are dissimilar.

    Attributes
    ----------
    nodes : ndarray of shape (m,), int
        Numbers of the inputs.
    represented : ndarray of shape (m,)
        w: the number of inputs that each node represents in this block.
    outer, inner : ndarray of shape (m,)
        a and b: Delta_ij = a_i + b_j is the length scale at which i is to be kept away from j.
    is_finest : bool
        Whether each node represents itself only. Pairs of neighbours are left out here, and only here.
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
    """How one level divided one block.

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
        The number of inputs that each member represents.
    is_finest : bool
        Whether each member represents itself only.
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
        Level by level.
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
            The paper counts the inputs that a member represents (1); an unpublished program of its author squares
            this number (2). With one level the two agree.
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
        ``nearest(members, candidates)`` returns the index of the nearest candidate of each member, and its distance.
    n_levels : int or "auto"
        Levels (l), as long as each leaves fewer pairs than the one before. "auto" takes the fewest that bring the
        number of ordered pairs within ``pair_budget``.
    calibration : float
        Squared distance over squared length scale: 2 log 2 in the paper.
    random_state : numpy.random.Generator
        Chooses the landmarks. The first levels do not depend on how many follow.
    pair_budget : int
        Ordered pairs.
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
        # If one level leaves no fewer pairs, neither would another.
        if coarser.n_pairs >= coarse.n_pairs:
            break
        coarse = coarser
    return coarse


def n_landmarks(m: int) -> int:
    """Return the number of landmarks for m nodes that leaves the fewest pairs (SI, after Saul (40))."""
    return round(float((m * m / 2) ** (1 / 3)))


def choose_landmarks(
    nodes: np.ndarray, nearest: Nearest, random_state: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Choose landmarks among nodes, and find the nearest landmark of each node.

    Returns
    -------
    chosen : ndarray of int, shape (m_landmarks,)
        Which of the nodes are landmarks, ascending.
    which : ndarray of int, shape (m,)
        The landmark of each node, as an index into ``chosen``.
    distances : ndarray, shape (m,)
        The distance of each node from it.
    """
    m = len(nodes)
    chosen = np.sort(random_state.choice(m, n_landmarks(m), replace=False))
    which, distances = nearest(nodes, nodes[chosen])
    # Among duplicates, each landmark must be its own.
    which[chosen] = np.arange(len(chosen))
    distances[chosen] = 0
    return chosen, which, distances


def _split(block: Block, nearest: Nearest, random_state: np.random.Generator) -> Split | None:
    """Choose landmarks, and assign each node to the nearest."""
    if len(block.nodes) < 2:
        return None
    chosen, which, distances = choose_landmarks(block.nodes, nearest, random_state)
    landmarks = block.nodes[chosen]
    return Split(block.nodes, landmarks, landmarks[which], distances, block.represented, block.is_finest)


def _refined(block: Block, split: Split, calibration: float) -> list[Block]:
    """Return the block of landmarks and the blocks of their cells, omitting those without pairs."""
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
