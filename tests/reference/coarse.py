"""Coarse-graining, Saul (25)-(26), any number of levels, on dense n x n matrices.

The random choices come from outside: a split is (members, landmarks, assignment), where the members are the
nodes of one block, the landmarks some of them, and assignment[t] the landmark that represents members[t].
A split turns its block into one block of landmarks and one block for each landmark's cell.
"""

from itertools import permutations, product
from math import inf
from typing import NamedTuple

import numpy as np

from .scales import calibration


class Block(NamedTuple):
    represents: dict  # node -> the frozenset of inputs that it stands for in this block
    of_landmarks: bool  # False for the inputs themselves: there, neighbours are not dissimilar


class CoarseGrained(NamedTuple):
    D: np.ndarray  # (n, n), not rescaled
    Delta: np.ndarray  # (n, n), nan for a pair that no block holds
    C: np.ndarray  # (n, n), similarity of members (rows) to landmarks (columns), not rescaled
    blocks: list


def coarse_grain(dist, D, Delta, splits, dof=inf, vote_power=1):
    """Apply the splits in order to the D and Delta (a length, not its square) of the base case."""
    n = len(D)
    D, Delta, C = D.copy(), Delta.copy(), np.zeros((n, n))
    delta = dist / np.sqrt(calibration(dof))
    blocks = [Block({i: frozenset([i]) for i in range(n)}, of_landmarks=False)]
    for members, landmarks, assignment in splits:
        block = _current_block(blocks, members)
        cells = _cells(members, landmarks, assignment)
        for member, landmark in zip(members, assignment, strict=True):
            if member != landmark:
                C[member, landmark] += len(block.represents[member]) ** vote_power
        landmark_block = _separate_cells(block, cells, D, Delta, delta)
        blocks.remove(block)
        blocks += [landmark_block] + [
            Block({a: block.represents[a] for a in cell}, block.of_landmarks) for cell in cells.values()
        ]
    return CoarseGrained(D, Delta, C, blocks)


def rescale(E, C, D):
    """S and D as EM uses them: C sums to n, S = E + C, and D sums to what S sums to (SI, Implementation)."""
    n = len(E)
    S = E + (n * C / C.sum() if C.any() else C)
    return S, D * S.sum() / D.sum()


def _separate_cells(block, cells, D, Delta, delta):
    """Landmarks speak for all pairs of their cells: change D and Delta in place, return the landmarks' block."""
    previous = Delta.copy()
    for (_, cell_i), (_, cell_j) in permutations(cells.items(), 2):
        for a, b in product(cell_i, cell_j):
            D[a, b], Delta[a, b] = 0.0, np.nan
    omega = {i: frozenset().union(*(block.represents[a] for a in cell)) for i, cell in cells.items()}
    for i, j in permutations(cells, 2):
        D[i, j] = len(omega[i]) * len(omega[j])  # Saul (25)
        Delta[i, j] = max(
            previous[a, b] + delta[i, a] + delta[j, b]
            for a, b in product(cells[i], cells[j])  # Saul (26)
        )
    return Block(omega, of_landmarks=True)


def _current_block(blocks, members):
    for block in blocks:
        if block.represents.keys() == set(members) and len(members) == len(block.represents):
            return block
    raise ValueError(f"The nodes {list(members)} are no current block.")


def _cells(members, landmarks, assignment):
    cells = {i: [a for a, landmark in zip(members, assignment, strict=True) if landmark == i] for i in landmarks}
    if sum(map(len, cells.values())) < len(members) or any(i not in cell for i, cell in cells.items()):
        raise ValueError("Every member needs a landmark of this split, and every landmark is its own.")
    return cells
