"""The maps: each is made once, and kept on the disk until its method, its version, the code or the table changes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import versions
from benchmarks.peers.data_sets import DataSet
from benchmarks.peers.measures import EDITION, seen
from benchmarks.peers.process import run_alone
from benchmarks.peers.records import Record, Records
from benchmarks.peers.tasks import code_of, configuration
from benchmarks.stored import CACHE
from latentmap.quality import largest_pieces

# What is drawn, in this order, and what it is called there. Ours fill the first row.
TITLES = {
    "latentmap": "latentmap",
    "latentmap-density-kept": "density kept",
    "latentmap-detail": "DETAIL",
    "latentmap-paper": "PAPER",
    "umap-learn": "umap-learn",
    "pacmap": "PaCMAP",
    "opentsne": "openTSNE",
}
_SEED = 0
# One more than that of the measures: the pieces of the classes are measured besides.
_EDITION = EDITION + 1


def provide(data: DataSet, name: str, method: str, records: Records) -> bool:
    """See to it that there is a map, and a record of its numbers.

    Parameters
    ----------
    data : DataSet
    name : str
        What it is called in the records.
    method : str
    records : Records
        Gets a record if there is none.

    Returns
    -------
    bool
        Whether anything was done.

    Raises
    ------
    RunFailed
        If the method returned no map.
    """
    place = {"data": name, "rows": len(data.X), "method": method}
    known = {**place, **configuration(method), "code": code_of(method), "table": _digest(data.X.tobytes())}
    path, edition = file_of(known), {"measures": _EDITION}
    if path.is_file() and records.where(**known, **edition):
        return False
    records.check_machine()
    if not path.is_file():
        _make(method, data.path, len(data.X), path)
    used = {"columns": data.X.shape[1], "versions": versions("numpy", "numba", "scipy", "scikit-learn")}
    records.add(place, {**known, **edition, **used, "quality": _looks(data, np.load(path))})
    return True


def file_of(record: Record) -> Path:
    """Return the file that has the map of a record."""
    names = ("data", "rows", "method", "call", "parameters", "version", "code", "table")
    facts: list[Any] = [record[name] for name in names]
    return CACHE / "pictures" / f"{record['data']}-{record['method']}-{_digest(repr(facts).encode())}.npy"


def _looks(data: DataSet, embedding: np.ndarray) -> dict[str, float]:
    """Return what the eye sees of a map; "pieces" is the mean of the classes' largest pieces."""
    looks = seen(data, embedding)
    pieces = np.empty(0) if data.y is None else largest_pieces(embedding, data.y)
    known = pieces[np.isfinite(pieces)]
    return looks | {"pieces": float(known.mean())} if known.size else looks


def _make(method: str, table: Path, rows: int, path: Path) -> None:
    """Make a map in a process of its own, and keep it."""
    _, (embedding,) = run_alone(method, table, [{"rows": rows, "seed": _SEED}], CACHE / "compiled" / "pictures")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Whoever stops the program while it writes leaves no half of a map.
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.save(file, embedding)
    part.replace(path)


def _digest(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()[:12]
