"""Words that take as many lines as they need."""

import re
from typing import Any

from magicgui.widgets import Label
from qtpy.QtWidgets import QSizePolicy

# Where a long word may be broken: names of files have no spaces, and would make the whole panel as wide as they are.
_LONG = re.compile(r"\S{31,}")
_PIECE = re.compile(r"[^_.-]{0,29}[_.-]|[^_.-]{30}")
_BREAK = "\u200b"


class Words(Label):
    """Words, of which long ones are broken where they have to be; their value is as it was given."""

    def get_value(self) -> str:
        """Return the words, without the places where they may be broken."""
        return str(super().get_value()).replace(_BREAK, "")

    def set_value(self, value: Any) -> None:
        """Show other words."""
        super().set_value(_LONG.sub(lambda word: _PIECE.sub(rf"\g<0>{_BREAK}", word[0]), str(value)))


def words() -> Label:
    """Return a label that wraps its words, and grows with them."""
    label = Words(value="")
    label.native.setWordWrap(True)
    label.native.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    return label
