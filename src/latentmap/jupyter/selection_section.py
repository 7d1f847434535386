"""The part of the panel with the selection and the classes."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from latentmap.display.actions import ACTIONS
from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import paragraph
from latentmap.jupyter.kept_lines import KeptLines
from latentmap.presenters.selecting import ClassLine, SelectionPresenter
from latentmap.session import Session

_SMALL = {"flex": "0 0 auto", "width": "32px"}


class SelectionSection(w.VBox):
    """Draws what `SelectionPresenter` decides."""

    def __init__(
        self,
        session: Session,
        everyone: Callable[[], np.ndarray],
        embed_alone: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        self._presenter = SelectionPresenter(session, self, everyone, embed_alone, tell)
        self.summary = w.HTML()
        named = ACTIONS["class_name"]
        self.class_name = w.Text(placeholder=named.label, layout=w.look(flex="2 1 0", min_width="0"))
        self.class_name.tooltip = named.about
        acts = self._presenter.actions | {"assign": lambda: self._presenter.assign(self.class_name.value)}
        self._buttons = {name: _button(ACTIONS[name].label, ACTIONS[name].about, act) for name, act in acts.items()}
        self.assign, self.alone, self.drop, self.restore = map(
            self._buttons.__getitem__, ("assign", "alone", "drop", "restore")
        )
        self.classes = KeptLines()
        super().__init__(
            [
                self.summary,
                self._row("undo", "redo", "invert", "clear"),
                self.classes,
                w.HBox([self.class_name, self.assign]),
                self._row("unassign", "alone", "drop", "restore"),
            ]
        )
        self._presenter.refresh()
        self._presenter.list_classes()

    def show_selection(self, summary: str, possible: Mapping[str, bool], restore: str) -> None:
        """Show how many cells are selected, and enable the buttons that can be pressed."""
        self.summary.value = paragraph(summary)
        for name, can in possible.items():
            self._buttons[name].disabled = not can
        self.restore.description = restore
        w.set_visible(self.restore, restore)

    def show_classes(self, lines: Sequence[ClassLine]) -> None:
        """Show a line for each class: its colour, a button that selects its cells, and one that deletes it."""
        self.classes.show(lines, self._line)

    def _line(self, of: ClassLine) -> w.HBox:
        name, colour, count, _ = of
        picker = w.ColorPicker(concise=True, value=colour, layout=w.look(width="32px"))
        picker.observe(lambda change: self._presenter.recolour_class(name, change.new), "value")
        choose, delete = self._presenter.choose_class, self._presenter.delete_class
        chosen = _button(f"{name} ({count})", "Select the cells of this class.", lambda: choose(name))
        rename = ACTIONS["rename"]
        renamed = _button(rename.label, rename.about, lambda: self._ask_name(line, of), **_SMALL)
        deleted = _button("✕", "Delete this class.", lambda: delete(name), **_SMALL)
        line = w.HBox([picker, chosen, renamed, deleted])
        return line

    def _ask_name(self, line: w.HBox, of: ClassLine) -> None:
        """Open a field for the new name of a class, in place of its button, or close it; Return renames the class."""
        if isinstance(line.children[1], w.Text):
            return self._presenter.list_classes()
        self.classes.renew(of)
        field = w.Text(of.name, continuous_update=False, layout=w.look(flex="1 1 auto", width="auto", min_width="0"))
        field.tooltip = "Press Return to rename the class."
        picker, button, *others = line.children
        w.close_widgets(button)
        line.children = [picker, field, *others]
        field.observe(lambda change: self._presenter.rename_class(of.name, change.new), "value")
        field.focus()

    def _row(self, *names: str) -> w.HBox:
        return w.HBox([self._buttons[name] for name in names])


def _button(text: str, about: str, act: Callable[[], object], flex: str = "1 1 auto", width: str = "auto") -> w.Button:
    button = w.Button(description=text, tooltip=about, layout=w.look(flex=flex, width=width))
    button.on_click(lambda _: act())
    return button
