"""The part of the panel that shows the selection and the classes."""

from collections.abc import Callable

import ipywidgets as w
import numpy as np

from latentmap.jupyter.closing import close_all
from latentmap.session import Session


class SelectionSection(w.VBox):
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
        selection = session.selection
        self.summary = w.Label()
        self.undo = _button("Undo", "Take the last change of the selection back.", selection.undo)
        self.redo = _button("Redo", "Make it again.", selection.redo)
        self.invert = _button("Invert", "Select the cells on the map that are not selected.", self._invert)
        self.clear = _button("Clear", "Select no cell.", selection.clear)
        self.class_name = w.Text(placeholder="name of a class", layout=w.Layout(flex="2 1 0", min_width="0"))
        self.class_name.tooltip = "The name of a class, an old or a new one."
        self.assign = _button("Name as class", "Put the cells selected into the class of this name.", self._assign)
        self.unassign = _button("No class", "Take the cells selected out of their classes.", self._unassign)
        self.alone = _button("Embed alone", "Make a map of the cells selected and no others.", embed_alone)
        self.drop = _button("Drop", "Take the cells selected out of all later maps and tables.", self._drop)
        self.restore = _button("", "Have the cells back that were dropped.", self._restore)
        self.classes = w.VBox()
        super().__init__(
            [
                self.summary,
                w.HBox([self.undo, self.redo, self.invert, self.clear]),
                self.classes,
                w.HBox([self.class_name, self.assign]),
                w.HBox([self.unassign, self.alone, self.drop, self.restore]),
            ]
        )
        for signal in (selection.changed, session.classes.changed, session.dropped.changed, session.runs.changed):
            signal.connect(self.refresh, max_args=0)
        session.classes.changed.connect(self._list_classes, max_args=0)
        self.refresh()

    def refresh(self) -> None:
        """Show how many cells are selected, and what can be done with them."""
        selection, dropped = self._session.selection, len(self._session.dropped)
        count = len(selection)
        cells = f"{count} cell{'s' * (count != 1)}" if count else "none. Draw a lasso on the map, or click a cell."
        self.summary.value = f"Selection: {cells}"
        self.undo.disabled, self.redo.disabled = not selection.can_undo, not selection.can_redo
        self.invert.disabled = len(self._everyone()) == 0
        for button in (self.clear, self.assign, self.unassign, self.alone, self.drop):
            button.disabled = count == 0
        self.restore.description = f"Bring {dropped} back"
        self.restore.layout.display = None if dropped else "none"

    def _list_classes(self) -> None:
        """A line for each class: its colour, a button that selects its cells, one that deletes it."""
        classes = self._session.classes
        for line in self.classes.children:
            close_all(line)
        self.classes.children = [self._line(one.name, one.colour, len(classes.members(one.name))) for one in classes]

    def _line(self, name: str, colour: str, count: int) -> w.HBox:
        picker = w.ColorPicker(concise=True, value=colour, layout=w.Layout(width="32px"))
        picker.observe(lambda change: self._session.classes.recolour(name, change.new), "value")
        chosen = _button(f"{name} ({count})", "Select the cells of this class.", lambda: self._choose(name))
        deleted = _button("✕", "Delete the class.", lambda: self._session.classes.delete(name))
        deleted.layout.flex, deleted.layout.width = "0 0 auto", "32px"
        return w.HBox([picker, chosen, deleted])

    def _choose(self, name: str) -> None:
        self._session.selection.choose(self._session.classes.members(name), how=f'class "{name}"')

    def _invert(self) -> None:
        self._session.selection.invert(self._everyone())

    def _assign(self) -> None:
        selection = self._session.selection
        try:
            self._session.classes.assign(self.class_name.value, selection.numbers, selection.story)
        except ValueError as error:
            self._tell(str(error))
        else:
            self._tell(f'{len(selection)} cells are in the class "{self.class_name.value.strip()}" now.')

    def _unassign(self) -> None:
        self._session.classes.unassign(self._session.selection.numbers)

    def _drop(self) -> None:
        selection = self._session.selection
        count = len(selection)
        self._session.dropped.drop(selection.numbers, selection.story)
        self._tell(f"{count} cell{'s' * (count != 1)} dropped: no later map and no saved table has them.")

    def _restore(self) -> None:
        self._session.dropped.restore()
        self._tell("The dropped cells are back; the next map has them.")


def _button(text: str, about: str, act: Callable[[], object]) -> w.Button:
    button = w.Button(description=text, tooltip=about, layout=w.Layout(flex="1 1 auto", width="auto"))
    button.on_click(lambda _: act())
    return button
