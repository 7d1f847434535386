"""Names in sentences for the user."""

from collections.abc import Sequence

# Names that one sentence lists.
_LISTED = 5


def listed(names: Sequence[str]) -> str:
    """Return names in quotes, with commas between; cut short like `few`."""
    return few([f'"{name}"' for name in names])


def few(words: Sequence[str]) -> str:
    """Return words with commas between, and the number of those for which a sentence has no room.

    Examples
    --------
    >>> few(["area", "DNA"]), few([f"gene_{number}" for number in range(1, 9)])
    ('area, DNA', 'gene_1, gene_2, gene_3, gene_4, gene_5 and 3 more')
    """
    more = f" and {len(words) - _LISTED} more" if len(words) > _LISTED else ""
    return ", ".join(words[:_LISTED]) + more
