"""Limits on the threads of libraries, which several fits may hold at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache, partial
from itertools import count
from threading import RLock, get_ident
from typing import Any, Literal, NamedTuple, TypeVar, cast

from threadpoolctl import LibController, ThreadpoolController

Step = TypeVar("Step")


class _Hold(NamedTuple):
    """What one limit asks for: of the pools of the process, and what it changed in those of its own thread."""

    n_threads: int | None
    thread: int
    own: list[tuple[LibController, int]]


_lock = RLock()
_numbers = count()
_holds: dict[int, _Hold] = {}
# What the pools of the process had before the first limit, and what they were given.
_before: dict[LibController, int] = {}
_given: dict[LibController, int] = {}


def limited(n_threads: int, of: Literal["blas", "openmp"] | None = None) -> AbstractContextManager[None]:
    """Limit the threads of libraries; BLAS adds up in another order in more of them.

    Most builds of BLAS have one pool for the whole process: it has as few threads as anyone wants who holds a limit,
    in any thread of Python, and what it had before once the last one lets go. A pool that each thread has for itself,
    such as that of OpenMP, is limited there alone.

    Parameters
    ----------
    n_threads : int
    of : {"blas", "openmp"}, optional
        Of which libraries; by default of all.

    Returns
    -------
    context manager
    """
    return cast(AbstractContextManager[None], _Limit(n_threads, of))


class _Limit:
    """Holds a limit; the last that is left of it lets go, also where an interruption comes before `__exit__` begins."""

    _number = -1

    def __init__(self, n_threads: int, of: str | None) -> None:
        self._number, self._n_threads, self._of = next(_numbers), n_threads, of

    def __enter__(self) -> None:
        try:
            _take(self._number, self._n_threads, self._of)
        except BaseException:
            _let_go(self._number)
            raise

    @property
    def __exit__(self) -> Callable[..., None]:
        # Were it a method, a traceback of such an interruption would hold its frame, and with it the limit.
        leave: Any = partial(_let_go, self._number)
        leave.limit = self
        return leave

    def __del__(self) -> None:
        if self._number in _holds:
            _let_go(self._number)


def each_limited(steps: Iterator[Step]) -> Iterator[Step]:
    """Yield steps, each made by one thread of BLAS; between them, the caller may use as many as it likes.

    Parameters
    ----------
    steps : iterator

    Yields
    ------
    object
        As from the steps.
    """
    while True:
        with limited(1, "blas"):
            try:
                step = next(steps)
            except StopIteration:
                return
        yield step


@cache
def _libraries() -> list[LibController]:
    # To look for them takes 70 ms in a process with many, during which no other thread has a turn.
    return ThreadpoolController().lib_controllers


def _is_of_thread(library: LibController) -> bool:
    return library.user_api == "openmp" or getattr(library, "threading_layer", None) == "openmp"


def _take(number: int, n_threads: int, of: str | None) -> None:
    with _lock:
        own = [(one, one.num_threads) for one in _libraries() if _is_of_thread(one) and of in (None, one.user_api)]
        _holds[number] = _Hold(None if of == "openmp" else n_threads, get_ident(), own)
        for library, _ in own:
            library.set_num_threads(n_threads)
        _share()


def _let_go(number: int, *error: object) -> None:
    """Let go of a limit; once more does no harm."""
    with _lock:
        hold = _holds.get(number)
        if hold is not None and hold.thread == get_ident():
            for library, n_threads in hold.own:
                library.set_num_threads(n_threads)
        _share(besides=number)
        # Last, as the mark that all is done.
        _holds.pop(number, None)


def _share(besides: int | None = None) -> None:
    """Give the pools of the process the fewest threads that anyone wants, or what they had."""
    wanted = [hold.n_threads for number, hold in _holds.items() if number != besides and hold.n_threads is not None]
    fewest = min(wanted, default=None)
    if fewest is not None:
        for library in _libraries():
            if not _is_of_thread(library):
                _before.setdefault(library, library.num_threads)
                _given[library] = fewest
                _set(library, fewest)
        return
    for library, n_threads in _before.items():
        # Who has set another number meanwhile keeps it.
        if library.num_threads == _given.get(library, n_threads):
            _set(library, n_threads)
    _before.clear()
    _given.clear()


def _set(library: LibController, n_threads: int) -> None:
    if library.num_threads == n_threads:
        return
    # threadpoolctl from 3.8 on obeys one thread of Python at a time and ignores all others without a word.
    obey_anyone = getattr(library, "clear_controlling_thread", lambda force: None)
    obey_anyone(force=True)
    library.set_num_threads(n_threads)
    obey_anyone(force=True)
