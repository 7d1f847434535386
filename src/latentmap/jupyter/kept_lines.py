"""A list whose lines stay the widgets that they are."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from latentmap.jupyter import widgets as w

Content = TypeVar("Content", bound=Hashable)


class KeptLines(w.VBox):
    """Shows lines below each other, and makes only those anew whose contents have changed.

    A hundred lines made anew are a thousand messages, of which some get lost; see `latentmap.jupyter.widgets`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: dict[Hashable, w.Widget] = {}

    def show(self, contents: Sequence[Content], make: Callable[[Content], w.Widget]) -> None:
        """Show a line for each of these contents, which all differ."""
        before = self._lines
        self._lines = {one: before.pop(one) if one in before else make(one) for one in contents}
        self.children = list(self._lines.values())
        for line in before.values():
            w.close_widgets(line)

    def renew(self, content: Hashable) -> None:
        """Make the line with this content anew when lines are shown next, because it looks different meanwhile."""
        if content in self._lines:  # a click may come from a line that was replaced meanwhile
            self._lines[object()] = self._lines.pop(content)
