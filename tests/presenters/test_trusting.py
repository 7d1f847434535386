"""The tab "Trust": what of a map not to believe."""

from dataclasses import replace

import numpy as np
import pytest

from latentmap.presenters.colours import hollow_cells, map_colours
from latentmap.presenters.counts import CLASS
from latentmap.presenters.track_lines import TrackLines
from latentmap.presenters.trust.checking import CheckPresenter
from latentmap.presenters.trust.contacts import CLUSTERS, ContactPresenter, contact_sentence
from latentmap.presenters.trust.lines import LinesPresenter
from latentmap.presenters.trust.words import MAKING, NO_MAP, check_sentence, lost_sentence
from latentmap.presenters.trust.work import Work
from latentmap.session import LOST, VARIANCE, MapCheck


@pytest.fixture
def work(session, view, calls, told):
    work = Work(session, view, calls.put, told.append)
    yield work
    work.close()


@pytest.fixture
def checking(work, view):
    presenter = CheckPresenter(work, view)
    yield presenter
    presenter.close()


@pytest.fixture
def contacts(work, view):
    return ContactPresenter(work, view)


def check_of(is_sure, null=0.4):
    return MapCheck(np.where(is_sure, 0.001, 0.8), is_sure, 0.9, null, 0.05)


def learn(session, run, **found):
    """Give a map what a search would have found."""
    run.result = replace(run.result, **found)
    session.runs.checked.emit(run)


def test_without_a_map_nothing_can_be_pressed(checking, contacts, view):
    checking.refresh()
    contacts.refresh()
    checking.check()
    contacts.look()
    assert view.last("show_lost") == (NO_MAP, [], False)
    assert view.last("show_check") == ([], NO_MAP, False, False)
    assert view.last("show_contacts") == (NO_MAP, [], False)
    assert not view.all("show_work")


def test_while_the_first_map_is_being_made_the_user_is_not_told_to_press_embed(
    session, cells, checking, contacts, view, calls
):
    session.embed(cells)
    assert view.last("show_lost") == (MAKING, [], False)
    assert view.last("show_check")[1] == MAKING
    assert view.last("show_contacts")[0] == MAKING
    session.runs.drop()
    assert view.last("show_lost") == (NO_MAP, [], False)
    assert view.last("show_contacts") == (NO_MAP, [], False)


def test_lost_neighbours_are_told_and_coloured_by(session, embed, checking, view):
    run = embed()
    assert f"lost {run.result.lost_neighbors.mean():.0%} on average" in view.last("show_lost")[0]
    checking.colour()
    assert session.display_settings.colour_by == LOST
    shown = map_colours(session, run.result.cells, run.numbers, run.result.variances)
    assert (shown.shares == run.result.lost_neighbors).all()


def test_a_map_that_does_not_know_them_has_them_counted(session, embed, checking, view, work, calls):
    run = embed()
    expected = run.result.lost_neighbors
    learn(session, run, lost_neighbors=None, neighbors=None)
    assert "have not been counted" in view.last("show_lost")[0]
    shown = map_colours(session, run.result.cells, run.numbers, run.result.variances)
    assert shown.title == "variance (σ²)"
    checking.colour()
    calls.until(lambda: not work.running)
    assert (run.result.lost_neighbors == expected).all()
    assert "on average" in view.last("show_lost")[0]


def test_a_check_names_sure_and_doubtful_cells_and_clicks_select_them(
    session, embed, checking, view, work, calls, told
):
    run = embed()
    checking.check()
    calls.until(lambda: not work.running)
    is_sure = run.result.check.is_sure
    numbers, sentence, can_check, can_hollow = view.last("show_check")
    n_sure, n_doubtful = int(is_sure.sum()), int((~is_sure).sum())
    assert numbers == [f"{n_sure} cells sure", f"{n_doubtful} doubtful"]
    assert can_check
    assert can_hollow
    assert sentence == check_sentence(run.result.check)
    assert told[-1] == f"{run.name}: {numbers[0]} and {numbers[1]}."
    assert view.last("show_work") == ("", None)
    assert any(share for _, share in view.all("show_work"))
    checking.select(1)
    assert (session.selection.numbers == run.numbers[~is_sure]).all()
    assert session.selection.story[-1].how == f'doubtful cells of "{run.name}"'
    session.dropped.drop(run.numbers[~is_sure][:1])
    assert view.last("show_check")[0][1] == f"{n_doubtful - 1} doubtful"
    assert hollow_cells(session, run) is None
    checking.draw_hollow(True)
    assert view.last("show_hollow") is True
    assert (hollow_cells(session, run) == ~is_sure).all()


def test_numbers_are_read_in_groups_of_three(session, embed, checking, view):
    run = embed()
    run.numbers = np.resize(run.numbers, 3000)
    learn(session, run, check=check_of(np.arange(3000) < 2870), lost_neighbors=np.zeros(3000))
    assert view.last("show_check")[0] == ["2\u202f870 cells sure", "130 doubtful"]


def test_a_check_that_is_cancelled_keeps_nothing(session, embed, checking, view, work, told):
    run = embed()
    checking.check()
    assert work.running
    work.cancel()
    assert not work.running
    assert run.result.check is None
    assert view.last("show_work") == ("", None)
    assert told[-1] == "Stopped: checking the map."


def test_a_new_map_is_not_checked_though_the_one_before_was(session, embed, checking, view):
    run = embed()
    learn(session, run, check=check_of(np.ones(len(run.numbers), dtype=bool)))
    other = embed(n_neighbors=9)
    assert view.last("show_check")[0] == []
    session.runs.show(run)
    assert view.last("show_check")[0] == [f"{len(run.numbers)} cells sure", "0 doubtful"]
    session.runs.delete(other)
    session.runs.delete(run)
    assert view.last("show_check")[1] == NO_MAP


def test_the_words_on_a_check_say_where_it_cannot_tell():
    few, many = np.arange(100) < 2, np.arange(100) < 60
    assert "cannot tell" in check_sentence(check_of(few, null=0.88))
    assert "does not mean that the cells are misplaced" in check_sentence(check_of(few, null=0.88))
    assert "little more than a map of noise" in check_sentence(check_of(few, null=0.6))
    assert "At most 5% of the sure cells" in check_sentence(check_of(many))
    assert "mapped nearly as well" not in check_sentence(check_of(many))
    assert "mapped nearly as well" in check_sentence(check_of(many, null=0.8))


def test_the_words_on_lost_neighbours_count_cells_without_features(embed):
    result = embed().result
    lost = np.full(len(result.embedding), 0.25)
    lost[:3] = 0.9, np.nan, 0.25
    said = lost_sentence(replace(result, lost_neighbors=lost))
    assert said.endswith("1 cell left out: it lacks a feature.")
    dropped = np.arange(len(lost)) < 2
    assert lost_sentence(replace(result, lost_neighbors=lost), dropped).endswith("has lost 25% on average.")
    assert lost_sentence(replace(result, lost_neighbors=np.full(3, np.nan))).startswith("No cell has a value for every")
    assert "landmark" not in lost_sentence(result)
    assert f"cells are its {len(result.embedding)} landmarks" in lost_sentence(replace(result, members=np.arange(400)))


def test_cells_that_lost_most_of_their_neighbours_are_selected_by_a_click(session, embed, checking, view):
    run = embed()
    lost = np.where(np.arange(len(run.numbers)) < 9, 0.8, 0.25)
    lost[0] = np.nan
    learn(session, run, lost_neighbors=lost)
    (text,) = view.last("show_lost")[1]
    assert text == "8 cells have lost 80% or more: those around them on the map are not those most like them"
    checking.select_lost(0)
    assert (session.selection.numbers == np.sort(run.numbers[1:9])).all()
    assert session.selection.story[-1].how == f'cells of "{run.name}" that have lost 80% of their neighbours or more'
    session.dropped.drop(run.numbers[1:8])
    (text,) = view.last("show_lost")[1]
    assert text == "1 cell has lost 80% or more: those around it on the map are not those most like it"
    learn(session, run, lost_neighbors=np.full(len(lost), 0.25))
    assert view.last("show_lost")[1] == []
    checking.select_lost(0)  # there is none


def test_a_check_says_how_lost_and_doubtful_cells_differ(session, embed, checking, view):
    run = embed()
    n = len(run.numbers)
    lost = np.where(np.arange(n) < 9, 0.9, 0.25)
    learn(session, run, lost_neighbors=lost, check=check_of(np.arange(n) >= 4))
    said = view.last("show_check")[1]
    assert said.startswith(check_sentence(run.result.check))
    assert said.endswith("Of 9 cells that lost 80% or more, 4 are doubtful.")
    session.dropped.drop(run.numbers[:3])
    assert view.last("show_check")[1].endswith("Of 6 cells that lost 80% or more, 1 is doubtful.")
    # Nobody is told how cells differ where the check cannot tell, or where no cell has lost so many.
    learn(session, run, check=check_of(np.arange(n) >= n - 2))
    assert view.last("show_check")[1] == check_sentence(run.result.check)
    learn(session, run, lost_neighbors=np.zeros(n), check=check_of(np.arange(n) >= 4))
    assert view.last("show_check")[1] == check_sentence(run.result.check)


def test_groups_are_classes_or_else_clusters_and_findings_select_cells(
    session, embed, contacts, view, work, calls, cells, told
):
    run = embed()
    assert contacts.groups == CLUSTERS
    # Halves of the table that the map cannot know.
    order = np.argsort(run.result.embedding[:, 0])
    left = run.numbers[order[: len(order) // 2]]
    session.classes.assign("left", left)
    session.classes.assign("right", np.setdiff1d(run.numbers, left))
    assert contacts.groups == CLASS
    assert view.last("offer_groups")[1] == CLASS
    assert "layer" not in [by.kind for _, by in view.last("offer_groups")[0]]  # a single image is no group
    # Torn by hand: the right half moves away.
    positions = run.result.embedding.copy()
    positions[np.isin(run.numbers, left)] -= 100
    run.result = replace(run.result, embedding=positions)
    contacts.look()
    calls.until(lambda: not work.running)
    sentence, findings, can_look = view.last("show_contacts")
    assert can_look
    assert findings[0].startswith("left and right touch in the data but not on the map")
    assert "at most 5% of such findings" in sentence.lower()
    assert told[-1] == f"Torn and joined groups: {len(findings)} findings among 2 groups."
    contacts.select(0)
    assert 0 < len(session.selection.numbers) < len(run.numbers)
    assert session.selection.story[-1].how == 'cells where "left" and "right" are torn on the map'
    # Other groups: what was found of these is gone.
    session.classes.assign("more", left[:5])
    assert view.last("show_contacts")[:2] == ("", [])
    session.runs.delete(run)
    assert view.last("show_contacts") == (NO_MAP, [], False)


def test_clusters_of_the_map_have_no_error_rate(session, embed, contacts, view, work, calls):
    embed(max_iter=60)
    contacts.look()
    calls.until(lambda: not work.running)
    sentence, findings, _ = view.last("show_contacts")
    assert not findings or "no error rate can be given" in sentence
    contacts.choose(CLASS)  # there are none
    assert contacts.groups == CLUSTERS


def test_one_group_in_one_piece_is_nothing_to_compare(embed):
    from latentmap.quality import group_contacts

    result = embed().result
    found = group_contacts(result.neighbors, np.random.default_rng(0).normal(size=result.embedding.shape), ["a"] * 313)
    assert contact_sentence(found, CLASS).startswith(("There is only one group", "Nothing is torn"))


def test_lines_lead_to_the_true_neighbours_of_the_cell_under_the_mouse(session, embed, view, work, calls):
    run = embed()
    lines, presenter = TrackLines(session), LinesPresenter(work, view)
    lines.point_at(int(run.numbers[7]))
    assert not len(lines.of_run(run).path)
    presenter.draw(True)
    assert view.last("show_lines") is True
    assert lines.of_run(run).path.tolist() == [[7, near] for near in run.result.neighbors[7]]
    session.dropped.drop(run.numbers[run.result.neighbors[7][:3]])
    assert len(lines.of_run(run).path) == run.result.neighbors.shape[1] - 3
    lines.point_at(None)
    assert not len(lines.of_run(run).path)
    # A map from a file has them found.
    learn(session, run, neighbors=None)
    presenter.refresh()
    calls.until(lambda: not work.running)
    assert run.result.neighbors is not None
    presenter.close()
    lines.close()


def test_errors_are_told(embed, checking, work, calls, told, view):
    run = embed()
    run.result = replace(run.result, made_elsewhere="the table", estimator=None)
    checking.refresh()
    assert view.last("show_check")[2] is False
    checking.check()
    calls.until(lambda: not work.running)
    assert "made elsewhere" in told[-1]
    assert VARIANCE != LOST
