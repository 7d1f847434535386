"""The part of the panel where the user chooses what the colours mean, and reads it."""

from collections.abc import Sequence
from typing import Any

import ipywidgets as w

from latentmap.display.actions import ACTIONS
from latentmap.jupyter.fields import labelled, offer
from latentmap.jupyter.legend import as_html
from latentmap.session import VARIANCE, By, Groups, Look, Scale


class ColourSection(w.VBox):
    """What the points are coloured by, with the legend.

    Parameters
    ----------
    look : Look
        What the section shows and sets.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self.by = w.Dropdown(tooltip=ACTIONS["colour"].about, layout=w.Layout(flex="1", min_width="0"))
        self.sized = w.Checkbox(look.sized_by_variance, description=ACTIONS["sized"].label, indent=False)
        self.sized.tooltip = ACTIONS["sized"].about
        self.legend = w.HTML()
        super().__init__([labelled(ACTIONS["colour"].label, self.by, ACTIONS["colour"].about), self.sized, self.legend])
        self.by.observe(self._choose, "value")
        self.offer([VARIANCE])
        self.sized.observe(lambda change: setattr(look, "sized_by_variance", change.new), "value")
        look.events.connect(self._show, max_args=0)

    def close(self) -> None:
        """Let go of the look."""
        self._look.events.disconnect(self._show)
        super().close()

    def offer(self, offered: Sequence[By]) -> None:
        """Offer these; what is no longer there gives way to the variance."""
        chosen = self._look.colour_by if self._look.colour_by in offered else VARIANCE
        options = tuple((by.name or by.kind, by) for by in offered)
        if self.by.options != options:
            offer(self.by, options, chosen, self._choose)
        self._look.colour_by = chosen

    def explain(self, colouring: Scale | Groups | None) -> None:
        """Say what the colours mean."""
        self.legend.value = as_html(colouring)

    def _choose(self, change: Any) -> None:
        self._look.colour_by = change.new

    def _show(self) -> None:
        if any(by == self._look.colour_by for _, by in self.by.options):
            self.by.value = self._look.colour_by
        self.sized.value = self._look.sized_by_variance
