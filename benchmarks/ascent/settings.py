"""What is varied: on the way from the paper's model to the default, and one parameter of the default at a time."""

from __future__ import annotations

from typing import Any

from latentmap import LVM, PAPER

Settings = dict[str, Any]

_WHOLE_PAPER: Settings = {**PAPER, "momentum": 0.9, "tol": 0}
# Each line is the one before it and what it says.
_STEPS: list[tuple[str, Settings]] = [
    ("the paper: Gaussian, EM, one level", {**_WHOLE_PAPER, "n_levels": 1}),
    ("heavy tails (`dof`)", {"dof": "auto"}),
    ("ascent instead of EM, the same landmarks", {"solver": "ascent"}),
    ("all pairs, sampled, instead of landmarks", {"n_levels": "auto"}),
    ("k = 22, s = 2", {"n_neighbors": 22, "n_steps": 2}),
    ("`similarity_scale` 0.7", {"similarity_scale": 0.7}),
    ("`repulsion` 22, 500 steps: the default", {"repulsion": 22.0, "max_iter": 500}),
]
_VALUES: dict[str, list[Any]] = {
    "repulsion": [1.0, 5.0, 10.0, 40.0, 100.0],
    "n_neighbors": [9, 15, 30],
    "n_steps": [1, 3],
    "similarity_scale": [0.5, 1.0],
    "ramp": [(0.0, 0.0), (0.2, 0.6), (0.4, 1.0)],
    "max_iter": [100, 200, 800],
    "learning_rate": [1.0, 4.0],
    "momentum": [0.8, 0.95],
    "tied_variances": [True],
    "n_components": [3],
}


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
