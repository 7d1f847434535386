"""Pairs in the plane whose latent variables have 4 or 8 degrees of freedom: tails between those of 2 and a Gaussian's.

With s = sigma_i^2 + sigma_j^2, v = Delta^2 + s, rho = r^2/dof, t = 1 + rho/v and alpha = dof/2, the heavy-tailed form
of Saul (5) in the plane is P = Delta^2/(v t^alpha). As alpha is 2 or 4, t^alpha - 1 = (t - 1)(1 + t)(1 + b t^2) with
b = 0 or 1, and 1 - P is never computed as a difference: (1 - P)/P = (s + rho (1 + t)(1 + b t^2))/Delta^2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from latentmap.model import sampled_kernels as kernels
from latentmap.model.compiling import compiled, inlined
from latentmap.model.sampled_kernels import (
    FACTORS,
    FIRST,
    FORCE_X,
    FORCE_Y,
    LARGEST_BLOCK,
    OUTPUT,
    PER_OUTPUT,
    REACH,
    SCALE,
    SPREAD,
    VARIANCE,
    S,
    X,
    Y,
    gather,
    scatter,
)

LIGHT_TAILS = (4.0, 8.0)
"""The degrees of freedom for which this holds."""

_zero = np.float32(0)
_one = np.float32(1)
_half = np.float32(0.5)
_four = np.float32(4)
# Further away nothing pushes; powers of much larger numbers would exceed single precision.
_FARTHEST = np.float32(1e6)


@inlined
def _push_of_direction(r2: float, s: float, scale2: float, dof: Any) -> tuple[float, float]:
    """The repulsion in one direction: by the distance, Saul (11), and by the variance, Saul (17)."""
    v = scale2 + s
    rho = r2 / dof
    w = v + rho
    inverse = _one / (v * w)
    t = min(w * w * inverse, _FARTHEST)
    b = dof / _four - _one
    odds = scale2 / (s + rho * (_one + t) * (_one + b * t * t))
    return odds * v * inverse, odds * (w - _half * dof * rho) * inverse


@inlined
def _push_of_pair(r2: float, s: float, scale2: float, other_scale2: float, dof: Any) -> tuple[float, float]:
    """The repulsion in both directions."""
    away, widen = _push_of_direction(r2, s, scale2, dof)
    other_away, other_widen = _push_of_direction(r2, s, other_scale2, dof)
    return away + other_away, widen + other_widen


@inlined
def _pull_of_pair(r2: float, s: float, delta2: float, dof: Any) -> tuple[float, float]:
    """The attraction of a similar pair: by the distance, Saul (11), and by the variance, Saul (16)."""
    v = delta2 + s
    rho = r2 / dof
    w = v + rho
    inverse = _one / (v * w)
    return v * inverse, (w - _half * dof * rho) * inverse


@inlined
def _nearness(r2: float, s: float, delta2: float, dof: float) -> float:
    """-log P of a similar pair."""
    v = delta2 + s
    return math.log1p(s / delta2) + 0.5 * dof * math.log1p(r2 / (dof * v))


@inlined
def _apart(r2: float, s: float, scale2: float, dof: float) -> float:
    """1 - P, without cancellation."""
    rho = r2 / dof
    t = 1.0 + rho / (scale2 + s)
    against = s + rho * (1.0 + t) * (1.0 + (dof / 4.0 - 1.0) * t * t)
    return against / (against + scale2)


@inlined
def _push(i: int, first: int, m: int, dof: Any, buf: np.ndarray) -> None:
    """Push member i and the members first..m apart, for d = 2 and 4 or 8 degrees of freedom."""
    x = buf[X + i]
    y = buf[Y + i]
    s = buf[S + i]
    scale = buf[SCALE + i]
    force_x = _zero
    force_y = _zero
    spread = _zero
    others = buf[first:]
    for j in range(m - first):
        dx = x - others[X + j]
        dy = y - others[Y + j]
        c, widen = _push_of_pair(dx * dx + dy * dy, s + others[S + j], scale, others[SCALE + j], dof)
        force_x += c * dx
        force_y += c * dy
        spread += widen
        others[FORCE_X + j] -= c * dx
        others[FORCE_Y + j] -= c * dy
        others[SPREAD + j] += widen
    buf[FORCE_X + i] += force_x
    buf[FORCE_Y + i] += force_y
    buf[SPREAD + i] += spread


@compiled
def repel(
    start: int,
    stop: int,
    fan: int,
    pieces: int,
    bounds: np.ndarray,
    first_piece: np.ndarray,
    order: np.ndarray,
    points: np.ndarray,
    weight: float,
    result: np.ndarray,
    dof: float,
) -> None:
    """Add the repulsion within blocks, as `sampled_kernels.repel` does, for d = 2 and 4 or 8 degrees of freedom."""
    buf = np.empty(FIRST + 2 * PER_OUTPUT, np.float32)
    member = np.empty(LARGEST_BLOCK, np.uint64)
    first_other = np.empty(LARGEST_BLOCK, np.int64)
    for block in range(start, stop):
        m = gather(block, fan, pieces, bounds, first_piece, order, points, member, first_other, buf)
        for i in range(m):
            _push(i, first_other[i], m, np.float32(dof), buf)
        scatter(m, 2, member, np.float32(weight), buf, result)


@compiled
def dissimilar_log_likelihood(
    start: int,
    stop: int,
    fan: int,
    pieces: int,
    bounds: np.ndarray,
    first_piece: np.ndarray,
    order: np.ndarray,
    points: np.ndarray,
    dof: float,
) -> float:
    """Return the sum of log P(c_Delta = 0) within blocks, as the function of this name in `sampled_kernels` does."""
    buf = np.empty(FIRST + 2 * PER_OUTPUT, np.float32)
    member = np.empty(LARGEST_BLOCK, np.uint64)
    first_other = np.empty(LARGEST_BLOCK, np.int64)
    total = 0.0
    for block in range(start, stop):
        m = gather(block, fan, pieces, bounds, first_piece, order, points, member, first_other, buf)
        for i in range(m):
            total += _log_apart(i, first_other[i], m, dof, buf)
    return total


@inlined
def _log_apart(i: int, first: int, m: int, dof: float, buf: np.ndarray) -> float:
    """The sum of log(1 - P) of member i and the members first..m, both directions, for d = 2."""
    others = buf[first:]
    total = 0.0
    for low in range(0, m - first, FACTORS):
        product = 1.0
        for j in range(low, min(low + FACTORS, m - first)):
            dx = buf[X + i] - others[X + j]
            dy = buf[Y + i] - others[Y + j]
            s, r2 = buf[S + i] + others[S + j], dx * dx + dy * dy
            product *= _apart(r2, s, buf[SCALE + i], dof) * _apart(r2, s, others[SCALE + j], dof)
        total += math.log(product)
    return total


@compiled
def attract(
    start: int,
    stop: int,
    indptr: np.ndarray,
    indices: np.ndarray,
    similarity: np.ndarray,
    delta2: np.ndarray,
    directions: np.ndarray,
    points: np.ndarray,
    repulsion: float,
    result: np.ndarray,
    dof: float,
) -> None:
    """Write the attraction along edges, as `sampled_kernels.attract` does, for d = 2 and 4 or 8 degrees of freedom."""
    push, tails = np.float32(repulsion), np.float32(dof)
    for i in range(start, stop):
        _pull(i, indptr, indices, similarity, delta2, directions, points, tails, push, result)


@inlined
def _pull(
    i: int,
    indptr: np.ndarray,
    indices: np.ndarray,
    similarity: np.ndarray,
    delta2: np.ndarray,
    directions: np.ndarray,
    points: np.ndarray,
    dof: np.float32,
    push: np.float32,
    result: np.ndarray,
) -> None:
    spread = _zero
    force_x = _zero
    force_y = _zero
    for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        j = np.uint64(indices[p])
        dx = points[i, OUTPUT] - points[j, OUTPUT]
        dy = points[i, OUTPUT + 1] - points[j, OUTPUT + 1]
        s, r2 = points[i, VARIANCE] + points[j, VARIANCE], dx * dx + dy * dy
        c, widen = _pull_of_pair(r2, s, delta2[p], dof)
        c *= similarity[p]
        widen *= similarity[p]
        if directions[p] & 1:
            away, widen_away = _push_of_direction(r2, s, points[i, REACH], dof)
            c += push * away
            widen += push * widen_away
        if directions[p] & 2:
            away, widen_away = _push_of_direction(r2, s, points[j, REACH], dof)
            c += push * away
            widen += push * widen_away
        spread += widen
        force_x += c * dx
        force_y += c * dy
    result[i, 0] = -spread
    result[i, 1] = -force_x
    result[i, 2] = -force_y


@compiled
def neighbor_log_likelihood(
    start: int,
    stop: int,
    indptr: np.ndarray,
    indices: np.ndarray,
    similarity: np.ndarray,
    delta2: np.ndarray,
    directions: np.ndarray,
    points: np.ndarray,
    repulsion: float,
    dof: float,
) -> float:
    """Return what edges add to Saul (6), as the function of this name in `sampled_kernels` does."""
    total = 0.0
    for i in range(start, stop):
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[p])
            dx = points[i, OUTPUT] - points[j, OUTPUT]
            dy = points[i, OUTPUT + 1] - points[j, OUTPUT + 1]
            s, r2 = points[i, VARIANCE] + points[j, VARIANCE], dx * dx + dy * dy
            total -= 0.5 * similarity[p] * _nearness(r2, s, delta2[p], dof)
            if directions[p] & 1:
                total -= repulsion * math.log(_apart(r2, s, points[i, REACH], dof))
    return total


class Kernels(NamedTuple):
    """The kernels for some degrees of freedom, each with the arguments that it has for as many as dimensions."""

    repel: Callable[..., None]
    attract: Callable[..., None]
    dissimilar_log_likelihood: Callable[..., float]
    neighbor_log_likelihood: Callable[..., float]


def kernels_of(dof: float | None) -> Kernels:
    """Return the kernels for light tails in the plane, or without a number those for as many as dimensions."""
    if dof is None:
        return Kernels(
            kernels.repel, kernels.attract, kernels.dissimilar_log_likelihood, kernels.neighbor_log_likelihood
        )
    return Kernels(
        partial(repel, dof=dof),
        partial(attract, dof=dof),
        partial(dissimilar_log_likelihood, dof=dof),
        partial(neighbor_log_likelihood, dof=dof),
    )
