"""One method in a process of its own: reads a request from the standard input, and answers in JSON.

Only what reads the request is imported at the top: what a method imports counts as its time.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import redirect_stdout
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Fit as often as asked, and save the maps.

    Parameters
    ----------
    request : dict
        "method"; "path" of the table, and whether it is "mapped" instead of read; "fits", for each of them how many
        "rows" of the table it takes, and its "seed"; "started", the time at which the process was asked for; "maps",
        the path that gets the maps; "keeps", whether all that is compiled is kept.

    Returns
    -------
    dict
        "fits": for each of them its rows, its seed, its seconds, those of each stage where the method tells them, and
        the most memory that the process had held by then beyond what it held with the table read, in bytes. The first
        lasts from the start of the process, less the reading of the table; so it contains importing and compiling.
    """
    import numpy as np

    from benchmarks.memory import peak_memory
    from benchmarks.peers.methods import METHODS

    method = METHODS[request["method"]]
    reading = time.time()
    X = np.load(request["path"], mmap_mode="r" if request["mapped"] else None)
    held = peak_memory()
    started = request["started"] + time.time() - reading
    fits, maps = [], []
    for fit in request["fits"]:
        embedding, stages = _fit(method, X[: fit["rows"]], fit["seed"], request["keeps"])
        seconds = time.time() - started
        fits.append({**fit, "seconds": seconds, "memory": peak_memory() - held, "stages": stages})
        maps.append(embedding)
        started = time.time()
    np.savez(request["maps"], *maps)
    return {"fits": fits}


def _fit(method: Any, X: Any, seed: int, keeps: bool) -> tuple[Any, dict[str, float]]:
    estimator = method.make(seed)
    if keeps:
        from benchmarks.peers.compiled import keep_compiled

        keep_compiled(method.module)
    if not hasattr(estimator, "iter_fit"):
        return method.embed(estimator, X), {}
    from benchmarks.stages import seconds_by_stage

    stages = seconds_by_stage(estimator, X)
    return estimator.embedding_, stages


if __name__ == "__main__":
    # What a package prints must not end up in the answer.
    with redirect_stdout(sys.stderr):
        answered = answer(json.load(sys.stdin))
    json.dump(answered, sys.stdout)
