"""Where the repository keeps what benchmarks write."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
# Runs that only show that the code works must not end up in the documentation.
SCRATCH = ROOT / "benchmarks" / "results"
