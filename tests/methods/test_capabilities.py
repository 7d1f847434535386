"""What the registry says that each method can do."""

import pytest

from latentmap.methods import DEFAULT, METHODS
from latentmap.session import Parameters


def those(capability):
    return {name for name, method in METHODS.items() if getattr(method, capability)}


@pytest.mark.parametrize(
    ("capability", "names"),
    [
        ("can_warm_start", {"lvm"}),
        ("restores_maps", {"lvm"}),
        ("is_objective_per_cell", {"lvm"}),
        ("gives_variances_of_new_cells", {"lvm"}),
        ("presets", {"lvm"}),
        ("places_new_cells", set(METHODS) - {"laplacian-eigenmaps", "probdr"}),
    ],
)
def test_who_can_do_what(capability, names):
    assert those(capability) == names


def test_what_each_learns_from():
    learns_from = {name: method.learns_from for name, method in METHODS.items()}
    beside = {"comparisons": "comparisons", "siamese": "classes"}
    assert learns_from == {name: beside.get(name, "features") for name in METHODS}


def test_who_goes_on_from_a_map_can_be_given_all_that_takes():
    for method in METHODS.values():
        if method.can_warm_start:
            assert callable(method.kind.find_neighbors)
            assert {"init", "n_components", *method.warm_start} <= set(method.defaults)
            assert "max_iter" in method.warm_start


def test_a_session_begins_with_the_first():
    assert next(iter(METHODS)) == DEFAULT == Parameters().method


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.presets])
def test_presets_are_of_its_parameters_and_the_first_is_the_default(name):
    method, parameters = METHODS[name], Parameters(method=name)
    assert method.about_presets.endswith(".")
    assert parameters.preset == next(iter(method.presets))
    for preset, values in method.presets.items():
        assert set(values) <= set(method.defaults)
        parameters.take(preset)
        assert parameters.preset == preset
        assert {known: parameters.of_method(known) for known in values} == dict(values)
