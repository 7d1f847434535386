"""How much of each neighbourhood stays when the map is made again."""

import numpy as np
import pytest

from latentmap.presenters.colours import ColourPresenter, map_colours
from latentmap.presenters.trust.stability import StabilityPresenter
from latentmap.presenters.trust.work import Work
from latentmap.quality import neighbor_stability
from latentmap.session import STABILITY, VARIANCE


@pytest.fixture
def stability(session, view, calls, told):
    work = Work(session, view, calls.put, told.append)
    yield StabilityPresenter(work, view)
    work.close()


@pytest.fixture
def colours(session, view):
    presenter = ColourPresenter(session, view)
    yield presenter
    presenter.close()


def test_maps_are_made_and_unstable_cells_are_told_selected_and_coloured(
    session, embed, stability, colours, view, calls, told
):
    stability.refresh()
    assert view.last("show_stability") == ("", [], False, False)
    run = embed()
    assert view.last("show_stability") == ("", [], True, False)
    assert STABILITY not in [by for _, by in view.last("offer")[0]]
    stability.make(True)
    calls.until(lambda: not stability._work.running)
    found = run.result.stability
    values = run.result.estimator[:-1].transform(run.result.cells.features)
    again = neighbor_stability(run.result.estimator["map"], np.asarray(values), leave_out=True)
    assert (found.kept == again).all()
    sentence, findings, can_make, can_colour = view.last("show_stability")
    assert f"{found.kept.mean():.0%} are among its nearest on another" in sentence
    assert "5 maps with other seeds, each without another fifth of the cells" in sentence
    assert can_make
    assert can_colour
    unstable = run.numbers[found.kept < 0.5]
    n_stable = len(run.numbers) - len(unstable)
    assert findings[0] == f"{n_stable} cells are stable: they keep half or more of their neighbours"
    assert findings[1].startswith(f"{len(unstable)} cell")
    assert told[-1] == f"5 maps made: {n_stable} cells stable, {len(unstable)} unstable."
    stability.select(0)
    assert (session.selection.numbers == np.sort(run.numbers[found.kept >= 0.5])).all()
    stability.select(1)
    assert (session.selection.numbers == np.sort(unstable)).all()
    assert STABILITY in [by for _, by in view.last("offer")[0]]
    stability.colour()
    assert session.display_settings.colour_by == STABILITY
    shown = map_colours(session, run.result.cells, run.numbers, run.result.variances)
    assert (shown.low, shown.high) == (0, 1)
    assert (shown.shares == found.kept).all()
    assert (run.result.rows()["neighbor_stability"] == found.kept).all()
    # A new map does not know it: its points are coloured by variance.
    embed(n_neighbors=9)
    assert view.last("show_stability")[:2] == ("", [])
    assert session.display_settings.colour_by == VARIANCE
    session.runs.show(run)
    assert view.last("show_stability")[1] == findings
    session.dropped.drop(run.numbers[found.kept >= 0.5][:3])
    assert view.last("show_stability")[1][0].startswith(f"{n_stable - 3} cells")
    session.dropped.drop(run.numbers[found.kept >= 0.5])
    assert f"{found.kept[found.kept < 0.5].mean():.0%} are among" in view.last("show_stability")[0]


def test_what_says_nothing_is_told_and_not_kept(session, embed, stability, calls, told):
    run = embed()
    stability.make(False)  # up to 1024 cells the map is the same for every seed
    calls.until(lambda: not stability._work.running)
    assert "let each map leave out a fifth" in told[-1]
    assert run.result.stability is None
    stability.colour()
    assert session.display_settings.colour_by == VARIANCE


def test_a_method_without_a_seed_says_so(session, embed, stability, calls, told):
    embed(method="classical-mds")
    stability.make(True)
    calls.until(lambda: not stability._work.running)
    assert "has no seed" in told[-1]


def test_maps_that_are_cancelled_leave_nothing(session, embed, stability, told):
    run = embed()
    stability.make(True)
    stability._work.cancel()
    assert told[-1] == "Stopped: making maps with other seeds."
    assert run.result.stability is None
