"""Counts and lists in sentences for the user."""

from collections.abc import Sequence

LISTED = 5
"""How many words one sentence lists."""


def counted(count: int, noun: str) -> str:
    """Write how many there are of something.

    Examples
    --------
    >>> counted(1, "cell"), counted(1200, "cell")
    ('1 cell', '1200 cells')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(names: Sequence[str]) -> str:
    """List names in quotes; long lists are cut short as by `shortened_list`."""
    return shortened_list([f'"{name}"' for name in names])


def shortened_list(words: Sequence[str], n_words: int | None = None) -> str:
    """List the first five words, and say how many more there are.

    Parameters
    ----------
    words : sequence of str
        All of them, or at least the first five.
    n_words : int, optional
        How many there are in all; by default the length of `words`.

    Examples
    --------
    >>> shortened_list(["area", "DNA"]), shortened_list([f"gene_{number}" for number in range(1, 9)])
    ('area, DNA', 'gene_1, gene_2, gene_3, gene_4, gene_5 and 3 more')
    """
    n_more = (len(words) if n_words is None else n_words) - LISTED
    return ", ".join(words[:LISTED]) + (f" and {n_more} more" if n_more > 0 else "")
