"""What is offered for the map in view: colours, axes, clusters, comparisons."""

import numpy as np
import pytest

from latentmap.display.comparison_help import comparison_help
from latentmap.presenters.axes import AxesPresenter
from latentmap.presenters.clusters import ClusterPresenter
from latentmap.presenters.colours import ColourPresenter, map_colours
from latentmap.presenters.comparing import ComparisonPresenter
from latentmap.session import VARIANCE, ColourBy, ColourGroups, ColourScale
from latentmap.session.cluster_search import ClusterSearch
from latentmap.session.snapshot import SessionSnapshot
from latentmap.table import CellTable

AREA, CLASS = ColourBy("feature", "area"), ColourBy("class")


@pytest.fixture
def colours(session, view):
    presenter = ColourPresenter(session, view)
    presenter.offer([VARIANCE])
    return presenter


def offered(view):
    names, _ = view.last("offer")
    return [by for _, by in names]


def test_a_map_offers_its_features_as_soon_as_it_is_begun(colours, session, view, cells, calls):
    session.embed(cells)
    assert offered(view) == [VARIANCE]
    calls.until(lambda: session.runs.active.progress is not None)
    assert AREA in offered(view)
    calls.until(lambda: not session.runs.running)
    n_offers = len(view.all("offer"))
    session.runs.rename(session.runs.current, "the same cells")
    assert len(view.all("offer")) == n_offers


def test_a_map_that_was_made_unseen_offers_its_features_too(colours, session, view, embed):
    run = embed()
    session.runs.clear()
    colours.offer([VARIANCE])
    session.runs.restore([run], run, 1)
    assert AREA in offered(view)


def test_what_is_no_longer_offered_gives_way_to_the_variance(colours, session, view):
    colours.offer([VARIANCE, AREA])
    colours.choose(AREA)
    assert session.display_settings.colour_by == view.last("show_chosen") == AREA
    colours.offer([VARIANCE, CLASS, AREA])
    assert session.display_settings.colour_by == AREA
    colours.offer([VARIANCE, CLASS])
    assert session.display_settings.colour_by == VARIANCE
    assert view.last("offer")[1] == VARIANCE


def test_what_a_view_says_while_it_gets_other_choices_is_an_echo(session, view):
    colours = ColourPresenter(session, view)
    view.offer = lambda names, chosen: colours.choose(names[0][1])
    session.display_settings.colour_by = AREA
    colours.offer([VARIANCE, CLASS, AREA])
    assert session.display_settings.colour_by == AREA


def test_what_is_not_offered_is_not_shown_as_chosen(colours, session, view):
    session.display_settings.colour_by = ColourBy("feature", "no such feature")
    assert view.all("show_chosen") == []
    session.display_settings.sized_by_variance = True
    assert view.last("show_ticks") == (True, True)  # sized by variance, names on the map
    colours.size(False)
    assert not session.display_settings.sized_by_variance


def test_a_map_of_cells_without_the_feature_is_coloured_by_the_variance(session, cells):
    few = CellTable(cells.features.iloc[:20])
    numbers, variances = session.cell_index.add(few.features.index), np.linspace(1, 2, 20)
    session.display_settings.colour_by = AREA
    assert map_colours(session, few, numbers, variances).title == "area"
    session.display_settings.colour_by = ColourBy("feature", "no such feature")
    by_variance = map_colours(session, few, numbers, variances)
    assert isinstance(by_variance, ColourScale)
    assert by_variance.title != "no such feature"
    session.classes.assign("T", numbers[:3])
    session.display_settings.colour_by = CLASS
    assert isinstance(map_colours(session, few, numbers, variances), ColourGroups)


def test_the_ends_of_a_scale_are_those_of_the_cells_shown(session, cells):
    table = cells.features.assign(area=np.arange(len(cells.features), dtype=float))
    numbers, variances = session.cell_index.add(table.index), np.geomspace(1, 1e6, len(table))
    session.dropped.drop(numbers[50:])
    for by, values in [(AREA, table["area"].to_numpy()), (VARIANCE, variances)]:
        session.display_settings.colour_by = by
        found = map_colours(session, CellTable(table), numbers, variances)
        alone = map_colours(session, CellTable(table[:50]), numbers[:50], variances[:50])
        assert (found.low, found.high, found.clipped) == (alone.low, alone.high, alone.clipped)
        np.testing.assert_array_equal(found.shares[:50], alone.shares)
        assert values[:50].min() <= found.low < found.high <= values[:50].max()
    session.dropped.drop(numbers)
    assert np.isnan(map_colours(session, CellTable(table), numbers, variances).shares).all()


def test_the_first_class_colours_the_cells_and_the_last_one_takes_that_back(colours, session, view, embed):
    numbers, look = embed().numbers, session.display_settings
    session.classes.assign("T", numbers[:3])
    assert look.colour_by == view.last("show_chosen") == CLASS
    session.classes.assign("B", numbers[3:6])
    session.classes.delete("T")
    assert look.colour_by == CLASS
    session.classes.delete("B")
    assert look.colour_by == view.last("show_chosen") == VARIANCE
    session.classes.assign("T", numbers[:3])
    assert look.colour_by == CLASS


def test_classes_from_before_the_first_map_colour_it(colours, session, view, cells, embed):
    session.classes.assign("T", session.cell_index.add(cells.features.index[:3]))
    embed()
    assert session.display_settings.colour_by == view.last("offer")[1] == CLASS


@pytest.mark.parametrize("by", [AREA, VARIANCE, CLASS])
def test_classes_never_change_colours_that_the_user_has_chosen(colours, session, embed, by):
    numbers = embed().numbers
    colours.choose(AREA)
    colours.choose(by)
    session.classes.assign("T", numbers[:3])
    assert session.display_settings.colour_by == by
    session.classes.delete("T")
    assert session.display_settings.colour_by == by


def test_the_user_may_leave_the_colours_of_the_classes(colours, session, embed):
    numbers = embed().numbers
    session.classes.assign("T", numbers[:3])
    colours.choose(VARIANCE)
    session.classes.assign("B", numbers[3:6])
    for name in ("T", "B"):
        session.classes.delete(name)
    session.classes.assign("T", numbers[:3])
    assert session.display_settings.colour_by == VARIANCE


def test_a_program_that_sets_the_colours_chooses_them(colours, session, embed):
    numbers = embed().numbers
    session.display_settings.colour_by = AREA
    session.classes.assign("T", numbers[:3])
    assert session.display_settings.colour_by == AREA


@pytest.mark.parametrize("by", [VARIANCE, CLASS, AREA])
def test_a_session_opened_keeps_its_colours_whatever_its_classes(colours, session, embed, by):
    session.classes.assign("T", embed().numbers[:3])
    session.display_settings.colour_by = by
    kept = SessionSnapshot.of(session)
    session.classes.restore((), np.empty(0, int), np.empty(0, int))
    kept.restore(session)
    assert session.display_settings.colour_by == by
    session.classes.assign("B", session.runs.current.numbers[:3])
    assert session.display_settings.colour_by == by


def test_without_its_view_nothing_turns_the_colours(colours, session, embed):
    numbers = embed().numbers
    colours.close()
    session.close()
    session.classes.assign("T", numbers[:3])
    assert session.display_settings.colour_by == VARIANCE


def test_a_flat_map_offers_no_axes(session, view, embed):
    axes = AxesPresenter(session, view)
    embed()
    names, chosen, is_offered = view.last("show_axes")
    assert ([axis for _, axis in names], chosen, is_offered) == ([0, 1], (0, 1, -1), False)
    axes.choose(1, 0, -1)
    assert session.display_settings.axes == (0, 1)


def test_the_axes_of_a_map_can_be_chosen(session, view, embed):
    axes = AxesPresenter(session, view)
    embed(n_components=3)
    assert view.last("show_axes")[1:] == ((0, 1, -1), True)
    axes.choose(0, 2, 1)
    assert session.display_settings.axes == (0, 2, 1)
    assert view.last("show_axes")[1] == (0, 2, 1)
    axes.choose(1, 2, -1)
    assert session.display_settings.axes == (1, 2)
    # As lists do that are filled anew.
    view.show_axes = lambda names, chosen, offered: axes.choose(0, 0, 0)
    axes.refresh()
    assert session.display_settings.axes == (1, 2)
    axes.close()


def test_clusters_need_a_map_and_their_method_a_number(session, view, embed, calls, told):
    clusters = ClusterPresenter(session, view, calls.put, told.append)
    clusters.refresh()
    assert view.last("show_clustering") == ("least", False)
    embed()
    assert view.last("show_clustering") == ("least", True)
    clusters.choose("k-means")
    assert view.last("show_clustering") == ("parts", True)
    clusters.find(least=7, parts=3)
    assert clusters.running
    calls.until(lambda: not clusters.running)
    assert session.classes.names == ("cluster 1", "cluster 2", "cluster 3")
    assert "3 clusters" in told[-1]


def test_each_method_gets_the_number_of_its_own_field(session, view, calls, told, monkeypatch):
    started = []
    monkeypatch.setattr(ClusterSearch, "start", lambda self, *given: started.append(given))
    clusters = ClusterPresenter(session, view, calls.put, told.append)
    clusters.find(least=7, parts=3)
    clusters.choose("k-means")
    clusters.find(least=7, parts=3)
    assert started == [("hdbscan", 7), ("k-means", 3)]


def test_a_search_for_clusters_can_be_given_up(session, view, embed, calls, told):
    clusters = ClusterPresenter(session, view, calls.put, told.append)
    embed()
    clusters.find(least=0, parts=2)
    clusters.stop()
    assert not clusters.running
    assert len(told) == 1


def test_comparisons_are_offered_while_the_method_learns_from_them(session, view, cells):
    comparing = ComparisonPresenter(session, view)
    comparing.refresh()
    assert view.last("show_comparing") == (comparison_help(session), False, False, False, False)
    session.parameters.method = "comparisons"
    comparing.switch(True)
    assert view.last("show_comparing")[1:] == (True, True, False, False)
    numbers = session.cell_index.add(cells.features.index[:3])
    session.selection.select(numbers[:1])
    assert view.last("show_comparing")[1:] == (True, True, True, False)
    assert view.last("show_comparing")[0] == comparison_help(session)
    session.selection.select(numbers[1:2])
    session.selection.select(numbers[2:])
    assert view.last("show_comparing")[1:] == (True, True, True, True)
    assert view.last("show_comparing")[0] == comparison_help(session)
    comparing.undo()
    assert session.comparisons.triplets == ()
    session.comparisons.restore([numbers])
    comparing.forget()
    assert session.comparisons.triplets == ()
    session.parameters.method = "isomap"
    assert not session.comparisons.on
    assert view.last("show_comparing")[1:3] == (False, False)
    comparing.close()
    n_drawn = len(view.all("show_comparing"))
    session.parameters.method = "comparisons"
    assert len(view.all("show_comparing")) == n_drawn
