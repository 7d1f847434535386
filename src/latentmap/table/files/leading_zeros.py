"""Numbers with zeros in front, as identifiers have them, anywhere in a text."""

from pathlib import Path

import numpy as np

# Bytes read at a time: they stay in the processor's cache.
_BYTES = 1 << 18
_BEFORE = b'\n\r"\t ;,'


def may_have_leading_zeros(path: Path, *, separator: str = "") -> bool:
    r"""Return whether some value of a text begins with 0 and another digit, which dates may do as well.

    Parameters
    ----------
    path : pathlib.Path
        In an encoding of which one byte is one letter of ASCII.
    separator : str
        What stands between two values, if it is not a comma, semicolon, tab or space.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for text in ("label,patient\n1,0012\n", "label,area\n0,0.12\n"):
    ...         _ = Path(folder, "cells.csv").write_text(text)
    ...         print(may_have_leading_zeros(Path(folder, "cells.csv")))
    True
    False
    """
    comes_before = np.zeros(256, dtype=bool)
    comes_before[[*_BEFORE, *separator.encode("ascii", "ignore")]] = True
    with path.open("rb") as file:
        end = b"\n"
        while piece := file.read(_BYTES):
            letters = np.frombuffer(end + piece, dtype=np.uint8)
            is_digit = letters - np.uint8(ord("0")) < 10
            begins = (letters[1:-1] == ord("0")) & is_digit[2:] & ~is_digit[:-2] & (letters[:-2] != ord("."))
            # Few are left, such as those of exponents.
            if comes_before[letters[:-2][begins]].any():
                return True
            end = letters[-2:].tobytes()
    return False
