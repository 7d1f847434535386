"""The part of the panel that adds to the table which cells lie around each cell."""

from collections.abc import Callable, Sequence

import pandas as pd
from magicgui.widgets import ComboBox, Container, FloatSpinBox, PushButton
from magicgui.widgets.bases import Widget

from latentmap.display.actions import ACTIONS
from latentmap.napari_layers.cell_places import cell_places
from latentmap.napari_layers.layer_writing import add_columns
from latentmap.napari_layers.source import Source
from latentmap.napari_plugin.qt.collapsible import Collapsible
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.napari_plugin.qt.wrapped_label import wrapped_label
from latentmap.presenters.counts import CLASS
from latentmap.presenters.surroundings import SurroundingsPresenter
from latentmap.session import ColourBy, Session
from latentmap.table import CellTable

_LARGEST = 1_000_000


class SurroundingsSection(Collapsible):
    """Draws what `SurroundingsPresenter` decides; collapsed at first.

    Parameters
    ----------
    session : Session
    cells : callable
        Returns the table of cells, or None.
    sources : callable
        Returns the layers that they come from.
    """

    def __init__(
        self, session: Session, cells: Callable[[], CellTable | None], sources: Callable[[], Sequence[Source]]
    ) -> None:
        self._sources = sources
        self.presenter = SurroundingsPresenter(
            session, self, main_thread(), cells, lambda: cell_places(sources()), self._write
        )
        self._choices = [("class", CLASS)]
        self.of = ComboBox(choices=lambda _: self._choices, tooltip=ACTIONS["around"].about)
        self.radius = FloatSpinBox(value=0, min=0, max=_LARGEST, step=1, tooltip=ACTIONS["radius"].about)
        self.radius.native.setSpecialValueText("auto")
        self.button = PushButton(text=ACTIONS["surroundings"].label, tooltip=ACTIONS["surroundings"].about)
        self.said = wrapped_label()
        inside: Container[Widget] = Container(
            widgets=[
                label_row(ACTIONS["around"].label, self.of),
                label_row(ACTIONS["radius"].label, self.radius),
                in_row(self.button),
                self.said,
            ],
            labels=False,
        )
        inside.margins = (0, 0, 0, 0)
        super().__init__("Surroundings in the image", inside)
        self.button.changed.connect(self._add, max_args=0)
        self.toggled.connect(lambda _: self.presenter.refresh())

    def offer(self, choices: Sequence[tuple[str, ColourBy]], chosen: ColourBy) -> None:
        """Offer these groups, and show the one chosen."""
        self._choices = list(choices)
        self.of.reset_choices()
        self.of.value = chosen

    def show_surroundings(self, sentence: str, *, can_add: bool) -> None:
        """Show what was added, or why nothing was."""
        self.said.value, self.said.visible = sentence, bool(sentence)
        self.button.enabled = can_add

    def _add(self) -> None:
        self.presenter.add(self.of.value, self.radius.value)

    def _write(self, columns: pd.DataFrame, gone: Sequence[str]) -> None:
        for source in self._sources():
            add_columns(source, columns, gone)
