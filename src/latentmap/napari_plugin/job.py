"""Work off the GUI's thread, one piece at a time."""

from collections.abc import Callable, Generator
from functools import partial
from inspect import isgeneratorfunction
from typing import Any

from napari.qt.threading import create_worker

_Callback = Callable[[Any], None]


class Job:
    """Runs a function or a generator in a thread; starting the next one makes the last one stale.

    Every callback is called in the GUI's thread. What a stale run still yields, returns or raises is dropped.

    Examples
    --------
    >>> Job().running
    False
    """

    def __init__(self) -> None:
        self._worker: Any = None
        self._callbacks: tuple[_Callback | None, _Callback, _Callback] | None = None
        self._number = 0

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._worker is not None

    def start(
        self,
        function: Callable[..., Any],
        *args: Any,
        returned: _Callback,
        failed: _Callback,
        yielded: _Callback | None = None,
    ) -> None:
        """Start a run, and let the one before it go.

        Parameters
        ----------
        function : callable
            A function, or a generator function, which can be stopped at each yield.
        *args
            What it is called with. It must not change while the function runs.
        returned, failed, yielded : callable
            Called with the value returned, the exception raised, each value yielded.
        """
        self.quit()
        steps = isgeneratorfunction(function)
        worker = create_worker(_caught_steps if steps else _caught, function, *args, _start_thread=False)
        # napari keeps every worker as long as its window, so a worker must not keep the callbacks and all they hold.
        self._callbacks = yielded, returned, failed
        if steps:
            worker.yielded.connect(partial(self._step, self._number))
        worker.returned.connect(partial(self._end, self._number))
        self._worker = worker
        worker.start()

    def send(self, value: Any) -> None:
        """Send a value into the running generator."""
        if self._worker is not None:
            self._worker.send(value)

    def quit(self) -> None:
        """Stop the run at its next yield, and hear no more of it."""
        self._number += 1
        if self._worker is not None:
            self._worker.quit()
        self._worker = self._callbacks = None

    def _step(self, number: int, value: Any) -> None:
        if number == self._number and self._callbacks is not None:
            yielded, _, _ = self._callbacks
            if yielded is not None:
                yielded(value)

    def _end(self, number: int, outcome: tuple[Any, Exception | None]) -> None:
        if number == self._number and self._callbacks is not None:
            _, returned, failed = self._callbacks
            self._worker = self._callbacks = None
            value, error = outcome
            returned(value) if error is None else failed(error)


# Errors come back as values: superqt tells nobody of a RuntimeError, and napari 0.9.2 stumbles over any error.
def _caught(function: Callable[..., Any], *args: Any) -> tuple[Any, Exception | None]:
    try:
        return function(*args), None
    except Exception as error:
        return None, error


def _caught_steps(
    function: Callable[..., Generator[Any, Any, Any]], *args: Any
) -> Generator[Any, Any, tuple[Any, Exception | None]]:
    try:
        return (yield from function(*args)), None
    except Exception as error:
        return None, error
