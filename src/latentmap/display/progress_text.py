"""The progress of a run in words."""

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

from latentmap.methods import METHODS
from latentmap.session import Result, RunProgress
from latentmap.session.wording import counted

SEPARATOR = " · "
"""Stands between two statements; several spaces would be one in a notebook."""
_STAGES = {
    "neighbours": "finding each cell's neighbours",
    "graph": "linking neighbours",
    "coarse-graining": "summarising distant cells",
    "start": "placing the cells",
    "quality": "measuring how faithful the map is",
}
# The remaining time is shown once this many seconds have passed, while at least as many remain.
_SHORTEST = 2


class ProgressText(NamedTuple):
    """What a progress bar shows; `total` is 0 while the duration is unknown."""

    done: int
    total: int
    text: str


class ProgressWriter:
    """Describes progress and, as soon as it can be estimated, the remaining time.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.

    Examples
    --------
    >>> words = ProgressWriter(clock=iter([0.0, 10.0]).__next__)
    >>> words.count(1, 11, "measuring frame").text, words.count(6, 11, "measuring frame").text
    ('measuring frame 1 / 11', 'measuring frame 6 / 11 · 10 s left')
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._started: tuple[str, int, float] | None = None

    def busy(self, stage: str) -> ProgressText:
        """Say what is being done, without saying how long it takes."""
        self.forget()
        return ProgressText(0, 0, _STAGES.get(stage, stage))

    def count(self, done: int, total: int, what: str) -> ProgressText:
        """Say how far a count has come; `what` is being counted, such as "measuring frame"."""
        return self._counted(done, total, [f"{what} {done} / {total}"], what)

    def follow(self, progress: RunProgress) -> ProgressText:
        """Name the stage of a run or, while it embeds, give its iterations, how many are allowed, and its objective."""
        if progress.stage != "embedding" or progress.state is None:
            return self.busy(progress.stage)
        done, total = progress.iteration, progress.max_iter
        phrases = [f"{done} / {total}"]
        if progress.objective is not None:
            phrases.append(objective_text(progress.method, progress.objective, len(progress.state.embedding)))
        return self._counted(done, total, phrases, "embedding")

    def end(self, result: Result) -> ProgressText:
        """Say after how many iterations a map was finished or stopped, and the last value of the objective."""
        self.forget()
        if not len(result.objective):
            return ProgressText(1, 1, f"{counted(len(result.embedding), 'cell')} on the map")
        found = objective_text(result.method, float(result.objective[-1]), len(result.embedding))
        stopped = "stopped after " if result.stopped else ""
        return ProgressText(1, 1, f"{stopped}{counted(result.n_iter, 'iteration')}{SEPARATOR}{found}")

    def forget(self) -> None:
        """Restart the clock, so that a pause does not count towards the time taken."""
        self._started = None

    def _counted(self, done: int, total: int, phrases: list[str], what: str) -> ProgressText:
        text = ProgressText(done, total, SEPARATOR.join([*phrases, *self._left(what, done, total)]))
        if done in (0, total):
            self.forget()
        return text

    def _left(self, what: str, done: int, total: int) -> list[str]:
        now = self._clock()
        if self._started is None or self._started[0] != what or self._started[1] > done:
            self._started = what, done, now
        _, first, then = self._started
        if now - then < _SHORTEST:
            return []
        left = (total - done) * (now - then) / max(done - first, 1)
        return [f"{_rounded(left)} left"] if left >= _SHORTEST else []


def objective_text(method: str, objective: float, n_cells: int) -> str:
    """Write the value of a method's objective, given for the whole map.

    A log-likelihood is divided by the number of cells, so that maps of different sizes compare.

    Examples
    --------
    >>> objective_text("lvm", -720.0, 1000), objective_text("elastic-embedding", 0.0000012, 1000)
    ('log-likelihood −0.72 per cell', 'cost 1.2e-06')
    """
    made_by = METHODS[method]
    if made_by.is_objective_per_cell:
        return f"{made_by.objective_name} {_written(objective / n_cells)} per cell"
    return f"{made_by.objective_name} {_written(objective)}"


def _written(objective: float) -> str:
    written = f"{objective:.2f}" if not objective or 0.01 <= abs(objective) < 1e5 else f"{objective:.3g}"
    return f"−{written[1:]}" if written.startswith("-") else written


def _rounded(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"
