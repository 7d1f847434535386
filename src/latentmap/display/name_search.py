"""Finding names among thousands."""

from collections.abc import Sequence

MANY = 30
"""With more names than this, a list needs a search."""

LISTED_AT_ONCE = 200
"""The most names that a list shows at once: a browser takes seconds for thousands."""


def find_names(names: Sequence[str], words: str) -> list[int]:
    """Return the indices of the names that hold all these words, in upper or lower case.

    Examples
    --------
    >>> find_names(["DNA mean", "DNA spread", "actin mean"], "mean dna")
    [0]
    """
    wanted = words.lower().split()
    return [index for index, name in enumerate(names) if all(word in name.lower() for word in wanted)]
