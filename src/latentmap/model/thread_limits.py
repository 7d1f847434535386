"""Limits on the threads of libraries; several fits may hold them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import cache, partial
from itertools import count
from threading import RLock, get_ident
from typing import Literal, NamedTuple, TypeVar, cast

from threadpoolctl import LibController, ThreadpoolController

Step = TypeVar("Step")


class _Hold(NamedTuple):
    """One limit: what it requests of process-wide pools, and the earlier values of its own thread's pools."""

    n_threads: int | None
    thread: int
    own: list[tuple[LibController, int]]


_lock = RLock()
_numbers = count()
_holds: dict[int, _Hold] = {}
# The process-wide pools' thread counts before the first limit, and those that limits have set.
_before: dict[LibController, int] = {}
_given: dict[LibController, int] = {}


def limit_threads(n_threads: int, of: Literal["blas", "openmp"] | None = None) -> AbstractContextManager[None]:
    """Limit the threads of libraries; with more threads, BLAS sums in another order.

    Most builds of BLAS have one pool for the whole process: it gets the smallest limit held in any Python thread, and
    its former size when the last limit is released. A pool that each thread has of its own, such as that of OpenMP, is
    limited only in the calling thread.

    Parameters
    ----------
    n_threads : int
        Maximum number of threads.
    of : {"blas", "openmp"}, optional
        Which libraries; all by default.
    """
    return cast(AbstractContextManager[None], _Limit(n_threads, of))


class _Limit:
    """A held limit. It is released at the latest when collected, even if interrupted before `__exit__` begins."""

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
        # The traceback of such an interruption would keep a method's frame alive, and with it the limit.
        leave = partial(_let_go, self._number)
        leave.limit = self  # type: ignore[attr-defined]
        return leave

    def __del__(self) -> None:
        if self._number in _holds:
            _let_go(self._number)


def limit_threads_in_steps(steps: Iterator[Step]) -> Iterator[Step]:
    """Yield steps, limiting BLAS to one thread while each is computed but not while the caller uses it."""
    while True:
        with limit_threads(1, "blas"):
            try:
                step = next(steps)
            except StopIteration:
                return
        yield step


@cache
def _libraries() -> list[LibController]:
    # Finding them takes 70 ms in a process with many libraries, and blocks all other threads.
    return list(ThreadpoolController().lib_controllers)


def _is_of_thread(library: LibController) -> bool:
    return library.user_api == "openmp" or getattr(library, "threading_layer", None) == "openmp"


def _own_pools(of: str | None) -> list[tuple[LibController, int]]:
    """The pools of the calling thread, and how many threads they have."""
    return [(one, one.num_threads) for one in _libraries() if _is_of_thread(one) and of in (None, one.user_api)]


def _take(number: int, n_threads: int, of: str | None) -> None:
    with _lock:
        # Not listed here: from Python 3.12 to 3.13, an interruption in such a list would leave the lock locked.
        own = _own_pools(of)
        _holds[number] = _Hold(None if of == "openmp" else n_threads, get_ident(), own)
        for library, _ in own:
            library.set_num_threads(n_threads)
        _share()


def _let_go(number: int, *error: object) -> None:
    """Release a limit; a second release does nothing."""
    with _lock:
        hold = _holds.get(number)
        if hold is not None and hold.thread == get_ident():
            for library, n_threads in hold.own:
                library.set_num_threads(n_threads)
        _share(besides=number)
        # Last, to mark the release as complete.
        _holds.pop(number, None)


def _share(besides: int | None = None) -> None:
    """Give the process-wide pools the smallest limit that is held, or their former sizes."""
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
        # A number set by others in the meantime stays.
        if library.num_threads == _given.get(library, n_threads):
            _set(library, n_threads)
    _before.clear()
    _given.clear()


def _set(library: LibController, n_threads: int) -> None:
    if library.num_threads == n_threads:
        return
    # From 3.8 on, threadpoolctl obeys one Python thread at a time and silently ignores the others.
    obey_anyone = getattr(library, "clear_controlling_thread", lambda force: None)
    obey_anyone(force=True)
    library.set_num_threads(n_threads)
    obey_anyone(force=True)
