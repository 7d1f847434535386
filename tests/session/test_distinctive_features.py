import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

from latentmap.session.distinctive_features import (
    FeatureDifference,
    feature_differences,
    feature_profile,
    find_distinctive,
)


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def some(count, chosen):
    mask = np.zeros(count, dtype=bool)
    mask[chosen] = True
    return mask


@pytest.mark.parametrize("n_chosen", [1, 7, 30, 93])
def test_the_effect_is_the_share_of_pairs_won_less_the_share_lost(n_chosen):
    rng = np.random.default_rng(n_chosen)
    values = rng.integers(0, 12, 100).astype(float)  # many ties
    values[::9] = np.nan
    chosen = some(100, rng.choice(np.flatnonzero(np.isfinite(values)), n_chosen % 80, replace=False))
    (found,) = find_distinctive(pd.DataFrame({"spots": values}), chosen)
    inside, outside = (side[np.isfinite(side)] for side in (values[chosen], values[~chosen]))
    by_hand = np.sign(inside[:, None] - outside).mean()
    assert found.effect == pytest.approx(by_hand, abs=1e-12)
    won = mannwhitneyu(inside, outside).statistic / (len(inside) * len(outside))
    assert found.effect == pytest.approx(2 * won - 1, abs=1e-12)
    assert (found.inside, found.outside) == (np.median(inside), np.median(outside))
    assert (found.n_inside, found.n_outside) == (len(inside), len(outside))


def test_a_feature_is_found_that_was_made_special_and_outliers_change_nothing():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(1000, 8)), columns=list("abcdefgh"))
    chosen = some(1000, slice(60))
    table.loc[chosen, "e"] += 2
    table.loc[chosen, "b"] -= 0.8
    found = find_distinctive(table, chosen)
    assert [one.name for one in found[:2]] == ["e", "b"]
    assert found[0].words.startswith("higher  +")
    assert found[1].words.startswith("lower  -")
    # A spread is a standard deviation here.
    assert found[0].spreads == pytest.approx(2, abs=0.4)
    table.loc[999, "e"] = 1e9
    table.loc[998, "a"] = -1e12
    with_outliers = find_distinctive(table, chosen)
    assert [one.name for one in with_outliers[:2]] == ["e", "b"]
    assert with_outliers[0].spreads == pytest.approx(found[0].spreads, rel=0.01)


def test_words_truth_values_and_categories_give_the_level_that_is_commoner():
    table = pd.DataFrame(
        {
            "type": ["B", "B", "T", "T", None, "NK"],
            "dividing": [True, True, False, False, False, False],
            "stage": pd.Categorical(["early", "late", "late", "late", "late", "early"], ["early", "late", "never"]),
        }
    )
    found = {one.name: one for one in find_distinctive(table, some(6, [0, 1]))}
    assert found["type"] == FeatureDifference("type", 1.0, 1.0, 0.0, 2, 3, "B")
    assert found["dividing"] == FeatureDifference("dividing", 1.0, 1.0, 0.0, 2, 4, "True")
    assert found["stage"] == FeatureDifference("stage", 0.25, 0.5, 0.25, 2, 4, "early")
    assert found["stage"].words == "early  50%"
    assert found["stage"].sentence == 'stage: "early" in 50.0% of 2 chosen cells, in 25.0% of 4 other cells.'


def test_a_level_counts_as_much_as_the_same_feature_written_as_numbers():
    rng = np.random.default_rng(1)
    is_blue, chosen = rng.random(200) < 0.4, rng.random(200) < 0.2
    table = pd.DataFrame({"word": np.where(is_blue, "blue", "red"), "number": is_blue.astype(float)})
    found = {one.name: one for one in find_distinctive(table, chosen)}
    assert abs(found["word"].effect) == pytest.approx(abs(found["number"].effect))


@pytest.mark.parametrize("chosen", [[], slice(None)])
def test_nothing_is_special_about_none_or_all(chosen):
    table = pd.DataFrame({"area": [1.0, 2.0, 3.0], "type": ["B", "T", "T"]})
    assert find_distinctive(table, some(3, chosen)) == []


def test_one_cell_is_compared_with_the_others():
    found = find_distinctive(pd.DataFrame({"area": [1.0, 2.0, 3.0, 4.0, 90.0], "type": list("BTTTT")}), some(5, [4]))
    assert found[0].name == "area"
    assert (found[0].effect, found[0].inside, found[0].outside) == (1.0, 90.0, 2.5)
    assert "median 90 of 1 chosen cell, 2.5 of 4 other cells" in found[0].sentence
    assert "higher value in 100% of all pairs" in found[0].sentence
    assert found[1].words == "T  100%"


def test_constant_and_nearly_constant_features():
    table = pd.DataFrame(
        {
            "same": np.full(10, 0.1),
            "others alike": np.r_[5.0, 5.0, np.full(8, 0.1)],
            "mostly alike": np.r_[5.0, 5.0, np.full(7, 0.1), 4.1],
            "nothing": np.full(10, np.nan),
            "unknown inside": np.r_[np.nan, np.inf, np.arange(8.0)],
        }
    )
    found = {one.name: one for one in find_distinctive(table, some(10, [0, 1]))}
    assert set(found) == {"same", "others alike", "mostly alike"}
    assert (found["same"].effect, found["same"].spreads, found["same"].words) == (0, 0, "alike")
    assert (found["others alike"].effect, found["others alike"].spreads) == (1, np.inf)
    assert found["others alike"].words == "higher  all others alike"
    assert "spreads" not in found["others alike"].sentence
    values = table["mostly alike"][2:]
    assert found["mostly alike"].spreads == pytest.approx(4.9 / values.std(ddof=0))


def test_of_features_that_share_no_value_the_one_further_apart_is_first():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(100, 2))
    noise[:10] += [6, 30]
    found = find_distinctive(pd.DataFrame(noise, columns=["near", "far"]), some(100, slice(10)))
    assert [one.name for one in found] == ["far", "near"]
    assert [one.effect for one in found] == [1, 1]


def test_numbers_that_pandas_calls_nullable():
    table = pd.DataFrame({"spots": pd.array([1, 2, None, 9], dtype="Int64")})
    (found,) = find_distinctive(table, some(4, [3]))
    assert (found.inside, found.outside, found.n_outside) == (9, 1.5, 2)


def test_the_differences_come_one_at_a_time_in_the_columns_order():
    table = pd.DataFrame({"dull": [1.0, 2.0, 3.0], "special": [1.0, 2.0, 9.0]})
    assert [one.name for one in feature_differences(table, some(3, [2]))] == ["dull", "special"]


def test_the_mask_must_fit():
    with pytest.raises(ValueError, match="The table has 3 cells"):
        find_distinctive(pd.DataFrame({"area": [1.0, 2.0, 3.0]}), np.array([0, 1]))


def test_a_profile_counts_each_side_over_the_same_bins():
    values = pd.Series([0.0, 4.0, 4.1, 8.0, 9.0, np.nan])
    inside, outside = feature_profile(values, some(6, [3, 4, 5]), n_bins=3)
    assert inside.tolist() == [0, 0, 1]
    np.testing.assert_allclose(outside, [1 / 3, 2 / 3, 0])


def test_one_cell_far_away_does_not_squeeze_a_profile():
    values = pd.Series(np.r_[np.linspace(0, 1, 1000), 1e6])
    inside, outside = feature_profile(values, some(1001, slice(0, 500)))
    assert (outside > 0).sum() > 6
    assert outside.sum() == pytest.approx(1)
    assert inside.sum() == pytest.approx(1)


def test_a_profile_of_words_has_a_bin_each_and_one_for_the_rare():
    words = pd.Series([f"type {min(number, 20)}" for number in range(60)])
    inside, outside = feature_profile(words, some(60, [0, 59]))
    assert len(inside) == len(outside) == 10
    assert inside[0] == 0.5
    assert inside.sum() == pytest.approx(1)
    assert [len(side) for side in feature_profile(pd.Series([None, None], dtype=object), some(2, [0]))] == [0, 0]


@pytest.mark.parametrize("values", [[3.0, 3.0], [np.nan, np.nan], [3.0, np.nan]])
def test_a_profile_of_hardly_any_values(values):
    inside, outside = feature_profile(pd.Series(values), some(2, [0]))
    assert inside.sum() == np.isfinite(values[0])
    assert outside.sum() == np.isfinite(values[1])


def test_where_cells_lie_on_a_map_made_elsewhere_is_no_feature():
    table = pd.DataFrame({"area": np.arange(9.0), "UMAP1": np.arange(9.0), "X_pca_1": np.arange(9.0), "MAP2": 1.0})
    assert [one.name for one in feature_differences(table, some(9, [7, 8]))] == ["area", "MAP2"]


def test_pairs_of_equal_values_are_no_pairs_with_a_higher_one():
    values = np.array([5, 0, 0, 0, 0, 0, 0, 0, 0, 0.0])  # as counts of a gene
    (found,) = find_distinctive(pd.DataFrame({"CD4": values}), some(10, slice(4)))
    assert found.effect == 0.25
    assert found.equal == 0.75
    assert found.sentence.endswith(
        " A chosen cell has the higher value in 25% of all pairs with another one, and the same in 75%."
    )
    (other,) = find_distinctive(pd.DataFrame({"CD4": values}), some(10, slice(4, 10)))
    assert (other.effect, other.equal) == (-0.25, 0.75)
    assert "has the higher value in 0% of all pairs with another one, and the same in 75%." in other.sentence


def test_values_far_beyond_the_others_are_drawn_at_the_end_on_their_side():
    values = np.concatenate([np.linspace(0, 1, 998), [3.4e38, -3.4e38]])
    inside, outside = feature_profile(pd.Series(values), some(1000, slice(500, 999)))
    assert inside[0] == 0
    assert inside[-1] > 0
    assert outside[0] > 0
    assert outside[-1] == 0
