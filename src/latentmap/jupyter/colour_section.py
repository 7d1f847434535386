"""The part of the panel with the choice of colours, and the legend."""

from collections.abc import Callable, Sequence
from html import escape

from latentmap.display.actions import ACTIONS
from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled
from latentmap.jupyter.group_list import GroupList
from latentmap.jupyter.legend import as_html
from latentmap.jupyter.searchable_list import SearchableList
from latentmap.presenters.colours import ColourPresenter
from latentmap.session import VARIANCE, ColourBy, ColourGroups, ColourScale, Session


class ColourSection(w.VBox):
    """Draws what `ColourPresenter` decides, and the legend."""

    def __init__(self, session: Session, tell: Callable[[str], None] = lambda sentence: None) -> None:
        self._presenter = ColourPresenter(session, self, tell)
        self.by = SearchableList(ACTIONS["colour"].about)
        self.sized, self.names = (
            w.Checkbox(description=ACTIONS[name].label, indent=False, tooltip=ACTIONS[name].about)
            for name in ("sized", "names")
        )
        self.scale, self.groups = w.HTML(), GroupList(self._presenter.select_group, self._presenter.rename_group)
        by = labelled(ACTIONS["colour"].label, self.by, ACTIONS["colour"].about)
        super().__init__([by, self.sized, self.names, self.scale, self.groups])
        self.by.observe(lambda change: self._presenter.choose(change.new), "value")
        self.sized.observe(lambda change: self._presenter.size(change.new), "value")
        self.names.observe(lambda change: self._presenter.name_groups(change.new), "value")
        self._presenter.offer([VARIANCE])
        self._presenter.refresh()

    def close(self) -> None:
        """Stop following the display settings."""
        self._presenter.close()
        super().close()

    def offer(self, names: Sequence[tuple[str, ColourBy]], chosen: ColourBy) -> None:
        """Offer these quantities, each under its name, and show which one is chosen."""
        self.by.offer(names, chosen)

    def show_chosen(self, chosen: ColourBy) -> None:
        """Show which of the quantities is chosen."""
        self.by.value = chosen

    def show_ticks(self, *, sized: bool, names: bool) -> None:
        """Show whether uncertain cells are drawn larger, and whether the names of groups are on the map."""
        self.sized.value, self.names.value = sized, names

    def explain(self, colouring: ColourScale | ColourGroups | None, others: Sequence[str] = ()) -> None:
        """Show the legend, and lines on maps with another scale.

        A click on a group selects its cells, a double click renames it if it is a class.
        """
        groups = colouring if isinstance(colouring, ColourGroups) and colouring.names else None
        lines = "".join(f"<div style='line-height:1.4'>{escape(line)}</div>" for line in others)
        self.scale.value = ("" if groups else as_html(colouring)) + lines
        self.groups.show_groups(groups, self._presenter.group_help, self._presenter.can_rename)
