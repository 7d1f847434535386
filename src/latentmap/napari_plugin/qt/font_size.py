"""Sizes that follow the font, which the user may enlarge in napari's preferences."""

from collections.abc import Callable

from qtpy.QtCore import QEvent, QObject
from qtpy.QtGui import QFontMetrics
from qtpy.QtWidgets import QWidget

_CHANGES = (QEvent.Type.FontChange, QEvent.Type.StyleChange, QEvent.Type.Polish)


def follow_font(widget: QWidget, act: Callable[[QFontMetrics], None]) -> None:
    """Call a function with the measures of a widget's font, now and whenever the font changes."""
    widget.installEventFilter(_FontFilter(widget, act))
    act(widget.fontMetrics())


def line_height(widget: QWidget, least: int) -> int:
    """Return the height of a line of text in a widget, at least so many pixels."""
    return max(least, widget.fontMetrics().height() + 4)


class _FontFilter(QObject):
    """Notices that the font of a widget has changed."""

    def __init__(self, widget: QWidget, act: Callable[[QFontMetrics], None]) -> None:
        super().__init__(widget)
        self._act, self._height = act, -1

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Call the function if the font is larger or smaller than before."""
        if event.type() in _CHANGES and isinstance(watched, QWidget):
            metrics = watched.fontMetrics()
            if metrics.height() != self._height:
                self._height = metrics.height()
                self._act(metrics)
        return False
