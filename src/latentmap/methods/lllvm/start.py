"""The start of variational EM for a locally linear latent variable model."""

from __future__ import annotations

from typing import Any

import numpy as np

from latentmap.methods.lllvm.gaussian import GraphGaussian
from latentmap.methods.lllvm.model import LocallyLinear, Precisions
from latentmap.methods.lllvm.neighborhood import Neighborhood
from latentmap.model.spectral_start import spectral_start
from latentmap.model.warm_start import read_init

# Initial alpha and beta if they are learned; the authors' programs fix them at these values.
_ALPHA, _BETA = 1e-3, 1.0
# The fraction of neighbours' differences that is assumed to be explained at first, if positions are known.
_EXPLAINED = 0.75


def start(
    model: LocallyLinear, init: Any, alpha: float | str, beta: float | str, rng: np.random.Generator
) -> tuple[GraphGaussian, Precisions]:
    """Return the q(C) and the parameters that EM starts from.

    Parameters
    ----------
    model : LocallyLinear
        To be fitted.
    init, alpha, beta
        As in :class:`latentmap.methods.LLLVM`.
    rng : numpy.random.Generator
        Draws random starts.

    Raises
    ------
    ValueError
        If the initial positions do not fit.
    """
    graph, d, (n, columns) = model.graph, model.d, model.table.shape
    alpha, beta = (_ALPHA if isinstance(alpha, str) else alpha), (_BETA if isinstance(beta, str) else beta)
    theta = Precisions(float(alpha), float(beta), model.unexplained())
    keeps_whole = model.likelihood.is_whole
    if isinstance(init, str) and init == "random":
        return GraphGaussian.known(graph, rng.standard_normal((n, d, columns)), 1.0, keeps_whole), theta
    given = read_init(init, n, d)
    positions = _smoothest(graph, d, rng) if given is None else given.embedding
    theta = theta._replace(gamma=theta.gamma / (1 - _EXPLAINED))
    return model.maps(GraphGaussian.known(graph, _sized(graph, positions)[:, :, None], 0.0, keeps_whole), theta), theta


def _smoothest(graph: Neighborhood, d: int, rng: np.random.Generator) -> np.ndarray:
    """Return Laplacian eigenmaps scaled to equal roughness, as expected under the prior on x."""
    positions = spectral_start(graph.adjacency, np.ones(graph.adjacency.nnz), d, rng)
    return np.asarray(positions / np.sqrt(np.einsum("ia,ia->a", positions, graph.times_laplacian(positions))))


def _sized(graph: Neighborhood, positions: np.ndarray) -> np.ndarray:
    """Return centred positions, as rough as the prior on x expects for small alpha."""
    centred = positions - positions.mean(axis=0)
    expected = (len(positions) - 1) * positions.shape[1]
    return np.asarray(centred * np.sqrt(expected / (2 * np.vdot(centred, graph.times_laplacian(centred)))))
