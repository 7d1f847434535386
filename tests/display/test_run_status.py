"""What is said of a run that was stopped, or that still shows the map before it."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from latentmap.display.run_status import allowed_iterations, interim_sentence, stopped_sentence
from latentmap.samples.tissue import tissue
from latentmap.session import Parameters, Run, RunProgress, iter_run


@pytest.fixture(scope="module")
def run():
    """A run of four iterations as a session file has it: without progress."""
    cells = tissue().cells
    steps = iter_run(cells, Parameters(features=("area", "dab_mean"), max_iter=4))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return Run("1", cells, end.value.parameters, status="stopped", result=end.value)


def test_a_stopped_run_says_how_far_it_came(run):
    assert allowed_iterations(run) == 4
    assert stopped_sentence(replace(run, result=replace(run.result, n_iter=3))) == "stopped after 3 of 4 iterations"
    assert stopped_sentence(run) == "stopped before recall and trustworthiness were measured"
    assert stopped_sentence(replace(run, status="done")) == ""
    assert stopped_sentence(replace(run, result=None)) == ""


def test_what_a_run_was_allowed_is_what_its_progress_says(run):
    going = replace(run, progress=RunProgress("embed", 3, 100, run.table))
    assert allowed_iterations(going) == 100
    assert stopped_sentence(going) == "stopped after 4 of 100 iterations"


def test_a_method_without_iterations_is_allowed_one(run):
    assert allowed_iterations(replace(run, parameters=MappingProxyType({"method": "classical-mds"}))) == 1


def test_an_interim_map_with_nothing_to_change_goes_on_along_the_links_before(run):
    interim = RunProgress("interim", 3, 100, run.table)
    waiting = replace(run, status="running", result=None, interim=interim)
    said = "The map goes on along the links of the one before, until its own are made."
    assert interim_sentence(waiting) == said
    assert interim_sentence(replace(waiting, interim=None)) == ""
    assert interim_sentence(replace(waiting, interim=interim, result=run.result)) == ""
