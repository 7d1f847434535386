"""Pictures of the selected cells, side by side."""

from collections.abc import Callable
from time import perf_counter
from typing import Any, cast

import numpy as np
import pandas as pd
from qtpy.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt, QTimer
from qtpy.QtGui import QPixmap, QResizeEvent, QShowEvent
from qtpy.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from latentmap.display.cell_order import ABOUT, ORDERS, ordered_cells, selection_headline
from latentmap.napari_plugin.qt.pictures import pixmap
from latentmap.napari_plugin.qt.wrapping_layout import WrappingLayout
from latentmap.session import CellIndex, Selection
from latentmap.table import KEY, Key
from latentmap.table.key_parts import n_distinct

PICTURE = 64
"""The side of a picture, in pixels."""
WAIT = 60
"""How long to wait for further changes of the selection, in milliseconds."""
TURN = 0.008
"""How long pictures are made in one turn of the event loop, in seconds; at least one is."""
KEPT = 3000
"""The largest number of pictures kept in memory."""

_MARGIN = 3
_Index = QModelIndex | QPersistentModelIndex


class Gallery(QWidget):
    """Pictures of the selected cells; a click goes to the cell in the image.

    Only visible pictures are made, a few in each turn of the event loop, so the cost does not grow with the selection.

    Parameters
    ----------
    picture : callable
        Takes a cell's key and a size; returns its picture, an ndarray of uint8 of shape (size, size, 3), or None if it
        has none.
    go_to : callable
        Takes the key of the cell that the user clicked.
    uncertainty : callable, optional
        Takes the numbers of cells and returns the variances of their positions, NaN where unknown. With it the user can
        sort the most typical or the most uncertain cells first.
    """

    def __init__(
        self,
        selection: Selection,
        cell_index: CellIndex,
        picture: Callable[[Key, int], np.ndarray | None],
        go_to: Callable[[Key], None],
        uncertainty: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:
        super().__init__()
        self._selection, self._cell_index, self._go_to, self._uncertainty = selection, cell_index, go_to, uncertainty
        self.headline = QLabel()
        self.headline.setWordWrap(True)
        self.order = QComboBox()
        for order in ORDERS:
            self.order.addItem(order, order)
        self.order.setToolTip(ABOUT)
        self.model = Pictures(picture, self.devicePixelRatioF(), self)
        self.view = _Grid(self.model)
        head = WrappingLayout()
        head.addWidget(self.headline)
        head.addWidget(self.order)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(head)
        layout.addWidget(self.view, 1)
        layout.addStretch()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT)
        self._timer.timeout.connect(self._update)
        self.view.clicked.connect(self._clicked)
        self.order.currentIndexChanged.connect(self._update)
        selection.changed.connect(self._selection_changed)
        self._update()

    @property
    def waiting(self) -> bool:
        """Whether the pictures on screen are about to change."""
        return self._timer.isActive() or self.model.making

    def refresh(self) -> None:
        """Make all pictures again, after the images, their contrast or the labels have changed."""
        self.model.forget()
        self._update()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with changes made while the gallery was hidden: cells may now be paired with other images."""
        super().showEvent(event)
        self.refresh()

    def _selection_changed(self, *_: object) -> None:
        if self.isVisible() and not self._timer.isActive():
            self._timer.start()

    def _update(self, *_: object) -> None:
        self._timer.stop()
        count = len(self._selection)
        self.headline.setText(selection_headline(count))
        self.view.setVisible(count > 0)
        self.order.setVisible(count > 0 and self._uncertainty is not None)
        self.view.show_cells(self._ordered())

    def _ordered(self) -> pd.MultiIndex:
        if self._uncertainty is None:
            return self._selection.keys.sort_values()
        return self._cell_index.keys(ordered_cells(self._selection, self.order.currentData(), self._uncertainty))

    def _clicked(self, index: QModelIndex) -> None:
        key = self.model.key(index)
        if key is not None:
            self._go_to(key)


class Pictures(QAbstractTableModel):
    """Cells in rows as wide as the window; their pictures are made once they come into view.

    Parameters
    ----------
    picture : callable
        Takes a cell's key and a size.
    ratio : float
        Screen pixels per window pixel.
    """

    def __init__(self, picture: Callable[[Key, int], np.ndarray | None], ratio: float, parent: QWidget) -> None:
        super().__init__(parent)
        self._picture, self._ratio = picture, ratio
        self._keys = pd.MultiIndex.from_arrays([[], [], []])
        self._n_columns = 1
        self._several_layers = self._several_frames = False
        self._made: dict[Key, QPixmap] = {}
        self._wanted: dict[Key, QPersistentModelIndex] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._make)

    @property
    def making(self) -> bool:
        """Whether pictures are being made."""
        return self._timer.isActive()

    @property
    def n_lines(self) -> int:
        """The number of lines of a caption."""
        return 1 + self._several_layers + self._several_frames

    def show_cells(self, keys: pd.MultiIndex, n_columns: int) -> None:
        """Show these cells, with this many in a row."""
        self.beginResetModel()
        self._keys, self._n_columns = keys, n_columns
        several = [n_distinct(keys, part) > 1 for part in KEY[:2]]
        self._several_layers, self._several_frames = several
        self.stop()
        self.endResetModel()

    @property
    def keys(self) -> pd.MultiIndex:
        """The keys of the cells."""
        return self._keys

    @property
    def n_columns(self) -> int:
        """The number of cells in a row."""
        return self._n_columns

    def key(self, index: _Index) -> Key | None:
        """Return the key of the cell at an index; None beyond the last cell."""
        place = index.row() * self._n_columns + index.column()
        if not index.isValid() or place >= len(self._keys):
            return None
        # pandas returns NumPy integers.
        layer, frame, label = cast(Key, self._keys[place])
        return str(layer), int(frame), int(label)

    def forget(self) -> None:
        """Discard all pictures."""
        self._made.clear()

    def stop(self) -> None:
        """Stop making pictures; Qt asks again for those in view."""
        self._wanted.clear()
        self._timer.stop()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of rows."""
        return 0 if parent.isValid() else -(-len(self._keys) // self._n_columns)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns."""
        return 0 if parent.isValid() else self._n_columns

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Disable the empty positions after the last cell."""
        return super().flags(index) if self.key(index) is not None else Qt.ItemFlag.NoItemFlags

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the caption, tooltip or picture of a cell."""
        key = self.key(index)
        if key is None:
            return None
        layer, frame, label = key
        if role == Qt.ItemDataRole.DisplayRole:
            lines = [str(label), *[f"frame {frame}"] * self._several_frames, *[layer] * self._several_layers]
            return "\n".join(lines)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f'Label {label} in "{layer}", frame {frame}. Click to go to the cell.'
        if role == Qt.ItemDataRole.DecorationRole:
            return self._picture_of(key, index)
        return None

    def _picture_of(self, key: Key, index: _Index) -> QPixmap | None:
        if key not in self._made:
            self._wanted[key] = QPersistentModelIndex(index)
            self._timer.start()
        return self._made.get(key)

    def _make(self) -> None:
        end = perf_counter() + TURN
        while self._wanted:
            key = next(iter(self._wanted))
            index = self._wanted.pop(key)
            self._made[key] = pixmap(self._picture(key, round(PICTURE * self._ratio)), PICTURE, self._ratio)
            if len(self._made) > KEPT:
                del self._made[next(iter(self._made))]
            place = self.index(index.row(), index.column())
            self.dataChanged.emit(place, place)
            if perf_counter() > end:
                return
        self._timer.stop()


class _Grid(QTableView):
    """Shows pictures from left to right. A list view would lay out all of 100 000 cells whenever one changes."""

    def __init__(self, model: Pictures) -> None:
        super().__init__()
        self._pictures = model
        self.setAccessibleName("pictures of the selected cells")
        self.setModel(model)
        self.setItemDelegate(_PictureAbove(self))
        self.setIconSize(QSize(PICTURE, PICTURE))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        across, down = self.horizontalHeader(), self.verticalHeader()
        across.hide()
        down.hide()
        across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumHeight(2 * PICTURE)
        # Pictures already asked for may be out of view now.
        self.verticalScrollBar().valueChanged.connect(self._scrolled)

    def show_cells(self, keys: pd.MultiIndex) -> None:
        """Show these cells."""
        self._pictures.show_cells(keys, self._n_fitting())
        height = PICTURE + 4 * _MARGIN + self._pictures.n_lines * self.fontMetrics().height()
        self.verticalHeader().setDefaultSectionSize(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit as many cells in a row as there is room for, and keep the first one in view."""
        super().resizeEvent(event)
        before, after = self._pictures.n_columns, self._n_fitting()
        if before != after:
            place = max(0, self.rowAt(0)) * before
            self._pictures.show_cells(self._pictures.keys, after)
            self.scrollTo(self._pictures.index(place // after, 0), QAbstractItemView.ScrollHint.PositionAtTop)

    def _n_fitting(self) -> int:
        return max(1, self.viewport().width() // (PICTURE + 2 * _MARGIN))

    def _scrolled(self, *_: object) -> None:
        self._pictures.stop()
        self.viewport().update()


class _PictureAbove(QStyledItemDelegate):
    """Draws a picture above its caption."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:
        super().initStyleOption(option, index)
        option.decorationSize = QSize(PICTURE, PICTURE + 2 * _MARGIN)
        option.decorationPosition = QStyleOptionViewItem.Position.Top
        option.decorationAlignment = option.displayAlignment = Qt.AlignmentFlag.AlignCenter
