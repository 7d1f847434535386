"""What is to be measured: one method on one table, in one process."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import versions
from benchmarks.paths import ROOT
from benchmarks.peers import data_sets
from benchmarks.peers.measures import EDITION, quality
from benchmarks.peers.methods import METHODS
from benchmarks.peers.process import run_alone
from benchmarks.stored import CACHE

# The first fit that an installation ever makes: nothing is compiled.
FIRST_USE = "first use"
# A fit in a fresh process, where compiled code is kept on the disk, then others of the same table in that process.
FRESH_AND_WARM = "fresh and warm"
# A fit of many rows from the disk, after one of few.
GROWTH = "growth"
# Methods take other ways, and compile other code, for few rows than for many.
_FEW_ROWS, _MANY_ROWS = 2000, 10_000
# Of so many rows or fewer, single cells decide which error is the smaller one: more maps are made.
SMALL, SEEDS, SEEDS_OF_SMALL = 5000, 3, 10


@dataclass(frozen=True)
class Task:
    """One run.

    Attributes
    ----------
    kind : str
        FIRST_USE, FRESH_AND_WARM or GROWTH.
    data : str
    rows : int
    method : str
    seed : int
        The first.
    n_warm : int
        Warm fits, each with the next seed.
    """

    kind: str
    data: str
    rows: int
    method: str
    seed: int = 0
    n_warm: int = 1

    @property
    def place(self) -> dict[str, Any]:
        """What a record of this task replaces: those of the same run, whatever the settings were."""
        return {"kind": self.kind, "data": self.data, "rows": self.rows, "method": self.method, "seed": self.seed}

    @property
    def identity(self) -> dict[str, Any]:
        """What a record of this task is known by: a change of settings, version or measures makes it another one."""
        measures = {"measures": EDITION} if self.kind == FRESH_AND_WARM else {}
        return {**self.place, "n_warm": self.n_warm, **measures, **configuration(self.method)}

    @property
    def fits(self) -> list[dict[str, int]]:
        """The rows and the seed of each fit."""
        first, few = ({"rows": rows, "seed": self.seed} for rows in (self.rows, min(_FEW_ROWS, self.rows)))
        warm = [{"rows": self.rows, "seed": self.seed + i} for i in range(self.n_warm)]
        return {FIRST_USE: [first, few], FRESH_AND_WARM: [first, *warm], GROWTH: [few, first]}[self.kind]

    def perform(self) -> dict[str, Any]:
        """Run, and return what was found."""
        load, started = os.getloadavg()[0], time.perf_counter()
        data = None if self.kind == GROWTH else data_sets.read(self.data, self.rows)
        path = data_sets.growing_file(self.data, self.rows) if data is None else data.path
        self._prepare_compiled(path)
        fits, maps = run_alone(self.method, path, self.fits, self._compiled, mapped=self.kind == GROWTH)
        if data is not None and self.kind == FRESH_AND_WARM:
            for fit, embedding in zip(fits[1:], maps[1:], strict=True):
                fit["quality"] = quality(data, embedding)
        return {
            "versions": versions("numpy", "numba", "scipy", "scikit-learn"),
            "code": code_of(self.method),
            "columns": int(np.load(path, mmap_mode="r").shape[1]),
            "load": round(load, 2),
            "fits": fits,
            "took": time.perf_counter() - started,
        }

    def _prepare_compiled(self, path: Path) -> None:
        """Empty numba's folder for a first use; else see to it that it is filled."""
        folder = self._compiled
        if self.kind == FIRST_USE:
            shutil.rmtree(folder, ignore_errors=True)
        elif not folder.is_dir():
            fits = [{"rows": min(rows, self.rows), "seed": self.seed} for rows in (_MANY_ROWS, _FEW_ROWS)]
            # Whoever stops the program while it compiles does not leave a folder that is half full.
            part = folder.with_name(f"{folder.name}.part")
            part.mkdir(parents=True, exist_ok=True)
            run_alone(self.method, path, fits, part, mapped=self.kind == GROWTH)
            part.replace(folder)

    @property
    def _compiled(self) -> Path:
        """The folder for numba: a first use fills it, and what follows finds it filled."""
        name = _digest(f"{configuration(self.method)} {code_of(self.method)}".encode())
        return CACHE / "compiled" / f"{self.method}-{name}"


def maps(data: Sequence[str], methods: Sequence[str] | None, n_seeds: int | None, rows: int | None) -> list[Task]:
    """Return the runs that compare methods on data sets; each method goes first in turn.

    Parameters
    ----------
    data : sequence of str
    methods : sequence of str or None
        None are all but those that are to be asked for, some of them less often.
    n_seeds : int or None
        Maps of each method on each data set. None are SEEDS, and SEEDS_OF_SMALL of small ones.
    rows : int or None
        Of a data set, at most.

    Returns
    -------
    list of Task
    """
    some = methods or [method for method in METHODS if not METHODS[method].only_asked]
    often = methods or [method for method in some if not METHODS[method].once]
    tasks = []
    for turn, name in enumerate(data):
        source = data_sets.DATA_SETS[name]
        n = min(rows or source.rows, source.rows)
        if name == data_sets.MAIN:
            tasks += [Task(FIRST_USE, name, n, method) for method in some]
            tasks += [
                Task(FRESH_AND_WARM, name, n, method, seed)
                for seed in range(n_seeds or SEEDS)
                for method in _turned(often if seed else some, seed)
            ]
        else:
            n_maps = n_seeds or (SEEDS_OF_SMALL if n <= SMALL else SEEDS)
            n_maps = min(n_maps, source.most_seeds or n_maps)
            tasks += [Task(FRESH_AND_WARM, name, n, method, n_warm=n_maps) for method in _turned(often, turn)]
    return tasks


def _turned(methods: list[str], turn: int) -> list[str]:
    """Begin with another method each time: the first reads the packages that all share from a disk that is cold."""
    turn %= len(methods)
    return methods[turn:] + methods[:turn]


def growth(data: Sequence[str], rows: Sequence[int], methods: Sequence[str]) -> list[Task]:
    """Return the runs that show how time and memory grow with the number of rows; the methods take turns."""
    return [Task(GROWTH, name, n, method) for name in data for n in rows for method in methods]


def configuration(name: str) -> dict[str, str]:
    """Return what a method is known by: its call, its parameters, and its package's version."""
    method = METHODS[name]
    version = versions(method.package)[method.package]
    return {"call": method.call, "parameters": method.parameters, "version": version}


def code_of(name: str) -> str:
    """Return a name for the present code of a method of ours; a peer's follows from its version."""
    return code_of_ours() if METHODS[name].is_ours else ""


def code_of_ours() -> str:
    """Return a name for the present code of the model."""
    files = sorted((ROOT / "src" / "latentmap" / "model").glob("*.py"))
    return _digest(b"".join(file.read_bytes() for file in files))


def _digest(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()[:8]
