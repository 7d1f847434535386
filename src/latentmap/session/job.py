"""Work in a background thread, one run at a time."""

import gc
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Event, Lock, Thread, get_native_id
from typing import Any

Schedule = Callable[[Callable[[], None]], None]
"""Schedules a function in the front end's thread."""

# By how much the priority of a job's threads is lowered, so that the front end need not wait.
_NICE = 10
# Seconds after which a thread must release the interpreter during a job; Python's default of 5 ms adds up.
_SWITCH_INTERVAL = 0.0005


class BackgroundJob:
    """Runs a generator in a thread of its own; starting the next one makes the last one stale.

    All callbacks are called in the front end's thread. Of the values yielded while the front end is busy, only the last
    is reported. Whatever a stale run still yields, returns or raises is ignored.

    Only one run works at a time: a step cannot be interrupted, so the next run begins when the stale one has finished
    its step. Of several runs started in the meantime, only the latest begins.

    Parameters
    ----------
    schedule : callable
        Schedules a function in the front end's thread: in Qt's event loop, or the kernel's.

    Examples
    --------
    >>> from queue import SimpleQueue
    >>> calls, values = SimpleQueue(), []
    >>> job = BackgroundJob(calls.put)
    >>> job.start((number for number in range(3)), yielded=values.append, returned=values.append, failed=values.append)
    >>> while job.running:
    ...     calls.get()()
    >>> values[-2:]
    [2, None]
    """

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._run: _Task | None = None
        self._queue = _Queue()

    @property
    def running(self) -> bool:
        """Whether a run is under way, including one that is paused or has not begun yet."""
        return self._run is not None

    @property
    def paused(self) -> bool:
        """Whether the run under way is paused."""
        return self._run is not None and not self._run.go.is_set()

    def start(
        self,
        steps: Generator[Any, Any, Any],
        *,
        yielded: Callable[[Any], None],
        returned: Callable[[Any], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Start a run, and drop the one before it.

        Parameters
        ----------
        steps : generator
            The work; its data must not change while it runs. It is sent True when it should end and keep its result.
        yielded, returned, failed : callable
            Called with the last value yielded, with the value returned, with the exception raised.
        """
        self.drop()
        self._run = _Task(steps, self._schedule, partial(self._step, yielded), partial(self._end, returned, failed))
        self._queue.take(self._run)

    def stop(self) -> None:
        """End the run after its current step, and keep its result so far."""
        if self._run is not None:
            self._run.stopping = True
            self._run.go.set()

    def pause(self) -> None:
        """Pause the run after its current step."""
        if self._run is not None and not self._run.stopping:
            self._run.go.clear()

    def resume(self) -> None:
        """Resume a paused run."""
        if self._run is not None:
            self._run.go.set()

    def drop(self) -> None:
        """End the run after its current step, and ignore its result."""
        if self._run is not None:
            self._run.dropped = True
            self._run.go.set()
            self._run = None

    def _step(self, yielded: Callable[[Any], None], run: "_Task") -> None:
        if run is self._run:
            yielded(run.take())

    def _end(
        self,
        returned: Callable[[Any], None],
        failed: Callable[[Exception], None],
        run: "_Task",
        value: Any,
        error: Exception | None,
    ) -> None:
        if run is self._run:
            self._run = None
            returned(value) if error is None else failed(error)


class _Queue:
    """Lets runs work one after the other; of those that wait, only the latest."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_taken = False
        self._waiting: _Task | None = None

    def take(self, run: "_Task") -> None:
        with self._lock:
            if self._is_taken:
                self._waiting = run
            else:
                self._begin(run)

    def _begin(self, run: "_Task") -> None:
        self._is_taken = True
        # A daemon, so that closing the front end need not wait for it.
        Thread(target=self._work, args=(run,), name="latentmap run", daemon=True).start()

    def _work(self, run: "_Task") -> None:
        _lower_priority()
        try:
            with _short_switch_interval(), _collecting_new_objects_only():
                run.work()
        finally:
            with self._lock:
                self._is_taken = False
                following, self._waiting = self._waiting, None
                if following is not None and not following.dropped:
                    self._begin(following)


def _lower_priority() -> None:
    if sys.platform == "linux":  # where a thread has a priority of its own
        # Relative to the main thread, because this thread may be started by that of the run before.
        usual = os.getpriority(os.PRIO_PROCESS, os.getpid())
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), usual + _NICE)


_busy = Lock()
_n_busy = _n_frozen = 0
_usual_interval = 0.0
# Python 3.12 starts with a few hundred frozen objects.
_frozen_at_first = gc.get_freeze_count()
_is_frozen_by_others = False


@contextmanager
def _short_switch_interval() -> Generator[None, None, None]:
    """Make threads release the interpreter more often, because the front end waits for it at every event."""
    global _n_busy, _usual_interval
    with _busy:
        if not _n_busy:
            _usual_interval = sys.getswitchinterval()
            sys.setswitchinterval(min(_SWITCH_INTERVAL, _usual_interval))
        _n_busy += 1
    try:
        yield
    finally:
        with _busy:
            _n_busy -= 1
            if not _n_busy:
                sys.setswitchinterval(_usual_interval)


def _others_froze() -> bool:
    """Whether others have frozen objects for good, which must stay frozen; a million takes long to count, once."""
    global _is_frozen_by_others
    _is_frozen_by_others = _is_frozen_by_others or gc.get_freeze_count() > _frozen_at_first
    return _is_frozen_by_others


@contextmanager
def _collecting_new_objects_only() -> Generator[None, None, None]:
    """Let the garbage collector look only at new objects.

    A full collection over all that a front end has imported stops every thread for a tenth of a second.
    """
    global _n_frozen
    with _busy:
        is_ours = bool(_n_frozen) or not _others_froze()
        if is_ours and not _n_frozen:
            gc.freeze()
        _n_frozen += is_ours
    try:
        yield
    finally:
        with _busy:
            _n_frozen -= is_ours
            if is_ours and not _n_frozen:
                gc.unfreeze()


def as_single_step(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Generator[None, None, Any]:
    """Wrap a function call as the steps of a job; it yields nothing, so it cannot be stopped."""
    return function(*args, **kwargs)
    yield


class _Task:
    """A generator, and the requests made to it while it works."""

    def __init__(
        self,
        steps: Generator[Any, Any, Any],
        schedule: Schedule,
        stepped: Callable[["_Task"], None],
        ended: Callable[["_Task", Any, Exception | None], None],
    ) -> None:
        self.stopping = self.dropped = False
        self.go = Event()
        self.go.set()
        self._steps, self._schedule, self._stepped, self._ended = steps, schedule, stepped, ended
        self._latest: Any = None
        self._is_told = True

    def take(self) -> Any:
        self._is_told = True
        return self._latest

    def work(self) -> None:
        value, error = None, None
        try:
            value = self._drive()
        except Exception as caught:
            error = caught
        if not self.dropped:
            self._schedule(partial(self._ended, self, value, error))

    def _drive(self) -> Any:
        try:
            latest = next(self._steps)
            while True:
                self._tell(latest)
                self.go.wait()
                if self.dropped:
                    self._steps.close()
                    return None
                latest = self._steps.send(True if self.stopping else None)
        except StopIteration as end:
            return end.value

    def _tell(self, latest: Any) -> None:
        self._latest = latest
        if self._is_told and not self.dropped:
            self._is_told = False
            self._schedule(partial(self._stepped, self))
