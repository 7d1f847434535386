"""The part of the panel with the choice of colours, and the legend."""

from collections.abc import Sequence

import ipywidgets as w

from latentmap.display.actions import ACTIONS, PICK_GROUP
from latentmap.jupyter.fields import labelled
from latentmap.jupyter.legend import as_html, swatch
from latentmap.jupyter.widget_closing import close_widgets
from latentmap.presenters.colours import ColourPresenter
from latentmap.session import VARIANCE, ColourBy, ColourGroups, ColourScale, Session


class ColourSection(w.VBox):
    """Draws what `ColourPresenter` decides, and the legend."""

    def __init__(self, session: Session) -> None:
        self._presenter = ColourPresenter(session, self)
        self.by = w.Dropdown(tooltip=ACTIONS["colour"].about, layout=w.Layout(flex="1", min_width="0"))
        self.sized = w.Checkbox(description=ACTIONS["sized"].label, indent=False, tooltip=ACTIONS["sized"].about)
        self.scale, self.groups = w.HTML(), w.VBox(layout=w.Layout(max_height="220px", overflow="hidden auto"))
        self._shown_groups: list[tuple[str, str]] = []
        by = labelled(ACTIONS["colour"].label, self.by, ACTIONS["colour"].about)
        super().__init__([by, self.sized, self.scale, self.groups])
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
        """Show the legend; a click on a group selects its cells."""
        groups = []
        if isinstance(colouring, ColourGroups):
            groups = list(zip(colouring.names, colouring.colours, strict=True))
        self.scale.value = "" if groups else as_html(colouring)
        if groups != self._shown_groups:
            self._shown_groups = groups
            for line in self.groups.children:
                close_widgets(line)
            self.groups.children = [self._line(name, colour) for name, colour in groups]

    def _line(self, name: str, colour: str) -> w.HBox:
        button = w.Button(
            description=name,
            tooltip=PICK_GROUP,
            layout=w.Layout(width="auto", height="22px", padding="0 4px"),
            style={"button_color": "transparent"},
        )
        button.on_click(lambda _: self._presenter.select_group(name))
        return w.HBox([w.HTML(swatch(colour), layout=w.Layout(flex="0 0 auto")), button])
