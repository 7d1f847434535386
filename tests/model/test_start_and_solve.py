"""Where EM starts, the linear system it solves, and the threads it runs on."""

from functools import cache
from threading import Event, current_thread, main_thread
from time import sleep

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import subspace_angles
from scipy.sparse.csgraph import laplacian
from sklearn.neighbors import kneighbors_graph

from latentmap.model import sdd_solver, spectral_start
from latentmap.model.workers import Workers, chunks_of


def random_system(n, d, seed, dominance=0.01):
    """A symmetric, strictly diagonally dominant matrix: as sparse W and diagonal, and dense; and right sides."""
    rng = np.random.default_rng(seed)
    pull = sp.random_array((n, n), density=min(1, 6 / n), rng=rng, data_sampler=lambda size: rng.exponential(size=size))
    pull = sp.csr_array(sp.triu(pull, 1))
    pull = sp.csr_array(pull + pull.T)
    pull.sort_indices()
    diagonal = pull.sum(axis=1) + dominance * rng.exponential(size=n)
    return pull, diagonal, np.diag(diagonal) - pull.toarray(), rng.standard_normal((n, d))


def solved(pull, diagonal, rhs, guess, tol=1e-12, max_iter=2000, n_jobs=1):
    with Workers(n_jobs) as workers:
        return sdd_solver.solve(
            pull.indptr, pull.indices, pull.data, diagonal, rhs, guess, tol=tol, max_iter=max_iter, workers=workers
        )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("guessed", [True, False])
def test_the_solution_is_that_of_a_direct_solver(seed, d, guessed):
    pull, diagonal, L, rhs = random_system(60, d, seed)
    guess = np.random.default_rng(seed).standard_normal((60, d)) * guessed
    expected = np.linalg.solve(L, rhs)
    np.testing.assert_allclose(
        solved(pull, diagonal, rhs, guess), expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max()
    )


def test_columns_of_very_different_size_are_all_solved():
    pull, diagonal, L, rhs = random_system(60, 3, 0)
    rhs = rhs * [1e-8, 1, 1e8]
    residual = L @ solved(pull, diagonal, rhs, np.zeros_like(rhs), tol=1e-10) - rhs
    assert (np.linalg.norm(residual, axis=0) <= 1e-9 * np.linalg.norm(rhs, axis=0)).all()


def test_a_right_side_of_zero_and_a_guess_that_is_right_are_no_trouble():
    pull, diagonal, L, rhs = random_system(40, 3, 1)
    rhs[:, 1] = 0
    x = solved(pull, diagonal, rhs, np.linalg.solve(L, rhs))
    np.testing.assert_allclose(L @ x, rhs, atol=1e-9)
    np.testing.assert_array_equal(x[:, 1], 0)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("guess_size", [0, 1, 1e3, -1e3])
def test_a_solution_cut_short_is_better_than_none_and_each_iteration_improves_it(seed, guess_size):
    pull, diagonal, L, rhs = random_system(50, 2, seed, dominance=1e-6)
    guess = guess_size * np.random.default_rng(seed + 100).standard_normal(rhs.shape)

    def gain(x):
        return np.einsum("ij,ij->j", x, rhs) - 0.5 * np.einsum("ij,ij->j", x, L @ x)

    gains = np.array([gain(solved(pull, diagonal, rhs, guess, max_iter=steps)) for steps in (0, 1, 2, 3, 10)])
    assert (gains >= 0).all()
    assert (np.diff(gains, axis=0) >= -1e-9 * gains[1:]).all()


def test_the_solver_leaves_what_it_is_given_as_it_was():
    given = random_system(30, 2, 0)
    pull, diagonal, _, rhs = given
    guess = np.ones_like(rhs)
    before = [array.copy() for array in (pull.data, diagonal, rhs, guess)]
    solved(pull, diagonal, rhs, guess)
    for array, old in zip((pull.data, diagonal, rhs, guess), before, strict=True):
        np.testing.assert_array_equal(array, old)


def test_the_solution_has_the_same_bits_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr("latentmap.model.sdd_solver._ENTRIES_PER_CHUNK", 50)
    pull, diagonal, _, rhs = random_system(200, 2, 0)
    one, two = (solved(pull, diagonal, rhs, np.zeros_like(rhs), tol=1e-3, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def neighbour_weights(n, seed=0, n_neighbors=8):
    """Symmetric weights of a connected graph on a long strip, so that no eigenvalue is double."""
    X = np.random.default_rng(seed).random((n, 2)) * [3.3, 1]
    near = kneighbors_graph(X, n_neighbors)
    edges = sp.csr_array(near + near.T)
    edges.sort_indices()
    assert sp.csgraph.connected_components(edges)[0] == 1
    return edges


@cache
def eigenvectors(n):
    """The eigenvalues and the eigenvectors of its Laplacian, the lowest first."""
    return np.linalg.eigh(laplacian(neighbour_weights(n)).toarray())


def started(edges, d, delta2=None):
    delta2 = np.ones(edges.nnz) if delta2 is None else delta2
    return spectral_start.spectral_start(edges, delta2, d, np.random.default_rng(0))


@pytest.mark.parametrize("n", [300, 1500])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_start_spans_the_bottom_eigenvectors(n, d):
    edges = neighbour_weights(n)
    values, vectors = eigenvectors(n)
    assert values[d + 1] > 1.05 * values[d]  # otherwise the span is not well defined
    start = started(edges, d)
    assert start.shape == (n, d)
    assert np.degrees(subspace_angles(start, vectors[:, 1 : d + 1])).max() < 3
    roughness = np.einsum("ij,ij->j", start, laplacian(edges) @ start) / np.sum(start**2, axis=0)
    np.testing.assert_allclose(roughness, values[1 : d + 1], rtol=0.01)


@pytest.mark.parametrize("n", [300, 1500])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_start_is_centred_and_as_large_as_the_length_scales_say(n, d):
    edges = neighbour_weights(n)
    delta2 = np.random.default_rng(1).exponential(size=edges.nnz)
    start = started(edges, d, delta2)
    np.testing.assert_allclose(start.mean(axis=0), 0, atol=1e-9 * np.abs(start).max())
    i, j = edges.nonzero()
    squared = np.sum((start[i] - start[j]) ** 2, axis=1)
    assert edges.data @ squared == pytest.approx(edges.data @ delta2)


@pytest.mark.parametrize("n", [300, 1500])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_eigenvectors_of_unit_norm_are_the_other_start_in_another_size(n, d):
    edges = neighbour_weights(n)
    start = spectral_start.unit_start(edges, 2.5, d, np.random.default_rng(0))
    np.testing.assert_allclose(start.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(start, axis=0), 2.5)
    other = started(edges, d)
    np.testing.assert_allclose(start / 2.5, other / np.linalg.norm(other, axis=0), atol=1e-12)


def test_the_start_is_the_same_each_time_and_leaves_numpys_random_state_alone():
    edges = neighbour_weights(1200)
    np.random.seed(3)  # noqa: NPY002
    first = started(edges, 2)
    drawn = np.random.random()  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    assert np.random.random() == drawn  # noqa: NPY002
    np.testing.assert_array_equal(started(edges, 2), first)


def dumbbell(n_side=600):
    """Two dense groups and one thin edge between them: one eigenvalue near 0, the others far from it."""
    rng = np.random.default_rng(0)
    sides = [sp.random_array((n_side, n_side), density=0.05, rng=rng) for _ in range(2)]
    weights = sp.lil_array(sp.block_diag(sides))
    weights[0, n_side] = 1e-3
    edges = sp.csr_array(weights + weights.T)
    edges.setdiag(0)
    edges.eliminate_zeros()
    edges.sort_indices()
    return edges


@pytest.mark.parametrize("edges", [neighbour_weights(1200), dumbbell()], ids=["strip", "dumbbell"])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_smooth_vectors_are_independent_centred_and_smooth(edges, d):
    L = sp.csr_array(laplacian(edges))
    vectors = spectral_start._smooth_vectors(L, d, np.random.default_rng(0))
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(d), atol=1e-9)
    np.testing.assert_allclose(vectors.mean(axis=0), 0, atol=1e-9)
    noise = np.random.default_rng(1).standard_normal(vectors.shape)
    noise /= np.linalg.norm(noise, axis=0)

    def roughness(V):
        return np.einsum("ij,ij->j", V, L @ V)

    assert roughness(vectors).max() < 0.99 * roughness(noise).min()


@pytest.mark.parametrize("error", [np.linalg.LinAlgError, ValueError, ZeroDivisionError])
def test_where_the_eigensolver_breaks_down_the_start_is_smooth_all_the_same(monkeypatch, error):
    def broken(*args, **kwargs):
        raise error

    monkeypatch.setattr(spectral_start, "lobpcg", broken)
    edges = neighbour_weights(1200)
    start = started(edges, 2)
    assert np.linalg.matrix_rank(start) == 2
    L = laplacian(edges)
    noise = np.random.default_rng(0).standard_normal(start.shape)
    assert np.sum(start * (L @ start)) / np.sum(start**2) < 0.1 * np.sum(noise * (L @ noise)) / np.sum(noise**2)


@pytest.mark.parametrize("target", [1, 7, 100, 1e9])
@pytest.mark.parametrize("costs", [np.ones(50), np.arange(50), np.r_[1e6, np.ones(49)], np.zeros(50), np.ones(1)])
def test_chunks_cover_all_rows_once_and_none_costs_much_more_than_it_should(costs, target):
    chunks = chunks_of(costs, target)
    covered = np.concatenate([np.arange(start, stop) for start, stop in chunks])
    np.testing.assert_array_equal(covered, np.arange(len(costs)))
    assert all(start < stop for start, stop in chunks)
    assert max(costs[start:stop].sum() for start, stop in chunks) <= target + costs.max() + 1e-9


def test_no_rows_are_no_chunks():
    assert chunks_of(np.empty(0), 10) == []


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_workers_return_results_in_order_even_after_they_are_closed(n_jobs):
    chunks = [(start, start + 1) for start in range(20)]
    workers = Workers(n_jobs)
    with workers:
        assert workers.map(lambda start, stop, factor: factor * start, chunks, 3) == list(range(0, 60, 3))
    assert workers.map(lambda start, stop: stop, chunks) == list(range(1, 21))


def test_an_error_in_a_worker_reaches_the_caller():
    def fails(start, stop):
        raise ZeroDivisionError

    with Workers(2) as workers, pytest.raises(ZeroDivisionError):
        workers.map(fails, [(0, 1), (1, 2)])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_after_an_interruption_no_other_chunk_begins(n_jobs):
    begun, interrupted = [], Event()

    def kernel(start, stop):
        begun.append(start)
        if current_thread() is main_thread():
            interrupted.set()
            raise KeyboardInterrupt
        # No sooner than the other thread is interrupted, and some time for it to say so.
        interrupted.wait(60)
        sleep(0.2)

    runs = [[(10 * run + part, 10 * run + part + 1) for part in range(10)] for run in range(10)]
    with Workers(n_jobs) as workers, pytest.raises(KeyboardInterrupt):
        workers.map_runs(kernel, runs)
    assert len(begun) <= n_jobs + 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_chunks_of_a_run_are_called_in_order_by_one_thread(n_jobs):
    seen = {}

    def kernel(start, stop):
        seen.setdefault(start // 10, []).append((start, current_thread()))
        return start

    runs = [[(10 * run + part, 10 * run + part + 1) for part in range(4)] for run in range(6)]
    with Workers(n_jobs) as workers:
        assert workers.map_runs(kernel, runs) == [10 * run + 3 for run in range(6)]
    for run, calls in seen.items():
        assert [start for start, _ in calls] == [10 * run + part for part in range(4)]
        assert len({thread for _, thread in calls}) == 1
