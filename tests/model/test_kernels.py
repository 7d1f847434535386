"""The compiled sums over pairs: at the edges of double precision, of a buffer and of a strip."""

import numpy as np
import pytest
import scipy.sparse as sp

from latentmap.model import dissimilar, fast_math, kernels
from latentmap.model.coarse import Block, Coarse
from latentmap.model.dissimilar import DissimilarPairs
from latentmap.model.workers import Workers

DOFS = [np.inf, 2, 3.7]


def blocks_of(sizes, rng):
    """Blocks whose length scales and weights are all different, and neighbours inside and across them."""
    n = sum(sizes)
    stops = np.cumsum(sizes)
    coarse = Coarse(
        [
            Block(
                np.arange(stop - size, stop),
                rng.uniform(1, 5, size),
                rng.uniform(0.5, 2, size),
                rng.uniform(0, 1, size),
                True,
            )
            for size, stop in zip(sizes, stops, strict=True)
        ]
    )
    edges = sp.random_array((n, n), density=min(1, 5 / n), rng=rng)
    edges.setdiag(0)
    edges = sp.csr_array(edges)
    edges.eliminate_zeros()
    return coarse, edges


def directly(coarse, edges, outputs, variances, dof):
    """Repulsion and log-likelihood, pair by pair, with numpy's own exp and log."""
    n, d = outputs.shape
    result, log_likelihood = np.zeros((n, d + 2)), 0.0
    for block in coarse.blocks:
        i = block.nodes
        weight = np.outer(block.represented, block.represented)
        weight[edges[i][:, i].toarray() > 0] = 0
        np.fill_diagonal(weight, 0)
        delta2 = (block.outer[:, None] + block.inner) ** 2
        s = variances[i][:, None] + variances[i]
        difference = outputs[i][:, None] - outputs[i]
        z = np.sum(difference**2, axis=2) / (delta2 + s)
        tail = z if np.isinf(dof) else dof * np.log1p(z / dof)
        odds = 1 / np.expm1((d * np.log1p(s / delta2) + tail) / 2)
        omega = 1 / (1 + z / dof)
        rest = z / dof * omega  # 1 - omega, without cancellation
        log_likelihood -= np.sum(weight * np.log1p(odds))
        pull = weight * odds / (delta2 + s)
        both = pull * omega + (pull * omega).T
        result[i, :d] = np.einsum("ij,ijc->ic", both, difference)
        for column, terms in ((d, pull * (omega * z - d)), (d + 1, weight * odds * rest)):
            result[i, column] = (terms + terms.T).sum(axis=1)
    return result, log_likelihood


def kernel_dof(dof):
    return -1.0 if np.isinf(dof) else float(dof)


@pytest.mark.parametrize("dof", DOFS)
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("sizes", [(1, 2, 7, 8, 9, 33), (kernels.TILE + 1, 5), (2 * kernels.TILE + 77,)], ids=str)
def test_blocks_of_any_size_cut_into_strips(sizes, d, dof, monkeypatch):
    monkeypatch.setattr(dissimilar, "PAIRS_PER_CHUNK", 40_000)
    rng = np.random.default_rng(sum(sizes) + d)
    coarse, edges = blocks_of(sizes, rng)
    outputs, variances = 2 * rng.standard_normal((sum(sizes), d)), rng.uniform(0.01, 3, sum(sizes))
    pairs = DissimilarPairs(coarse, edges)
    if max(sizes) > kernels.TILE:
        assert len(pairs._pieces) > len(sizes)
    with Workers(2) as workers:
        ours = pairs.repulsion(outputs, variances, kernel_dof(dof), workers)
        log_likelihood = pairs.log_likelihood(outputs, variances, kernel_dof(dof), workers)
    theirs, expected = directly(coarse, edges, outputs, variances, dof)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10 * np.abs(theirs).max())
    assert log_likelihood == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("dof", DOFS)
@pytest.mark.parametrize("d", [2, 3])
def test_strips_cut_into_many_calls_have_the_same_bits(d, dof, monkeypatch):
    """An interruption waits for one call; where it falls between two, no sum is added up in another order."""
    sizes = (3 * kernels.TILE + 77, 5, 700)
    rng = np.random.default_rng(d)
    coarse, edges = blocks_of(sizes, rng)
    outputs, variances = 2 * rng.standard_normal((sum(sizes), d)), rng.uniform(0.01, 3, sum(sizes))
    found = []
    for most in (10**9, 1):
        monkeypatch.setattr(dissimilar, "_PAIRS_PER_CALL", most)
        pairs = DissimilarPairs(coarse, edges)
        for n_jobs in (1, 2):
            with Workers(n_jobs) as workers:
                repulsion = pairs.repulsion(outputs, variances, kernel_dof(dof), workers)
                found.append((repulsion.tobytes(), pairs.log_likelihood(outputs, variances, kernel_dof(dof), workers)))
    assert np.diff(pairs._pieces[:, 2:4]).max() == kernels.TILE
    assert max(len(run) for run in pairs._runs) > 1
    assert len(set(found)) == 1


@pytest.mark.parametrize("dof", DOFS)
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("nearness", [1e-12, 1e-6, 1, 3, 30, 1e3])
def test_one_pair_very_close_or_far_away(nearness, d, dof):
    """No digit is lost where P is nearly 1, and nothing is infinite where it is nearly 0."""
    block = Block(np.arange(2), np.ones(2), np.array([1.0, 1.7]), np.zeros(2), True)
    outputs = np.zeros((2, d))
    outputs[1] = nearness
    variances = np.array([nearness**2, 0.3 * nearness**2])
    coarse, edges = Coarse([block]), sp.csr_array((2, 2))
    pairs = DissimilarPairs(coarse, edges)
    ours = pairs.repulsion(outputs, variances, kernel_dof(dof), Workers(1))
    theirs, expected = directly(coarse, edges, outputs, variances, dof)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-60)
    log_likelihood = pairs.log_likelihood(outputs, variances, kernel_dof(dof), Workers(1))
    assert log_likelihood == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("x", [0.0, 1e-300, 1e-17, 1e-9, 0.1, 0.3465, 0.3466, 0.5, 1.0, 3.0, 10.0, 149.0])
def test_expm1_and_log1p_keep_all_digits(x):
    assert fast_math.expm1(x) == pytest.approx(np.expm1(x), rel=1e-14, abs=0)
    assert fast_math.log1p(x) == pytest.approx(np.log1p(x), rel=1e-14, abs=0)
    huge = np.exp(x)
    assert fast_math.log1p(huge) == pytest.approx(np.log1p(huge), rel=1e-14, abs=0)
