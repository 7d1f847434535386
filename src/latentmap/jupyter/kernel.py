"""From any thread into the kernel's own."""

import asyncio
import sys
from collections.abc import Callable

from latentmap.session import Post


def kernel_thread() -> Post:
    """Return what has a function called in the thread of the kernel, between cells.

    Raises
    ------
    RuntimeError
        If no event loop runs in this thread, as none does in a plain script, or the notebook is one of marimo's.
    """
    marimo = sys.modules.get("marimo")
    if marimo is not None and marimo.running_in_notebook():
        raise RuntimeError(
            "explore() shows widgets of ipywidgets, which marimo does not: use JupyterLab, Notebook, VS Code or Colab. "
            "In marimo, images can be seen by marimo.ui.anywidget(latentmap.jupyter.ImagePane(...)), and a map be made "
            "by latentmap.LVM."
        )
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            "explore() shows widgets that answer while a map is made, so it needs a notebook: JupyterLab, Notebook, VS "
            "Code or Colab. In a script, use latentmap.LVM."
        ) from None

    def post(function: Callable[[], None]) -> None:
        if not loop.is_closed():  # the kernel may end during a run
            loop.call_soon_threadsafe(function)

    return post


class Soon:
    """Does something in the kernel's thread a moment after it was asked for, once for any number of requests.

    Parameters
    ----------
    act : callable
    seconds : float
        How long the moment is.
    """

    def __init__(self, act: Callable[[], None], seconds: float) -> None:
        self._act, self._seconds = act, seconds
        self._waiting: asyncio.TimerHandle | None = None

    def __call__(self) -> None:
        """Ask for it."""
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().call_later(self._seconds, self._now)

    def cancel(self) -> None:
        """Take back what was asked for."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _now(self) -> None:
        self._waiting = None
        self._act()
