"""A method is added by a file of its own, a line in the registry and a part of the page of methods."""

import runpy
from queue import SimpleQueue

import numpy as np
import pandas as pd
import pytest
import toy_method
from methods_page import said, unsaid

from latentmap.display.map_facts import map_facts
from latentmap.jupyter.form import ParameterForm as NotebookForm
from latentmap.jupyter.widgets import close_widgets
from latentmap.methods import METHODS, available, registry
from latentmap.napari_plugin.panel.form import ParameterForm as NapariForm
from latentmap.session import Parameters, Session, load, place, save, write_script
from latentmap.table import CellTable
from latentmap.table.text_numbers import EXACT

NAME = "random-projection"


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """The line in the registry."""
    monkeypatch.setitem(registry._BY_NAME, NAME, toy_method.METHOD)


@pytest.fixture(params=["napari", "notebook"])
def form(request):
    if request.param == "napari":
        form = NapariForm(Parameters())
        request.getfixturevalue("qtbot").addWidget(form.native)
        yield form
    else:
        form = NotebookForm(Parameters())
        yield form
        close_widgets(form)


@pytest.fixture
def calls():
    """What the front end's thread is to do."""
    return SimpleQueue()


@pytest.fixture
def cells():
    values = np.random.default_rng(0).normal(size=(40, 3))
    rows = pd.DataFrame({"label": np.arange(1, 41), **dict(zip(("area", "DNA", "actin"), values.T, strict=True))})
    return CellTable.read(rows, layer="nuclei")


def ended(session, calls):
    """Turn the front end's loop until there is a map; return its run."""
    calls.get(timeout=60)()
    while session.runs.running:
        calls.get(timeout=60)()
    return session.runs.current


@pytest.fixture
def run(calls, cells):
    """A session, and its run by the method."""
    session = Session(calls.put)
    session.parameters.features = ("area", "DNA", "actin")
    session.parameters.method = NAME
    session.parameters.set_of_method("stretch", 2.0)
    run = session.embed(cells)
    assert ended(session, calls) is run
    yield session, run
    session.close()


def test_both_front_ends_offer_it_with_its_parameters(form):
    is_napari = hasattr(form.method, "choices")
    offered = form.method.choices if is_napari else [name for _, name in form.method.options]
    assert list(offered) == list(METHODS) == list(available())
    assert offered[-1] == NAME
    form.method.value = NAME
    assert list(form.fields) == ["n_components", "stretch", "side", "random_state"]
    assert {name: field.value for name, field in form.fields.items()} == {
        "n_components": 2,
        "stretch": 1.0,
        "side": "front",
        "random_state": 0,
    }
    assert form.section.preset is None


def test_what_is_set_in_a_form_reaches_the_method(form):
    form.method.value = NAME
    form.fields["stretch"].value = 3.0
    form.fields["side"].value = "back"
    form.fields["n_components"].value = 3
    made = form._parameters.estimator()
    assert isinstance(made, toy_method.RandomProjection)
    assert (made.stretch, made.side, made.n_components) == (3.0, "back", 3)
    form._parameters.set_of_method("stretch", 4.0)
    assert form.fields["stretch"].value == 4.0


def test_it_makes_a_map_that_is_told_saved_and_made_again(run, calls, tmp_path, monkeypatch):
    session, done = run
    result = done.result
    assert done.name == "1: Random projection"
    expected = toy_method.RandomProjection(stretch=2.0).fit_transform(result.estimator[:-1].transform(result.features))
    np.testing.assert_array_equal(result.embedding, expected)
    told = {fact.name: fact.value for fact in map_facts(result, (), 40)}
    assert (told["Method"], told["Stretch"], told["Side"]) == ("Random projection", "2", "from the front")
    other = Session(calls.put)
    load(save(session, tmp_path / "one.latentmap")).restore(other)
    assert other.parameters == session.parameters
    np.testing.assert_array_equal(other.runs.current.result.embedding, result.embedding)
    path, table, _ = write_script(done, tmp_path / "again.py")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    made = pd.read_csv(tmp_path / f"{table.stem}_map.csv", **EXACT)
    np.testing.assert_array_equal(made[["map_1", "map_2"]].to_numpy(), result.embedding)


def test_new_cells_are_placed_on_its_map_and_live_tuning_makes_it_anew(run, calls, cells):
    session, done = run
    placed = place(done, cells)
    np.testing.assert_allclose(placed.features[["map_1", "map_2"]], done.result.embedding)
    assert any('"Random projection" places no new cells' in note for note in placed.notes)
    session.live.on = True
    session.parameters.set_of_method("stretch", 4.0)
    again = ended(session, calls)
    assert again is not done
    assert again.origin is None
    np.testing.assert_allclose(again.result.embedding, 2 * done.result.embedding)


def test_the_page_of_methods_is_told_to_have_a_part_on_it(pytestconfig):
    page = (pytestconfig.rootpath / "docs" / "methods.md").read_text()
    (missing,) = unsaid(page)
    assert missing == (
        "## `random-projection`\n\nWhen to use it: for a first look at any table. What lies apart on the map does "
        "differ. What lies together may differ too."
    )
    assert unsaid(f"{page}\n{missing}\n\nIt is made up.\n") == []
    assert set(said(f"{page}\n{missing}")) == set(METHODS)
