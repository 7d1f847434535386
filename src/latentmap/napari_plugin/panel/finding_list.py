"""A list of sentences that can be clicked."""

from collections.abc import Callable, Sequence

from qtpy.QtCore import QSize, Qt
from qtpy.QtGui import QResizeEvent
from qtpy.QtWidgets import QListWidget, QListWidgetItem, QWidget

_TALLEST, _MARGIN = 260, 5


class FindingList(QListWidget):
    """Shows sentences as rows that wrap, as tall as they are; a click or Enter picks one.

    Parameters
    ----------
    picked : callable
        Takes the index of the row.
    """

    def __init__(self, name: str, picked: Callable[[int], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picked = picked
        self.setAccessibleName(name)
        self.setWordWrap(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.itemClicked.connect(self._pick)
        self.itemActivated.connect(self._pick)
        self.show_findings([])

    def show_findings(self, findings: Sequence[str]) -> None:
        """Show these sentences; hide the list if there are none."""
        self.clear()
        self.addItems(list(findings))
        self.setVisible(bool(findings))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the height of the rows, which wrap anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give each row the height of its text at this width: Qt asks for one line where there is none yet."""
        width, tall = max(self.viewport().width() - 2 * _MARGIN, 1), 0
        for row in range(self.count()):
            if (item := self.item(row)) is not None:
                text = self.fontMetrics().boundingRect(0, 0, width, 0, int(Qt.TextFlag.TextWordWrap), item.text())
                item.setSizeHint(QSize(0, text.height() + 2 * _MARGIN))
                tall += text.height() + 2 * _MARGIN
        self.setFixedHeight(min(tall + 2 * self.frameWidth() + 4, _TALLEST))

    def _pick(self, item: QListWidgetItem) -> None:
        self._picked(self.row(item))
