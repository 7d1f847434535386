"""All pairs on a device, against the exact likelihood; torch's CPU stands for the GPU."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits
from test_bad_input import assert_says, complaint
from test_sampled import REPULSION, TAILS, Problem, relative

from latentmap import LVM, PAPER
from latentmap.model import gpu_pairs
from latentmap.model.ascent import ascent

X = load_digits().data[:300]


@pytest.fixture(scope="session")
def torch():
    return pytest.importorskip("torch", reason='needs torch: pip install "latentmap[gpu]"')


@pytest.mark.usefixtures("torch")
class TestPairs:
    @pytest.fixture(scope="class", params=[*TAILS, (10, 10)], ids="d and dof {}".format)
    def problem(self, request):
        d, dof = request.param
        return Problem(700, d, dof=dof)

    @pytest.fixture(params=[1, 50_000, 2**22], ids="{} pairs in a block".format)
    def likelihood(self, problem, request, monkeypatch):
        monkeypatch.setattr(gpu_pairs, "_PAIRS_PER_BLOCK", request.param)
        return problem.likelihood(gpu_pairs.GpuPairs("cpu", problem.light))

    def test_slopes(self, problem, likelihood):
        ours = likelihood.slopes(problem.embedding, problem.variances, REPULSION, 3)
        theirs = problem.exact.slopes(problem.embedding, problem.variances, REPULSION, 3)
        for mine, other in zip(ours, theirs, strict=True):
            assert relative(mine, other) < 1e-5

    def test_log_likelihood(self, problem, likelihood):
        ours = likelihood.log_likelihood(problem.embedding, problem.variances)
        theirs = problem.exact.log_likelihood(problem.embedding, problem.variances)
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)

    @pytest.mark.parametrize("shrunk", [1e-4, 1e4])
    def test_neither_close_nor_far_points_lose_precision(self, problem, likelihood, shrunk):
        here = shrunk * problem.embedding, shrunk**2 * problem.variances
        ours, theirs = likelihood.slopes(*here, REPULSION, 0), problem.exact.slopes(*here, REPULSION, 0)
        for mine, other in zip(ours, theirs, strict=True):
            assert relative(mine, other) < 1e-4
        np.testing.assert_allclose(likelihood.log_likelihood(*here), problem.exact.log_likelihood(*here), rtol=1e-4)

    def test_samples_differ_where_every_pair_does_not(self):
        problem = Problem(1500, 2)
        every = problem.likelihood(gpu_pairs.GpuPairs("cpu"))
        here = problem.embedding, problem.variances, REPULSION
        np.testing.assert_array_equal(every.slopes(*here, 0)[0], every.slopes(*here, 1)[0])
        assert relative(problem.sampled.slopes(*here, 0)[0], problem.sampled.slopes(*here, 1)[0]) > 1e-3

    @pytest.mark.parametrize("device", ["cpu", "cuda"])
    def test_it_can_be_kept_with_the_map_that_it_made(self, device):
        assert pickle.loads(pickle.dumps(gpu_pairs.GpuPairs(device)))

    def test_an_ascent_ends_where_that_of_the_exact_likelihood_does(self):
        problem = Problem(300, 2)
        every = problem.likelihood(gpu_pairs.GpuPairs("cpu"))
        ends = [
            list(ascent(likelihood, problem.embedding, problem.variances, max_iter=100))[-1].log_likelihood
            for likelihood in (every, problem.exact)
        ]
        np.testing.assert_allclose(*ends, rtol=1e-3)


@pytest.mark.usefixtures("torch")
class TestEstimator:
    def test_up_to_1024_rows_the_map_is_the_same_but_for_rounding(self):
        maps = [LVM(device=device, max_iter=15).fit(X) for device in (None, "cpu")]
        assert relative(maps[1].embedding_, maps[0].embedding_) < 1e-3
        np.testing.assert_allclose(maps[1].log_likelihood_, maps[0].log_likelihood_, rtol=1e-4)

    def test_the_same_bits_for_any_number_of_threads(self):
        maps = [LVM(device="cpu", max_iter=10, n_jobs=n_jobs).fit(X).embedding_ for n_jobs in (1, 2)]
        np.testing.assert_array_equal(*maps)

    def test_new_rows_find_their_places(self):
        lvm = LVM(device="cpu", max_iter=10).fit(X)
        np.testing.assert_allclose(lvm.transform(X[:5]), lvm.embedding_[:5], rtol=1e-6)

    def test_a_device_that_is_not_there(self, torch):
        missing = "cuda" if not torch.cuda.is_available() else "cuda:99"
        assert_says(complaint(X, device=missing), missing, "torch cannot use", "leave device at None")

    def test_a_device_that_there_is_not(self):
        assert_says(complaint(X, device="gpu"), "gpu", "torch cannot use", "cuda")


@pytest.mark.parametrize("parameters", [dict(PAPER), {"dof": 3}, {"n_levels": 1}])
def test_what_has_no_closed_form_needs_no_device(parameters):
    sentence = complaint(X, device="cpu", **(parameters | {"max_iter": 2}))
    assert_says(sentence, "device", "solver", "dof", "n_levels", "leave device at None")


def test_a_device_has_a_name():
    assert_says(complaint(X, device=0), "device is 0", "None", "cuda")


def test_without_torch_a_sentence_names_the_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert_says(complaint(X, device="cuda"), "torch", "not installed", "latentmap[gpu]", "leave device at None")
