"""The part of the panel with the choice of colours, and the legend."""

from collections.abc import Sequence

import ipywidgets as w

from latentmap.display.actions import ACTIONS
from latentmap.jupyter.fields import labelled
from latentmap.jupyter.legend import as_html
from latentmap.presenters.colours import ColourPresenter
from latentmap.session import VARIANCE, ColourBy, ColourGroups, ColourScale, Session


class ColourSection(w.VBox):
    """Draws what `ColourPresenter` decides, and the legend."""

    def __init__(self, session: Session) -> None:
        self._presenter = ColourPresenter(session, self)
        self.by = w.Dropdown(tooltip=ACTIONS["colour"].about, layout=w.Layout(flex="1", min_width="0"))
        self.sized = w.Checkbox(description=ACTIONS["sized"].label, indent=False, tooltip=ACTIONS["sized"].about)
        self.legend = w.HTML()
        super().__init__([labelled(ACTIONS["colour"].label, self.by, ACTIONS["colour"].about), self.sized, self.legend])
        self.by.observe(lambda change: self._presenter.choose(change.new), "value")
        self.sized.observe(lambda change: self._presenter.size(change.new), "value")
        self._presenter.offer([VARIANCE])
        self._presenter.refresh()

    def close(self) -> None:
        """Stop following the display settings."""
        self._presenter.close()
        super().close()

    def offer(self, names: Sequence[tuple[str, ColourBy]], chosen: ColourBy) -> None:
        """Offer these quantities, each under its name, and show which one is chosen."""
        self.by.options = tuple(names)
        self.by.value = chosen

    def show_chosen(self, chosen: ColourBy) -> None:
        """Show which of the quantities is chosen."""
        self.by.value = chosen

    def show_sized(self, sized: bool) -> None:
        """Show whether cells with uncertain positions are drawn larger."""
        self.sized.value = sized

    def explain(self, colouring: ColourScale | ColourGroups | None) -> None:
        """Show the legend."""
        self.legend.value = as_html(colouring)
