"""Where else a cell could lie, as a faint field on the map."""

from dataclasses import replace

import numpy as np
import pytest

from latentmap.presenters.trust.field import field_box, field_picture
from latentmap.presenters.trust.places import PlacesPresenter
from latentmap.presenters.trust.work import Work
from latentmap.quality import other_places

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
CELL = 5


@pytest.fixture
def places(session, view, calls, told):
    work = Work(session, view, calls.put, told.append)
    yield PlacesPresenter(work, view)
    work.close()


@pytest.fixture
def ask(session, places, calls):
    """Ask for the field of a cell of the current map."""

    def asked(row=CELL):
        run = session.runs.current
        session.selection.select(run.numbers[[row]], how="click")
        places.ask()
        calls.until(lambda: not places._work.running)
        return run

    return asked


def likeliest(picture):
    """Where the picture is strongest, as row and column in the square of the map."""
    at = np.array(np.unravel_index(np.argmax(picture.odds), picture.odds.shape))
    return picture.first + at * picture.step


def test_a_field_is_drawn_on_the_map_that_was_asked_until_one_click(session, embed, ask, places, view):
    embed(max_iter=40)
    places.refresh()
    assert view.last("show_field") == (False, False)
    run = ask()
    assert view.last("show_field") == (True, True)
    picture = field_picture(session, run)
    assert picture.odds.min() >= 0
    assert picture.odds.max() == 1
    assert "The stronger the field at a spot, the likelier" in view.last("show_places")[0]
    places.draw(False)
    assert field_picture(session, run) is None
    assert view.last("show_field") == (False, True)
    places.draw(True)  # at once, because it is known
    assert (field_picture(session, run).odds == picture.odds).all()


def test_its_edge_is_no_border_on_the_map(session, embed, ask):
    run = embed(max_iter=40)
    ask()
    picture, field = field_picture(session, run), session.cell_field.of(run)
    edge = np.ones(picture.odds.shape, dtype=bool)
    edge[1:-1, 1:-1] = False
    assert picture.odds[edge].max() == 0
    low, high = field_box(run.result)
    near = np.ix_((field.y >= low[1]) & (field.y <= high[1]), (field.x >= low[0]) & (field.x <= high[0]))
    assert (picture.odds[::-1][near] == field.odds[near]).all()
    assert field.odds[edge].max() > 0.01


@pytest.mark.parametrize("turn", [None, TURN, np.diag([1.0, -1.0])])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
@pytest.mark.parametrize("show_all", [False, True])
def test_it_lies_where_the_points_lie(session, embed, ask, turn, axes, show_all):
    from latentmap.display.unit_square import unit_square

    run = embed(max_iter=40)
    run.result = replace(run.result, turn=turn)
    session.display_settings.axes, session.display_settings.show_all = axes, show_all
    ask()
    result, picture = run.result, field_picture(session, run)
    best = other_places(result.estimator["map"], CELL).positions[:1]
    drawn = best if turn is None else best @ turn
    # The place as a further cell of the map, which lies amid the others.
    layout = unit_square(np.vstack([result.drawn, drawn]), np.ones(len(result.drawn) + 1), axes)
    place = (layout.all_within if show_all else layout.positions)[-1]
    assert np.abs(likeliest(picture) - place).max() < 1.5 * picture.step.max()
    (top, left), (bottom, right) = picture.edges
    inside = layout.positions[:-1][~layout.beyond[:-1]]
    assert top < inside[:, 0].min() or show_all
    assert bottom > inside[:, 0].max() or show_all
    assert left < right


def test_cells_far_out_are_not_in_the_box(session, embed):
    run = embed(max_iter=40)
    far = run.result.embedding.copy()
    far[0] = [1000, 1000]
    box = field_box(replace(run.result, embedding=far))
    assert (box[1] < 1000).all()
    assert (box[0] < box[1]).all()
    assert field_box(replace(run.result, embedding=far[:, :1])) is None


def test_another_cell_another_map_and_no_cell_take_it_away(session, embed, ask, places, view):
    first = embed(max_iter=40)
    ask()
    session.selection.select(first.numbers[[7]], how="click")
    assert field_picture(session, first) is None
    assert view.last("show_field") == (False, False)
    ask(7)
    places.select(0)  # the cells around: the field stays
    assert field_picture(session, first) is not None
    session.selection.clear()
    assert field_picture(session, first) is None
    ask()
    second = embed(n_neighbors=9)
    assert field_picture(session, first) is None
    assert field_picture(session, second) is None
    ask()
    # Other positions of the same run: what was asked of the earlier ones is not drawn.
    second.result = replace(second.result, embedding=second.result.embedding + 0.0)
    assert field_picture(session, second) is None


def test_a_map_with_another_number_of_dimensions_has_places_but_no_field(session, embed, ask, view):
    run = embed(max_iter=20, n_components=3)
    ask()
    assert view.last("show_places")[1]
    assert view.last("show_field") == (False, False)
    assert field_picture(session, run) is None


def test_a_search_that_is_cancelled_draws_nothing(session, embed, places, view):
    run = embed(max_iter=40)
    session.selection.select(run.numbers[[CELL]], how="click")
    places.ask()
    places._work.cancel()
    assert field_picture(session, run) is None
    assert view.last("show_field") == (False, False)
