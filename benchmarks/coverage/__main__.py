"""Which lines the tests run: ``python -m benchmarks.coverage NAME``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.coverage.measured import condensed
from benchmarks.coverage.page import page
from benchmarks.paths import DOCS

_FOUND = DOCS / "coverage" / "lines.json"


def main() -> None:
    """Take over what scripts/coverage has measured, or only write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("name", choices=["take", "page"])
    parser.add_argument("report", nargs="?", type=Path, help="what `coverage json` has written, for take")
    parser.add_argument("--tests", default="all", help="which tests were run")
    chosen = parser.parse_args()
    if chosen.name == "take":
        if chosen.report is None:
            parser.error("take needs the file that `coverage json` has written.")
        record = condensed(json.loads(chosen.report.read_text(encoding="utf-8")), chosen.tests)
        _FOUND.parent.mkdir(exist_ok=True)
        _FOUND.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    found = json.loads(_FOUND.read_text(encoding="utf-8"))
    (DOCS / "coverage.md").write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
