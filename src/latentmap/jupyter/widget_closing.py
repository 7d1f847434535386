"""Closing widgets: ipywidgets keeps every widget, and everything it refers to, until that widget itself is closed."""

import ipywidgets as w


def close_widgets(widget: w.Widget) -> None:
    """Close a widget, its layout and style, and everything inside it."""
    for child in getattr(widget, "children", ()):
        close_widgets(child)
    parts = [getattr(widget, name, None) for name in ("layout", "style")]
    for closed in (widget, *parts):
        if closed is not None:
            closed.close()
