"""The reference checked against itself: derivatives, sampling, counting, and examples worked by hand."""

from itertools import combinations, permutations
from math import inf, log

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from . import coarse, em, graph, scales, start

DOFS = [inf, 6, 2, 1, 3.7]


def random_problem(seed, n=7, d=2):
    """Weights in no relation to any graph, each direction its own; nan wherever a pair does not count."""
    rng = np.random.default_rng(seed)
    off_diagonal = ~np.eye(n, dtype=bool)
    S = np.where((rng.random((n, n)) < 0.4) & off_diagonal, rng.uniform(0.2, 2, (n, n)), 0.0)
    D = np.where((rng.random((n, n)) < 0.8) & off_diagonal, rng.uniform(0.2, 2, (n, n)), 0.0)
    delta2 = np.where(S > 0, rng.uniform(0.3, 2, (n, n)), np.nan)
    Delta2 = np.where(D > 0, rng.uniform(0.3, 4, (n, n)), np.nan)
    return rng.normal(size=(n, d)) / np.sqrt(d), rng.uniform(0.1, 1.5, n), S, D, delta2, Delta2


def graph_problem(seed, n=24, d=2, dof=inf, n_levels=0):
    """What a fit would start from, but for random outputs."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + 3 * rng.integers(0, 2, (n, 1))
    dist = cdist(X, X)
    g = graph.neighborhood_graph(dist, 3)
    base = scales.base_case(dist, g.E, g.bridges, d, dof)
    grained = coarse.coarse_grain(
        dist, base.D, np.sqrt(base.Delta2), random_splits(rng, dist, n_levels), dof, vote_power=1
    )
    S, D = coarse.rescale(base.S, grained.C, grained.D)
    return rng.normal(size=(n, d)), base.var, S, D, base.delta2, grained.Delta**2


def random_splits(rng, dist, n_levels):
    """Split every block of three nodes or more at every level; each node goes to its nearest landmark."""
    splits, blocks = [], [np.arange(len(dist))]
    for _ in range(n_levels):
        next_blocks = []
        for members in blocks:
            if len(members) < 3:
                next_blocks.append(members)
                continue
            landmarks = rng.choice(members, size=max(2, round((len(members) ** 2 / 2) ** (1 / 3))), replace=False)
            assignment = landmarks[dist[np.ix_(members, landmarks)].argmin(axis=1)]
            splits.append((members, landmarks, assignment))
            next_blocks += [landmarks] + [members[assignment == i] for i in landmarks]
        blocks = next_blocks
    return splits


def central_difference(f, x, h=1e-5):
    gradient = np.empty_like(x)
    for index in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[index] = h
        gradient[index] = (f(x + step) - f(x - step)) / (2 * h)
    return gradient


# EM


@pytest.mark.parametrize("dof", DOFS)
@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_forces_and_variance_forces_are_the_gradient_of_the_log_likelihood(d, dof):
    mu, var, *pairs = random_problem(d, d=d)
    by_mu = central_difference(lambda m: em.log_likelihood(m, var, *pairs, dof), mu)
    by_var = central_difference(lambda v: em.log_likelihood(mu, v, *pairs, dof), var)
    np.testing.assert_allclose(em.forces(mu, var, *pairs, dof), by_mu, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(em.variance_forces(mu, var, *pairs, dof), by_var, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dof", DOFS)
@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_updates_follow_the_forces(d, dof):
    mu, var, *pairs = random_problem(d, d=d)
    S, D = pairs[:2]
    L = em.system_matrix(mu, var, *pairs, dof)
    np.testing.assert_allclose(
        L @ (em.update_means(mu, var, *pairs, dof) - mu), em.forces(mu, var, *pairs, dof), rtol=1e-9, atol=1e-10
    )
    weights = (S + S.T + D + D.T).sum(axis=1)
    free = var + 2 * var**2 * em.variance_forces(mu, var, *pairs, dof) / (d * weights)
    np.testing.assert_allclose(em.update_variances(mu, var, *pairs, dof), free, rtol=1e-12)
    tied = em.update_variances(mu, var, *pairs, dof, tied=True)
    np.testing.assert_allclose(tied, np.average(free, weights=weights), rtol=1e-12)


@pytest.mark.parametrize("tied", [False, True], ids=["free", "tied"])
@pytest.mark.parametrize("seed", range(20))
def test_no_half_step_without_momentum_lowers_the_likelihood(seed, tied):
    dof, d = DOFS[seed % 5], 1 + seed % 3
    if seed < 10:
        mu, var, *pairs = random_problem(seed, n=12, d=d)
    else:
        mu, var, *pairs = graph_problem(seed, d=d, dof=dof, n_levels=seed % 4)
    if tied:
        var = np.full_like(var, var.mean())
    trace = [em.log_likelihood(mu, var, *pairs, dof)]
    for _ in range(15):
        mu = em.update_means(mu, var, *pairs, dof)
        trace.append(em.log_likelihood(mu, var, *pairs, dof))
        var = em.update_variances(mu, var, *pairs, dof, tied=tied)
        trace.append(em.log_likelihood(mu, var, *pairs, dof))
    assert np.ptp(var) == 0 or not tied
    assert trace[-1] > trace[0]
    assert np.diff(trace).min() > -1e-11 * abs(trace[-1])


def test_em_step_adds_the_momentum_before_it_updates_the_variances():
    mu, var, *pairs = random_problem(3)
    previous = mu - 0.1
    expected = em.update_means(mu, var, *pairs, 2) + 0.9 * (mu - previous)
    new_mu, new_var = em.em_step(mu, var, *pairs, 2, previous_mu=previous, momentum=0.9)
    np.testing.assert_array_equal(new_mu, expected)
    np.testing.assert_array_equal(new_var, em.update_variances(expected, var, *pairs, 2))


@pytest.mark.parametrize("dof", DOFS)
@pytest.mark.parametrize(("d", "distance"), [(1, 0.4), (2, 1.5), (3, 1.0)])
def test_probability_and_posterior_moments_agree_with_sampling(d, distance, dof):
    rng = np.random.default_rng(int(10 * d))
    mu, var, scale2 = np.zeros((2, d)), np.array([0.3, 0.8]), np.full((2, 2), 1.2)
    mu[1, 0] = distance
    n_samples = 200_000
    tau = np.ones(n_samples) if dof == inf else rng.gamma(dof / 2, 2 / dof, n_samples)
    h = mu[0] + rng.normal(size=(n_samples, d)) * np.sqrt(var[0] / tau)[:, None]
    h_prime = mu[1] + rng.normal(size=(n_samples, d)) * np.sqrt(var[1] / tau)[:, None]
    coincide = np.exp(-tau * ((h - h_prime) ** 2).sum(axis=1) / (2 * 1.2))  # Saul (3)

    p = np.exp(em.log_probability(mu, var, scale2, dof))
    h_1, h_prime_1 = em.posterior_means_similar(mu, var, scale2, dof)
    h_0, h_prime_0 = em.posterior_means_dissimilar(mu, var, scale2, dof)
    phi, phi_prime = em.second_moments_similar(mu, var, scale2, dof)
    psi, psi_prime = em.second_moments_dissimilar(mu, var, scale2, dof)
    square, square_prime = ((h - mu[0]) ** 2).sum(axis=1), ((h_prime - mu[1]) ** 2).sum(axis=1)
    # Bayes (7)-(8): the mean of P(c | h, h') f(h, h') over the prior is P(c) E[f | c].
    checks = [
        (coincide, 1),
        (coincide * tau, em.precision_similar(mu, var, scale2, dof)),
        (coincide * tau * h[:, 0], h_1[..., 0]),
        (coincide * tau * h_prime[:, 0], h_prime_1[..., 0]),
        (coincide * tau * square, phi),
        (coincide * tau * square_prime, phi_prime),
    ]
    checks = [(sampled, (p * expected)[0, 1]) for sampled, expected in checks]
    dissimilar = [
        ((1 - coincide) * tau, em.precision_dissimilar(mu, var, scale2, dof)),
        ((1 - coincide) * tau * h[:, 0], h_0[..., 0]),
        ((1 - coincide) * tau * h_prime[:, 0], h_prime_0[..., 0]),
        ((1 - coincide) * tau * square, psi),
        ((1 - coincide) * tau * square_prime, psi_prime),
    ]
    checks += [(sampled, ((1 - p) * expected)[0, 1]) for sampled, expected in dissimilar]
    for sampled, expected in checks:
        assert abs(sampled.mean() - expected) < 4 * sampled.std() / np.sqrt(n_samples)


def test_large_dof_is_the_paper():
    mu, var, *pairs = random_problem(5)
    for f in (em.forces, em.update_means, em.update_variances, em.log_likelihood):
        np.testing.assert_allclose(f(mu, var, *pairs, 1e8), f(mu, var, *pairs), rtol=1e-6, atol=1e-7)


def test_odds_of_two_dof_in_the_plane_need_no_power():
    mu, var, *_ = random_problem(6)
    Delta2 = np.random.default_rng(6).uniform(0.5, 3, (7, 7))
    r2 = cdist(mu, mu, "sqeuclidean")
    expected = Delta2 / (var[:, None] + var[None, :] + r2 / 2)
    np.testing.assert_allclose(em.odds(mu, var, Delta2, 2), expected, rtol=1e-12)


@pytest.mark.parametrize("dof", DOFS)
def test_sure_outputs_at_their_input_distance_coincide_half_of_the_time(dof):
    mu, dist2 = np.array([[0.0, 0.0], [3.0, 4.0]]), 25.0
    delta2 = np.full((2, 2), dist2 / scales.calibration(dof))
    p = np.exp(em.log_probability(mu, np.full(2, 1e-14), delta2, dof))
    assert p[0, 1] == pytest.approx(0.5)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_joint_updates_never_lower_the_likelihood_and_go_along_the_gradient(seed, d):
    mu, var, *pairs = random_problem(seed, d=d)
    weights = sum(weight.sum(axis=1) + weight.sum(axis=0) for weight in pairs[:2])
    before = em.log_likelihood(mu, var, *pairs)
    for _ in range(20):
        expected = mu + (var / weights)[:, None] * em.forces(mu, var, *pairs)
        mu, var = em.joint_step(mu, var, *pairs)
        np.testing.assert_allclose(mu, expected, atol=1e-12)
        after = em.log_likelihood(mu, var, *pairs)
        assert after >= before - 1e-12 * abs(before)
        before = after


# The graph


def test_graph_worked_by_hand():
    x = np.array([0.0, 1.0, 2.1, 4.0, 10.0])[:, None]
    g = graph.neighborhood_graph(cdist(x, x), 2)
    neighbors = {(0, 1), (0, 2), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 1), (4, 3), (4, 2)}
    mutual = {(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)}
    assert set(zip(*np.nonzero(g.K), strict=True)) == neighbors
    assert set(zip(*np.nonzero(np.triu(g.T)), strict=True)) == {(0, 1), (1, 2), (2, 3), (3, 4)}
    assert set(zip(*np.nonzero(g.E), strict=True)) == mutual | {(4, 3)}  # the tree needs 4, which chose 3
    two_steps = graph.neighborhood_graph(cdist(x, x), 2, 2)
    # In two steps 0 and 2 reach each other (0-2, 2-1-0), and so do 1 and 3 (1-2-3, 3-1); 4 is reached by none.
    assert set(zip(*np.nonzero(two_steps.E), strict=True)) == mutual | {(4, 3), (0, 2), (3, 1)}


@pytest.mark.parametrize("n_steps", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_edges_are_neighbours_and_keep_the_graph_connected(seed, n_steps):
    X = np.random.default_rng(seed).normal(size=(40, 3))
    dist = cdist(X, X)
    g = graph.neighborhood_graph(dist, 4, n_steps)
    K_int = g.K.astype(int)
    walks = sum(np.linalg.matrix_power(K_int, step) for step in range(1, n_steps + 1))
    np.testing.assert_array_equal(g.R, walks > 0)
    assert (g.K.sum(axis=1) == 4).all()
    assert not g.E.diagonal().any()
    assert not (g.E & ~(g.K | g.bridges)).any()
    assert not (g.T & ~(g.E | g.E.T)).any()
    assert not (g.K & g.K.T & ~g.E).any()
    assert (g.E & ~g.bridges).any(axis=1).all()
    assert graph.components(g.E | g.E.T).max() == 0
    assert g.T.sum() == 2 * (len(X) - 1)


@pytest.mark.parametrize("seed", range(5))
def test_spanning_forest_is_minimal(seed):
    X = np.random.default_rng(seed).normal(size=(30, 2))
    dist = cdist(X, X)
    K = graph.nearest_neighbors(dist, 2)
    forest = graph.minimum_spanning_forest(dist, K | K.T)
    assert dist[np.triu(forest)].sum() == pytest.approx(minimum_spanning_tree(np.where(K | K.T, dist, 0)).sum())
    np.testing.assert_array_equal(graph.components(forest), graph.components(K | K.T))


@pytest.mark.parametrize("n_neighbors", [1, 2, 3, 5])
def test_ties_leave_no_point_without_an_edge_of_its_own(n_neighbors):
    """The tree and the neighbours break ties alike, so the tree takes a nearest neighbour that the point chose."""
    X = np.random.default_rng(n_neighbors).integers(0, 5, (60, 2)).astype(float)
    g = graph.neighborhood_graph(cdist(X, X), n_neighbors)
    assert (g.E & ~g.bridges).any(axis=1).all()


def test_duplicates_are_each_others_neighbours_never_their_own():
    X = np.repeat([[0.0], [5.0]], 3, axis=0)
    K = graph.nearest_neighbors(cdist(X, X), 2)
    np.testing.assert_array_equal(K, np.kron(np.eye(2), 1 - np.eye(3)) > 0)


def test_bridges_are_the_shortest_way_to_join_three_clusters():
    x = np.array([0.0, 1.0, 2.0, 12.0, 13.0, 14.0, 20.0, 21.0])[:, None]
    dist = cdist(x, x)
    g = graph.neighborhood_graph(dist, 1)
    np.testing.assert_array_equal(graph.components(g.K | g.K.T), [0, 0, 0, 1, 1, 1, 2, 2])
    bridges = {(2, 3), (3, 2), (5, 6), (6, 5)}
    assert set(zip(*np.nonzero(g.bridges), strict=True)) == bridges
    assert bridges <= set(zip(*np.nonzero(g.E), strict=True))
    assert graph.components(g.T).max() == 0

    largest = graph.neighborhood_graph(dist, 1, connect="largest")
    np.testing.assert_array_equal(largest.points, [0, 1, 2])
    np.testing.assert_array_equal(largest.E, (g.E & ~g.bridges)[:3, :3])
    assert not largest.bridges.any()

    base = scales.base_case(dist, g.E, g.bridges, 2)
    np.testing.assert_allclose(base.Delta2[:, 0], 1 / (2 * log(2)))
    np.testing.assert_allclose(base.var, 1 / 4)
    assert base.delta2[2, 3] == pytest.approx(100 / (2 * log(2)))


def test_duplicates_get_the_floor():
    dist = cdist(*[np.array([[0.0], [0.0], [3.0], [7.0]])] * 2)
    E = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]) > 0
    base = scales.base_case(dist, E, np.zeros_like(E), 2, dof=2, floor=0.5)
    np.testing.assert_allclose(base.delta2[[0, 1, 2], [1, 2, 3]], [0.25, 4.5, 8])
    np.testing.assert_allclose(base.Delta2[:, 0], [0.25, 4.5, 8, 8])
    np.testing.assert_allclose(base.var, [0.125, 2.25, 4, 4])


def test_base_case_is_directed_and_leaves_out_the_diagonal():
    dist = cdist(*[np.random.default_rng(0).normal(size=(15, 2))] * 2)
    g = graph.neighborhood_graph(dist, 3)
    base = scales.base_case(dist, g.E, g.bridges, 3, dof=2)
    assert (g.E != g.E.T).any()
    np.testing.assert_array_equal(base.S + base.D, 1 - np.eye(15))
    np.testing.assert_allclose(base.delta2, dist**2 / 2)
    for i in range(15):
        radius2 = max(dist[i, k] ** 2 for k in range(15) if g.E[i, k])
        np.testing.assert_allclose(base.Delta2[i], radius2 / 2)
        assert base.var[i] == pytest.approx(radius2 / 6)


# Coarse-graining


@pytest.fixture(params=range(4))
def coarse_case(request):
    rng = np.random.default_rng(request.param)
    X = rng.normal(size=(40, 3))
    dist = cdist(X, X)
    g = graph.neighborhood_graph(dist, 4)
    return rng, dist, g.E, scales.base_case(dist, g.E, g.bridges, 2)


@pytest.mark.parametrize("n_levels", [0, 1, 2, 3])
def test_every_ordered_pair_of_inputs_is_represented_once(coarse_case, n_levels):
    rng, dist, E, base = coarse_case
    n = len(dist)
    splits = random_splits(rng, dist, n_levels)
    grained = coarse.coarse_grain(dist, base.D, np.sqrt(base.Delta2), splits)
    times_represented = np.zeros((n, n), dtype=int)
    expected_D = np.zeros((n, n))
    for block in grained.blocks:
        for a, b in permutations(block.represents, 2):
            omega_a, omega_b = block.represents[a], block.represents[b]
            times_represented[np.ix_(list(omega_a), list(omega_b))] += 1
            expected_D[a, b] = len(omega_a) * len(omega_b) * (block.of_landmarks or not E[a, b])
    np.testing.assert_array_equal(times_represented, 1 - np.eye(n))
    np.testing.assert_array_equal(grained.D, expected_D)


@pytest.mark.parametrize("n_levels", [1, 2, 3])
def test_landmarks_keep_what_they_represent_apart(coarse_case, n_levels):
    rng, dist, _, base = coarse_case
    n = len(dist)
    delta, Delta = np.sqrt(base.delta2), np.sqrt(base.Delta2)
    grained = coarse.coarse_grain(dist, base.D, Delta, random_splits(rng, dist, n_levels))
    slack = []
    for block in grained.blocks:
        for i, j in permutations(block.represents, 2):
            needed = max(
                Delta[a, b] + delta[i, a] + delta[j, b] for a in block.represents[i] for b in block.represents[j]
            )
            slack.append(grained.Delta[i, j] - needed)
    assert len(slack) == np.isfinite(grained.Delta).sum() - n
    assert min(slack) > -1e-12
    if n_levels == 1:
        assert max(slack) < 1e-12


@pytest.mark.parametrize("n_levels", [1, 2])
def test_separation_is_a_sum_of_two_reaches(coarse_case, n_levels):
    """In a block Delta_ij = a_i + b_j: what differs between two rows does not depend on the column."""
    rng, dist, _, base = coarse_case
    grained = coarse.coarse_grain(dist, base.D, np.sqrt(base.Delta2), random_splits(rng, dist, n_levels))
    assert max(len(block.represents) for block in grained.blocks) >= 4
    for block in grained.blocks:
        for i, j in combinations(block.represents, 2):
            columns = [k for k in block.represents if k not in (i, j)]
            if len(columns) < 2:
                continue
            difference = grained.Delta[i, columns] - grained.Delta[j, columns]
            np.testing.assert_allclose(difference, np.full(len(columns), difference[0]), atol=1e-12)


def test_two_levels_worked_by_hand():
    dist = cdist(*[np.arange(6.0)[:, None]] * 2)
    c = scales.calibration()
    D, Delta = 1 - np.eye(6), np.full((6, 6), 1 / np.sqrt(c))
    splits = [
        (np.arange(6), np.array([1, 3, 5]), np.array([1, 1, 1, 3, 5, 5])),
        (np.array([1, 3, 5]), np.array([1, 5]), np.array([1, 1, 5])),
    ]
    one = coarse.coarse_grain(dist, D, Delta, splits[:1])
    assert (one.D[1, 3], one.D[1, 5], one.D[3, 5], one.D[0, 2], one.D[0, 3]) == (3, 6, 2, 1, 0)
    # In units of 1/sqrt(c) the reach of 1 is 1 (to 0 or 2), that of 3 is 0, that of 5 is 1 (to 4), and Delta was 1.
    np.testing.assert_allclose(np.sqrt(c) * one.Delta[[1, 1, 3, 0], [3, 5, 5, 2]], [2, 3, 2, 1])
    assert np.isnan(one.Delta[0, 3])
    assert {(i, j): one.C[i, j] for i, j in zip(*np.nonzero(one.C), strict=True)} == {(0, 1): 1, (2, 1): 1, (4, 5): 1}

    two = coarse.coarse_grain(dist, D, Delta, splits)
    assert (two.D[1, 3], two.D[1, 5], two.D[3, 5], two.D[0, 2]) == (3, 8, 0, 1)
    # max(Delta_15, Delta_35 + |1 - 3|) = max(3, 2 + 2), and the cell {1, 3} keeps its 2.
    np.testing.assert_allclose(np.sqrt(c) * two.Delta[[1, 5, 1], [5, 1, 3]], [4, 4, 2])
    assert two.C[3, 1] == 1

    splits[1] = (np.array([1, 3, 5]), np.array([3, 5]), np.array([3, 3, 5]))
    assert coarse.coarse_grain(dist, D, Delta, splits).C[1, 3] == 3
    assert coarse.coarse_grain(dist, D, Delta, splits, vote_power=2).C[1, 3] == 9


@pytest.mark.parametrize("n_levels", [0, 1, 2])
def test_weights_are_rescaled_as_the_supplement_says(coarse_case, n_levels):
    rng, dist, E, base = coarse_case
    grained = coarse.coarse_grain(dist, base.D, np.sqrt(base.Delta2), random_splits(rng, dist, n_levels))
    S, D = coarse.rescale(base.S, grained.C, grained.D)
    assert S.sum() == pytest.approx(E.sum() + (len(dist) if n_levels else 0))
    assert D.sum() == pytest.approx(S.sum())
    np.testing.assert_allclose(D / D.sum(), grained.D / grained.D.sum(), rtol=1e-12)


def test_a_split_must_fit_a_block():
    dist = cdist(*[np.arange(4.0)[:, None]] * 2)
    D, Delta = 1 - np.eye(4), np.ones((4, 4))
    with pytest.raises(ValueError, match="no current block"):
        coarse.coarse_grain(dist, D, Delta, [([0, 1], [0], [0, 0])])
    with pytest.raises(ValueError, match="Every member needs a landmark"):
        coarse.coarse_grain(dist, D, Delta, [([0, 1, 2, 3], [0, 3], [0, 0, 1, 3])])
    with pytest.raises(ValueError, match="every landmark is its own"):
        coarse.coarse_grain(dist, D, Delta, [([0, 1, 2, 3], [0, 3], [0, 0, 3, 0])])


# The start


def test_the_quadratic_form_is_that_of_the_supplement():
    rng = np.random.default_rng(0)
    S, mu = rng.exponential(size=(9, 9)) * (rng.random((9, 9)) < 0.5), rng.normal(size=(9, 2))
    expected = sum(S[i, j] * ((mu[i] - mu[j]) ** 2).sum() for i in range(9) for j in range(9))
    assert np.trace(mu.T @ start.quadratic_form(S) @ mu) == pytest.approx(expected)


def test_eigenvectors_of_a_path_worked_by_hand():
    S = np.array([[0.0, 1, 0], [0, 0, 1], [0, 1, 0]])
    # One direction of the first edge, both of the second: L = [[1, -1, 0], [-1, 3, -2], [0, -2, 2]].
    np.testing.assert_array_equal(start.quadratic_form(S), [[1, -1, 0], [-1, 3, -2], [0, -2, 2]])
    value = 3 - np.sqrt(3)
    by_hand = np.array([1, 1 - value, value - 2])
    first = start.eigenvectors(S, 1)[:, 0]
    np.testing.assert_allclose(abs(first @ by_hand) / np.linalg.norm(by_hand), 1)
    assert np.linalg.norm(first) == pytest.approx(1)


def test_the_first_outputs_have_the_unit_of_the_inputs():
    _, _, S, *_ = graph_problem(0, n_levels=1)
    X = np.random.default_rng(0).normal(size=(len(S), 5)) * [1, 2, 3, 4, 5]
    one, other = (start.first_outputs(S, cdist(X, X) * scale, 2) for scale in (1.0, 1000.0))
    np.testing.assert_allclose(other, 1000 * one)
    np.testing.assert_allclose(one.T @ one, np.eye(2) * X.var(axis=0).sum(), atol=1e-9)
