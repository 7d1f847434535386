"""How much of each neighbourhood on the current map stays when the map is made again."""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

import numpy as np

from latentmap.presenters.trust.work import Finding, Work
from latentmap.session import STABILITY, MapStability, Result, Run, Session
from latentmap.session.true_neighbors import N_TRUE
from latentmap.session.trust import iter_stability, keep, why_not_again
from latentmap.session.wording import spaced

# A cell that keeps fewer of its neighbours than this share is named.
_HALF = 0.5


class StabilityView(Protocol):
    """A tick, two buttons, a sentence, and a list of sentences to be clicked."""

    def show_stability(self, sentence: str, findings: Sequence[str], *, can_make: bool, can_colour: bool) -> None:
        """Show how stable the neighbourhoods are; each finding can be clicked."""


class StabilityPresenter:
    """Makes maps with other seeds on request, and keeps with the current map what they say of it.

    Parameters
    ----------
    work : Work
    view : StabilityView
    """

    def __init__(self, work: Work, view: StabilityView) -> None:
        self._work, self._session, self._view = work, work.session, view
        self._findings: list[Finding] = []
        self._session.runs.changed.connect(self.refresh)
        self._session.runs.checked.connect(self.refresh, max_args=0)
        self._session.dropped.changed.connect(self.refresh, max_args=0)

    def refresh(self) -> None:
        """Show what is known of the current map."""
        run = self._session.runs.current
        result = None if run is None else run.result
        known = None if result is None else result.stability
        self._findings = [] if run is None else stability_findings(self._session, run)
        self._view.show_stability(
            "" if run is None or known is None else stability_sentence(known, self._there(run)),
            [one.text for one in self._findings],
            can_make=result is not None and not why_not_again(result),
            can_colour=known is not None,
        )

    def _there(self, run: Run) -> np.ndarray | None:
        return None if run.numbers is None else ~self._session.dropped.is_dropped(run.numbers)

    def make(self, leaves_out: bool) -> None:
        """Make the maps in a thread, with all cells or each without a fifth of them."""
        run = self._session.runs.current
        if run is not None and run.result is not None:
            steps = iter_stability(run.result, leaves_out)
            self._work.start("Making maps with other seeds", steps, partial(self._found, run, run.result))

    def colour(self) -> None:
        """Colour the maps by stability."""
        run = self._session.runs.current
        if run is not None and run.result is not None and run.result.stability is not None:
            self._session.display_settings.colour_by = STABILITY

    def select(self, index: int) -> None:
        """Select the cells of a finding."""
        if index < len(self._findings):
            self._work.select(self._findings[index])

    def _found(self, run: Run, before: Result, found: Result) -> None:
        if not keep(self._session.runs, run, before, found) or found.stability is None:
            return
        stable, unstable = (len(one.numbers) for one in stability_findings(self._session, run))
        self._work.tell(
            f"{found.stability.n_maps} maps made: {spaced(stable, 'cell')} stable, {spaced(unstable)} unstable."
        )


def stability_sentence(stability: MapStability, there: np.ndarray | None = None) -> str:
    """Say how much stays of the cells that are still there, what was counted, and what it does not mean."""
    n = stability.n_maps
    kept = stability.kept if there is None or not there.any() else stability.kept[there]
    left_out = f", each without another {_PARTS.get(n, f'{n}th')} of the cells" if stability.leaves_out else ""
    return (
        f"Of a cell's {N_TRUE} nearest neighbours on one map, {kept.mean():.0%} are among its nearest on another: the "
        f"mean over all pairs of {n} maps with other seeds{left_out}. What stays can be reproduced; it need not be "
        "right."
    )


_PARTS = {3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 8: "eighth", 10: "tenth"}


_KINDS = ("stable", "unstable")


def stability_findings(session: Session, run: Run) -> list[Finding]:
    """Return the stable cells and the unstable ones of a map, without those dropped; empty if that is not known."""
    if run.result is None or run.result.stability is None or run.numbers is None:
        return []
    is_kept, there = run.result.stability.kept >= _HALF, ~session.dropped.is_dropped(run.numbers)
    findings = []
    for kind, is_so, how_many in zip(_KINDS, (is_kept, ~is_kept), ("half or more", "less than half"), strict=True):
        numbers = np.sort(run.numbers[is_so & there])
        is_kind, keeps = (f"is {kind}", "it keeps") if len(numbers) == 1 else (f"are {kind}", "they keep")
        its = "its" if len(numbers) == 1 else "their"
        text = f"{spaced(len(numbers), 'cell')} {is_kind}: {keeps} {how_many} of {its} neighbours"
        findings.append(Finding(text, numbers, f'{kind} cells of "{run.name}"'))
    return findings
