"""The part of the panel that counts the cells of each group, image by image."""

from collections.abc import Callable, Sequence
from typing import Any

from latentmap.display.actions import ACTIONS
from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import labelled, paragraph
from latentmap.presenters.counts import CLASS, LAYER, NOTHING, CountPresenter
from latentmap.session import ColourBy, Schedule, Session

_NAMES = ("count", "count_by", "count_and_by")


class CountsSection(w.Accordion):
    """Draws what `CountPresenter` decides; folded away at first."""

    def __init__(self, session: Session, schedule: Schedule, tell: Callable[[str], None]) -> None:
        self.presenter = CountPresenter(session, self, schedule, tell)
        self._is_offering = False
        self.of, self.by, self.and_by = self._boxes = [
            w.Dropdown(tooltip=ACTIONS[name].about, layout=w.look(flex="1", min_width="0")) for name in _NAMES
        ]
        self.offer([("class", CLASS), ("image (layer)", LAYER)], CLASS, LAYER, NOTHING)
        rows = [
            labelled(ACTIONS[name].label, box, ACTIONS[name].about)
            for name, box in zip(_NAMES, self._boxes, strict=True)
        ]
        self.table, self.mixed = w.HTML(layout=w.look(max_height="300px", overflow="auto")), w.HTML()
        self.mixed_button = w.Button(
            description=ACTIONS["mixing"].label, tooltip=ACTIONS["mixing"].about, layout=w.look(width="auto")
        )
        super().__init__([w.VBox([*rows, self.table, self.mixed_button, self.mixed])], titles=("Counts",))
        for box in self._boxes:
            box.observe(self._choose, "value")
        self.mixed_button.on_click(lambda _: self.presenter.measure_mixing())
        self.observe(lambda change: self.presenter.open(change.new is not None), "selected_index")

    def close(self) -> None:
        """Stop measuring."""
        self.presenter.stop()
        super().close()

    def offer(self, choices: Sequence[tuple[str, ColourBy]], of: ColourBy, by: ColourBy, and_by: ColourBy) -> None:
        """Offer these quantities in all lists."""
        self._is_offering = True
        for box, value in zip(self._boxes, (of, by, and_by), strict=True):
            box.options = tuple(choices) if box is not self.and_by else (("nothing more", NOTHING), *choices)
            box.value = value
        self._is_offering = False

    def show_counts(self, html: str, *, can_save: bool) -> None:
        """Show the table with bars, or why there is none."""
        self.table.value = f"<div style='line-height:1.4; white-space:nowrap'>{html}</div>"
        self.mixed_button.disabled = not can_save

    def show_mixing(self, sentence: str) -> None:
        """Show how well images are mixed."""
        self.mixed.value = paragraph(sentence) if sentence else ""

    def _choose(self, _: Any) -> None:
        if not self._is_offering:
            self.presenter.choose(self.of.value, self.by.value, self.and_by.value)
