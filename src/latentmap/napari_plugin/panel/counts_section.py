"""The part of the panel that counts the cells of each group, image by image."""

from collections.abc import Callable, Sequence
from pathlib import Path

from magicgui.widgets import ComboBox, Container, PushButton
from magicgui.widgets.bases import Widget
from qtpy.QtWidgets import QFileDialog, QTextBrowser

from latentmap.display.actions import ACTIONS
from latentmap.napari_plugin.qt.collapsible import Collapsible
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.napari_plugin.qt.wrapped_label import wrapped_label
from latentmap.presenters.counts import CLASS, LAYER, NOTHING, CountPresenter
from latentmap.presenters.saving import failure
from latentmap.session import ColourBy, Session

_HEIGHT = 240


class CountsSection(Collapsible):
    """Draws what `CountPresenter` decides; collapsed at first."""

    def __init__(self, session: Session, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.presenter = CountPresenter(session, self, main_thread(), tell)
        self._choices = [("class", CLASS), ("image (layer)", LAYER)]
        self.of, self.by, self.and_by = (
            ComboBox(choices=self._listed(name), tooltip=ACTIONS[name].about, value=value)
            for name, value in (("count", CLASS), ("count_by", LAYER), ("count_and_by", NOTHING))
        )
        self.save_button, self.mixed_button = (
            PushButton(text=ACTIONS[name].label, tooltip=ACTIONS[name].about) for name in ("save_counts", "mixing")
        )
        self.mixed = wrapped_label()
        self.table = QTextBrowser()
        self.table.setFixedHeight(_HEIGHT)
        self.table.setAccessibleName("Counts of cells")
        rows = [
            label_row(ACTIONS[name].label, box)
            for name, box in (("count", self.of), ("count_by", self.by), ("count_and_by", self.and_by))
        ]
        content: Container[Widget] = Container(
            widgets=[*rows, in_row(self.save_button, self.mixed_button), self.mixed], labels=False
        )
        content.margins = (0, 0, 0, 0)
        content.native.layout().insertWidget(len(rows), self.table)
        super().__init__("Counts", content)
        for box in (self.of, self.by, self.and_by):
            box.changed.connect(self._choose, max_args=0)
        self.save_button.changed.connect(self._ask_for_file, max_args=0)
        self.mixed_button.changed.connect(self.presenter.measure_mixing, max_args=0)
        self.toggled.connect(self.presenter.open)

    def offer(self, choices: Sequence[tuple[str, ColourBy]], of: ColourBy, by: ColourBy, and_by: ColourBy) -> None:
        """Offer these quantities in all lists."""
        self._choices = list(choices)
        for box, value in ((self.of, of), (self.by, by), (self.and_by, and_by)):
            box.reset_choices()
            box.value = value

    def show_counts(self, html: str, *, can_save: bool) -> None:
        """Show the table with bars, or why there is none."""
        self.table.setHtml(html)
        self.save_button.enabled = self.mixed_button.enabled = can_save

    def show_mixing(self, sentence: str) -> None:
        """Show how well images are mixed."""
        self.mixed.value = sentence
        self.mixed.visible = bool(sentence)

    def save(self, path: Path) -> None:
        """Save the counts, and say so, or why not."""
        try:
            self._tell(self.presenter.save(path))
        except (OSError, ValueError) as error:
            self._tell(failure(str(path), error))

    def _listed(self, name: str) -> Callable[[object], list[tuple[str, ColourBy]]]:
        nothing = [("nothing more", NOTHING)] if name == "count_and_by" else []
        return lambda _: [*nothing, *self._choices]

    def _choose(self) -> None:
        self.presenter.choose(self.of.value, self.by.value, self.and_by.value)

    def _ask_for_file(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, "Save counts", "counts.csv", "Table (*.csv)")
        if path:
            self.save(Path(path))
