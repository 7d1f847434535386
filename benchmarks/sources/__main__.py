"""Every figure and table of the five sources, and what came out here: ``python -m benchmarks.sources``."""

from __future__ import annotations

from pathlib import Path

from benchmarks.markdown import table, whole
from benchmarks.paths import DOCS
from benchmarks.report import Claim
from benchmarks.sources.rows import Row, all_made, rows
from benchmarks.sources.shown import SOURCES

_HEAD = """\
# Every figure and table of the five sources

```sh
uv run --group benchmarks python -m benchmarks.sources    # writes this page
```

makes this page of the numbers of the pages about the sources, and of nothing else. A line is a figure, a table or a
part of a source, and an experiment about it; lines without a number are experiments with what the source says in words.
A claim that names no figure is told with the first one of its experiment. *Holds here* says how many of the source's
claims agree with what was measured, and leads to the numbers; where one does not, the cause is told there. The command
is what gave the numbers (`uv run --group benchmarks` goes before it), the seconds are its own.
"""


def page(folder: Path) -> str:
    """Return the page, by the records in a folder."""
    lines = [*_HEAD.splitlines(), "", *_overview(folder)]
    for source in SOURCES:
        lines += [f"## {source.title}", ""]
        lines += table(
            ["", "what it shows", "holds here", "what does not", "command", "seconds"],
            [_cells(row) for row in rows(source, folder)],
        )
    return "\n".join(lines).rstrip() + "\n"


def _overview(folder: Path) -> list[str]:
    lines = []
    for source in SOURCES:
        experiments = all_made(source, folder)
        judged = [claim.holds for made in experiments for claim in made.claims if claim.holds is not None]
        seconds = sum(made.record["seconds"] for made in experiments if made.record)
        lines.append((source.title, len(experiments), f"{sum(judged)} of {len(judged)}", whole(seconds)))
    return table(["source", "experiments", "claims that hold here", "seconds"], lines)


def _cells(row: Row) -> tuple[str, ...]:
    if row.made is None:
        return row.name, row.what, f"not made: {row.why}", "", "", ""
    paper, experiment, record = row.made.paper, row.made.experiment, row.made.record
    if record is None:
        return row.name, row.what, "not measured yet", "", f"`python -m benchmarks.{paper.name} {experiment.name}`", ""
    return (
        row.name,
        row.what,
        f"[{_verdict(row.claims)}]({paper.name}.md#{experiment.name})",
        "; ".join(claim.paper for claim in row.claims if claim.holds is False).replace("|", "\\|"),
        f"`python -m benchmarks.{paper.name} {experiment.name} --n {record['n']}`",
        f"{record['seconds']:.0f}",
    )


def _verdict(claims: list[Claim]) -> str:
    judged = [claim.holds for claim in claims if claim.holds is not None]
    if not judged:
        return "measured, not judged" if claims else "drawn"
    if len(judged) == 1:
        return "yes" if judged[0] else "**no**"
    return f"{sum(judged)} of {len(judged)}"


if __name__ == "__main__":
    (DOCS / "sources.md").write_text(page(DOCS))
