"""How long each stage of a fit takes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any


def seconds_by_stage(lvm: Any, X: Any, watch: Callable[[Any], object] = lambda progress: None) -> dict[str, float]:
    """Fit, and return the seconds of each stage.

    Parameters
    ----------
    lvm : LVM
        Fitted in place.
    X : array-like of shape (n, D)
    watch : callable
        ``watch(progress)`` at each step.

    Returns
    -------
    dict of str to float
        The stages in their order, "checks" before and "end" after those that the estimator names.
    """
    seconds: dict[str, float] = defaultdict(float)
    stage, last = "checks", time.perf_counter()
    for progress in lvm.iter_fit(X):
        now = time.perf_counter()
        seconds[stage] += now - last
        stage, last = progress.stage, now
        watch(progress)
    seconds["end"] = time.perf_counter() - last
    return dict(seconds)
