"""The part of the panel that shows the selection and the classes."""

from collections.abc import Callable

import numpy as np
from magicgui.widgets import Container, LineEdit, PushButton
from qtpy.QtCore import QSize, Qt
from qtpy.QtGui import QColor, QPixmap
from qtpy.QtWidgets import QAbstractItemView, QColorDialog, QListWidget, QListWidgetItem, QMenu, QWidget

from latentmap.display.actions import ACTIONS, RESTORED, assigned, dropped, selected
from latentmap.napari_plugin.panel.form import beside
from latentmap.napari_plugin.qt.words import words
from latentmap.session import Classes, Selection, Session
from latentmap.session.selection import Mode

_SWATCH = 14
_LIST_HEIGHT = 90


class SelectionSection(Container):
    """How many cells are selected, and what can be done with them.

    Parameters
    ----------
    session : Session
    everyone : callable
        Returns the numbers of the cells on the map.
    embed_alone : callable
        Makes a map of the cells selected alone.
    tell : callable
        Takes a sentence for the user.
    """

    def __init__(
        self,
        session: Session,
        everyone: Callable[[], np.ndarray],
        embed_alone: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._everyone, self._tell = session, everyone, tell
        self._selection, self._classes = session.selection, session.classes
        self.summary = words()
        self.undo, self.redo, self.invert, self.clear_button = map(_button, ("undo", "redo", "invert", "clear"))
        self.class_name = LineEdit(tooltip=ACTIONS["class_name"].about)
        self.assign, self.unassign, self.alone, self.drop = map(_button, ("assign", "unassign", "alone", "drop"))
        self.restore = _button("restore")
        super().__init__(
            widgets=[
                self.summary,
                beside(self.undo, self.redo, self.invert, self.clear_button),
                beside(self.class_name, self.assign, self.unassign),
                beside(self.alone, self.drop, self.restore),
            ],
            labels=False,
        )
        self.margins = (0, 0, 0, 0)
        self.class_name.native.setPlaceholderText(ACTIONS["class_name"].label)
        self.class_list = ClassList(self._selection, self._classes, tell)
        self.native.layout().insertWidget(3, self.class_list)
        self.undo.changed.connect(self._selection.undo)
        self.redo.changed.connect(self._selection.redo)
        self.invert.changed.connect(self._invert)
        self.clear_button.changed.connect(self._selection.clear)
        self.assign.changed.connect(self._assign)
        self.unassign.changed.connect(self._unassign)
        self.alone.changed.connect(embed_alone)
        self.drop.changed.connect(self._drop)
        self.restore.changed.connect(self._restore)
        self.class_name.native.returnPressed.connect(self.assign.native.click)
        self._selection.changed.connect(self.refresh)
        self._classes.changed.connect(self.refresh)
        session.dropped.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show how many cells are selected, and what can be done with them."""
        count, n_dropped = len(self._selection), len(self._session.dropped)
        self.summary.value = selected(count)
        self.undo.enabled, self.redo.enabled = self._selection.can_undo, self._selection.can_redo
        self.invert.enabled = len(self._everyone()) > 0
        for button in (self.clear_button, self.assign, self.unassign, self.alone, self.drop):
            button.enabled = count > 0
        self.class_list.setVisible(len(self._classes) > 0)
        self.restore.visible, self.restore.text = n_dropped > 0, f"Bring {n_dropped} back"

    def _invert(self) -> None:
        self._selection.invert(self._everyone())

    def _assign(self) -> None:
        try:
            self._classes.assign(self.class_name.value, self._selection.numbers, self._selection.story)
        except ValueError as error:
            self._tell(str(error))
        else:
            self._tell(assigned(len(self._selection), self.class_name.value))

    def _unassign(self) -> None:
        self._classes.unassign(self._selection.numbers)

    def _drop(self) -> None:
        count = len(self._selection)
        self._session.dropped.drop(self._selection.numbers, self._selection.story)
        self._tell(dropped(count))

    def _restore(self) -> None:
        self._session.dropped.restore()
        self._tell(RESTORED)


def _button(name: str) -> PushButton:
    return PushButton(text=ACTIONS[name].label, tooltip=ACTIONS[name].about)


class ClassList(QListWidget):
    """The classes: a click selects their cells, a double click renames, the menu of the right button has the rest.

    Parameters
    ----------
    selection : Selection
    classes : Classes
    tell : callable
        Takes a sentence for the user.
    """

    def __init__(self, selection: Selection, classes: Classes, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._selection, self._classes, self._tell = selection, classes, tell
        self.setMaximumHeight(_LIST_HEIGHT)
        self.setIconSize(QSize(_SWATCH, _SWATCH))
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setToolTip("Click: select its cells. Double click: rename. Right button: colour, delete.")
        self.itemClicked.connect(self._chosen)
        self.itemChanged.connect(self._renamed)
        self.customContextMenuRequested.connect(lambda place: self.menu(self.itemAt(place)))
        classes.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the classes as they are."""
        self.blockSignals(True)
        self.clear()
        for one in self._classes:
            item = QListWidgetItem(one.name)
            swatch = QPixmap(_SWATCH, _SWATCH)
            swatch.fill(QColor(one.colour))
            item.setIcon(swatch)
            item.setData(Qt.ItemDataRole.UserRole, one.name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            how = "; ".join(f"{choice.mode} by {choice.how}" for choice in one.story if choice.how)
            item.setToolTip(f"{len(self._classes.members(one.name))} cells" + (f" ({how})" if how else ""))
            self.addItem(item)
        self.blockSignals(False)

    def menu(self, item: QListWidgetItem | None) -> QMenu | None:
        """Offer what can be done with a class.

        Parameters
        ----------
        item : QListWidgetItem or None
            The line under the mouse.

        Returns
        -------
        QMenu or None
            The menu, shown already.
        """
        if item is None:
            return None
        name = item.data(Qt.ItemDataRole.UserRole)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Add its cells to the selection", lambda: self._choose(name, "add"))
        menu.addAction("Colour…", lambda: self._recolour(name))
        menu.addAction("Delete the class", lambda: self._classes.delete(name))
        menu.popup(self.mapToGlobal(self.visualItemRect(item).bottomLeft()))
        return menu

    def _chosen(self, item: QListWidgetItem) -> None:
        self._choose(item.data(Qt.ItemDataRole.UserRole), "replace")

    def _choose(self, name: str, mode: Mode) -> None:
        self._selection.choose(self._classes.members(name), mode, how=f'class "{name}"')

    def _renamed(self, item: QListWidgetItem) -> None:
        try:
            self._classes.rename(item.data(Qt.ItemDataRole.UserRole), item.text())
        except ValueError as error:
            self._tell(str(error))
            self.refresh()

    def _recolour(self, name: str) -> None:
        parent: QWidget = self
        colour = QColorDialog.getColor(QColor(self._classes[name].colour), parent, f'Colour of "{name}"')
        if colour.isValid():
            self._classes.recolour(name, colour.name())
