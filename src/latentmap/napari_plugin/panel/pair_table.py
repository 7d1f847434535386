"""A table in which the user sees and chooses which image belongs to which labels."""

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
from latentmap.napari_plugin.qt.font_size import follow_font, line_height

NONE = "–"
"""Shown where labels have no image."""
_IMAGE = Qt.ItemDataRole.UserRole
_MOST_LINES, _LINE, _WIDEST = 7, 24, 190
_WORTH_LEAVING_OUT = 8
_DOUBT = QColor(230, 159, 0)
_WHY = {
    "name": "Paired by name.",
    "place": "Paired by position.",
    "size": "The only labels of this size.",
    "you": "Chosen by you.",
}
_Index = QModelIndex | QPersistentModelIndex


class Row(NamedTuple):
    """A row of the table: labels, their images by channel, and the images that can be chosen for them."""

    labels: Labels
    pairs: Mapping[str, Paired]
    fitting: Sequence[Image]


class PairTable(QTableWidget):
    """One row per labels layer, one column per channel; a check box at the head of each column.

    A click on an image offers all others of the same size; a double click on a channel renames it. Doubtful pairs are
    orange and have a question mark.
    """

    chosen = Signal(object, str, object)
    """Emitted with labels, a channel, and the image that the user has chosen for them, or None."""
    renamed = Signal(str, str)
    """Emitted with the old and the new name of a channel."""
    ticks_changed = Signal()
    """Emitted when a channel has been ticked or unticked."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("which image belongs to which labels")
        self._rows: list[Row] = []
        self._channels: list[str] = []
        self._unticked: set[str] = set()
        # Columns that the user has emptied; they stay, so that an image can be chosen again.
        self._emptied: list[str] = []
        self.verticalHeader().hide()
        self.horizontalHeader().hide()
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        follow_font(self, self._fit_lines)
        self.setWordWrap(False)
        # In the middle, because file names often differ only at the end.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.horizontalHeader().setStretchLastSection(True)
        self.setItemDelegate(_Choices(self))
        self.cellClicked.connect(self._clicked)
        self.itemChanged.connect(self._changed)

    @property
    def channels(self) -> list[str]:
        """The names of all channels."""
        return list(self._channels)

    @property
    def ticked(self) -> list[str]:
        """The names of the ticked channels."""
        return [name for name in self._channels if name not in self._unticked]

    @ticked.setter
    def ticked(self, names: Sequence[str]) -> None:
        self._unticked = {name for name in self._channels if name not in names}
        self._draw()
        self.ticks_changed.emit()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these labels and their images."""
        if [row.labels for row in rows] != [row.labels for row in self._rows]:
            self._emptied.clear()
        self._rows = list(rows)
        self._channels = list(dict.fromkeys([*(name for row in rows for name in row.pairs), *self._emptied]))
        self._draw()

    def images(self, row: int) -> list[Image | None]:
        """Return the images that can be chosen in a row; row 0 is the header."""
        return [None, *self._rows[row - 1].fitting]

    def choose(self, row: int, column: int, image: Image | None) -> None:
        """Choose an image as the user would."""
        channel = self._channels[column - 1]
        self._emptied.append(channel)
        self.chosen.emit(self._rows[row - 1].labels, channel, image)

    def _draw(self) -> None:
        self.blockSignals(True)
        self.setRowCount(1 + len(self._rows))
        self.setColumnCount(1 + len(self._channels))
        self.setItem(0, 0, _fixed_item("labels", "The labels layers to measure."))
        for column, name in enumerate(self._channels, start=1):
            self.setItem(0, column, self._channel_item(name))
        n_alike = _common_length(self._rows)
        short = "…" if n_alike else ""
        for number, row in enumerate(self._rows, start=1):
            doubts = sorted({pair.why for pair in row.pairs.values() if not pair.is_sure})
            about = f"Please check: {'; '.join(doubts)}." if doubts else row.labels.name
            shown = short + row.labels.name[n_alike:]
            self.setItem(number, 0, _fixed_item(f"{'? ' if doubts else ''}{shown}", about, bool(doubts)))
            for column, name in enumerate(self._channels, start=1):
                self.setItem(number, column, _image_item(row.pairs.get(name), len(row.fitting), short, n_alike))
        self.blockSignals(False)
        self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room for a scroll bar only if the columns do not fit."""
        super().resizeEvent(event)
        self._fit_height()

    def _fit_lines(self, _: object) -> None:
        self.verticalHeader().setMinimumSectionSize(line_height(self, _LINE))
        self.verticalHeader().setDefaultSectionSize(line_height(self, _LINE))
        self._fit_columns()

    def _fit_columns(self) -> None:
        self.resizeColumnsToContents()
        for column in range(self.columnCount()):
            self.setColumnWidth(column, min(self.columnWidth(column), _WIDEST))
        self._fit_height()

    def _fit_height(self) -> None:
        lines = min(self.rowCount(), _MOST_LINES)
        is_wide = self.horizontalHeader().length() > self.viewport().width()
        bar = self.horizontalScrollBar().sizeHint().height() if is_wide else 0
        self.setFixedHeight(line_height(self, _LINE) * lines + bar + 2 * self.frameWidth())

    def _channel_item(self, name: str) -> QTableWidgetItem:
        item = QTableWidgetItem(name)
        item.setCheckState(Qt.CheckState.Unchecked if name in self._unticked else Qt.CheckState.Checked)
        item.setToolTip("Tick to measure this channel. Double-click to rename it and its features.")
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
            self._draw()
            self.ticks_changed.emit()


class _Choices(QStyledItemDelegate):
    """Offers the images that fit the labels."""

    def __init__(self, table: PairTable) -> None:
        super().__init__(table)
        self._table = table

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        """Return a list of images, or a text field for the name of a channel."""
        if index.row() == 0:
            return super().createEditor(parent, option, index)
        box = QComboBox(parent)
        for image in self._table.images(index.row()):
            box.addItem(NONE if image is None else image.name, (image,))
        box.activated.connect(partial(self._take, box))
        return box

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        """Open the list with the current image selected."""
        if not isinstance(editor, QComboBox):
            super().setEditorData(editor, index)
            return
        (image,) = index.data(_IMAGE)
        editor.setCurrentIndex(self._table.images(index.row()).index(image))
        editor.ensurePolished()  # otherwise the height ignores napari's style, and the last line is cut off
        editor.showPopup()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Store the user's choice."""
        if not isinstance(editor, QComboBox):
            super().setModelData(editor, model, index)
            return
        (image,) = editor.currentData()
        if (image,) != index.data(_IMAGE):
            self._table.choose(index.row(), index.column(), image)

    def _take(self, box: QComboBox, *_: object) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)


def _fixed_item(text: str, about: str, is_doubtful: bool = False) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    item.setFlags(Qt.ItemFlag.ItemIsEnabled)
    item.setToolTip(about)
    if is_doubtful:
        item.setForeground(QBrush(_DOUBT))
    return item


def _common_length(rows: Sequence[Row]) -> int:
    """The length of the whole words that all names begin with; 0 if too short to be worth abbreviating."""
    names = [row.labels.name for row in rows] + [pair.image.name for row in rows for pair in row.pairs.values()]
    alike = commonprefix(names) if len(names) > 1 else ""  # noqa: RUF071  no paths: characters are meant
    start = re.match(r".*[\W_]", alike)
    return len(start[0]) if start is not None and len(start[0]) >= _WORTH_LEAVING_OUT else 0


def _image_item(pair: Paired | None, n_fitting: int, short: str, n_alike: int) -> QTableWidgetItem:
    if pair is None:
        about = "No image is paired with these labels. Click to choose one of their size."
        item = QTableWidgetItem(f"{NONE} ▾" if n_fitting else NONE)
        item.setToolTip(about if n_fitting else "No image has the size of these labels.")
    else:
        item = QTableWidgetItem(f"{'' if pair.is_sure else '? '}{short}{pair.image.name[n_alike:]} ▾")
        why = _WHY[pair.why] if pair.is_sure else f"Please check: {pair.why}."
        item.setToolTip(f'"{pair.image.name}". {why} Click to choose another image of this size.')
        if not pair.is_sure:
            item.setForeground(QBrush(_DOUBT))
    item.setData(_IMAGE, (None if pair is None else pair.image,))
    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsEditable if n_fitting else Qt.ItemFlag.ItemIsEnabled)
    return item
