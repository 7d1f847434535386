"""Bad input gets a sentence that names the cause, the place and the remedy."""

import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError

from latentmap import LVM, DataWarning

NAMES = ["area", "eccentricity", "mean_dna", "mean_tubulin", "solidity", "extent"]


def measurements(n=30):
    return np.random.default_rng(0).standard_normal((n, len(NAMES)))


def table(n=30):
    return pd.DataFrame(measurements(n), columns=NAMES)


def complaint(X, error=ValueError, **parameters):
    """What fit says."""
    with pytest.raises(error) as caught:
        LVM(**({"max_iter": 2} | parameters)).fit(X)
    return str(caught.value)


def assert_says(sentence, *words):
    for word in words:
        # Not as a part of another number.
        assert re.search(rf"(?<![\w.]){re.escape(str(word))}(?![\w]|\.\d)", sentence), f"{word!r} not in: {sentence}"
    assert sentence.rstrip().endswith("."), sentence


@pytest.mark.parametrize("as_table", [True, False])
@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_missing_and_infinite_values(value, name, as_table):
    X = table()
    X.iloc[[2, 5, 9], 1] = value
    X.iloc[5, 3] = value
    sentence = complaint(X if as_table else X.to_numpy())
    assert_says(sentence, name, "3 of 30 rows", "Drop")
    assert_says(sentence, *(["'eccentricity'", "'mean_tubulin'"] if as_table else ["1", "3"]))
    assert "area" not in sentence
    assert ("NaN" in sentence) != ("infinity" in sentence)


@pytest.mark.filterwarnings("error")
def test_infinities_of_both_signs_and_nan_raise_but_do_not_warn():
    X = table()
    X.iloc[0, 0], X.iloc[1, 0], X.iloc[2, 0] = np.inf, -np.inf, np.nan
    assert_says(complaint(X), "NaN", "infinity", "3 of 30 rows", "'area'")


def test_large_finite_numbers_are_not_called_infinite():
    X = measurements()
    X[:, 0] = 1e308
    # As the first test to import a library, it would be stopped by that library's own warnings.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LVM(9, max_iter=2, metric="chebyshev").fit(X)


def test_many_bad_columns_are_counted_and_not_all_listed():
    X = pd.DataFrame(np.full((20, 30), np.nan), columns=[f"texture_{i}" for i in range(30)])
    sentence = complaint(X)
    assert_says(sentence, "'texture_0'", "25 more", "20 of 20 rows")
    assert "texture_20" not in sentence


def test_missing_values_of_nullable_columns():
    X = table()
    X["count"] = pd.array([1, 2, None] * 10, dtype="Int64")
    assert_says(complaint(X), "NaN", "10 of 30 rows", "'count'")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("well", ["A1", "B2", "C3"] * 10),
        ("treatment", pd.Categorical(["dmso", "taxol", "taxol"] * 10)),
        ("time", pd.to_datetime(["2020-01-01"] * 30)),
        ("duration", pd.to_timedelta(["1h"] * 30)),
    ],
)
def test_columns_that_are_not_numbers(name, column):
    X = table().assign(**{name: column})
    sentence = complaint(X)
    assert_says(sentence, f"'{name}'", "not numbers", "Leave")
    assert "area" not in sentence


def test_numbers_in_columns_of_objects_and_booleans_are_numbers():
    X = table().astype({"area": object}).assign(is_mitotic=[True, False] * 15)
    np.testing.assert_array_equal(
        LVM(max_iter=2).fit_transform(X), LVM(max_iter=2).fit_transform(X.to_numpy(dtype=float))
    )


def test_words_in_an_array_without_names():
    X = measurements().astype(object)
    X[3, 2] = "many"
    assert "many" in complaint(X)


def test_numbers_written_as_text():
    assert "turn it into numbers first, with X.astype(float)" in complaint(measurements().astype(str))


def test_values_behind_a_mask():
    values = measurements()
    assert_says(complaint(np.ma.masked_array(values, mask=np.eye(*values.shape))), f"A mask hides {len(NAMES)} values")
    assert LVM(5, max_iter=2).fit(pd.DataFrame(values, columns=["_mask", *NAMES[1:]])).n_features_in_ == len(NAMES)
    unmasked = LVM(5, max_iter=2).fit(np.ma.masked_array(values, mask=False))
    assert (unmasked.embedding_ == LVM(5, max_iter=2).fit(values).embedding_).all()


def test_one_row():
    assert_says(complaint(table(1), n_components=1), "1 row", "at least 2", "Add rows")


def test_two_rows_are_neighbours_of_each_other():
    with pytest.warns(DataWarning, match="neighbours of each other"):
        assert np.isfinite(LVM(9, n_components=1, max_iter=2).fit_transform(measurements(2))).all()


@pytest.mark.parametrize("n_components", [12, 13, 50])
def test_more_dimensions_than_rows_allow(n_components):
    sentence = complaint(measurements(12), n_neighbors=3, n_components=n_components)
    assert_says(sentence, f"n_components (d) = {n_components}", "12 rows", "11", "Lower n_components")


def test_as_many_dimensions_as_rows_allow():
    assert LVM(n_neighbors=3, n_components=11, max_iter=2).fit_transform(measurements(12)).shape == (12, 11)


def test_more_dimensions_than_the_largest_part_allows():
    X = np.concatenate([measurements(8), measurements(7) + 100])
    sentence = complaint(X, n_neighbors=3, n_components=9, connect="largest")
    assert_says(sentence, "n_components (d) = 9", "8 rows", "Lower n_components")


@pytest.mark.parametrize("value", [0.0, 7.0, 1e6])
def test_rows_that_are_all_the_same(value):
    assert_says(complaint(np.full((3000, 4), value)), "3000 rows", "same", "constant")


def test_one_constant_column_changes_nothing():
    X = measurements()
    expected = LVM(max_iter=5).fit_transform(X)
    np.testing.assert_allclose(LVM(max_iter=5).fit_transform(np.column_stack([X, np.full(30, 3.0)])), expected)


@pytest.mark.parametrize("as_table", [True, False])
def test_metrics_that_divide_by_the_spread_of_a_column_name_those_without(as_table):
    X = table().assign(plate=1.0)
    sentence = complaint(X if as_table else X.to_numpy(), metric="seuclidean")
    assert_says(sentence, "'plate'" if as_table else "6", "constant")


def test_a_metric_that_is_not_defined_for_some_rows():
    X = measurements()
    X[4] = 1.0  # a row that does not vary correlates with none
    assert_says(complaint(X, metric="correlation"), "metric", "NaN")


def test_a_callable_metric_that_returns_nan():
    assert_says(complaint(measurements(), metric=lambda x, y: np.nan), "metric", "NaN")


def test_copies_of_rows_are_kept_and_counted():
    X = np.concatenate([measurements(), measurements()[:4]])
    with pytest.warns(DataWarning, match="8 of 34 rows are duplicates.*drop") as caught:
        lvm = LVM(9, max_iter=2).fit(X)
    assert len(caught) == 1
    assert np.isfinite(lvm.embedding_).all()


@pytest.mark.filterwarnings("error")
def test_ordinary_data_raise_no_warning():
    LVM(max_iter=12).fit(table(60))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_neighbors": 0}, ["n_neighbors (k)", "0", "1 or more"]),
        ({"n_neighbors": -3}, ["n_neighbors (k)", "-3"]),
        ({"n_neighbors": 2.5}, ["n_neighbors (k)", "2.5", "whole number"]),
        ({"n_neighbors": True}, ["n_neighbors (k)", "True", "whole number"]),
        ({"n_neighbors": "9"}, ["n_neighbors (k)", "'9'", "whole number"]),
        ({"n_steps": 0}, ["n_steps (s)", "0", "1 or more"]),
        ({"n_levels": -1}, ["n_levels (l)", "-1", "0 or more", '"auto"']),
        ({"n_levels": "Auto"}, ["n_levels (l)", "'Auto'", '"auto"']),
        ({"n_levels": None}, ["n_levels (l)", "None"]),
        ({"n_components": 0}, ["n_components (d)", "0", "1 or more"]),
        ({"max_iter": 0}, ["max_iter", "0"]),
        ({"dof": 0}, ["dof", "0", "degrees of freedom"]),
        ({"dof": np.nan}, ["dof", "nan"]),
        ({"momentum": -0.1}, ["momentum", "-0.1"]),
        ({"momentum": 1}, ["momentum", "1"]),  # a step that never fades
        ({"tol": -1}, ["tol", "-1"]),
        ({"tol": "small"}, ["tol", "'small'"]),
        ({"connect": "none"}, ["connect", "'none'", "'bridge', 'largest'"]),
        ({"neighbors": "faiss"}, ["neighbors", "'faiss'", "'exact'"]),
        ({"neighbors": None}, ["neighbors", "None"]),
        ({"neighbors": 15}, ["neighbors", "15"]),
        ({"metric": 3}, ["metric", "3"]),
        ({"pair_budget": "many"}, ["pair_budget", "'many'"]),
        ({"likelihood_every": -1}, ["likelihood_every", "-1"]),
        ({"likelihood_every": "often"}, ["likelihood_every", "'often'"]),
    ],
    ids=str,
)
def test_parameters_out_of_range(parameters, words):
    LVM(**parameters)  # as everywhere in scikit-learn, only fit complains
    assert_says(complaint(measurements(), **parameters), *words)


MISSPELT = """
import sys
import numpy as np
from latentmap import LVM
try:
    LVM(metric="eucledian").fit(np.random.default_rng(0).normal(size=(30, 4)))
except ValueError as error:
    print(error)
print(*sorted(name for name in sys.modules if name.startswith("pynndescent")), sep="\\n")
"""


@pytest.mark.slow
def test_a_misspelt_metric_is_refused_without_the_slow_compiler():
    said, *loaded = subprocess.run(
        [sys.executable, "-c", MISSPELT], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    assert_says(said, "'eucledian'", 'did you mean "euclidean"?', "manhattan", '"precomputed"')
    assert loaded == [""]


@pytest.mark.parametrize(
    ("metric", "meant"), [("manhatan", "manhattan"), ("Cosine", "cosine"), ("helinger", "hellinger")]
)
def test_a_misspelt_metric_gets_the_name_most_like_it(metric, meant):
    assert_says(complaint(measurements(), metric=metric), f'did you mean "{meant}"?')


@pytest.mark.parametrize("metric", ["zzz", 3, ["euclidean"], "nan_euclidean"])
def test_what_is_like_no_metric_gets_their_list(metric):
    sentence = complaint(measurements(), metric=metric)
    assert_says(sentence, "metric", repr(metric), "euclidean, hamming")
    assert ("did you mean" in sentence) == (metric == "nan_euclidean")


@pytest.mark.parametrize("metric", ["infinity", "p", "nan_euclidean", "haversine", "jaccard", "mahalanobis"])
def test_every_metric_that_is_let_through_works_or_is_refused_in_words(metric):
    try:
        LVM(metric=metric, n_levels=1, max_iter=2).fit(np.abs(measurements(40)))
    except ValueError as error:
        assert metric in str(error).lower()  # noqa: PT017


class TestNeighborsFoundAlready:
    def given(self, n=30, k=12):
        dist = cdist(measurements(n), measurements(n))
        np.fill_diagonal(dist, np.inf)
        indices = np.argsort(dist, axis=1)[:, :k]
        return indices, np.take_along_axis(dist, indices, 1)

    def test_of_another_number_of_rows(self):
        assert_says(
            complaint(measurements(), n_neighbors=9, neighbors=self.given(29)), "neighbors", "30 rows", "(29, 12)"
        )

    def test_too_few(self):
        sentence = complaint(measurements(), n_neighbors=9, neighbors=self.given(k=8))
        assert_says(sentence, "neighbors", "n_neighbors (k) = 9", "8 rows")

    def test_too_few_beside_the_row_itself(self):
        indices, distances = self.given(k=8)
        indices = np.column_stack([np.arange(30), indices])
        distances = np.column_stack([np.zeros(30), distances])
        assert_says(
            complaint(measurements(), n_neighbors=9, neighbors=(indices, distances)),
            "neighbors",
            "besides the row itself",
        )

    def test_of_two_shapes(self):
        indices, distances = self.given()
        assert_says(
            complaint(measurements(), n_neighbors=9, neighbors=(indices, distances[:, 1:])), "(30, 12)", "(30, 11)"
        )

    @pytest.mark.parametrize("outside", [30, -1])
    def test_that_are_no_rows(self, outside):
        indices, distances = self.given()
        indices[4, 2] = outside  # -1 is how several libraries say "none found"
        assert_says(complaint(measurements(), n_neighbors=9, neighbors=(indices, distances)), "neighbors", str(outside))

    def test_listed_twice(self):
        indices, distances = self.given()
        indices[4, 2] = indices[4, 1]
        assert_says(complaint(measurements(), n_neighbors=9, neighbors=(indices, distances)), "neighbors", "twice")

    def test_at_negative_distances(self):
        indices, distances = self.given()
        assert_says(complaint(measurements(), n_neighbors=9, neighbors=(indices, -distances)), "neighbors", "negative")

    def test_as_a_graph_of_other_rows(self):
        graph = sp.csr_array(cdist(measurements(29), measurements(29)))
        assert_says(complaint(measurements(), n_neighbors=9, neighbors=graph), "neighbors", "30", "29")


class TestPrecomputed:
    def distances(self, n=30):
        return cdist(measurements(n), measurements(n))

    def fit_says(self, D, **parameters):
        return complaint(D, metric="precomputed", **({"n_neighbors": 9} | parameters))

    def test_not_square(self):
        assert_says(self.fit_says(self.distances()[:, :20]), "square", "30 x 20")

    @pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
    def test_negative(self, make):
        D = self.distances()
        D[0, 1] = D[1, 0] = -1
        assert_says(self.fit_says(make(D)), "negative", "2")

    def test_nan(self):
        D = self.distances()
        D[0, 1] = np.nan
        assert_says(self.fit_says(D), "NaN", "1 of 30 rows", "1")

    def test_nan_in_a_graph_is_not_said_to_be_in_a_column_of_its_own(self):
        D = self.distances()
        D[3, 7] = D[3, 8] = np.nan
        assert_says(self.fit_says(sp.csr_array(D)), "NaN", "1 of 30 rows", "7", "8")

    @pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
    def test_all_zero(self, make):
        zeros = make(np.ones((30, 30))) * 0
        assert_says(self.fit_says(zeros), "30 rows", "same")

    def test_an_empty_graph(self):
        assert_says(self.fit_says(sp.csr_array((30, 30))), "30 rows", "no edges")

    def test_too_few_neighbors_in_a_graph(self):
        D = self.distances()
        near = np.where(np.sort(D, axis=1)[:, [9]] >= D, D, 0)
        near[12, np.flatnonzero(near[12])[:2]] = 0
        assert_says(self.fit_says(sp.csr_array(near)), "k = 9", "row 12", "7", "Lower n_neighbors")

    def test_a_graph_in_parts(self):
        D = self.distances()
        D[:15, 15:] = D[15:, :15] = 0
        sentence = self.fit_says(sp.csr_array(D), n_neighbors=5)
        assert_says(sentence, "parts", "15 rows", 'connect="largest"')

    def test_new_distances_of_the_other_kind(self):
        D = self.distances()
        for D_fit, D_new in [(D, sp.csr_array(D)), (sp.csr_array(D), D)]:
            lvm = LVM(metric="precomputed", max_iter=2).fit(D_fit)
            try:
                np.testing.assert_array_equal(lvm.transform(D_new), lvm.embedding_)
            except ValueError as error:
                assert_says(str(error), "distances")

    def test_new_distances_that_are_negative(self):
        lvm = LVM(metric="precomputed", max_iter=2).fit(self.distances())
        with pytest.raises(ValueError, match="negative"):
            lvm.transform(-self.distances())


class TestTransform:
    def test_before_fit(self):
        with pytest.raises(NotFittedError):
            LVM().transform(measurements())

    def test_after_a_fit_that_failed_or_was_cancelled_early(self):
        lvm = LVM()
        with pytest.raises(ValueError, match="Lower n_components"):
            lvm.fit(measurements(2))
        with pytest.raises(NotFittedError):
            lvm.transform(measurements())
        cancelled = LVM()
        for progress in cancelled.iter_fit(measurements()):
            if progress.stage == "graph":
                break
        with pytest.raises(NotFittedError):
            cancelled.transform(measurements())

    def test_a_cancelled_fit_to_other_columns_leaves_the_map_usable(self):
        lvm = LVM(max_iter=2).fit(measurements())
        expected = lvm.transform(measurements())
        next(lvm.iter_fit(measurements()[:, :4]))
        np.testing.assert_array_equal(lvm.transform(measurements()), expected)

    def test_nan(self):
        lvm = LVM(max_iter=2).fit(table())
        X = table(4)
        X.iloc[2, 2] = np.nan
        with pytest.raises(ValueError, match=r"NaN in 1 of 4 rows, in the columns 'mean_dna'\."):
            lvm.transform(X)

    def test_other_columns(self):
        lvm = LVM(max_iter=2).fit(table())
        with pytest.raises(ValueError, match="6 features"):
            lvm.transform(measurements()[:, :5])
        with pytest.raises(ValueError, match="colour"):
            lvm.transform(table().rename(columns={"area": "colour"}))


def test_lost_rows_are_counted():
    X = np.concatenate([measurements(20), measurements(11) + 100, measurements(15) + 200])
    with pytest.warns(DataWarning, match=r"3 parts.* 26 rows .*NaN.*46"):
        lvm = LVM(9, max_iter=2, connect="largest").fit(X)
    lost = np.isnan(lvm.embedding_).all(axis=1)
    np.testing.assert_array_equal(np.flatnonzero(lost), np.arange(20, 46))
    np.testing.assert_array_equal(np.isnan(lvm.variances_), lost)
    assert np.isfinite(lvm.embedding_[~lost]).all()


def test_warnings_are_of_a_kind_of_their_own():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        LVM(max_iter=1).fit(np.repeat(measurements(), 2, axis=0))
    assert [issubclass(item.category, DataWarning) for item in caught] == [True]


@pytest.mark.parametrize(
    ("metric", "params", "n_columns", "says"),
    [
        ("haversine", None, 3, r"two columns, latitude and longitude in radians, but has 3"),
        ("haversine", None, 1, r"but has 1\."),
        ("mahalanobis", {"VI": np.eye(3)}, 4, r"VI of metric=\"mahalanobis\" has the shape \(3, 3\).*\(4, 4\)"),
        ("mahalanobis", {"V": np.ones(4)}, 4, r"V of metric=\"mahalanobis\" has the shape \(4,\).*\(4, 4\)"),
        ("seuclidean", {"V": np.eye(4)}, 4, r"V of metric=\"seuclidean\" has the shape \(4, 4\).*\(4,\)"),
        ("minkowski", {"power": 3}, 4, r"minkowski.*'power'.*look up the metric's parameters"),
        ("manhattan", {"V": np.ones(4)}, 4, r"manhattan.*'V'"),
    ],
)
def test_a_metric_that_does_not_fit_the_columns(metric, params, n_columns, says):
    X = np.random.default_rng(0).normal(size=(60, n_columns))
    with pytest.raises(ValueError, match=says):
        LVM(metric=metric, metric_params=params, max_iter=1).fit(X)


def test_a_function_of_python_is_not_called_for_hours():
    X = np.zeros((100_001, 2), np.float32)
    X[::2] = 1
    with pytest.raises(ValueError, match=r"Python function, and 100001 rows.*@numba\.njit.*about 3 hours"):
        LVM(metric=lambda x, y: abs(x - y).sum(), max_iter=1).fit(X)


def test_more_neighbors_than_memory_holds(monkeypatch):
    monkeypatch.setattr("latentmap.memory.free_memory", lambda: 2**34)
    with pytest.raises(
        ValueError, match=r"k\) = 5000 for each of 200000 rows would take about 75 GiB.*16 GiB are free.*1073 or"
    ):
        LVM(5000).fit(np.eye(200_000, 2, dtype=np.float32))
