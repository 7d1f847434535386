"""Labels that wrap their text, even within long words."""

import re
from typing import Any

from magicgui.widgets import Label
from qtpy.QtCore import QEvent, QObject
from qtpy.QtWidgets import QLabel, QSizePolicy

# Where a long word may be broken: file names have no spaces, and would make the whole panel as wide as they are.
_LONG = re.compile(r"\S{31,}")
_PIECE = re.compile(r"[^_.-]{0,29}[_.-]|[^_.-]{30}")
_BREAK = "\u200b"
_LAID_OUT = {QEvent.Type.Resize, QEvent.Type.FontChange, QEvent.Type.StyleChange}


class WrappedLabel(Label):
    """A label that also breaks long words; its value is the text without the break marks."""

    def get_value(self) -> str:
        """Return the text without break marks."""
        return str(super().get_value()).replace(_BREAK, "")

    def set_value(self, value: Any) -> None:
        """Show a text."""
        super().set_value(_LONG.sub(lambda word: _PIECE.sub(rf"\g<0>{_BREAK}", word[0]), str(value)))
        _keep_lines(self.native)


class _LineKeeper(QObject):
    """Keeps a label as tall as its lines at its present width: Qt would take lines away where others grow."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the label's width and font."""
        if event.type() in _LAID_OUT and isinstance(watched, QLabel):
            _keep_lines(watched)
        return super().eventFilter(watched, event)


def _keep_lines(label: QLabel) -> None:
    """Let a label be no less tall than its text at its present width."""
    if label.wordWrap():
        label.setMinimumHeight(0)  # Qt counts it in the height asked for next
        label.setMinimumHeight(label.heightForWidth(label.width()) if label.text() else 0)


def wrapped_label() -> Label:
    """Return an empty label that wraps its text and grows with it."""
    label = WrappedLabel(value="")
    label.native.setWordWrap(True)
    label.native.installEventFilter(_LineKeeper(label.native))
    label.native.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    return label


def paragraph() -> Label:
    """Return an empty label for sentences, which take the width that there is: they would like a longer line."""
    label = wrapped_label()
    label.native.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label
