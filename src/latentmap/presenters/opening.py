"""The outline of all cells, groups opened from a map, and the way back: what can be pressed, and where the user is."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol

from latentmap.display.actions import Action
from latentmap.session import Run, Session
from latentmap.session.hierarchy import n_stood_for, path
from latentmap.session.wording import spaced

OPENING: Mapping[str, Action] = MappingProxyType(
    {
        "outline": Action(
            "Outline",
            "Map the landmarks of the model alone: few cells, each of which stands for those nearest it. Larger points "
            "stand for more.",
        ),
        "open": Action(
            "Open this group",
            "Map only the selected cells, or those that the selected landmarks stand for. They start from their "
            "positions on this map.",
        ),
        "back": Action("Back", "Show the map that this group was opened from. The selection stays."),
    }
)
"""The buttons, by name."""

NO_MAP = "No map yet. Embed maps all cells; Outline maps a few, each of which stands for those nearest it."


class OpeningView(Protocol):
    """A line that says where the user is, and three buttons."""

    def show_path(self, sentence: str, possible: Mapping[str, bool]) -> None:
        """Show the maps that lead to the current one, and enable the buttons that can be pressed."""


class OpeningPresenter:
    """Leads from a map into a group of its cells, and back.

    Parameters
    ----------
    session : Session
    view : OpeningView
    outline, open_group : callable
        Make a map of the landmarks, or of the group.
    tell : callable
        Shows the user a sentence.

    Attributes
    ----------
    actions : dict of str to callable
        What each button does, by its name in :data:`OPENING`.
    """

    def __init__(
        self,
        session: Session,
        view: OpeningView,
        outline: Callable[[], None],
        open_group: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._view, self._tell = session, view, tell
        self.actions: dict[str, Callable[[], None]] = {"outline": outline, "open": open_group, "back": self._back}
        for signal in (session.selection.changed, session.runs.changed):
            signal.connect(self.refresh, max_args=0)

    def refresh(self) -> None:
        """Show where the user is, and what can be pressed."""
        current = self._session.runs.current
        possible = {
            "outline": True,
            "open": current is not None and len(self._session.selection) > 0,
            "back": current is not None and bool(current.opened_from),
        }
        self._view.show_path(NO_MAP if current is None else path_text(current), possible)

    def _back(self) -> None:
        try:
            parent = self._session.back()
        except ValueError as error:
            self._tell(str(error))
        else:
            self._tell(f'Back on the map "{parent.name}". The selection is as it was.')


def path_text(run: Run) -> str:
    """Say which maps lead to a map, by the number of their cells.

    Parameters
    ----------
    run : Run
        A run with a map.
    """
    first, *others = path(run)
    if first.level:
        n_landmarks = spaced(len(first.finished().embedding))
        begins = f"{n_landmarks} landmarks of {spaced(n_stood_for(first), 'cell')}"
    elif first.opened_from:
        begins = f'{spaced(n_stood_for(first), "cell")} (from "{first.opened_from}", which was deleted)'
    else:
        begins = f"All {spaced(n_stood_for(first), 'cell')}"
    return " > ".join([begins, *(f"{spaced(n_stood_for(one), 'cell')}" for one in others)])
