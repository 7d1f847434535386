"""Rows that repeat the names of a table's columns, as where files were put together."""

import codecs
import mmap
import re
from pathlib import Path

from latentmap.table.files.text_layout import is_number
from latentmap.table.wording import counted


def line_of_names(text: str, names: list[str], separator: str) -> str:
    r"""Return the line of a text that names the columns, without its end; "" if these are in no single line.

    Examples
    --------
    >>> line_of_names("Plate 1\nlabel;area\n1;3.5\n", ["label", "area"], ";")
    'label;area'
    """
    if all(is_number(name) for name in names if name):
        return ""  # a row of cells that has no names above it
    # Most programs quote all names or none; the expression of 20 000 genes takes seconds.
    usual = [separator.join(names), separator.join(f'"{name}"' for name in names)] if len(separator) == 1 else []
    places = {line: _place_of_line(text, line) for line in usual}
    if there := [line for line in usual if places[line] >= 0]:
        return min(there, key=places.__getitem__)
    parted = rf"[^\S\r\n]*{re.escape(separator)}[^\S\r\n]*" if len(separator) == 1 else r"[^\S\r\n]+"
    line = parted.join(f'"?{re.escape(name)}"?' for name in names)
    found = re.search(rf"(?:^|(?<=[\r\n]))[^\S\r\n]*{line}[^\S\r\n]*(?=[\r\n])", text)
    return found[0] if found else ""


def _place_of_line(text: str, line: str) -> int:
    """Return where a text has this line, followed by another one; -1 if nowhere."""
    at, n = text.find(line), len(line)
    while at >= 0 and not (text[at - 1 : at] in ("", "\r", "\n") and text[at + n : at + n + 1] in ("\r", "\n")):
        at = text.find(line, at + 1)
    return at


def n_repeats(path: Path, line: bytes) -> int:
    """Return how many lines of a file are the same as its line of names, beside that one."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        begin = content.find(line) + len(line)
        # Found quickly where there are none, however large the file is.
        return len(_repeats(line).findall(content, begin)) if content.find(line, begin) >= 0 else 0


def without_repeats(content: bytes, line: bytes) -> bytes:
    r"""Return a text without the lines that are the same as its line of names, but for that one.

    Examples
    --------
    >>> without_repeats(b"label,area\n1,3.5\nlabel,area\n1,2.5\n", b"label,area")
    b'label,area\n1,3.5\n1,2.5\n'
    """
    end = content.find(line) + len(line)
    return content[:end] + _repeats(line).sub(b"", content[end:])


def repeats_note(n: int) -> list[str]:
    """Say how many rows are left out because they repeat the names of the columns."""
    repeat = "it repeats" if n == 1 else "they repeat"
    return [f"{counted(n, 'row')} left out, as {repeat} the names of the columns."] if n else []


def _repeats(line: bytes) -> re.Pattern[bytes]:
    # A file that was put below another one may have a mark of its encoding.
    return re.compile(rb"(?<=[\r\n])(?:%s)?%s(?:\r\n|\r|\n|\Z)" % (codecs.BOM_UTF8, re.escape(line)))
