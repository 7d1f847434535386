"""New cells on a finished map: the features go the way of those that the map was made of."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from latentmap.methods import available
from latentmap.session import fitted_pipeline, load, place, save
from latentmap.table import CellTable

N = 60
NAMES = ["area", "DNA", "actin", "tubulin"]
# In units that differ by a factor of a million, as features do.
UNITS = [1000.0, 1.0, 1e-3, 30.0]
SHORT = {"n_neighbors": 8, "max_iter": 15}


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    values = (rng.gamma(3, size=(N, 4)) + 6 * (np.arange(N)[:, None] % 2)) * UNITS
    return pd.DataFrame(values, columns=NAMES).assign(kind="x", label=np.arange(1, N + 1))


def read(rows):
    return CellTable.read(rows, layer="nuclei")


@pytest.fixture
def embed(session, loop):
    def embed(rows, method="lvm", **changes):
        session.parameters.features, session.parameters.method = tuple(NAMES), method
        known = available()[method]().get_params()
        for name, value in SHORT.items():
            if name in known:
                session.parameters.set_of_method(name, value)
        for name, value in changes.items():
            setattr(session.parameters, name, value)
        cells = read(rows)
        numbers = session.cell_index.add(cells.features.index)
        session.comparisons.restore([numbers[[0, 2, 1]], numbers[[3, 5, 4]], numbers[[7, 9, 10]]])
        session.classes.assign("odd", numbers[1::2])
        session.classes.assign("even", numbers[::2])
        run = session.embed(cells)
        loop.turn(lambda: not session.runs.running, 60)
        assert run.error is None
        return run

    return embed


def near(run, places, of=slice(None)):
    """Check that places are those of the map, as far as its size lets one see."""
    np.testing.assert_allclose(places, run.result.embedding[of], rtol=0, atol=1e-6 * run.result.embedding.std())


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"transform": "arcsinh", "cofactor": 3.0, "scaling": "robust", "n_pca": 2},
        {"transform": "rank", "scaling": "none"},
        {"transform": "log1p", "n_pca": 3},
    ],
)
def test_cells_of_the_map_lie_where_they_lie(embed, rows, changes):
    run = embed(rows, **changes)
    near(run, run.result.estimator.transform(rows))
    # Each alone, and with the columns in another order.
    near(run, run.result.estimator.transform(rows[["tubulin", "kind", "actin", "DNA", "area"]].iloc[[7]]), [7])
    near(run, place(run, read(rows)).features[["map_1", "map_2"]])


@pytest.mark.parametrize("method", ["lvm", "laplacian-eigenmaps"])
def test_new_cells_go_the_way_of_their_plate_and_so_does_a_plate_that_is_new(embed, rows, method):
    """A plate seen three times as bright is the same plate, on the map and for cells that come later."""
    plate = np.where(np.arange(N) < N // 2, "A", "B")
    rows = rows.assign(plate=plate)
    rows.loc[plate == "B", NAMES] *= 3
    run = embed(rows, method, scale_within="plate")
    positions = run.result.embedding
    if method == "lvm":
        near(run, run.result.estimator.transform(rows))
        near(run, place(run, read(rows.iloc[40:44])).features[["map_1", "map_2"]], slice(40, 44))
    new = rows[plate == "A"].assign(plate="C")
    new[NAMES] *= 7
    there = place(run, read(new)).features[["map_1", "map_2"]].to_numpy()
    as_before = place(run, read(rows[plate == "A"])).features[["map_1", "map_2"]].to_numpy()
    np.testing.assert_allclose(there, as_before, rtol=0, atol=1e-4 * positions.std())
    with pytest.raises(ValueError, match='does not say which "plate"'):
        place(run, read(new.drop(columns="plate")))


def test_cells_of_a_group_that_the_map_lacks_are_told(embed, rows):
    rows = rows.assign(plate=np.where(np.arange(N) < N // 2, "A", "B"))
    run = embed(rows, scale_within="plate")
    assert place(run, read(rows)).notes == ()
    new = rows[:12].assign(plate=[*"CCCCCDEAAAAA"])
    among, alone = place(run, read(new)).notes
    assert among == "7 cells of 3 plates that the map lacks: scaled among themselves."
    assert alone.startswith("2 cells are each alone in such a plate")
    assert place(run, read(new[5:6])).notes[-1].startswith("1 cell is alone in such a plate, and so average")


@pytest.mark.parametrize("method", list(available()))
def test_new_cells_lie_among_those_like_them_by_every_method(embed, rows, method):
    run = embed(rows, method)
    new = read(rows.assign(**{name: rows[name] * 1.001 for name in NAMES}))
    placed = place(run, new).features
    assert list(placed) == ["map_1", "map_2"] + ["variance"] * (method == "lvm")
    assert placed.index.tolist() == new.keys
    span = np.ptp(run.result.embedding, axis=0).max()
    away = np.linalg.norm(placed[["map_1", "map_2"]] - run.result.embedding, axis=1)
    assert np.median(away) < 0.2 * span


WITHOUT = [name for name, kind in available().items() if not hasattr(kind, "transform")]


@pytest.mark.parametrize("method", WITHOUT)
def test_what_is_learned_is_said_with_how_near_it_comes(embed, rows, method):
    assert method in ("laplacian-eigenmaps", "probdr")
    run = embed(rows, method, transform="rank", n_pca=3)
    placed = place(run, read(rows))
    near(run, placed.features)
    (said,) = placed.notes
    assert said.startswith(f'"{available()[method].title}" places no new cells, so each of these is at the mean place')
    # By hand: 12 of the 60 cells kept back, and put at the mean place of 10 of the others.
    values = run.result.estimator[:-1].transform(rows)
    out, kept = np.split(np.random.default_rng(0).permutation(N), [12])
    away = []
    for row in out:
        way = np.linalg.norm(values[kept] - values[row], axis=1)
        nearest = np.argsort(way)[:10]
        mean = np.average(run.result.embedding[kept][nearest], axis=0, weights=1 / way[nearest])
        away.append(np.linalg.norm(mean - run.result.embedding[row]) / np.ptp(run.result.embedding, axis=0).max())
    assert f"Of 12 cells of the map that were kept back and put so, half are within {np.median(away):.1%} of" in said
    assert f"nine of ten within {np.quantile(away, 0.9):.1%}." in said


def test_of_few_cells_nobody_can_say_how_near_it_comes(embed, rows):
    run = embed(rows.head(30), "laplacian-eigenmaps")
    assert place(run, read(rows.head(3))).notes[0].endswith("How near that comes cannot be told from 30 cells.")


def test_who_has_no_number_is_left_out_and_counted(embed, rows):
    run = embed(rows, transform="log1p")
    new = rows.astype({"area": float})
    new.loc[3, "area"], new.loc[4, "DNA"], new.loc[[5, 6], "actin"] = np.nan, np.inf, -2.0
    placed = place(run, read(new))
    assert placed.notes == (
        "4 of 60 cells left out, because they cannot be placed: no number in area (1); infinite in DNA (1); too "
        "low for the logarithm in actin (2).",
    )
    near(run, placed.features[["map_1", "map_2"]], np.delete(np.arange(N), [3, 4, 5, 6]))
    with pytest.raises(ValueError, match=r"4 of 60 rows cannot be placed: no number in area \(1\)"):
        run.result.estimator.transform(new)
    with pytest.raises(ValueError, match=r"None of 1 cell can be placed on the map: no number in area \(1\)"):
        place(run, read(new.iloc[[3]]))


@pytest.mark.parametrize("missing", ["median", "similar cells"])
def test_gaps_are_filled_from_the_cells_of_the_map(embed, rows, missing):
    rows.loc[[3, 8, 40], "area"] = np.nan
    run = embed(rows, missing=missing)
    near(run, place(run, read(rows)).features[["map_1", "map_2"]])
    alone = place(run, read(rows.iloc[[3]]))
    near(run, alone.features[["map_1", "map_2"]], [3])


def test_a_table_without_a_feature_is_refused_by_its_name(embed, rows):
    run = embed(rows)
    with pytest.raises(ValueError, match='The table has no feature "DNA"'):
        place(run, read(rows.drop(columns="DNA")))
    with pytest.raises(ValueError, match='Not numbers: "DNA"'):
        place(run, read(rows.assign(DNA="much")))
    with pytest.raises(ValueError, match="made of 4 features, but the rows have the shape"):
        run.result.estimator.transform(np.ones((2, 3)))


def test_the_pipeline_fits_anew_to_the_same_map(embed, rows):
    run = embed(rows, transform="rank")
    again = clone(run.result.estimator).fit(rows)
    np.testing.assert_array_equal(again["map"].embedding_, run.result.embedding)
    assert list(again.get_feature_names_out()) == ["lvm0", "lvm1"]


@pytest.mark.parametrize("method", list(available()))
def test_a_map_from_a_file_places_new_cells_as_before(session, embed, rows, loop, tmp_path, method, new):
    run, others = embed(rows, method), read(rows.assign(area=rows["area"] * 1.1))
    opened = new()
    load(save(session, tmp_path / "one.latentmap")).restore(opened)
    again = opened.runs.current
    before, after = place(run, others).features, place(again, others).features
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-9 * run.result.embedding.std())
    if method not in WITHOUT:
        assert fitted_pipeline(again) is again.result.estimator


def test_a_map_from_a_file_that_was_stopped_or_went_on_from_another(session, embed, rows, loop, tmp_path, new):
    session.live.on = True
    embed(rows, max_iter=40)
    session.parameters.repulsion = 5.0
    loop.turn(lambda: session.runs.current is not None and session.runs.current.origin is not None, 60)
    warm = session.runs.current
    opened = new()
    load(save(session, tmp_path / "one.latentmap")).restore(opened)
    others = read(rows.assign(area=rows["area"] * 1.1))
    np.testing.assert_array_equal(place(opened.runs.current, others).features, place(warm, others).features)


def test_a_map_from_a_file_that_becomes_another_is_not_placed_on(session, embed, rows, loop, tmp_path, new):
    embed(rows, "isomap")
    opened = new()
    load(save(session, tmp_path / "one.latentmap")).restore(opened)
    opened.runs.current.result.embedding[3] += 1
    with pytest.raises(ValueError, match="recomputed here it is different"):
        place(opened.runs.current, read(rows))
