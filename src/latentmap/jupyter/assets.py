"""What the widgets need in the browser."""

from pathlib import Path

_STATIC = Path(__file__).parent / "static"


def asset(name: str) -> str:
    """Return the text of a file for the browser.

    The scripts there are bundles; docs/javascript.md says what they are made from.

    A widget of anywidget is not given the file's path instead: it would watch the file, and that holds every widget
    with all that it shows as long as Python runs.

    Parameters
    ----------
    name : str
        The file's name.

    Returns
    -------
    str
    """
    return (_STATIC / name).read_text(encoding="utf-8")
