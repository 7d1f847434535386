"""A list of which the user ticks some lines."""

from collections.abc import Sequence
from typing import Any

from psygnal import Signal
from qtpy.QtCore import QSize, Qt
from qtpy.QtWidgets import QListWidget, QListWidgetItem

_MOST_LINES = 5
_LINE = 20


class TickList(QListWidget):
    """Things by name, ticked or not; as high as it has lines, up to five.

    Attributes
    ----------
    changed : psygnal.Signal
        Emitted with what is ticked, when the user or the caller changes that.
    """

    changed = Signal(list)

    def __init__(self, tooltip: str) -> None:
        super().__init__()
        self.setToolTip(tooltip)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Names of files differ at the end.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.itemChanged.connect(self._emit)
        self.offer([], [])

    @property
    def things(self) -> list[Any]:
        """What there is to tick."""
        return [self.item(row).data(Qt.ItemDataRole.UserRole)[0] for row in range(self.count())]

    @property
    def value(self) -> list[Any]:
        """What is ticked."""
        return [thing for row, thing in enumerate(self.things) if self._is_ticked(row)]

    @value.setter
    def value(self, ticked: Sequence[Any]) -> None:
        self.blockSignals(True)
        for row, thing in enumerate(self.things):
            self._tick(self.item(row), any(thing is one for one in ticked))
        self.blockSignals(False)
        self._emit()

    def offer(self, things: Sequence[tuple[str, Any]], ticked: Sequence[Any]) -> None:
        """Offer these things.

        Parameters
        ----------
        things : sequence of (name, thing)
        ticked : sequence of things
            Which of them are ticked to begin with.
        """
        self.blockSignals(True)
        self.clear()
        for name, thing in things:
            item = QListWidgetItem(name)
            item.setToolTip(f"{name}\n{self.toolTip()}")
            item.setSizeHint(QSize(1, _LINE))  # no wider than the list, so that the name is elided, not cut off
            # In a tuple, so that Qt does not convert it to a type of its own.
            item.setData(Qt.ItemDataRole.UserRole, (thing,))
            self._tick(item, any(thing is one for one in ticked))
            self.addItem(item)
        self.blockSignals(False)
        self.setFixedHeight(_LINE * max(1, min(len(things), _MOST_LINES)) + 2 * self.frameWidth())

    def _is_ticked(self, row: int) -> bool:
        return self.item(row).checkState() == Qt.CheckState.Checked

    def _tick(self, item: QListWidgetItem, ticked: bool) -> None:
        item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)

    def _emit(self, *_: object) -> None:
        self.changed.emit(self.value)
