import numpy as np
import pandas as pd
import pytest

from latentmap.session import CellIndex, Classes, ColourBy, ColourGroups, ColourScale, cell_colours, colour_choices
from latentmap.session.colouring import VARIANCE
from latentmap.session.counting import groups_of
from latentmap.session.display_settings import DisplaySettings


@pytest.fixture
def cell_index():
    return CellIndex()


@pytest.fixture
def features(cell_index):
    keys = [("nuclei", frame, label) for frame in range(2) for label in range(1, 51)]
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "area": rng.normal(size=100),
            "phase": np.arange(100) % 4,
            "type": np.where(np.arange(100) % 2, "T", "B"),
            "dead": np.arange(100) < 3,
        },
        index=cell_index.keys(cell_index.add(keys)),
    )
    table.iloc[7, 0] = np.nan
    table.iloc[8, 0] = 1e9
    return table


@pytest.fixture
def colours(features, cell_index):
    classes = Classes(cell_index)
    classes.assign("odd", np.arange(1, 100, 2))

    def colours(by):
        return cell_colours(by, features, np.geomspace(1e-3, 1e3, 100), classes, np.arange(100))

    return colours


def test_what_a_map_can_be_coloured_by(features):
    assert colour_choices(features) == [
        ColourBy("variance"),
        ColourBy("lost neighbours"),
        ColourBy("class"),
        ColourBy("frame"),
        *(ColourBy("feature", name) for name in ("area", "phase", "type", "dead")),
    ]


def test_one_cell_does_not_take_all_colours(colours):
    found = colours(ColourBy("feature", "area"))
    assert isinstance(found, ColourScale)
    assert found.title == "area"
    assert found.high < 4
    assert found.clipped == 4
    assert np.isnan(found.shares[7])
    assert found.shares[8] == 1
    assert np.nanstd(found.shares) > 0.2


def test_variances_are_on_a_logarithmic_scale_with_ends_in_their_own_unit(colours):
    found = colours(ColourBy("variance"))
    assert found.logarithmic
    assert 1e-3 < found.low < 2e-3
    assert 5e2 < found.high < 1e3
    assert np.diff(found.shares[5:95]).std() < 1e-6


@pytest.mark.parametrize(
    ("name", "names"), [("phase", ("0", "1", "2", "3")), ("type", ("B", "T")), ("dead", ("False", "True"))]
)
def test_few_values_are_groups(colours, name, names):
    found = colours(ColourBy("feature", name))
    assert isinstance(found, ColourGroups)
    assert found.names == names
    assert len(set(found.colours)) == len(names)


def test_classes(colours):
    found = colours(ColourBy("class"))
    assert found.names == ("odd",)
    assert found.indices[:3].tolist() == [-1, 0, -1]


def test_frames_are_on_a_scale_and_layers_are_groups(colours):
    assert colours(ColourBy("frame")).shares.tolist() == [0.0] * 50 + [1.0] * 50
    assert colours(ColourBy("layer")).names == ("nuclei",)


@pytest.mark.parametrize("values", [[np.nan] * 3, [5.0] * 3, [np.inf, 1.0, 2.0]])
def test_columns_without_spread_raise_nothing(values, cell_index):
    numbers = cell_index.add([("cells", 0, label) for label in range(3)])
    table = pd.DataFrame({"x": values}, index=cell_index.keys(numbers))
    found = cell_colours(ColourBy("feature", "x"), table, np.ones(3), Classes(cell_index), numbers)
    assert len(found.shares) == 3
    assert not np.isinf(found.shares).any()


def test_ends_of_a_scale_of_very_many_cells_do_not_hang_on_their_order(cell_index):
    # Ten images in turn, of which one is far brighter: every so many-th row would be of one image.
    values = np.random.default_rng(0).normal(size=1_000_000)
    values[::10] += 50
    features = pd.DataFrame({"dna": values}, index=pd.MultiIndex.from_product([["cells"], [0], range(len(values))]))
    cells, classes = np.arange(len(values)), Classes(cell_index)
    scale = cell_colours(ColourBy("feature", "dna"), features, np.ones(len(values)), classes, cells)
    assert [scale.low, scale.high] == pytest.approx(np.percentile(values, (2, 98)), abs=0.05)


@pytest.mark.parametrize("value", [ColourBy("variance", "area"), ColourBy("size"), ("feature", "area"), None])
def test_what_is_no_quantity_is_refused(value):
    settings = DisplaySettings()
    with pytest.raises(ValueError, match="Cells cannot be coloured by"):
        settings.colour_by = value
    assert settings.colour_by == VARIANCE


def test_a_number_and_the_same_as_a_word_are_one_group(features, cell_index):
    features["cluster"] = np.array([1, "1", 2, None], dtype=object)[np.arange(100) % 4]
    numbers = cell_index.numbers_of(features.index)
    indices, names = groups_of(ColourBy("feature", "cluster"), features, Classes(cell_index), numbers)
    assert names == ("1", "2")
    assert indices[:4].tolist() == [0, 0, 1, -1]
    coloured = cell_colours(ColourBy("feature", "cluster"), features, np.ones(100), Classes(cell_index), numbers)
    assert [name for name in coloured.names if name in names] == ["1", "2"]
    assert coloured.indices[:3].tolist() == [0, 0, 1]
