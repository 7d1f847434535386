"""How far a run or other long work has come, as a progress bar with text."""

from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from latentmap.display.progress_text import SEPARATOR, ProgressText, ProgressWriter
from latentmap.display.run_status import allowed_iterations, stopped_sentence
from latentmap.session import Result, Run, RunProgress

NOTHING = ProgressText(0, 1, "")
"""What a bar shows while nothing is being done."""


class ProgressView(Protocol):
    """A progress bar, with text on it or below it."""

    def draw(self, progress_text: ProgressText) -> None:
        """Show how much is done; a total of 0 means that the duration is unknown."""


class ProgressPresenter:
    """Shows the progress of a run, or of other long work. `clock` returns the time in seconds.

    Examples
    --------
    >>> class Printed:
    ...     def draw(self, progress_text):
    ...         print(progress_text.text)
    >>> progress = ProgressPresenter(Printed())
    >>> progress.busy("neighbours")
    finding each cell's neighbours
    >>> progress.pause()
    paused · finding each cell's neighbours
    """

    def __init__(self, view: ProgressView, clock: Callable[[], float] = perf_counter) -> None:
        self._view, self._words, self._last = view, ProgressWriter(clock), NOTHING

    def clear(self) -> None:
        """Show that nothing is being done."""
        self._show_and_reset(NOTHING)

    def busy(self, stage: str) -> None:
        """Show what is being done while its duration is unknown."""
        self._show(self._words.busy(stage))

    def count(self, done: int, total: int, what: str) -> None:
        """Show how far a count has come; `what` is being counted, such as "measuring frame"."""
        self._show(self._words.count(done, total, what))

    def follow(self, progress: RunProgress) -> None:
        """Show the stage of a run or, while it embeds, its iterations, how many are allowed, and its objective."""
        self._show(self._words.follow(progress))

    def pause(self) -> None:
        """Show that the work is paused; the pause does not count towards the time taken."""
        self._show_and_reset(self._last._replace(text=f"paused{SEPARATOR}{self._last.text}"))

    def complete(self, text: str) -> None:
        """Show that the work is done."""
        self._show_and_reset(ProgressText(1, 1, text))

    def end(self, run: Run, result: Result) -> None:
        """Show after how many iterations a map was finished, and its objective, or how far it was when stopped."""
        if stopped := stopped_sentence(run):
            self._show_and_reset(ProgressText(result.n_iter, allowed_iterations(run), stopped))
        else:
            self._show(self._words.end(result))

    def _show_and_reset(self, progress_text: ProgressText) -> None:
        self._words.forget()
        self._show(progress_text)

    def _show(self, progress_text: ProgressText) -> None:
        self._last = progress_text
        self._view.draw(progress_text)
