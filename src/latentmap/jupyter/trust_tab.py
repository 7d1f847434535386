"""The tab that says what of a map not to believe."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import Any

from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled, paragraph
from latentmap.jupyter.into_view import IntoView
from latentmap.presenters.trust.changes import ChangesPresenter
from latentmap.presenters.trust.checking import CheckPresenter
from latentmap.presenters.trust.contacts import CLUSTERS, ContactPresenter
from latentmap.presenters.trust.lines import LinesPresenter
from latentmap.presenters.trust.places import PlacesPresenter
from latentmap.presenters.trust.stability import StabilityPresenter
from latentmap.presenters.trust.words import ABOUT, TRUST
from latentmap.presenters.trust.work import Work
from latentmap.session import ColourBy, Schedule, Session

_WIDE = {"flex": "1 1 0", "width": "auto", "min_width": "0"}


class TrustTab(w.VBox):
    """Draws what the presenters of `presenters.trust` decide."""

    def __init__(self, session: Session, schedule: Schedule, tell: Callable[[str], None]) -> None:
        self.bar = WorkBar()
        self.work = Work(session, self.bar, schedule, tell)
        self.bar.cancel.on_click(lambda _: self.work.cancel())
        self.checking, self.contacts = CheckSection(self.work), ContactSection(self.work)
        self.cell, self.changes = CellSection(self.work), ChangesSection(self.work)
        self.stability = StabilitySection(self.work)
        asked: dict[w.VBox, w.Button] = {
            self.checking: self.checking.check,
            self.contacts: self.contacts.look,
            self.cell: self.cell.ask,
            self.stability: self.stability.make,
            self.changes: self.changes.compare,
        }
        self._asked: IntoView | None = None
        for section, button in asked.items():
            end = IntoView()
            section.children = (*section.children, end)
            button.on_click(partial(self._remember, end))
        self.work.ended.connect(self._show_found)
        super().__init__([w.HTML(paragraph(ABOUT)), *asked, self.bar])

    def _remember(self, end: IntoView, _: w.Button) -> None:
        self._asked = end

    def _show_found(self) -> None:
        if self._asked is not None:
            self._asked.show()

    def close(self) -> None:
        """Stop what is being looked for, and stop following the session."""
        self.work.close()
        self.checking.presenter.close()
        self.cell.lines.close()
        super().close()


class WorkBar(w.VBox):
    """What is being looked for, with its progress and Cancel; hidden while nothing is."""

    def __init__(self) -> None:
        self.said, self.bar = w.HTML(), w.FloatProgress(0, min=0, max=1, layout=w.look(**_WIDE))
        self.cancel = w.Button(
            description=TRUST["cancel"].label, tooltip=TRUST["cancel"].about, layout=w.look(width="auto")
        )
        super().__init__([self.said, w.HBox([self.bar, self.cancel])], layout=w.look(display="none"))
        self.add_class("latentmap-work")

    def show_work(self, sentence: str, share: float | None) -> None:
        """Show what is being done and which share is."""
        self.said.value, self.bar.value = escape(sentence), share or 0.0
        w.set_visible(self, sentence)


class FindingButtons(w.VBox):
    """Sentences that can be clicked.

    Parameters
    ----------
    picked : callable
        Takes the index of the sentence.
    """

    def __init__(self, picked: Callable[[int], None]) -> None:
        self._picked = picked
        super().__init__(layout=w.look(max_height="320px", overflow="auto"))
        self.add_class("latentmap-findings")

    def show_findings(self, findings: Sequence[str]) -> None:
        """Show these sentences, and no others."""
        before = self.children
        self.children = [self._button(index, text) for index, text in enumerate(findings)]
        for button in before:
            button.close()

    def _button(self, index: int, text: str) -> w.Button:
        button = w.Button(
            description=text,
            tooltip="Click to select these cells.",
            layout=w.look(width="auto", height="auto", min_height="28px", flex="0 0 auto"),
        )
        button.on_click(lambda _: self._picked(index))
        return button


class CheckSection(w.VBox):
    """Lost neighbours, and which cells are sure."""

    def __init__(self, work: Work) -> None:
        self.lost, self.said = w.HTML(), w.HTML()
        self.most_lost = FindingButtons(lambda index: self.presenter.select_lost(index))
        self.colour, self.check = (
            w.Button(description=TRUST[name].label, tooltip=TRUST[name].about, layout=w.look(width="auto"))
            for name in ("colour", "check")
        )
        self.sure, self.doubtful = (
            w.Button(tooltip="Click to select these cells.", layout=w.look(**_WIDE)) for _ in range(2)
        )
        self.hollow = w.Checkbox(
            description=TRUST["hollow"].label,
            tooltip=TRUST["hollow"].about,
            indent=False,
            layout=w.look(width="auto"),
        )
        self._found = w.HBox([self.sure, self.doubtful])
        super().__init__(
            [
                w.HTML("<b>Lost neighbours</b>"),
                self.lost,
                self.most_lost,
                self.colour,
                w.HTML("<b>Sure and doubtful cells</b>"),
                self.check,
                self._found,
                self.said,
                self.hollow,
            ]
        )
        self.presenter = CheckPresenter(work, self)
        self.colour.on_click(lambda _: self.presenter.colour())
        self.check.on_click(lambda _: self.presenter.check())
        self.sure.on_click(lambda _: self.presenter.select(0))
        self.doubtful.on_click(lambda _: self.presenter.select(1))
        self.hollow.observe(lambda change: self.presenter.draw_hollow(change.new), "value")
        self.presenter.refresh()

    def show_lost(self, sentence: str, findings: Sequence[str], *, can_colour: bool) -> None:
        """Say how many neighbours the map has lost."""
        self.lost.value = paragraph(sentence)
        self.most_lost.show_findings(findings)
        self.colour.disabled = not can_colour

    def show_check(self, numbers: Sequence[str], sentence: str, *, can_check: bool, can_hollow: bool) -> None:
        """Show the numbers of sure and doubtful cells, and what they mean."""
        for button, text in zip((self.sure, self.doubtful), numbers, strict=False):
            button.description = text
        w.set_visible(self._found, numbers)
        self.said.value = paragraph(sentence) if sentence else ""
        self.check.disabled, self.hollow.disabled = not can_check, not can_hollow

    def show_hollow(self, hollow: bool) -> None:
        """Show whether doubtful cells are drawn hollow."""
        self.hollow.value = hollow


class CellSection(w.VBox):
    """A single cell: its true neighbours, and where else it could lie."""

    def __init__(self, work: Work) -> None:
        self.tick = w.Checkbox(
            description=TRUST["lines"].label,
            tooltip=TRUST["lines"].about,
            indent=False,
            layout=w.look(width="auto"),
        )
        self.ask = w.Button(
            description=TRUST["places"].label, tooltip=TRUST["places"].about, layout=w.look(width="auto")
        )
        self.field = w.Checkbox(
            description=TRUST["field"].label,
            tooltip=TRUST["field"].about,
            indent=False,
            layout=w.look(width="auto"),
        )
        self.said, self.found = w.HTML(), FindingButtons(lambda index: self.places.select(index))
        super().__init__([w.HTML("<b>A single cell</b>"), self.tick, self.ask, self.field, self.said, self.found])
        self.lines, self.places = LinesPresenter(work, self), PlacesPresenter(work, self)
        self.tick.observe(lambda change: self.lines.draw(change.new), "value")
        self.ask.on_click(lambda _: self.places.ask())
        self.field.observe(lambda change: self.places.draw(change.new), "value")
        self.lines.refresh()
        self.places.refresh()

    def show_places(self, sentence: str, findings: Sequence[str], *, can_ask: bool) -> None:
        """Show the places of the selected cell."""
        self.said.value = paragraph(sentence) if sentence else ""
        self.found.show_findings(findings)
        self.ask.disabled = not can_ask

    def show_field(self, on: bool, *, can_draw: bool) -> None:
        """Show whether the field is drawn."""
        self.field.value, self.field.disabled = on, not can_draw

    def show_lines(self, on: bool) -> None:
        """Show whether lines are drawn."""
        self.tick.value = on


class StabilitySection(w.VBox):
    """How much of each neighbourhood stays when the map is made again."""

    def __init__(self, work: Work) -> None:
        self.leave_out = w.Checkbox(
            True,
            description=TRUST["leave_out"].label,
            tooltip=TRUST["leave_out"].about,
            indent=False,
            layout=w.look(width="auto"),
        )
        self.make, self.colour = (
            w.Button(description=TRUST[name].label, tooltip=TRUST[name].about, layout=w.look(width="auto"))
            for name in ("stability", "colour_stability")
        )
        self.said, self.found = w.HTML(), FindingButtons(lambda index: self.presenter.select(index))
        super().__init__(
            [
                w.HTML("<b>Stable neighbourhoods</b>"),
                self.leave_out,
                w.HBox([self.make, self.colour], layout=w.look(flex_flow="row wrap")),
                self.said,
                self.found,
            ]
        )
        self.presenter = StabilityPresenter(work, self)
        self.make.on_click(lambda _: self.presenter.make(self.leave_out.value))
        self.colour.on_click(lambda _: self.presenter.colour())
        self.presenter.refresh()

    def show_stability(self, sentence: str, findings: Sequence[str], *, can_make: bool, can_colour: bool) -> None:
        """Show how stable the neighbourhoods are."""
        self.said.value = paragraph(sentence) if sentence else ""
        self.found.show_findings(findings)
        self.make.disabled = self.leave_out.disabled = not can_make
        self.colour.disabled = not can_colour


class ChangesSection(w.VBox):
    """The current map beside another one."""

    def __init__(self, work: Work) -> None:
        self.other = w.Dropdown(options=[], tooltip=TRUST["other"].about, layout=w.look(**_WIDE))
        self.seeds = w.Checkbox(
            description=TRUST["seeds"].label,
            tooltip=TRUST["seeds"].about,
            indent=False,
            layout=w.look(width="auto"),
        )
        self.compare = w.Button(
            description=TRUST["compare"].label, tooltip=TRUST["compare"].about, layout=w.look(width="auto")
        )
        self.said, self.found = w.HTML(), FindingButtons(lambda index: self.presenter.select(index))
        super().__init__(
            [
                w.HTML("<b>Compared with another map</b>"),
                labelled(TRUST["other"].label, self.other, TRUST["other"].about),
                self.seeds,
                self.compare,
                self.said,
                self.found,
            ]
        )
        self.presenter = ChangesPresenter(work, self)
        self.other.observe(self._choose, "value")
        self.compare.on_click(lambda _: self.presenter.compare(self.seeds.value))
        self.presenter.refresh()

    def offer_maps(self, names: Sequence[str], chosen: int) -> None:
        """Offer these maps."""
        self.other.options = tuple((name, index) for index, name in enumerate(names))
        self.other.value = chosen if chosen >= 0 else None

    def show_changes(self, sentence: str, findings: Sequence[str], *, can_compare: bool) -> None:
        """Show what differs."""
        self.said.value = paragraph(sentence) if sentence else ""
        self.found.show_findings(findings)
        self.compare.disabled = self.seeds.disabled = not can_compare

    def _choose(self, change: Any) -> None:
        if change.new is not None:
            self.presenter.choose(change.new)


class ContactSection(w.VBox):
    """Groups that the map tears apart or falsely joins."""

    def __init__(self, work: Work) -> None:
        self.groups = w.Dropdown(
            options=[(CLUSTERS.name, CLUSTERS)], tooltip=TRUST["groups"].about, layout=w.look(**_WIDE)
        )
        self.look = w.Button(
            description=TRUST["contacts"].label, tooltip=TRUST["contacts"].about, layout=w.look(width="auto")
        )
        self.said = w.HTML()
        self.found = FindingButtons(lambda index: self.presenter.select(index))
        super().__init__(
            [
                w.HTML("<b>Torn and falsely joined groups</b>"),
                labelled(TRUST["groups"].label, self.groups, TRUST["groups"].about),
                self.look,
                self.said,
                self.found,
            ]
        )
        self.presenter = ContactPresenter(work, self)
        self.groups.observe(self._choose, "value")
        self.look.on_click(lambda _: self.presenter.look())
        self.presenter.refresh()

    def offer_groups(self, choices: Sequence[tuple[str, ColourBy]], chosen: ColourBy) -> None:
        """Offer these groups, and show which are chosen."""
        if self.groups.options != tuple(choices):
            self.groups.options = tuple(choices)
        self.groups.value = chosen

    def show_contacts(self, sentence: str, findings: Sequence[str], *, can_look: bool) -> None:
        """Show what was found between the groups."""
        self.said.value = paragraph(sentence) if sentence else ""
        self.found.show_findings(findings)
        self.look.disabled = not can_look

    def _choose(self, change: Any) -> None:
        if change.new is not None:
            self.presenter.choose(change.new)
