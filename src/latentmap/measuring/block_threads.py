"""Long work on one item after the other, in two threads: NumPy and SciPy leave Python to others for most of it."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import chain, islice
from threading import Event
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

Steps = Generator[None, None, Result]
"""Work in short steps, which returns its result."""

_THREADS = min(2, os.cpu_count() or 1)
# How long to wait for a result before the caller gets a turn, in seconds.
_PATIENCE = 0.05


def in_threads(
    work: Callable[[Item], Steps[Result]], items: Iterator[Item], n_threads: int = _THREADS
) -> Generator[tuple[Item, Result] | None, None, None]:
    """Work off items; closing the generator ends the work after its current steps.

    Parameters
    ----------
    work : callable
        Takes an item and works on it step by step.
    items : iterator
        Asked for an item when a thread is about to be free, so that only a few are in memory.
    n_threads : int

    Yields
    ------
    (item, result) or None
        In the order of the items; None while the next result is not there yet.

    Examples
    --------
    >>> def double(item):
    ...     yield
    ...     return 2 * item
    >>> [found for found in in_threads(double, iter([1, 2, 3])) if found is not None]
    [(1, 2), (2, 4), (3, 6)]
    """
    first = list(islice(items, 2))
    queue = chain(first, items)
    if len(first) < 2 or n_threads < 2:
        for item in queue:
            yield item, (yield from work(item))
        return
    stop, under_way = Event(), deque[tuple[Item, Future[Result | None]]]()
    with ThreadPoolExecutor(n_threads, "latentmap measuring") as threads:
        try:
            for item in queue:
                under_way.append((item, threads.submit(_worked_off, work, item, stop)))
                if len(under_way) > n_threads:
                    yield from _waited_for(*under_way.popleft())
            while under_way:
                yield from _waited_for(*under_way.popleft())
        finally:
            stop.set()


def one_by_one(
    work: Callable[[Item], Steps[Result]], items: Iterator[Item]
) -> Generator[tuple[Item, Result] | None, None, None]:
    """Work off items as `in_threads` does, in the thread of the caller, who may be one of several."""
    for item in items:
        steps = work(item)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                yield item, end.value
                break
            yield None


def _worked_off(work: Callable[[Item], Steps[Result]], item: Item, stop: Event) -> Result | None:
    steps = work(item)
    while not stop.is_set():
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
    return None


def _waited_for(item: Item, future: "Future[Result | None]") -> Generator[tuple[Item, Result] | None, None, None]:
    while not future.done():
        wait([future], _PATIENCE)
        yield None
    result = future.result()
    assert result is not None
    yield item, result
