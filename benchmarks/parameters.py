"""Parameters in words, as records keep them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Younger than the first records, which were made as if each had had this value.
_YOUNGER = {"vote_power": 1.0, "verbose": False}


def in_words(parameters: Mapping[str, Any]) -> str:
    """Return parameters as one would write them.

    Parameters
    ----------
    parameters : mapping of str to object

    Returns
    -------
    str
        Without those that a record could not know, where they are as they then were.

    Examples
    --------
    >>> in_words({"n_neighbors": 9, "vote_power": 1.0}), in_words({"n_neighbors": 9, "vote_power": 2.0})
    ('n_neighbors=9', 'n_neighbors=9, vote_power=2.0')
    """
    told = {name: value for name, value in parameters.items() if name not in _YOUNGER or value != _YOUNGER[name]}
    return ", ".join(f"{name}={value!r}" for name, value in told.items())
