"""More memory asked for than there is: refused before the work begins, with an estimate and advice."""

import numpy as np
import pytest

from latentmap import LVM
from latentmap.methods import available
from latentmap.model.data_warnings import collect_warnings
from latentmap.session import Parameters, iter_run
from latentmap.table import CellTable

# Methods that hold a number or more for each pair of rows.
DENSE = ["classical-mds", "gradient-mds", "isomap", "lle", "elastic-embedding", "laplacian-eigenmaps", "ll-lvm"]


@pytest.fixture
def small_machine(monkeypatch):
    monkeypatch.setattr("latentmap.memory.free_memory", lambda: 40 * 2**20)


@pytest.mark.parametrize("name", DENSE)
def test_all_pairs_are_refused_where_they_do_not_fit(name, small_machine):
    X = np.random.default_rng(0).normal(size=(2900, 4))
    with pytest.raises(
        ValueError, match=r"of 2900 rows would take about .* GiB of memory.*Choose some of the rows, or"
    ):
        available()[name]().fit(X)


@pytest.mark.slow
def test_the_estimate_is_no_smaller_than_what_is_taken(monkeypatch):
    """What is refused is what would not have fitted: numpy's own count, for a map that is made."""
    import tracemalloc

    asked = []
    monkeypatch.setattr("latentmap.methods.all_pairs.check_memory", lambda needed, *_: asked.append(needed))
    X = np.random.default_rng(0).normal(size=(1100, 4))
    for name in ("classical-mds", "gradient-mds", "isomap", "elastic-embedding"):
        method = available()[name]()
        short = {"max_iter": 2} if "max_iter" in method.get_params() else {}
        method.set_params(**short).fit(X[:200])
        tracemalloc.start()
        method.fit(X)
        taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert asked[-1] / 3 < taken < 1.3 * asked[-1], (name, taken, asked[-1])


def test_landmarks_count_the_landmarks_and_not_the_rows(small_machine):
    X = np.random.default_rng(0).normal(size=(20_000, 3))
    assert available()["landmark-mds"](n_landmarks=20).fit(X).embedding_.shape == (20_000, 2)
    with pytest.raises(ValueError, match="would take about"):
        available()["landmark-mds"](n_landmarks=400).fit(X)


def test_many_neighbours_are_refused_with_the_number_that_fits(small_machine):
    X = np.random.default_rng(0).normal(size=(2000, 3))
    with pytest.raises(ValueError, match=r"n_neighbors \(k\) = 900 for each of 2000 rows .* Lower n_neighbors to 262"):
        LVM(n_neighbors=900).fit(X)


def test_a_run_of_the_front_ends_says_the_same(small_machine):
    import pandas as pd

    X = np.random.default_rng(0).normal(size=(2900, 3))
    cells = CellTable.read(pd.DataFrame(X, columns=list("abc")).assign(label=range(1, 2901)), layer="nuclei")
    with pytest.raises(ValueError, match="would take about"), collect_warnings([]):
        list(iter_run(cells, Parameters(method="classical-mds", features=("a", "b", "c"))))


def test_the_files_that_a_container_caches_are_free(tmp_path, monkeypatch):
    from latentmap import memory

    for name, text in {
        "max": "1000",
        "current": "900",
        "stat": "anon 100\ninactive_file 300\nactive_file 400\n",
    }.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(memory, "_GROUPS", [tuple(str(tmp_path / name) for name in ("max", "current", "stat"))])
    assert memory.free_memory() == 800
