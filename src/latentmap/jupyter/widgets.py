"""ipywidgets that share their layouts and styles.

Each widget of ipywidgets opens a layout and a style of its own, and each of them is a message to the notebook, as its
closing is. ZeroMQ drops messages once 1000 wait, and a panel of 400 widgets comes near to that: cells were seen to stay
busy for ever. So layouts and styles that look alike are one here, and none of them changes:
a widget that is to look different gets another one.
"""

from typing import Any, TypeVar

import ipywidgets as w
import traitlets
from ipywidgets import DOMWidget, Layout, ValueWidget, Widget, jslink

__all__ = ["DOMWidget", "Layout", "ValueWidget", "Widget", "jslink"]

Look = TypeVar("Look", w.Layout, w.Style)

_shared: dict[tuple[object, ...], Any] = {}


def look(**values: str | None) -> Layout:
    """Return the layout with these values, the same one each time; a widget's own is ``Layout(...)``."""
    return _shared_look(_SharedLayout, {name: value for name, value in values.items() if value is not None})


def set_visible(widget: DOMWidget, visible: object) -> None:
    """Show a widget, or hide it so that it takes no room."""
    values = {name: getattr(widget.layout, name) for name in widget.layout.keys if not name.startswith("_")}
    widget.layout = look(**{**values, "display": None if visible else "none"})


def close_widgets(widget: Widget) -> None:
    """Close a widget and everything inside it, because ipywidgets keeps every widget until that itself is closed."""
    for child in getattr(widget, "children", ()):
        close_widgets(child)
    own = [getattr(widget, name, None) for name in ("layout", "style")]
    for closed in (widget, *own):
        if closed is not None and closed not in _shared.values():
            closed.close()


class _SharedLayout(Layout):
    """A layout that refuses to change, since other widgets have it too."""

    _is_made = False

    def __init__(self, **values: str) -> None:
        super().__init__(**values)
        self._is_made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_made and name in self.keys:
            raise TypeError(f"Other widgets share this layout. Give the widget a Layout of its own to set its {name}.")
        super().__setattr__(name, value)


def _shared_look(kind: type[Look], values: dict[str, str]) -> Look:
    key = kind, *sorted(values.items())
    if key not in _shared or _shared[key].comm is None:  # all widgets of a kernel may have been closed
        _shared[key] = kind(**values)
    found: Look = _shared[key]
    return found


class _Sharing(traitlets.HasTraits):
    """What the widgets below have in common."""

    @traitlets.default("layout")
    def _usual_layout(self) -> Layout:
        return look()

    @traitlets.default("style")
    def _usual_style(self) -> w.Style:
        kind: type[w.Style] = self.traits()["style"].klass  # type: ignore[attr-defined]
        return _shared_look(kind, {})


class HBox(_Sharing, w.HBox):
    """`ipywidgets.HBox`, with shared looks."""


class VBox(_Sharing, w.VBox):
    """`ipywidgets.VBox`, with shared looks."""


class Accordion(_Sharing, w.Accordion):
    """`ipywidgets.Accordion`, with shared looks."""


class Tab(_Sharing, w.Tab):
    """`ipywidgets.Tab`, with shared looks."""


class HTML(_Sharing, w.HTML):
    """`ipywidgets.HTML`, with shared looks."""


class Label(_Sharing, w.Label):
    """`ipywidgets.Label`, with shared looks."""


class Button(_Sharing, w.Button):
    """`ipywidgets.Button`, with shared looks."""


class Checkbox(_Sharing, w.Checkbox):
    """`ipywidgets.Checkbox`, with shared looks."""


class ColorPicker(_Sharing, w.ColorPicker):
    """`ipywidgets.ColorPicker`, with shared looks."""


class Combobox(_Sharing, w.Combobox):
    """`ipywidgets.Combobox`, with shared looks."""


class Dropdown(_Sharing, w.Dropdown):
    """`ipywidgets.Dropdown`, with shared looks."""


class Text(_Sharing, w.Text):
    """`ipywidgets.Text`, with shared looks."""


class BoundedFloatText(_Sharing, w.BoundedFloatText):
    """`ipywidgets.BoundedFloatText`, with shared looks."""


class BoundedIntText(_Sharing, w.BoundedIntText):
    """`ipywidgets.BoundedIntText`, with shared looks."""


class IntSlider(_Sharing, w.IntSlider):
    """`ipywidgets.IntSlider`, with shared looks."""


class FloatProgress(_Sharing, w.FloatProgress):
    """`ipywidgets.FloatProgress`, with shared looks."""


class IntProgress(_Sharing, w.IntProgress):
    """`ipywidgets.IntProgress`, with shared looks."""
