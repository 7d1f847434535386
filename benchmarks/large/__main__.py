"""The figures of docs/large.md: what does not fit into memory, or takes long."""

from __future__ import annotations

from benchmarks.large import on_paper, outline, placed, slide
from benchmarks.report import Paper, main, of_module

_HEAD = """# Large slides and tables, measured

What it takes to measure a slide larger than the memory, and to explore a large table.
`python -m benchmarks.large all` writes this page. How seconds and memory grow with the rows is on
[the page of benchmarks](benchmarks.md).
"""


PAPER = Paper(
    "large",
    _HEAD,
    (
        of_module("slide", "A slide larger than its workers' memory", 20_000, 1500, slide),
        of_module("on-paper", "Ten and a hundred million rows, on paper", 100_000_000, 2000, on_paper),
        of_module("placed", "Rows placed on the map of a sample", 70_000, 600, placed),
        of_module("outline", "An outline, a group, and all cells", 100_000, 2000, outline),
    ),
    max_iter=0,
    quick_iter=0,
)

if __name__ == "__main__":
    main(PAPER)
