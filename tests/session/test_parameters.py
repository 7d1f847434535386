from dataclasses import replace

from latentmap.session import Parameters


def test_a_change_is_told_once_and_a_repetition_not():
    parameters, heard = Parameters(), []
    parameters.events.n_neighbors.connect(lambda new, old: heard.append((new, old)))
    parameters.n_neighbors = 12
    parameters.n_neighbors = 12
    assert heard == [(12, 22)]


def test_a_copy_goes_its_own_way():
    parameters, heard = Parameters(features=("area",)), []
    copy = replace(parameters)
    copy.events.n_steps.connect(heard.append)
    parameters.n_steps = 3
    assert copy == Parameters(features=("area",))
    assert heard == []
