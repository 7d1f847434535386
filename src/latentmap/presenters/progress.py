"""How far something is, as a bar with words."""

from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from latentmap.display.run_end import most_iterations, stopped_words
from latentmap.display.run_words import RunWords, Told
from latentmap.session import Progress, Result, Run

NOTHING = Told(0, 1, "")
"""What a bar shows while nothing is being done."""


class ProgressView(Protocol):
    """A bar, and words on it or below it."""

    def draw(self, told: Told) -> None:
        """Show how much is done; a total of 0 means that no one knows how long it takes."""


class ProgressPresenter:
    """Follows a run, or other long work, on a bar.

    Parameters
    ----------
    view : ProgressView
    clock : callable
        Returns the time in seconds.

    Examples
    --------
    >>> class Printed:
    ...     def draw(self, told):
    ...         print(told.text)
    >>> progress = ProgressPresenter(Printed())
    >>> progress.busy("neighbours")
    finding each cell's neighbours
    >>> progress.pause()
    paused   finding each cell's neighbours
    """

    def __init__(self, view: ProgressView, clock: Callable[[], float] = perf_counter) -> None:
        self._view, self._words, self._told = view, RunWords(clock), NOTHING

    def clear(self) -> None:
        """Show that nothing is being done."""
        self._show_anew(NOTHING)

    def busy(self, stage: str) -> None:
        """Show that something is being done, and that no one knows how long it takes."""
        self._show(self._words.busy(stage))

    def count(self, done: int, total: int, what: str) -> None:
        """Show how much of something is done, such as "measuring frame"."""
        self._show(self._words.count(done, total, what))

    def follow(self, progress: Progress) -> None:
        """Show the stage of a run, or its iterations out of those allowed and what the method raises or lowers."""
        self._show(self._words.follow(progress))

    def pause(self) -> None:
        """Show that it waits; the time spent waiting does not count."""
        self._show_anew(self._told._replace(text=f"paused   {self._told.text}"))

    def complete(self, text: str) -> None:
        """Show that it is done."""
        self._show_anew(Told(1, 1, text))

    def end(self, run: Run, result: Result) -> None:
        """Show that a map is made: after how many iterations and how good it is, or how far it was when stopped."""
        if stopped := stopped_words(run):
            self._show_anew(Told(result.n_iter, most_iterations(run), stopped))
        else:
            self._show(self._words.end(result))

    def _show_anew(self, told: Told) -> None:
        self._words.forget()
        self._show(told)

    def _show(self, told: Told) -> None:
        self._told = told
        self._view.draw(told)
