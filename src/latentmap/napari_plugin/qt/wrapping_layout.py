"""A row of widgets that goes on in the next line where there is no room."""

from dataclasses import dataclass

from qtpy.QtCore import QRect, QSize, Qt
from qtpy.QtWidgets import QLayout, QLayoutItem, QWidget

_GAP = 6


@dataclass(frozen=True)
class _Item:
    """An item that is shown, and the sizes that it asks for."""

    item: QLayoutItem
    least: int
    wanted: int
    most: int
    height: int
    grows: bool

    @classmethod
    def read(cls, item: QLayoutItem) -> "_Item":
        widget, least, hint = item.widget(), item.minimumSize(), item.sizeHint()
        most, text = int(item.maximumSize().width()), 0 if widget is None else widget.minimumSizeHint().width()
        needed = min(max(int(least.width()), text), most)
        wanted = min(max(int(hint.width()), needed), most)
        grows = bool(item.expandingDirections() & Qt.Orientation.Horizontal)
        return cls(item, needed, wanted, most, int(hint.expandedTo(least).height()), grows)

    def height_at(self, width: int) -> int:
        return int(self.item.heightForWidth(width)) if self.item.hasHeightForWidth() else self.height


class WrappingLayout(QLayout):
    """Widgets side by side, in as many lines as it takes for none to be narrower than its text.

    Parameters
    ----------
    parent : QWidget, optional
    gap : int, optional
        Between two widgets and two lines, in pixels.
    """

    # Qt asks for heights many times before it places anything, and says when they may have changed.
    _known: list[_Item] | None = None
    _heights: dict[int, int] | None = None

    def __init__(self, parent: QWidget | None = None, gap: int = _GAP) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item at the end."""
        self._items.append(item)
        self.invalidate()

    def invalidate(self) -> None:
        """Forget the sizes of the items, which have changed."""
        self._known = self._heights = None
        super().invalidate()

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove an item, and return it."""
        taken = self._items.pop(index) if 0 <= index < len(self._items) else None
        self.invalidate()
        return taken

    def expandingDirections(self) -> Qt.Orientation:
        """Return that the row takes all the width that there is."""
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        """Return that a narrow row is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the lines at this width."""
        if self._heights is None:
            self._heights = {}
        if width not in self._heights:
            self._heights[width] = self._place(QRect(0, 0, width, 0), places=False)
        return self._heights[width]

    def minimumSize(self) -> QSize:
        """Return the size of the widest widget, which stands in a line of its own if need be."""
        shown = self._shown()
        return QSize(max((one.least for one in shown), default=0), max((one.height for one in shown), default=0))

    def sizeHint(self) -> QSize:
        """Return the size of a single line."""
        shown = self._shown()
        width = sum(one.wanted for one in shown) + self._gap * max(len(shown) - 1, 0)
        return QSize(width, max((one.height for one in shown), default=0))

    def setGeometry(self, rect: QRect) -> None:
        """Place the widgets."""
        super().setGeometry(rect)
        self._place(rect, places=True)

    def _place(self, rect: QRect, *, places: bool) -> int:
        """Place the widgets line by line, or only find out how high all lines are; return this height."""
        top = rect.top()
        for line in self._lines(rect.width()):
            widths = _widths(line, rect.width() - self._gap * (len(line) - 1))
            height, left = max(one.height_at(width) for one, width in zip(line, widths, strict=True)), rect.left()
            for one, width in zip(line, widths, strict=True):
                if places:
                    one.item.setGeometry(QRect(left, top, width, height))
                left += width + self._gap
            top += height + self._gap
        return max(top - self._gap - rect.top(), 0)

    def _shown(self) -> list[_Item]:
        if self._known is None:
            self._known = [_Item.read(item) for item in self._items if not item.isEmpty()]
        return self._known

    def _lines(self, width: int) -> list[list[_Item]]:
        """The items of each line at this width."""
        lines: list[list[_Item]] = []
        left = 0
        for one in self._shown():
            if lines and one.least <= left:
                lines[-1].append(one)
            else:
                lines.append([one])
                left = width + self._gap
            left -= one.least + self._gap
        return lines


def _widths(line: list[_Item], width: int) -> list[int]:
    """Share a width among the items of a line: first what each wants, then equal parts to those that take more."""
    wanted, least = sum(one.wanted for one in line), sum(one.least for one in line)
    if wanted > width:
        share = max(width - least, 0) / max(wanted - least, 1)
        return [int(one.least + share * (one.wanted - one.least)) for one in line]
    growing = [one.grows for one in line]
    if not any(growing):
        growing = [one.most > one.wanted for one in line]
    extra = (width - wanted) // max(sum(growing), 1)
    return [min(one.wanted + extra * grows, one.most) for one, grows in zip(line, growing, strict=True)]


def wrap(row: QWidget) -> None:
    """Let a row of widgets, which has another layout, wrap."""
    if (old := row.layout()) is None:
        return
    items = [old.itemAt(index) for index in range(old.count())]
    widgets = [widget for item in items if item is not None and (widget := item.widget()) is not None]
    for widget in widgets:
        old.removeWidget(widget)  # with its item: Qt remembers the sizes of a widget in the first one alone
    QWidget().setLayout(old)  # a widget cannot get another layout before it has lost its own
    layout = WrappingLayout(row)
    for widget in widgets:
        layout.addWidget(widget)
