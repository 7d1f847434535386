"""What every method of the registry promises."""

from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from latentmap.methods import available

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


# Rules by which a new row is placed, of which none puts a row back where the map has it.
_PLACES_ANEW = "a row that the map was made from is placed by the others, itself included, as any new row is"
_TRANSFORMED = ("check_transformer_general", "check_transformer_data_not_an_array")
_KNOWN = {
    "ElasticEmbedding": dict.fromkeys(_TRANSFORMED, _PLACES_ANEW),
    "GradientMDS": dict.fromkeys(_TRANSFORMED, _PLACES_ANEW),
    "Compared": dict.fromkeys(_TRANSFORMED, "a row that comparisons name moves further than its features say"),
}


class Compared(available()["comparisons"]):
    """For scikit-learn's checks, which hand in nothing but classes and numbers to learn from."""

    def iter_fit(self, X, y=None):
        return super().iter_fit(X, beside("comparisons", X))


def checked(name):
    method = short(name, n_neighbors=9)
    return Compared(**method.get_params()) if name == "comparisons" else method


def known(method):
    return _KNOWN.get(type(method).__name__, {})


@pytest.mark.filterwarnings("ignore::latentmap.DataWarning")
@parametrize_with_checks([checked(name) for name in NAMES], expected_failed_checks=known)
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
        (lambda X: X[:1], "Found 1 row"),
    ],
    ids=["text", "missing", "infinite", "all the same", "one row"],
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
