"""Pairs in the plane whose latent variables have 4 or 8 degrees of freedom: tails between those of 2 and a Gaussian's.

With s = sigma_i^2 + sigma_j^2, v = Delta^2 + s, rho = r^2/dof, t = 1 + rho/v and alpha = dof/2, the heavy-tailed form
of Saul (5) in the plane is P = Delta^2/(v t^alpha). As alpha is 2 or 4, t^alpha - 1 = (t - 1)(1 + t)(1 + b t^2) with
b = 0 or 1, and 1 - P is never computed as a difference: (1 - P)/P = (s + rho (1 + t)(1 + b t^2))/Delta^2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from latentmap.model.compiling import inlined

LIGHT_TAILS = (4.0, 8.0)
"""The degrees of freedom for which this holds."""

_one = np.float32(1)
_half = np.float32(0.5)
_four = np.float32(4)
# Further away nothing pushes; powers of much larger numbers would exceed single precision.
_FARTHEST = np.float32(1e6)


@inlined
def push_of_direction(r2: float, s: float, scale2: float, dof: Any) -> tuple[float, float]:
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
def push_of_pair(r2: float, s: float, scale2: float, other_scale2: float, dof: Any) -> tuple[float, float]:
    """The repulsion in both directions."""
    away, widen = push_of_direction(r2, s, scale2, dof)
    other_away, other_widen = push_of_direction(r2, s, other_scale2, dof)
    return away + other_away, widen + other_widen


@inlined
def pull_of_pair(r2: float, s: float, delta2: float, dof: Any) -> tuple[float, float]:
    """The attraction of a similar pair: by the distance, Saul (11), and by the variance, Saul (16)."""
    v = delta2 + s
    rho = r2 / dof
    w = v + rho
    inverse = _one / (v * w)
    return v * inverse, (w - _half * dof * rho) * inverse


@inlined
def nearness_in_plane(r2: float, s: float, delta2: float, dof: float) -> float:
    """-log P of a similar pair."""
    v = delta2 + s
    return math.log1p(s / delta2) + 0.5 * dof * math.log1p(r2 / (dof * v))


@inlined
def apart_in_plane(r2: float, s: float, scale2: float, dof: float) -> float:
    """1 - P, without cancellation."""
    rho = r2 / dof
    t = 1.0 + rho / (scale2 + s)
    against = s + rho * (1.0 + t) * (1.0 + (dof / 4.0 - 1.0) * t * t)
    return against / (against + scale2)
