"""The table of the maps made so far."""

from qtpy.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, QRectF, QSize, Qt
from qtpy.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter
from qtpy.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
)

from latentmap.display.run_status import stopped_sentence
from latentmap.napari_plugin.qt.font_size import follow_font, line_height
from latentmap.presenters.kept_runs import KeptRunsPresenter
from latentmap.presenters.run_lines import course
from latentmap.presenters.side_by_side import SideBySide
from latentmap.session import Run, Runs

_BESIDE, _NAME, _CELLS, _RECALL, _TRUST = range(5)
_HEADS = {
    "compare": "Ticked maps stay in view beside the current one.",
    "map": "Click to show a map, double-click to rename it, right-click for more.",
    "cells": "The number of cells on the map.",
    "recall": "The share of each cell's 10 most similar cells that are among its 10 nearest on the map.",
    "trustworthiness": "Lower if dissimilar cells lie close together.",
}
_SHARE = Qt.ItemDataRole.UserRole
_SEEN = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_FLAGS = (_SEEN | Qt.ItemFlag.ItemIsUserCheckable, _SEEN | Qt.ItemFlag.ItemIsEditable, _SEEN, _SEEN, _SEEN)
_MEASURES = {_RECALL: "recall", _TRUST: "trustworthiness"}
_LINE = 24
_MOST_LINES = 6
_BAR = 3
_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_F2, Qt.Key.Key_Space)


class RunsTable(QTableWidget):
    """One row per run; the current run is selected, and the maps of ticked runs are shown beside its own."""

    def __init__(self, runs: Runs, side_by_side: SideBySide, presenter: KeptRunsPresenter) -> None:
        super().__init__(0, len(_HEADS))
        self.setAccessibleName("maps made so far")
        self._runs, self._side_by_side, self._presenter = runs, side_by_side, presenter
        self._lines: list[Run] = []
        self._at_work: Run | None = None
        self._lay_out()
        self.itemSelectionChanged.connect(self._selected)
        self.itemChanged.connect(self._edited)
        self.customContextMenuRequested.connect(self._menu_at)
        runs.started.connect(self._started)
        runs.ended.connect(self._ended)
        runs.changed.connect(self.refresh)
        side_by_side.kept_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the current state of the runs."""
        self._lines = [*self._runs, *([self._at_work] if self._at_work is not None else [])]
        self.blockSignals(True)
        self.setRowCount(len(self._lines))
        for row, run in enumerate(self._lines):
            self._write(row, run)
        self._select(self._runs.current)
        self.blockSignals(False)
        self.setVisible(bool(self._lines))
        self.updateGeometry()

    def tick(self, run: Run) -> None:
        """Tick a run, or untick it."""
        self._tick(self._lines.index(run))

    def menu(self, row: int) -> QMenu | None:
        """Open the menu of the run in a row and return it; None if there is no finished run."""
        if not 0 <= row < len(self._runs):
            return None
        run = self._lines[row]
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Rename", lambda: self._rename(row))
        menu.addAction(
            "Stop showing beside" if run in self._side_by_side.kept else "Show beside", lambda: self._tick(row)
        )
        menu.addAction("Use these parameters", lambda: self._presenter.use(run))
        menu.addAction("Delete", lambda: self._presenter.delete(run))
        menu.popup(self.viewport().mapToGlobal(self.visualItemRect(self._item(row, _NAME)).bottomLeft()))
        return menu

    def sizeHint(self) -> QSize:
        """Return the preferred size: a few rows, and the others by scrolling."""
        lines = min(max(self.rowCount(), 1), _MOST_LINES)
        return QSize(
            200,
            self.horizontalHeader().sizeHint().height() + lines * line_height(self, _LINE) + 2 * self.frameWidth() + 2,
        )

    def selectionCommand(
        self, index: QModelIndex | QPersistentModelIndex, event: QEvent | None = None
    ) -> QItemSelectionModel.SelectionFlag:
        """Keep the current map selected when the user only ticks another one or opens its menu."""
        if isinstance(event, QMouseEvent):
            right = Qt.MouseButton.RightButton in (event.button(), event.buttons())
            if right or index.column() == _BESIDE or not index.isValid():
                return QItemSelectionModel.SelectionFlag.NoUpdate
        return super().selectionCommand(index, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete, rename or tick the current run, or move to another one."""
        if event.key() not in _KEYS:
            super().keyPressEvent(event)
            return
        # These keys are never passed on: in the viewer they would delete points or move the image.
        if (current := self._runs.current) is None:
            return
        row = self._lines.index(current)
        if event.key() == Qt.Key.Key_F2:
            self._rename(row)
        elif event.key() == Qt.Key.Key_Space:
            self._tick(row)
        else:
            self._presenter.delete(current)

    def _lay_out(self) -> None:
        for column, (word, tip) in enumerate(_HEADS.items()):
            head = QTableWidgetItem(word)
            head.setToolTip(tip)
            self.setHorizontalHeaderItem(column, head)
        for column in (_RECALL, _TRUST):
            self.setItemDelegateForColumn(column, _Shares(self))
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(20)
        self.verticalHeader().setVisible(False)
        follow_font(self, lambda _: self.verticalHeader().setDefaultSectionSize(line_height(self, _LINE)))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _write(self, row: int, run: Run) -> None:
        """Write a run into its row; existing items stay, so that a name being typed is not lost."""
        kept, tip = run.result is not None, course(run)
        for column, text in enumerate(_texts(run)):
            item, flags = self._item(row, column), _FLAGS[column] if kept else Qt.ItemFlag.NoItemFlags
            # Qt reports a change even if the flags stay the same.
            if item.flags() != flags:
                item.setFlags(flags)
            item.setText(text)
            item.setToolTip(tip)
        # A stopped run has neither measure, and the word "stopped" needs both columns.
        span = 2 if stopped_sentence(run) else 1
        if self.columnSpan(row, _RECALL) != span:
            self.setSpan(row, _RECALL, 1, span)
        tick = _check(run in self._side_by_side.kept) if kept else None
        self._item(row, _BESIDE).setData(Qt.ItemDataRole.CheckStateRole, tick)
        for column, measure in _MEASURES.items():
            self._item(row, column).setData(_SHARE, run.result.quality.get(measure) if run.result else None)

    def _select(self, current: Run | None) -> None:
        if current is None:
            self.clearSelection()
        elif not (item := self._item(self._lines.index(current), _NAME)).isSelected():
            command = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().select(self.indexFromItem(item), command)
            self.scrollToItem(item)
            # So that the arrow keys start here; but not while a name is being typed, which would be lost.
            if self.state() != QAbstractItemView.State.EditingState:
                self.setCurrentItem(item)

    def _item(self, row: int, column: int) -> QTableWidgetItem:
        if (item := self.item(row, column)) is None:
            item = QTableWidgetItem()
            if column > _NAME:
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.setItem(row, column, item)
        return item

    def _selected(self) -> None:
        if rows := {index.row() for index in self.selectedIndexes()}:
            self._runs.show(self._lines[rows.pop()])

    def _edited(self, item: QTableWidgetItem) -> None:
        run = self._lines[item.row()]
        if item.column() == _BESIDE:
            self._side_by_side.keep(run, item.checkState() == Qt.CheckState.Checked)
            return
        if not self._presenter.rename(run, item.text()):
            self.refresh()

    def _rename(self, row: int) -> None:
        self.editItem(self._item(row, _NAME))

    def _tick(self, row: int) -> None:
        self._item(row, _BESIDE).setCheckState(_check(self._lines[row] not in self._side_by_side.kept))

    def _menu_at(self, place: QPoint) -> None:
        self.menu(self.rowAt(place.y()))

    def _started(self, run: Run) -> None:
        self._at_work = run
        self.refresh()

    def _ended(self, run: Run) -> None:
        self._at_work = None
        self.refresh()


class _Shares(QStyledItemDelegate):
    """Underlines a share with a bar of that length."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        share = index.data(_SHARE)
        if share is None:
            return
        colour = QColor(option.widget.palette().windowText().color())
        width, foot = option.rect.width() - 8, option.rect.bottom() - _BAR
        for length, alpha in ((width, 50), (width * share, 220)):
            colour.setAlpha(alpha)
            painter.fillRect(QRectF(option.rect.left() + 4, foot, length, _BAR), colour)


def _texts(run: Run) -> list[str]:
    if run.result is None:
        return ["", f"{run.name} …", "", "", ""]
    shares = [run.result.quality.get(measure) for measure in _MEASURES.values()]
    written = ["–" if share is None else f"{share:.2f}" for share in shares]
    if stopped_sentence(run):
        written = ["stopped", ""]
    return ["", run.name, str(len(run.result.embedding)), *written]


def _check(ticked: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
