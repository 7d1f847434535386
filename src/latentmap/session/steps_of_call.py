"""A call that takes long, as steps that a background job can report and end."""

from collections.abc import Callable, Generator
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, TypeVar

from sklearn.base import clone

T = TypeVar("T")


class Stopped(Exception):
    """Raised within a call that is to end."""


def iter_call(function: Callable[[Callable[[Any], None]], T]) -> Generator[Any, bool | None, T]:
    """Call a function in a thread, and yield what it tells meanwhile.

    Parameters
    ----------
    function : callable
        Takes a function ``tell``. Where the steps are closed, or sent True, the next ``tell`` raises `Stopped`.

    Yields
    ------
    object
        What the function has told.

    Returns
    -------
    object
        What the function has returned.

    Raises
    ------
    Exception
        Whatever the function has raised; `Stopped` if it was ended.

    Examples
    --------
    >>> def count(tell):
    ...     for number in range(3):
    ...         tell(number)
    ...     return "done"
    >>> list(iter_call(count))
    [0, 1, 2]
    """
    told: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    stopping = Event()

    def tell(value: Any) -> None:
        if stopping.is_set():
            raise Stopped("It was stopped.")
        told.put(("told", value))

    def work() -> None:
        try:
            told.put(("returned", function(tell)))
        except Exception as error:
            told.put(("failed", error))

    # It inherits the low priority of the thread of the job.
    thread = Thread(target=work, name="latentmap call", daemon=True)
    thread.start()
    try:
        while True:
            kind, value = told.get()
            if kind == "failed":
                raise value
            if kind == "returned":
                returned: T = value
                return returned
            # Once it is to end, what it told before is no news.
            if not stopping.is_set() and (yield value):
                stopping.set()
    finally:
        # The next job must not begin while this one still works.
        stopping.set()
        thread.join()


def watched(estimator: Any, tell: Callable[[int], None]) -> Any:
    """Return a copy of an estimator that tells each iteration; one without a callback tells nothing.

    What `tell` raises ends the fit.
    """
    copied = clone(estimator)
    if "callback" not in copied.get_params(deep=False):
        return copied

    # A function, because scikit-learn copies parameters, and functions stay what they are.
    def callback(state: Any) -> None:
        tell(int(state.iteration))

    return copied.set_params(callback=callback)
