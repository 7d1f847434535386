"""Round values for the ticks of an axis."""

import numpy as np

from latentmap.session import Axis

_MOST = 7


def axis_ticks(axis: Axis, low: float, high: float, most: int = _MOST) -> list[tuple[float, str]]:
    """Return the ticks of a feature's axis.

    Parameters
    ----------
    axis : Axis
        The feature, and how it is scaled.
    low, high : float
        Positions at the ends of the axis.
    most : int
        At most so many ticks.

    Returns
    -------
    list of (float, str)
        Positions along the axis, ascending, with the values there in the feature's own units.

    Examples
    --------
    >>> [text for _, text in axis_ticks(Axis("CD4", "arcsinh", 5), -1, 6)]
    ['0', '10', '100', '1000']
    """
    if axis.scaling == "log":
        values = log_ticks(low, high, most)
    else:
        start, end = axis.values(np.array([low, high]))
        values = linear_ticks(start, end, most)
        if axis.scaling == "arcsinh":
            decades = _decades(axis, low, high, most)
            values = decades if len(decades) > 2 else values
    return [(float(axis.positions(np.array([value]))[0]), _text(value)) for value in values]


def linear_ticks(low: float, high: float, most: int = _MOST) -> list[float]:
    """Return round values at equal distances.

    Examples
    --------
    >>> linear_ticks(-0.3, 1.7)
    [0.0, 0.5, 1.0, 1.5]
    """
    if not high > low:
        return [float(low)]
    step = 10 ** np.floor(np.log10((high - low) / most))
    step *= next(times for times in (1, 2, 5, 10) if (high - low) / (step * times) <= most)
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    return [float(f"{count * step:.12g}") for count in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int = _MOST) -> list[float]:
    """Return round values for the ticks of a logarithmic axis.

    Parameters
    ----------
    low, high : float
        The decimal logarithms at the ends of the axis.
    most : int
        At most so many ticks, or half as many again.

    Returns
    -------
    list of float
        Powers of ten if at least three fit; otherwise finer steps, or else the ends.

    Examples
    --------
    >>> log_ticks(-2.3, 1.2)
    [0.01, 0.1, 1.0, 10.0]
    >>> log_ticks(-1.2, -0.2)
    [0.1, 0.2, 0.5]
    """
    decades = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    for digits in ((1,), (1, 2, 5), range(1, 10)):
        values = [float(f"{digit}e{decade}") for decade in decades for digit in digits]
        inside = [value for value in values if low <= np.log10(value) <= high]
        if len(inside) > 2:
            return inside[:: -(-len(inside) // most)]
    return [float(f"{10**end:.3g}") for end in (low, high)]


def _decades(axis: Axis, low: float, high: float, most: int) -> list[float]:
    """Zero and powers of ten, those far from zero first, as far as there is room between them."""
    start, end = axis.values(np.array([low, high]))
    top = int(np.floor(np.log10(max(abs(start), abs(end), 1e-300))))
    powers = [sign * 10.0**power for power in range(top, top - 12, -1) for sign in (1, -1)]
    kept: list[float] = []
    for value in [0.0, *powers]:
        at = axis.positions(np.array([value, *kept]))
        if start <= value <= end and (np.abs(at[1:] - at[0]) > (high - low) / most).all():
            kept.append(value)
    return sorted(kept)


def _text(value: float) -> str:
    return f"{value:.6g}".replace("e+0", "e").replace("e-0", "e-")
