"""The part of the panel that shows the selection and the classes."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from magicgui.widgets import Container, LineEdit, PushButton
from magicgui.widgets.bases import Widget
from qtpy.QtCore import QSize, Qt
from qtpy.QtGui import QColor, QPixmap
from qtpy.QtWidgets import QAbstractItemView, QColorDialog, QListWidget, QListWidgetItem, QMenu, QWidget

from latentmap.display.actions import ACTIONS
from latentmap.napari_plugin.qt.rows import in_row
from latentmap.napari_plugin.qt.wrapped_label import wrapped_label
from latentmap.presenters.selecting import ClassLine, SelectionPresenter
from latentmap.session import Session

_SWATCH = 14
_LIST_HEIGHT = 90


class SelectionSection(Container[Widget]):
    """Draws what `SelectionPresenter` decides."""

    def __init__(
        self,
        session: Session,
        everyone: Callable[[], np.ndarray],
        embed_alone: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        self._presenter = SelectionPresenter(session, self, everyone, embed_alone, tell)
        self.summary = wrapped_label()
        self.undo, self.redo, self.invert, self.clear_button = map(_button, ("undo", "redo", "invert", "clear"))
        self.class_name = LineEdit(tooltip=ACTIONS["class_name"].about)
        self.assign, self.unassign, self.alone, self.drop = map(_button, ("assign", "unassign", "alone", "drop"))
        self.restore = _button("restore")
        self._buttons = {
            **{"undo": self.undo, "redo": self.redo, "invert": self.invert, "clear": self.clear_button},
            **{"unassign": self.unassign, "alone": self.alone, "drop": self.drop, "restore": self.restore},
        }
        super().__init__(
            widgets=[
                self.summary,
                in_row(self.undo, self.redo, self.invert, self.clear_button),
                in_row(self.class_name, self.assign, self.unassign),
                in_row(self.alone, self.drop, self.restore),
            ],
            labels=False,
        )
        self.margins = (0, 0, 0, 0)
        self.class_name.native.setPlaceholderText(ACTIONS["class_name"].label)
        self.class_list = ClassList(self._presenter)
        self.native.layout().insertWidget(3, self.class_list)
        for name, button in self._buttons.items():
            button.changed.connect(self._presenter.actions[name], max_args=0)
        self.assign.changed.connect(self._assign)
        self.class_name.native.returnPressed.connect(self.assign.native.click)
        self._presenter.refresh()
        self._presenter.list_classes()

    def show_selection(self, summary: str, possible: Mapping[str, bool], restore: str) -> None:
        """Show how many cells are selected, and enable what can be done with them."""
        self.summary.value = summary
        for name, can in possible.items():
            (self.assign if name == "assign" else self._buttons[name]).enabled = can
        self.restore.visible, self.restore.text = bool(restore), restore

    def show_classes(self, lines: Sequence[ClassLine]) -> None:
        """Show the classes, if there are any."""
        self.class_list.show_lines(lines)
        self.class_list.setVisible(len(lines) > 0)

    def _assign(self) -> None:
        self._presenter.assign(self.class_name.value)


def _button(name: str) -> PushButton:
    return PushButton(text=ACTIONS[name].label, tooltip=ACTIONS[name].about)


class ClassList(QListWidget):
    """The classes: a click selects the cells, a double click renames, a right click opens a menu."""

    def __init__(self, presenter: SelectionPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._lines: Sequence[ClassLine] = ()
        self.setMaximumHeight(_LIST_HEIGHT)
        self.setIconSize(QSize(_SWATCH, _SWATCH))
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setToolTip("Click to select the cells of a class, double-click to rename it, right-click for more.")
        self.itemClicked.connect(self._chosen)
        self.itemChanged.connect(self._renamed)
        self.customContextMenuRequested.connect(lambda place: self.menu(self.itemAt(place)))

    def show_lines(self, lines: Sequence[ClassLine]) -> None:
        """Show these classes."""
        self._lines = lines
        self.blockSignals(True)
        self.clear()
        for line in lines:
            item = QListWidgetItem(line.name)
            swatch = QPixmap(_SWATCH, _SWATCH)
            swatch.fill(QColor(line.colour))
            item.setIcon(swatch)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            item.setToolTip(f"{line.n_cells} cells" + (f" ({line.how})" if line.how else ""))
            self.addItem(item)
        self.blockSignals(False)

    def menu(self, item: QListWidgetItem | None) -> QMenu | None:
        """Open the menu of the class in a row and return it; None without a row."""
        if item is None:
            return None
        line = self._line(item)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Add its cells to the selection", lambda: self._presenter.choose_class(line.name, "add"))
        menu.addAction("Colour…", lambda: self._recolour(line))
        menu.addAction("Delete the class", lambda: self._presenter.delete_class(line.name))
        menu.popup(self.mapToGlobal(self.visualItemRect(item).bottomLeft()))
        return menu

    def _line(self, item: QListWidgetItem) -> ClassLine:
        return self._lines[self.row(item)]

    def _chosen(self, item: QListWidgetItem) -> None:
        self._presenter.choose_class(self._line(item).name)

    def _renamed(self, item: QListWidgetItem) -> None:
        self._presenter.rename_class(self._line(item).name, item.text())

    def _recolour(self, line: ClassLine) -> None:
        parent: QWidget = self
        colour = QColorDialog.getColor(QColor(line.colour), parent, f'Colour of "{line.name}"')
        if colour.isValid():
            self._presenter.recolour_class(line.name, colour.name())
