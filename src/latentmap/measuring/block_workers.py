"""Work on one block after the other: in threads of this process, or on the workers of a Dask cluster."""

import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from latentmap.generators import result_of
from latentmap.images.lazy_reading import read_part
from latentmap.measuring.block_threads import Steps, in_threads
from latentmap.memory import free_memory

# More threads than that wait for one another in Python.
_MOST_THREADS = 8
# How long to wait for the cluster before the caller gets a turn, in seconds.
_PATIENCE = 0.1
# How many blocks each thread of the cluster is given ahead.
_AHEAD = 2


@dataclass(frozen=True)
class Part:
    """A part of an array, which is read where it is used.

    Attributes
    ----------
    array : array-like
    index : tuple
    """

    array: Any
    index: tuple[Any, ...]

    def read(self) -> np.ndarray:
        """Return its numbers."""
        return read_part(self.array, self.index)


def pixels_of(part: Any) -> np.ndarray:
    """Return the numbers of a part, which Dask may have read already."""
    return part.read() if isinstance(part, Part) else np.asarray(part)


class Threads:
    """The threads of this process.

    Parameters
    ----------
    needed : float
        The bytes of memory that a block takes: no more threads are used than fit.
    """

    def __init__(self, needed: float = 0) -> None:
        fitting = int(free_memory() / 2 // needed) if needed else _MOST_THREADS
        self._n = max(1, min(_MOST_THREADS, os.cpu_count() or 1, fitting))

    @property
    def free_memory(self) -> float:
        """The bytes that a block may take."""
        return free_memory() / 2

    def part(self, array: Any, index: tuple[Any, ...]) -> Any:
        """Return a part of an array as an argument of the work."""
        return Part(array, index)

    def work_off(
        self, work: Callable[..., Steps[Any]], items: Iterator[tuple[int, tuple[Any, ...]]]
    ) -> Generator[tuple[int, Any] | None, None, None]:
        """Work off numbered arguments, and yield each number with its result, None while there is none yet."""
        for found in in_threads(lambda item: work(*item[1]), items, self._n):
            yield None if found is None else (found[0][0], found[1])


class Cluster:
    """The workers of a `dask.distributed` client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @property
    def free_memory(self) -> float:
        """The bytes that a block may take: each thread of a worker has one."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return min((one["memory_limit"] or np.inf) / one["nthreads"] / 2 for one in workers) if workers else np.inf

    def part(self, array: Any, index: tuple[Any, ...]) -> Any:
        """Return a part of an array as an argument of the work; the workers read it."""
        return array[index] if isinstance(array, np.ndarray) or _is_dask(array) else Part(array, index)

    def work_off(
        self, work: Callable[..., Steps[Any]], items: Iterator[tuple[int, tuple[Any, ...]]]
    ) -> Generator[tuple[int, Any] | None, None, None]:
        """Work off numbered arguments; the cluster does again what was lost with a worker that died."""
        from dask.delayed import delayed
        from distributed import KilledWorker, wait

        ahead = _AHEAD * max(2, sum(self._client.nthreads().values()))
        task, under_way = delayed(partial(_result_of, work), pure=False), dict[Any, int]()
        try:
            while True:
                for number, arguments in islice(items, ahead - len(under_way)):
                    under_way[self._client.compute(task(*arguments))] = number
                if not under_way:
                    return
                done: set[Any] = set()
                with suppress(TimeoutError):
                    done = wait([*under_way], timeout=_PATIENCE, return_when="FIRST_COMPLETED").done
                yield None
                for future in done:
                    yield under_way.pop(future), future.result()
        except KilledWorker as error:
            raise ValueError(
                "Workers of the cluster died again and again at the same block, most likely for want of memory: give "
                f"each of them more memory, or fewer threads ({error})."
            ) from error
        finally:
            self._client.cancel([*under_way])


def workers(needed: float = 0) -> Threads | Cluster:
    """Return what works on blocks: the cluster whose client was made last and is still open, else threads."""
    # A client can only be open if its library has been imported.
    if "distributed" in sys.modules:
        from distributed import default_client

        with suppress(ValueError):
            return Cluster(default_client())
    return Threads(needed)


def _is_dask(array: Any) -> bool:
    return hasattr(array, "__dask_graph__")


def _result_of(work: Callable[..., Steps[Any]], *arguments: Any) -> Any:
    return result_of(work(*arguments))
