import sys
from concurrent.futures import ThreadPoolExecutor
from subprocess import run as start

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist

from latentmap import LVM, WARM, DataWarning
from latentmap.methods import available
from latentmap.session import Parameters, iter_run
from latentmap.session.neighbor_cache import NeighborCache
from latentmap.session.supervision import TripletSupervision
from latentmap.session.warm_start import WarmStart
from latentmap.table import CellTable, prepare

LABELS = [3, 7, 1000, *range(1001, 1058)]


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(60, 3)) + 6 * (np.arange(60) % 2)[:, None]
    return pd.DataFrame(features, columns=["area", "DNA", "actin"]).assign(label=LABELS)


@pytest.fixture
def parameters():
    return Parameters(n_neighbors=6, features=("area", "DNA", "actin"))


def drive(steps, stop_at=None):
    """Drive a run to its end; return all progress and the result."""
    seen, answer = [], None
    while True:
        try:
            seen.append(steps.send(answer))
        except StopIteration as end:
            return seen, end.value
        answer = (stop_at is not None and seen[-1].iteration == stop_at) or None


def test_a_run_tells_its_stages_and_ends_in_a_result(rows, parameters):
    cells = CellTable.read(rows, layer="nuclei")
    seen, result = drive(iter_run(cells, parameters))
    assert seen[0].stage == "neighbours"
    assert seen[0].state is None
    assert [step.stage for step in seen if step.state is None] == ["neighbours", "graph", "start"]
    assert [step.stage for step in seen[-2:]] == ["embedding", "quality"]
    assert [step.iteration for step in seen] == sorted(step.iteration for step in seen)
    assert result.cells.keys == cells.keys
    assert result.embedding.shape == (60, 2)
    assert (result.variances > 0).all()
    assert result.n_iter == seen[-1].iteration
    assert result.n_levels == result.estimator["map"].n_levels_
    assert result.objective_iterations[-1] == result.n_iter
    assert np.isfinite(result.objective).all()
    np.testing.assert_array_equal(result.embedding, result.estimator["map"].embedding_)


@pytest.mark.parametrize("method", available())
@pytest.mark.parametrize("n_cells", [5, 14])
def test_a_part_of_few_cells_are_neighbours_of_one(rows, method, n_cells):
    parameters = Parameters(features=("area", "DNA", "actin"), method=method)
    usual = available()[method]().get_params(deep=False).get("n_neighbors", 0)
    # Taught what to learn from; the others take no notice.
    taught = TripletSupervision(pd.MultiIndex.from_tuples([("nuclei", 0, label) for label in LABELS[:3]]))
    cells = CellTable.read(rows.head(n_cells), layer="nuclei")
    _, result = drive(iter_run(cells, parameters, supervision=taught if method == "comparisons" else None), stop_at=5)
    assert len(result.embedding) == n_cells
    most = {"lvm": n_cells // 3, "lle": {5: 3}.get(n_cells, n_cells // 2)}.get(method, n_cells // 2)
    k = min(usual, most)
    assert Parameters(**result.parameters).estimator().get_params().get("n_neighbors", 0) == k
    said = f"{n_cells} cells: k is {k}, not {usual}."
    assert (said in result.cells.notes) == (k < usual)
    assert parameters == Parameters(features=("area", "DNA", "actin"), method=method)


def test_the_map_shows_what_is_in_the_data(rows, parameters):
    _, result = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters))
    even, odd = result.embedding[::2], result.embedding[1::2]
    spread = max(even.std(axis=0).max(), odd.std(axis=0).max())
    assert np.linalg.norm(even.mean(axis=0) - odd.mean(axis=0)) > 2 * spread


def test_stopping_keeps_the_map_so_far(rows, parameters):
    seen, result = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters), stop_at=3)
    assert seen[-1].iteration == 3
    np.testing.assert_array_equal(result.embedding, seen[-1].state.embedding)
    np.testing.assert_array_equal(result.variances, seen[-1].state.variances)


def test_stopping_before_there_is_a_map(rows, parameters):
    steps = iter_run(CellTable.read(rows, layer="nuclei"), parameters)
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(True)
    assert end.value.value is None


def test_the_result_keeps_the_parameters_of_its_start(rows, parameters):
    steps = iter_run(CellTable.read(rows, layer="nuclei"), parameters)
    next(steps)
    parameters.n_neighbors = 20
    _, result = drive(steps, stop_at=1)
    assert result.parameters["n_neighbors"] == result.estimator["map"].n_neighbors == 6
    with pytest.raises(TypeError):
        result.parameters["n_neighbors"] = 7


def test_features_are_standardised_unless_the_user_says_no(rows, parameters):
    parameters.features = ("area", "DNA")
    units = rows.assign(area=rows["area"] * 1e6)
    plain = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters), stop_at=1)[1].embedding
    scaled = drive(iter_run(CellTable.read(units, layer="nuclei"), parameters), stop_at=1)[1].embedding
    np.testing.assert_allclose(scaled, plain, rtol=1e-4, atol=1e-6)
    parameters.scaling = "none"
    raw = drive(iter_run(CellTable.read(units, layer="nuclei"), parameters), stop_at=1)[1].embedding
    assert not np.allclose(raw, plain, rtol=1e-2)


def test_cells_left_out_stay_out_of_the_table_and_are_counted(rows, parameters):
    rows.loc[[1, 5], "DNA"] = [np.nan, np.inf]
    _, result = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters), stop_at=2)
    assert result.cells.notes == ("2 of 60 cells left out of the map: no number in DNA (1); infinite in DNA (1).",)
    saved = result.rows()
    assert len(saved) == 58
    assert list(saved.columns) == ["layer", "frame", "label", "area", "DNA", "actin", "map_1", "map_2", "variance"]
    assert saved["label"].tolist() == [label for row, label in enumerate(LABELS) if row not in (1, 5)]
    np.testing.assert_array_equal(saved["map_2"], result.embedding[:, 1])


@pytest.mark.parametrize("n_components", [1, 3])
def test_other_dimensions(rows, parameters, n_components):
    parameters.n_components = n_components
    _, result = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters), stop_at=2)
    assert result.embedding.shape == (60, n_components)
    assert f"map_{n_components}" in result.rows()


def test_too_few_cells_is_said_in_words(rows, parameters):
    with pytest.raises(ValueError, match="Lower n_components"):
        drive(iter_run(CellTable.read(rows.head(2), layer="nuclei"), parameters))


@pytest.mark.slow
def test_table_and_session_load_no_window_system():
    check = (
        "import sys, latentmap.session, latentmap.samples.tissue;"
        "print(sorted({'qtpy', 'PySide6', 'napari', 'magicgui', 'IPython', 'ipywidgets'} & set(sys.modules)))"
    )
    assert start([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_the_log_likelihood_is_told_where_the_model_has_it_and_computed_nowhere_else(rows, parameters):
    parameters.max_iter = 230
    seen, result = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters))
    lvm = result.estimator["map"]
    course = dict(zip(lvm.log_likelihood_iterations_, lvm.log_likelihood_, strict=True))
    assert list(course) == [0, 100, 200, 230]
    for step in seen:
        if step.state is None:
            assert step.objective is None
        else:
            assert step.objective == course[100 * (step.iteration // 100)]
            computed = "objective" in vars(step.state)
            assert computed == (step.iteration in course)


def placed(result):
    return WarmStart("1: k 6", result.cells.features.index, result.embedding, result.variances)


@pytest.fixture
def result(rows, parameters):
    parameters.max_iter = 200
    return drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters))[1]


class TestGoingOnFromAMap:
    def test_the_run_is_short_and_the_layout_stays(self, rows, parameters, result):
        parameters.n_neighbors = 9
        cells = CellTable.read(rows, layer="nuclei")
        seen, warm = drive(iter_run(cells, parameters, start=placed(result)))
        assert all(step.has_warm_start for step in seen)
        assert warm.estimator["map"].n_iter_ == seen[-1].max_iter == WARM["max_iter"]
        assert warm.parameters["max_iter"] == 200
        assert warm.cells.notes == result.cells.notes
        kept = np.corrcoef(pdist(warm.embedding), pdist(result.embedding))[0, 1]
        assert kept > 0.95
        assert not any(step.has_warm_start for step in drive(iter_run(cells, parameters), stop_at=2)[0])

    def test_a_run_that_is_shorter_still_stays_so(self, rows, parameters, result):
        parameters.max_iter = 7
        warm = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters, start=placed(result)))[1]
        assert warm.estimator["map"].n_iter_ == 7

    def test_cells_keep_their_places_in_any_order(self, rows, parameters, result):
        parameters.max_iter = 3
        turned = CellTable.read(rows.iloc[::-1], layer="nuclei")
        seen, _ = drive(iter_run(turned, parameters, start=placed(result)))
        start = next(step.state for step in seen if step.state is not None)
        kept = np.corrcoef(pdist(start.embedding[::-1]), pdist(result.embedding))[0, 1]
        assert kept > 0.9999

    def test_few_new_cells_begin_amid_their_neighbors_and_are_counted(self, rows, parameters, result):
        known = np.r_[:20, 24:60]
        fewer = WarmStart(
            "1: k 6", result.cells.features.index[known], result.embedding[known], result.variances[known]
        )
        seen, warm = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters, start=fewer))
        assert seen[-1].has_warm_start
        assert warm.cells.notes == ('4 of 60 cells are not on the map "1: k 6" and started amid their neighbours.',)
        even, odd = warm.embedding[20:24:2].mean(axis=0), warm.embedding[21:24:2].mean(axis=0)
        centres = warm.embedding[::2].mean(axis=0), warm.embedding[1::2].mean(axis=0)
        assert np.linalg.norm(even - centres[0]) < np.linalg.norm(even - centres[1])
        assert np.linalg.norm(odd - centres[1]) < np.linalg.norm(odd - centres[0])

    def test_too_few_known_cells_make_it_begin_afresh_and_that_is_said(self, rows, parameters, result):
        parameters.max_iter = 200
        known = np.r_[:53]
        fewer = WarmStart(
            "1: k 6", result.cells.features.index[known], result.embedding[known], result.variances[known]
        )
        cells = CellTable.read(rows, layer="nuclei")
        seen, fresh = drive(iter_run(cells, parameters, start=fewer))
        assert not seen[-1].has_warm_start
        assert fresh.cells.notes == ('Started afresh, because the map "1: k 6" holds only 53 of 60 cells.',)
        np.testing.assert_array_equal(fresh.embedding, result.embedding)

    def test_so_does_another_number_of_dimensions(self, rows, parameters, result):
        parameters.n_components = 3
        seen, fresh = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters, start=placed(result)), stop_at=2)
        assert not seen[-1].has_warm_start
        assert fresh.cells.notes == ('Started afresh, because the map "1: k 6" has 2 dimensions.',)


@pytest.mark.parametrize(
    "change", [{}, {"n_neighbors": 4}, {"n_neighbors": 9}, {"repulsion": 5.0}, {"metric": "cosine"}]
)
def test_neighbors_known_from_an_earlier_run_change_no_bit(rows, parameters, change):
    cells, known = CellTable.read(rows, layer="nuclei"), NeighborCache()
    parameters.max_iter = 10
    drive(iter_run(cells, parameters, known=known))
    for name, value in change.items():
        setattr(parameters, name, value)
    with_them, without = (drive(iter_run(cells, parameters, known=known))[1] for known in (known, None))
    np.testing.assert_array_equal(with_them.embedding, without.embedding)
    np.testing.assert_array_equal(with_them.variances, without.variances)
    plain = LVM(**parameters.model).fit_transform(prepare(cells, parameters.features).values)
    np.testing.assert_array_equal(with_them.embedding, plain)
    assert with_them.estimator["map"].get_params() == LVM(**parameters.model).get_params()


def twice(rows):
    """Rows of which four are copies of others."""
    copies = rows.iloc[:4].assign(label=[2001, 2002, 2003, 2004])
    return CellTable.read(pd.concat([rows, copies]), layer="nuclei")


def test_what_the_method_warns_of_is_told_with_the_map(rows, parameters, recwarn):
    _, result = drive(iter_run(twice(rows), parameters))
    assert result.remarks[0].startswith("8 of 64 rows are duplicates")
    parameters.method, parameters.features = "classical-mds", parameters.features[:1]
    _, result = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters))
    assert "these distances span only 1 dimension" in result.remarks[0]
    assert not [one for one in recwarn if issubclass(one.category, DataWarning)]


def test_who_only_fits_is_warned_by_python_while_a_run_is_under_way(rows, parameters):
    steps = iter_run(twice(rows), parameters)
    while next(steps).stage != "embedding":
        pass
    with pytest.warns(DataWarning, match="8 of 64 rows are duplicates"):
        LVM(6, max_iter=2).fit(twice(rows).features)
    _, result = drive(steps)
    assert len(result.remarks) == 1


def test_each_of_two_runs_at_once_tells_its_own_warnings(rows, parameters):
    steps = [iter_run(twice(rows), parameters), iter_run(CellTable.read(rows, layer="nuclei"), parameters)]
    with ThreadPoolExecutor(2) as threads:
        results = [result for _, result in threads.map(drive, steps)]
    assert [len(result.remarks) for result in results] == [1, 0]


@pytest.mark.parametrize("scaling", ["standard", "robust", "none"])
def test_a_placeholder_among_the_values_is_told_and_ends_nothing(scaling):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(1100, 4)), columns=list("abcd")).assign(label=range(1, 1101))
    rows.loc[3, "b"] = 2147483647
    parameters = Parameters(features=tuple("abcd"), scaling=scaling, max_iter=20)
    _, result = drive(iter_run(CellTable.read(rows, layer="nuclei"), parameters))
    assert np.isfinite(result.embedding).all()
    (said,) = [note for note in result.cells.notes if "2147483647" in note]
    assert said.startswith("1 of 1100 cells has 2147483647 in b")


def test_cells_close_to_each_other_in_units_of_the_others_have_a_map():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1100, 4))
    values[:660] *= 1e-5
    rows = pd.DataFrame(values, columns=list("abcd")).assign(label=range(1, 1101))
    _, result = drive(iter_run(CellTable.read(rows, layer="nuclei"), Parameters(features=tuple("abcd"), max_iter=20)))
    assert np.isfinite(result.embedding).all()
