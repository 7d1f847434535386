"""The way through a list of tasks: what was done before is not done again, and the time left is told."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Sequence
from statistics import mean

import numpy as np
from scipy.optimize import nnls

from benchmarks.peers.methods import METHODS
from benchmarks.peers.process import RunFailed
from benchmarks.peers.records import Record, Records
from benchmarks.peers.tasks import Task, code_of_ours


def work_through(tasks: Sequence[Task], records: Records, again: bool = False) -> list[str]:
    """Perform the tasks that have no record, and print how long the rest may take.

    Parameters
    ----------
    tasks : sequence of Task
    records : Records
        Gets one for each.
    again : bool
        Whether to repeat the tasks that have a record.

    Returns
    -------
    list of str
        What failed, in words.
    """
    tasks = possible(tasks)
    todo = [task for task in tasks if again or not records.where(**task.identity)]
    _tell_of_old_code([task for task in tasks if task not in todo], records)
    failures = []
    if todo:
        records.check_machine()
    for number, task in enumerate(todo):
        name = f"{task.method} on {task.data}, {task.rows} rows, {task.kind} {task.seed}"
        _say(f"[{number + 1}/{len(todo)}] {name}; {time_left(todo[number:], records.all)}")
        try:
            records.add(task.place, task.identity | task.perform())
        except RunFailed as failure:
            failures.append(f"{name} failed:\n{failure}")
            _say(failures[-1])
    return failures


def possible(tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks whose methods can run here, and say which cannot."""
    obstacles = {name: METHODS[name].obstacle for name in dict.fromkeys(task.method for task in tasks)}
    for name, obstacle in obstacles.items():
        if obstacle:
            _say(f"{name} is left out: {obstacle}")
    return [task for task in tasks if not obstacles[task.method]]


def time_left(todo: Sequence[Task], done: Sequence[Record]) -> str:
    """Return how long tasks may take, in words, by what the most similar ones took."""
    if not done:
        return "no run yet tells how long it may take"
    seconds = sum(_expected(task, done) for task in todo)
    return f"all that is left may take {datetime.timedelta(seconds=round(seconds))}"


def _expected(task: Task, done: Sequence[Record]) -> float:
    rows = sum(fit["rows"] for fit in task.fits)
    alike = [record for record in done if record["method"] == task.method] or list(done)
    took = np.array([record["took"] for record in alike])
    fitted = np.array([sum(fit["rows"] for fit in record["fits"]) for record in alike])
    here = [record["data"] == task.data and record["rows"] == task.rows for record in alike]
    if any(here):
        return rows * mean((took / fitted)[here])
    # A process costs something, and each row does; the errors that count are relative.
    start, each = nnls(np.column_stack([1 / took, fitted / took]), np.ones(len(took)))[0]
    return start + each * rows


def _tell_of_old_code(kept: Sequence[Task], records: Records) -> None:
    codes = [record["code"] for task in kept for record in records.where(**task.identity)]
    if old := sum(code not in ("", code_of_ours()) for code in codes):
        _say(f"{old} runs are kept that were made with other code of latentmap. --again repeats them.")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
