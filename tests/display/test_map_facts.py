"""What is said of how a map was made."""

import numpy as np
import pytest

from latentmap.display.map_facts import map_facts
from latentmap.samples.tissue import tissue
from latentmap.session import Parameters, iter_run


@pytest.fixture(scope="module")
def told():
    """The facts of a run that was stopped, by name."""
    parameters = Parameters(features=("area", "dab_mean"), dof=np.inf, transform="arcsinh", max_iter=50)
    steps = iter_run(tissue().cells, parameters)
    progress = next(steps)
    try:
        while True:
            progress = steps.send(progress.iteration == 3)
    except StopIteration as end:
        result = end.value
    return {fact.name: fact for fact in map_facts(result, ["2 cells left out."], 311)}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Cells", "311"),
        ("Left out", "2 cells left out."),
        ("Features", "2: area, dab_mean"),
        ("k neighbours", "15"),
        ("l levels", "auto (0)"),
        ("Tails (dof)", "Gaussian (∞)"),
        ("c", "5"),
        ("Iterations", "3 of 50"),
        ("Similarity scale", "at least 1"),
        ("Preset", "custom"),
    ],
)
def test_parameters_are_told_as_forms_call_them(told, name, value):
    assert told[name].value == value


def test_what_a_parameter_does_is_told_with_it(told):
    assert "Higher values" in told["k neighbours"].about
    assert "Trustworthiness" not in told  # which was not measured, as the run was stopped
