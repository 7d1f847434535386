"""The part of the panel that shows the selection and the classes."""

from collections.abc import Callable

import ipywidgets as w
import numpy as np

from latentmap.display.actions import ACTIONS, RESTORED, assigned, dropped, selected
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
        self.summary = w.HTML()
        self.undo, self.redo = _action("undo", selection.undo), _action("redo", selection.redo)
        self.invert, self.clear = _action("invert", self._invert), _action("clear", selection.clear)
        named = ACTIONS["class_name"]
        self.class_name = w.Text(placeholder=named.label, layout=w.Layout(flex="2 1 0", min_width="0"))
        self.class_name.tooltip = named.about
        self.assign, self.unassign = _action("assign", self._assign), _action("unassign", self._unassign)
        self.alone, self.drop = _action("alone", embed_alone), _action("drop", self._drop)
        self.restore = _action("restore", self._restore)
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
        selection, n_dropped = self._session.selection, len(self._session.dropped)
        count = len(selection)
        self.summary.value = f"<div style='line-height:1.4'>{selected(count)}</div>"
        self.undo.disabled, self.redo.disabled = not selection.can_undo, not selection.can_redo
        self.invert.disabled = len(self._everyone()) == 0
        for button in (self.clear, self.assign, self.unassign, self.alone, self.drop):
            button.disabled = count == 0
        self.restore.description = f"Bring {n_dropped} back"
        self.restore.layout.display = None if n_dropped else "none"

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
            self._tell(assigned(len(selection), self.class_name.value))

    def _unassign(self) -> None:
        self._session.classes.unassign(self._session.selection.numbers)

    def _drop(self) -> None:
        selection = self._session.selection
        count = len(selection)
        self._session.dropped.drop(selection.numbers, selection.story)
        self._tell(dropped(count))

    def _restore(self) -> None:
        self._session.dropped.restore()
        self._tell(RESTORED)


def _action(name: str, act: Callable[[], object]) -> w.Button:
    return _button(ACTIONS[name].label, ACTIONS[name].about, act)


def _button(text: str, about: str, act: Callable[[], object]) -> w.Button:
    button = w.Button(description=text, tooltip=about, layout=w.Layout(flex="1 1 auto", width="auto"))
    button.on_click(lambda _: act())
    return button
