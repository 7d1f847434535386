"""exp and log as polynomials that LLVM vectorises, for compiled loops over pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.core import config
from numba.extending import intrinsic

from latentmap.model.compiling import inlined

_LOG2E = 1.4426950408889634
_LN2 = 0.6931471805599453
# Beyond this, odds are negligible compared to any attraction; and the product of two inverse odds must not overflow.
_LARGEST_EXPONENT = 150.0
# Added to a double's bits, it makes the exponent change at sqrt(2); and the bits of sqrt(1/2).
_TO_SQRT_2 = 0x00095F6200000000
_SQRT_HALF = 0x3FE6A09E00000000
_MANTISSA = 0x000FFFFFFFFFFFFF


@intrinsic
def _double_of_bits(typing_context: Any, bits: Any) -> Any:
    """The double with these bits."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


@intrinsic
def _bits_of_double(typing_context: Any, number: Any) -> Any:
    """The bits of this double."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


# With NUMBA_DISABLE_JIT=1, for debugging, Python itself runs the kernels.
_is_python: bool = vars(config)["DISABLE_JIT"]
_as_double: Any = (lambda bits: np.int64(bits).view(np.float64)) if _is_python else _double_of_bits
_as_bits: Any = (lambda number: np.float64(number).view(np.int64)) if _is_python else _bits_of_double


@inlined
def expm1(x: float) -> float:
    """exp(x) - 1 for x >= 0: a Taylor polynomial, after reduction by powers of two."""
    x = min(x, _LARGEST_EXPONENT)
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
    scale: float = _as_double((np.int64(np.int32(n)) + np.int64(1023)) << np.int64(52))
    return (scale - 1.0) + scale * (p * r)


@inlined
def log1p(x: float) -> float:
    """log(1 + x) for x >= 0: k log 2 + 2 artanh(f/(2 + f)) with 1 + x = 2^k (1 + f); coefficients as in fdlibm."""
    bits = _as_bits(1.0 + x) + np.int64(_TO_SQRT_2)
    k = np.int32(bits >> np.int64(52)) - np.int32(1023)
    f = _as_double((bits & np.int64(_MANTISSA)) + np.int64(_SQRT_HALF)) - 1.0
    # The digits of a small x that 1 + x has lost matter.
    f = x if k == 0 else f
    s = f / (2.0 + f)
    z = s * s
    p = 1.479819860511658591e-01
    p = p * z + 1.531383769920937332e-01
    p = p * z + 1.818357216161805012e-01
    p = p * z + 2.222219843214978396e-01
    p = p * z + 2.857142874366239149e-01
    p = p * z + 3.999999999940941908e-01
    p = p * z + 6.666666666666735130e-01
    logarithm: float = k * _LN2 + (2.0 * s + s * (z * p))
    return logarithm
