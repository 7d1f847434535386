"""Compiled sums over pairs for EM: double precision, any number of dimensions, any degrees of freedom.

All derive from one number for each direction of a pair, the odds nu = P/(1 - P) of Saul (9). The odds of close pairs
are huge, so they are computed without cancellation: 1/nu = exp(t) - 1, where

    t = (d log(1 + s/Delta^2) + r^2/v) / 2,    s = sigma_i^2 + sigma_j^2,    v = Delta^2 + s,

where dof log(1 + r^2/(dof v)) replaces r^2/v if the tails are heavy. :func:`_gaussian` and :func:`_heavy` compute
exactly this; the functions ``..._in_plane`` are their closed forms for d = 2 and the most common degrees of freedom.

Each pair is visited once. Its two directions, Delta_ij = a_i + b_j and Delta_ji = a_j + b_i, are summed for both of
its members: the members of a block are copied to a buffer, ``TILE`` at a time, and each row visits those after it. The
kernels are serial and release the GIL; :class:`~latentmap.model.workers.Workers` distributes *strips*, some rows of one
block with sums of their own, over threads. So the result is bit-identical for any number of threads. A call cannot be
interrupted, so a strip is divided into *pieces*, some of the members each, which add to the same sums in turn.

Three things let LLVM vectorise. exp and log are polynomials (:mod:`latentmap.model.fast_math`), and numba's check for
a zero divisor is off. The buffer is one flat array with fixed offsets, viewed from the start of a loop
(``buf[first:]``), so that no vectors overlap and no index is negative. And functions called for each pair or row are
inlined, because a call costs as much as 50 pairs.
"""

from __future__ import annotations

import math

import numpy as np

from latentmap.model.compiling import compiled, inlined
from latentmap.model.fast_math import expm1, log1p

# The rows of the array `columns`, which describes the members of blocks; the d outputs follow.
VARIANCE, OUTER, INNER, WEIGHT, OUTPUT = 0, 1, 2, 3, 4

TILE = 512
# Doubles in the widest register: vectors are padded to a multiple of it.
_LANES = 8
# Numbers that LLVM processes at a time in a short loop.
_UNROLLED = 32
# Vectors a power of two apart would compete for the same cache lines.
_STRIDE = TILE + _UNROLLED
# Offsets in the buffer; each output has two more, for itself and for its force.
_VARIANCE, _OUTER, _INNER, _OUTGOING, _INCOMING = (k * _STRIDE for k in range(5))
_SPREAD, _EXCESS, _R2, _PULL, _FIRST = (k * _STRIDE for k in range(5, 10))
_PER_OUTPUT = 2 * _STRIDE


@inlined
def _gaussian(d: float, delta2: float, s: float, r2: float) -> tuple[float, float, float, float]:
    """Return nu (9), nu/v of (11), nu (r^2/v - d)/v of (17), and 0, for one direction of a pair."""
    inverse = 1.0 / (delta2 * (delta2 + s))
    z = r2 * (delta2 * inverse)
    odds = 1.0 / expm1(0.5 * (d * log1p(s * (delta2 + s) * inverse) + z))
    pull = odds * (delta2 * inverse)
    return odds, pull, pull * (z - d), 0.0


@inlined
def _heavy(d: float, dof: float, delta2: float, s: float, r2: float) -> tuple[float, float, float, float]:
    """The same with omega = E[tau | c = 1]: nu, nu omega/v, nu (omega r^2/v - d)/v, and nu (1 - omega)."""
    v = delta2 + s
    # One division serves for s/Delta^2, r^2/v and omega = 1/(1 + r^2/(dof v)).
    far = v + r2 / dof
    inverse = 1.0 / (delta2 * v * far)
    inverse_v = delta2 * far * inverse
    omega = delta2 * v * v * inverse
    u = r2 / dof * inverse_v
    odds = 1.0 / expm1(0.5 * (d * log1p(s * (v * far * inverse)) + dof * log1p(u)))
    pull = odds * inverse_v
    return odds, pull * omega, pull * (omega * r2 * inverse_v - d), odds * (u * omega)


@inlined
def _gaussian_in_plane(
    delta2: float, back2: float, there: float, here: float, s: float, r2: float
) -> tuple[float, float, float]:
    """Return the sums over both directions, weighted: nu = Delta^2/(s + v (exp(r^2/2v) - 1))."""
    v = delta2 + s
    v_back = back2 + s
    inverse = r2 / (v * v_back)
    z = v_back * inverse
    z_back = v * inverse
    denominator = v * (s + v * expm1(0.5 * z))
    denominator_back = v_back * (s + v_back * expm1(0.5 * z_back))
    inverse = 1.0 / (denominator * denominator_back)
    pull = there * delta2 * (denominator_back * inverse)
    pull_back = here * back2 * (denominator * inverse)
    return pull + pull_back, pull * (z - 2.0) + pull_back * (z_back - 2.0), 0.0


@inlined
def _cauchy_in_plane(
    delta2: float, back2: float, there: float, here: float, s: float, r2: float
) -> tuple[float, float, float]:
    """The same with dof = 2: nu = Delta^2/q and v/omega = Delta^2 + q, where q = s + r^2/2."""
    q = s + 0.5 * r2
    far = delta2 + q
    far_back = back2 + q
    pull = (there * delta2 * far_back + here * back2 * far) / (q * far * far_back)
    return pull, -2.0 * pull, 0.5 * r2 * pull


@compiled
def _load(lo: int, hi: int, columns: np.ndarray, buf: np.ndarray) -> int:
    """Copy the members lo..hi to the buffer, clear their sums, and return how many there are with the padding."""
    m = hi - lo
    padded = (m + _LANES - 1) // _LANES * _LANES
    for j in range(padded):
        # The padding repeats the last member, with weight 0.
        k = lo + j if j < m else hi - 1
        buf[_VARIANCE + j] = columns[VARIANCE, k]
        buf[_OUTER + j] = columns[OUTER, k]
        buf[_INNER + j] = columns[INNER, k]
        weight = columns[WEIGHT, k] if j < m else 0.0
        buf[_OUTGOING + j] = weight
        buf[_INCOMING + j] = weight
        buf[_SPREAD + j] = 0.0
        buf[_EXCESS + j] = 0.0
    for c in range(columns.shape[0] - OUTPUT):
        offset = _FIRST + c * _PER_OUTPUT
        for j in range(padded):
            k = lo + j if j < m else hi - 1
            buf[offset + j] = columns[OUTPUT + c, k]
            buf[offset + _STRIDE + j] = 0.0
    return padded


@inlined
def _repel_in_plane(
    gaussian: bool, row: np.ndarray, first: int, m: int, buf: np.ndarray, slot: int, result: np.ndarray
) -> None:
    """Add the repulsion between a row and the members first..m to both: d = 2, dof = 2 or infinite."""
    variance, outer, inner, weight = row[VARIANCE], row[OUTER], row[INNER], row[WEIGHT]
    x, y = row[OUTPUT], row[OUTPUT + 1]
    others = buf[first:]
    total_x, total_y, total_spread, total_excess = 0.0, 0.0, 0.0, 0.0
    for j in range((m - first) & -_LANES):
        dx = x - others[_FIRST + j]
        dy = y - others[_FIRST + _PER_OUTPUT + j]
        scale = outer + others[_INNER + j]
        back = inner + others[_OUTER + j]
        there = weight * others[_OUTGOING + j]
        here = weight * others[_INCOMING + j]
        s = variance + others[_VARIANCE + j]
        r2 = dx * dx + dy * dy
        if gaussian:
            pull, spread, excess = _gaussian_in_plane(scale * scale, back * back, there, here, s, r2)
        else:
            pull, spread, excess = _cauchy_in_plane(scale * scale, back * back, there, here, s, r2)
        others[_FIRST + _STRIDE + j] -= pull * dx
        others[_FIRST + _PER_OUTPUT + _STRIDE + j] -= pull * dy
        others[_SPREAD + j] += spread
        others[_EXCESS + j] += excess
        total_x += pull * dx
        total_y += pull * dy
        total_spread += spread
        total_excess += excess
    result[slot, 0] += total_x
    result[slot, 1] += total_y
    result[slot, 2] += total_spread
    result[slot, 3] += total_excess


@compiled
def _separate(row: np.ndarray, first: int, m: int, buf: np.ndarray) -> None:
    """Write the squared distances of a row from the members first..m."""
    others = buf[first:]
    # Entries past the members do no harm, and stopping at the members would leave many to be processed one by one.
    n = (m - first + _UNROLLED - 1) & -_UNROLLED
    for j in range(n):
        others[_R2 + j] = 0.0
    for c in range(row.shape[0] - OUTPUT):
        y = row[OUTPUT + c]
        column = others[_FIRST + c * _PER_OUTPUT :]
        for j in range(n):
            difference = y - column[j]
            others[_R2 + j] += difference * difference


@inlined
def _push(gaussian: bool, dof: float, row: np.ndarray, first: int, m: int, buf: np.ndarray) -> tuple[float, float]:
    """Write the factor of mu_i - mu_j of each pair, add the other two terms to the members, and return their sums."""
    d = float(row.shape[0] - OUTPUT)
    variance, outer, inner, weight = row[VARIANCE], row[OUTER], row[INNER], row[WEIGHT]
    others = buf[first:]
    total_spread, total_excess = 0.0, 0.0
    for j in range((m - first) & -_LANES):
        s = variance + others[_VARIANCE + j]
        r2 = others[_R2 + j]
        scale = outer + others[_INNER + j]
        back = inner + others[_OUTER + j]
        there = weight * others[_OUTGOING + j]
        here = weight * others[_INCOMING + j]
        if gaussian:
            _, pull, spread, excess = _gaussian(d, scale * scale, s, r2)
            _, pull_back, spread_back, excess_back = _gaussian(d, back * back, s, r2)
        else:
            _, pull, spread, excess = _heavy(d, dof, scale * scale, s, r2)
            _, pull_back, spread_back, excess_back = _heavy(d, dof, back * back, s, r2)
        spread = there * spread + here * spread_back
        excess = there * excess + here * excess_back
        others[_PULL + j] = there * pull + here * pull_back
        others[_SPREAD + j] += spread
        others[_EXCESS + j] += excess
        total_spread += spread
        total_excess += excess
    return total_spread, total_excess


@compiled
def _repel(dof: float, row: np.ndarray, first: int, m: int, buf: np.ndarray, slot: int, result: np.ndarray) -> None:
    """Add the repulsion between a row and the members first..m to both."""
    d = row.shape[0] - OUTPUT
    _separate(row, first, m, buf)
    if dof < 0.0:
        spread, excess = _push(True, dof, row, first, m, buf)
    else:
        spread, excess = _push(False, dof, row, first, m, buf)
    result[slot, d] += spread
    result[slot, d + 1] += excess
    others = buf[first:]
    n = (m - first + _UNROLLED - 1) & -_UNROLLED
    for j in range((m - first) & -_LANES, n):
        others[_PULL + j] = 0.0
    for c in range(d):
        y = row[OUTPUT + c]
        column = others[_FIRST + c * _PER_OUTPUT :]
        total = 0.0
        for j in range(n):
            force = others[_PULL + j] * (y - column[j])
            column[_STRIDE + j] -= force
            total += force
        result[slot, c] += total


@inlined
def _repel_row(row: np.ndarray, first: int, m: int, dof: float, buf: np.ndarray, slot: int, result: np.ndarray) -> None:
    """Dispatch to the kernel of the repulsion; ``dof`` below 0 means infinity, which the compiler assumes away."""
    in_plane = row.shape[0] == OUTPUT + 2
    if in_plane and dof == 2.0:
        _repel_in_plane(False, row, first, m, buf, slot, result)
    elif in_plane and dof < 0.0:
        _repel_in_plane(True, row, first, m, buf, slot, result)
    else:
        _repel(dof, row, first, m, buf, slot, result)


@inlined
def _reweigh(
    i: int,
    starts: np.ndarray,
    left_out: np.ndarray,
    lo: int,
    hi: int,
    factor: float,
    columns: np.ndarray,
    weights: int,
    buf: np.ndarray,
) -> None:
    """Multiply the original weights of the loaded members that row i leaves out by a factor."""
    for p in range(starts[i], starts[i + 1]):
        j = left_out[p]
        if lo <= j < hi:
            buf[weights + j - lo] = factor * columns[WEIGHT, j]


@inlined
def _first_other(i: int, lo: int, buf: np.ndarray) -> int:
    """Return the first buffer index that row i visits, and set its own weights to 0 for good."""
    if i < lo:
        return 0
    buf[_OUTGOING + i - lo] = 0.0
    buf[_INCOMING + i - lo] = 0.0
    return (i - lo) & -_LANES


@compiled
def repel_pairs(
    start: int,
    stop: int,
    pieces: np.ndarray,
    columns: np.ndarray,
    out_start: np.ndarray,
    out_member: np.ndarray,
    in_start: np.ndarray,
    in_member: np.ndarray,
    dof: float,
    result: np.ndarray,
) -> None:
    """Write the repulsion between the rows of each strip and the members of their block that come after them.

    A piece is (first row, end of rows, first member, end of members, end of block, start of the strip's sums in
    ``result``, number of the run of strips); the first piece of a strip begins with its first row. The sums of a member
    are sum nu omega/v (mu_i - mu_j) in the first d columns, then sum nu (omega r^2/v - d)/v and sum nu (1 - omega).
    """
    n_fields = columns.shape[0]
    n_sums = result.shape[1]
    buf = np.zeros(_FIRST + (n_fields - OUTPUT) * _PER_OUTPUT)
    row = np.empty(n_fields)
    for piece in range(start, stop):
        begin, end, first_member, end_member, block_end, slot, _ = pieces[piece]
        if first_member == begin:
            result[slot : slot + block_end - begin] = 0.0
        for lo in range(first_member, end_member, TILE):
            hi = min(lo + TILE, block_end)
            m = _load(lo, hi, columns, buf)
            for i in range(begin, min(end, hi)):
                first = _first_other(i, lo, buf)
                for f in range(n_fields):
                    row[f] = columns[f, i]
                _reweigh(i, out_start, out_member, lo, hi, 0.0, columns, _OUTGOING, buf)
                _reweigh(i, in_start, in_member, lo, hi, 0.0, columns, _INCOMING, buf)
                _repel_row(row, first, m, dof, buf, slot + i - begin, result)
                _reweigh(i, out_start, out_member, lo, hi, 1.0, columns, _OUTGOING, buf)
                _reweigh(i, in_start, in_member, lo, hi, 1.0, columns, _INCOMING, buf)
            for j in range(hi - lo):
                for c in range(n_sums - 2):
                    result[slot + lo - begin + j, c] += buf[_FIRST + c * _PER_OUTPUT + _STRIDE + j]
                result[slot + lo - begin + j, n_sums - 2] += buf[_SPREAD + j]
                result[slot + lo - begin + j, n_sums - 1] += buf[_EXCESS + j]


@compiled
def repel(
    start: int,
    stop: int,
    rows: np.ndarray,
    row_block: np.ndarray,
    columns: np.ndarray,
    block_start: np.ndarray,
    out_start: np.ndarray,
    out_member: np.ndarray,
    in_start: np.ndarray,
    in_member: np.ndarray,
    dof: float,
    result: np.ndarray,
) -> None:
    """Write the repulsion of new rows start..stop by all members of their blocks, as :func:`repel_pairs` does."""
    buf = np.zeros(_FIRST + (rows.shape[0] - OUTPUT) * _PER_OUTPUT)
    loaded = -1
    m = 0
    for i in range(start, stop):
        row = rows[:, i].copy()
        result[i] = 0.0
        for lo in range(block_start[row_block[i]], block_start[row_block[i] + 1], TILE):
            hi = min(lo + TILE, block_start[row_block[i] + 1])
            if lo != loaded:
                m = _load(lo, hi, columns, buf)
                loaded = lo
            _reweigh(i, out_start, out_member, lo, hi, 0.0, columns, _OUTGOING, buf)
            _reweigh(i, in_start, in_member, lo, hi, 0.0, columns, _INCOMING, buf)
            _repel_row(row, 0, m, dof, buf, i, result)
            _reweigh(i, out_start, out_member, lo, hi, 1.0, columns, _OUTGOING, buf)
            _reweigh(i, in_start, in_member, lo, hi, 1.0, columns, _INCOMING, buf)


@compiled
def _log_likelihood_of_row(row: np.ndarray, first: int, m: int, dof: float, buf: np.ndarray) -> float:
    """Return the sum of D_ij log P(c_Delta = 0) of Saul (6), in both directions: 1 - P is 1/(1 + nu)."""
    d = float(row.shape[0] - OUTPUT)
    variance, outer, inner = row[VARIANCE], row[OUTER], row[INNER]
    _separate(row, first, m, buf)
    others = buf[first:]
    total = 0.0
    for direction in range(2):
        own, scales, weights = (outer, _INNER, _OUTGOING) if direction == 0 else (inner, _OUTER, _INCOMING)
        scales_of, weights_of = others[scales:], others[weights:]
        if dof < 0.0:
            for j in range((m - first) & -_LANES):
                scale = own + scales_of[j]
                odds = _gaussian(d, scale * scale, variance + others[_VARIANCE + j], others[_R2 + j])[0]
                total -= weights_of[j] * log1p(odds)
        else:
            for j in range((m - first) & -_LANES):
                scale = own + scales_of[j]
                odds = _heavy(d, dof, scale * scale, variance + others[_VARIANCE + j], others[_R2 + j])[0]
                total -= weights_of[j] * log1p(odds)
    weighted: float = total * row[WEIGHT]
    return weighted


@compiled
def dissimilar_log_likelihood(
    start: int,
    stop: int,
    pieces: np.ndarray,
    columns: np.ndarray,
    out_start: np.ndarray,
    out_member: np.ndarray,
    in_start: np.ndarray,
    in_member: np.ndarray,
    dof: float,
    totals: np.ndarray,
) -> None:
    """Add D_ij log P(c_Delta = 0) of Saul (6), over the pairs of some pieces of one run, to its total."""
    buf = np.zeros(_FIRST + (columns.shape[0] - OUTPUT) * _PER_OUTPUT)
    run = pieces[start, 6]
    total = totals[run]
    for piece in range(start, stop):
        begin, end, first_member, end_member, block_end, _, _ = pieces[piece]
        for lo in range(first_member, end_member, TILE):
            hi = min(lo + TILE, block_end)
            m = _load(lo, hi, columns, buf)
            for i in range(begin, min(end, hi)):
                first = _first_other(i, lo, buf)
                _reweigh(i, out_start, out_member, lo, hi, 0.0, columns, _OUTGOING, buf)
                _reweigh(i, in_start, in_member, lo, hi, 0.0, columns, _INCOMING, buf)
                total += _log_likelihood_of_row(columns[:, i].copy(), first, m, dof, buf)
                _reweigh(i, out_start, out_member, lo, hi, 1.0, columns, _OUTGOING, buf)
                _reweigh(i, in_start, in_member, lo, hi, 1.0, columns, _INCOMING, buf)
    totals[run] = total


@inlined
def _squared_distance(a: np.ndarray, i: int, b: np.ndarray, j: np.uint64) -> float:
    if a.shape[1] == 2:
        # A loop of two rounds would cost several times as much.
        x = a[i, 0] - b[j, 0]
        y = a[i, 1] - b[j, 1]
        r2: float = x * x + y * y
        return r2
    r2 = 0.0
    for c in range(a.shape[1]):
        difference = a[i, c] - b[j, c]
        r2 += difference * difference
    return r2


@compiled
def attract(
    start: int,
    stop: int,
    row_outputs: np.ndarray,
    row_variances: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    similarity: np.ndarray,
    delta2: np.ndarray,
    outputs: np.ndarray,
    variances: np.ndarray,
    dof: float,
    pull: np.ndarray,
    result: np.ndarray,
) -> None:
    """Write the attraction of rows start..stop along their edges to outputs, of the same points or of others.

    ``pull`` receives W_ij of Saul (18). ``result`` receives -sum W_ij (mu_i - mu_j) in its first d places, then
    sum (S_ij + S_ji)(omega r^2/v - d)/v of Saul (16), and sum W_ij.
    """
    d = outputs.shape[1]
    for i in range(start, stop):
        spread = 0.0
        degree = 0.0
        force_x = 0.0
        force_y = 0.0
        # Unsigned, because numba checks whether a signed index is negative.
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[p])
            r2 = _squared_distance(row_outputs, i, outputs, j)
            inverse = 1.0 / (delta2[p] + row_variances[i] + variances[j])
            z = r2 * inverse
            omega = 1.0
            if dof > 0:
                omega = 1.0 / (1.0 + z / dof)
            w = similarity[p] * omega * inverse
            pull[p] = w
            degree += w
            spread += similarity[p] * inverse * (omega * z - d)
            if d == 2:
                force_x -= w * (row_outputs[i, 0] - outputs[j, 0])
                force_y -= w * (row_outputs[i, 1] - outputs[j, 1])
        if d == 2:
            result[i, 0] = force_x
            result[i, 1] = force_y
        else:
            _sum_forces(i, row_outputs, indptr, indices, pull, outputs, result)
        result[i, d] = spread
        result[i, d + 1] = degree


@inlined
def _sum_forces(
    i: int,
    row_outputs: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    pull: np.ndarray,
    outputs: np.ndarray,
    result: np.ndarray,
) -> None:
    for c in range(outputs.shape[1]):
        force = 0.0
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            force -= pull[p] * (row_outputs[i, c] - outputs[np.uint64(indices[p]), c])
        result[i, c] = force


@compiled
def similar_log_likelihood(
    start: int,
    stop: int,
    indptr: np.ndarray,
    indices: np.ndarray,
    similarity: np.ndarray,
    delta2: np.ndarray,
    outputs: np.ndarray,
    variances: np.ndarray,
    dof: float,
    result: np.ndarray,
) -> None:
    """Write half of sum_j (S_ij + S_ji) log P(c_delta = 1), Saul (6), for rows start..stop: pairs have two rows."""
    d = outputs.shape[1]
    for i in range(start, stop):
        total = 0.0
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[p])
            r2 = _squared_distance(outputs, i, outputs, j)
            s = variances[i] + variances[j]
            z = r2 / (delta2[p] + s)
            log_p = -0.5 * d * math.log1p(s / delta2[p])
            if dof > 0:
                log_p -= 0.5 * dof * math.log1p(z / dof)
            else:
                log_p -= 0.5 * z
            total += similarity[p] * log_p
        result[i] = 0.5 * total
