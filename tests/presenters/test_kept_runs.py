"""What the user can do with the maps that are kept."""

import pytest

from latentmap.presenters.kept_runs import KeptRunsPresenter


@pytest.fixture
def there():
    return ["area", "dab_mean"]


@pytest.fixture
def presenter(session, there, told):
    return KeptRunsPresenter(session.runs, session.parameters, lambda: there, told.append)


def test_the_parameters_of_a_map_can_be_used_again(presenter, session, embed, there, told):
    run = embed(n_neighbors=9)
    session.parameters.n_neighbors, session.parameters.features = 20, ("area",)
    presenter.use(run)
    assert (session.parameters.n_neighbors, session.parameters.features) == (9, ("area", "dab_mean"))
    assert told == [f'The parameters are those of "{run.name}".']
    there.remove("area")
    presenter.use(run)
    assert session.parameters.features == ("dab_mean",)
    assert told[-1].endswith("because these cells do not have them: area.")


def test_a_map_is_renamed_if_that_is_a_name(presenter, embed, told):
    run = embed()
    assert presenter.rename(run, " the best ")
    assert run.name == "the best"
    assert not presenter.rename(run, " ")
    assert run.name == "the best"
    assert "needs a name" in told[-1]


def test_a_map_is_deleted(presenter, session, embed, told):
    run = embed()
    presenter.delete(run)
    assert (len(session.runs), session.runs.current) == (0, None)
    assert told == [f'Deleted the map "{run.name}".']
