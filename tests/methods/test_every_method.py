"""What every method of the registry promises."""

import re
import sys
import warnings
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from interrupting import Interruption
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from latentmap import DataWarning
from latentmap.methods import available
from latentmap.model import validation
from latentmap.model.vectors import Vectors

# As few iterations as show what a method does.
_SHORT = {"max_iter": 20}
NAMES = list(available())
# What a method learns from beside the table, where it needs more: made from how many rows there are.
_BESIDE = {"comparisons": lambda n: np.column_stack([np.arange(n - 2), np.arange(1, n - 1), np.arange(2, n)])}


def short(name, **others):
    method = available()[name]()
    known = {key: value for key, value in {**_SHORT, **others}.items() if key in method.get_params()}
    return method.set_params(**known)


def beside(name, X):
    return _BESIDE[name](np.shape(X)[0]) if name in _BESIDE else None


def fitted(method, name, X):
    return method.fit(X, beside(name, X))


def iris():
    return load_iris().data[::2]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@parametrize_with_checks([short(name, n_neighbors=9) for name in NAMES])
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", NAMES)
def test_progress_ends_in_a_finite_map(name):
    method = short(name)
    with closing(method.iter_fit(iris(), beside(name, iris()))) as steps:
        told = list(steps)
    assert told[0].state is None
    assert told[-1].stage == "embedding"
    assert [step.iteration for step in told] == sorted(step.iteration for step in told)
    assert max(step.iteration for step in told) <= told[-1].max_iter
    assert np.isfinite(told[-1].state.objective)
    assert method.embedding_.shape == (75, 2)
    assert np.isfinite(method.embedding_).all()
    assert method.n_iter_ == told[-1].iteration


@pytest.mark.parametrize("name", NAMES)
def test_stopping_at_the_first_map_keeps_it(name):
    method = short(name)
    with closing(method.iter_fit(iris(), beside(name, iris()))) as steps:
        first = next(step for step in steps if step.state is not None)
    np.testing.assert_allclose(method.embedding_, first.state.embedding)


@pytest.mark.parametrize("name", NAMES)
def test_the_map_is_the_same_for_any_number_of_threads_and_again(name):
    one, other = short(name, n_jobs=1, random_state=3), short(name, n_jobs=2, random_state=3)
    y = beside(name, iris())
    np.testing.assert_array_equal(one.fit_transform(iris(), y), other.fit_transform(iris(), y))


def interrupted(method, name, n_lines):
    """Fit, and interrupt what follows the second map; return whether that was not the end already."""
    tracing = sys.gettrace()
    try:
        for step in method.iter_fit(iris(), beside(name, iris())):
            if step.state is not None and step.state.iteration == 1:
                sys.settrace(Interruption(n_lines))
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(tracing)
    return False


@pytest.mark.parametrize("n_lines", [3, 20, 60, 150, 400])
@pytest.mark.parametrize("name", [name for name in NAMES if "max_iter" in available()[name]().get_params()])
def test_an_interruption_leaves_a_whole_fit(name, n_lines):
    method, stopped = short(name, random_state=1), short(name, random_state=1)
    if not interrupted(method, name, n_lines):
        pytest.skip("the fit has fewer lines")
    with closing(stopped.iter_fit(iris(), beside(name, iris()))) as steps:
        next(step for step in steps if step.state is not None and step.state.iteration == method.n_iter_)
    np.testing.assert_array_equal(method.embedding_, stopped.embedding_)
    if hasattr(method, "transform"):
        new = load_iris().data[1::20]
        np.testing.assert_array_equal(method.transform(new), stopped.transform(new))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_threads_of_libraries_change_no_bit(name):
    # Of smaller matrices BLAS takes one thread for itself; LL-LVM's have a row for each dimension of each place.
    rng, n = np.random.default_rng(0), 650 if name == "ll-lvm" else 1300
    X = rng.normal(size=(n, 40)) + 5 * rng.integers(0, 3, size=(n, 1))
    found = []
    for n_threads in (1, 2):
        method = short(name, max_iter=2, n_jobs=n_threads)
        with threadpool_limits(n_threads):
            made = [fitted(method, name, X).embedding_]
            made += [method.transform(X[:30] + 0.1)] if hasattr(method, "transform") else []
            made += [method.inverse_transform(method.embedding_[:20])] if hasattr(method, "inverse_transform") else []
        found.append(made)
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(available()[name], "transform")])
def test_nothing_is_placed_before_there_is_a_map(name):
    with pytest.raises(NotFittedError):
        short(name).transform(iris())


@pytest.mark.parametrize("name", NAMES)
def test_rows_that_were_checked_before_make_the_same_map_and_are_not_checked_again(name, monkeypatch):
    X, again, plain = iris(), short(name, random_state=3), short(name, random_state=3)
    fitted(plain, name, X)
    inputs = validation.read_inputs(validation.read_table(X, again, False), X, again)

    def check_array(*args, **kwargs):
        raise AssertionError("rows are checked again")

    with monkeypatch.context() as patched:
        patched.setattr(validation, "check_array", check_array)
        for _ in range(2):
            again.fit(inputs, beside(name, X))
            np.testing.assert_array_equal(again.embedding_, plain.embedding_)
    assert again.n_features_in_ == plain.n_features_in_ == 4
    if hasattr(again, "transform"):
        new = load_iris().data[1::20]
        np.testing.assert_array_equal(again.transform(new), plain.transform(new))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_handed_in_is_not_changed(name):
    X = iris()
    X.flags.writeable = False
    fitted(short(name), name, X)
    np.testing.assert_array_equal(X, load_iris().data[::2])


@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@pytest.mark.parametrize("weights", ["neighbors", "gaussian"])
def test_a_width_is_found_among_copies(weights):
    copies = np.repeat(np.random.default_rng(0).normal(size=(20, 3)), 10, axis=0)
    methods = [available()["laplacian-eigenmaps"](5, weights="gaussian")]
    methods += [available()["elastic-embedding"](5, attraction=weights, max_iter=5)]
    for method in methods:
        assert np.isfinite(method.fit(copies).embedding_).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_of_new_rows_is_placed_as_they_are_alone(name):
    method = short(name)
    if not hasattr(method, "transform"):
        pytest.skip(f"{name} places no new rows")
    fitted(method, name, iris())
    new = load_iris().data[1::20]
    alone = np.vstack([method.transform(row[None]) for row in new])
    np.testing.assert_allclose(method.transform(new), alone, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_fitting_again_forgets_the_first_fit(name):
    method = short(name)
    first = fitted(method, name, iris()).embedding_
    fitted(method, name, np.random.default_rng(0).normal(size=(40, 3)))
    np.testing.assert_array_equal(fitted(method, name, iris()).embedding_, first)
    np.testing.assert_array_equal(fitted(clone(method), name, iris()).embedding_, first)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda X: X.assign(area=["?"] * len(X)), "'area'"),
        (lambda X: X.assign(area=np.where(np.arange(len(X)) == 3, np.nan, 1.0)), "'area'"),
        (lambda X: X.assign(area=np.inf), "'area'"),
        (lambda X: X * 0 + 1, "same"),
        (lambda X: X.rename(columns={"area": 0}), "such as 0. Make all of them strings"),
        (lambda X: X[:1], "Found 1 row"),
    ],
    ids=["text", "missing", "infinite", "all the same", "names", "one row"],
)
def test_bad_input_gets_the_same_sentence_as_in_the_core(name, wrong, says):
    X = pd.DataFrame(iris(), columns=["area", "length", "DNA", "actin"])
    with pytest.raises(ValueError, match=says) as error:
        fitted(short(name), name, wrong(X))
    with pytest.raises(ValueError, match=says) as in_the_core:
        available()["lvm"]().fit(wrong(X))
    if says != "Found 1 row":
        assert str(error.value) == str(in_the_core.value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("parameter", ["n_components", "n_neighbors", "max_iter"])
def test_a_bad_number_is_said_in_a_sentence(name, parameter):
    method = available()[name]()
    if parameter not in method.get_params():
        pytest.skip(f"{name} has no {parameter}")
    with pytest.raises(ValueError, match=parameter):
        fitted(method.set_params(**{parameter: 0}), name, iris())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("parameter", "value"),
    [("callback", 5), ("n_jobs", "2"), ("n_jobs", 0), ("n_jobs", 1.5), ("random_state", 0.5), ("random_state", -1)],
)
def test_what_all_methods_share_is_said_in_a_sentence(name, parameter, value):
    method = short(name)
    if parameter not in method.get_params():
        pytest.skip(f"{name} has no {parameter}")
    with pytest.raises(ValueError, match=f"^{parameter}, .* is {value!r}; it must be "):
        fitted(method.set_params(**{parameter: value}), name, iris())


@pytest.mark.parametrize("name", NAMES)
def test_the_map_is_the_same_of_rows_and_of_columns_in_memory(name):
    by_rows, by_columns = np.ascontiguousarray(iris()), np.asfortranarray(iris())
    made = [fitted(short(name), name, X).embedding_ for X in (by_rows, by_columns, iris()[:, ::-1][:, ::-1])]
    np.testing.assert_array_equal(made[0], made[1])
    np.testing.assert_array_equal(made[0], made[2])


@pytest.mark.parametrize("far", [1e20, 1e150, 1e300])
@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(available()[name], "transform")])
def test_a_new_row_too_far_away_is_named(name, far):
    method = fitted(short(name), name, iris())
    new = iris()[:3]
    new[1, 2] = -far
    with pytest.raises(ValueError, match=r"^Row 1 of the new rows contains 1e\+.* only numbers up to 7\.7, so"):
        method.transform(new)


@pytest.mark.parametrize("name", ["classical-mds", "gradient-mds", "landmark-mds", "elastic-embedding"])
def test_new_rows_are_placed_without_a_search_among_all_rows(name, monkeypatch):
    method = fitted(short(name), name, iris())
    expected = method.transform(iris()[:5] + 0.1)

    def query(self, X_new, k):
        raise AssertionError("all distances have been put in order, which takes longest")

    monkeypatch.setattr(Vectors, "query", query)
    np.testing.assert_array_equal(method.transform(iris()[:5] + 0.1), expected)


def sentinel(value):
    X = np.random.default_rng(0).normal(size=(120, 5))
    X[3, 1] = value
    return X


def extreme():
    X = np.random.default_rng(0).normal(size=(120, 5))
    return {
        "2^31": sentinel(2.0**31),
        "1e15": sentinel(1e15),
        "a fill value": sentinel(9.96921e36),
        "1e150": sentinel(1e150),
        "log-normal": np.exp(5 * X),
        "near copies": np.repeat(X[:12], 10, axis=0) + 1e-9 * X,
        "1e-30": 1e-30 * X,
        "1e-100": 1e-100 * X,
        "squares vanish": 1e-200 * np.repeat(X[:60].round(), 2, axis=0),
        "squares overflow": 1e300 * X,
    }


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("table", extreme())
@pytest.mark.parametrize("name", NAMES)
def test_numbers_far_apart_give_finite_places_and_a_warning_or_a_sentence(name, table):
    X, method = extreme()[table], short(name)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            fitted(method, name, X)
        except ValueError as error:
            assert str(error).endswith(".")  # noqa: PT017
            assert re.search("placeholder|columns|numbers are as large", str(error))  # noqa: PT017
            return
    assert np.isfinite(method.embedding_).all()
    assert method.embedding_.std() > 0
    if table in ("2^31", "1e15", "a fill value", "1e150"):
        assert any("row 3" in str(warning.message) and "column 1" in str(warning.message) for warning in told)


@pytest.mark.parametrize("name", NAMES)
def test_rows_far_from_zero_have_the_map_of_those_near_it(name):
    X = np.random.default_rng(0).normal(size=(75, 4)) * [4, 3, 2, 1]
    near, far = short(name), short(name)
    fitted(near, name, X)
    fitted(far, name, X + np.array([1e9, 0, 0, 0]))
    distances = [pdist(method.embedding_) for method in (near, far)]
    assert spearmanr(*distances)[0] > 0.999


@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@pytest.mark.parametrize("n", [5, 14, 22])
@pytest.mark.parametrize("name", NAMES)
def test_few_rows_get_a_map(name, n):
    X = np.random.default_rng(0).normal(size=(n, 4))
    method = short(name)
    assert np.isfinite(fitted(method, name, X).embedding_).all()
    if "n_neighbors" in method.get_params() and n <= method.n_neighbors:
        with pytest.warns(DataWarning, match=rf"With {n} rows, n_neighbors \(k\) is"):
            fitted(method, name, X)
