"""Parameters that belong together: ``LVM(**PAPER)``."""

from types import MappingProxyType
from typing import Any

import numpy as np

#: The model of Saul (2020) to the letter: Gaussian latent variables, equal weight of attraction and repulsion, trusted
#: neighbours alone, distances as they are, votes for landmarks squared as in the author's program, and EM from the
#: eigenvectors.
PAPER: MappingProxyType[str, Any] = MappingProxyType(
    {
        "solver": "em",
        "n_neighbors": 9,
        "n_steps": 1,
        "max_iter": 400,
        "dof": np.inf,
        "repulsion": 1.0,
        "min_neighbors": 0,
        "row_normalized": False,
        "local_scaling": 0.0,
        "vote_power": 2.0,
        "init": "spectral",
    }
)

#: Small neighbourhoods rather than clusters, as t-SNE shows them; takes about twice as long.
DETAIL: MappingProxyType[str, Any] = MappingProxyType(
    {
        "n_neighbors": 10,
        "repulsion": 150.0,
        "similarity_scale": 0.6,
        "ramp": (0.1, 0.5),
        "max_iter": 600,
    }
)

#: A short ascent on from a map that there is, ``LVM(init=(lvm.embedding_, lvm.variances_), **WARM)``: repulsion has no
#: need to grow, and the steps are short, so that the map keeps its layout. docs/ascent.md has
#: figures.
WARM: MappingProxyType[str, Any] = MappingProxyType({"max_iter": 100, "ramp": (0.0, 0.0), "learning_rate": 0.5})
