"""Which cells have other neighbours on another map."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np

from latentmap.presenters.trust.work import Finding, Work
from latentmap.session import Run
from latentmap.session.map_comparison import MapComparison, iter_comparison
from latentmap.session.wording import counted, spaced

NO_OTHER = "There is no second map: make another one, or add one made elsewhere on the tab Map."
"""Shown while there is nothing to compare with."""


class ChangesView(Protocol):
    """A list of maps, a tick for seeds, a button, a sentence, and a list of sentences to be clicked."""

    def offer_maps(self, names: Sequence[str], chosen: int) -> None:
        """Offer these maps, and show which one the current map is compared with."""

    def show_changes(self, sentence: str, findings: Sequence[str], *, can_compare: bool) -> None:
        """Show what differs; each finding can be clicked."""


class ChangesPresenter:
    """Compares the current map with another one kept, on request; another current map makes it forget.

    Parameters
    ----------
    work : Work
    view : ChangesView
    """

    def __init__(self, work: Work, view: ChangesView) -> None:
        self._work, self._session, self._view = work, work.session, view
        self._others: list[Run] = []
        self._chosen: Run | None = None
        self._pair: tuple[object, object] | None = None
        self._findings: list[Finding] = []
        self._is_showing = False
        self._session.runs.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Offer the maps kept beside the current one."""
        current = self._session.runs.current
        self._others = [run for run in self._session.runs if run is not current and run.result is not None]
        if self._chosen not in self._others:
            self._chosen = self._others[-1] if self._others else None
        self._is_showing = True
        try:
            chosen = self._others.index(self._chosen) if self._chosen is not None else -1
            self._view.offer_maps([run.name for run in self._others], chosen)
        finally:
            self._is_showing = False
        if self._pair is None or self._pair != self._maps():
            self._forget()

    def choose(self, index: int) -> None:
        """Compare with this map; ignored while maps are being offered."""
        if not self._is_showing and 0 <= index < len(self._others) and self._others[index] is not self._chosen:
            self._chosen = self._others[index]
            self._forget()

    def compare(self, with_seeds: bool) -> None:
        """Compare in a thread, with other seeds or without."""
        run, other = self._session.runs.current, self._chosen
        if run is None or other is None or run.result is None or other.result is None:
            return
        steps = iter_comparison(run.result, other.result, with_seeds)
        self._work.start("Comparing two maps", steps, partial(self._found, run, other, self._maps()))

    def select(self, index: int) -> None:
        """Select the cells of a finding."""
        if index < len(self._findings):
            self._work.select(self._findings[index])

    def _found(self, run: Run, other: Run, pair: tuple[object, object] | None, found: MapComparison) -> None:
        if pair != self._maps() or run.numbers is None:
            return
        self._pair, found = pair, _without(found, self._session.dropped.is_dropped(run.numbers))
        self._findings = change_findings(found, run.numbers, other.name)
        texts = [one.text for one in self._findings]
        self._view.show_changes(change_sentence(found), texts, can_compare=True)
        self._work.tell(f"{texts[0]}.")

    def _maps(self) -> tuple[object, object] | None:
        """What is compared: by their positions, two maps are the same."""
        current = self._session.runs.current
        if current is None or self._chosen is None or current.result is None or self._chosen.result is None:
            return None
        return id(current.result.embedding), id(self._chosen.result.embedding)

    def _forget(self) -> None:
        self._pair, self._findings = self._maps(), []
        can_compare = self._pair is not None
        self._view.show_changes("" if can_compare else NO_OTHER, [], can_compare=can_compare)


def _without(found: MapComparison, dropped: np.ndarray) -> MapComparison:
    """Leave cells out of what was found; they were among the neighbours that were compared."""
    there = ~dropped[found.rows]
    is_changed = None if found.is_changed is None else found.is_changed[there]
    return replace(found, rows=found.rows[there], changed=found.changed[there], is_changed=is_changed)


def change_sentence(found: MapComparison) -> str:
    """Say how much differs between two maps, and what that is held against."""
    said = f"{found.changed.mean():.0%} of the neighbours of {counted(len(found.rows), 'cell')} differ."
    if found.by_seed is None:
        return f'{said} To see whether that is much, tick "against 3 other seeds" and compare again.'
    return (
        f"{said} Another seed changes {found.by_seed:.0%}. Of the cells named here, at most 5% are expected to have "
        "changed no more than with another seed."
    )


def change_findings(found: MapComparison, numbers: np.ndarray, other: str) -> list[Finding]:
    """Return the cells that have changed: more than seeds explain or, if that is not known, half their neighbours."""
    if found.is_changed is None:
        is_changed, what = found.changed >= 0.5, "half of their neighbours or more"
    else:
        is_changed, what = found.is_changed, "their neighbours more than another seed does"
    rows = found.rows[is_changed]
    n = len(rows)
    what = what.replace("their", "its") if n == 1 else what
    said = f"{spaced(n, 'cell')} {'has' if n == 1 else 'have'} changed {what}"
    return [Finding(said, np.sort(numbers[rows]), f'changed neighbours beside "{other}"')]
