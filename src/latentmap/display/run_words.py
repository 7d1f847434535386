"""The progress of a run, in words."""

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

from latentmap.methods import METHODS
from latentmap.session import Progress, Result
from latentmap.session.wording import counted

_STAGES = {
    "neighbours": "finding each cell's neighbours",
    "graph": "tying neighbours together",
    "coarse-graining": "summarising distant cells",
    "start": "placing the cells",
    "quality": "measuring how faithful the map is",
}
# Seconds that must have passed, and must remain, for the remaining time to be shown.
_SHORTEST = 2


class Told(NamedTuple):
    """What a progress bar shows; `total` is 0 while the duration is unknown."""

    done: int
    total: int
    text: str


class RunWords:
    """Describes progress and, once it can be estimated, the remaining time.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.

    Examples
    --------
    >>> words = RunWords(clock=iter([0.0, 10.0]).__next__)
    >>> words.count(1, 11, "measuring frame").text, words.count(6, 11, "measuring frame").text
    ('measuring frame 1 / 11', 'measuring frame 6 / 11   10 s left')
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._started: tuple[str, int, float] | None = None

    def busy(self, stage: str) -> Told:
        """Say what is being done while its duration is unknown.

        Parameters
        ----------
        stage : str
            What is being done.
        """
        self.forget()
        return Told(0, 0, _STAGES.get(stage, stage))

    def count(self, done: int, total: int, what: str) -> Told:
        """Say how much of something is done.

        Parameters
        ----------
        done, total : int
        what : str
            What is being done, such as "measuring frame".
        """
        return self._told(done, total, [f"{what} {done} / {total}"], what)

    def follow(self, progress: Progress) -> Told:
        """Give the stage of a run or, while it embeds, the iterations done and allowed and the objective."""
        if progress.stage != "embedding" or progress.state is None:
            return self.busy(progress.stage)
        done, total = progress.iteration, progress.max_iter
        phrases = [f"{done} / {total}"]
        if progress.objective is not None:
            phrases.append(reached(progress.method, progress.objective, len(progress.state.embedding)))
        return self._told(done, total, phrases, "embedding")

    def end(self, result: Result) -> Told:
        """Say after how many iterations a map was finished or stopped, and the final value of its objective."""
        self.forget()
        found = reached(result.method, float(result.objective[-1]), len(result.embedding))
        stopped = "stopped after " if result.stopped else ""
        return Told(1, 1, f"{stopped}{counted(result.n_iter, 'iteration')}   {found}")

    def forget(self) -> None:
        """Restart the clock, so that time spent otherwise, such as a pause, does not count."""
        self._started = None

    def _told(self, done: int, total: int, phrases: list[str], what: str) -> Told:
        told = Told(done, total, "   ".join([*phrases, *self._left(what, done, total)]))
        if done in (0, total):
            self.forget()
        return told

    def _left(self, what: str, done: int, total: int) -> list[str]:
        now = self._clock()
        if self._started is None or self._started[0] != what or self._started[1] > done:
            self._started = what, done, now
        _, first, then = self._started
        if now - then < _SHORTEST:
            return []
        left = (total - done) * (now - then) / max(done - first, 1)
        return [f"{_rounded(left)} left"] if left >= _SHORTEST else []


def reached(method: str, objective: float, n_cells: int) -> str:
    """Write the value of a method's objective.

    Parameters
    ----------
    method : str
        The name of the method.
    objective : float
        The value for the whole map.
    n_cells : int
        How many cells are on it. The likelihood falls with the number of cells, so it is given per cell.

    Examples
    --------
    >>> reached("lvm", -720.0, 1000), reached("elastic-embedding", 0.0000012, 1000)
    ('log-likelihood −0.72 per cell', 'cost 1.2e-06')
    """
    made_by = METHODS[method]
    if made_by.is_told_per_cell:
        return f"{made_by.sought} {_written(objective / n_cells)} per cell"
    return f"{made_by.sought} {_written(objective)}"


def _written(objective: float) -> str:
    written = f"{objective:.2f}" if not objective or 0.01 <= abs(objective) < 1e5 else f"{objective:.3g}"
    return f"−{written[1:]}" if written.startswith("-") else written


def _rounded(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"
