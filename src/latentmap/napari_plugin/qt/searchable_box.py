"""A list to choose from, in which one can type to search."""

from collections.abc import Sequence
from typing import Any

from qtpy.QtCore import QEvent, QObject, QStringListModel, Qt, Signal
from qtpy.QtGui import QKeyEvent
from qtpy.QtWidgets import QComboBox, QCompleter, QLineEdit, QListView, QSizePolicy

from latentmap.display.name_search import find_names

_SHORTEST = 12  # letters


class SearchableBox(QComboBox):
    """A list of thousands of things: what is typed narrows it to the names that hold all these words.

    Return takes the first name found; leaving the field without a choice brings back the former one.
    """

    changed = Signal(object)
    """Emitted with the thing chosen, by the user or by the program."""

    def __init__(self, tooltip: str = "") -> None:
        super().__init__()
        self._choices: list[tuple[str, Any]] = []
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setToolTip(f"{tooltip} Type to search.".strip())
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_SHORTEST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        view = QListView()
        view.setUniformItemSizes(True)  # otherwise Qt measures each of thousands of names
        self.setView(view)
        self._found = QStringListModel(self)
        self._completer, self._field = completer, field = QCompleter(self._found, self), QLineEdit()
        field.setPlaceholderText("type to search")
        completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.setLineEdit(field)
        # Not the box's own completer, which would take the rows of the names found for those of all names.
        self.setCompleter(None)  # type: ignore[arg-type]
        field.setCompleter(completer)
        field.textEdited.connect(self._search)
        field.returnPressed.connect(self._take_first)
        field.editingFinished.connect(self._show)
        field.installEventFilter(self)
        completer.activated.connect(self._take)
        self.currentIndexChanged.connect(self._tell)

    @property
    def choices(self) -> tuple[Any, ...]:
        """What there is to choose from."""
        return tuple(thing for _, thing in self._choices)

    @property
    def value(self) -> Any:
        """What is chosen; None if there is nothing to choose from."""
        return self._choices[self.currentIndex()][1] if 0 <= self.currentIndex() < len(self._choices) else None

    @value.setter
    def value(self, thing: Any) -> None:
        self.setCurrentIndex(self.choices.index(thing))
        self._show()

    def offer(self, choices: Sequence[tuple[str, Any]], chosen: Any) -> None:
        """Offer other things, each under its name, and choose one of them."""
        before = self.value
        self.blockSignals(True)
        self.clear()
        self._choices = list(choices)
        self.addItems([name for name, _ in choices])
        self._found.setStringList([name for name, _ in choices])
        self.value = chosen
        self.blockSignals(False)
        if self.value != before:
            self.changed.emit(self.value)

    def eventFilter(self, field: QObject, event: QEvent) -> bool:
        """Mark the name when the field is clicked, so that typing replaces it."""
        if event.type() == QEvent.Type.MouseButtonRelease and not self._field.hasSelectedText():
            self._field.selectAll()
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self._show()
        return False

    def _search(self, words: str) -> None:
        self._found.setStringList([self._choices[index][0] for index in self._matches(words)])
        self._completer.complete()

    def _matches(self, words: str) -> list[int]:
        return find_names([name for name, _ in self._choices], words)

    def _take(self, name: str) -> None:
        self.setCurrentIndex(next(index for index, (one, _) in enumerate(self._choices) if one == name))

    def _take_first(self) -> None:
        popup, typed = self._completer.popup(), self._field.text()
        if popup is not None and popup.isVisible() and popup.currentIndex().isValid():
            return  # the name marked in the list is taken
        if self._field.isModified() and (found := self._matches(typed)):
            exact = [index for index in found if self._choices[index][0] == typed]
            self.setCurrentIndex((exact or found)[0])
        self._show()

    def _show(self) -> None:
        """Show what is chosen, whatever was typed."""
        self.setEditText(self.itemText(self.currentIndex()))
        self._field.setModified(False)
        self._field.setCursorPosition(0)

    def _tell(self, _: int) -> None:
        self.changed.emit(self.value)
