"""How long the kernel takes to answer a cell that has nothing to do with the map."""

from __future__ import annotations

import ast
import json
import time
from pathlib import Path
from queue import Empty
from typing import Any, NamedTuple

from jupyter_client import BlockingKernelClient

PACE = 0.25
"""How long after the last cell the next is sent, unless that has yet to be answered, in seconds.

JupyterLab draws its page anew for every cell that is executed: asked 40 times a second, a run takes twice as long.
"""
_TIMEOUT = 120


class Reply(NamedTuple):
    """An answer of the kernel.

    Attributes
    ----------
    at : float
        When it came, by the system's clock.
    seconds : float
        How long it took.
    """

    at: float
    seconds: float


class Kernel:
    """The way to a notebook's kernel beside its page, so that asking puts nothing into the notebook.

    Parameters
    ----------
    connection : pathlib.Path
        The file that says how the kernel is reached.
    """

    def __init__(self, connection: Path) -> None:
        self._client = BlockingKernelClient()
        self._client.load_connection_file(str(connection))
        self._client.start_channels(hb=False, stdin=False, control=False)
        self._client.wait_for_ready(_TIMEOUT)

    def close(self) -> None:
        """Let go of the kernel, which lives on."""
        self._client.stop_channels()

    def value(self, expression: str) -> Any:
        """Return what an expression is, by way of JSON if it is a string."""
        return self._asked("", expression)

    def do(self, code: str) -> None:
        """Execute code, and wait until that is done."""
        self.value(f"exec({code!r}, globals())")

    def watch(self, going_on: str, afterwards: float) -> list[Reply]:
        """Send one cell after the other, as long as something is so; between them this process sleeps.

        Parameters
        ----------
        going_on : str
            An expression that comes with the answers.
        afterwards : float
            How long to go on when it is false, in seconds.
        """
        replies: list[Reply] = []
        until = float("inf")
        while (start := time.time()) < until:
            goes_on = self._asked("1 + 1", going_on)
            now = time.time()
            replies.append(Reply(now, now - start))
            if until == float("inf") and not goes_on:
                until = now + afterwards
            time.sleep(max(start + PACE - now, 0))
        self._forget()
        return replies

    def _asked(self, code: str, expression: str) -> Any:
        sent = self._client.execute(code, store_history=False, user_expressions={"value": expression})
        while True:
            answer = self._client.get_shell_msg(timeout=_TIMEOUT)
            if answer["parent_header"]["msg_id"] == sent:
                return _value(answer)

    def _forget(self) -> None:
        """Let go of what the kernel has published meanwhile."""
        while True:
            try:
                self._client.get_iopub_msg(timeout=0)
            except Empty:
                return


def _value(answer: dict[str, Any]) -> Any:
    found = answer["content"]["user_expressions"]["value"]
    if found["status"] == "error":
        raise RuntimeError("\n".join(found["traceback"]))
    value = ast.literal_eval(found["data"]["text/plain"])
    return json.loads(value) if isinstance(value, str) else value
