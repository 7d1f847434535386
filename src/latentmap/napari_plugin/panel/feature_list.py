"""The list in which the user ticks the features to map by."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from magicgui.widgets.bases import ValuedContainerWidget
from qtpy.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRegularExpression,
    QSize,
    QSortFilterProxyModel,
    Qt,
)
from qtpy.QtGui import QKeyEvent
from qtpy.QtWidgets import (
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from latentmap.napari_plugin.qt.wrapping_layout import WrappingLayout
from latentmap.session.wording import counted

_Index = QModelIndex | QPersistentModelIndex
_ROWS = (2, 7)
"""The fewest and the most rows that the list shows without scrolling."""
_AIR = 4
"""How much higher a row is than its text, in pixels."""
_TICK = Qt.ItemDataRole.CheckStateRole
_TOGGLING = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class FeatureList(ValuedContainerWidget[list[str]]):
    """A searchable list of names with check boxes.

    A click or the space bar ticks and unticks a name. During a search the buttons act on the names found.

    Attributes
    ----------
    value : list of str
        The ticked names, in the order of the list; ``changed`` is emitted with them. Names that are not in the list
        are ignored when it is set.
    """

    def __init__(self, tooltip: str = "") -> None:
        super().__init__(labels=False, tooltip=tooltip)
        self.margins = (0, 0, 0, 0)
        self._ticks = _Ticks(self.native)
        self._found = QSortFilterProxyModel(self.native)
        self._found.setSourceModel(self._ticks)
        self.summary = QLabel()
        self.search = QLineEdit(placeholderText="search", clearButtonEnabled=True)
        self.search.setToolTip("Show the names that contain all these words, in any order. Enter goes to the list.")
        self.view = _View(self._found)
        self.all = QPushButton()
        self.none = QPushButton()
        self.only = QPushButton("Only these")
        self.only.setToolTip("Tick the names found, and untick all others.")

        heading, buttons = WrappingLayout(), WrappingLayout()
        heading.addWidget(self.summary)
        heading.addWidget(self.search)
        for button in (self.all, self.none, self.only):
            buttons.addWidget(button)
        layout = self.native.layout()
        layout.setSpacing(4)
        layout.addLayout(heading)
        layout.addWidget(self.view)
        layout.addLayout(buttons)

        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self._go_to_list)
        self.view.clicked.connect(self._flip)
        self.all.clicked.connect(self._tick_found)
        self.none.clicked.connect(self._untick_found)
        self.only.clicked.connect(self._tick_only_found)
        self._ticks.dataChanged.connect(self._ticked)
        self._describe()

    @property
    def choices(self) -> tuple[str, ...]:
        """The names in the list. When it is set, old names keep their ticks and new ones are unticked."""
        return self._ticks.names

    @choices.setter
    def choices(self, names: Iterable[str]) -> None:
        before = self.value
        self._ticks.offer(tuple(names), before)
        self.view.updateGeometry()
        self._describe()
        if self.value != before:
            self.changed.emit(self.value)

    @property
    def found(self) -> list[str]:
        """The names found; all of them without a search."""
        return [self._ticks.names[row] for row in self._rows_found()]

    def get_value(self) -> list[str]:
        """Return the ticked names."""
        return [name for name, ticked in zip(self._ticks.names, self._ticks.ticked.tolist(), strict=True) if ticked]

    def set_value(self, value: Any) -> None:
        """Tick these names and no others."""
        self._ticks.tick(self._ticks.indices_of(value))

    def _rows_found(self) -> list[int]:
        source = self._found.mapToSource
        return [source(self._found.index(row, 0)).row() for row in range(self._found.rowCount())]

    def _search(self, text: str) -> None:
        every_word = "".join(f"(?=.*{QRegularExpression.escape(word)})" for word in text.split())
        option = QRegularExpression.PatternOption.CaseInsensitiveOption
        self._found.setFilterRegularExpression(QRegularExpression(every_word, option))
        self._describe()

    def _go_to_list(self) -> None:
        self.view.setCurrentIndex(self._found.index(0, 0))
        self.view.setFocus()

    def _flip(self, index: QModelIndex) -> None:
        ticked = self._ticks.ticked.copy()
        ticked[self._found.mapToSource(index).row()] ^= True
        self._ticks.tick(ticked)

    def _tick_found(self) -> None:
        ticked = self._ticks.ticked.copy()
        ticked[self._rows_found()] = True
        self._ticks.tick(ticked)

    def _untick_found(self) -> None:
        ticked = self._ticks.ticked.copy()
        ticked[self._rows_found()] = False
        self._ticks.tick(ticked)

    def _tick_only_found(self) -> None:
        ticked = np.zeros_like(self._ticks.ticked)
        ticked[self._rows_found()] = True
        self._ticks.tick(ticked)

    def _ticked(self) -> None:
        self._describe()
        self.changed.emit(self.value)

    def _describe(self) -> None:
        n_offered, n_found, n_ticked = len(self.choices), self._found.rowCount(), int(self._ticks.ticked.sum())
        searching = bool(self.search.text().strip())
        self.summary.setText(f"{n_ticked} of {counted(n_offered, 'feature')}")
        self.all.setText(f"Tick {n_found} found" if searching else "All")
        self.none.setText(f"Untick {n_found}" if searching else "None")
        self.all.setToolTip("Tick the names found." if searching else "Tick all.")
        self.none.setToolTip("Untick the names found." if searching else "Untick all.")
        self.only.setVisible(searching)
        for button in (self.all, self.none, self.only):
            button.setEnabled(n_found > 0)


class _Ticks(QAbstractListModel):
    """A Qt model of names and their ticks, which emits one signal for any number of changes."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.names: tuple[str, ...] = ()
        self.ticked = np.zeros(0, dtype=bool)

    def offer(self, names: tuple[str, ...], ticked: Iterable[str]) -> None:
        self.beginResetModel()
        self.names = names
        self.ticked = self.indices_of(ticked)
        self.endResetModel()

    def indices_of(self, names: Iterable[str]) -> np.ndarray:
        named = set(names)
        return np.array([name in named for name in self.names], dtype=bool)

    def tick(self, ticked: np.ndarray) -> None:
        if not np.array_equal(self.ticked, ticked):
            self.ticked = ticked
            # Because the role is named, the proxy does not filter again.
            self.dataChanged.emit(self.index(0), self.index(len(self.names) - 1), [_TICK])

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.names)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.names[index.row()]
        if role == _TICK:
            return Qt.CheckState.Checked if self.ticked[index.row()] else Qt.CheckState.Unchecked
        return None


class _Row(QStyledItemDelegate):
    """Makes rows as wide as the list, so that long names are elided in the middle."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(1, super().sizeHint(option, index).height() + _AIR)


class _View(QListView):
    """A list as high as its names need, within limits, in which the keyboard does what a click does."""

    def __init__(self, model: QSortFilterProxyModel) -> None:
        super().__init__()
        self._found = model
        self.setModel(model)
        # So that Qt does not ask for the size of each of thousands of rows.
        self.setUniformItemSizes(True)
        self.setItemDelegate(_Row(self))
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        least, most = _ROWS
        rows = min(max(self._found.sourceModel().rowCount(), least), most)
        height = max(self.sizeHintForRow(0), self.fontMetrics().height() + _AIR)
        return QSize(100, rows * height + 2 * self.frameWidth())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _TOGGLING and self.currentIndex().isValid():
            self.clicked.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)
