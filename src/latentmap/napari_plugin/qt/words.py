"""Words that take as many lines as they need."""

from magicgui.widgets import Label
from qtpy.QtWidgets import QSizePolicy


def words() -> Label:
    """Return a label that wraps its words, and grows with them."""
    label = Label(value="")
    label.native.setWordWrap(True)
    label.native.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    return label
