"""The figures of docs/large.md: what does not fit into memory, or takes long."""

from __future__ import annotations

from typing import Any

from benchmarks.large import on_paper, outline, slide
from benchmarks.report import Experiment, Paper, main

_HEAD = """# Large slides and tables, measured

What a slide takes that is larger than the memory it is measured in, and what the way through a large table takes.
`python -m benchmarks.large all` writes this page. How seconds and memory grow with the rows is on
[the page of benchmarks](benchmarks.md).
"""


def _experiment(name: str, title: str, n: int, module: Any) -> Experiment:
    return Experiment(name, title, n, 2000, module.measure, lambda numbers: [], {}, module.lines)


PAPER = Paper(
    "large",
    _HEAD,
    (
        _experiment("slide", "A slide larger than its workers' memory", 20_000, slide),
        _experiment("on-paper", "Ten and a hundred million rows, on paper", 100_000_000, on_paper),
        _experiment("outline", "An outline, a group, and all cells", 100_000, outline),
    ),
    max_iter=0,
    quick_iter=0,
)

if __name__ == "__main__":
    main(PAPER)
