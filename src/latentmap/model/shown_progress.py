"""The progress of a fit in a terminal or in a notebook, for an estimator without a front end."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from importlib import import_module

from latentmap.model.state import FitProgress

# Without tqdm, a line is printed for so many equal shares of the iterations.
_LINES = 5


def shown(steps: Iterator[FitProgress], title: str) -> Generator[FitProgress, None, None]:
    """Yield the steps of a fit, and show each: as a bar of ``tqdm.auto`` if that is installed, else as plain lines.

    Parameters
    ----------
    steps : iterator of FitProgress
    title : str
        What is being fitted.

    Yields
    ------
    FitProgress
    """
    try:
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError:
        yield from _in_lines(steps, title)
        return
    with tqdm(desc=title, unit="it") as bar:
        for step in steps:
            bar.total = step.max_iter
            bar.n = step.iteration
            bar.set_postfix_str("" if step.stage == "embedding" else step.stage, refresh=False)
            bar.refresh() if step.state is None else bar.update(0)
            yield step


def _in_lines(steps: Iterator[FitProgress], title: str) -> Generator[FitProgress, None, None]:
    told = None
    for step in steps:
        share = step.iteration * _LINES // step.max_iter if step.max_iter else 0
        if (step.stage, share) != told:
            told = step.stage, share
            print(f"{title}: {step.stage}, iteration {step.iteration} of {step.max_iter}", file=sys.stderr, flush=True)
        yield step
