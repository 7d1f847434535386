"""The tab that says what of a map not to believe."""

from collections.abc import Callable, Sequence
from functools import partial

from magicgui.widgets import CheckBox, ComboBox, Container, ProgressBar, PushButton
from magicgui.widgets.bases import Widget
from qtpy.compat import isalive
from qtpy.QtCore import QPoint, QTimer
from qtpy.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from latentmap.napari_plugin.panel.finding_list import FindingList
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.napari_plugin.qt.wrapped_label import paragraph
from latentmap.presenters.trust.changes import ChangesPresenter
from latentmap.presenters.trust.checking import CheckPresenter
from latentmap.presenters.trust.contacts import CLUSTERS, ContactPresenter
from latentmap.presenters.trust.lines import LinesPresenter
from latentmap.presenters.trust.places import PlacesPresenter
from latentmap.presenters.trust.stability import StabilityPresenter
from latentmap.presenters.trust.words import ABOUT, TRUST
from latentmap.presenters.trust.work import Work
from latentmap.session import ColourBy, Session

# How long Qt takes to lay out what was found, in milliseconds, and how far from the page's edge it is shown, in pixels.
_SETTLED, _MARGIN = 50, 6


class TrustTab(QWidget):
    """Draws what the presenters of `presenters.trust` decide."""

    def __init__(self, session: Session, tell: Callable[[str], None]) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        about = paragraph()
        about.value = ABOUT
        self.bar = WorkBar()
        self.work = Work(session, self.bar, main_thread(), tell)
        self.bar.cancel.changed.connect(self.work.cancel, max_args=0)
        self.checking, self.contacts = CheckSection(self.work), ContactSection(self.work)
        self.cell, self.changes = CellSection(self.work), ChangesSection(self.work)
        self.stability = StabilitySection(self.work)
        sections = (self.checking, self.contacts, self.cell, self.stability, self.changes)
        for widget in (about.native, *sections):
            layout.addWidget(widget)
        layout.addStretch()
        self._asked: QWidget = self.checking
        for section, button in (
            (self.checking, self.checking.check),
            (self.contacts, self.contacts.look),
            (self.cell, self.cell.ask),
            (self.stability, self.stability.make),
            (self.changes, self.changes.compare),
        ):
            button.changed.connect(partial(self._remember, section), max_args=0)
        self.work.ended.connect(self._show_found_soon)

    def _remember(self, section: QWidget) -> None:
        self._asked = section

    def _show_found_soon(self) -> None:
        QTimer.singleShot(_SETTLED, self._show_found)

    def _show_found(self) -> None:
        """Scroll to what was found, its beginning rather than its end."""
        area = self.parentWidget() if isalive(self) else None
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None and (page := area.widget()) is not None and self.isVisible():
            top = self._asked.mapTo(page, QPoint(0, 0))
            for down in (self._asked.height(), 0):
                area.ensureVisible(0, top.y() + down, 0, _MARGIN)

    def close_presenters(self) -> None:
        """Stop what is being looked for, and stop following the session."""
        self.work.close()
        self.checking.presenter.close()
        self.cell.lines.close()


class WorkBar(Container[Widget]):
    """What is being looked for, with its progress and Cancel; hidden while nothing is."""

    def __init__(self) -> None:
        self.said, self.bar = paragraph(), ProgressBar(max=1000)
        self.cancel = PushButton(text=TRUST["cancel"].label, tooltip=TRUST["cancel"].about)
        super().__init__(widgets=[self.said, in_row(self.bar, self.cancel)], labels=False, visible=False)
        self.margins = (0, 0, 0, 0)

    def show_work(self, sentence: str, share: float | None) -> None:
        """Show what is being done and which share is."""
        self.said.value = sentence
        # Without a maximum, Qt shows that something is going on.
        self.bar.native.setRange(0, 0 if share is None else 1000)
        self.bar.native.setValue(round(1000 * (share or 0)))
        self.native.setVisible(bool(sentence))


class CheckSection(QWidget):
    """Lost neighbours, and which cells are sure."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self.lost, self.said = paragraph(), paragraph()
        self.most_lost = FindingList(
            "Cells that lost most of their neighbours", lambda index: self.presenter.select_lost(index)
        )
        self.colour, self.check = (
            PushButton(text=TRUST[name].label, tooltip=TRUST[name].about) for name in ("colour", "check")
        )
        self.sure, self.doubtful = (PushButton(text="", tooltip="Click to select these cells.") for _ in range(2))
        self.hollow = CheckBox(text=TRUST["hollow"].label, tooltip=TRUST["hollow"].about)
        self._found = in_row(self.sure, self.doubtful)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (
            QLabel("<b>Lost neighbours</b>"),
            self.lost.native,
            self.most_lost,
            in_row(self.colour).native,
            QLabel("<b>Sure and doubtful cells</b>"),
            in_row(self.check).native,
            self._found.native,
            self.said.native,
            self.hollow.native,
        ):
            layout.addWidget(widget)
        self.presenter = CheckPresenter(work, self)
        self.colour.changed.connect(self.presenter.colour, max_args=0)
        self.check.changed.connect(self.presenter.check, max_args=0)
        self.sure.changed.connect(lambda: self.presenter.select(0), max_args=0)
        self.doubtful.changed.connect(lambda: self.presenter.select(1), max_args=0)
        self.hollow.changed.connect(self.presenter.draw_hollow)
        self.presenter.refresh()

    def show_lost(self, sentence: str, findings: Sequence[str], *, can_colour: bool) -> None:
        """Say how many neighbours the map has lost."""
        self.lost.value = sentence
        self.most_lost.show_findings(findings)
        self.colour.enabled = can_colour

    def show_check(self, numbers: Sequence[str], sentence: str, *, can_check: bool, can_hollow: bool) -> None:
        """Show the numbers of sure and doubtful cells, and what they mean."""
        for button, text in zip((self.sure, self.doubtful), numbers, strict=False):
            button.text = text
        self._found.native.setVisible(bool(numbers))
        self.said.value = sentence
        self.said.native.setVisible(bool(sentence))
        self.check.enabled, self.hollow.enabled = can_check, can_hollow

    def show_hollow(self, hollow: bool) -> None:
        """Show whether doubtful cells are drawn hollow."""
        self.hollow.value = hollow


class CellSection(QWidget):
    """A single cell: its true neighbours, and where else it could lie."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self.tick = CheckBox(text=TRUST["lines"].label, tooltip=TRUST["lines"].about)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.ask = PushButton(text=TRUST["places"].label, tooltip=TRUST["places"].about)
        self.field = CheckBox(text=TRUST["field"].label, tooltip=TRUST["field"].about)
        self.said = paragraph()
        self.found = FindingList("Places of the cell", lambda index: self.places.select(index))
        for widget in (
            QLabel("<b>A single cell</b>"),
            self.tick.native,
            in_row(self.ask).native,
            self.field.native,
            self.said.native,
            self.found,
        ):
            layout.addWidget(widget)
        self.lines, self.places = LinesPresenter(work, self), PlacesPresenter(work, self)
        self.tick.changed.connect(self.lines.draw)
        self.ask.changed.connect(self.places.ask, max_args=0)
        self.field.changed.connect(self.places.draw)
        self.lines.refresh()
        self.places.refresh()

    def show_places(self, sentence: str, findings: Sequence[str], *, can_ask: bool) -> None:
        """Show the places of the selected cell."""
        self.said.value = sentence
        self.said.native.setVisible(bool(sentence))
        self.found.show_findings(findings)
        self.ask.enabled = can_ask

    def show_field(self, on: bool, *, can_draw: bool) -> None:
        """Show whether the field is drawn."""
        self.field.value, self.field.enabled = on, can_draw

    def show_lines(self, on: bool) -> None:
        """Show whether lines are drawn."""
        self.tick.value = on


class StabilitySection(QWidget):
    """How much of each neighbourhood stays when the map is made again."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self.leave_out = CheckBox(value=True, text=TRUST["leave_out"].label, tooltip=TRUST["leave_out"].about)
        self.make, self.colour = (
            PushButton(text=TRUST[name].label, tooltip=TRUST[name].about) for name in ("stability", "colour_stability")
        )
        self.said = paragraph()
        self.found = FindingList("Unstable cells", lambda index: self.presenter.select(index))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (
            QLabel("<b>Stable neighbourhoods</b>"),
            self.leave_out.native,
            in_row(self.make, self.colour).native,
            self.said.native,
            self.found,
        ):
            layout.addWidget(widget)
        self.presenter = StabilityPresenter(work, self)
        self.make.changed.connect(lambda: self.presenter.make(self.leave_out.value), max_args=0)
        self.colour.changed.connect(self.presenter.colour, max_args=0)
        self.presenter.refresh()

    def show_stability(self, sentence: str, findings: Sequence[str], *, can_make: bool, can_colour: bool) -> None:
        """Show how stable the neighbourhoods are."""
        self.said.value = sentence
        self.said.native.setVisible(bool(sentence))
        self.found.show_findings(findings)
        self.make.enabled = self.leave_out.enabled = can_make
        self.colour.enabled = can_colour


class ChangesSection(QWidget):
    """The current map beside another one."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self._choices: list[tuple[str, int]] = []
        self.other = ComboBox(choices=lambda _: self._choices, nullable=True, tooltip=TRUST["other"].about)
        self.seeds = CheckBox(text=TRUST["seeds"].label, tooltip=TRUST["seeds"].about)
        self.compare = PushButton(text=TRUST["compare"].label, tooltip=TRUST["compare"].about)
        self.said = paragraph()
        self.found = FindingList("Changed cells", lambda index: self.presenter.select(index))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (
            QLabel("<b>Compared with another map</b>"),
            label_row(TRUST["other"].label, self.other).native,
            self.seeds.native,
            in_row(self.compare).native,
            self.said.native,
            self.found,
        ):
            layout.addWidget(widget)
        self.presenter = ChangesPresenter(work, self)
        self.other.changed.connect(self._choose)
        self.compare.changed.connect(lambda: self.presenter.compare(self.seeds.value), max_args=0)
        self.presenter.refresh()

    def offer_maps(self, names: Sequence[str], chosen: int) -> None:
        """Offer these maps."""
        self._choices = [(name, index) for index, name in enumerate(names)]
        self.other.reset_choices()
        self.other.value = chosen if chosen >= 0 else None

    def show_changes(self, sentence: str, findings: Sequence[str], *, can_compare: bool) -> None:
        """Show what differs."""
        self.said.value = sentence
        self.said.native.setVisible(bool(sentence))
        self.found.show_findings(findings)
        self.compare.enabled = self.seeds.enabled = can_compare

    def _choose(self, index: int | None) -> None:
        if index is not None:
            self.presenter.choose(index)


class ContactSection(QWidget):
    """Groups that the map tears apart or falsely joins."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self._choices = [(CLUSTERS.name, CLUSTERS)]
        self.groups = ComboBox(choices=lambda _: self._choices, tooltip=TRUST["groups"].about)
        self.look = PushButton(text=TRUST["contacts"].label, tooltip=TRUST["contacts"].about)
        self.said = paragraph()
        self.found = FindingList("Torn and joined groups", lambda index: self.presenter.select(index))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (
            QLabel("<b>Torn and falsely joined groups</b>"),
            label_row(TRUST["groups"].label, self.groups).native,
            in_row(self.look).native,
            self.said.native,
            self.found,
        ):
            layout.addWidget(widget)
        self.presenter = ContactPresenter(work, self)
        self.groups.changed.connect(self.presenter.choose)
        self.look.changed.connect(self.presenter.look, max_args=0)
        self.presenter.refresh()

    def offer_groups(self, choices: Sequence[tuple[str, ColourBy]], chosen: ColourBy) -> None:
        """Offer these groups, and show which are chosen."""
        self._choices = list(choices)
        self.groups.reset_choices()
        self.groups.value = chosen

    def show_contacts(self, sentence: str, findings: Sequence[str], *, can_look: bool) -> None:
        """Show what was found between the groups."""
        self.said.value = sentence
        self.said.native.setVisible(bool(sentence))
        self.found.show_findings(findings)
        self.look.enabled = can_look
