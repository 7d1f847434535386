"""The part of the panel that proposes k, s, l or d."""

from collections.abc import Callable, Sequence

from magicgui.widgets import ComboBox, Container, PushButton
from magicgui.widgets.bases import Widget

from latentmap.napari_plugin.panel.finding_list import FindingList
from latentmap.napari_plugin.panel.trust_tab import WorkBar
from latentmap.napari_plugin.qt.collapsible import Collapsible
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.napari_plugin.qt.wrapped_label import paragraph
from latentmap.presenters.trust.proposing import ABOUT, TITLE, ProposalPresenter
from latentmap.presenters.trust.words import TRUST
from latentmap.presenters.trust.work import Work
from latentmap.session import Session
from latentmap.table import CellTable


class ProposalSection(Collapsible):
    """Draws what `ProposalPresenter` decides; collapsed at first.

    Parameters
    ----------
    session : Session
    cells : callable
        Returns the cells that maps are made of now, or None.
    tell : callable
        Shows a sentence to the user.
    """

    def __init__(self, session: Session, cells: Callable[[], CellTable | None], tell: Callable[[str], None]) -> None:
        self._choices: list[tuple[str, str]] = []
        self.name = ComboBox(choices=lambda _: self._choices, nullable=True, tooltip=TRUST["parameter"].about)
        self.button = PushButton(text=TRUST["propose"].label, tooltip=TRUST["propose"].about)
        self.said, about, self.bar = paragraph(), paragraph(), WorkBar()
        about.value = ABOUT
        self.found = FindingList("Candidates", lambda index: self.presenter.take(index))
        inside: Container[Widget] = Container(
            widgets=[
                about,
                label_row(TRUST["parameter"].label, self.name),
                in_row(self.button),
                self.bar,
                self.said,
            ],
            labels=False,
        )
        inside.margins = (0, 0, 0, 0)
        super().__init__(TITLE, inside)
        self.addWidget(self.found)
        self.work = Work(session, self.bar, main_thread(), tell)
        self.bar.cancel.changed.connect(self.work.cancel, max_args=0)
        self.presenter = ProposalPresenter(self.work, self, cells)
        self.name.changed.connect(lambda name: self.presenter.choose(name or ""))
        self.button.changed.connect(self.presenter.propose, max_args=0)
        self.presenter.refresh()

    def close_presenter(self) -> None:
        """Stop what is under way, and stop following the parameters."""
        self.work.close()
        self.presenter.close()

    def offer_parameters(self, names: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer these parameters, each with its letter."""
        self._choices = list(names)
        self.name.reset_choices()
        self.name.value = chosen or None

    def show_proposal(self, sentence: str, candidates: Sequence[str], *, can_propose: bool) -> None:
        """Show the scores of the candidates."""
        self.said.value = sentence
        self.said.native.setVisible(bool(sentence))
        self.found.show_findings(candidates)
        self.button.enabled = can_propose
