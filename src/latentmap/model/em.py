"""The EM algorithm as a generator of states, driven by whatever shows, counts or stops iterations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from latentmap.model import sdd_solver
from latentmap.model.objective import Objective
from latentmap.model.state import State
from latentmap.model.variances import updated_variances
from latentmap.model.workers import Workers

_MAX_CG_ITER = 100
# Iterations between two checks whether the likelihood still rises.
CHECK_EVERY = 10


def em(
    objective: Objective,
    embedding: np.ndarray,
    variances: np.ndarray,
    workers: Workers,
    *,
    tied_variances: bool = False,
    momentum: float = 0.9,
    max_iter: int = 400,
    tol: float = 0.0,
    cg_tol: float = 1e-2,
) -> Iterator[State]:
    """Alternate the updates of the outputs, Saul (20), and of the variances, Saul (21).

    Parameters
    ----------
    objective : Objective
        To be maximised.
    embedding : ndarray of shape (n, d)
        Outputs to start from.
    variances : ndarray of shape (n,)
        Variances to start from.
    workers : Workers
        The threads to use.
    tied_variances : bool
        Whether all outputs share one variance (Fig. S4).
    momentum : float
        beta of Saul (SI 43). With 0, no iteration lowers the log-likelihood.
    max_iter : int
        Iterations at most.
    tol : float
        Stop when the log-likelihood rises by less than this fraction of itself in 10 iterations; 0 never stops early.
        The step length would be no criterion: at l = 0 steps are short long before the end.
    cg_tol : float
        Tolerance of the linear system of each iteration, relative to the gradient.

    Yields
    ------
    State
        The start, then one for each iteration.
    """
    d, edges, limits = embedding.shape[1], objective.similar.edges, objective.similar.variance_limits
    if tied_variances:
        variances = np.full_like(variances, variances.mean())
    variances = np.clip(variances, *limits)
    checked = State(0, embedding, variances, objective.log_likelihood)
    yield checked
    if objective.rate == 0:
        return
    weight = objective.weight(objective.repulsion)
    update = np.zeros_like(embedding)
    velocity = np.zeros_like(embedding)
    for iteration in range(1, max_iter + 1):
        now = objective.expectations(embedding, variances)
        # Saul (20) as an increment: L (mu_new - mu) is the gradient of the log-likelihood.
        update = sdd_solver.solve(
            edges.indptr,
            edges.indices,
            now.pull,
            now.diagonal,
            now.gradient,
            update,
            tol=cg_tol,
            max_iter=_MAX_CG_ITER,
            workers=workers,
        )
        velocity = update + momentum * velocity  # Saul (SI 43)
        embedding = embedding + velocity
        spread = objective.expectations(embedding, variances).spread
        variances = updated_variances(variances, spread, weight, d, limits, tied_variances)
        state = State(iteration, embedding, variances, objective.log_likelihood)
        yield state
        if tol and iteration % CHECK_EVERY == 0:
            if state.log_likelihood - checked.log_likelihood < tol * abs(state.log_likelihood):
                return
            checked = state
