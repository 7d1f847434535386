"""Calling functions in the thread of the kernel, and what the kernel tells the notebook."""

import asyncio
import sys
from collections.abc import Callable

from IPython import get_ipython

from latentmap.session import Schedule

_MOST_WAITING = 100_000


def kernel_thread() -> Schedule:
    """Return a function that schedules another one in the kernel's thread, between notebook cells.

    Raises
    ------
    RuntimeError
        If no event loop runs in this thread, as in a plain script, or the notebook runs in marimo.
    """
    marimo = sys.modules.get("marimo")
    if marimo is not None and marimo.running_in_notebook():
        raise RuntimeError(
            "explore() uses ipywidgets, which marimo does not support: use JupyterLab, Notebook, VS Code or Colab. In "
            "marimo, marimo.ui.anywidget(latentmap.jupyter.ImagePane(...)) shows images, and latentmap.LVM makes a map."
        )
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            "explore() shows widgets that respond while a map is made, so it needs a notebook: JupyterLab, Notebook, "
            "VS Code or Colab. In a script, use latentmap.LVM."
        ) from None

    def schedule(function: Callable[[], None]) -> None:
        if not loop.is_closed():  # the kernel may end during a run
            loop.call_soon_threadsafe(function)

    return schedule


def keep_messages() -> None:
    """Keep the messages that the notebook has not read yet, where ZeroMQ would drop those beyond a thousand.

    A message that is dropped is lost for good: a widget is missing, or a cell stays busy for ever. Kernels without such
    a socket are left alone.
    """
    thread = getattr(getattr(get_ipython(), "kernel", None), "iopub_thread", None)
    if thread is None:
        return

    def allow() -> None:
        if hasattr(thread.socket, "sndhwm"):
            thread.socket.sndhwm = _MOST_WAITING

    thread.schedule(allow)


class Debounced:
    """Calls `act` in the kernel's thread some seconds after the first request, once for all requests until then."""

    def __init__(self, act: Callable[[], None], seconds: float) -> None:
        self._act, self._seconds = act, seconds
        self._waiting: asyncio.TimerHandle | None = None

    def __call__(self) -> None:
        """Request a call."""
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().call_later(self._seconds, self._now)

    def cancel(self) -> None:
        """Cancel the call, if one was requested."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _now(self) -> None:
        self._waiting = None
        self._act()
