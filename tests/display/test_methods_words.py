"""What forms and docs say of each method."""

import re

from latentmap.display.methods import METHODS
from latentmap.methods import available


def test_every_method_is_told_of_in_the_order_in_which_it_is_offered():
    assert list(METHODS) == list(available())


def test_docs_say_when_to_use_each_in_the_same_three_sentences(pytestconfig):
    page = (pytestconfig.rootpath / "docs" / "methods.md").read_text()
    found = dict(re.findall(r"## `([a-z-]+)`\n\nWhen to use it: (.*?)\n\n", page, flags=re.DOTALL))
    said = {name: " ".join(words.split()).replace("`", "") for name, words in found.items()}
    assert said == {name: method.about[0].lower() + method.about[1:] for name, method in METHODS.items()}
    assert all(words.count(". ") == 2 for words in said.values())


def test_fields_are_of_parameters_that_the_method_has():
    for name, method in METHODS.items():
        defaults = available()[name]().get_params(deep=False)
        for parameter, field in method.fields.items():
            value = defaults[parameter]
            words = [word for _, word in (*field.choices, *field.words)]
            assert value in words or field.least <= value <= field.most
            assert field.label
            assert field.about.endswith(".")
