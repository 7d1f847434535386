"""The scripts and styles of the widgets."""

from pathlib import Path

_STATIC = Path(__file__).parent / "static"


def asset(name: str) -> str:
    """Return the text of a file for the browser; docs/javascript.md says what the scripts are bundled from.

    anywidget would take the path of the file as well, but then it watches the file, and that keeps every widget, with
    everything it shows, in memory as long as Python runs.
    """
    return (_STATIC / name).read_text(encoding="utf-8")
