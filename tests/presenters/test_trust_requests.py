"""What is asked of a map on request: another map beside it, other places of a cell, and which k to take."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from latentmap.presenters.trust.changes import NO_OTHER, ChangesPresenter
from latentmap.presenters.trust.places import SELECT_ONE, PlacesPresenter, places_sentence
from latentmap.presenters.trust.proposing import ProposalPresenter, candidate_lines, proposal_sentence
from latentmap.presenters.trust.work import Work
from latentmap.quality import Choice, changed_neighbors, other_places
from latentmap.session.proposing import Proposal, iter_proposal, proposable


@pytest.fixture
def work(session, view, calls, told):
    work = Work(session, view, calls.put, told.append)
    yield work
    work.close()


@pytest.fixture
def changes(work, view):
    return ChangesPresenter(work, view)


@pytest.fixture
def places(work, view):
    return PlacesPresenter(work, view)


@pytest.fixture
def proposing(work, view, cells):
    presenter = ProposalPresenter(work, view, lambda: cells)
    yield presenter
    presenter.close()


def test_two_maps_are_compared_and_the_changed_cells_selected(session, embed, changes, view, work, calls, told):
    first = embed()
    assert view.last("show_changes") == (NO_OTHER, [], False)
    second = embed(n_neighbors=30, max_iter=30)
    assert view.last("offer_maps") == ([first.name], 0)
    assert view.last("show_changes") == ("", [], True)
    changes.compare(False)
    calls.until(lambda: not work.running)
    sentence, (finding,), _ = view.last("show_changes")
    assert told[-1] == f"{finding}."
    changed = changed_neighbors(second.result.embedding, first.result.embedding)
    n = int((changed >= 0.5).sum())
    assert finding == f"{n} cells have changed half of their neighbours or more"
    assert sentence.startswith(f"{changed.mean():.0%} of the neighbours of 313 cells differ.")
    assert "against 3 other seeds" in sentence
    changes.select(0)
    assert (session.selection.numbers == np.sort(second.numbers[changed >= 0.5])).all()
    there = np.ones(len(changed), dtype=bool)
    there[np.flatnonzero(changed >= 0.5)[:4]] = False
    session.dropped.drop(second.numbers[~there])
    changes.compare(False)
    calls.until(lambda: not work.running)
    sentence, (finding,), _ = view.last("show_changes")
    assert finding.startswith(f"{n - 4} cells have")
    assert sentence.startswith(f"{changed[there].mean():.0%} of the neighbours of 309 cells differ.")
    # Another current map: nothing is known of that pair.
    session.runs.show(first)
    assert view.last("offer_maps") == ([second.name], 0)
    assert view.last("show_changes") == ("", [], True)
    session.runs.delete(second)
    assert view.last("show_changes") == (NO_OTHER, [], False)


def test_changes_are_held_against_other_seeds_and_cancelled(session, embed, changes, view, work, calls, told):
    first = embed()
    second = embed(n_neighbors=30)
    changes.compare(True)
    work.cancel()
    assert told[-1] == "Stopped: comparing two maps."
    changes.compare(True)
    calls.until(lambda: not work.running)
    sentence, (finding,), _ = view.last("show_changes")
    assert "Another seed changes 0%" in sentence  # up to 1024 rows the map is the same for all seeds
    assert "more than another seed does" in finding
    assert any(share for _, share in view.all("show_work"))
    # Cells moved by hand on a map that is otherwise the same are those that have changed.
    moved = first.result.embedding.copy()
    moved[:3] = moved[:3][::-1] + 50
    first.result = replace(first.result, embedding=moved)
    second.result = replace(second.result, embedding=embedding_of(session, embed))
    session.runs.changed.emit()
    assert view.last("show_changes")[1] == []


def embedding_of(session, embed):
    return embed(n_neighbors=15).result.embedding


def test_too_few_shared_cells_are_named(session, embed, cells, changes, work, calls, told):
    embed()
    few = session.embed(cells.select(np.arange(len(cells.features)) < 12, ""))
    calls.until(lambda: not session.runs.running)
    assert session.runs.current is few
    changes.compare(False)
    calls.until(lambda: not work.running)
    assert "share 12 cells, too few" in told[-1]


def test_other_places_of_the_selected_cell_are_told_with_their_odds(session, embed, places, view, work, calls, told):
    run = embed(max_iter=40)
    places.refresh()
    assert view.last("show_places") == (SELECT_ONE, [], False)
    session.selection.select(run.numbers[[5]], how="click")
    assert view.last("show_places") == ("", [], True)
    places.ask()
    calls.until(lambda: not work.running)
    sentence, findings, _ = view.last("show_places")
    assert sentence.startswith(told[-1])
    found = other_places(run.result.estimator["map"], 5)
    n_others = int((np.sort(found.odds)[:-1] >= 0.05).sum())
    assert len(findings) == 1 + n_others
    # Odds are explained only where there are odds to compare.
    assert findings[0].startswith("where it lies: odds " if n_others else "where it lies")
    assert ("not the odds that it is right" in sentence) == (n_others > 0)
    places.select(0)
    assert len(session.selection.numbers) == 15
    assert view.last("show_places")[1] == findings  # still listed
    session.selection.select(run.numbers[:2], how="lasso")
    assert view.last("show_places") == (SELECT_ONE, [], False)
    run.result = replace(run.result, made_elsewhere="the table")
    places.refresh()
    assert view.last("show_places")[0].startswith("Only the latent variable model")


def test_odds_are_explained_only_where_there_are_other_places():
    assert places_sentence(0, has_field=False) == "The model knows no other place for this cell."
    assert places_sentence(2, has_field=True).startswith("There are 2 other places. The stronger the field")
    assert "not the odds that it is right" in places_sentence(1, has_field=False)


@pytest.mark.slow
def test_k_is_proposed_with_the_score_of_each_candidate(session, proposing, view, work, calls, told):
    proposing.refresh()
    assert view.last("offer_parameters") == (
        [("k", "n_neighbors"), ("s", "n_steps"), ("l", "n_levels"), ("d", "n_components")],
        "n_neighbors",
    )
    proposing.choose("n_steps")
    proposing.propose()
    calls.until(lambda: not work.running)
    sentence, candidates, _ = view.last("show_proposal")
    assert sentence.startswith(told[-1].removesuffix("."))
    assert [line.split(":")[0] for line in candidates] == ["s 1", "s 2", "s 3"]
    assert max(candidates, key=lambda line: float(line.split()[2])).count("█") == 10
    assert sentence.startswith(("Keep s = 2: no other is better", "Try s ="))
    assert "nats above a guess" in sentence
    proposing.take(2)
    assert session.parameters.n_steps == 3
    assert told[-1] == "s is 3 now: press Embed for a map with it."
    # Another method or other features: the scores are of no use.
    session.parameters.features = ("area",)
    assert view.last("show_proposal") == ("", [], True)
    session.parameters.method = "siamese"
    assert view.last("show_proposal")[2] is False


def test_the_present_value_is_a_candidate_and_a_proposal_can_be_closed(session, cells):
    session.parameters.n_neighbors = 12
    steps = iter_proposal(cells, session.parameters, "n_neighbors")
    assert next(steps).what == "Preparing the cells"
    assert 0 <= next(steps).share < 1
    steps.close()
    session.parameters.method = "classical-mds"
    assert set(proposable(session.parameters)) <= {"n_components"}


def proposal(name, scores, now, behind_error=0.5, n_drawn=200):
    """Candidates for a parameter with these scores, the first of which is the simplest."""
    best = max(scores, key=scores.get)
    table = pd.DataFrame(
        {
            name: list(scores),
            "score": list(scores.values()),
            "standard_error": 0.1,
            "behind": [scores[best] - score for score in scores.values()],
            "behind_error": behind_error,
            "principal_components": 1.0,
        }
    )
    choice = Choice(table, {name: best}, {name: min(scores)}, n_folds=4, n_true=15, stopped=False)
    return Proposal(name, now, choice, 200, n_drawn)


def test_the_present_value_is_kept_unless_another_is_clearly_better():
    found = proposal("n_neighbors", {10: 2.0, 15: 2.3}, now=10)
    assert proposal_sentence(found).startswith(
        "Keep k = 10: no other is better by more than a standard error. The best"
    )
    found = proposal("n_neighbors", {10: 2.0, 15: 2.3, 20: 1.0}, now=20)
    assert proposal_sentence(found).startswith("Try k = 10. The best of 3 candidates is k = 15: 2.30 nats above")
    # A word, such as "auto", is not among the candidates.
    assert proposal_sentence(proposal("n_levels", {0: 2.0, 1: 2.3}, now="auto")).startswith("Try l = 0. ")


def test_more_dimensions_are_not_proposed_for_their_score():
    said = proposal_sentence(proposal("n_components", {2: 2.0, 3: 2.9}, now=2))
    assert "choose d by what you want to look at" in said
    assert not said.startswith(("Keep", "Try"))


def test_cells_that_were_drawn_are_counted():
    drawn = proposal_sentence(proposal("n_neighbors", {10: 2.0, 15: 2.3}, now=10, n_drawn=50))
    assert "50 of 200 cells were drawn for it. Click a candidate" in drawn
    assert "drawn" not in proposal_sentence(proposal("n_neighbors", {10: 2.0, 15: 2.3}, now=10))


def test_the_bars_reach_from_the_lowest_score_to_the_highest():
    lines = candidate_lines(proposal("n_neighbors", {10: 2.0, 15: 2.5, 20: 3.0}, now=10))
    assert lines[0] == "k 10: 2.00 ± 0.10  █"
    assert [line.count("█") for line in lines] == [1, 5, 10]
    assert [line.count("█") for line in candidate_lines(proposal("n_steps", {1: 2.0, 2: 2.0}, now=1))] == [1, 1]


def test_without_cells_nothing_is_proposed(session, work, view, cells, told):
    nobody = ProposalPresenter(work, view, lambda: None)
    nobody.propose()
    assert (told[-1], work.running) == ("Open the cells first.", False)
    nobody.close()


def test_cells_that_are_all_dropped_make_no_proposal(session, work, proposing, cells, told):
    session.dropped.drop(session.cell_index.add(cells.features.index))
    proposing.propose()
    assert (told[-1], work.running) == ("All of these cells are dropped: restore some of them.", False)


def test_scores_of_a_parameter_no_longer_chosen_are_not_shown(session, work, proposing, view, calls, monkeypatch):
    def found(*_):
        yield from ()
        return proposal("n_neighbors", {10: 2.0, 15: 2.3}, now=10)

    monkeypatch.setattr("latentmap.presenters.trust.proposing.iter_proposal", found)
    for name, n_shown in (("n_steps", 0), ("n_neighbors", 2)):
        proposing.choose("n_neighbors")
        proposing.propose()
        proposing.choose(name)
        calls.until(lambda: not work.running)
        assert len(view.last("show_proposal")[1]) == n_shown
    before = session.parameters.n_neighbors
    proposing.take(2)  # one more than there are
    assert session.parameters.n_neighbors == before
    proposing.take(0)
    assert session.parameters.n_neighbors == 10
