"""A table that shows, and lets the user choose, which image belongs to which labels."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from os.path import commonprefix
from typing import NamedTuple

from napari.layers import Image, Labels
from psygnal import Signal
from qtpy.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt
from qtpy.QtGui import QBrush, QColor, QResizeEvent
from qtpy.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from latentmap.napari_layers.pairs import Paired

NONE = "–"
"""What stands where labels have no image."""
_IMAGE = Qt.ItemDataRole.UserRole
_MOST_LINES, _LINE, _WIDEST = 7, 24, 190
_WORTH_LEAVING_OUT = 8
_DOUBT = QColor(230, 159, 0)
_WHY = {
    "name": "Paired by name.",
    "place": "Paired by place.",
    "size": "The only labels of this size.",
    "you": "As you said.",
}
_Index = QModelIndex | QPersistentModelIndex


class Row(NamedTuple):
    """A line of the table.

    Attributes
    ----------
    labels : napari.layers.Labels
    pairs : mapping of str to Paired
        By channel.
    fitting : sequence of napari.layers.Image
        What can be chosen.
    """

    labels: Labels
    pairs: Mapping[str, Paired]
    fitting: Sequence[Image]


class PairTable(QTableWidget):
    """Labels layers below one another, their images beside them; above these the channels, ticked or not.

    A click on an image offers all others that have the pixels of the labels; a double click on a channel renames it.
    Doubtful pairs are orange, with a question mark.

    Attributes
    ----------
    chosen : psygnal.Signal
        Emitted with labels, a channel, and the image that the user has chosen, or None.
    renamed : psygnal.Signal
        Emitted with a channel's name and what the user calls it.
    ticks_changed : psygnal.Signal
        Emitted when other channels are ticked.
    """

    chosen = Signal(object, str, object)
    renamed = Signal(str, str)
    ticks_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []
        self._channels: list[str] = []
        self._unticked: set[str] = set()
        # Columns that the user has emptied, kept so that an image can be chosen again.
        self._emptied: list[str] = []
        self.verticalHeader().hide()
        self.horizontalHeader().hide()
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        self.verticalHeader().setMinimumSectionSize(_LINE)
        self.verticalHeader().setDefaultSectionSize(_LINE)
        self.setWordWrap(False)
        # Names of files differ at the end.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.horizontalHeader().setStretchLastSection(True)
        self.setItemDelegate(_Choices(self))
        self.cellClicked.connect(self._clicked)
        self.itemChanged.connect(self._changed)

    @property
    def channels(self) -> list[str]:
        """The channels."""
        return list(self._channels)

    @property
    def ticked(self) -> list[str]:
        """The channels that are ticked."""
        return [name for name in self._channels if name not in self._unticked]

    @ticked.setter
    def ticked(self, names: Sequence[str]) -> None:
        self._unticked = {name for name in self._channels if name not in names}
        self._fill()
        self.ticks_changed.emit()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these labels and their images."""
        if [row.labels for row in rows] != [row.labels for row in self._rows]:
            self._emptied.clear()
        self._rows = list(rows)
        self._channels = list(dict.fromkeys([*(name for row in rows for name in row.pairs), *self._emptied]))
        self._fill()

    def images(self, row: int) -> list[Image | None]:
        """Return what can be chosen for some labels.

        Parameters
        ----------
        row : int
            The line of the table; the first one has the channels.
        """
        return [None, *self._rows[row - 1].fitting]

    def choose(self, row: int, column: int, image: Image | None) -> None:
        """Measure labels in an image, as if the user had chosen it.

        Parameters
        ----------
        row, column : int
            Where in the table.
        image : napari.layers.Image or None
        """
        channel = self._channels[column - 1]
        self._emptied.append(channel)
        self.chosen.emit(self._rows[row - 1].labels, channel, image)

    def _fill(self) -> None:
        self.blockSignals(True)
        self.setRowCount(1 + len(self._rows))
        self.setColumnCount(1 + len(self._channels))
        self.setItem(0, 0, _still("labels", "The labels layers to measure."))
        for column, name in enumerate(self._channels, start=1):
            self.setItem(0, column, self._head(name))
        n_alike = _n_alike(self._rows)
        short = "…" if n_alike else ""
        for number, row in enumerate(self._rows, start=1):
            doubts = sorted({pair.why for pair in row.pairs.values() if not pair.is_sure})
            about = f"To be looked at: {'; '.join(doubts)}." if doubts else row.labels.name
            shown = short + row.labels.name[n_alike:]
            self.setItem(number, 0, _still(f"{'? ' if doubts else ''}{shown}", about, bool(doubts)))
            for column, name in enumerate(self._channels, start=1):
                self.setItem(number, column, _cell(row.pairs.get(name), len(row.fitting), short, n_alike))
        self.blockSignals(False)
        self.resizeColumnsToContents()
        for column in range(self.columnCount()):
            self.setColumnWidth(column, min(self.columnWidth(column), _WIDEST))
        self._fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room for a scroll bar only if the columns do not fit side by side."""
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        lines = min(self.rowCount(), _MOST_LINES)
        is_wide = self.horizontalHeader().length() > self.viewport().width()
        bar = self.horizontalScrollBar().sizeHint().height() if is_wide else 0
        self.setFixedHeight(_LINE * lines + bar + 2 * self.frameWidth())

    def _head(self, name: str) -> QTableWidgetItem:
        item = QTableWidgetItem(name)
        item.setCheckState(Qt.CheckState.Unchecked if name in self._unticked else Qt.CheckState.Checked)
        item.setToolTip("Whether this channel is measured. A double click renames it; its features get that name.")
        return item

    def _clicked(self, row: int, column: int) -> None:
        if row > 0 and column > 0:
            self.edit(self.model().index(row, column))

    def _changed(self, item: QTableWidgetItem) -> None:
        row, column = item.row(), item.column()
        name = self._channels[column - 1]
        if row > 0:
            return
        if item.checkState() == Qt.CheckState.Checked:
            self._unticked.discard(name)
        else:
            self._unticked.add(name)
        if (new := item.text().strip()) and new.casefold() not in (one.casefold() for one in self._channels):
            self._emptied.clear()
            self.renamed.emit(name, new)
        else:
            self._fill()
            self.ticks_changed.emit()


class _Choices(QStyledItemDelegate):
    """Offers the images of the labels' shape."""

    def __init__(self, table: PairTable) -> None:
        super().__init__(table)
        self._table = table

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        """Return a list of images, or a line edit for the name of a channel."""
        if index.row() == 0:
            return super().createEditor(parent, option, index)
        box = QComboBox(parent)
        for image in self._table.images(index.row()):
            box.addItem(NONE if image is None else image.name, (image,))
        box.activated.connect(partial(self._take, box))
        return box

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        """Open the list at the current image."""
        if not isinstance(editor, QComboBox):
            super().setEditorData(editor, index)
            return
        (image,) = index.data(_IMAGE)
        editor.setCurrentIndex(self._table.images(index.row()).index(image))
        editor.ensurePolished()  # else the list is as high as it would be without napari's style, and lacks a line
        editor.showPopup()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Store what the user has chosen."""
        if not isinstance(editor, QComboBox):
            super().setModelData(editor, model, index)
            return
        (image,) = editor.currentData()
        if (image,) != index.data(_IMAGE):
            self._table.choose(index.row(), index.column(), image)

    def _take(self, box: QComboBox, *_: object) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)


def _still(text: str, about: str, is_doubtful: bool = False) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    item.setFlags(Qt.ItemFlag.ItemIsEnabled)
    item.setToolTip(about)
    if is_doubtful:
        item.setForeground(QBrush(_DOUBT))
    return item


def _n_alike(rows: Sequence[Row]) -> int:
    """How many characters all names begin with, up to a word; 0 if they are not worth leaving out."""
    names = [row.labels.name for row in rows] + [pair.image.name for row in rows for pair in row.pairs.values()]
    alike = commonprefix(names) if len(names) > 1 else ""  # noqa: RUF071  no paths: characters are meant
    start = re.match(r".*[\W_]", alike)
    return len(start[0]) if start is not None and len(start[0]) >= _WORTH_LEAVING_OUT else 0


def _cell(pair: Paired | None, n_fitting: int, short: str, n_alike: int) -> QTableWidgetItem:
    if pair is None:
        about = "No image is paired with these labels. A click offers those of their size."
        item = QTableWidgetItem(f"{NONE} ▾" if n_fitting else NONE)
        item.setToolTip(about if n_fitting else "No image has the size of these labels.")
    else:
        item = QTableWidgetItem(f"{'' if pair.is_sure else '? '}{short}{pair.image.name[n_alike:]} ▾")
        why = _WHY[pair.why] if pair.is_sure else f"To be looked at: {pair.why}."
        item.setToolTip(f'"{pair.image.name}". {why} A click offers the other images of that size.')
        if not pair.is_sure:
            item.setForeground(QBrush(_DOUBT))
    item.setData(_IMAGE, (None if pair is None else pair.image,))
    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsEditable if n_fitting else Qt.ItemFlag.ItemIsEnabled)
    return item
