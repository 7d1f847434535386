import numpy as np
import pandas as pd
import pytest

from latentmap import LVM
from latentmap.session import load, save
from latentmap.session.alignment import Alignment, describe_turn, turned
from latentmap.session.warm_start import WarmStart
from latentmap.table import CellTable
from latentmap.table.preparing import prepare

NAMES = ("area", "DNA", "actin")


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0, 0], [9, 0, 0], [0, 5, 0], [9, 9, 9]])
    rows = pd.DataFrame(rng.normal(size=(120, 3)) + np.repeat(centres, 30, axis=0), columns=list(NAMES))
    return CellTable.read(rows.assign(label=np.arange(1, 121)), layer="cells")


@pytest.fixture
def session(session):
    session.parameters.features, session.parameters.max_iter = NAMES, 60
    return session


@pytest.fixture
def embed(session, loop):
    def embed(table, only=None, **changes):
        session.parameters.take_all(changes)
        run = session.embed(table, only)
        drawn = []
        loop.turn(lambda: drawn.append(run.turn) or not session.runs.running, seconds=60)
        assert run.error is None
        return run

    return embed


def away(one, other):
    """How far two maps differ, in spreads of the second."""
    one, other = one - one.mean(axis=0), other - other.mean(axis=0)
    return np.linalg.norm(one * other.std() / one.std() - other) / np.linalg.norm(other)


def cell_keys(labels):
    return pd.MultiIndex.from_product([["cells"], [0], labels], names=["layer", "frame", "label"])


@pytest.mark.parametrize("n_common", [5, 20_000])
def test_cells_on_both_maps_say_how_a_map_lies_however_few_of_many_they_are(n_common):
    rng = np.random.default_rng(0)
    before = rng.normal(size=(n_common, 2)) * [3, 1]
    after = rng.normal(size=(20_000, 2))
    common = np.sort(rng.permutation(len(after))[:n_common])
    angle = 2.1
    after[common] = before @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    alignment = Alignment(WarmStart("1", cell_keys(common), before, np.ones(n_common)))
    turn = alignment.turn(cell_keys(np.arange(len(after))), after)
    np.testing.assert_allclose(turned(after[common], turn), before, atol=1e-9)


def test_a_new_map_is_drawn_like_the_one_before_and_keeps_its_own_bits(session, embed, table, loop):
    first = embed(table)
    assert first.turn is None
    assert first.drawn is first.result.embedding
    # The same cells by other features: the principal axes, and with them the map, lie otherwise.
    mirrored = CellTable(table.features.assign(area=-table.features["area"], DNA=-2 * table.features["DNA"]))
    second = embed(mirrored, scaling="none")
    values = prepare(mirrored, NAMES, session.parameters.preparation).values
    np.testing.assert_array_equal(second.result.embedding, LVM(max_iter=60).fit(values).embedding_)
    np.testing.assert_allclose(second.drawn, second.result.embedding @ second.turn)
    assert away(second.drawn, first.drawn) <= away(second.result.embedding, first.drawn)
    # No other turn lies nearer to the map before.
    for angle in np.linspace(0, 2 * np.pi, 60):
        rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        for mirror in (1.0, -1.0):
            other = second.result.embedding @ rotation * [1.0, mirror]
            assert away(second.drawn, first.drawn) <= away(other, first.drawn) + 1e-9
    saved = session.map_table(second)
    np.testing.assert_array_equal(saved.rows[["map_1", "map_2"]], second.result.embedding)
    assert saved.provenance["drawn_turned_by"] == second.turn.tolist()


def test_the_turn_is_kept_in_the_file(session, embed, table, tmp_path, new):
    embed(table)
    second = embed(table, random_state=5, scaling="robust")
    other = new()
    load(save(session, tmp_path / "maps.latentmap")).restore(other)
    np.testing.assert_array_equal(other.runs.current.drawn, second.drawn)


@pytest.mark.parametrize(
    "changes", [{"method": "classical-mds"}, {"method": "isomap"}, {"n_components": 3}, {"n_components": 1}]
)
def test_axes_that_mean_something_and_other_dimensions_are_not_turned(session, embed, table, changes):
    embed(table)
    run = embed(table, **changes)
    assert run.turn is None
    # A map of two axes after it has nothing to lie like, if that one had others.
    again = embed(table, method="lvm", n_components=2, random_state=3)
    assert (again.turn is None) == ("n_components" in changes)


def test_few_common_cells_turn_nothing_and_some_do(session, embed, table):
    embed(CellTable(table.features.iloc[:60]))
    assert embed(CellTable(table.features.iloc[60:])).turn is None
    assert embed(CellTable(table.features.iloc[30:90])).turn.shape == (2, 2)


def test_the_sentence_says_by_how_much():
    quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    point = np.array([[1.0, 0.0]])
    assert turned(point, quarter).tolist() == [[0.0, 1.0]]
    assert describe_turn(quarter).startswith("Drawn turned by 90°, to lie like")
    assert describe_turn(np.diag([-1.0, 1.0])).startswith("Drawn mirrored, to lie like")
    assert describe_turn(None) == describe_turn(np.eye(2)) == ""
