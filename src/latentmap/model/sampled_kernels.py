"""Compiled sums over pairs for the ascent, in single precision: similar pairs, and blocks of dissimilar ones.

With as many degrees of freedom as the map has dimensions, the heavy-tailed form of Saul (5) is
P = (Delta^2 / (Delta^2 + q))^(d/2) with q = sigma_i^2 + sigma_j^2 + r^2/d, so that exp is not needed. Lighter tails
in the plane have kernels of their own, in :mod:`latentmap.model.light_tails`.

A point is a row of ``points``: its variance, its Delta^2, and its d outputs. Its sums are a row of ``result``: the
derivative of the log-likelihood with respect to the variance, without a factor d/2, then to the outputs. The kernels
are serial and release the GIL; no two blocks of a level share a point, so the sums do not depend on which thread takes
which block. The scratch space is one flat array, as in :mod:`latentmap.model.kernels`. Indices are unsigned where
possible, because numba checks whether a signed one is negative.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from latentmap.model.compiling import compiled, inlined

# The columns of `points`; the d outputs follow.
VARIANCE, REACH, OUTPUT = 0, 1, 2
# Maximum number of members of a block.
LARGEST_BLOCK = 1024
# Offsets of scratch vectors; each output adds two, for itself and for its force.
S, SCALE, SPREAD, _Q, _C, FIRST = (k * LARGEST_BLOCK for k in range(6))
PER_OUTPUT = 2 * LARGEST_BLOCK
X, FORCE_X, Y, FORCE_Y = (FIRST + k * LARGEST_BLOCK for k in range(4))
# Factors 1 - P whose product cannot underflow in double precision.
FACTORS = 8

_half = np.float32(0.5)
_one = np.float32(1)
_zero = np.float32(0)


@inlined
def _odds(scale2: float, q: float, d: int) -> Any:
    """P / ((Delta^2 + q)(1 - P)): the repulsion of a pair, without cancellation."""
    if d == 2:
        return scale2 / (q * (scale2 + q))
    p = scale2 / (scale2 + q)
    root = np.float32(math.sqrt(p))
    power = _one
    series = _zero
    for _ in range(d):
        series = series * root + _one
        power = power * root
    return power * (_one + root) / (q * series)


@inlined
def _odds_in_plane(r2: float, s: float, scale: float, other_scale: float) -> Any:
    """The odds of both directions of a pair for d = 2, with a single division."""
    q = s + _half * r2
    own = scale + q
    other = other_scale + q
    return (scale * other + other_scale * own) / (q * own * other)


@inlined
def _push_in_plane(i: int, first: int, m: int, buf: np.ndarray) -> None:
    """Push member i and the members first..m apart, for d = 2."""
    x = buf[X + i]
    y = buf[Y + i]
    force_x = _zero
    force_y = _zero
    spread = _zero
    # A view that starts at `first`, because LLVM vectorises a loop only if it sees that no index is negative.
    others = buf[first:]
    for j in range(m - first):
        dx = x - others[X + j]
        dy = y - others[Y + j]
        c = _odds_in_plane(dx * dx + dy * dy, buf[S + i] + others[S + j], buf[SCALE + i], others[SCALE + j])
        force_x += c * dx
        force_y += c * dy
        spread += c
        others[FORCE_X + j] -= c * dx
        others[FORCE_Y + j] -= c * dy
        others[SPREAD + j] += c
    buf[FORCE_X + i] += force_x
    buf[FORCE_Y + i] += force_y
    buf[SPREAD + i] += spread


@inlined
def _push_two_in_plane(i: int, first: int, m: int, buf: np.ndarray) -> None:
    """Push the members i and i + 1 from the members first..m, which halves the loads and stores of these."""
    x1 = buf[X + i]
    y1 = buf[Y + i]
    s1 = buf[S + i]
    scale1 = buf[SCALE + i]
    x2 = buf[X + i + 1]
    y2 = buf[Y + i + 1]
    s2 = buf[S + i + 1]
    scale2 = buf[SCALE + i + 1]
    force_x1 = _zero
    force_y1 = _zero
    spread1 = _zero
    force_x2 = _zero
    force_y2 = _zero
    spread2 = _zero
    others = buf[first:]
    for j in range(m - first):
        dx1 = x1 - others[X + j]
        dy1 = y1 - others[Y + j]
        dx2 = x2 - others[X + j]
        dy2 = y2 - others[Y + j]
        c1 = _odds_in_plane(dx1 * dx1 + dy1 * dy1, s1 + others[S + j], scale1, others[SCALE + j])
        c2 = _odds_in_plane(dx2 * dx2 + dy2 * dy2, s2 + others[S + j], scale2, others[SCALE + j])
        force_x1 += c1 * dx1
        force_y1 += c1 * dy1
        spread1 += c1
        force_x2 += c2 * dx2
        force_y2 += c2 * dy2
        spread2 += c2
        others[FORCE_X + j] -= c1 * dx1 + c2 * dx2
        others[FORCE_Y + j] -= c1 * dy1 + c2 * dy2
        others[SPREAD + j] += c1 + c2
    buf[FORCE_X + i] += force_x1
    buf[FORCE_Y + i] += force_y1
    buf[SPREAD + i] += spread1
    buf[FORCE_X + i + 1] += force_x2
    buf[FORCE_Y + i + 1] += force_y2
    buf[SPREAD + i + 1] += spread2


@inlined
def _push_all_in_plane(fan: int, m: int, first_other: np.ndarray, buf: np.ndarray) -> None:
    """Push the members of a block apart for d = 2, two at a time where both visit the same others."""
    # For a plain 0 numba would compile what is called with it twice: for 0 itself, and for any number.
    i: Any = np.int64(0)
    while i < m:
        if i + 1 == m or (fan > 1 and first_other[i] != first_other[i + 1]):
            _push_in_plane(i, first_other[i], m, buf)
            i += 1
            continue
        if fan == 1:
            _push_in_plane(i, i + 1, i + 2, buf)
        _push_two_in_plane(i, first_other[i + 1], m, buf)
        i += 2


@inlined
def _separate(i: int, first: int, m: int, d: int, buf: np.ndarray) -> None:
    """Write q = sigma_i^2 + sigma_j^2 + r^2/d of member i and the members first..m."""
    others = buf[first:]
    for j in range(m - first):
        others[_Q + j] = _zero
    for c in range(d):
        offset = FIRST + c * PER_OUTPUT
        y = buf[offset + i]
        column = others[offset:]
        for j in range(m - first):
            difference = y - column[j]
            others[_Q + j] += difference * difference
    s = buf[S + i]
    share = _one / np.float32(d)
    for j in range(m - first):
        others[_Q + j] = s + others[S + j] + share * others[_Q + j]


@inlined
def _push(i: int, first: int, m: int, d: int, buf: np.ndarray) -> None:
    """Push member i and the members first..m apart, in any number of dimensions."""
    _separate(i, first, m, d, buf)
    others = buf[first:]
    scale = buf[SCALE + i]
    spread = _zero
    for j in range(m - first):
        q = others[_Q + j]
        c = _odds(scale, q, d) + _odds(others[SCALE + j], q, d)
        others[_C + j] = c
        others[SPREAD + j] += c
        spread += c
    buf[SPREAD + i] += spread
    for c in range(d):
        offset = FIRST + c * PER_OUTPUT
        y = buf[offset + i]
        column = others[offset:]
        total = _zero
        for j in range(m - first):
            force = others[_C + j] * (y - column[j])
            total += force
            column[LARGEST_BLOCK + j] -= force
        buf[offset + LARGEST_BLOCK + i] += total


@inlined
def gather(
    block: int,
    fan: int,
    pieces: int,
    bounds: np.ndarray,
    first_piece: np.ndarray,
    order: np.ndarray,
    points: np.ndarray,
    member: np.ndarray,
    first_other: np.ndarray,
    buf: np.ndarray,
) -> int:
    """Load the members of a block, one piece of each of the ``fan`` groups of its node, and return their number.

    A member visits those of later groups, from ``first_other`` on; in a block of a single group, all after it.
    """
    node = block // pieces
    m = 0
    for group in range(node * fan, (node + 1) * fan):
        piece = (block + first_piece[group]) % pieces
        size = bounds[group + 1] - bounds[group]
        start = bounds[group] + piece * size // pieces
        stop = bounds[group] + (piece + 1) * size // pieces
        end = m + stop - start
        for place in range(start, stop):
            member[m] = np.uint64(order[place])
            first_other[m] = m + 1 if fan == 1 else end
            m += 1
    for k in range(m):
        i = member[k]
        buf[S + k] = points[i, VARIANCE]
        buf[SCALE + k] = points[i, REACH]
        buf[SPREAD + k] = _zero
        for c in range(points.shape[1] - OUTPUT):
            offset = FIRST + c * PER_OUTPUT
            buf[offset + k] = points[i, OUTPUT + c]
            buf[offset + LARGEST_BLOCK + k] = _zero
    return m


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
) -> None:
    """Add the repulsion within the blocks start..stop of one level: Saul (11) and (17) in the odds nu (9).

    Each node of the level has ``fan`` groups of points and is divided into ``pieces`` blocks with a piece of each
    group: ``first_piece`` is the piece of each group in the first block of its node.
    """
    d = points.shape[1] - OUTPUT
    buf = np.empty(FIRST + d * PER_OUTPUT, np.float32)
    member = np.empty(LARGEST_BLOCK, np.uint64)
    first_other = np.empty(LARGEST_BLOCK, np.int64)
    for block in range(start, stop):
        m = gather(block, fan, pieces, bounds, first_piece, order, points, member, first_other, buf)
        if d == 2:
            _push_all_in_plane(fan, m, first_other, buf)
        else:
            for i in range(m):
                _push(i, first_other[i], m, d, buf)
        scatter(m, d, member, np.float32(weight), buf, result)


@inlined
def scatter(m: int, d: int, member: np.ndarray, weight: Any, buf: np.ndarray, result: np.ndarray) -> None:
    """Add the sums of the members of a block to those of their points."""
    for k in range(m):
        result[member[k], 0] += weight * buf[SPREAD + k]
        for c in range(d):
            result[member[k], 1 + c] += weight * buf[FIRST + c * PER_OUTPUT + LARGEST_BLOCK + k]


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
) -> float:
    """Return the sum of log P(c_Delta = 0) of Saul (6), both directions, over the blocks start..stop of one level."""
    d = points.shape[1] - OUTPUT
    buf = np.empty(FIRST + d * PER_OUTPUT, np.float32)
    member = np.empty(LARGEST_BLOCK, np.uint64)
    first_other = np.empty(LARGEST_BLOCK, np.int64)
    total = 0.0
    for block in range(start, stop):
        m = gather(block, fan, pieces, bounds, first_piece, order, points, member, first_other, buf)
        for i in range(m):
            _separate(i, first_other[i], m, d, buf)
            others = buf[first_other[i] :]
            for low in range(0, m - first_other[i], FACTORS):
                product = 1.0
                for j in range(low, min(low + FACTORS, m - first_other[i])):
                    q = others[_Q + j]
                    product *= _apart(buf[SCALE + i], q, d) * _apart(others[SCALE + j], q, d)
                total += math.log(product)
    return total


@inlined
def _apart(scale2: float, q: float, d: int) -> float:
    """1 - P, without cancellation."""
    nearness = scale2 / (scale2 + q)
    if d == 2:
        return q / (scale2 + q)
    root = math.sqrt(nearness)
    series = 0.0
    for _ in range(d):
        series = series * root + 1.0
    return q / (scale2 + q) / (1.0 + root) * series


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
) -> None:
    """Write the attraction of points start..stop along their edges, Saul (11) and (16).

    The repulsion is undone in the directions in which a pair is similar, hence not dissimilar.
    """
    d = points.shape[1] - OUTPUT
    push = np.float32(repulsion)
    for i in range(start, stop):
        if d == 2:
            _pull_in_plane(i, indptr, indices, similarity, delta2, directions, points, push, result)
        else:
            _pull(i, indptr, indices, similarity, delta2, directions, points, push, result)


@inlined
def _pull_in_plane(
    i: int,
    indptr: np.ndarray,
    indices: np.ndarray,
    similarity: np.ndarray,
    delta2: np.ndarray,
    directions: np.ndarray,
    points: np.ndarray,
    push: np.float32,
    result: np.ndarray,
) -> None:
    s = points[i, VARIANCE]
    scale = points[i, REACH]
    x = points[i, OUTPUT]
    y = points[i, OUTPUT + 1]
    spread = _zero
    force_x = _zero
    force_y = _zero
    for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        j = np.uint64(indices[p])
        dx = x - points[j, OUTPUT]
        dy = y - points[j, OUTPUT + 1]
        q = s + points[j, VARIANCE] + _half * (dx * dx + dy * dy)
        own = scale + q
        other = points[j, REACH] + q
        outgoing = np.float32(directions[p] & 1) * scale * other
        incoming = np.float32(directions[p] >> 1) * points[j, REACH] * own
        near = delta2[p] + q
        apart = q * own * other
        c = similarity[p] / near + push * (outgoing + incoming) / apart
        spread += c
        force_x += c * dx
        force_y += c * dy
    result[i, 0] = -spread
    result[i, 1] = -force_x
    result[i, 2] = -force_y


@inlined
def _pull(
    i: int,
    indptr: np.ndarray,
    indices: np.ndarray,
    similarity: np.ndarray,
    delta2: np.ndarray,
    directions: np.ndarray,
    points: np.ndarray,
    push: np.float32,
    result: np.ndarray,
) -> None:
    d = points.shape[1] - OUTPUT
    share = _one / np.float32(d)
    for c in range(d + 1):
        result[i, c] = _zero
    for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        j = np.uint64(indices[p])
        r2 = _zero
        for c in range(d):
            difference = points[i, OUTPUT + c] - points[j, OUTPUT + c]
            r2 += difference * difference
        q = points[i, VARIANCE] + points[j, VARIANCE] + share * r2
        pull = similarity[p] / (delta2[p] + q)
        if directions[p] & 1:
            pull += push * _odds(points[i, REACH], q, d)
        if directions[p] & 2:
            pull += push * _odds(points[j, REACH], q, d)
        result[i, 0] -= pull
        for c in range(d):
            result[i, 1 + c] -= pull * (points[i, OUTPUT + c] - points[j, OUTPUT + c])


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
) -> float:
    """Return what the edges of points start..stop add to Saul (6), minus the excess counted by the blocks."""
    d = points.shape[1] - OUTPUT
    total = 0.0
    for i in range(start, stop):
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[p])
            r2 = 0.0
            for c in range(d):
                difference = points[i, OUTPUT + c] - points[j, OUTPUT + c]
                r2 += difference * difference
            q = points[i, VARIANCE] + points[j, VARIANCE] + r2 / d
            total -= 0.25 * d * similarity[p] * math.log1p(q / delta2[p])
            if directions[p] & 1:
                total -= repulsion * math.log(_apart(points[i, REACH], q, d))
    return total


@compiled
def shuffle(start: int, stop: int, bounds: np.ndarray, order: np.ndarray, seed: int, result: np.ndarray) -> None:
    """Write the points of the groups start..stop, each group shuffled on its own (Fisher-Yates, xorshift)."""
    for group in range(start, stop):
        # Mixed, because a small seed would make the first numbers small.
        state = (np.uint64(seed) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        state ^= (np.uint64(group) + np.uint64(1)) * np.uint64(0xBF58476D1CE4E5B9)
        state ^= state >> np.uint64(29)
        state |= np.uint64(1)
        low = bounds[group]
        for i in range(low, bounds[group + 1]):
            result[i] = order[i]
        for i in range(bounds[group + 1] - 1, low, -1):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            j = low + np.int64(((state >> np.uint64(32)) * np.uint64(i - low + 1)) >> np.uint64(32))
            result[i], result[j] = result[j], result[i]
