"""The methods that are compared: ours, in the configurations that have a name, and the peers at their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.parameters import in_words

# The estimator itself is not imported here: the time that takes is measured.
from latentmap.model.presets import DETAIL, PAPER


@dataclass(frozen=True)
class Method:
    """An estimator and its settings.

    Attributes
    ----------
    package : str
        What is to be installed.
    module, estimator : str
        Where the class is found.
    settings : dict
        Where they differ from the package's defaults.
    once : bool
        Whether one run on the main data set is enough, unless the method is asked for by name.
    only_asked : bool
        Whether it runs only where it is asked for by name.
    seeded : bool
        Whether ``random_state`` gets the number of the run. The peers stay without a seed, as people use them: with
        one, umap-learn takes a single core.
    verb : str
        The name of the function that returns the map.
    """

    package: str
    module: str
    estimator: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    once: bool = False
    only_asked: bool = False
    seeded: bool = False
    verb: str = "fit_transform"

    @property
    def call(self) -> str:
        """The settings as one would write them."""
        return f"{self.estimator}({', '.join(f'{name}={value!r}' for name, value in self.settings.items())})"

    @property
    def is_ours(self) -> bool:
        """Whether it is a configuration of this project."""
        return self.package == "latentmap"

    @property
    def parameters(self) -> str:
        """All parameters of a configuration of this project; a peer's follow from its version."""
        if not self.is_ours or self.obstacle:
            return ""
        return in_words(self._estimator(**self.settings).get_params())

    @property
    def obstacle(self) -> str:
        """What keeps the method from running here, in words; empty if nothing does."""
        if find_spec(self.module) is None:
            return f"{self.package} is not installed. `uv sync --group peers` brings it."
        if self.is_ours and (unknown := sorted(self.settings.keys() - self._estimator().get_params().keys())):
            return f"this version of {self.estimator} has no parameter {', '.join(unknown)}."
        return ""

    @property
    def _estimator(self) -> Any:
        return getattr(import_module(self.module), self.estimator)

    def make(self, seed: int) -> Any:
        """Import the package and return the estimator."""
        seeds = {"random_state": seed} if self.seeded else {}
        return self._estimator(**self.settings, **seeds)

    def embed(self, estimator: Any, X: np.ndarray) -> np.ndarray:
        """Return the map that an estimator of this method makes."""
        return np.asarray(getattr(estimator, self.verb)(X))


def _ours(settings: Mapping[str, Any], **how: bool) -> Method:
    return Method("latentmap", "latentmap", "LVM", settings, seeded=True, **how)


# What is compared to the peers in the summary, what keeps the small neighbourhoods, and the peer that goes on to a
# million rows in minutes.
DEFAULT, DETAIL_NAME, FASTEST_PEER = "latentmap", "latentmap-detail", "pacmap"
METHODS = {
    DEFAULT: _ours({}),
    DETAIL_NAME: _ours(DETAIL),
    # With all of the paper's iterations.
    "latentmap-em": _ours({**PAPER, "momentum": 0.9, "tol": 0, "likelihood_every": 0}, once=True),
    # For the page of pictures.
    "latentmap-density-kept": _ours({"local_scaling": 0.0}, only_asked=True),
    "latentmap-paper": _ours(PAPER, only_asked=True),
    "umap-learn": Method("umap-learn", "umap", "UMAP"),
    FASTEST_PEER: Method("pacmap", "pacmap", "PaCMAP"),
    "opentsne": Method("opentsne", "openTSNE", "TSNE", {"n_jobs": -1}, verb="fit"),
}
