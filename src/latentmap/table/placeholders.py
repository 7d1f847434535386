"""Numbers that probably stand for a missing value, such as -9999 or 65535."""

from collections.abc import Sequence

import numpy as np

# How many times farther from the median than all others a value must be to be reported: any value, and one that
# programs are known to write for a missing value.
_FARTHER, _FARTHER_IF_KNOWN = 50, 5
# The limits of whole numbers of 16 and 32 bits, and runs of nines.
_KNOWN = (-(2**15), 2**15 - 1, 2**16 - 1, -(2**31), 2**31 - 1, 2**32 - 1, 999, -999, 9999, -9999, 99999, -99999)
# Where all other values are distances or counts.
_NONE, _FEWEST = -1.0, 2


def placeholders(values: np.ndarray, names: Sequence[str]) -> list[str]:
    """Report columns with a value far beyond all others; values such as 65535 need not be that far away.

    Parameters
    ----------
    values : ndarray of shape (n_cells, n_features)
        NaN and infinity are ignored.
    names : sequence of str
        The features.

    Returns
    -------
    list of str
        A sentence for each such value.

    Examples
    --------
    >>> placeholders(np.array([[1.0], [2.0], [3.0], [-9999.0], [4.0]]), ["DNA"])[0][:62]
    '1 of 5 cells has -9999 in DNA, and the others from 1 to 4. If '
    """
    said = []
    for name, column in zip(names, values.T, strict=True):
        known = column[np.isfinite(column)]
        if not len(known):
            continue
        lowest, highest = known.min(), known.max()
        others = known[(known != lowest) & (known != highest)]
        # Of the others: most of the cells may lack a value.
        middle = np.median(others) if len(others) else np.median(known)
        reach = np.abs(others - middle).max(initial=0)
        for value in {lowest, highest}:
            farther = _FARTHER_IF_KNOWN if value in _KNOWN else _FARTHER
            if 0 < farther * reach < abs(value - middle) or (value == _NONE and _is_none(known)):
                said.append(_sentence(name, value, known))
    return said


def _is_none(known: np.ndarray) -> bool:
    """Whether -1, the lowest of these numbers, stands for none; with only 0 and 1 beside it, it may be a sign."""
    others = known[known != _NONE]
    return len(known) - len(others) >= _FEWEST and bool(len(others)) and others.min() >= 0 and others.max() > 1


def _sentence(name: str, value: float, known: np.ndarray) -> str:
    others = known[known != value]
    count = len(known) - len(others)
    return (
        f"{count} of {len(known)} cells {'has' if count == 1 else 'have'} {value:.10g} in {name}, and the others from "
        f"{others.min():.4g} to {others.max():.4g}. If it stands for a missing value, clear it: it squeezes the others "
        "together."
    )
