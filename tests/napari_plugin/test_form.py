import gc
import re
import weakref
from dataclasses import replace

import numpy as np
import pytest
from qtpy.QtCore import QPoint, QPointF, Qt
from qtpy.QtGui import QWheelEvent
from qtpy.QtWidgets import QApplication

from latentmap.methods import METHODS, available
from latentmap.napari_plugin.panel.form import ParameterForm
from latentmap.session import Parameters
from latentmap.session.parameters import COMMON

NAMES = ("area", "DNA", "actin")


@pytest.fixture
def parameters():
    return Parameters()


@pytest.fixture
def form(qtbot, parameters):
    form = ParameterForm(parameters)
    qtbot.addWidget(form.native)
    form.offer(NAMES, 60)
    form.show()
    return form


@pytest.fixture
def field(form):
    """The widget of a parameter, wherever in the form it is."""

    def find(name):
        parts = [vars(form), vars(form.preparation), vars(form.section), form.fields]
        (found,) = [part[name] for part in parts if name in part]
        return found

    return find


VALUES = {
    "transform": "rank",
    "cofactor": 150.0,
    "scaling": "robust",
    "missing": "median",
    "n_pca": 20,
    "n_neighbors": 9,
    "n_steps": 1,
    "n_levels": 2,
    "n_components": 3,
    "metric": "cosine",
    "solver": "em",
    "dof": 3.5,
    "repulsion": 1.0,
    "similarity_scale": 0.5,
    "tied_variances": True,
    "vote_power": 2.0,
    "connect": "largest",
    "max_iter": 400,
    "random_state": 7,
}


def test_parameters_and_widgets_follow_each_other(subtests, parameters, field):
    for name, value in VALUES.items():
        with subtests.test(name):
            widget, first = field(name), getattr(parameters, name)
            assert widget.value == first
            setattr(parameters, name, value)
            assert widget.value == value
            heard = []
            parameters.events[name].connect(lambda new, old, heard=heard: heard.append(new))
            widget.value = first
            assert heard == [getattr(parameters, name)] == [first]
            assert type(getattr(parameters, name)) is type(first)
            assert parameters == Parameters(features=NAMES)


def test_scaling_within_groups_is_offered_where_there_are_some(form, parameters):
    within = form.preparation.scale_within
    assert not within.native.isVisible()
    form.preparation.offer_groups(["layer", "plate"])
    assert within.native.isVisible()
    assert within.choices == ("", "layer", "plate")
    within.value = "plate"
    assert parameters.scale_within == "plate"
    parameters.scale_within = "layer"
    assert within.value == "layer"
    # What a session says stays, also where the cells of now have no such column, and comes back with the scaling.
    form.preparation.offer_groups([])
    assert within.native.isVisible()
    assert (within.value, parameters.scale_within) == ("layer", "layer")
    parameters.scaling = "none"
    assert not within.native.isVisible()
    parameters.scaling = "robust"
    assert (within.value, within.native.isVisible()) == ("layer", True)
    parameters.scale_within = ""
    assert not within.native.isVisible()


def test_the_form_shows_what_the_parameters_are_from_the_start(qtbot):
    parameters = Parameters(**VALUES, features=("DNA",))
    form = ParameterForm(parameters)
    qtbot.addWidget(form.native)
    assert parameters == Parameters(**VALUES, features=("DNA",))
    assert (form.fields["n_levels"].value, form.fields["dof"].value, form.preparation.transform.value) == (
        2,
        3.5,
        "rank",
    )


def test_a_value_beyond_the_range_widens_it(subtests, form, parameters, field):
    for name, value in {
        "n_neighbors": 20_000,
        "n_steps": 500,
        "n_levels": 6,
        "n_components": 80,
        "cofactor": 0.0,
        "n_pca": 5000,
        "dof": 500.0,
        "repulsion": 5000.0,
        "similarity_scale": 20.0,
        "max_iter": 1_000_000,
        "random_state": 2**40,
    }.items():
        with subtests.test(name):
            setattr(parameters, name, value)
            form.reset_choices()
            assert field(name).value == value
            assert getattr(parameters, name) == value


def test_a_value_that_a_field_rounds_stays_as_it_is(form, parameters):
    parameters.repulsion = 1 / 3
    parameters.dof = np.pi
    assert (parameters.repulsion, parameters.dof) == (1 / 3, np.pi)
    assert form.fields["repulsion"].value == pytest.approx(1 / 3, abs=0.01)


def test_a_change_that_another_listener_corrects_settles_at_once(qtbot, parameters):
    def at_most_30(new, old):
        parameters.n_neighbors = min(new, 30)

    parameters.events.n_neighbors.connect(at_most_30)
    form = ParameterForm(parameters)
    qtbot.addWidget(form.native)
    heard = []
    parameters.events.n_neighbors.connect(lambda new, old: heard.append(parameters.n_neighbors))
    form.fields["n_neighbors"].slider.setValue(50)
    assert parameters.n_neighbors == form.fields["n_neighbors"].value == form.fields["n_neighbors"].slider.value() == 30
    assert set(heard) == {30}
    assert len(heard) <= 2


def test_small_numbers_by_the_slider_and_all_numbers_by_the_field(qtbot, form, parameters):
    k = form.fields["n_neighbors"]
    qtbot.keyClick(k.slider, Qt.Key.Key_Right)
    assert parameters.n_neighbors == 16
    k.number.selectAll()
    qtbot.keyClicks(k.number, "1500")
    assert parameters.n_neighbors == 1500
    assert k.slider.value() == k.slider.maximum() == 100
    qtbot.keyClick(k.slider, Qt.Key.Key_Left)
    assert parameters.n_neighbors == k.number.value() == 99


def test_dof_is_auto_infinite_or_a_number(qtbot, form, parameters):
    dof = form.fields["dof"]
    assert not dof.number.isVisibleTo(form.native)
    qtbot.keyClick(dof.kind, Qt.Key.Key_Down)
    assert parameters.dof == "intrinsic"
    assert not dof.number.isVisibleTo(form.native)
    qtbot.keyClick(dof.kind, Qt.Key.Key_Down)
    assert parameters.dof == np.inf
    qtbot.keyClick(dof.kind, Qt.Key.Key_Down)
    assert dof.number.isVisibleTo(form.native)
    assert parameters.dof == 2.0
    dof.number.stepUp()
    assert parameters.dof == 2.5
    parameters.take("paper")
    assert dof.kind.currentText() == "Gaussian (∞)"
    assert not dof.number.isVisibleTo(form.native)


def test_the_preset_is_named_taken_and_left(qtbot, form, parameters):
    assert form.section.preset.value == "clusters"
    qtbot.keyClicks(form.section.preset.native, "p")
    assert (parameters.solver, parameters.n_neighbors, form.fields["n_neighbors"].value) == ("em", 9, 9)
    assert form.section.preset.value == "paper"
    form.fields["n_neighbors"].value = 10
    assert form.section.preset.value == "custom"
    assert parameters.solver == "em"
    parameters.n_neighbors = 9
    assert form.section.preset.value == "paper"
    parameters.n_components, parameters.random_state, parameters.transform = 3, 5, "rank"
    assert form.section.preset.value == "paper"


def test_custom_cannot_be_taken(form, parameters):
    form.section.preset.value = "custom"
    assert parameters == Parameters(features=NAMES)
    assert form.section.preset.value == "clusters"


def test_the_cofactor_is_shown_for_arcsinh_alone(form, parameters):
    cofactor = form.preparation.cofactor.native
    assert not cofactor.isVisible()
    parameters.transform = "arcsinh"
    assert cofactor.isVisible()
    form.preparation.transform.value = "rank"
    assert not cofactor.isVisible()


def test_auto_says_what_it_chose(form, parameters):
    combo = form.fields["n_levels"].native
    form.show_levels(1)
    assert combo.currentText() == "auto (1)"
    form.reset_choices()
    assert [combo.itemText(row) for row in range(combo.count())] == ["auto (1)", "0", "1", "2", "3"]
    assert parameters.n_levels == form.fields["n_levels"].value == "auto"
    parameters.n_levels = 2
    form.show_levels(None)
    assert combo.itemText(0) == "auto"
    assert parameters.n_levels == form.fields["n_levels"].value == 2


def test_a_section_made_later_knows_what_auto_chose(qtbot):
    parameters = Parameters(method="isomap")
    form = ParameterForm(parameters)
    qtbot.addWidget(form.native)
    form.show_levels(2)
    parameters.method = "lvm"
    assert form.fields["n_levels"].native.currentText() == "auto (2)"


def test_more_is_folded_until_it_is_asked_for(qtbot, form):
    more = form.section
    folded = form.native.sizeHint().height()
    assert more.fold.text() == "▸ More"
    qtbot.mouseClick(more.fold.toggleButton(), Qt.MouseButton.LeftButton)
    assert more.fold.text() == "▾ More"
    qtbot.wait_until(lambda: form.native.sizeHint().height() > folded + 100)
    qtbot.mouseClick(more.fold.toggleButton(), Qt.MouseButton.LeftButton)
    qtbot.wait_until(lambda: form.native.sizeHint().height() == folded)


def test_new_features_are_all_chosen(form, parameters):
    assert form.features.value == list(NAMES)
    assert parameters.features == NAMES
    form.offer(["solidity", "extent"], 60)
    assert parameters.features == ("solidity", "extent")


def test_a_choice_of_features_outlasts_another_table(form, parameters):
    form.features.value = ["DNA", "area"]
    assert parameters.features == ("area", "DNA")
    form.offer(["DNA", "solidity", "area"], 60)
    assert parameters.features == ("DNA", "area")
    assert form.features.value == ["DNA", "area"]


def test_where_all_were_chosen_all_are(form, parameters):
    form.offer([*NAMES, "actin_2"], 60)
    assert parameters.features == (*NAMES, "actin_2")


@pytest.mark.parametrize("chosen", [("DNA",), NAMES])
def test_a_choice_of_features_outlasts_that_there_are_none(form, parameters, chosen):
    parameters.features = chosen
    form.offer([], 60)
    assert form.features.value == []
    assert parameters.features == chosen
    form.offer(NAMES, 60)
    assert parameters.features == chosen
    assert form.features.value == list(chosen)


def test_features_restored_before_their_layer_stay_chosen(form, parameters):
    parameters.features = (*NAMES, "solidity")
    assert form.features.value == list(NAMES)
    assert parameters.features == (*NAMES, "solidity")
    form.offer(["area", "DNA", "actin", "solidity", "extent"], 60)
    assert parameters.features == (*NAMES, "solidity")


def test_the_wheel_passes_over_a_field_without_the_focus(qtbot, form, parameters):
    def turn(widget):
        place = QPointF(widget.rect().center())
        event = QWheelEvent(
            place,
            QPointF(widget.mapToGlobal(widget.rect().center())),
            QPoint(0, 0),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(widget, event)

    with qtbot.wait_active(form.native):
        form.native.activateWindow()
    form.features.search.setFocus()
    before = Parameters(features=NAMES)
    for widget in (
        form.fields["n_neighbors"].slider,
        form.fields["n_neighbors"].number,
        form.section.preset.native,
        form.preparation.n_pca.native,
    ):
        turn(widget)
    assert parameters == before
    form.fields["n_neighbors"].number.setFocus()
    qtbot.wait_until(form.fields["n_neighbors"].number.hasFocus)
    turn(form.fields["n_neighbors"].number)
    assert parameters.n_neighbors == before.n_neighbors + 1


def test_every_field_is_explained_in_a_sentence(subtests, field):
    numbers = {"n_neighbors", "n_steps", "n_levels", "n_components", "n_pca", "repulsion", "similarity_scale"}
    for name in (*VALUES, "features", "preset"):
        with subtests.test(name):
            explained = field(name).tooltip
            assert explained.endswith(".")
            if name in numbers:
                assert re.search("Higher values|More dimensions", explained)


def test_parameters_do_not_keep_a_form_alive(qtbot, parameters):
    form = ParameterForm(parameters)
    gone = weakref.ref(form)
    form.close()
    del form
    gc.collect()
    assert gone() is None
    parameters.take("paper")


OTHERS = [name for name in METHODS if name != "lvm"]


class TestOtherMethods:
    def test_every_method_can_be_chosen(self, form):
        assert list(form.method.choices) == list(METHODS) == list(available())

    def test_only_its_own_parameters_are_shown(self, subtests, form, parameters):
        for method in OTHERS:
            with subtests.test(method):
                form.method.value = method
                assert parameters.method == method
                assert not form.sections["lvm"].visible
                section = form.sections[method]
                assert section.visible
                own = available()[method]().get_params(deep=False)
                assert section.fields
                assert set(section.fields) <= set(own)
                form.method.value = "lvm"
                assert [name for name, one in form.sections.items() if one.visible] == ["lvm"]

    def test_its_fields_show_its_defaults_and_set_nothing_else(self, subtests, form, parameters):
        before = replace(parameters)
        for method in OTHERS:
            with subtests.test(method):
                form.method.value = method
                own = available()[method]().get_params(deep=False)
                for name, widget in form.sections[method].fields.items():
                    assert widget.value == own[name]
                parameters.method = "lvm"
                assert parameters == before

    def test_what_is_set_comes_back_when_the_method_does(self, subtests, form, parameters):
        for method in OTHERS:
            with subtests.test(method):
                form.method.value = method
                own = {name: one for name, one in form.sections[method].fields.items() if name not in COMMON}
                numbers = [(name, one) for name, one in own.items() if type(one.value) is int]
                if not numbers:
                    pytest.skip(f"{method} has no whole number of its own")
                name, widget = numbers[0]
                other = widget.value + 1
                widget.value = other
                assert parameters.estimator().get_params()[name] == other
                assert parameters.options == {method: {name: other}}
                form.method.value = "lvm"
                form.method.value = method
                assert widget.value == other
                parameters.set_of_method(name, other - 1)
                assert widget.value == other - 1
                assert parameters.options == {}

    def test_each_is_explained(self, subtests, form, parameters):
        for method in OTHERS:
            with subtests.test(method):
                form.method.value = method
                assert form.method.tooltip.count(". ") == 2
                box = form.method.native
                assert box.itemData(box.currentIndex(), Qt.ItemDataRole.ToolTipRole) == form.method.tooltip
                for field in METHODS[method].fields.values():
                    assert field.label
                    assert field.about.endswith(".")
