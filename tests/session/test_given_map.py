import numpy as np
import pandas as pd
import pytest

from latentmap.quality import recall_and_trustworthiness
from latentmap.session import LayerSnapshot, fitted_pipeline, load, place, save, script_text
from latentmap.session.given_map import GivenMap
from latentmap.table import CellTable
from latentmap.table.preparing import prepare

NAMES = ("area", "DNA", "actin")


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(80, 3)), columns=list(NAMES))
    rows[["UMAP1", "UMAP2"]] = rows[["area", "DNA"]].to_numpy() * [1.0, 3.0]
    rows.loc[[4, 9], "UMAP2"] = np.nan
    rows.loc[7, "actin"] = np.nan
    return CellTable.read(rows.assign(label=np.arange(1, 81) * 10), layer="cells")


@pytest.fixture
def session(session):
    session.parameters.features, session.parameters.max_iter, session.parameters.n_neighbors = NAMES, 4, 6
    return session


@pytest.fixture
def add(session, loop, table):
    def add(given):
        run = session.add_map(table, given)
        loop.turn(lambda: not session.runs.running, seconds=60)
        if run.error is not None:
            raise run.error
        return run

    return add


def given(table):
    return GivenMap.of(table, ["UMAP1", "UMAP2"], "UMAP")


def test_it_is_a_run_with_the_same_measures_against_the_features_chosen(session, add, table):
    session.parameters.transform = "rank"
    run = add(given(table))
    assert (run.name, run.status, session.runs.current) == ("UMAP (from the table)", "done", run)
    on_map = np.isfinite(table.features["UMAP2"].to_numpy())
    np.testing.assert_array_equal(run.result.embedding, table.features[["UMAP1", "UMAP2"]][on_map])
    assert "2 of 80 cells left out: no position in the columns" in run.result.cells.notes[0]
    # One of the cells on the map lacks a feature: it is drawn, but not measured.
    cells, values = prepare(CellTable(table.features[on_map]), NAMES, session.parameters.preparation)
    known = run.result.cells.features.index.isin(cells.features.index)
    measures = recall_and_trustworthiness(values, run.result.embedding[known], 10, n_samples=77)
    assert tuple(run.result.quality.values()) == measures
    assert run.result.remarks == ("Measured against the 3 features chosen here, without 1 cell that lack one.",)
    assert not run.result.has_variances
    again = add(given(table))
    assert (again.name, len(session.runs)) == ("2: UMAP (from the table)", 2)


def test_cells_are_matched_by_key_and_never_by_row(add, table):
    order = np.random.default_rng(1).permutation(80)
    rows = table.features.iloc[order].reset_index()[["label", "UMAP1", "UMAP2"]]
    rows = pd.concat([rows, pd.DataFrame({"label": [5], "UMAP1": [0.0], "UMAP2": [0.0]})])
    other = CellTable.read(rows, layer="cells")
    run = add(GivenMap.of(other, ["UMAP1", "UMAP2"], "UMAP", "umap.csv"))
    expected = table.features.loc[run.result.cells.features.index, ["UMAP1", "UMAP2"]]
    np.testing.assert_array_equal(run.result.embedding, expected)
    assert run.name == "UMAP (from umap.csv)"
    assert any("1 position of the columns" in note and "is of no cell here" in note for note in run.result.cells.notes)


def test_what_holds_no_map_is_refused_in_a_sentence(add, table):
    strangers = CellTable.read(table.features.reset_index().assign(layer="others"), layer="others")
    with pytest.raises(ValueError, match=r"None of 80 cells has a position in .* matched by layer, frame and label"):
        add(given(strangers))
    with pytest.raises(ValueError, match="All cells have the same position"):
        add(given(CellTable(table.features.assign(UMAP1=1.0, UMAP2=2.0))))
    for columns in (["UMAP1"], ["UMAP1", "UMAP1"], ["UMAP1", "absent"]):
        with pytest.raises(ValueError, match=r"two columns"):
            GivenMap.of(table, columns)


def test_without_features_it_is_shown_and_says_that_it_was_not_measured(session, add, table):
    session.parameters.features = ()
    run = add(given(table))
    assert (len(run.result.embedding), run.result.quality) == (78, {})
    assert "were not measured: No feature is chosen" in run.result.remarks[0]


def test_no_parameters_are_claimed_for_it(session, add, table, tmp_path):
    run = add(given(table))
    with pytest.raises(ValueError, match="made elsewhere, so there is no script"):
        script_text(run)
    with pytest.raises(ValueError, match="made elsewhere, so its method is not here"):
        fitted_pipeline(run)
    assert session.runs.same(table, session.parameters) is None
    record = session.map_table(run).provenance
    assert record["made_elsewhere"] == 'the columns "UMAP1" and "UMAP2" of the table'
    assert not {"method", "model", "seed", "n_iter"} & {*record}
    assert record["quality"] == run.result.quality
    # New cells get the place of those most like them; a cell of the map its own.
    placed = place(run, CellTable(table.features[table.features["actin"].notna()]))
    rows = placed.features.index.get_indexer(run.result.cells.features.index)
    np.testing.assert_allclose(
        placed.features[["map_1", "map_2"]].to_numpy()[rows[rows >= 0]], run.result.embedding[rows >= 0]
    )
    assert any("The map was made elsewhere, so each" in note for note in placed.notes)


def test_it_comes_back_from_a_file(session, add, table, tmp_path, new):
    run = add(given(table))
    layers = (LayerSnapshot("cells", "labels", {}, {}),)
    other = new()
    load(save(session, tmp_path / "maps.latentmap", layers)).restore(other)
    (back,) = other.runs
    assert (back.name, back.made_elsewhere, back.result.made_elsewhere) == (run.name, *[run.made_elsewhere] * 2)
    np.testing.assert_array_equal(back.result.embedding, run.result.embedding)
    assert back.result.quality == run.result.quality


def test_live_tuning_beside_it_begins_a_map_of_our_own(session, add, table, loop):
    run = add(given(table))
    session.live.on = True
    session.parameters.n_neighbors = 5
    loop.turn(lambda: session.runs.current is not run and not session.runs.running, seconds=60)
    own = session.runs.current
    assert (own.made_elsewhere, own.origin, list(session.runs)) == ("", None, [run, own])
