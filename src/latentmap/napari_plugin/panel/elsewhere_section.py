"""The part of the panel that adds maps made elsewhere."""

from collections.abc import Callable, Sequence
from pathlib import Path

from magicgui.widgets import ComboBox, Container, PushButton
from magicgui.widgets.bases import Widget
from qtpy.QtWidgets import QFileDialog

from latentmap.napari_plugin.qt.collapsible import Collapsible
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import in_row, label_row
from latentmap.presenters.elsewhere import ELSEWHERE, ElsewherePresenter
from latentmap.session import Session
from latentmap.session.given_map import GivenMap
from latentmap.table import CellTable
from latentmap.table.files.formats import READABLE


class ElsewhereSection(Collapsible):
    """Draws what `ElsewherePresenter` decides."""

    def __init__(
        self,
        session: Session,
        cells: Callable[[], CellTable | None],
        add: Callable[[GivenMap], None],
        tell: Callable[[str], None],
    ) -> None:
        self._maps: list[tuple[str, int]] = []
        self._columns: list[str] = []
        self.map = ComboBox(choices=lambda _: self._maps, tooltip=ELSEWHERE["map"].about)
        self.across, self.up = (
            ComboBox(choices=lambda _: self._columns, tooltip=ELSEWHERE[name].about) for name in ("across", "up")
        )
        self._rows = [label_row(ELSEWHERE["across"].label, self.across), label_row(ELSEWHERE["up"].label, self.up)]
        self.file, self.add = (
            PushButton(text=ELSEWHERE[name].label, tooltip=ELSEWHERE[name].about) for name in ("file", "add")
        )
        body: Container[Widget] = Container(
            widgets=[label_row(ELSEWHERE["map"].label, self.map), *self._rows, in_row(self.file, self.add)],
            labels=False,
        )
        body.margins = (0, 0, 0, 0)
        super().__init__(ELSEWHERE["title"].label, body)
        self.setToolTip(ELSEWHERE["title"].about)
        self.presenter = ElsewherePresenter(session, self, cells, main_thread(), add, tell)
        self.map.changed.connect(self._choose)
        self.file.changed.connect(self._open, max_args=0)
        self.add.changed.connect(lambda: self.presenter.add(self.across.value or "", self.up.value or ""))
        self.presenter.refresh()

    def show_maps(self, labels: Sequence[str], chosen: int, *, can_add: bool) -> None:
        """Offer these maps."""
        with self.map.changed.blocked():
            self._maps = [(label, index) for index, label in enumerate(labels)]
            self.map.reset_choices()
            if labels:
                self.map.value = chosen
        self.add.enabled = can_add

    def show_columns(self, names: Sequence[str]) -> None:
        """Offer these columns, or hide the lists."""
        is_new, self._columns = list(names) != self._columns, list(names)
        for index, (field, row) in enumerate(zip((self.across, self.up), self._rows, strict=True)):
            field.reset_choices()
            if is_new and len(names) > index:
                field.value = names[index]
            row.visible = bool(names)

    def _choose(self, index: int | None) -> None:
        if index is not None:
            self.presenter.choose(index)

    def _open(self) -> None:
        patterns = " ".join(f"*{one.ending}" for one in READABLE)
        name, _ = QFileDialog.getOpenFileName(self, ELSEWHERE["file"].label, "", f"Tables ({patterns})")
        if name:
            self.presenter.open(Path(name))
