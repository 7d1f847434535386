"""Labels that wrap their text, even within long words."""

import re
from typing import Any

from magicgui.widgets import Label
from qtpy.QtWidgets import QSizePolicy

# Where a long word may be broken: file names have no spaces, and would make the whole panel as wide as they are.
_LONG = re.compile(r"\S{31,}")
_PIECE = re.compile(r"[^_.-]{0,29}[_.-]|[^_.-]{30}")
_BREAK = "\u200b"


class WrappedLabel(Label):
    """A label that also breaks long words; its value is the text without the break marks."""

    def get_value(self) -> str:
        """Return the text without break marks."""
        return str(super().get_value()).replace(_BREAK, "")

    def set_value(self, value: Any) -> None:
        """Show a text."""
        super().set_value(_LONG.sub(lambda word: _PIECE.sub(rf"\g<0>{_BREAK}", word[0]), str(value)))


def wrapped_label() -> Label:
    """Return an empty label that wraps its text and grows with it."""
    label = WrappedLabel(value="")
    label.native.setWordWrap(True)
    label.native.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    return label


def paragraph() -> Label:
    """Return an empty label for sentences, which take the width that there is: they would like a longer line."""
    label = wrapped_label()
    label.native.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label
