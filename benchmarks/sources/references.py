"""The figures and tables that words refer to."""

from __future__ import annotations

import re

_KIND = re.compile(r"\b(Fig|Table)s?\b\.?")
_TOKEN = re.compile(r"\s*(,|-|and\b|to\b|right\b|left\b|[A-F]\b|(S?)(\d+)\b)")


def references(words: str) -> list[str]:
    """Return the figures and tables that words refer to, each once, in their order.

    Parameters
    ----------
    words : str

    Returns
    -------
    list of str

    Examples
    --------
    >>> references("Swiss roll (Figs. 1 right, 3 to 5, Table S2)")
    ['Fig. 1', 'Fig. 3', 'Fig. 4', 'Fig. 5', 'Table S2']
    """
    found = []
    for kind in _KIND.finditer(words):
        name = "Fig." if kind[1] == "Fig" else "Table"
        at, last, is_range = kind.end(), 0, False
        while token := _TOKEN.match(words, at):
            at, word = token.end(), token[1]
            if token[3]:
                number = int(token[3])
                first = last + 1 if is_range else number
                found += [f"{name} {token[2]}{one}" for one in range(first, number + 1)]
                last = number
            is_range = word in ("to", "-")
    return list(dict.fromkeys(found))
