"""The differences between two runs, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from latentmap.methods import DEFAULT, METHODS
from latentmap.session.parameters import fields_of
from latentmap.session.wording import counted

_WORDS = {
    "n_neighbors": "k",
    "n_steps": "s",
    "n_levels": "l",
    "n_components": "d",
    "n_pca": "principal components",
    "missing": "missing values",
    "scale_within": "scaled within",
    "harmony_by": "Harmony by",
    "dof": "degrees of freedom",
    "max_iter": "iterations",
    "local_scaling": "local scaling",
    "min_neighbors": "neighbours kept",
    "row_normalized": "row-normalized ties",
    "connect": "separate parts",
    "init": "start",
    "random_state": "seed",
}
# So many features are named; the rest are counted.
_MOST_NAMED = 3


def run_differences(new: Mapping[str, Any], old: Mapping[str, Any]) -> list[str]:
    """List the parameters in which one run differs from another.

    Parameters
    ----------
    new, old : mapping
        The parameters of both, by name.

    Returns
    -------
    list of str
        One phrase for each parameter; empty if all are the same.

    Examples
    --------
    >>> old = {"n_neighbors": 22, "metric": "euclidean", "features": ("area", "DNA")}
    >>> new = {"n_neighbors": 15, "metric": "euclidean", "features": ("area", "actin")}
    >>> run_differences(new, old)
    ['k 15 instead of 22', 'with actin', 'without DNA']
    """
    method, other = (parameters.get("method", DEFAULT) for parameters in (new, old))
    told = [f"{METHODS[method].title} instead of {METHODS[other].title}"] if method != other else []
    new, old = (_counting(parameters, with_defaults=method == other) for parameters in (new, old))
    for name, value in new.items():
        if name == "features":
            told += _feature_phrases(value, old.get(name, ()))
        elif name not in old:
            told.append(f"{_word(name)} {value}")
        elif value != old[name]:
            now, before = ("nothing" if one == "" else one for one in (value, old[name]))
            told.append(f"{_word(name)} {now} instead of {before}")
    return told


def supervision_differences(new: np.ndarray | None, old: np.ndarray | None) -> list[str]:
    """Say how the supervision of one run differs from that of another run of the same method.

    Parameters
    ----------
    new, old : ndarray or None
        The supervision of both, ``Result.supervision``.

    Returns
    -------
    list of str
        One phrase, or none.

    Examples
    --------
    >>> supervision_differences(np.array(["T", "B", "B", ""]), None)
    ['2 classes of 3 cells instead of neighbours alone']
    >>> supervision_differences(np.array([[0, 1, 2]]), np.array([[0, 2, 1]]))
    ['other comparisons']
    """
    if np.array_equal(np.asarray(new), np.asarray(old)):
        return []
    now, before = _supervision(new), _supervision(old)
    if now == before:
        return ["other classes" if new is not None and new.ndim == 1 else "other comparisons"]
    return [f"{now} instead of {before}"]


def _supervision(supervision: np.ndarray | None) -> str:
    if supervision is None:
        return "neighbours alone"
    if supervision.ndim == 2:
        return counted(len(supervision), "comparison")
    known = supervision[supervision != ""]
    return f"{len(np.unique(known))} classes of {counted(len(known), 'cell')}"


def _counting(parameters: Mapping[str, Any], with_defaults: bool) -> dict[str, Any]:
    """The parameters that a run has by its method."""
    method = parameters.get("method", DEFAULT)
    own = fields_of(method)
    of_others = {"method", "options", *fields_of(DEFAULT)} - set(own)
    told = {name: value for name, value in parameters.items() if name not in of_others}
    defaults = {name: value for name, value in METHODS[method].defaults.items() if name not in own}
    return {**told, **(defaults if with_defaults else {}), **parameters.get("options", {}).get(method, {})}


def _feature_phrases(new: Sequence[str], old: Sequence[str]) -> list[str]:
    more = [name for name in new if name not in old]
    fewer = [name for name in old if name not in new]
    return [f"{how} {_joined(names)}" for how, names in (("with", more), ("without", fewer)) if names]


def _joined(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMED
    if rest > 1:
        return f"{', '.join(names[:_MOST_NAMED])} and {rest} more"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _word(name: str) -> str:
    return _WORDS.get(name, name.replace("_", " "))
