"""What the command line prints: sentences or JSON on stdout, progress and errors on stderr."""

import json
import shutil
import sys
import time
from collections.abc import Mapping
from typing import Any, TypeVar

from latentmap.display.progress_text import ProgressText

Step = TypeVar("Step")
Result = TypeVar("Result")

# Seconds between two pictures of the progress.
_PACE = 0.1
_START_OF_LINE = "\r\x1b[2K"


class Talk:
    """Prints sentences, progress and results.

    Parameters
    ----------
    as_json : bool
        Whether stdout gets one JSON object instead of sentences.
    shows_progress : bool
        Whether stderr gets the progress: a line that changes on a terminal, else a line for each stage.
    """

    def __init__(self, *, as_json: bool = False, shows_progress: bool = True) -> None:
        self.as_json, self._shows_progress = as_json, shows_progress
        self._is_terminal, self._last, self._next = sys.stderr.isatty(), "", 0.0

    def say(self, sentence: str) -> None:
        """Print a sentence or a table for a reader; nothing if the output is JSON."""
        if not self.as_json:
            self.clear()
            print(sentence)

    def give(self, result: Mapping[str, Any]) -> None:
        """Print the result as JSON, if the output is JSON."""
        if self.as_json:
            self.clear()
            print(json.dumps(result, ensure_ascii=False, indent=2, default=_plain))

    def progress(self, shown: ProgressText, stage: str) -> None:
        """Show how far the work has come."""
        if not self._shows_progress:
            return
        if not self._is_terminal:
            if stage != self._last:
                print(f"{stage} …", file=sys.stderr, flush=True)
            self._last = stage
            return
        if (now := time.monotonic()) < self._next and stage == self._last:
            return
        self._next, self._last = now + _PACE, stage
        width = shutil.get_terminal_size().columns - 1
        share = f"{shown.done / shown.total:4.0%}  " if shown.total else ""
        print(
            f"{_START_OF_LINE}{share}{shown.text}"[: width + len(_START_OF_LINE)], end="", file=sys.stderr, flush=True
        )

    def clear(self) -> None:
        """Remove the line of progress from the terminal."""
        if self._is_terminal and self._last:
            print(_START_OF_LINE, end="", file=sys.stderr, flush=True)
            self._last = ""


def table_text(rows: list[Mapping[str, Any]]) -> str:
    """Write rows as a table with aligned columns.

    Examples
    --------
    >>> print(table_text([{"method": "lvm", "recall": "0.31"}, {"method": "isomap", "recall": "0.2"}]))
    method  recall
    lvm     0.31
    isomap  0.2
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, *([str(row.get(name, "")) for name in names] for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(names))]
    return "\n".join("  ".join(f"{word:{n}}" for word, n in zip(line, widths, strict=True)).rstrip() for line in lines)


def _plain(value: Any) -> Any:
    """A value that JSON does not know, as one that it knows."""
    return value.item() if hasattr(value, "item") else str(value)
