"""Made-up tables, and maps of them, of which it is known what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors

_COLUMNS = 50


class MadeUp(NamedTuple):
    """A table with known groups.

    Attributes
    ----------
    X : ndarray of shape (n, D)
    groups : ndarray of shape (n,)
    """

    X: np.ndarray
    groups: np.ndarray


def noise(n: int, seed: int, columns: int = _COLUMNS) -> np.ndarray:
    """Return rows without any structure."""
    return np.random.default_rng(seed).normal(size=(n, columns))


def _drawn(how: Callable[[np.random.Generator, int], np.ndarray]) -> Callable[[int, int], np.ndarray]:
    return lambda n, seed: how(np.random.default_rng(seed), n)


OTHER_NOISE: Mapping[str, Callable[[int, int], np.ndarray]] = MappingProxyType(
    {
        "noise, 10 uniform columns": _drawn(lambda rng, n: rng.uniform(size=(n, 10))),
        "noise, 10 skewed columns (exponential)": _drawn(lambda rng, n: rng.exponential(size=(n, 10))),
        "noise, 50 columns of counts (Poisson, mean .3)": _drawn(lambda rng, n: rng.poisson(0.3, size=(n, 50)) * 1.0),
        "noise, 10 columns of unequal width (log-normal)": _drawn(
            lambda rng, n: rng.normal(size=(n, 10)) * rng.lognormal(size=10)
        ),
    }
)
"""Independent columns that are not Gaussian or not alike: ``OTHER_NOISE[name](n, seed)`` draws a table."""


def separate(n: int, seed: int, n_groups: int = 5, columns: int = _COLUMNS, width: float = 3.0) -> MadeUp:
    """Return groups far apart, each a Gaussian, whose means are not along the columns."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(n_groups, size=n)
    means = rng.normal(scale=width, size=(n_groups, columns))
    return MadeUp(means[groups] + rng.normal(size=(n, columns)), groups)


def overlapping(n: int, seed: int, apart: float = 2.0) -> MadeUp:
    """Return two Gaussians that overlap: so many standard deviations apart."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(2, size=n)
    X = rng.normal(size=(n, _COLUMNS))
    X[:, 0] += apart * groups
    return MadeUp(X, groups)


def ring(n: int, seed: int, n_arcs: int = 6) -> tuple[MadeUp, np.ndarray]:
    """Return a thick ring in many columns, in arcs, and the angle of each row."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, size=n)
    X = 0.1 * rng.normal(size=(n, _COLUMNS))
    X[:, :2] += 3 * np.column_stack([np.cos(angle), np.sin(angle)])
    return MadeUp(X, (angle / (2 * np.pi) * n_arcs).astype(int)), angle


def opened(angle: np.ndarray, seed: int) -> np.ndarray:
    """Return a map of a ring that is torn where the angle begins, and straightened."""
    rng = np.random.default_rng(seed)
    return np.column_stack([3 * angle, 0.3 * rng.normal(size=len(angle))])


def in_two(angle: np.ndarray, seed: int) -> np.ndarray:
    """Return a map of a ring torn into two arcs of one half each, which lie apart."""
    Y = opened(angle, seed)
    Y[angle > np.pi, 1] += 10
    return Y


def bridge(n: int, seed: int, share: float = 0.05) -> MadeUp:
    """Return two types of cells, 0 and 1, and doublets of both, 2: each the mean of two cells."""
    rng = np.random.default_rng(seed)
    n_doublets = int(share * n)
    means = rng.normal(scale=2, size=(2, _COLUMNS))
    groups = np.concatenate([rng.integers(2, size=n - n_doublets), np.full(n_doublets, 2)])
    cells = [means[kind] + rng.normal(size=(n, _COLUMNS)) for kind in (0, 1)]
    mixed = (cells[0] + cells[1]) / 2
    return MadeUp(np.choose(groups[:, None], [*cells, mixed]), groups)


def batches(n: int, seed: int, shift: float) -> MadeUp:
    """Return one type of cells in two batches, 0 and 1, the second shifted along all columns."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(2, size=n)
    X = rng.normal(size=(n, _COLUMNS)) + shift / np.sqrt(_COLUMNS) * groups[:, None]
    return MadeUp(X, groups)


def side_by_side(groups: np.ndarray, seed: int) -> np.ndarray:
    """Return a map on which the groups are neighbouring squares, whatever the table says."""
    rng = np.random.default_rng(seed)
    return rng.uniform(size=(len(groups), 2)) + groups[:, None] * [1, 0]


def moved(Y: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a map on which some rows lie at the places of others, and which rows."""
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(Y), int(share * len(Y)), replace=False)
    Y = np.array(Y, float)
    spacing = Y.std() / np.sqrt(len(Y))
    Y[rows] = Y[rng.permutation(len(Y))[: len(rows)]] + spacing * rng.normal(size=(len(rows), Y.shape[1]))
    return Y, rows


def misplaced(groups: np.ndarray, Y: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return those of the rows moved whose nearest rows on the map, of those not moved, are all of other groups."""
    stayed = NearestNeighbors(n_neighbors=5).fit(np.delete(Y, rows, 0))
    kinds = np.delete(groups, rows)[stayed.kneighbors(Y[rows], return_distance=False)]
    return rows[(kinds != groups[rows, None]).all(axis=1)]
