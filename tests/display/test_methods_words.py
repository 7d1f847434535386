"""What forms and docs say of each method."""

import pytest
from methods_page import said, unsaid

from latentmap.methods import METHODS, available
from latentmap.session import Parameters

# The parameters that no form offers, and why.
HIDDEN = {
    "lvm": {
        "neighbors": "an array; a session keeps those that it has found",
        "ramp": "the presets set it",
        "momentum": "how an ascent gets to the map; learning_rate and max_iter are offered",
        "tol": "of EM alone; max_iter is offered",
        "pair_budget": "time against the exactness of the coarse pairs; n_levels is offered",
        "likelihood_every": "changes no map",
        "device": "of the machine, and of no map",
    },
    "elastic-embedding": {
        "splitting": "ways down the same cost, to compare them",
        "tol": "max_iter is offered",
    },
    "ll-lvm": {
        "beta": "the authors' programs hold it, to make their figures; it is learned",
        "graph": "an array, for scripts",
        "tol": "max_iter is offered",
    },
    "gradient-mds": {"tol": "max_iter is offered"},
    "comparisons": {"tol": "max_iter is offered"},
}
# What a session sets itself, or leaves as it is, for every method that has it.
PLUMBING = {"callback", "n_jobs", "metric_params", "verbose"}


def test_docs_say_when_to_use_each_in_the_same_three_sentences(pytestconfig):
    page = (pytestconfig.rootpath / "docs" / "methods.md").read_text()
    assert unsaid(page) == []
    assert list(said(page)) == list(METHODS) == list(available())
    assert all(words.count(". ") == 2 for words in said(page).values())


def test_fields_are_of_parameters_that_the_method_has():
    for name, method in METHODS.items():
        defaults = available()[name]().get_params(deep=False)
        for parameter, field in method.fields.items():
            value = defaults[parameter]
            words = [word for _, word in (*field.choices, *field.special_values)]
            assert value in words or field.minimum <= value <= field.maximum
            assert field.label
            assert field.about.endswith(".")


@pytest.mark.parametrize("method", available())
def test_every_parameter_is_in_the_form_or_said_to_be_hidden(method):
    defaults = available()[method]().get_params(deep=False)
    offered, hidden = set(METHODS[method].fields), HIDDEN.get(method, {})
    assert not offered & set(hidden)
    assert offered | set(hidden) == set(defaults) - PLUMBING
    assert all(hidden.values())


@pytest.mark.parametrize("method", available())
def test_what_a_form_offers_can_be_set_and_is_taken_by_the_method(method):
    parameters = Parameters(method=method)
    estimator = parameters.estimator()
    for name, field in METHODS[method].fields.items():
        usual = parameters.of_method(name)
        values = [value for _, value in (*field.choices, *field.special_values)]
        for value in [*values, *([] if field.choices or not field.maximum else [type(field.step)(field.minimum)])]:
            parameters.set_of_method(name, value)
            assert parameters.of_method(name) == parameters.estimator().get_params()[name] == value
        parameters.set_of_method(name, usual)
    assert parameters.estimator().get_params() == estimator.get_params()


def test_a_parameter_that_depends_on_another_names_one_of_its_values():
    for method in METHODS.values():
        for field in method.fields.values():
            if field.depends_on:
                values = {value for _, value in method.fields[field.depends_on].choices}
                assert set(field.depends_on_values) < values
