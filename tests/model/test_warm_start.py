"""A map that goes on from another one."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.datasets import load_digits

from latentmap import LVM, PAPER, WARM, DataWarning
from latentmap.quality import neighbor_recall


def normal(n=80, n_columns=20, seed=0):
    return np.random.default_rng(seed).standard_normal((n, n_columns))


def map_of(lvm):
    return lvm.embedding_, lvm.variances_


def layout_kept(one, other):
    return np.corrcoef(pdist(one[::3]), pdist(other[::3]))[0, 1]


@pytest.mark.slow
class TestOnDigits:
    X = load_digits().data

    @pytest.fixture(scope="class")
    @classmethod
    def first(cls):
        return LVM().fit(cls.X)

    @pytest.mark.parametrize(
        "change",
        [
            {},
            {"n_neighbors": 9},
            {"n_neighbors": 40},
            {"repulsion": 70.0},
            {"repulsion": 5.0},
            {"similarity_scale": 0.4},
            {"n_steps": 1},
            {"metric": "cosine"},  # its distances are hundreds of times smaller
        ],
        ids=str,
    )
    def test_a_short_run_comes_as_far_as_a_whole_one_and_keeps_the_layout(self, change, first):
        whole = LVM(**change).fit(self.X)
        short = LVM(**change, init=map_of(first), **WARM).fit(self.X)
        assert short.n_iter_ <= whole.n_iter_ / 2.5
        assert short.log_likelihood_[-1] > 1.05 * whole.log_likelihood_[-1]  # both are negative
        metric = change.get("metric", "euclidean")
        short_recall, recall = (
            neighbor_recall(self.X, lvm.embedding_, 10, n_samples=1000, metric=metric) for lvm in (short, whole)
        )
        assert short_recall > recall - 0.02
        assert layout_kept(short.embedding_, first.embedding_) > 0.97
        assert 0.5 < short.embedding_.std() / whole.embedding_.std() < 2

    def test_a_short_run_without_a_map_does_not_come_as_far(self, first):
        short = LVM(**WARM).fit(self.X)
        assert short.log_likelihood_[-1] < 1.05 * first.log_likelihood_[-1]

    def test_many_short_runs_one_after_the_other_do_not_wear_the_map_out(self, first):
        lvm = first
        for step in range(16):
            lvm = LVM(15 + 10 * (step % 2), init=map_of(lvm), **WARM).fit(self.X)
        assert lvm.log_likelihood_[-1] > 1.05 * LVM(25).fit(self.X).log_likelihood_[-1]
        assert layout_kept(lvm.embedding_, first.embedding_) > 0.93
        assert lvm.embedding_.std() < 3 * first.embedding_.std()


@pytest.mark.parametrize("factor", [1e-6, 7.0, 1e6])
@pytest.mark.parametrize("model", [{}, {"n_levels": 1}, PAPER], ids=["ascent", "levels", "em"])
def test_the_size_of_the_map_given_is_of_no_account(model, factor):
    X = normal()
    embedding, variances = map_of(LVM(9, max_iter=60).fit(X))
    one, other = (
        LVM(**dict(model, n_neighbors=9, max_iter=10, init=(f * embedding, f**2 * variances))).fit(X)
        for f in (1.0, factor)
    )
    np.testing.assert_allclose(other.embedding_, one.embedding_, atol=1e-3 * np.abs(one.embedding_).max())


def test_nor_is_where_it_lies():
    X, place = normal(), normal(80, 2, seed=1)
    one, other = (LVM(max_iter=5, init=place + shift).fit(X) for shift in (0.0, 16.0))
    np.testing.assert_allclose(other.embedding_, one.embedding_, atol=1e-4)


def test_the_size_is_the_likeliest():
    X = normal()
    init = map_of(LVM(9, repulsion=2.0).fit(X))
    start = next(step.state for step in LVM(9, repulsion=80.0, init=init).iter_fit(X) if step.state)
    assert start.embedding.std() > 1.2 * init[0].std()  # more repulsion asks for more room
    for factor in (0.85, 1.15):
        assert start._objective(factor * start.embedding, factor**2 * start.variances) < start.log_likelihood


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["ascent", "em"])
@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
def test_number_of_threads(solver):
    # Enough rows for several chunks of each kernel; of more than 4000 an ascent keeps the rows in another order.
    n = 4500 if solver == "ascent" else 2000
    X = np.random.default_rng(0).integers(0, 4, (n, 12)).astype(float)
    init = normal(n, 2, seed=1)
    for n_levels in (0, 1):
        settings = {"solver": solver, "init": init, "max_iter": 4, "n_levels": n_levels}
        one, two = (LVM(**settings, n_jobs=n_jobs).fit(X) for n_jobs in (1, 2))
        np.testing.assert_array_equal(one.embedding_, two.embedding_)


def test_smoothed_components_are_the_default():
    one, other = LVM(max_iter=5).fit(normal()), LVM(max_iter=5, init="smoothed_pca").fit(normal())
    np.testing.assert_array_equal(one.embedding_, other.embedding_)


def test_the_largest_part_starts_from_its_rows():
    X = np.concatenate([normal(30), normal(50) + 50])
    embedding, variances = normal(80, 2, seed=1), np.arange(1.0, 81)
    with pytest.warns(DataWarning, match="50 rows|30 rows"):
        lvm = LVM(5, connect="largest", init=(embedding, variances), max_iter=10).fit(X)
    alone = LVM(5, init=(embedding[30:], variances[30:]), max_iter=10).fit(X[30:])
    np.testing.assert_array_equal(lvm.embedding_[30:], alone.embedding_)


def test_what_is_given_stays_as_it_was_and_a_clone_starts_from_it():
    X, place = normal(), normal(80, 2, seed=1)
    before = place.copy()
    lvm = LVM(init=place, max_iter=5).fit(X)
    np.testing.assert_array_equal(place, before)
    assert lvm.init is place
    np.testing.assert_array_equal(clone(lvm).fit(X).embedding_, lvm.embedding_)


@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
def test_rows_that_start_in_pairs_at_the_same_place_and_a_map_along_a_line():
    X = normal()
    for place in (np.repeat(normal(40, 2), 2, axis=0), np.column_stack([np.arange(80.0), np.zeros(80)])):
        assert np.isfinite(LVM(init=place, max_iter=20).fit(X).embedding_).all()


@pytest.mark.parametrize(
    ("init", "words"),
    [
        ("random", ["init", "'random'", '"smoothed_pca" or "pca" or "spectral"']),
        (None, ["init", "None"]),
        (np.zeros(80), ["n_components (d) = 2", "array"]),
        (np.ones((79, 2)), ["79 rows", "80 rows"]),
        (np.ones((80, 3)), ["3 dimensions", "n_components (d) is 2"]),
        (np.where(np.arange(160).reshape(80, 2) == 7, np.nan, 1.0), ["1 of the 80 rows", "NaN"]),
        (np.ones((80, 2)), ["at one position"]),
        ((normal(80, 2), np.ones(79)), ["variances of init", "80"]),
        ((normal(80, 2), np.zeros(80)), ["variances of init", "above 0"]),
        ([["a", "b"]] * 80, ["init", "array"]),
    ],
    ids=range(10),
)
def test_what_is_no_map_of_these_rows_is_refused_in_words(init, words):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        LVM(init=init).fit(normal())
    for word in words:
        assert word in str(caught.value)


class TestNeighborsFoundBefore:
    @pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "manhattan"])
    def test_the_map_is_the_same_bit_for_bit(self, metric):
        X = np.round(3 * normal(200, 12))
        found = LVM(9, metric=metric).find_neighbors(X)
        with_them, without = (LVM(9, metric=metric, neighbors=n, max_iter=5).fit(X) for n in (found, "auto"))
        for name in ("embedding_", "variances_", "log_likelihood_"):
            np.testing.assert_array_equal(getattr(with_them, name), getattr(without, name))

    @pytest.mark.slow
    def test_so_it_is_where_the_search_is_approximate(self):
        X = normal(12_000, 6)
        found = LVM(9).find_neighbors(X)
        with_them, without = (LVM(9, neighbors=n, max_iter=3).fit(X) for n in (found, "auto"))
        np.testing.assert_array_equal(with_them.embedding_, without.embedding_)

    def test_shapes(self):
        indices, distances = LVM(7).find_neighbors(normal())
        assert indices.shape == distances.shape == (80, 7)
        assert not (indices == np.arange(80)[:, None]).any()
        assert (np.diff(distances, axis=1) >= 0).all()
