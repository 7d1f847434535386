"""The notebook's form for the methods, without a browser."""

import asyncio

import ipywidgets as w
import numpy as np
import pandas as pd
import pytest
from holding import before_the_map, hold, with_a_map

from latentmap.display import fields
from latentmap.jupyter import explore
from latentmap.jupyter.form import ParameterForm
from latentmap.jupyter.widgets import close_widgets
from latentmap.methods import METHODS, available
from latentmap.session import Parameters

OTHERS = [name for name in available() if name != "lvm"]


@pytest.fixture
def form():
    form = ParameterForm(Parameters())
    yield form
    close_widgets(form)


def seen(widget):
    """The widgets within another that are shown, itself included."""
    if widget.layout.display == "none":
        return []
    return [widget, *(part for child in getattr(widget, "children", ()) for part in seen(child))]


def test_scaling_within_groups_is_offered_where_there_are_some(form):
    parameters, within = form._parameters, form.scale_within
    assert within not in seen(form)
    form.offer_groups(["layer", "plate"])
    assert within in seen(form)
    assert within.options == (("all cells together", ""), ("each layer", "layer"), ("each plate", "plate"))
    within.value = "plate"
    assert parameters.scale_within == "plate"
    parameters.scale_within = "layer"
    assert within.value == "layer"
    parameters.scaling = "none"
    assert within not in seen(form)
    assert parameters.scale_within == "layer"
    parameters.scaling = "standard"
    assert (within.value, within in seen(form)) == ("layer", True)


@pytest.mark.parametrize("installed", [True, False])
def test_batches_are_offered_once_there_are_principal_components(form, monkeypatch, installed):
    monkeypatch.setattr(fields, "is_installed", lambda: installed)
    parameters, batches = form._parameters, form.harmony_by
    form.offer_groups(["plate", "day"])
    assert batches not in seen(form)
    parameters.n_pca = 5
    assert batches in seen(form)
    assert [value for _, value in batches.options] == ["", "plate", "day"]
    assert any("pip install harmonypy" in word for word, _ in batches.options) != installed
    batches.value = "plate"
    assert parameters.harmony_by == "plate"
    parameters.harmony_by = "day"
    assert batches.value == "day"
    parameters.n_pca = 0
    assert batches not in seen(form)
    assert parameters.harmony_by == "day"


@pytest.mark.parametrize("method", OTHERS)
def test_only_its_own_parameters_are_shown(form, method):
    form.method.value = method
    shown = seen(form)
    assert form._parameters.method == method
    of_method = form._parameters.of_method
    assert {name for name, field in form.sections[method].fields.items() if field in shown} == {
        name for name, field in METHODS[method].fields.items() if field.has_effect(of_method)
    }
    assert form.sections["lvm"].fields["n_steps"] not in shown
    own = available()[method]().get_params(deep=False)
    assert {name: field.value for name, field in form.sections[method].fields.items()} == {
        name: own[name] for name in METHODS[method].fields
    }
    form.method.value = "lvm"
    assert form.fields["n_steps"] in seen(form)
    assert form.sections[method] not in seen(form)


@pytest.mark.parametrize("method", OTHERS)
def test_what_is_set_reaches_the_method_and_comes_back(form, method):
    form.method.value = method
    parameters = form._parameters
    name = "n_components"
    field = form.sections[method].fields[name]
    field.value = 3
    assert parameters.estimator().get_params()[name] == parameters.n_components == 3
    parameters.n_components = 2
    assert field.value == 2
    for name, field in form.sections[method].fields.items():
        if isinstance(field, w.Dropdown) and len(field.options) > 1:
            other = next(value for _, value in field.options if value != field.value)
            field.value = other
            assert parameters.estimator().get_params()[name] == other


@pytest.mark.parametrize(
    ("method", "name", "value", "depending"),
    [
        ("elastic-embedding", "attraction", "neighbors", "width"),
        ("laplacian-eigenmaps", "weights", "gaussian", "width"),
        ("lle", "variant", "standard", "reg"),
    ],
)
def test_what_does_nothing_beside_another_is_not_shown(form, method, name, value, depending):
    form.method.value = method
    fields = form.sections[method].fields
    other = next(other for _, other in fields[name].options if other != value)
    for chosen, is_shown in ((other, False), (value, True), (other, False)):
        fields[name].value = chosen
        assert (fields[depending] in seen(form)) == is_shown


@pytest.mark.parametrize(("name", "value"), [("tied_variances", True), ("vote_power", 3.0), ("connect", "largest")])
def test_what_the_paper_varies_is_under_more(form, name, value):
    field = form.fields[name]
    assert field in seen(form.section.more)
    field.value = value
    assert getattr(form._parameters, name) == form._parameters.model[name] == value
    form.section.preset.value = "clusters"
    assert field.value == getattr(form._parameters, name) != value


def test_levels_are_offered_up_to_the_one_set_and_auto_says_what_it_chose(form):
    parameters, field = form._parameters, form.fields["n_levels"]
    form.show_levels(1)
    assert [word for word, _ in field.list.options] == ["auto (1)", "0", "1", "2", "3"]
    assert parameters.n_levels == field.value == field.list.value == "auto"
    parameters.n_levels = 6
    assert field.value == field.list.value == parameters.n_levels == 6
    assert field.list.options[-1] == ("6", 6)
    field.list.value = 2
    assert parameters.n_levels == 2
    assert [word for word, _ in field.list.options] == ["auto (1)", "0", "1", "2", "3"]
    form.show_levels(None)
    assert field.list.options[0] == ("auto", "auto")
    assert parameters.n_levels == field.value == field.list.value == 2


def test_a_section_made_later_knows_what_auto_chose():
    parameters = Parameters(method="isomap")
    form = ParameterForm(parameters)
    form.show_levels(2)
    parameters.method = "lvm"
    assert form.fields["n_levels"].list.label == "auto (2)"
    close_widgets(form)


def test_closing_leaves_no_widget():
    before = set(w.widget._instances)
    form = ParameterForm(Parameters())
    for method in OTHERS:
        form.method.value = method
    close_widgets(form)
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
            numbers = shown.session.cell_index.add(shown.cells.features.index)
            for cell, words in ((3, "more like"), (5, "less like"), (7, "1 comparison;")):
                shown.selection.select([numbers[cell]], how="click on the map")
                assert words in section.words.value
            shown.session.parameters.set_of_method("max_iter", 10)
            shown.embed_button.click()
            await _done(shown)
            assert shown.session.runs.current.result.supervision.tolist() == [[3, 5, 7]]
            section.forget.click()
            assert shown.session.comparisons.triplets == ()
        finally:
            shown.close()

    asyncio.run(main())


def explored(method, max_iter):
    """A table of 40 cells, with a method chosen that has been told what it needs."""
    rng = np.random.default_rng(0)
    cells = pd.DataFrame({"label": np.arange(1, 41), **{f"f{at}": rng.normal(size=40) for at in range(4)}})
    shown = explore(cells)
    shown.form.method.value = method
    known = available()[method]().get_params()
    for name, value in (("max_iter", max_iter), ("n_neighbors", 8)):
        if name in known:
            shown.session.parameters.set_of_method(name, value)
    numbers = shown.session.cell_index.add(shown.cells.features.index)
    shown.session.comparisons.restore([numbers[[0, 2, 1]], numbers[[3, 5, 4]], numbers[[7, 9, 10]]])
    return shown


@pytest.mark.parametrize("method", available())
def test_each_makes_a_map_by_the_button_and_tells_how_far_it_is(method):
    async def main():
        shown, told = explored(method, 15), []
        try:
            shown.progress.words.observe(lambda change: told.append(change.new), "value")
            shown.embed_button.click()
            assert not shown.cancel_button.disabled
            await _done(shown)
            run = shown.session.runs.current
            assert run.status == "done"
            assert run.result.method == method
            assert len(told) > 1
            assert available()[method].objective_name in shown.progress.words.value
            assert "40 cells on the map" in shown.status.value
        finally:
            shown.close()

    asyncio.run(main())


def test_the_network_learns_from_pictures_of_the_cells():
    async def main():
        labels = np.kron(np.arange(1, 50).reshape(7, 7), np.pad(np.ones((6, 6), int), 1))
        image = np.random.default_rng(0).random(labels.shape)
        shown = explore(images={"DNA": image}, labels=labels, picture_size=8, texture=True)
        try:
            names = [name for name in shown.cells.features if "pixel" in name]
            measured = {name for name in shown.cells.features if not name.startswith("centroid")}
            assert set(shown.session.parameters.features) == measured - {*names} != set()
            shown.session.parameters.features = tuple(names)
            shown.form.method.value = "siamese"
            shown.embed_button.click()
            await _done(shown)
            assert "DNA_contrast" in shown.cells.features
            assert len(names) == shown.estimator["map"].n_features_in_ == 64
            assert "49 cells on the map" in shown.status.value
        finally:
            shown.close()

    asyncio.run(main())


def test_an_image_with_colours_is_measured_as_three_channels():
    async def main():
        labels = np.kron(np.arange(1, 10).reshape(3, 3), np.pad(np.ones((6, 6), int), 1))
        image = np.random.default_rng(0).integers(0, 255, (*labels.shape, 3), dtype=np.uint8)
        shown = explore(images={"tissue": image}, labels=labels, picture_size=4)
        try:
            features = shown.cells.features
            np.testing.assert_allclose(features["tissue_green_mean"].iloc[0], image[..., 1][labels == 1].mean())
            assert len([name for name in features if "pixel" in name]) == 3 * 16
        finally:
            shown.close()

    asyncio.run(main())


def test_columns_that_cannot_shape_a_map_are_told_above_the_form():
    async def main():
        values = np.random.default_rng(0).normal(size=(40, 2))
        table = pd.DataFrame(values, columns=["area", "DNA"]).assign(label=np.arange(1, 41), kind="T", blank=np.nan)
        shown = explore(table)
        try:
            assert "2 of 2 features" in shown._control.about.value
            assert "Not offered, because it does not hold numbers: kind." in shown._control.about.value
            assert "because no cell has a finite number there: blank." in shown._control.about.value
        finally:
            shown.close()

    asyncio.run(main())


@pytest.mark.parametrize("asked", [{"picture_size": 8}, {"texture": True}])
def test_what_is_not_measured_is_not_passed_over(asked):
    table = pd.DataFrame({"label": [1, 2], "area": [1.0, 2.0]})
    with pytest.raises(ValueError, match="say what to measure if there is no table, but all cells have one"):
        explore(table, **asked)


@pytest.mark.parametrize("when", [before_the_map, with_a_map])
@pytest.mark.parametrize("method", available())
def test_each_is_cancelled_by_the_button(monkeypatch, method, when):
    async def main():
        shown = explored(method, 100_000)
        held = hold(monkeypatch, available()[method], when)
        try:
            shown.embed_button.click()
            run = shown.session.runs.active
            while not held.reached.is_set():
                await asyncio.sleep(0.01)
            shown.cancel_button.click()
            held.open.set()
            await _done(shown)
            assert (run.status, run.error, held.n_after) == ("stopped", None, 0)
            assert (run.result is None) == (when is before_the_map)
            assert shown.session.runs.current is (None if when is before_the_map else run)
            assert shown.cancel_button.disabled
            assert shown.pause_button.disabled
            assert not shown.embed_button.disabled
            assert ("40 cells on the map" in shown.status.value) == (when is with_a_map)
        finally:
            held.open.set()
            shown.close()

    asyncio.run(main())


async def _done(shown):
    while shown.session.runs.running:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)


@pytest.mark.parametrize(("n_cells", "n_pca"), [(120, 50), (60, 0)])
def test_a_table_of_genes_is_mapped_by_components(n_cells, n_pca):
    genes = pd.DataFrame(np.random.default_rng(0).normal(size=(n_cells, 501))).add_prefix("gene ")

    async def main():
        shown = explore(genes)
        found = shown.session.parameters.n_pca, shown.form.preparation["n_pca"].value
        shown.close()
        return found

    assert asyncio.run(main()) == (n_pca, n_pca)
