"""A list with check boxes."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from psygnal import Signal
from qtpy.QtCore import QSize, Qt
from qtpy.QtWidgets import QListWidget, QListWidgetItem

from latentmap.napari_plugin.qt.font_size import follow_font, line_height

Thing = TypeVar("Thing")

_MOST_LINES = 5
_LINE = 20


class TickList(QListWidget, Generic[Thing]):
    """A list of named things with check boxes; as high as its lines, up to five."""

    changed = Signal(list)
    """Emitted with the ticked things, whether the user or the caller has changed them."""

    def __init__(self, tooltip: str) -> None:
        super().__init__()
        self.setToolTip(tooltip)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # In the middle, because file names often differ only at the end.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.itemChanged.connect(self._emit)
        self.offer([], [])
        follow_font(self, self._fit)

    @property
    def things(self) -> list[Thing]:
        """All things in the list."""
        return [self.item(row).data(Qt.ItemDataRole.UserRole)[0] for row in range(self.count())]

    @property
    def value(self) -> list[Thing]:
        """The ticked things."""
        return [thing for row, thing in enumerate(self.things) if self._is_ticked(row)]

    @value.setter
    def value(self, ticked: Sequence[Thing]) -> None:
        self.blockSignals(True)
        for row, thing in enumerate(self.things):
            self._tick(self.item(row), any(thing is one for one in ticked))
        self.blockSignals(False)
        self._emit()

    def offer(self, things: Sequence[tuple[str, Thing]], ticked: Sequence[Thing]) -> None:
        """List these things under these names, some of them ticked."""
        self.blockSignals(True)
        self.clear()
        for name, thing in things:
            item = QListWidgetItem(name)
            item.setToolTip(f"{name}\n{self.toolTip()}")
            # In a tuple, because Qt converts some Python objects to its own types.
            item.setData(Qt.ItemDataRole.UserRole, (thing,))
            self._tick(item, any(thing is one for one in ticked))
            self.addItem(item)
        self.blockSignals(False)
        self._fit()

    def _fit(self, *_: object) -> None:
        """Make lines as high as the font needs, and the list as high as its lines."""
        line = line_height(self, _LINE)
        self.blockSignals(True)
        for row in range(self.count()):
            self.item(row).setSizeHint(QSize(1, line))  # narrower than the list, so that Qt elides the name
        self.blockSignals(False)
        self.setFixedHeight(line * max(1, min(self.count(), _MOST_LINES)) + 2 * self.frameWidth())

    def _is_ticked(self, row: int) -> bool:
        return self.item(row).checkState() == Qt.CheckState.Checked

    def _tick(self, item: QListWidgetItem, ticked: bool) -> None:
        item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)

    def _emit(self, *_: object) -> None:
        self.changed.emit(self.value)
