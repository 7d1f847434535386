import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.decomposition import PCA
from sklearn.impute import KNNImputer
from sklearn.preprocessing import RobustScaler, StandardScaler

from latentmap.table import CellTable, Preparation, prepare

NAMES = ["area", "DNA", "actin"]


@pytest.fixture
def values():
    return np.random.default_rng(0).lognormal(size=(40, 3)) * [1, 100, 1e4]


def table(values):
    return CellTable.read(
        pd.DataFrame(values, columns=NAMES).assign(label=np.arange(1, len(values) + 1)), layer="cells"
    )


@pytest.mark.parametrize("transform", ["none", "log1p", "arcsinh", "rank"])
@pytest.mark.parametrize("scaling", ["standard", "robust"])
def test_no_unit_outweighs_another(values, transform, scaling):
    how = Preparation(transform=transform, scaling=scaling, cofactor=10)
    prepared = prepare(table(values), NAMES, how).values
    assert prepared.shape == values.shape
    if scaling == "standard":
        np.testing.assert_allclose(prepared.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(prepared.std(axis=0), 1)
    else:
        np.testing.assert_allclose(np.median(prepared, axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(np.diff(np.percentile(prepared, [25, 75], axis=0), axis=0), 1)
    for before, after in zip(values.T, prepared.T, strict=True):
        np.testing.assert_array_equal(np.argsort(before), np.argsort(after))


def test_what_the_transforms_are(values):
    def only(transform):
        return prepare(table(values), NAMES, Preparation(transform, scaling="none", cofactor=7)).values

    np.testing.assert_array_equal(only("none"), values)
    np.testing.assert_allclose(np.expm1(only("log1p")), values)
    np.testing.assert_allclose(7 * np.sinh(only("arcsinh")), values)
    np.testing.assert_allclose(np.sort(only("rank")[:, 1]), (np.arange(40) + 0.5) / 40)


def test_principal_components_keep_the_distances(values):
    prepared = prepare(table(values), NAMES, Preparation(n_pca=3)).values
    plain = prepare(table(values), NAMES).values
    np.testing.assert_allclose(prepared @ prepared.T, plain @ plain.T, atol=1e-9)
    assert prepare(table(values), NAMES, Preparation(n_pca=2)).values.shape == (40, 2)


@pytest.mark.parametrize(
    ("n_cells", "n_pca", "note"),
    [
        (40, 3, "3 features: 3 principal components, not 50."),
        (3, 2, "3 cells: 2 principal components, not 50."),
        (2, 1, "2 cells: 1 principal component, not 50."),
    ],
)
def test_there_are_as_many_components_as_there_can_be(values, n_cells, n_pca, note):
    cells, prepared = prepare(table(values[:n_cells]), NAMES, Preparation(n_pca=50))
    assert (prepared.shape, cells.notes) == ((n_cells, n_pca), (note,))
    np.testing.assert_array_equal(prepared, prepare(table(values[:n_cells]), NAMES, Preparation(n_pca=n_pca)).values)


@pytest.mark.parametrize("hole", [np.nan, np.inf])
def test_cells_without_a_number_are_left_out_or_filled_and_counted(values, hole):
    values[[3, 5], 1] = hole
    values[5, 2] = hole
    cells, prepared = prepare(table(values), NAMES)
    assert len(prepared) == len(cells.features) == 38
    assert "2 of 40 cells left out" in cells.notes[0]
    cells, prepared = prepare(table(values), NAMES, Preparation(missing="median", scaling="none"))
    assert cells.notes == ("2 of 40 cells got the median: no number in DNA (2), actin (1).",)
    known = np.where(np.isfinite(values), values, np.nan)
    np.testing.assert_allclose(prepared[[3, 5], 1], np.nanmedian(known[:, 1]))
    cells, prepared = prepare(table(values), NAMES, Preparation(missing="similar cells", scaling="none"))
    assert "the mean of the 5 most similar cells" in cells.notes[0]
    assert np.isfinite(prepared).all()
    np.testing.assert_allclose(np.delete(prepared, [3, 5], axis=0), np.delete(values, [3, 5], axis=0))


def test_similar_cells_are_similar_whatever_the_units():
    """The gap of the last cell is in a feature that follows another one, in a unit ten thousand times as small."""
    x = np.arange(50.0)
    values = np.column_stack([x, np.random.default_rng(0).permutation(x), 1e4 * x])
    values[-1, 2] = np.nan
    prepared = prepare(table(values), ["area", "actin"], Preparation(missing="similar cells", scaling="none")).values
    assert prepared[-1, 1] == pytest.approx(1e4 * np.mean([44, 45, 46, 47, 48]))


def test_a_feature_without_any_number_is_refused(values):
    values[:, 1] = np.nan
    with pytest.raises(ValueError, match='No cell has a number in "DNA"'):
        prepare(table(values), NAMES, Preparation(missing="median"))


def test_what_has_no_logarithm_is_refused_in_words(values):
    values[4, 2] = -3
    with pytest.raises(ValueError, match=r"above -1.*actin \(-3\).*arcsinh"):
        prepare(table(values), NAMES, Preparation("log1p"))
    with pytest.raises(ValueError, match="cofactor of arcsinh is 0"):
        prepare(table(values), NAMES, Preparation("arcsinh", cofactor=0))


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_whose_squares_are_infinite_are_named(sign):
    values = np.random.default_rng(0).normal(size=(20, len(NAMES)))
    values[3, 1] = sign * 9e299
    with pytest.raises(ValueError, match=rf"^Numbers too large to compute with are in {NAMES[1]} \(9e\+299\): untick"):
        prepare(table(values), NAMES)
    values[3, 1] = sign * 9e149
    assert np.isfinite(prepare(table(values), NAMES).values).all()


@pytest.mark.parametrize("missing", ["median", "similar cells"])
def test_the_table_keeps_its_own_numbers_and_gaps(values, missing):
    values[3, 1] = np.nan
    before = table(values)
    cells, prepared = prepare(before, NAMES, Preparation("rank", missing=missing))
    pd.testing.assert_frame_equal(cells.features, before.features)
    assert np.isfinite(prepared).all()


@pytest.mark.parametrize("missing", ["leave out", "median", "similar cells"])
def test_the_order_in_memory_does_not_change_the_last_bits(missing):
    values = np.random.default_rng(0).gamma(2, size=(1003, 3))
    values[3, 2] = np.nan
    keys = table(values).features.index
    by_row = pd.DataFrame(values, keys, NAMES)
    by_column = pd.DataFrame({name: by_row[name].copy() for name in NAMES})
    first, second = (prepare(CellTable(rows), NAMES, Preparation(missing=missing)) for rows in (by_row, by_column))
    np.testing.assert_array_equal(first.values, second.values)


def read(**columns):
    rows = pd.DataFrame({"label": [3, 7, 1000], "area": [1.0, 2.0, 3.0], **columns})
    return CellTable.read(rows, layer="nuclei")


def test_incomplete_cells_are_counted_by_feature():
    rows = {"label": range(1, 7), "a": [1, np.nan, 3, 4, 5, 6], "b": [1, np.nan, np.inf, -np.inf, 5, 6]}
    cells, _ = prepare(CellTable.read(pd.DataFrame(rows), layer="nuclei"), ["a", "b"])
    assert [label for _, _, label in cells.keys] == [1, 5, 6]
    assert cells.notes == ("3 of 6 cells left out of the map: no number in a (1), b (1); infinite in b (2).",)


def test_of_many_features_the_worst_are_named():
    values = np.random.default_rng(0).normal(size=(40, 30))
    values[np.triu_indices(30)] = np.nan
    values = pd.DataFrame(values).rename(columns="gene_{}".format).assign(label=np.arange(1, 41))
    cells, _ = prepare(CellTable.read(values, layer="cells"), [f"gene_{number}" for number in range(30)])
    (note,) = cells.notes
    assert note.startswith("30 of 40 cells left out of the map: no number in gene_29 (30), gene_28 (29), ")
    assert note.endswith("gene_25 (26) and 25 more.")


def test_only_the_chosen_features_decide_who_stays():
    cells, _ = prepare(read(other=[np.nan] * 3), ["area"])
    assert len(cells.keys) == 3
    assert list(cells.features.columns) == ["area", "other"]


def test_constant_features_are_named():
    cells, _ = prepare(read(gain=[2.0] * 3), ["area", "gain"])
    assert cells.notes == ('The same for every cell, so without influence on the map: "gain".',)


def test_whole_numbers_may_have_gaps():
    cells, values = prepare(read(count=pd.array([4, None, 9], dtype="Int64")), ["area", "count"])
    assert [label for _, _, label in cells.keys] == [3, 1000]
    assert np.isfinite(values).all()


@pytest.mark.parametrize("transform", ["none", "rank"])
def test_a_gap_in_a_constant_feature_stays_without_a_say(values, transform):
    values[:, 1] = 0.1
    values[3, 1] = np.nan
    how = Preparation(transform, missing="similar cells")
    cells, prepared = prepare(table(values), NAMES, how)
    assert 'without influence on the map: "DNA"' in cells.notes[1]
    np.testing.assert_allclose(prepared[:, 1], 0, atol=1e-12)


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ([], "No feature is chosen"),
        (["size"], 'no feature "size"'),
        (["kind"], 'Not numbers: "kind"'),
        (["gain"], 'same value of "gain"'),
        (["area", "empty"], "No cell has a finite value in all .* empty"),
    ],
)
def test_features_that_allow_no_map_are_refused(names, sentence):
    cells = read(kind=["x", "y", "z"], gain=[2.0] * 3, empty=[np.nan] * 3)
    with pytest.raises(ValueError, match=sentence):
        prepare(cells, names)


def by_hand(values, how):
    """What prepares a table, step by step, as one would write it for these cells alone."""
    known = pd.DataFrame(values).where(np.isfinite)
    if how.missing == "leave out":
        values = values[np.isfinite(values).all(axis=1)]
    elif how.missing == "median":
        values = np.ascontiguousarray(known.fillna(known.median()))
    else:
        scale = known.std(ddof=0)
        means = KNNImputer(n_neighbors=5).fit_transform(known / scale) * scale.to_numpy()
        values = np.ascontiguousarray(known.fillna(pd.DataFrame(means)).clip(known.min(), known.max(), axis=1))
    if how.transform != "none":
        values = {
            "log1p": lambda: np.log1p(values),
            "arcsinh": lambda: np.arcsinh(values / how.cofactor),
            "rank": lambda: (rankdata(values, axis=0) - 0.5) / len(values),
        }[how.transform]()
    if how.scaling != "none":
        values = (StandardScaler() if how.scaling == "standard" else RobustScaler()).fit_transform(values)
    return PCA(how.n_pca, random_state=0).fit_transform(values) if how.n_pca else values


@pytest.mark.parametrize("missing", ["leave out", "median", "similar cells"])
@pytest.mark.parametrize("transform", ["none", "log1p", "arcsinh", "rank"])
@pytest.mark.parametrize(("scaling", "n_pca"), [("standard", 0), ("standard", 2), ("robust", 0), ("none", 2)])
def test_the_steps_give_the_cells_of_the_map_the_same_bits(values, missing, transform, scaling, n_pca):
    values[:, 0] = np.round(values[:, 0])  # so that some share a rank
    values[[3, 5, 9], [1, 2, 0]] = np.nan
    values[8, 1] = np.inf
    how = Preparation(transform, 5.0, scaling, missing, n_pca)
    np.testing.assert_array_equal(prepare(table(values), NAMES, how).values, by_hand(values, how))


def test_new_values_lie_between_the_ranks_of_the_first(values):
    pipeline = Preparation("rank", scaling="none").pipeline(["area"]).fit(pd.DataFrame({"area": [10.0, 20, 20, 40]}))
    new = pd.DataFrame({"area": [-5.0, 10, 15, 20, 40, 99]})
    np.testing.assert_allclose(pipeline.transform(new)[:, 0], [0.125, 0.125, 0.3125, 0.5, 0.875, 0.875])
