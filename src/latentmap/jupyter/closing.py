"""Letting go of widgets: ipywidgets keeps every one, and what it knows, until it is closed itself."""

import ipywidgets as w


def close_all(widget: w.Widget) -> None:
    """Close a widget with its layout and style, and all that is within it."""
    for child in getattr(widget, "children", ()):
        close_all(child)
    parts = [getattr(widget, name, None) for name in ("layout", "style")]
    for closed in (widget, *parts):
        if closed is not None:
            closed.close()
