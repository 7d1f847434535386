import subprocess
import sys
from dataclasses import asdict, replace

import pytest

from latentmap import DETAIL, LVM, PAPER
from latentmap.session import Parameters
from latentmap.table import Preparation


def test_a_change_is_told_once_and_a_repetition_not():
    parameters, heard = Parameters(), []
    parameters.events.n_neighbors.connect(lambda new, old: heard.append((new, old)))
    parameters.n_neighbors = 12
    parameters.n_neighbors = 12
    assert heard == [(12, 15)]


def test_a_method_that_is_not_there_is_refused_in_words_before_anything_changes():
    parameters, heard = Parameters(), []
    parameters.events.method.connect(heard.append)
    with pytest.raises(ValueError, match=r'^There is no method "pca": choose one of lvm, '):
        parameters.method = "pca"
    assert parameters.method == "lvm"
    assert not heard
    parameters.method = "lle"
    assert heard == ["lle"]


@pytest.mark.slow
def test_the_parameter_with_the_name_of_a_method_is_told_like_any_other_without_a_warning():
    code = (
        "from latentmap.session import Parameters; parameters = Parameters(); "
        "parameters.events['connect'].connect(lambda new, old: print(old, new)); "
        "parameters.events.connect(lambda event: print(event.signal.name)); "
        "parameters.connect = 'largest'"
    )
    told = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], capture_output=True, text=True)
    assert told.stdout.split() == ["bridge", "largest", "connect"], told.stderr


def test_a_copy_goes_its_own_way():
    parameters, heard = Parameters(features=("area",)), []
    copy = replace(parameters)
    copy.events.n_steps.connect(heard.append)
    parameters.n_steps = 3
    assert copy == Parameters(features=("area",))
    assert heard == []


def test_the_defaults_are_the_estimator_s():
    assert {**LVM().get_params(), **Parameters().model} == LVM().get_params()
    assert Parameters().preparation == Preparation()


@pytest.mark.parametrize(("name", "preset"), [("clusters", {}), ("detail", DETAIL), ("paper", PAPER)])
def test_presets_set_the_model_and_leave_the_data_alone(name, preset):
    parameters = Parameters(
        features=("area",), transform="rank", n_components=3, random_state=7, n_neighbors=3, dof=1.0
    )
    parameters.take(name)
    expected = LVM(**preset, n_components=3, random_state=7).get_params()
    assert LVM(**parameters.model).get_params() == expected
    assert (parameters.features, parameters.transform) == (("area",), "rank")


def test_everything_that_the_user_sets_reaches_the_estimator():
    parameters = Parameters(metric="cosine", dof=3.0, max_iter=7, repulsion=5.0, random_state=3)
    lvm = LVM(**parameters.model)
    assert (lvm.metric, lvm.dof, lvm.max_iter, lvm.repulsion, lvm.random_state) == ("cosine", 3.0, 7, 5.0, 3)


def test_all_of_a_run_s_parameters_are_taken_and_told_one_by_one():
    parameters, heard = Parameters(), []
    parameters.events.connect(lambda event: heard.append(event.signal.name))
    other = Parameters(features=("area",), n_neighbors=9, transform="rank")
    parameters.take_all(asdict(other))
    assert parameters == other
    assert sorted(heard) == ["features", "n_neighbors", "transform"]


def test_of_strange_parameters_none_is_taken():
    parameters = Parameters()
    with pytest.raises(ValueError, match="No parameters of a map: perplexity"):
        parameters.take_all({"n_neighbors": 9, "perplexity": 30})
    assert parameters == Parameters()


@pytest.mark.parametrize(
    ("chosen", "before", "names", "then"),
    [
        ((), (), ("area", "DNA_pixel_00_00"), ("area",)),
        ((), (), ("DNA_pixel_00_00", "DNA_pixel_00_01"), ("DNA_pixel_00_00", "DNA_pixel_00_01")),
        (("area",), ("area",), ("area", "DNA", "DNA_pixel_00_00"), ("area", "DNA")),
        (("area",), ("area", "DNA_pixel_00_00"), ("area", "DNA", "DNA_pixel_00_00"), ("area", "DNA")),
        (("DNA_pixel_00_00",), ("area", "DNA_pixel_00_00"), ("area", "DNA_pixel_00_00"), ("DNA_pixel_00_00",)),
        (("area",), ("area", "DNA"), ("area", "DNA", "DNA_pixel_00_00"), ("area",)),
        ((), (), ("Unnamed: 0", "ImageNumber", "area", "centroid-0", "DNA"), ("area", "DNA")),
        ((), (), ("x", "y"), ("x", "y")),
        (("area",), ("area", "x"), ("area", "x", "DNA"), ("area", "DNA")),
        (("area", "x"), ("area", "x"), ("area", "x", "DNA"), ("area", "x")),
    ],
    ids=[
        *("first", "nothing else", "new", "new features", "chosen", "some"),
        *("numbers", "places alone", "places", "a place chosen"),
    ],
)
def test_pixels_numbers_and_places_are_chosen_by_hand_alone(chosen, before, names, then):
    parameters = Parameters(features=chosen)
    parameters.choose_among(names, before)
    assert parameters.features == then


GENES = tuple(f"gene {i}" for i in range(501))


def test_many_features_are_mapped_by_components_and_few_by_themselves_again():
    parameters = Parameters()
    parameters.choose_among(GENES, n_cells=100)
    assert parameters.n_pca == 50
    parameters.choose_among(("area", "DNA"), GENES, n_cells=100)
    assert (parameters.features, parameters.n_pca) == (("area", "DNA"), 0)


@pytest.mark.parametrize(("names", "n_cells"), [(GENES[:500], 1000), (GENES, 99)])
def test_few_features_or_few_cells_need_no_components(names, n_cells):
    parameters = Parameters()
    parameters.choose_among(names, n_cells=n_cells)
    assert parameters.n_pca == 0


def test_components_that_the_user_set_stay():
    parameters = Parameters(n_pca=20)
    parameters.choose_among(GENES, n_cells=1000)
    assert parameters.n_pca == 20
    parameters.choose_among(("area", "DNA"), GENES, n_cells=1000)
    assert parameters.n_pca == 20
    # Features that were all chosen, by hand set back to no components, stay without when others join them.
    parameters = Parameters(features=GENES, n_pca=0)
    parameters.choose_among((*GENES, "another"), GENES, n_cells=1000)
    assert parameters.n_pca == 0
