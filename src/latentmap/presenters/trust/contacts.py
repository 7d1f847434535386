"""Which groups the current map tears apart, or falsely joins."""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

import numpy as np

from latentmap.presenters.counts import CLASS
from latentmap.presenters.trust.words import no_map_sentence
from latentmap.presenters.trust.work import Finding, Work
from latentmap.quality import GroupContacts
from latentmap.session import ColourBy, Result, Run
from latentmap.session.counting import group_choices, groups_of
from latentmap.session.trust import iter_contacts, keep
from latentmap.session.wording import counted
from latentmap.table.key_parts import n_distinct

CLUSTERS = ColourBy("class", "clusters of the map")
"""Stands for clusters of the map among the groups."""

_TITLES = {"layer": "image (layer)", "frame": "frame", "class": "classes"}
_MOST_SHOWN = 30


class ContactView(Protocol):
    """A list of groups, a button, a sentence, and a list of sentences to be clicked."""

    def offer_groups(self, choices: Sequence[tuple[str, ColourBy]], chosen: ColourBy) -> None:
        """Offer these groups, and show which are chosen."""

    def show_contacts(self, sentence: str, findings: Sequence[str], *, can_look: bool) -> None:
        """Show what was found between the groups; each finding can be clicked."""


class ContactPresenter:
    """Looks between groups on request; what was found is forgotten as soon as map or groups change.

    Parameters
    ----------
    work : Work
    view : ContactView
    """

    def __init__(self, work: Work, view: ContactView) -> None:
        self._work, self._session, self._view = work, work.session, view
        self._chosen: ColourBy | None = None
        self._offered: list[tuple[str, ColourBy]] = []
        self._is_showing = False
        self._seen: Result | None = None
        self._findings: list[Finding] = []
        self._session.runs.changed.connect(self.refresh)
        self._session.runs.started.connect(self._view_no_map, max_args=0)
        self._session.runs.ended.connect(self._view_no_map, max_args=0)
        self._session.classes.changed.connect(self._classes_changed)

    @property
    def groups(self) -> ColourBy:
        """The groups that are looked between: the user's choice, else classes, else clusters of the map."""
        there = [by for _, by in self._offered]
        if self._chosen in there and self._chosen is not None:
            return self._chosen
        return CLASS if self._n_classes() > 1 else CLUSTERS

    def refresh(self) -> None:
        """Offer the groups of the current map, and forget what was found on another."""
        result = self._result()
        if result is None:
            self._offered = []
            self._forget(no_map_sentence(self._session.runs.running))
            return
        features = result.cells.features
        offered = [(_TITLES.get(one.kind, one.name), one) for one in group_choices(features)]
        if self._n_classes() == 0:
            offered = [pair for pair in offered if pair[1] != CLASS]
        if n_distinct(features.index, "layer") == 1:
            offered = [pair for pair in offered if pair[1].kind != "layer"]
        self._offered = [(CLUSTERS.name, CLUSTERS), *offered]
        self._is_showing = True
        try:
            self._view.offer_groups(self._offered, self.groups)
        finally:
            self._is_showing = False
        if self._seen is None or self._seen.embedding is not result.embedding:
            self._forget("")

    def choose(self, groups: ColourBy) -> None:
        """Look between these groups; ignored while they are being offered."""
        if not self._is_showing and groups != self.groups:
            self._chosen = groups
            self._forget("")

    def look(self) -> None:
        """Look for torn and joined groups in a thread."""
        run, by = self._session.runs.current, self.groups
        if run is None or run.result is None or run.numbers is None:
            return
        names = None
        if by != CLUSTERS:
            codes, groups = groups_of(by, run.result.cells.features, self._session.classes, run.numbers)
            names = np.array([*groups, ""], dtype=object)[codes]
        steps = iter_contacts(run.result, names, self._session.dropped.is_dropped(run.numbers))
        self._work.start("Looking for torn and joined groups", steps, partial(self._found, run, by))

    def select(self, index: int) -> None:
        """Select the cells of a finding."""
        if index < len(self._findings):
            self._work.select(self._findings[index])

    def _found(self, run: Run, by: ColourBy, value: tuple[Result, GroupContacts]) -> None:
        result, contacts = value
        if not keep(self._session.runs, run, result, result) or run is not self._session.runs.current:
            return
        if run.numbers is None or by != self.groups:
            return
        self._seen = result
        self._findings = contact_findings(contacts, run.numbers)
        self._work.tell(f"Torn and joined groups: {contact_count(contacts)}.")
        shown = self._findings[:_MOST_SHOWN]
        self._view.show_contacts(
            contact_sentence(contacts, by), [one.text for one in shown], can_look=self._result() is not None
        )

    def _classes_changed(self) -> None:
        if self.groups == CLASS or self._n_classes() < 2:
            self._seen = None
        self.refresh()

    def _forget(self, sentence: str) -> None:
        self._seen, self._findings = None, []
        self._view.show_contacts(sentence, [], can_look=self._result() is not None)

    def _n_classes(self) -> int:
        run = self._session.runs.current
        if run is None or run.numbers is None:
            return 0
        of_cell = self._session.classes.indices_of(run.numbers)
        return int(np.count_nonzero(np.bincount(of_cell[of_cell >= 0])))

    def _view_no_map(self) -> None:
        """Say whether the first map is under way."""
        if self._session.runs.current is None:
            self.refresh()

    def _result(self) -> Result | None:
        run = self._session.runs.current
        return None if run is None else run.result


def contact_findings(contacts: GroupContacts, numbers: np.ndarray) -> list[Finding]:
    """Return what was found between groups as sentences, the surest first, with the cells concerned."""
    pairs = contacts.pairs
    # In the order of the sentences.
    found = pairs[pairs["verdict"] != ""].sort_values("p_value", kind="stable").index
    return [
        Finding(sentence, np.sort(numbers[contacts.cells[pair]]), _how(pairs.loc[pair]))
        for pair, sentence in zip(found, contacts.sentences, strict=True)
    ]


def contact_sentence(contacts: GroupContacts, by: ColourBy) -> str:
    """Say what was looked at, and how sure the findings are."""
    n, n_found = _n_groups(contacts), _n_found(contacts)
    if not len(contacts.pairs):
        return "There is only one group, and it is in one piece: nothing to compare."
    if not n_found:
        return (
            f"Nothing is found torn or falsely joined among {counted(n, 'group')}. Groups count as such where at least "
            "four times as many of their cells touch in the data as on the map, or the other way round."
        )
    if by == CLUSTERS:
        doubt = (
            "Clusters are drawn around gaps of this very map, so that no error rate can be given for them: read these "
            "sentences as gaps that the data do not show"
        )
    else:
        doubt = f"at most {contacts.false_rate:.0%} of such findings are expected by chance"
        if by == CLASS:
            doubt += ", if the classes were not drawn on this very map or found as its clusters"
    more = f" The first {_MOST_SHOWN} are listed." if n_found > _MOST_SHOWN else ""
    return f"{contact_count(contacts)}. {doubt[0].upper()}{doubt[1:]}.{more} Click one to select the cells concerned."


def contact_count(contacts: GroupContacts) -> str:
    """Say how much was found, among how many groups."""
    return f"{counted(_n_found(contacts), 'finding')} among {counted(_n_groups(contacts), 'group')}"


def _n_groups(contacts: GroupContacts) -> int:
    return len(set(contacts.pairs["a"]) | set(contacts.pairs["b"]))


def _n_found(contacts: GroupContacts) -> int:
    return int((contacts.pairs["verdict"] != "").sum())


def _how(pair: object) -> str:
    a, b, verdict = (getattr(pair, name) for name in ("a", "b", "verdict"))
    if verdict == "split":
        return f'cells where "{a}" is split on the map'
    return f'cells where "{a}" and "{b}" are {verdict} on the map'
