"""What scikit-learn's own checks do not ask: searches, pipelines, sparse rows, precision, and two fits at once."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from latentmap import LVM, DataWarning
from latentmap.methods import LearnedMapping, available
from latentmap.quality import neighbor_log_score

NAMES = list(available())
X = load_iris().data[::2]
FOLDS = KFold(2, shuffle=True, random_state=0)


def short(name):
    method = available()[name]()
    known = {"max_iter": 5, "n_neighbors": 9, "random_state": 0}
    return method.set_params(**{part: value for part, value in known.items() if part in method.get_params()})


def beside(name):
    n = len(X)
    return np.column_stack([np.arange(n - 2), np.arange(1, n - 1), np.arange(2, n)]) if name == "comparisons" else None


def made(name, rows=X):
    return short(name).fit(rows, beside(name)).embedding_


def estimators():
    for name in NAMES:
        yield pytest.param(short(name), beside(name), id=name)
    yield pytest.param(LearnedMapping(), X[:, :2], id="learned mapping")


@pytest.mark.parametrize(("estimator", "y"), estimators())
def test_single_precision_is_kept(estimator, y):
    rows = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    assert estimator.fit_transform(rows.astype(np.float32), y).dtype == np.float32
    assert estimator.embedding_.dtype == np.float64
    if hasattr(estimator, "transform"):
        assert estimator.transform(rows[:3].astype(np.float32)).dtype == np.float32
        assert estimator.transform(rows[:3]).dtype == np.float64


@pytest.mark.parametrize(("estimator", "y"), estimators())
def test_sparse_rows_have_the_map_of_dense_ones_and_it_is_said(estimator, y):
    dense = estimator.fit(X, y).embedding_
    with pytest.warns(DataWarning, match=r"^X is sparse, and was made dense: 75 x 4 numbers, 0.00229 MiB\."):
        assert np.array_equal(estimator.fit(sp.csc_array(X), y).embedding_, dense)
    if hasattr(estimator, "transform"):
        with pytest.warns(DataWarning, match="was made dense"):
            placed = estimator.transform(sp.coo_array(X[:5]))
        np.testing.assert_array_equal(placed, estimator.transform(X[:5]))


def test_sparse_rows_too_large_for_memory_are_refused(monkeypatch):
    monkeypatch.setattr("latentmap.memory.free_memory", lambda: 1000)
    with pytest.raises(ValueError, match=r"75 x 4 numbers would take .* TruncatedSVD, or fewer columns\.$"):
        LVM().fit(sp.csr_array(X))


@pytest.mark.parametrize("name", NAMES)
def test_two_fits_at_once_in_threads_are_those_alone(name):
    alone = made(name), made(name, X[::-1])
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda rows: made(name, rows), [X, X[::-1]]))
    np.testing.assert_array_equal(both, alone)


@pytest.mark.slow
def test_fits_at_once_in_processes_are_those_alone():
    with Parallel(2) as parallel:
        found = parallel(delayed(made)(name) for name in NAMES)
    for name, embedding in zip(NAMES, found, strict=True):
        np.testing.assert_array_equal(embedding, made(name), err_msg=name)


@pytest.mark.slow
def test_a_search_over_k_s_l_and_d_in_a_pipeline():
    grid = {"lvm__n_neighbors": [5, 15], "lvm__n_steps": [1, 2], "lvm__n_levels": [0, 1], "lvm__n_components": [1, 2]}
    pipeline = make_pipeline(StandardScaler(), LVM(max_iter=5)).set_params(lvm__n_jobs=1)
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        search = GridSearchCV(pipeline, grid, scoring=neighbor_log_score, cv=FOLDS, n_jobs=1).fit(X)
    scores = pd.DataFrame(search.cv_results_)
    assert np.isfinite(scores["mean_test_score"]).all()
    assert len(scores) == 16
    by_d = scores.groupby("param_lvm__n_components")["mean_test_score"].max()
    assert by_d[2] > by_d[1] > 0
    assert search.best_params_["lvm__n_components"] == 2
    assert search.transform(X).shape == (75, 2)


@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(available()[name], "transform")])
def test_every_method_that_places_rows_can_be_scored(name):
    if name == "comparisons":
        pytest.skip("its comparisons are of all rows")
    search = GridSearchCV(short(name), {"n_components": [2]}, scoring=neighbor_log_score, cv=FOLDS, refit=False).fit(X)
    assert 0 < search.best_score_ < np.log(38 / 10)


@pytest.mark.parametrize(("estimator", "y"), estimators())
def test_output_can_be_a_data_frame(estimator, y):
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"], index=[f"cell {row}" for row in range(len(X))])
    found = estimator.set_output(transform="pandas").fit_transform(table, y)
    assert list(found.index) == list(table.index)
    prefix = type(estimator).__name__.lower()
    assert list(found.columns) == [f"{prefix}0", f"{prefix}1"] == list(estimator.get_feature_names_out())
