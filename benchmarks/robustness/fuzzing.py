"""Thousands of cases, each drawn from a seed and its number, each in a process that has a time limit."""

from __future__ import annotations

import json
import math
import os
import queue
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.paths import ROOT
from benchmarks.robustness import annotated, arrays, commands, damage, pictures, texts, workbooks
from benchmarks.robustness.outcomes import FAULTS, Found, Lost, judged, of_error

Case = dict[str, Any]


class Kind(NamedTuple):
    """A kind of cases.

    Attributes
    ----------
    title : str
    share : float
        The share of all cases.
    draw : callable
        ``draw(rng)`` returns a case that JSON can hold.
    perform : callable
        ``perform(case, rng, folder)`` returns the sentences heard.
    """

    title: str
    share: float
    draw: Callable[[np.random.Generator], Case]
    perform: Callable[[Case, np.random.Generator, Path], list[str]]


KINDS = {
    "array": Kind("arrays and parameters", 0.3, arrays.draw, lambda case, rng, _: arrays.perform(case, rng)),
    "text": Kind("text tables of other programs", 0.18, texts.draw_text, texts.perform_text),
    "written": Kind("tables written and read back", 0.1, texts.draw_written, texts.perform_written),
    "file": Kind("damaged files", 0.08, damage.draw_file, damage.perform_file),
    "session": Kind("session files that were changed", 0.08, damage.draw_session, damage.perform_session),
    "command": Kind("the command line", 0.06, commands.draw, commands.perform),
    "workbook": Kind("Excel workbooks", 0.06, workbooks.draw, workbooks.perform),
    "anndata": Kind("AnnData of other programs", 0.06, annotated.draw, annotated.perform),
    "image": Kind("images and labels of other programs", 0.08, pictures.draw, pictures.perform),
}
"""The kinds of cases."""

# Seconds: a file on which HDF5 spins is refused after a minute. The first case of a process may have to compile.
_LIMIT, _FIRST = 150, 300
_MEMORY = 16 << 30


def drawn(seed: int, number: int) -> Case:
    """Return a case of a series: the same for the same seed and number.

    Examples
    --------
    >>> drawn(0, 7) == drawn(0, 7)
    True
    """
    rng = np.random.default_rng([seed, number])
    kind = str(rng.choice(list(KINDS), p=[one.share for one in KINDS.values()]))
    return {"kind": kind, "seed": int(rng.integers(2**31)), **KINDS[kind].draw(rng)}


def performed(case: Case) -> Found:
    """Perform a case in this process, and say what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        rng = np.random.default_rng(case["seed"])
        return judged(lambda: KINDS[case["kind"]].perform(case, rng, Path(folder)))


def in_processes(
    cases: Iterable[Case],
    n_processes: int,
    tell: Callable[[int, Found], None] = lambda *_: None,
    minutes: float = math.inf,
) -> list[Found]:
    """Perform cases in processes of their own, and start a new one where one dies or does not answer.

    Parameters
    ----------
    cases : iterable of dict
    n_processes : int
    tell : callable
        ``tell(number, found)`` after each case.
    minutes : float
        After so many no more cases begin.

    Returns
    -------
    list of Found
        What came of each case that was begun.
    """
    listed = list(cases)
    found: list[Found | None] = [None] * len(listed)
    latest = time.monotonic() + 60 * minutes
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(listed)):
        waiting.put(number)

    def work() -> None:
        worker = _Worker()
        try:
            while time.monotonic() < latest:
                try:
                    number = waiting.get_nowait()
                except queue.Empty:
                    return
                found[number] = worker.perform(listed[number])
                tell(number, found[number])
        finally:
            worker.end()

    threads = [threading.Thread(target=work) for _ in range(n_processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [one for one in found if one is not None]


def counted(cases: Iterable[Case], found: Iterable[Found]) -> dict[str, dict[str, int]]:
    """Return how often each kind of case ended in each way."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for case, one in zip(cases, found, strict=False):
        counts[case["kind"]][one.outcome] += 1
    return {kind: dict(one) for kind, one in counts.items()}


def is_fault(found: Found) -> bool:
    """Return whether something must not be."""
    return found.outcome in FAULTS


class _Worker:
    """A process that performs one case after another."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def perform(self, case: Case) -> Found:
        limit = _LIMIT
        if self._process is None:
            path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
            environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "PYTHONPATH": path}
            command = [sys.executable, "-m", "benchmarks.robustness.fuzzing"]
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            self._process = subprocess.Popen(command, text=True, cwd=ROOT, env=environment, **pipes)
            limit = _FIRST
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(case) + "\n")
            process.stdin.flush()
        if not select.select([process.stdout], [], [], limit)[0]:
            self.end()
            return Found("hang", f"no answer after {limit} s")
        if not (line := process.stdout.readline()):
            code = process.wait()
            self._process = None
            return Found("crash", f"the process ended with {code}")
        return Found(*json.loads(line))

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _serve() -> None:
    """Perform the cases that come in, one line each, and answer each with a line."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Whatever else prints must not stand among the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            found = performed(json.loads(line))
        except MemoryError as error:
            found = of_error(error)
        print(json.dumps(list(found)), file=answers, flush=True)


__all__ = ["KINDS", "Found", "Lost", "counted", "drawn", "in_processes", "is_fault", "performed"]

if __name__ == "__main__":
    _serve()
