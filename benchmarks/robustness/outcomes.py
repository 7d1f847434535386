"""What can come of a case, and which of it is a fault."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import latentmap
from latentmap import DataWarning

OUTCOMES = {
    "done": "the result is there and whole",
    "done, with words": "the same, and a warning or a note says what is odd about the data, or what was left out",
    "refused": "a sentence of ours says what is wrong",
    "foreign exception": "an exception that no sentence of ours explains",
    "silent loss": "cells, values or words were lost or changed, and nothing said so",
    "crash": "the process died",
    "hang": "no answer within the time limit",
}
"""What can come of a case, and what that means."""
FAULTS = ("foreign exception", "silent loss", "crash", "hang")
"""The outcomes that must not be."""

_OURS = str(Path(latentmap.__file__).parent)
# Where scikit-learn refuses what no estimator takes, in sentences that its own tests ask for.
_CONTRACT = str(Path("sklearn", "utils", "validation.py"))


class Refused(Exception):
    """A program has refused its input in words."""


class Lost(Exception):
    """Cells, values or words were lost or changed in silence."""


class Found(NamedTuple):
    """What came of a case.

    Attributes
    ----------
    outcome : str
        One of `OUTCOMES`.
    words : str
        What was said, or where it failed.
    """

    outcome: str
    words: str = ""


def judged(work: Callable[[], list[str]]) -> Found:
    """Do something, and say what came of it.

    Parameters
    ----------
    work : callable
        Returns the sentences that it has heard; raises `Lost` if something is missing.

    Examples
    --------
    >>> judged(lambda: ["1 row of label 0 left out."])
    Found(outcome='done, with words', words='1 row of label 0 left out.')
    """
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            said = work()
        except Lost as lost:
            return Found("silent loss", str(lost))
        except Refused as refused:
            return Found("refused", str(refused))
        except Exception as error:
            return of_error(error)
    said += [str(one.message) for one in heard if issubclass(one.category, DataWarning)]
    return Found("done, with words", said[0]) if said else Found("done")


def of_error(error: Exception) -> Found:
    """Say whether an exception is a sentence of ours.

    Examples
    --------
    >>> of_error(KeyError("area")).outcome
    'foreign exception'
    """
    frames = traceback.extract_tb(error.__traceback__)
    is_raised_by_us = bool(frames) and frames[-1].filename.startswith(_OURS)
    sentence = str(error)
    is_sentence = sentence.rstrip().endswith((".", "!", "?")) and len(sentence.split()) >= 4
    if isinstance(error, ValueError | TypeError | OSError):
        if is_raised_by_us and is_sentence:
            return Found("refused", sentence)
        if frames and frames[-1].filename.endswith(_CONTRACT):
            return Found("refused", sentence)
        if isinstance(error, OSError) and error.errno:
            return Found("refused", sentence)
    ours = [frame for frame in frames if frame.filename.startswith(_OURS)]
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "outside latentmap"
    return Found("foreign exception", f"{type(error).__name__} at {where}: {sentence:.300}")
