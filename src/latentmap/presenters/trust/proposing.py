"""Proposing k, s, l or d, with the score of each candidate."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from latentmap.presenters.trust.work import Work
from latentmap.session.proposing import Proposal, iter_proposal, proposable
from latentmap.session.wording import counted
from latentmap.table import CellTable

LETTERS = {"n_neighbors": "k", "n_steps": "s", "n_levels": "l", "n_components": "d"}
"""The letters of the parameters that can be proposed."""

TITLE = "Propose k, s, l or d"
"""The title of this part of the panel."""

ABOUT = (
    "Some cells are held out, maps are made of the others, and the cells held out are placed on them. The score "
    "(in nats; higher is better) says how much more than a guess a map tells about their true neighbours. It rules out "
    "bad values; it does not tune, and ignores classes."
)
"""What it is, in words."""

_BARS = 10


class ProposalView(Protocol):
    """A list of parameters, a button, a sentence, and a list of candidates to be clicked."""

    def offer_parameters(self, names: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer these parameters, each with its letter."""

    def show_proposal(self, sentence: str, candidates: Sequence[str], *, can_propose: bool) -> None:
        """Show the scores of the candidates; a click takes one over."""


class ProposalPresenter:
    """Scores candidates on request; changing method, features or cells makes it forget.

    Parameters
    ----------
    work : Work
    view : ProposalView
    cells : callable
        Returns the cells that maps are made of now, or None.
    """

    def __init__(self, work: Work, view: ProposalView, cells: Callable[[], CellTable | None]) -> None:
        self._work, self._session, self._view, self._cells = work, work.session, view, cells
        self._name, self._is_showing = "n_neighbors", False
        self._values: list[Any] = []
        self._session.parameters.events.method.connect(self.refresh, max_args=0)
        self._session.parameters.events.features.connect(self.refresh, max_args=0)

    def close(self) -> None:
        """Stop following the parameters."""
        self._session.parameters.events.method.disconnect(self.refresh)
        self._session.parameters.events.features.disconnect(self.refresh)
        self._cells = lambda: None

    def refresh(self) -> None:
        """Offer the parameters of the method, and forget what was found."""
        names = proposable(self._session.parameters)
        if names and self._name not in names:
            self._name = names[0]
        self._is_showing = True
        try:
            self._view.offer_parameters([(LETTERS[name], name) for name in names], self._name if names else "")
        finally:
            self._is_showing = False
        self._values = []
        why = "" if names else "This method cannot place cells that were held out, so that nothing can be proposed."
        self._view.show_proposal(why, [], can_propose=bool(names))

    def choose(self, name: str) -> None:
        """Propose this parameter from now on; ignored while they are being offered."""
        if not self._is_showing and name and name != self._name:
            self._name = name
            self.refresh()

    def propose(self) -> None:
        """Score the candidates in a thread."""
        cells = self._cells()
        if cells is None:
            self._work.tell("Open the cells first.")
            return
        try:
            cells = self._session.dropped.without(cells)
        except ValueError as error:
            self._work.tell(str(error))
            return
        parameters = replace(self._session.parameters)
        self._work.start("Comparing candidates", iter_proposal(cells, parameters, self._name), self._found)

    def take(self, index: int) -> None:
        """Take over the value of a candidate."""
        if index < len(self._values):
            setattr(self._session.parameters, self._name, self._values[index])
            self._work.tell(f"{LETTERS[self._name]} is {self._values[index]} now: press Embed for a map with it.")

    def _found(self, found: Proposal) -> None:
        if found.name != self._name:
            return
        self._values = [_plain(value) for value in found.choice.table[found.name]]
        sentence = proposal_sentence(found)
        self._work.tell(sentence.split(". ")[0].split(":")[0] + ".")
        self._view.show_proposal(sentence, candidate_lines(found), can_propose=True)


def candidate_lines(found: Proposal) -> list[str]:
    """Return a line for each candidate, with a bar from the lowest score to the highest."""
    table = found.choice.table
    low, high = table["score"].min(), table["score"].max()
    lines = []
    for _, row in table.iterrows():
        share = (row["score"] - low) / ((high - low) or 1)
        bar = "█" * (1 + round((_BARS - 1) * share))
        lines.append(
            f"{LETTERS[found.name]} {_plain(row[found.name])}: {row['score']:.2f} ± {row['standard_error']:.2f}  {bar}"
        )
    return lines


def proposal_sentence(found: Proposal) -> str:
    """Say what is proposed, and how little that means."""
    letter, table = LETTERS[found.name], found.choice.table
    now = table[table[found.name] == found.now]
    said = found.choice.sentence.replace(f"{found.name} =", f"{letter} =")
    if found.name == "n_components":
        said += " More dimensions have more room, and so the higher score: choose d by what you want to look at."
    elif len(now) and float(now["behind"].iloc[0]) <= float(now["behind_error"].iloc[0]):
        said = f"Keep {letter} = {_plain(found.now)}: no other is better by more than a standard error. {said}"
    else:
        said = f"Try {letter} = {_plain(found.choice.simplest[found.name])}. {said}"
    if found.n_drawn < found.n_cells:
        said += f" {found.n_drawn} of {counted(found.n_cells, 'cell')} were drawn for it."
    return f"{said} Click a candidate to use it."


def _plain(value: Any) -> Any:
    return int(value) if hasattr(value, "__index__") or isinstance(value, float) else value
