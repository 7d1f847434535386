"""Warm starts: from an existing map, such as one made with other parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from latentmap.model.ascent import Likelihood

# The likeliest scale is sought within this range of the scale at which the median neighbours lie one length scale
# apart, to this tolerance; both are logarithms.
_RANGE, _TOLERANCE = 5.0, 0.05


class StartMap(NamedTuple):
    """A map to start from.

    Attributes
    ----------
    embedding : ndarray of float64, shape (n, d)
        Positions of the rows.
    variances : ndarray of float64, shape (n,), or None
        None if only the positions are known.
    """

    embedding: np.ndarray
    variances: np.ndarray | None


def read_init(init: Any, n: int, d: int, guesses: Sequence[str] = ("spectral",)) -> StartMap | None:
    """Return the map to start from, or None if ``init`` names a first guess.

    Parameters
    ----------
    init : str, array-like of shape (n, d), or (embedding, variances)
        As in :class:`latentmap.LVM`.
    n, d : int
        Rows, and dimensions of the map.
    guesses : sequence of str
        Names of the first guesses; the first is the default.

    Raises
    ------
    ValueError
        If it has another form, is not finite, has all rows at one position, or a variance is not above 0.

    Examples
    --------
    >>> read_init([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], 3, 2).embedding.shape
    (3, 2)
    """
    if isinstance(init, str) and init in guesses:
        return None
    names = " or ".join(f'"{guess}"' for guess in guesses)
    positions, variances = init if _is_pair(init) else (init, None)
    embedding = _numbers(positions)
    if embedding is None or embedding.ndim != 2:
        raise ValueError(
            f"init is {init!r}; it must be {names}, or a map of the rows of X to start from: an array with "
            f"n_components (d) = {d} columns, or two arrays (embedding, variances)."
        )
    if embedding.shape != (n, d):
        raise ValueError(
            f"init is a map of {embedding.shape[0]} rows in {embedding.shape[1]} dimensions, but X has {n} rows and "
            f'n_components (d) is {d}. Give a map that fits, or leave init at "{guesses[0]}".'
        )
    if lost := int((~np.isfinite(embedding)).any(axis=1).sum()):
        raise ValueError(
            f"{lost} of the {n} rows of init hold NaN or infinity, so they have no position on the map. Give every row "
            "one, or leave them out of X."
        )
    if np.all(embedding == embedding[0]):
        raise ValueError(
            f'init has all {n} rows at one position, from which they cannot separate. Leave init at "{guesses[0]}".'
        )
    return StartMap(embedding, None if variances is None else _read_variances(variances, n))


def likeliest(likelihood: Likelihood, start: StartMap, first_variances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a map at its likeliest size, since other parameters imply another unit.

    Parameters
    ----------
    likelihood : Likelihood
        Determines the size.
    start : StartMap
        The map, of the likelihood's rows.
    first_variances : ndarray of shape (n,)
        Variances to use if the start has none; they do not scale with the map.

    Returns
    -------
    embedding : ndarray of shape (n, d)
        Centred.
    variances : ndarray of shape (n,)
        Of the same scale.
    """
    similar = likelihood.similar
    positions = start.embedding - start.embedding.mean(axis=0)

    def sized(log_scale: float) -> tuple[np.ndarray, np.ndarray]:
        scale = np.exp(log_scale)
        variances = first_variances if start.variances is None else scale**2 * start.variances
        return scale * positions, np.clip(variances, *similar.variance_limits)

    one, other = np.repeat(np.arange(len(positions)), np.diff(similar.edges.indptr)), similar.edges.indices
    lengths = np.linalg.norm(positions[one] - positions[other], axis=1) / np.sqrt(similar.delta2)
    if not lengths.any():
        return sized(0.0)
    middle = -np.log(np.median(lengths[lengths > 0]))
    found = minimize_scalar(
        lambda log_scale: -likelihood.log_likelihood(*sized(log_scale)),
        bounds=(middle - _RANGE, middle + _RANGE),
        method="bounded",
        options={"xatol": _TOLERANCE},
    )
    return sized(found.x)


def _is_pair(init: Any) -> bool:
    """Whether ``init`` is a pair of arrays rather than an array of two rows."""
    return isinstance(init, tuple) and len(init) == 2 and np.ndim(init[0]) == 2


def _numbers(values: Any) -> np.ndarray | None:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        return None


def _read_variances(values: Any, n: int) -> np.ndarray:
    variances = _numbers(values)
    if variances is None or variances.shape != (n,):
        raise ValueError(f"The variances of init must be {n} numbers, one for each row of X.")
    if not (np.isfinite(variances) & (variances > 0)).all():
        raise ValueError("Some variances of init are not above 0 and finite. Give the embedding alone.")
    return variances
