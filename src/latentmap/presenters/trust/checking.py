"""Which cells of the current map are sure, and how many neighbours it has lost."""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

import numpy as np

from latentmap.presenters.trust.lines import iter_neighbors
from latentmap.presenters.trust.words import (
    MOST,
    check_sentence,
    lost_and_doubtful,
    lost_sentence,
    most_lost_text,
    no_map_sentence,
)
from latentmap.presenters.trust.work import Finding, Work
from latentmap.session import LOST, MapCheck, Result, Run, Session
from latentmap.session.trust import iter_check, keep, why_not_tested
from latentmap.session.wording import spaced
from latentmap.table.number_sets import distinct


class CheckView(Protocol):
    """A sentence and a finding on lost neighbours, two buttons, two more for what a check has found, and a tick."""

    def show_lost(self, sentence: str, findings: Sequence[str], *, can_colour: bool) -> None:
        """Say how many neighbours the map has lost; each finding can be clicked."""

    def show_check(self, numbers: Sequence[str], sentence: str, *, can_check: bool, can_hollow: bool) -> None:
        """Show the numbers of sure and doubtful cells, to be clicked, and what they mean; none before a check."""

    def show_hollow(self, hollow: bool) -> None:
        """Show whether doubtful cells are drawn hollow."""


class CheckPresenter:
    """Checks the current map on request, and keeps what was found with it.

    Parameters
    ----------
    work : Work
    view : CheckView
    """

    def __init__(self, work: Work, view: CheckView) -> None:
        self._work, self._session, self._view = work, work.session, view
        self._findings: list[Finding] = []
        self._lost: list[Finding] = []
        self._session.runs.changed.connect(self.refresh)
        self._session.runs.started.connect(self._view_no_map, max_args=0)
        self._session.runs.ended.connect(self._view_no_map, max_args=0)
        self._session.runs.checked.connect(self.refresh, max_args=0)
        self._session.dropped.changed.connect(self.refresh, max_args=0)
        self._session.display_settings.events.hollow_doubtful.connect(self._view_hollow, max_args=0)

    def close(self) -> None:
        """Stop following the display settings; the session drops the presenter itself."""
        self._session.display_settings.events.hollow_doubtful.disconnect(self._view_hollow)

    def refresh(self) -> None:
        """Show what is known of the current map."""
        run = self._session.runs.current
        result = None if run is None else run.result
        nothing = no_map_sentence(self._session.runs.running)
        self._lost = [] if run is None else most_lost(self._session, run)
        dropped = None if run is None or run.numbers is None else self._session.dropped.is_dropped(run.numbers)
        said = nothing if result is None else lost_sentence(result, dropped)
        self._view.show_lost(said, [one.text for one in self._lost], can_colour=result is not None)
        self._findings = [] if run is None else sure_and_doubtful(self._session, run)
        said = nothing if result is None else why_not_tested(result)
        if result is not None and result.check is not None:
            said = " ".join(filter(None, [check_sentence(result.check), self._difference(result.check)]))
        can_check = result is not None and not why_not_tested(result)
        texts = [one.text for one in self._findings]
        self._view.show_check(texts, said, can_check=can_check, can_hollow=bool(texts))
        self._view_hollow()

    def colour(self) -> None:
        """Colour the maps by lost neighbours, and count them first where a map does not know them."""
        self._session.display_settings.colour_by = LOST
        run = self._session.runs.current
        if run is not None and run.result is not None and run.result.lost_neighbors is None:
            steps = iter_neighbors(run.result)
            self._work.start("Looking for the true neighbours", steps, partial(self._found, run, run.result))

    def check(self) -> None:
        """Test which cells are sure, in a thread."""
        run = self._session.runs.current
        if run is not None and run.result is not None:
            self._work.start("Checking the map", iter_check(run.result), partial(self._found, run, run.result))

    def select(self, index: int) -> None:
        """Select the sure cells (0) or the doubtful ones (1)."""
        if index < len(self._findings):
            self._work.select(self._findings[index])

    def select_lost(self, index: int) -> None:
        """Select the cells that have lost most of their neighbours."""
        if index < len(self._lost):
            self._work.select(self._lost[index])

    def draw_hollow(self, hollow: bool) -> None:
        """Draw doubtful cells hollow, or as all others."""
        self._session.display_settings.hollow_doubtful = hollow

    def _difference(self, check: MapCheck) -> str:
        """How the cells that lost most of their neighbours and the doubtful ones differ."""
        if not self._lost or not self._findings:
            return ""
        lost, doubtful = self._lost[0].numbers, self._findings[1].numbers
        return lost_and_doubtful(check, len(lost), len(np.intersect1d(lost, doubtful)))

    def _found(self, run: Run, before: Result, found: Result) -> None:
        if not keep(self._session.runs, run, before, found):
            return
        if found.check is not None:
            said = " and ".join(one.text for one in sure_and_doubtful(self._session, run))
            self._work.tell(f"{run.name}: {said}.")

    def _view_no_map(self) -> None:
        """Say whether the first map is under way."""
        if self._session.runs.current is None:
            self.refresh()

    def _view_hollow(self) -> None:
        self._view.show_hollow(self._session.display_settings.hollow_doubtful)


def sure_and_doubtful(session: Session, run: Run) -> list[Finding]:
    """Return the sure cells and the doubtful ones of a checked map, without those dropped; empty before a check."""
    if run.result is None or run.result.check is None or run.numbers is None:
        return []
    is_sure, there = run.result.check.is_sure, ~session.dropped.is_dropped(run.numbers)
    sure, doubtful = run.numbers[is_sure & there], run.numbers[~is_sure & there]
    return [
        Finding(f"{spaced(len(sure), 'cell')} sure", sure, f'sure cells of "{run.name}"'),
        Finding(f"{spaced(len(doubtful))} doubtful", doubtful, f'doubtful cells of "{run.name}"'),
    ]


def most_lost(session: Session, run: Run) -> list[Finding]:
    """Return the cells that have lost most of their neighbours, without those dropped; empty if there are none."""
    if run.result is None or run.result.lost_neighbors is None or run.numbers is None:
        return []
    is_lost = (run.result.lost_neighbors >= MOST) & ~session.dropped.is_dropped(run.numbers)
    numbers = distinct(run.numbers[is_lost])
    how = f'cells of "{run.name}" that have lost {MOST:.0%} of their neighbours or more'
    return [Finding(most_lost_text(len(numbers)), numbers, how)] if len(numbers) else []
