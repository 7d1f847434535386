"""A method that a developer has just written: all of it is in this file."""

import numpy as np

from latentmap.methods import Method
from latentmap.methods.direct_method import DirectMethod, stage
from latentmap.methods.fields import N_COMPONENTS, SEED, Field
from latentmap.model.validation import read_table


class RandomProjection(DirectMethod):
    """A map that looks at the table from a random side."""

    title = "Random projection"
    objective_name = "emptiness"

    def __init__(self, n_components=2, *, stretch=1.0, side="front", random_state=0, callback=None):
        self.n_components = n_components
        self.stretch = stretch
        self.side = side
        self.random_state = random_state
        self.callback = callback

    def _solve(self, X):
        table = read_table(X, self, False)
        yield stage("start")
        directions = self._generator().normal(size=(table.shape[1], self.n_components))
        sign = 1 if self.side == "front" else -1
        return sign * self.stretch * np.asarray(table, dtype=float) @ directions, 0.5


METHOD = Method(
    RandomProjection,
    "For a first look at any table. What lies apart on the map does differ. What lies together may differ too.",
    {
        "n_components": N_COMPONENTS,
        "stretch": Field(
            "Stretch", "How wide the map is. Higher values give a wider map.", minimum=0.1, maximum=10, step=0.1
        ),
        "side": Field(
            "Side",
            "From where the table is seen.",
            choices=(("from the front", "front"), ("from behind", "back")),
            is_advanced=True,
        ),
        "random_state": SEED,
    },
)
