"""A row of widgets that goes on in the next line where there is no room."""

from qtpy.QtCore import QRect, QSize, Qt
from qtpy.QtWidgets import QLayout, QLayoutItem, QWidget

_GAP = 6


class WrappingLayout(QLayout):
    """Widgets side by side, in as many lines as it takes for none to be narrower than its text.

    Parameters
    ----------
    parent : QWidget, optional
    gap : int, optional
        Between two widgets and two lines, in pixels.
    """

    def __init__(self, parent: QWidget | None = None, gap: int = _GAP) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item at the end."""
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove an item, and return it."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return that the row takes all the width that there is."""
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        """Return that a narrow row is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the lines at this width."""
        return self._place(QRect(0, 0, width, 0), places=False)

    def minimumSize(self) -> QSize:
        """Return the size of the widest widget, which stands in a line of its own if need be."""
        shown = self._shown()
        return QSize(max((_least(item) for item in shown), default=0), max(map(_item_height, shown), default=0))

    def sizeHint(self) -> QSize:
        """Return the size of a single line."""
        shown = self._shown()
        width = sum(_wanted(item) for item in shown) + self._gap * max(len(shown) - 1, 0)
        return QSize(width, max(map(_item_height, shown), default=0))

    def setGeometry(self, rect: QRect) -> None:
        """Place the widgets."""
        super().setGeometry(rect)
        self._place(rect, places=True)

    def _place(self, rect: QRect, *, places: bool) -> int:
        """Place the widgets line by line, or only find out how high all lines are; return this height."""
        top = rect.top()
        for line in self._lines(rect.width()):
            widths = _widths(line, rect.width() - self._gap * (len(line) - 1))
            height, left = max(_height_at(*pair) for pair in zip(line, widths, strict=True)), rect.left()
            for item, width in zip(line, widths, strict=True):
                if places:
                    item.setGeometry(QRect(left, top, width, height))
                left += width + self._gap
            top += height + self._gap
        return max(top - self._gap - rect.top(), 0)

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        """The items of each line at this width."""
        lines: list[list[QLayoutItem]] = []
        left = 0
        for item in self._shown():
            if lines and _least(item) <= left:
                lines[-1].append(item)
            else:
                lines.append([item])
                left = width + self._gap
            left -= _least(item) + self._gap
        return lines


def _least(item: QLayoutItem) -> int:
    """The width that an item needs: what it has been told, and what its text takes."""
    widget, least = item.widget(), int(item.minimumSize().width())
    text = 0 if widget is None else widget.minimumSizeHint().width()
    return min(max(least, text), int(item.maximumSize().width()))


def _wanted(item: QLayoutItem) -> int:
    return min(max(item.sizeHint().width(), _least(item)), int(item.maximumSize().width()))


def _height_at(item: QLayoutItem, width: int) -> int:
    return int(item.heightForWidth(width)) if item.hasHeightForWidth() else _item_height(item)


def _item_height(item: QLayoutItem) -> int:
    return int(item.sizeHint().expandedTo(item.minimumSize()).height())


def _widths(line: list[QLayoutItem], width: int) -> list[int]:
    """Share a width among the items of a line: first what each wants, then equal parts to those that take more."""
    wanted, least = [_wanted(item) for item in line], [_least(item) for item in line]
    if sum(wanted) > width:
        share = max(width - sum(least), 0) / max(sum(wanted) - sum(least), 1)
        return [int(one + share * (more - one)) for one, more in zip(least, wanted, strict=True)]
    takes_more = [bool(item.expandingDirections() & Qt.Orientation.Horizontal) for item in line]
    can_take = [item.maximumSize().width() > one for item, one in zip(line, wanted, strict=True)]
    growing = takes_more if any(takes_more) else can_take
    extra = (width - sum(wanted)) // max(sum(growing), 1)
    return [
        min(one + extra * grows, int(item.maximumSize().width()))
        for item, one, grows in zip(line, wanted, growing, strict=True)
    ]


def wrap(row: QWidget) -> None:
    """Let a row of widgets, which has another layout, wrap."""
    if (old := row.layout()) is None:
        return
    items = [old.takeAt(0) for _ in range(old.count())]
    QWidget().setLayout(old)  # a widget cannot get another layout before it has lost its own
    layout = WrappingLayout(row)
    for item in items:
        if item is not None and (widget := item.widget()) is not None:
            layout.addWidget(widget)
