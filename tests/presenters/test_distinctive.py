"""The features that set the selected cells apart from the others on the map."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from latentmap.presenters.distinctive import SHOWN, DistinctivePresenter, _compare, cells_on_map
from latentmap.session import BackgroundJob
from latentmap.session.distinctive_features import feature_differences


@pytest.fixture
def job(calls):
    return BackgroundJob(calls.put)


@pytest.fixture
def presenter(session, view, job):
    return DistinctivePresenter(session.selection, partial(cells_on_map, session), view, job)


@pytest.mark.parametrize(
    ("has_map", "share", "sentence"),
    [(False, 0, "once there is a map"), (True, 0, "Select cells"), (True, 1, "there are no others")],
)
def test_where_nothing_can_be_compared_it_says_why(has_map, share, sentence, presenter, session, view, embed):
    if has_map:
        numbers = embed().numbers
        session.selection.select(numbers[: round(share * len(numbers))])
    presenter.refresh()
    headline, features = view.last("show_distinctive")
    assert sentence in headline
    assert features == []


def test_the_features_that_tell_the_selected_cells_apart_come_first(presenter, session, view, embed, calls, job):
    run = embed()
    areas = run.result.cells.features["area"]
    large = np.flatnonzero(areas > areas.quantile(0.9))
    session.selection.select(run.numbers[large])
    presenter.refresh()
    calls.until(lambda: not job.running)
    headline, features = view.last("show_distinctive")
    assert headline == f"What is special about these {len(large)} of {len(areas)} cells:"
    assert len(features) == SHOWN
    assert "area" in [difference.name for difference, _ in features[:2]]
    assert all(np.isclose(shares.sum(), 1) for _, profile in features for shares in profile)


def test_a_comparison_is_dropped_when_the_selection_is_cleared(presenter, session, view, embed, job):
    session.selection.select(embed().numbers[:9])
    presenter.refresh()
    assert job.running
    session.selection.clear()
    presenter.refresh()
    assert not job.running
    assert view.last("show_distinctive")[1] == []


def test_where_cells_lie_is_not_what_is_special_about_them():
    features = pd.DataFrame({"area": [1.0, 2.0, 3.0, 4.0], "centroid-0": [0.0, 0.0, 9.0, 9.0]})
    found = []

    def keep():
        found.extend((yield from _compare(features, np.ones(4, dtype=bool), np.array([False, False, True, True]))))

    list(keep())
    assert [one.name for one, _ in found] == ["area"]


def test_dropped_cells_are_not_compared(presenter, session, view, embed, calls, job):
    run = embed()
    features = run.result.cells.features
    session.selection.select(run.numbers[:9])
    session.dropped.drop(run.numbers[200:])
    presenter.refresh()
    calls.until(lambda: not job.running)
    headline, found = view.last("show_distinctive")
    assert headline == "What is special about these 9 of 200 cells:"
    assert {one.n_outside for one, _ in found} == {191}
    areas = feature_differences(features[["area"]][:200], np.arange(200) < 9)
    assert [one for one, _ in found if one.name == "area"] in ([], list(areas))


def test_landmarks_are_compared_with_all_cells_that_they_stand_for(presenter, session, view, cells, calls, job):
    run = session.outline(cells)
    calls.until(lambda: not session.runs.running)
    session.selection.select(session.stood_for(run, run.numbers[:3]))
    presenter.refresh()
    calls.until(lambda: not job.running)
    assert view.last("show_distinctive")[0] == (
        f"What is special about these {np.isin(run.result.members, [0, 1, 2]).sum()} of {len(cells.features)} cells:"
    )
