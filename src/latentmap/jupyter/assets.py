"""What the widgets need in the browser."""

from pathlib import Path

_STATIC = Path(__file__).parent / "static"


def script(name: str) -> str:
    """Return the script of a widget, and in front of it the line to the kernel: a widget has one script only.

    Parameters
    ----------
    name : str
        Of the widget's file, without its ending.

    Returns
    -------
    str
    """
    return asset("line.js") + asset(f"{name}.js")


def asset(name: str) -> str:
    """Return the text of a file for the browser.

    A widget of anywidget is not given the file's path instead: it would watch the file, and that holds every widget
    with all that it shows as long as Python runs.

    Parameters
    ----------
    name : str

    Returns
    -------
    str
    """
    return (_STATIC / name).read_text(encoding="utf-8")
