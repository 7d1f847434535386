import numpy as np
import pandas as pd
import pytest

from latentmap.table import CellTable, Preparation, prepare, preview
from latentmap.table.usual_features import usual_set


def table(values, **columns):
    rows = pd.DataFrame(values).rename(columns="f{}".format)
    return CellTable.read(rows.assign(label=np.arange(1, len(values) + 1), **columns), layer="cells")


def random_case(seed):
    """A table with gaps, infinities, constant, empty and negative columns, and a way to prepare it."""
    rng = np.random.default_rng(seed)
    n_cells, n_features = rng.integers(2, 30), rng.integers(1, 6)
    values = rng.choice(
        [np.nan, np.inf, -np.inf, -2.0, 0.1, 3.0, 700.0], size=(n_cells, n_features), p=rng.dirichlet(np.full(7, 0.5))
    )
    values = np.where(rng.random(values.shape) < rng.random(), rng.lognormal(size=values.shape), values)
    values[:, rng.random(n_features) < 0.3] = 0.1
    values[rng.random(values.shape) < rng.choice([0, 0.05, 0.4])] = np.nan
    cells = table(values, word="x", layer=rng.choice(["a", "b"], n_cells), frame=rng.integers(2, size=n_cells))
    how = Preparation(
        transform=rng.choice(["none", "log1p", "arcsinh", "rank"]),
        cofactor=rng.choice([0.0, 5.0], p=[0.1, 0.9]),
        scaling=rng.choice(["standard", "robust", "none"]),
        missing=rng.choice(["leave out", "median", "similar cells"]),
        n_pca=int(rng.choice([0, 1, 3, 50])),
    )
    names = [f"f{column}" for column in range(n_features) if rng.random() < 0.8]
    strange = [str(rng.choice(["word", "absent"]))] if rng.random() < 0.05 else []
    return cells, names + strange, how


def outcome(function, *arguments):
    try:
        return function(*arguments), None
    except ValueError as error:
        return None, str(error)


@pytest.mark.parametrize("first", range(0, 300, 10))
def test_what_is_said_is_what_comes(first):
    for seed in range(first, first + 10):
        assert_said_is_what_comes(*random_case(seed))


def assert_said_is_what_comes(cells, names, how):
    seen, refused = outcome(preview, cells, names, how)
    prepared, error = outcome(prepare, cells, names, how)
    assert refused == error
    if prepared is None:
        return
    assert prepared.values.shape == (seen.n_cells, seen.n_columns)
    assert np.isfinite(prepared.values).all()
    assert seen.n_left_out == len(cells.features) - seen.n_cells
    gaps = ~np.isfinite(cells.features[names].to_numpy(dtype=float)).all(axis=1)
    assert seen.n_left_out + seen.n_filled == gaps.sum()
    assert all(note in seen.sentence for note in prepared.cells.notes if "principal" in note)
    assert seen.sentence.startswith(f"{seen.n_cells} cell")
    plain = prepare(cells, names, Preparation(missing=how.missing, scaling="none")).values
    assert seen.constant == tuple(name for name, column in zip(names, plain.T, strict=True) if np.ptp(column) == 0)


@pytest.mark.slow
def test_the_random_cases_are_of_all_kinds():
    outcomes = [outcome(preview, *random_case(seed)) for seed in range(300)]
    beginnings = (
        "No feature",
        "The table",
        "Not numbers",
        "No cell has a f",
        "No cell has a n",
        "Every",
        "log",
        "The cof",
    )
    for beginning in beginnings:
        assert any(error is not None and error.startswith(beginning) for _, error in outcomes), beginning
    seen = [preview for preview, error in outcomes if error is None]
    assert len(seen) > 100
    for count in ("n_left_out", "n_filled", "constant"):
        assert sum(bool(getattr(preview, count)) for preview in seen) > 10


@pytest.fixture
def many():
    """1 249 complete cells of two layers, and twelve without their area."""
    values = np.random.default_rng(0).normal(size=(1261, 14))
    values[:12, 2] = np.nan
    values[:, 5] = 1
    return table(values, layer=["nuclei", *["cells"] * 1260]).features.rename(columns={"f2": "area", "f5": "dna_min"})


@pytest.fixture
def cells(many):
    return CellTable(many)


ROWS = pd.DataFrame({"label": [1, 2, 3], "area": [4.0, 5.0, 7.0], "DNA": [1.0, 3.0, 2.0]})
NAMES = ["f0", "f1", "area", "f3", "f4", "dna_min", "f6", "f7", "f8"]


def test_the_sentence(cells):
    said = preview(cells, NAMES, Preparation()).sentence
    assert said == (
        "1249 cells, 9 of 14 features, standardised; 12 cells left out: no number in area (12). Constant: dna_min."
    )


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (
            Preparation(missing="median"),
            "cells from 2 layers, 9 of 14 features, standardised; 12 cells get the median:",
        ),
        (Preparation(missing="similar cells"), "; 12 cells get the mean of similar cells: no number in area (12)."),
        (Preparation("arcsinh", 150, "robust"), "features, arcsinh(x / 150), scaled by their quartiles; "),
        (Preparation("rank", scaling="none", n_pca=3), "features, ranked, not scaled, 3 principal components; "),
        (Preparation(n_pca=1), "standardised, 1 principal component; "),
    ],
)
def test_the_sentence_says_what_is_done(cells, how, words):
    assert words in preview(cells, NAMES, how).sentence


def test_a_single_cell_and_frames_are_worded_properly():
    values = np.arange(8.0).reshape(4, 2)
    values[0, 0] = np.nan
    seen = preview(table(values, frame=[0, 0, 1, 2]), ["f0"], Preparation())
    assert (
        seen.sentence == "3 cells from 3 frames, 1 of 2 features, standardised; 1 cell left out: no number in f0 (1)."
    )


def test_features_that_a_layer_lacks_are_not_counted():
    two = CellTable.pool(
        [CellTable.read(rows, layer=name) for name, rows in (("a", ROWS), ("b", ROWS.drop(columns="DNA")))]
    )
    assert preview(two, two.mappable, Preparation()).sentence == (
        "6 cells from 2 layers, 1 of 1 feature, standardised. Not offered, because a layer has no finite number there: "
        "DNA."
    )
    both = preview(two, ["area", "DNA"], Preparation()).sentence
    assert "2 of 2 features" in both
    assert "Not offered" not in both


def test_columns_that_name_or_place_a_cell_are_told_unless_they_are_ticked():
    cells = CellTable.read(ROWS.assign(ImageNumber=[1, 1, 2], Center_X=[4.0, 9.0, 2.0]), layer="a")
    said = preview(cells, ["area", "DNA"], Preparation()).sentence
    assert said.endswith("Not ticked, because they only say which cell, where or when: ImageNumber, Center_X.")
    assert "ImageNumber" not in preview(cells, ["area", "Center_X", "ImageNumber"], Preparation()).sentence


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["x"], "The feature of this map measures nothing: it only says which cell this is, where or when."),
        (
            ["Location_Center_X", "ImageNumber", "Location_Center_Y"],
            "The features of this map measure nothing: they only say which cell, where or when.",
        ),
        (["X", "X.1"], "The features of this map measure nothing: they only say which cell, where or when."),
        (
            ["leiden"],
            "Would not be ticked beside measurements, because the map would show a clustering that was made before: "
            "leiden.",
        ),
        (
            ["UMAP_1", "UMAP_2", "x"],
            "Would not be ticked beside measurements, because they are coordinates on a map made elsewhere: "
            "UMAP_1, UMAP_2.",
        ),
        (
            ["dpt_pseudotime", "leiden"],
            "Would not be ticked beside measurements, because the map would show an order of cells that was found "
            "before: dpt_pseudotime.",
        ),
    ],
)
def test_a_map_of_what_measures_nothing_says_so(names, said):
    cells = CellTable.read(pd.DataFrame({"label": range(1, 10), **dict.fromkeys(names, np.arange(9.0))}), layer="a")
    assert list(usual_set(cells.mappable).columns) == names
    assert said in preview(cells, names, Preparation()).sentence
    with_area = CellTable.read(cells.features.assign(area=np.arange(9.0) ** 2, label=range(1, 10)), layer="a")
    assert said not in preview(with_area, [*names, "area"], Preparation()).sentence


def test_places_and_labels_that_are_repeated_are_no_features():
    names = ["X", "Y", "area", "label.1", "X.1", "Y.1", "area.1"]
    rows = pd.DataFrame({"label": range(1, 10), **{name: np.arange(9.0) ** at for at, name in enumerate(names, 1)}})
    cells = CellTable.read(rows, layer="a")
    chosen = list(usual_set(cells.mappable).columns)
    assert chosen == ["area", "area.1"]
    assert preview(cells, chosen, Preparation()).sentence.endswith("where or when: X, Y, label.1, X.1, Y.1.")
    # As R names the columns of a matrix.
    assert list(usual_set(["X.1", "X.2", "X.3"]).columns) == ["X.1", "X.2", "X.3"]


def test_components_are_what_maps_are_made_of():
    names = ["X_pca_1", "X_pca_2", "X_pca_3"]
    cells = CellTable.read(pd.DataFrame({"label": range(1, 10), **dict.fromkeys(names, np.arange(9.0))}), layer="a")
    assert "beside measurements" not in preview(cells, names, Preparation()).sentence


def test_a_count_that_is_called_like_the_number_of_a_cell_is_told_from_one():
    rows = np.random.default_rng(0).normal(size=(60, 1))
    counts = table(rows, **{"Cell Number": np.arange(60) % 7 % 4})
    said = preview(counts, ["f0"], Preparation()).sentence
    assert said.endswith("(if it counts something in each cell, tick it): Cell Number.")
    said = preview(table(rows, **{"Cell Number": np.arange(60)}), ["f0"], Preparation()).sentence
    assert said.endswith("it only says which cell this is, where or when: Cell Number.")


def test_clusters_found_before_are_told_unless_they_are_ticked():
    cells = CellTable.read(ROWS.assign(leiden=[0, 0, 1]), layer="a")
    assert usual_set(cells.mappable).columns == ("area", "DNA")
    said = preview(cells, ["area", "DNA"], Preparation()).sentence
    assert said.endswith("Not ticked, because the map would show a clustering that was made before: leiden.")
    assert "Not ticked" not in preview(cells, ["area", "DNA", "leiden"], Preparation()).sentence


def test_the_numbers_of_clusters_are_told_once():
    cells = CellTable.read(ROWS.assign(FlowSOM_ID=[4, 4, 7]), layer="a")
    said = preview(cells, ["area", "DNA"], Preparation()).sentence
    assert said.count("FlowSOM_ID") == 1
    assert said.endswith("the map would show a clustering that was made before: FlowSOM_ID.")


NO_NUMBER = "Not offered, because no cell has a finite number there: odd."
NO_NUMBERS = "Not offered, because it does not hold numbers: odd."


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (np.nan, NO_NUMBER),
        ([np.inf, -np.inf, np.nan], NO_NUMBER),
        (pd.array([None] * 3, "Int64"), NO_NUMBER),
        ("text", NO_NUMBERS),
        (None, NO_NUMBERS),
        ([True, False, True], NO_NUMBERS),
        (pd.Categorical([1, 2, 1]), NO_NUMBERS),
        (pd.to_datetime(["2020-02-03"] * 3), NO_NUMBERS),
        ([1j, 2, 3], NO_NUMBERS),
        (pd.array(["1", 2.0, 3], object), NO_NUMBERS),
    ],
    ids=repr,
)
def test_a_column_that_cannot_shape_a_map_is_told_with_the_reason(column, said):
    cells = CellTable.read(ROWS.assign(odd=column), layer="a")
    assert cells.mappable == ["area", "DNA"]
    assert preview(cells, cells.mappable, Preparation()).sentence == (f"3 cells, 2 of 2 features, standardised. {said}")


def test_columns_that_are_left_out_for_several_reasons_are_told_by_reason():
    rows = ROWS.assign(kind="T", divides=True, map_1=0.5, map_2=1.5, variance=1.0, blank=np.nan)
    rows["half"] = [1.0, 2.0, np.inf]
    cells = CellTable.read(rows.assign(layer=["a", "a", "b"]), layer="a")
    said = preview(cells, cells.mappable, Preparation()).sentence
    assert said.split("standardised. ")[1].split(". ") == [
        "Not offered, because they do not hold numbers: kind, divides",
        "Not offered, because they are of an earlier map: map_1, map_2, variance",
        "Not offered, because no cell has a finite number there: blank",
        "Not offered, because a layer has no finite number there: half.",
    ]


def test_pixels_are_told_unless_they_are_ticked():
    pixels = {f"DNA_pixel_00_{column:02}": [0.1, 0.2, 0.4] for column in range(8)}
    cells = CellTable.read(ROWS.assign(**pixels), layer="a")
    said = preview(cells, ["area", "DNA"], Preparation()).sentence
    assert said.endswith(
        "Not ticked, because pixels of pictures would drown the other features: DNA_pixel_00_00, DNA_pixel_00_01, "
        "DNA_pixel_00_02, DNA_pixel_00_03, DNA_pixel_00_04 and 3 more."
    )
    assert "drown" not in preview(cells, list(pixels), Preparation()).sentence


def test_names_of_cells_from_the_index_need_no_sentence():
    cells = CellTable.read(ROWS.set_axis(["AAAC-1", "GGTT-1", "TTTT-1"]), layer="a")
    assert "cell_name" in cells.features
    assert preview(cells, cells.mappable, Preparation()).sentence == "3 cells, 2 of 2 features, standardised."


@pytest.mark.parametrize("seed", range(20))
def test_every_column_is_mapped_or_told(seed):
    rng = np.random.default_rng(seed)
    kinds = [
        lambda n: rng.normal(size=n),
        lambda n: np.full(n, rng.choice([np.nan, np.inf])),
        lambda n: np.full(n, 3.0),
        lambda n: rng.choice(["x", "y"], n),
        lambda n: rng.random(n) < 0.5,
        lambda n: pd.Categorical(rng.choice([1, 2], n)),
        lambda n: np.where(np.arange(n) < n // 2, np.nan, rng.normal(size=n)),
    ]
    rows = pd.DataFrame({f"column{at}x": kinds[rng.integers(len(kinds))](40) for at in range(5)})
    rows = rows.assign(area=rng.normal(size=40), label=np.arange(1, 41), layer=["a"] * 20 + ["b"] * 20)
    cells = CellTable.read(rows, layer="a")
    said = preview(cells, cells.mappable, Preparation()).sentence
    _, values = prepare(cells, cells.mappable, Preparation(scaling="none"))
    shaping = [name for name, column in zip(cells.mappable, values.T, strict=True) if np.ptp(column) > 0]
    for name in set(cells.features) - set(shaping):
        assert name in said
    for name in shaping:
        assert name not in said


def test_the_table_stays_as_it_is(cells, many):
    before = many.copy()
    preview(cells, NAMES, Preparation(missing="median"))
    pd.testing.assert_frame_equal(cells.features, before)
