"""The page docs/robustness.md, made of what the commands have found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.markdown import table, whole
from benchmarks.robustness.fuzzing import KINDS
from benchmarks.robustness.outcomes import FAULTS, OUTCOMES

_HEAD = """\
# What happens when something goes wrong

No fault may lose or change data in silence. This page says what is done about each, and what two programs found that
try to break it:

```sh
uv run --group benchmarks python -m benchmarks.robustness fuzz    # 10 000 hostile cases; --cases, --seed, --processes
uv run --group benchmarks python -m benchmarks.robustness kills   # 200 processes killed while they write; --kills
uv run --group benchmarks python -m benchmarks.robustness case --seed 0 --first 7    # one case again
uv run --group benchmarks python -m benchmarks.robustness page    # writes this page from what they have found
```
"""
_FAULTS = (
    (
        "the process is killed while it writes",
        "each file is written beside its place and moved there once it is on the disk: the old one or the new "
        "one is there. A table and its record, or a script and its table, are two files: if only one was "
        "replaced, the other says that they do not belong together. A hidden `.latentmap-*.part` may be left; "
        "it is removed when something is saved there an hour later or more.",
    ),
    (
        "the disk is full, the folder may not be written in",
        "a sentence of the system; the old file stays. `latentmap` says so before it makes the map.",
    ),
    (
        "a file vanishes, a drive goes away",
        "a sentence says which file. An error of the drive is not called damage: the file may be whole.",
    ),
    (
        "Ctrl-C",
        "a fit ends within a step and keeps its last map, also if the keys are pressed again while it ends, in a "
        "terminal and in a notebook's kernel; a run of the widget goes on. A command ends with code 130 and writes "
        "nothing more.",
    ),
    (
        "more memory than there is",
        "refused before the work, with an estimate: methods that hold all pairs of rows, many neighbours, "
        "sparse tables that would be made dense, files that unpack to more.",
    ),
    (
        "files from strangers",
        "nothing is unpickled, nothing is run, no path in a file leaves its folder. Zip bombs, absurd shapes "
        "and values of wrong types are refused in a sentence. A damaged HDF5 file cannot hang the program: a "
        "process of its own tries it first, and ends by itself if nobody waits for it.",
    ),
    (
        "names that a browser would run",
        "they are text in the notebook and in exported pages.",
    ),
    (
        "names that a spreadsheet would run",
        "see below.",
    ),
)
_REST = """\
## Words that a spreadsheet takes for formulas

A column called `=1+1`, or a class `=cmd|...`, is written to CSV as it is, because what is written must be what is read
again: an apostrophe before it, which some programs put there, would be another name, and would no longer match the
key of the cell. A spreadsheet may take such words for formulas when it opens a CSV. Look at a CSV from a stranger in a
text editor, or import its columns as text; Parquet and AnnData have types and no such trouble.

## What text cannot keep

CSV has no types. A column of words comes back as numbers where all of its words are numbers (`007` is 7), and `NA`,
`nan` or nothing at all comes back as a missing value. The columns `layer`, `class` and `cell_name` stay text, and the
labels keep each digit. Whole numbers with gaps become floats. Parquet and AnnData keep all of it.

## What is not guarded

A flipped bit in an AnnData file that leaves it readable changes a number, and nothing notices: HDF5 has no check sums
unless each column asks for them. Parquet files of ours have check sums, which are tried when they are read; session
files have a digest of each array; a CSV is held against the digest in its record when the record is read.
"""


def page(folder: Path) -> str:
    """Return the page, of what is in a folder."""
    lines = [*_HEAD.splitlines(), "", *table(["fault", "what happens"], _FAULTS), *_REST.splitlines(), ""]
    if fuzz := _read(folder / "fuzz.json"):
        lines += _fuzz(fuzz)
    else:
        lines += ["## Hostile cases", "", "Not yet counted for this page: `python -m benchmarks.robustness fuzz`.", ""]
    if kills := _read(folder / "kills.json"):
        lines += _kills(kills)
    return "\n".join(lines).rstrip() + "\n"


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def _fuzz(found: dict[str, Any]) -> list[str]:
    counts: dict[str, dict[str, int]] = found["counts"]
    rows = [
        [KINDS[kind].title, *(whole(of_kind.get(outcome, 0)) for outcome in OUTCOMES)]
        for kind, of_kind in counts.items()
    ]
    sums = [sum(of_kind.get(outcome, 0) for of_kind in counts.values()) for outcome in OUTCOMES]
    n_faults = sum(of_kind.get(outcome, 0) for of_kind in counts.values() for outcome in FAULTS)
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    return [
        "## Hostile cases",
        "",
        "Each case is drawn from the seed and its number: arrays with odd values in odd forms, under parameters that "
        "may be wrong; text tables, Excel workbooks, AnnData, images and labels of other programs; tables that are "
        "written and read back, with names that break things; files with damage; session files that somebody has "
        "tampered with; words on the command line. A case runs in another process, with a time limit. A result is "
        "held against what went in: no row, value or word may be missing unless a sentence says so, input stays as it "
        "was, and a second fit gives the same bits.",
        "",
        *table(["cases", *OUTCOMES], [*rows, ["**all**", *map(whole, sums)]]),
        *(f"- **{outcome}**: {meaning}." for outcome, meaning in OUTCOMES.items()),
        "",
        f"{whole(sum(sums))} cases from {found['first']} on, seed {found['seed']}, "
        f"{whole(found['seconds'])} s: {n_faults or 'no'} fault{'s' * (n_faults != 1)}. {versions}.",
        "",
        "The worst that were ever found are kept in `tests/robustness/corpus.json` and run with the tests, as do some "
        "hundred new ones.",
        "",
    ]


def _kills(found: dict[str, Any]) -> list[str]:
    formats: dict[str, dict[str, int]] = found["formats"]
    names = ("kills", "midway", "old", "new", "lost")
    rows = [[title, *(one[name] for name in names)] for title, one in formats.items()]
    rows.append(["**all**", *(sum(one[name] for one in formats.values()) for name in names)])
    return [
        "## Kills",
        "",
        "A process writes a new version over an old one, and is killed (SIGKILL) at a random moment. Afterwards the "
        "file is read to its end and held against both versions. *Midway* says how often a half-written hidden file "
        "was left, which nothing takes for a result.",
        "",
        *table(["what is written", "kills", "midway", "the old one is there", "the new one is there", "lost"], rows),
        f"Seed {found['seed']}, {whole(found['seconds'])} s.",
        "",
    ]
