"""Pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a Markdown table, and an empty one."""
    cells = [list(head), ["---"] * len(head), *rows]
    return ["| " + " | ".join(str(cell) for cell in row) + " |" for row in cells] + [""]


def whole(number: float) -> str:
    """Return a number without decimals, its thousands apart."""
    return f"{number:,.0f}".replace(",", " ")
