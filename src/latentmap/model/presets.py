"""Sets of parameters: ``LVM(**PAPER)``."""

from types import MappingProxyType
from typing import Any

import numpy as np

#: The model of Saul (2020) exactly: Gaussian latent variables, equal weights of attraction and repulsion, only trusted
#: neighbours, unscaled distances, squared votes for landmarks as in the author's program, and EM that starts from the
#: eigenvectors.
PAPER: MappingProxyType[str, Any] = MappingProxyType(
    {
        "solver": "em",
        "n_neighbors": 9,
        "n_steps": 1,
        "max_iter": 400,
        "dof": np.inf,
        "repulsion": 1.0,
        "similarity_scale": 1.0,
        "min_neighbors": 0,
        "row_normalized": False,
        "local_scaling": 0.0,
        "vote_power": 2.0,
        "init": "spectral",
    }
)

#: Emphasises small neighbourhoods over clusters, as t-SNE does; takes two to three times as long.
DETAIL: MappingProxyType[str, Any] = MappingProxyType(
    {
        "n_neighbors": 10,
        "dof": "intrinsic",
        "repulsion": 150.0,
        "similarity_scale": "auto",
        "ramp": (0.1, 0.5),
        "learning_rate": 1.0,
        "max_iter": 800,
    }
)

#: A short ascent from an existing map, ``LVM(init=(lvm.embedding_, lvm.variances_), **WARM)``. Repulsion need not grow
#: and the steps are short, so that the map keeps its layout; for timings see docs/ascent.md.
WARM: MappingProxyType[str, Any] = MappingProxyType({"max_iter": 100, "ramp": (0.0, 0.0), "learning_rate": 0.5})
