"""What is varied: on the way from the paper's model to the default, and one parameter of the default at a time."""

from __future__ import annotations

from typing import Any

from benchmarks.parameters import in_words
from latentmap import LVM, PAPER

Settings = dict[str, Any]

_WHOLE_PAPER: Settings = {**PAPER, "momentum": 0.9, "tol": 0}
# Each line is the one before it and what it says.
_STEPS: list[tuple[str, Settings]] = [
    ("the paper: Gaussian, EM, one level", {**_WHOLE_PAPER, "n_levels": 1}),
    ("heavy tails (`dof`)", {"dof": "auto"}),
    # An ascent has no use for a tolerance, and with one level votes count alike as they are and squared.
    ("ascent instead of EM, the same landmarks", {"solver": "ascent", "tol": 2e-3, "vote_power": 1.0}),
    ("all pairs, sampled, instead of landmarks", {"n_levels": "auto"}),
    ("k = 15, s = 2", {"n_neighbors": 15, "n_steps": 2}),
    ("`repulsion` 22", {"repulsion": 22.0}),
    ("10 or 5 neighbours of each row kept (`min_neighbors`)", {"min_neighbors": "auto"}),
    ("all rows weigh the same (`row_normalized`)", {"row_normalized": True}),
    ("density evened out (`local_scaling`)", {"local_scaling": 1.0}),
    ("a start from principal components (`init`)", {"init": "pca"}),
    ("smoothed over the graph (`init`)", {"init": "smoothed_pca"}),
    ("250 steps", {"max_iter": 250}),
    ("longer scales for fewer than 2300 rows (`similarity_scale`): the default", {"similarity_scale": "at_least_1"}),
]
_VALUES: dict[str, list[Any]] = {
    "repulsion": [1.0, 5.0, 10.0, 40.0, 100.0],
    "n_neighbors": [5, 10, 20, 30],
    "n_steps": [1, 3],
    "similarity_scale": [0.5, 0.7, 1.0, 1.4, 2.0],
    "min_neighbors": [0, 2, 5, 15],
    "row_normalized": [False],
    "local_scaling": [0.0, 0.5],
    "init": ["pca", "spectral"],
    "ramp": [(0.0, 0.0), (0.1, 0.4), (0.1, 0.7), (0.4, 1.0)],
    "max_iter": [100, 175, 500, 1000],
    "learning_rate": [0.25, 1.0, 2.0],
    "momentum": [0.8, 0.95],
    "tied_variances": [True],
    "n_components": [3],
}
# What one would write for the default itself.
THE_DEFAULT = "the default"


def steps() -> dict[str, Settings]:
    """Return the settings of each step from the paper to the default, by what it adds."""
    settings: Settings = {}
    return {name: (settings := {**settings, **change}) for name, change in _STEPS}


def variations() -> dict[str, Settings]:
    """Return the settings that differ from the default in one parameter, by how one writes it."""
    return {
        f"`{name}={value!r}`": {name: value}
        for name, values in _VALUES.items()
        for value in values
        if LVM().get_params()[name] != value
    }


def parameters(settings: Settings) -> str:
    """Return all parameters of an estimator with these settings, in words."""
    return in_words(LVM(**settings).get_params())
