"""The same seed gives the same bits, for any number of threads and in any process."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from latentmap import LVM

SOLVED = [("ascent", 0), ("em", 0), ("em", 1)]
SCRIPT = f"""
import hashlib, sys
from sklearn.datasets import load_digits
from latentmap import LVM
for solver, n_levels in {SOLVED}:
    lvm = LVM(solver=solver, n_levels=n_levels, n_jobs=int(sys.argv[1]), max_iter=15).fit(load_digits().data)
    print(hashlib.sha256(lvm.embedding_.tobytes() + lvm.variances_.tobytes()).hexdigest())
"""


def in_a_process(n_jobs, **environment):
    """The fingerprints that another process prints."""
    command = [sys.executable, "-c", SCRIPT, str(n_jobs)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | environment)
    return done.stdout.split()


def fingerprint(lvm):
    return hashlib.sha256(lvm.embedding_.tobytes() + lvm.variances_.tobytes()).hexdigest()


@pytest.fixture
def small_chunks(monkeypatch):
    """Let a few thousand rows make several chunks for each kernel."""
    for name in (
        "dissimilar.PAIRS",
        "out_of_sample.PAIRS",
        "objective.EDGES",
        "out_of_sample.EDGES",
        "sdd_solver._ENTRIES",
    ):
        monkeypatch.setattr(f"latentmap.model.{name}_PER_CHUNK", 10_000)


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@pytest.mark.parametrize("solver", ["ascent", "em"])
@pytest.mark.parametrize("dof", [np.inf, 2])
@pytest.mark.parametrize("n_levels", [0, 1, 2])
def test_number_of_threads(n_levels, dof, solver):
    # More rows than the dense spectral start takes; of more than 4000 an ascent keeps the rows in another order.
    n = 4500 if solver == "ascent" else 2000
    X = np.random.default_rng(0).integers(0, 4, (n, 12)).astype(float)  # with many ties
    parameters = {"n_levels": n_levels, "solver": solver, "dof": dof, "max_iter": 8}
    one, two, three = (LVM(**parameters, n_jobs=n).fit(X) for n in (1, 2, 3))
    assert fingerprint(one) == fingerprint(two) == fingerprint(three)
    np.testing.assert_array_equal(one.transform(X[:500] + 0.1), two.transform(X[:500] + 0.1))
    np.testing.assert_array_equal(one.log_likelihood_, two.log_likelihood_)


@pytest.mark.parametrize("n_levels", [0, 1])
def test_the_seed_matters(n_levels):
    X = load_digits().data
    first, again, other = (LVM(n_levels=n_levels, max_iter=8, random_state=seed).fit(X) for seed in (0, 0, 1))
    assert fingerprint(first) == fingerprint(again) != fingerprint(other)


@pytest.mark.slow
def test_three_processes_with_code_compiled_anew_and_found_on_the_disk(tmp_path):
    X = load_digits().data
    here = [fingerprint(LVM(solver=solver, n_levels=n_levels, max_iter=15).fit(X)) for solver, n_levels in SOLVED]
    assert in_a_process(1, NUMBA_CACHE_DIR=str(tmp_path)) == here
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert files
    assert [in_a_process(2, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)] == [here] * 2
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == files


@pytest.mark.parametrize(("solver", "n_levels"), SOLVED)
def test_threads_of_blas_change_no_bit(solver, n_levels):
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, "blas"):
            found.append(fingerprint(LVM(solver=solver, n_levels=n_levels, max_iter=5).fit(load_digits().data)))
    assert found[0] == found[1]
