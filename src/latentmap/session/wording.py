"""Numbers as people read them."""

import numpy as np

from latentmap.table.wording import counted as counted


def three_digits(value: float) -> str:
    """Write a number with three significant digits, or in full if it is whole and below a million.

    Examples
    --------
    >>> [three_digits(value) for value in (1234, 1234.5, 0.5, 0.00123456, 1.5e-9, float("nan"))]
    ['1234', '1230', '0.5', '0.00123', '1.5e-09', 'nan']
    """
    if not np.isfinite(value) or (value and not 1e-4 <= abs(value) < 1e6):
        return f"{value:.3g}"
    if value == int(value):
        return str(int(value))
    return np.format_float_positional(value, precision=3, fractional=False, trim="-")


def spaced(count: int, noun: str = "") -> str:
    """Write a number in groups of three digits, as in 2 870, with its noun if there is one."""
    digits = f"{count:,}".replace(",", "\u202f")
    return counted(count, noun).replace(str(count), digits, 1) if noun else digits
