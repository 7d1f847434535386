"""Threads for kernels that release the GIL, over chunks that do not depend on the number of threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from joblib import effective_n_jobs


class Workers:
    """A pool of threads that runs one kernel over fixed chunks.

    Numba's own threads abort the process if two Python threads enter them at once, and napari enters them to colour
    Labels. Here the kernels are serial and release the GIL, so any thread pool is suitable.

    Parameters
    ----------
    n_jobs : int or None
        Number of threads, as in scikit-learn: ``-1`` is one for each core, ``None`` is 1.
    """

    def __init__(self, n_jobs: int | None) -> None:
        self.n_threads = effective_n_jobs(n_jobs)
        # The calling thread works too.
        self._pool = ThreadPoolExecutor(self.n_threads - 1, "latentmap") if self.n_threads > 1 else None

    def map(self, kernel: Callable[..., Any], chunks: Sequence[tuple[int, int]], *args: Any) -> list[Any]:
        """Call ``kernel(start, stop, *args)`` for each chunk and return the results in the order of the chunks."""
        return self.map_runs(kernel, [[chunk] for chunk in chunks], *args)

    def map_runs(self, kernel: Callable[..., Any], runs: Sequence[Sequence[tuple[int, int]]], *args: Any) -> list[Any]:
        """Call a kernel for the chunks of each run, in order and in one thread; return the last result of each run.

        A chunk cannot be interrupted, so long runs are divided into chunks. After an error no further chunk begins.
        """
        results: list[Any] = [None] * len(runs)
        left, is_over = enumerate(runs), False

        def work() -> None:
            nonlocal is_over
            try:
                for number, run in left:
                    for chunk in run:
                        if is_over:
                            return
                        results[number] = kernel(*chunk, *args)
            except BaseException:
                is_over = True
                raise

        if self._pool is None or len(runs) < 2:
            work()
            return results
        # One task per thread, not per chunk: the interpreter's overhead of a task exceeds a small chunk, and blocks all
        # other threads, such as that of the user interface.
        helpers: list[Future[None]] = []
        try:
            helpers += [self._pool.submit(work) for _ in range(min(self.n_threads, len(runs)) - 1)]
            work()
        except BaseException:
            is_over = True
            raise
        finally:
            # A task that has not begun would find nothing to do.
            failures = [helper.exception() for helper in helpers if not helper.cancel()]
        for failure in filter(None, failures):
            raise failure
        return results

    def close(self) -> None:
        """End the threads; later calls run in the calling thread."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def chunks_of(costs: np.ndarray, target: float) -> list[tuple[int, int]]:
    """Divide rows into runs of about equal cost.

    Parameters
    ----------
    costs : ndarray of shape (n,)
        The cost of each row.
    target : float
        The desired cost of a run.

    Returns
    -------
    list of (start, stop)
        The runs, in order; they cover all rows.
    """
    if not len(costs):
        return []
    total = np.cumsum(costs, dtype=float)
    n_chunks = max(1, min(len(costs), int(np.ceil(total[-1] / target))))
    stops = np.searchsorted(total, np.linspace(0, total[-1], n_chunks + 1)[1:-1], side="left") + 1
    edges = np.unique(np.concatenate([[0], stops, [len(costs)]]))
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
