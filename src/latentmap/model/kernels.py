"""The E-step's sums over pairs, compiled.

Every kernel is serial, releases the GIL and works on a run of rows; :class:`~latentmap.model.workers.Workers` spreads
the runs over threads. A row's sum does not depend on the run it falls in, so the result is the same, bit for bit, for
any number of threads.

numpy's exp, and the check for a zero divisor that numba adds by default, each keep LLVM from vectorising a loop: hence
the polynomial in :func:`_probabilities` and ``error_model="numpy"``. The scratch space is one flat array with fixed
offsets because LLVM gives up on loops that would need many checks for overlapping arrays.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

# The rows of the array `columns` that describes the members of blocks; the d outputs follow.
VARIANCE, OUTER, INNER, WEIGHT, OUTPUT = 0, 1, 2, 3, 4

TILE = 256
# Offsets of scratch vectors.
_R2, _SCALE, _X, _ONE_MINUS_X, _Z, _INV_V, _P, _ONE_MINUS_P, _OMEGA = (k * TILE for k in range(9))
_FORCE, _SPREAD, _EXCESS, _TAIL, _ONE_MINUS_TAIL, _PRODUCT, _GEOMETRIC = (k * TILE for k in range(9, 16))
_SCRATCH = 16 * TILE

_LOG2E = 1.4426950408889634
_LN2 = 0.6931471805599453
# Beyond this exp(-x) is below the smallest normal double.
_LARGEST_EXPONENT = 708.0

_OPTIONS: Any = {"nogil": True, "cache": True, "error_model": "numpy", "fastmath": True}


@intrinsic
def _double_of_bits(typing_context: Any, bits: Any) -> Any:
    """The double with these bits."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


# numba supplies the typing context.
_as_double: Any = _double_of_bits


@njit(**_OPTIONS)
def _raise_to_half(power: int, first: int, one_minus: int, m: int, buf: np.ndarray) -> None:
    """Replace x by x^(power/2), and 1 - x by 1 - x^(power/2), without cancellation."""
    n_factors = power // 2
    if power % 2:
        n_factors = power
        for j in range(m):
            root = math.sqrt(buf[first + j])
            buf[one_minus + j] = buf[one_minus + j] / (1.0 + root)
            buf[first + j] = root
    if n_factors == 1:
        return
    for j in range(m):
        buf[_PRODUCT + j] = buf[first + j]
        buf[_GEOMETRIC + j] = 1.0
    for _ in range(n_factors - 1):
        for j in range(m):
            buf[_GEOMETRIC + j] = buf[_GEOMETRIC + j] * buf[first + j] + 1.0
            buf[_PRODUCT + j] = buf[_PRODUCT + j] * buf[first + j]
    for j in range(m):
        buf[first + j] = buf[_PRODUCT + j]
        buf[one_minus + j] = buf[one_minus + j] * buf[_GEOMETRIC + j]


@njit(**_OPTIONS)
def _gaussian_tail(m: int, buf: np.ndarray) -> None:
    """Write exp(-z/2) and 1 - exp(-z/2)."""
    for j in range(m):
        x = -0.5 * min(buf[_Z + j], 2.0 * _LARGEST_EXPONENT)
        n = math.floor(x * _LOG2E + 0.5)
        r = x - n * _LN2
        p = 1.0 / 479001600.0
        p = p * r + 1.0 / 39916800.0
        p = p * r + 1.0 / 3628800.0
        p = p * r + 1.0 / 362880.0
        p = p * r + 1.0 / 40320.0
        p = p * r + 1.0 / 5040.0
        p = p * r + 1.0 / 720.0
        p = p * r + 1.0 / 120.0
        p = p * r + 1.0 / 24.0
        p = p * r + 1.0 / 6.0
        p = p * r + 0.5
        p = p * r + 1.0
        expm1_r = p * r
        scale = _as_double((np.int64(np.int32(n)) + np.int64(1023)) << np.int64(52))
        buf[_TAIL + j] = scale + scale * expm1_r
        buf[_ONE_MINUS_TAIL + j] = (1.0 - scale) - scale * expm1_r
        buf[_OMEGA + j] = 1.0


@njit(**_OPTIONS)
def _heavy_tail(dof: float, m: int, buf: np.ndarray) -> None:
    """Write omega, omega^alpha and 1 - omega^alpha for omega = 1 / (1 + z/dof), alpha = dof/2."""
    inverse_dof = 1.0 / dof
    for j in range(m):
        u = buf[_Z + j] * inverse_dof
        omega = 1.0 / (1.0 + u)
        buf[_OMEGA + j] = omega
        buf[_TAIL + j] = omega
        buf[_ONE_MINUS_TAIL + j] = u * omega
    if dof == math.floor(dof) and dof <= 64.0:
        _raise_to_half(int(dof), _TAIL, _ONE_MINUS_TAIL, m, buf)
        return
    for j in range(m):
        exponent = -0.5 * dof * math.log1p(buf[_Z + j] * inverse_dof)
        buf[_TAIL + j] = math.exp(exponent)
        buf[_ONE_MINUS_TAIL + j] = -math.expm1(exponent)


@njit(**_OPTIONS)
def _probabilities(d: int, dof: float, spread: float, columns: np.ndarray, lo: int, m: int, buf: np.ndarray) -> None:
    """Saul (5) with Delta for the m columns from lo: P, 1 - P, and omega; all from the scratch _R2 and _SCALE.

    ``dof`` below 0 stands for infinity, because the compiler may assume that there are no infinities.
    """
    for j in range(m):
        s = spread + columns[VARIANCE, lo + j]
        scale2 = buf[_SCALE + j] * buf[_SCALE + j]
        inverse = 1.0 / (scale2 + s)
        buf[_INV_V + j] = inverse
        buf[_P + j] = scale2 * inverse
        buf[_ONE_MINUS_P + j] = s * inverse
        buf[_Z + j] = buf[_R2 + j] * inverse
    _raise_to_half(d, _P, _ONE_MINUS_P, m, buf)
    if dof < 0:
        _gaussian_tail(m, buf)
    else:
        _heavy_tail(dof, m, buf)
    for j in range(m):
        p = buf[_P + j]
        buf[_P + j] = p * buf[_TAIL + j]
        buf[_ONE_MINUS_P + j] = buf[_ONE_MINUS_P + j] + p * buf[_ONE_MINUS_TAIL + j]


@njit(**_OPTIONS)
def _squared_distances(row: np.ndarray, columns: np.ndarray, lo: int, m: int, buf: np.ndarray) -> None:
    for j in range(m):
        buf[_R2 + j] = 0.0
    for c in range(row.shape[0] - OUTPUT):
        y = row[OUTPUT + c]
        for j in range(m):
            difference = y - columns[OUTPUT + c, lo + j]
            buf[_R2 + j] += difference * difference


@njit(**_OPTIONS)
def _clear(m: int, buf: np.ndarray) -> None:
    for j in range(m):
        buf[_FORCE + j] = 0.0
        buf[_SPREAD + j] = 0.0
        buf[_EXCESS + j] = 0.0


@njit(**_OPTIONS)
def _accumulate(d: int, weights: np.ndarray, offset: int, m: int, buf: np.ndarray) -> None:
    """Add one direction of the pairs: the terms of Saul (11) and (17) in the odds nu (9)."""
    for j in range(m):
        omega = buf[_OMEGA + j]
        odds = weights[offset + j] * buf[_P + j] / buf[_ONE_MINUS_P + j]
        pull = odds * buf[_INV_V + j]
        buf[_FORCE + j] += pull * omega
        buf[_SPREAD + j] += pull * (omega * buf[_Z + j] - d)
        buf[_EXCESS + j] += odds * (1.0 - omega)


@njit(**_OPTIONS)
def _repulsion_of_row(
    row: np.ndarray,
    columns: np.ndarray,
    lo: int,
    hi: int,
    outgoing: np.ndarray,
    incoming: np.ndarray,
    dof: float,
    buf: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add the repulsion of one row from the columns lo..hi, in both directions of each pair.

    ``out`` receives sum nu omega/v (mu_i - mu_j) in its first d places, then sum nu (omega r^2/v - d)/v and
    sum nu (1 - omega), each weighted by ``outgoing`` (Delta_ij = a_i + b_j) and ``incoming`` (Delta_ji = a_j + b_i).
    """
    d = row.shape[0] - OUTPUT
    for start in range(lo, hi, TILE):
        m = min(TILE, hi - start)
        _squared_distances(row, columns, start, m, buf)
        _clear(m, buf)
        for j in range(m):
            buf[_SCALE + j] = row[OUTER] + columns[INNER, start + j]
        _probabilities(d, dof, row[VARIANCE], columns, start, m, buf)
        _accumulate(d, outgoing, start - lo, m, buf)
        for j in range(m):
            buf[_SCALE + j] = row[INNER] + columns[OUTER, start + j]
        _probabilities(d, dof, row[VARIANCE], columns, start, m, buf)
        _accumulate(d, incoming, start - lo, m, buf)
        for c in range(d):
            y = row[OUTPUT + c]
            total = 0.0
            for j in range(m):
                total += buf[_FORCE + j] * (y - columns[OUTPUT + c, start + j])
            out[c] += total
        spread = 0.0
        excess = 0.0
        for j in range(m):
            spread += buf[_SPREAD + j]
            excess += buf[_EXCESS + j]
        out[d] += spread
        out[d + 1] += excess


@njit(**_OPTIONS)
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
    """Repulsion of rows start..stop from the members of their blocks, but for those listed as left out.

    ``columns`` describes the members of all blocks, ``rows`` those to be repelled: the same, or new points. See
    :func:`_repulsion_of_row` for the d + 2 sums of each.
    """
    n_fields = columns.shape[0]
    buf = np.empty(_SCRATCH)
    row = np.empty(n_fields)
    widest = 0
    for i in range(start, stop):
        widest = max(widest, block_start[row_block[i] + 1] - block_start[row_block[i]])
    outgoing = np.empty(widest)
    incoming = np.empty(widest)
    current = -1
    lo = 0
    hi = 0
    for i in range(start, stop):
        if row_block[i] != current:
            current = row_block[i]
            lo = block_start[current]
            hi = block_start[current + 1]
            for j in range(hi - lo):
                outgoing[j] = columns[WEIGHT, lo + j]
                incoming[j] = columns[WEIGHT, lo + j]
        for f in range(n_fields):
            row[f] = rows[f, i]
        for p in range(out_start[i], out_start[i + 1]):
            outgoing[out_member[p] - lo] = 0.0
        for p in range(in_start[i], in_start[i + 1]):
            incoming[in_member[p] - lo] = 0.0
        for c in range(result.shape[1]):
            result[i, c] = 0.0
        _repulsion_of_row(row, columns, lo, hi, outgoing, incoming, dof, buf, result[i])
        for c in range(result.shape[1]):
            result[i, c] *= row[WEIGHT]
        for p in range(out_start[i], out_start[i + 1]):
            outgoing[out_member[p] - lo] = columns[WEIGHT, out_member[p]]
        for p in range(in_start[i], in_start[i + 1]):
            incoming[in_member[p] - lo] = columns[WEIGHT, in_member[p]]


@njit(**_OPTIONS)
def dissimilar_log_likelihood(
    start: int,
    stop: int,
    columns: np.ndarray,
    block: np.ndarray,
    block_start: np.ndarray,
    out_start: np.ndarray,
    out_member: np.ndarray,
    dof: float,
    result: np.ndarray,
) -> None:
    """Write sum_j D_ij log P(c_Delta = 0) of Saul (6) for members start..stop of the blocks."""
    n_fields = columns.shape[0]
    d = n_fields - OUTPUT
    buf = np.empty(_SCRATCH)
    row = np.empty(n_fields)
    for i in range(start, stop):
        lo = block_start[block[i]]
        hi = block_start[block[i] + 1]
        for f in range(n_fields):
            row[f] = columns[f, i]
        total = 0.0
        for first in range(lo, hi, TILE):
            m = min(TILE, hi - first)
            _squared_distances(row, columns, first, m, buf)
            for j in range(m):
                buf[_SCALE + j] = row[OUTER] + columns[INNER, first + j]
                buf[_FORCE + j] = columns[WEIGHT, first + j]
            for p in range(out_start[i], out_start[i + 1]):
                if first <= out_member[p] < first + m:
                    buf[_FORCE + out_member[p] - first] = 0.0
            _probabilities(d, dof, row[VARIANCE], columns, first, m, buf)
            for j in range(m):
                total += buf[_FORCE + j] * math.log(buf[_ONE_MINUS_P + j])
        result[i] = total * row[WEIGHT]


@njit(**_OPTIONS)
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
    """Attraction of rows start..stop along their edges to outputs: the same points, or new ones to old.

    ``pull`` receives W_ij of Saul (18). ``result`` receives -sum W_ij (mu_i - mu_j) in its first d places, then
    sum (S_ij + S_ji)(omega r^2/v - d)/v of Saul (16), and sum W_ij.
    """
    d = outputs.shape[1]
    for i in range(start, stop):
        for c in range(d + 2):
            result[i, c] = 0.0
        spread = 0.0
        degree = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            r2 = 0.0
            for c in range(d):
                difference = row_outputs[i, c] - outputs[j, c]
                r2 += difference * difference
            inverse = 1.0 / (delta2[p] + row_variances[i] + variances[j])
            z = r2 * inverse
            omega = 1.0
            if dof > 0:
                omega = 1.0 / (1.0 + z / dof)
            w = similarity[p] * omega * inverse
            pull[p] = w
            degree += w
            spread += similarity[p] * inverse * (omega * z - d)
            for c in range(d):
                result[i, c] -= w * (row_outputs[i, c] - outputs[j, c])
        result[i, d] = spread
        result[i, d + 1] = degree


@njit(**_OPTIONS)
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
    """Write half of sum_j (S_ij + S_ji) log P(c_delta = 1) of Saul (6) for rows start..stop: each pair has two rows."""
    d = outputs.shape[1]
    for i in range(start, stop):
        total = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            r2 = 0.0
            for c in range(d):
                difference = outputs[i, c] - outputs[j, c]
                r2 += difference * difference
            s = variances[i] + variances[j]
            z = r2 / (delta2[p] + s)
            log_p = -0.5 * d * math.log1p(s / delta2[p])
            if dof > 0:
                log_p -= 0.5 * dof * math.log1p(z / dof)
            else:
                log_p -= 0.5 * z
            total += similarity[p] * log_p
        result[i] = 0.5 * total
