"""The notebook's form for the methods, without a browser."""

import asyncio

import ipywidgets as w
import numpy as np
import pandas as pd
import pytest

from latentmap.display.methods import METHODS
from latentmap.jupyter import explore
from latentmap.jupyter.closing import close_all
from latentmap.jupyter.form import ParameterForm
from latentmap.methods import available
from latentmap.session import Parameters

OTHERS = [name for name in available() if name != "lvm"]


@pytest.fixture
def form():
    form = ParameterForm(Parameters())
    yield form
    close_all(form)


def seen(widget):
    """The widgets within another that are shown, itself included."""
    if widget.layout.display == "none":
        return []
    return [widget, *(part for child in getattr(widget, "children", ()) for part in seen(child))]


@pytest.mark.parametrize("method", OTHERS)
def test_only_its_own_parameters_are_shown(form, method):
    form.method.value = method
    shown = seen(form)
    assert form._parameters.method == method
    assert all(field in shown for field in form.others[method].fields.values())
    assert form.fields["n_steps"] not in shown
    own = available()[method]().get_params(deep=False)
    assert {name: field.value for name, field in form.others[method].fields.items()} == {
        name: own[name] for name in METHODS[method].fields
    }
    form.method.value = "lvm"
    assert form.fields["n_steps"] in seen(form)
    assert form.others[method] not in seen(form)


@pytest.mark.parametrize("method", OTHERS)
def test_what_is_set_reaches_the_method_and_comes_back(form, method):
    form.method.value = method
    parameters = form._parameters
    name = "n_components"
    field = form.others[method].fields[name]
    field.value = 3
    assert parameters.estimator().get_params()[name] == parameters.n_components == 3
    parameters.n_components = 2
    assert field.value == 2
    for name, field in form.others[method].fields.items():
        if isinstance(field, w.Dropdown) and len(field.options) > 1:
            other = next(value for _, value in field.options if value != field.value)
            field.value = other
            assert parameters.estimator().get_params()[name] == other


def test_closing_leaves_no_widget():
    before = set(w.widget._instances)
    form = ParameterForm(Parameters())
    for method in OTHERS:
        form.method.value = method
    close_all(form)
    left = [w.widget._instances[key] for key in set(w.widget._instances) - before]
    assert not [type(widget) for widget in left if isinstance(widget, w.VBox | w.HBox | w.Dropdown)]


def test_comparisons_by_clicks_make_a_map():
    async def main():
        rng = np.random.default_rng(0)
        cells = pd.DataFrame({"label": np.arange(1, 41), **{f"f{at}": rng.normal(size=40) for at in range(4)}})
        shown = explore(cells)
        try:
            section = shown.comparing
            assert section.layout.display == "none"
            shown.form.method.value = "comparisons"
            assert section.layout.display is None
            shown.embed_button.click()
            await _done(shown)
            assert "click three cells" in shown.status.value
            section.on.value = True
            assert "Click a cell" in section.words.value
            numbers = shown.session.register.enter(shown.cells.features.index)
            for cell, words in ((3, "more like"), (5, "less like"), (7, "1 comparison;")):
                shown.selection.choose([numbers[cell]], how="click on the map")
                assert words in section.words.value
            shown.session.parameters.set_of_method("max_iter", 10)
            shown.embed_button.click()
            await _done(shown)
            assert shown.session.runs.current.result.taught.tolist() == [[3, 5, 7]]
            section.forget.click()
            assert shown.session.comparing.triplets == ()
        finally:
            shown.close()

    asyncio.run(main())


async def _done(shown):
    while shown.session.runs.running:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
