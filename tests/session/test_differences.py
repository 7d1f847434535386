from dataclasses import asdict, replace

from latentmap.session import Parameters
from latentmap.session.differences import run_differences

OLD = Parameters(features=("area", "DNA", "actin"))


def told(**changes):
    return run_differences(asdict(replace(OLD, **changes)), asdict(OLD))


def test_the_same_parameters_differ_in_nothing():
    assert told() == []


def test_every_parameter_that_differs_is_named_in_the_users_words():
    assert told(n_neighbors=30, n_levels=1, solver="em", random_state=3) == [
        "k 30 instead of 15",
        "l 1 instead of auto",
        "solver em instead of ascent",
        "seed 3 instead of 0",
    ]


def test_features_that_came_and_went():
    assert told(features=("DNA", "area", "actin")) == []
    assert told(features=("DNA",)) == ["without area and actin"]
    assert told(features=(*OLD.features, "a", "b", "c", "d", "e")) == ["with a, b, c and 2 more"]
    assert told(features=("a", "b", "c", "d")) == ["with a, b, c and d", "without area, DNA and actin"]


def test_a_parameter_that_only_one_of_them_knows():
    new = asdict(OLD)
    old = {name: value for name, value in new.items() if name != "metric"}
    assert run_differences(new, old) == ["metric euclidean"]


def test_no_group_and_no_batch_have_a_word():
    old, new = {"scale_within": "", "harmony_by": "plate"}, {"scale_within": "plate", "harmony_by": ""}
    said = ["scaled within plate instead of nothing", "Harmony by nothing instead of plate"]
    assert run_differences(new, old) == said
