"""The way from any thread into the kernel's own."""

import asyncio
from collections.abc import Callable

from latentmap.session import Post


def kernel_thread() -> Post:
    """Return what has a function called in the thread of the kernel, between cells.

    Returns
    -------
    callable

    Raises
    ------
    RuntimeError
        If no event loop runs in this thread, as none does in a plain script.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            "explore() shows widgets that answer while a map is made, so it needs a notebook: JupyterLab, Notebook, VS "
            "Code or Colab. In a script, use latentmap.LVM."
        ) from None

    def post(function: Callable[[], None]) -> None:
        if not loop.is_closed():  # as it is where the kernel ends during a run
            loop.call_soon_threadsafe(function)

    return post
