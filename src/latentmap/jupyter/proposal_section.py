"""The part of the panel that proposes k, s, l or d."""

from collections.abc import Callable, Sequence

from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled, paragraph
from latentmap.jupyter.into_view import IntoView
from latentmap.jupyter.trust_tab import FindingButtons, WorkBar
from latentmap.presenters.trust.proposing import ABOUT, TITLE, ProposalPresenter
from latentmap.presenters.trust.words import TRUST
from latentmap.presenters.trust.work import Work
from latentmap.session import Schedule, Session
from latentmap.table import CellTable


class ProposalSection(w.Accordion):
    """Draws what `ProposalPresenter` decides; folded away at first."""

    def __init__(
        self,
        session: Session,
        cells: Callable[[], CellTable | None],
        schedule: Schedule,
        tell: Callable[[str], None],
    ) -> None:
        self.name = w.Dropdown(
            options=[], tooltip=TRUST["parameter"].about, layout=w.look(flex="1 1 0", width="auto", min_width="0")
        )
        self.button = w.Button(
            description=TRUST["propose"].label, tooltip=TRUST["propose"].about, layout=w.look(width="auto")
        )
        self.bar, self.said = WorkBar(), w.HTML()
        self.found = FindingButtons(lambda index: self.presenter.take(index))
        row = labelled(TRUST["parameter"].label, self.name, TRUST["parameter"].about)
        end = IntoView()
        inside = w.VBox([w.HTML(paragraph(ABOUT)), row, self.button, self.bar, self.said, self.found, end])
        super().__init__([inside], titles=(TITLE,))
        self.work = Work(session, self.bar, schedule, tell)
        self.work.ended.connect(end.show)
        self.bar.cancel.on_click(lambda _: self.work.cancel())
        self.presenter = ProposalPresenter(self.work, self, cells)
        self.name.observe(lambda change: self.presenter.choose(change.new or ""), "value")
        self.button.on_click(lambda _: self.presenter.propose())
        self.presenter.refresh()

    def close(self) -> None:
        """Stop what is under way, and stop following the parameters."""
        self.work.close()
        self.presenter.close()
        super().close()

    def offer_parameters(self, names: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer these parameters, each with its letter."""
        self.name.options = tuple(names)
        self.name.value = chosen or None

    def show_proposal(self, sentence: str, candidates: Sequence[str], *, can_propose: bool) -> None:
        """Show the scores of the candidates."""
        self.said.value = paragraph(sentence) if sentence else ""
        self.found.show_findings(candidates)
        self.button.disabled = not can_propose
