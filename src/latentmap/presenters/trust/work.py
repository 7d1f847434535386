"""What the tab is looking for at the moment: one thing at a time, with progress and Cancel."""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from psygnal import Signal

from latentmap.session import BackgroundJob, Schedule, Session
from latentmap.session.trust import Steps


class Finding(NamedTuple):
    """Something found, which selects cells when it is clicked.

    Attributes
    ----------
    text : str
    numbers : ndarray of int
        The numbers of the cells concerned.
    how : str
        How they were selected, for the story of the selection.
    """

    text: str
    numbers: np.ndarray
    how: str


class WorkView(Protocol):
    """A bar with a line of text, and a button to cancel."""

    def show_work(self, sentence: str, share: float | None) -> None:
        """Show what is being done and which share is; empty when nothing is, None where nobody knows."""


class Work:
    """Does one thing at a time in a thread, for all sections of the tab.

    Parameters
    ----------
    session : Session
    view : WorkView
    schedule : callable
        Schedules a function in the front end's thread.
    tell : callable
        Shows the user a sentence.
    """

    ended = Signal()
    """Emitted when something was found and is shown."""

    def __init__(self, session: Session, view: WorkView, schedule: Schedule, tell: Callable[[str], None]) -> None:
        self.session, self._view, self.tell = session, view, tell
        self._job = BackgroundJob(schedule)
        self._title = ""

    @property
    def running(self) -> bool:
        """Whether something is being looked for."""
        return self._job.running

    def start(self, title: str, steps: Generator[Steps, Any, Any], done: Callable[[Any], None]) -> None:
        """Begin, and drop what was begun before.

        Parameters
        ----------
        title : str
            What is being done.
        steps : generator
            Yields `Steps`.
        done : callable
            Takes what the steps return.
        """
        self._title = title
        self._view.show_work(f"{title} …", None)
        self._job.start(steps, yielded=self._step, returned=partial(self._end, done), failed=self._fail)

    def cancel(self) -> None:
        """Stop, and keep nothing."""
        if self._job.running:
            self._job.drop()
            self._view.show_work("", None)
            self.tell(f"Stopped: {self._title[:1].lower()}{self._title[1:]}.")

    def close(self) -> None:
        """Stop without a word."""
        self._job.drop()

    def select(self, finding: Finding) -> None:
        """Select the cells of a finding that are not dropped."""
        kept = finding.numbers[~self.session.dropped.is_dropped(finding.numbers)]
        self.session.selection.select(kept, how=finding.how)

    def _step(self, step: Steps) -> None:
        self._view.show_work(f"{step.what} …", step.share)

    def _end(self, done: Callable[[Any], None], value: Any) -> None:
        self._view.show_work("", None)
        done(value)
        self.ended.emit()

    def _fail(self, error: Exception) -> None:
        self._view.show_work("", None)
        self.tell(str(error))
        if not isinstance(error, ValueError):
            raise error
