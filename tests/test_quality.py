"""The quality measures against their definitions, written out with all distances in memory."""

import itertools
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness as sklearn_trustworthiness
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from latentmap.quality import (
    centroid_order,
    continuity,
    frame_fill,
    groups_found,
    knn_error,
    largest_pieces,
    neighbor_recall,
    random_triplet_accuracy,
    recall_and_trustworthiness,
    trustworthiness,
    validation,
)

TableAndMap = tuple[np.ndarray, np.ndarray]


def ranked_others(X: np.ndarray, metric: str = "euclidean") -> np.ndarray:
    """The other rows of each row by distance, at equal distances by row number."""
    order = np.argsort(cdist(X, X, metric), axis=1, kind="stable")
    return order[order != np.arange(len(X))[:, None]].reshape(len(X), -1)


def literal_recall(X: np.ndarray, Y: np.ndarray, k: int, r: int, metric: str = "euclidean") -> float:
    pairs = zip(ranked_others(X, metric)[:, :k], ranked_others(Y)[:, :r], strict=True)
    return float(np.mean([len(set(true) & set(found)) / k for true, found in pairs]))


def literal_trustworthiness(X: np.ndarray, Y: np.ndarray, k: int, metric: str = "euclidean") -> float:
    n, ranked, penalty = len(X), ranked_others(X, metric).tolist(), 0
    for i, near in enumerate(ranked_others(Y)[:, :k].tolist()):
        penalty += sum(max(0, ranked[i].index(j) + 1 - k) for j in near)
    return 1 - 2 * penalty / (n * k * (2 * n - 3 * k - 1))


def literal_triplet_accuracy(X: np.ndarray, Y: np.ndarray, metric: str = "euclidean") -> float:
    in_table, in_map = cdist(X, X, metric), cdist(Y, Y)
    agreeing = [
        (in_table[i, j] < in_table[i, k]) == (in_map[i, j] < in_map[i, k])
        for i, j, k in itertools.permutations(range(len(X)), 3)
    ]
    return float(np.mean(agreeing))


def projected(D: int, n: int = 150) -> TableAndMap:
    """A table without ties, and its first two columns as a map."""
    X = np.random.default_rng(0).normal(size=(n, D)) * np.linspace(2, 1, D)
    return X, X[:, :2].copy()


def with_copies(D: int) -> TableAndMap:
    """The same where many rows are copies, one of them more often than neighbours count."""
    X, Y = projected(D)
    random = np.random.default_rng(1)
    X[random.choice(len(X), 30, replace=False)] = X[random.choice(len(X), 30)]
    X[5::12] = X[5]
    Y[7::12] = Y[7]
    return X, Y


def counts(D: int) -> TableAndMap:
    """Small integers: many pairs of different rows have the same distance."""
    X = np.random.default_rng(2).poisson(1.0, size=(150, D))
    return X, X[:, :2]


def collapsed(D: int) -> TableAndMap:
    """A map in which all cells coincide."""
    X, Y = projected(D)
    return X, np.ones_like(Y)


every_table = pytest.mark.parametrize("table", [projected, with_copies, counts, collapsed])
# The library searches a tree in few dimensions and goes through scalar products in many.
few_and_many_columns = pytest.mark.parametrize("D", [3, 40])
every_measure = pytest.mark.parametrize(
    "measure", [neighbor_recall, trustworthiness, continuity, random_triplet_accuracy]
)


@every_table
@few_and_many_columns
@pytest.mark.parametrize(("k", "r"), [(1, 1), (1, 7), (8, 8), (8, 3), (149, 149)])
def test_neighbor_recall_is_the_literal_one(table: Callable[[int], TableAndMap], D: int, k: int, r: int) -> None:
    X, Y = table(D)
    assert neighbor_recall(X, Y, k, r) == pytest.approx(literal_recall(X, Y, k, r), abs=1e-12)


@every_table
@few_and_many_columns
@pytest.mark.parametrize("k", [1, 8, 74])
def test_trustworthiness_and_continuity_are_the_literal_ones(
    table: Callable[[int], TableAndMap], D: int, k: int
) -> None:
    X, Y = table(D)
    assert trustworthiness(X, Y, k) == pytest.approx(literal_trustworthiness(X, Y, k), abs=1e-12)
    assert continuity(X, Y, k) == pytest.approx(literal_trustworthiness(Y, X, k), abs=1e-12)


@every_table
@pytest.mark.parametrize("settings", [{}, {"n_samples": 60, "random_state": 3}, {"metric": "cosine"}])
def test_two_measures_of_rows_that_are_read_once_are_those_of_each(
    table: Callable[[int], TableAndMap], settings: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, Y = table(20)
    X = X + 1.0
    expected = tuple(measure(X, Y, 8, **settings) for measure in (neighbor_recall, trustworthiness))
    checked, check = [], validation.check_array
    monkeypatch.setattr(validation, "check_array", lambda *args, **kw: checked.append(1) or check(*args, **kw))
    assert recall_and_trustworthiness(X, Y, 8, **settings) == expected
    assert len(checked) == 2


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["cityblock", "cosine", "correlation", "seuclidean", "chebyshev"])
@pytest.mark.parametrize("table", [projected, with_copies])
def test_the_metric_is_that_of_the_table(table: Callable[[int], TableAndMap], metric: str) -> None:
    X, Y = table(20)
    assert neighbor_recall(X, Y, 6, metric=metric) == pytest.approx(literal_recall(X, Y, 6, 6, metric), abs=1e-12)
    literal = literal_trustworthiness(X, Y, 6, metric)
    assert trustworthiness(X, Y, 6, metric=metric) == pytest.approx(literal, abs=1e-12)
    X, Y = X[:12], Y[:12]
    accuracy = random_triplet_accuracy(X, Y, 20_000, metric=metric)
    assert accuracy == pytest.approx(literal_triplet_accuracy(X, Y, metric), abs=5 * 0.5 / np.sqrt(20_000))


def test_a_metric_may_be_a_function() -> None:
    X, Y = projected(3, 40)

    def city_block(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.abs(a - b).sum())

    for measure in (neighbor_recall, trustworthiness, continuity):
        assert measure(X, Y, 4, metric=city_block) == measure(X, Y, 4, metric="cityblock")
    assert random_triplet_accuracy(X, Y, 500, metric=city_block) == random_triplet_accuracy(X, Y, 500, metric="l1")


@pytest.mark.slow
def test_copies_are_at_one_distance_however_the_metric_rounds() -> None:
    X, Y = with_copies(3)
    rounding = np.random.default_rng(0)

    def rounded(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.linalg.norm(a - b) + rounding.uniform(0, 1e-12))

    for k in (1, 8):
        assert neighbor_recall(X, Y, k, metric=rounded) == pytest.approx(literal_recall(X, Y, k, k), abs=1e-12)
        literal = literal_trustworthiness(X, Y, k)
        assert trustworthiness(X, Y, k, metric=rounded) == pytest.approx(literal, abs=1e-12)


def test_no_row_is_its_own_neighbour() -> None:
    directions, Y = projected(20)
    X = np.repeat(directions[:10], 15, axis=0) * np.linspace(0.1, 9, 150)[:, None]
    # Parallel rows are at a distance of zero for the cosine, so the row itself need not be found first.
    assert neighbor_recall(X, Y, 149, metric="cosine") == 1.0


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("k", [1, 5, 40])
def test_trustworthiness_is_that_of_scikit_learn(metric: str, k: int) -> None:
    X, Y = projected(20, 300)
    expected = sklearn_trustworthiness(X, Y, n_neighbors=k, metric=metric)
    assert trustworthiness(X, Y, k, metric=metric) == pytest.approx(expected, abs=1e-12)
    assert continuity(X, Y, k) == pytest.approx(sklearn_trustworthiness(Y, X, n_neighbors=k), abs=1e-12)


@pytest.mark.parametrize("table", [projected, with_copies, counts])
@every_measure
def test_a_faithful_map_has_one(measure: Callable[..., float], table: Callable[[int], TableAndMap]) -> None:
    X, _ = table(20)
    assert measure(X, 4 * X) == 1.0


def test_a_random_map_has_the_chance_level() -> None:
    X, _ = projected(5, 1000)
    Y = np.random.default_rng(9).normal(size=(1000, 2))
    k, r = 10, np.array([1, 10, 200])
    chance = r / 999
    standard_error = np.sqrt(chance * (1 - chance) / (1000 * k))
    assert (np.abs(neighbor_recall(X, Y, k, r) - chance) < 5 * standard_error).all()
    # A neighbour in a random map has any rank in the table: the mean of max(0, rank - k), as the definition scales it.
    n = 1000
    expected = 1 - 2 * np.maximum(np.arange(1, n) - k, 0).mean() / (2 * n - 3 * k - 1)
    assert trustworthiness(X, Y, k) == pytest.approx(expected, abs=0.02)
    assert continuity(X, Y, k) == pytest.approx(expected, abs=0.02)
    assert random_triplet_accuracy(X, Y) == pytest.approx(0.5, abs=0.02)


def test_a_collapsed_map_is_worth_no_more_than_a_random_one() -> None:
    X, Y = collapsed(5)
    assert neighbor_recall(X, Y, 10) == pytest.approx(10 / 149, abs=0.03)
    assert trustworthiness(X, Y, 10) == pytest.approx(0.5, abs=0.06)
    assert random_triplet_accuracy(X, Y) == pytest.approx(0.5, abs=0.01)


def test_several_r_are_the_single_ones() -> None:
    X, Y = projected(20)
    r = [5, 1, 149, 20]
    together = neighbor_recall(X, Y, 3, r)
    np.testing.assert_array_equal(together, [neighbor_recall(X, Y, 3, each) for each in r])
    assert together[2] == 1.0
    assert isinstance(neighbor_recall(X, Y, 3), float)
    assert neighbor_recall(X, Y, 3) == neighbor_recall(X, Y, 3, 3)


def test_a_table_far_from_the_origin_keeps_its_neighbours() -> None:
    X, Y = projected(20)
    X += 1e8
    assert neighbor_recall(X, Y) == pytest.approx(literal_recall(X, Y, 10, 10), abs=1e-12)
    assert trustworthiness(X, Y) == pytest.approx(literal_trustworthiness(X, Y, 5), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("table", [projected, counts])
def test_results_do_not_depend_on_the_number_of_threads(table: Callable[..., TableAndMap]) -> None:
    X, _ = projected(20, 3000)
    if table is counts:
        X = np.round(X)
    Y = X[:, :2].copy()
    for measure in (neighbor_recall, trustworthiness, continuity):
        assert measure(X, Y, 7, n_jobs=1) == measure(X, Y, 7, n_jobs=3)
    labels = X[:, 3] > 0
    assert knn_error(X, labels, n_neighbors=7, n_jobs=1) == knn_error(X, labels, n_neighbors=7, n_jobs=3)


@pytest.mark.parametrize("measure", [neighbor_recall, trustworthiness, continuity])
def test_a_sample_of_rows_has_ranks_among_all_rows(measure: Callable[..., float]) -> None:
    X, Y = projected(6, 60)
    one_by_one = {measure(X, Y, 4, n_samples=1, random_state=seed) for seed in range(10)}
    assert len(one_by_one) > 1
    assert measure(X, Y, 4, n_samples=20, random_state=3) == measure(X, Y, 4, n_samples=20, random_state=3)
    assert measure(X, Y, 4, n_samples=60) == pytest.approx(measure(X, Y, 4), abs=1e-12)
    # Drawn without replacement: a row left out of 60 can be missing by at most its own share.
    assert measure(X, Y, 4, n_samples=59) == pytest.approx(measure(X, Y, 4), abs=2 / 60)
    halves = [measure(X, Y, 4, n_samples=30, random_state=seed) for seed in range(60)]
    assert np.mean(halves) == pytest.approx(measure(X, Y, 4), abs=5 * np.std(halves) / np.sqrt(60))


@pytest.mark.slow
def test_no_array_of_all_pairs_is_held() -> None:
    X, Y = projected(3, 8000)
    X[::2] = X[0]
    tracemalloc.start()
    neighbor_recall(X, Y)
    trustworthiness(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 8000**2 / 2


def test_random_triplets_are_drawn_from_all_triplets_alike() -> None:
    for seed in range(5):
        random = np.random.default_rng(seed)
        X, Y = random.normal(size=(5, 3)), random.normal(size=(5, 2))
        accuracy = random_triplet_accuracy(X, Y, 100_000, random_state=seed)
        assert accuracy == pytest.approx(literal_triplet_accuracy(X, Y), abs=5 * 0.5 / np.sqrt(100_000))
    assert random_triplet_accuracy(X, Y, 99, random_state=1) == random_triplet_accuracy(X, Y, 99, random_state=1)
    assert len({random_triplet_accuracy(X, Y, 99, random_state=seed) for seed in range(5)}) > 1


def test_ties_in_triplets_agree_where_neither_distance_is_smaller() -> None:
    X, Y = np.array([[0.0], [1.0], [-1.0]]), np.array([[0.0], [1.0], [-2.0]])
    # Of the six triplets only those around row 0 are tied in the table; one of the two has j nearer in the map.
    assert literal_triplet_accuracy(X, Y) == pytest.approx(5 / 6)
    assert random_triplet_accuracy(X, Y, 100_000) == pytest.approx(5 / 6, abs=0.01)


def blobs(n: int, seed: int = 0) -> TableAndMap:
    """Three classes that overlap in a plane."""
    random = np.random.default_rng(seed)
    labels = np.array(["G1", "S", "mitotic"])[random.integers(3, size=n)]
    centres = pd.DataFrame({"G1": [0, 0], "S": [2, 0], "mitotic": [0, 2]}).T
    return centres.loc[labels].to_numpy() + random.normal(size=(n, 2)), labels


@pytest.mark.parametrize("D", [2, 20])
def test_knn_error_is_that_of_scikit_learn(D: int) -> None:
    (Y, y), (Y_test, y_test) = blobs(300), blobs(100, seed=1)
    spread = np.random.default_rng(5).normal(size=(2, D))
    Y, Y_test = Y @ spread, Y_test @ spread
    k = [1, 2, 5, 40]
    classifiers = [KNeighborsClassifier(each) for each in k]
    expected = [1 - classifier.fit(Y, y).score(Y_test, y_test) for classifier in classifiers]
    np.testing.assert_allclose(knn_error(Y, y, Y_test, y_test, k), expected, atol=1e-12)
    for cv in (4, KFold(3, shuffle=True, random_state=0)):
        expected = [np.mean(cross_val_predict(classifier, Y, y, cv=cv) != y) for classifier in classifiers]
        np.testing.assert_allclose(knn_error(Y, y, n_neighbors=k, cv=cv), expected, atol=1e-12)


def test_several_k_are_the_single_ones() -> None:
    Y, y = blobs(200)
    np.testing.assert_array_equal(knn_error(Y, y, n_neighbors=[9, 1]), [knn_error(Y, y, n_neighbors=k) for k in (9, 1)])
    assert isinstance(knn_error(Y, y), float)


def test_classes_may_be_numbers_words_or_categories() -> None:
    Y, y = blobs(100)
    error = knn_error(Y, y)
    assert 0 < error < 0.7
    assert knn_error(Y, pd.Categorical(y)) == error
    assert knn_error(Y, pd.Series(y, index=np.arange(100)[::-1])) == error
    assert knn_error(Y, np.unique(y, return_inverse=True)[1]) == error


def test_a_split_vote_goes_to_the_class_that_sorts_first() -> None:
    Y, Y_test = [[0.0], [1.0]], [[0.1], [0.9]]
    assert knn_error(Y, ["b", "a"], Y_test, ["a", "a"], n_neighbors=2) == 0.0
    assert knn_error(Y, ["b", "a"], Y_test, ["b", "b"], n_neighbors=2) == 1.0


@pytest.mark.parametrize("D", [1, 30])
def test_copies_in_the_training_set_vote_in_the_order_of_the_rows(D: int) -> None:
    Y = np.concatenate([np.full((50, D), 0.3), np.full((50, D), 0.9)])
    y = np.array(["b"] * 3 + ["a"] * 47 + ["a"] * 3 + ["b"] * 47)
    Y_test = np.array([[0.31] * D, [0.88] * D])
    np.testing.assert_array_equal(knn_error(Y, y, Y_test, ["b", "a"], n_neighbors=[1, 3, 5]), 0)
    np.testing.assert_array_equal(knn_error(Y, y, Y_test, ["b", "a"], n_neighbors=[7, 49]), 1)


@every_measure
def test_tables_of_different_length_are_refused(measure: Callable[..., float]) -> None:
    X, Y = projected(3)
    with pytest.raises(ValueError, match="X has 150 rows and Y has 149"):
        measure(X, Y[:-1])


@every_measure
def test_missing_values_are_named(measure: Callable[..., float]) -> None:
    X, Y = projected(3)
    X = pd.DataFrame(X, columns=["area", "eccentricity", "mean DAPI"])
    X.loc[[4, 9], "area"] = np.nan
    X.loc[9, "mean DAPI"] = np.inf
    sentence = (
        r"X has missing or infinite values in 2 of 150 rows \(the first is row 4\), in 2 columns \(area, mean DAPI\)"
    )
    with pytest.raises(ValueError, match=sentence):
        measure(X, Y)
    Y[7, 1] = np.nan
    with pytest.raises(ValueError, match=r"Y has missing or infinite values in 1 of 150 rows .* in 1 columns \(1\)"):
        measure(projected(3)[0], Y)


def test_only_the_first_of_many_columns_are_named() -> None:
    with pytest.raises(ValueError, match=r"in 40 columns \(0, 1, 2, 3, 4, \.\.\.\)"):
        neighbor_recall(np.full((150, 40), np.nan), projected(3)[1])


@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        (lambda X, Y: neighbor_recall(X, Y, 10), "n_neighbors must be .* at most 9 .*10 rows, and none is its own"),
        (lambda X, Y: neighbor_recall(X, Y, 3, r=[1, 10]), "r must be a whole number, at least 1 and at most 9"),
        (lambda X, Y: neighbor_recall(X, Y, 3, r=[]), "r must be a whole number"),
        (lambda X, Y: neighbor_recall(X, Y, 0), "n_neighbors must be a whole number, at least 1 .* but is 0"),
        (lambda X, Y: neighbor_recall(X, Y, 2.5), "n_neighbors must be a whole number, .* but is 2.5"),
        (lambda X, Y: neighbor_recall(X, Y, [1, 2]), "n_neighbors must be one whole number"),
        (lambda X, Y: neighbor_recall(X, Y, 3, n_samples=11), "n_samples must be .* at most 10"),
        (lambda X, Y: trustworthiness(X, Y, 5), "n_neighbors must be .* at most 4 .*less than half of the 10 rows"),
        (lambda X, Y: continuity(X, Y, 5), "n_neighbors must be .* at most 4 .*less than half of the 10 rows"),
        (lambda X, Y: random_triplet_accuracy(X, Y, 0), "n_triplets must be a whole number, at least 1, but is 0"),
        (lambda X, Y: random_triplet_accuracy(X[:2], Y[:2]), "A triplet needs 3 rows, but the table has 2"),
        (lambda X, Y: neighbor_recall(X, Y, 3, metric="precomputed"), "metric must be .* but is 'precomputed'"),
        (lambda X, Y: trustworthiness(X, Y, 3, metric="cosmic"), "metric must be .* but is 'cosmic'"),
    ],
)
def test_impossible_numbers_are_refused_in_words(measure: Callable[..., float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        measure(*projected(3, 10))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@every_measure
def test_a_metric_without_a_value_is_refused(measure: Callable[..., float]) -> None:
    X, Y = projected(3)
    X[4] = 1.0
    with pytest.raises(ValueError, match="The metric 'correlation' is undefined for some pairs of rows"):
        measure(X, Y, metric="correlation")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (lambda Y, y: (Y, y[:-1]), r"y_train must hold one class for each of the 30 rows of Y_train, but .* \(29,\)"),
        (lambda Y, y: (Y, y, Y), "Give both Y_test and y_test, or neither"),
        (lambda Y, y: (Y, y, None, y), "Give both Y_test and y_test, or neither"),
        (lambda Y, y: (Y, y, Y[:, :1], y), "Y_train has 2 columns and Y_test has 1"),
        (lambda Y, y: (Y, y, Y, y[1:]), "y_test must hold one class for each of the 30 rows of Y_test"),
        (
            lambda Y, y: (Y, y, np.where(np.arange(30)[:, None] == 2, np.nan, Y), y),
            "Y_test has missing or infinite values in 1 of 30",
        ),
        (lambda Y, y: (Y, np.where(y == "S", None, y)), r"y_train has no class for \d+ of 30 rows"),
        (lambda Y, y: (Y, y, Y, y, 31), "n_neighbors must be .* at most 30 .*there are 30 training rows"),
        (lambda Y, y: (Y, y, None, None, 25), "n_neighbors must be .* at most 24 .*there are 24 training rows"),
    ],
)
def test_impossible_classes_are_refused_in_words(arguments: Callable[..., tuple], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        knn_error(*arguments(*blobs(30)))


@pytest.mark.slow
def test_mnist_test_digits(load_data: Callable[[str], Mapping[str, np.ndarray]]) -> None:
    digits = load_data("mnist70k")
    X, y = digits["X"][60_000:64_000].astype(float), digits["y"][60_000:64_000]
    P = PCA(50, random_state=0).fit_transform(X)
    two, ten = P[:, :2], P[:, :10]
    assert knn_error(P, y) == pytest.approx(np.mean(cross_val_predict(KNeighborsClassifier(1), P, y) != y), abs=1e-12)
    assert knn_error(P, y) < knn_error(ten, y) < knn_error(two, y) < 0.9
    recalls = [neighbor_recall(P, Y, 1, r=[1, 10, 100]) for Y in (two, ten)]
    assert (recalls[0] < recalls[1]).all()
    assert (np.diff(recalls) > 0).all()
    some = slice(1500)
    expected = sklearn_trustworthiness(P[some], two[some], n_neighbors=12)
    assert trustworthiness(P[some], two[some], 12) == pytest.approx(expected, abs=1e-12)
    assert trustworthiness(P, two, 12, n_samples=1000) == pytest.approx(trustworthiness(P, two, 12), abs=0.02)


class TestFrame:
    Y = np.random.default_rng(0).uniform(size=(2000, 2))

    def test_it_is_the_box_of_most_rows_over_that_of_all(self) -> None:
        low, high = np.quantile(self.Y, [0.05, 0.95], axis=0)
        expected = np.prod(high - low) / np.prod(self.Y.max(axis=0) - self.Y.min(axis=0))
        np.testing.assert_allclose(frame_fill(self.Y, 0.9), expected)
        assert frame_fill(self.Y, 1.0) == 1

    def test_size_and_place_are_of_no_account(self) -> None:
        np.testing.assert_allclose(frame_fill(1e6 * self.Y - 7), frame_fill(self.Y))

    def test_one_row_far_out_squeezes_all_others(self) -> None:
        assert frame_fill(np.vstack([self.Y, [[9.0, 9.0]]])) < 0.02

    @pytest.mark.parametrize("Y", [np.zeros((5, 2)), np.array([[0.0, np.nan], [1.0, 1.0]])])
    def test_what_has_no_frame_is_refused(self, Y: np.ndarray) -> None:
        with pytest.raises(ValueError, match=r"axis of Y|missing or infinite"):
            frame_fill(Y)

    @pytest.mark.parametrize("share", [0, 1.5])
    def test_a_share_beyond_all_is_refused(self, share: float) -> None:
        with pytest.raises(ValueError, match="share"):
            frame_fill(self.Y, share)


class TestGroups:
    def test_groups_and_strays_are_counted(self) -> None:
        rng = np.random.default_rng(0)
        Y = np.vstack([rng.normal(size=(100, 2)) + shift for shift in (0, 30, 60)] + [[[500.0, -500.0]]])
        found = groups_found(Y)
        assert found.n_groups == 3
        assert 1 / 301 <= found.strays < 0.1

    def test_too_few_rows_are_refused(self) -> None:
        with pytest.raises(ValueError, match="min_size"):
            groups_found(np.zeros((10, 2)))
        with pytest.raises(ValueError, match="min_size must be 2 or more"):
            groups_found(np.zeros((10, 2)), min_size=1)


class TestPieces:
    @staticmethod
    def blob(n: int, shift: float) -> np.ndarray:
        return np.random.default_rng(n).normal((shift, 0), size=(n, 2))

    def test_each_class_counts_its_own_rows(self) -> None:
        # The piece of "a" between the two of "b" joins nothing.
        Y = np.vstack([self.blob(300, 0), self.blob(200, 9), self.blob(100, 18)])
        y = np.repeat(["b", "a", "b"], [300, 200, 100])
        found = largest_pieces(Y, y)
        assert found[0] == 1
        assert abs(found[1] - 0.75) < 0.02

    def test_strays_do_not_count(self) -> None:
        Y = np.vstack([self.blob(300, 0), [[50.0, 50.0], [-50.0, 3.0]]])
        np.testing.assert_array_equal(largest_pieces(Y, np.zeros(302)), [1])

    def test_size_is_of_no_account(self) -> None:
        Y = np.vstack([self.blob(300, 0), self.blob(100, 30)])
        np.testing.assert_array_equal(largest_pieces(1e6 * Y, np.zeros(400)), largest_pieces(Y, np.zeros(400)))

    def test_few_rows_have_no_pieces_and_coincident_rows_have_one(self) -> None:
        Y = np.vstack([self.blob(29, 0), np.ones((40, 2))])
        np.testing.assert_array_equal(largest_pieces(Y, np.repeat([0, 1], [29, 40])), [np.nan, 1])

    def test_a_row_without_a_class_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no class for 1 of 4 rows"):
            largest_pieces(np.zeros((4, 2)), ["a", "b", "c", None])


class TestCentroids:
    y = np.repeat(list("abcde"), 20)
    centres = np.random.default_rng(1).normal(size=(5, 4))

    def test_it_is_the_rank_correlation_of_their_distances(self) -> None:
        X = self.centres[np.repeat(np.arange(5), 20)] + np.tile(np.random.default_rng(2).normal(size=(20, 4)), (5, 1))
        Y = X[:, :2]
        pairs = list(itertools.combinations(range(5), 2))
        means = [[table[self.y == letter].mean(axis=0) for letter in "abcde"] for table in (X, Y)]
        ranks = [np.argsort(np.argsort([np.linalg.norm(mean[i] - mean[j]) for i, j in pairs])) for mean in means]
        np.testing.assert_allclose(centroid_order(X, Y, self.y), np.corrcoef(ranks)[0, 1])

    def test_two_groups_have_no_order(self) -> None:
        with pytest.raises(ValueError, match="3 groups"):
            centroid_order(np.zeros((4, 2)), np.zeros((4, 2)), [0, 0, 1, 1])

    def test_a_row_without_a_group_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no class for 1 of 4 rows"):
            centroid_order(np.zeros((4, 2)), np.zeros((4, 2)), ["a", "b", "c", None])
