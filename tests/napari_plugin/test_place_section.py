"""Cells of another layer, placed on a map that there is."""

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("replayed")


@pytest.fixture
def second(viewer, cells, labels, features):
    """Another image of cells with the same features, half of them as in the first."""
    rows = features.copy()
    rows.loc[30:, ["area", "DNA", "actin"]] += 0.1
    return viewer.add_labels(labels, name="second", features=rows, translate=(0, 200))


def choose(panel, layer, hand):
    panel.placing.layer.value = layer
    hand.press_button(panel.placing.button)


def test_nothing_is_placed_before_there_is_a_map(panel, second):
    assert not panel.placing.visible
    assert {layer.name for layer in panel.placing.layer.choices} == {"cells", "second"}


def test_cells_are_placed_on_a_map_that_does_not_move(panel, viewer, second, mapped, finish, hand):
    before, embedding = mapped.data.copy(), panel.result.embedding
    assert panel.placing.visible
    choose(panel, second, hand)
    finish()
    assert panel.status.value.startswith(f'60 cells of "second" placed on "{panel.session.runs.current.name}", in mag')
    guests = viewer.layers["second on the map"]
    np.testing.assert_array_equal(mapped.data, before)
    np.testing.assert_allclose(guests.data[:30], before[:30], atol=1e-4 * np.ptp(before))
    away = np.linalg.norm(guests.data[30:] - before[30:], axis=1)
    assert 0 < np.median(away) < 0.2 * np.ptp(before)
    table = second.features
    np.testing.assert_allclose(table[["map_1", "map_2"]][:30], embedding[:30], atol=1e-4 * np.ptp(embedding))
    assert (table["variance"] > 0).all()
    assert guests.features["layer"].unique().tolist() == ["second"]
    assert panel.form.features.choices == ("area", "DNA", "actin")
    assert viewer.layers.selection.active is mapped


def test_placed_cells_go_with_the_maps_to_another_view_and_back(panel, viewer, second, mapped, finish, hand):
    choose(panel, second, hand)
    finish()
    settings, before = panel.session.display_settings, viewer.layers["second on the map"].data.copy()
    settings.own_view = True
    there, (shown,) = panel.scene.view.viewer.layers["second on the map"], panel.scene.maps.shown
    assert "second on the map" not in viewer.layers
    assert there.features["label"].tolist() == second.features["label"].tolist()
    np.testing.assert_allclose(there.data[:30], shown.cell_positions[:30], atol=1e-4 * np.ptp(shown.cell_positions))
    settings.own_view = False
    np.testing.assert_allclose(viewer.layers["second on the map"].data, before, atol=1e-6 * np.ptp(before))


def test_cells_without_a_number_are_left_out_and_counted(panel, viewer, second, mapped, finish, hand):
    second.features = second.features.assign(DNA=[np.nan, *second.features["DNA"][1:]])
    choose(panel, second, hand)
    finish()
    assert "1 of 60 cells left out, because they cannot be placed: no number in DNA (1)." in panel.status.value
    assert len(viewer.layers["second on the map"].data) == 59
    assert second.features["map_1"].isna().tolist() == [True, *[False] * 59]


def test_where_the_method_places_none_it_is_learned_and_said(panel, viewer, second, cells, finish, hand):
    panel.form.method.value = "laplacian-eigenmaps"
    panel.embed()
    finish()
    choose(panel, second, hand)
    finish()
    assert '"Laplacian eigenmaps" places no new cells, so each of these is at the mean place' in panel.status.value
    assert "Of 12 cells of the map that were kept back and put so, half are within" in panel.status.value
    here = panel.result.embedding
    np.testing.assert_allclose(second.features[["map_1", "map_2"]][:30], here[:30], atol=1e-9)
    assert "variance" not in second.features


def test_cells_that_lack_a_feature_are_refused(panel, viewer, second, mapped, finish, hand):
    second.features = second.features.drop(columns="DNA")
    choose(panel, second, hand)
    finish()
    assert panel.status.value.startswith('The table has no feature "DNA".')
    assert "second on the map" not in viewer.layers


def test_placed_cells_go_with_their_map_and_come_once(panel, viewer, second, mapped, finish, hand):
    for _ in range(2):
        choose(panel, second, hand)
        finish()
    assert [layer.name for layer in viewer.layers].count("second on the map") == 1
    panel.explore.views.own_view.value = True
    assert "second on the map" not in viewer.layers
    choose(panel, second, hand)
    finish()
    assert "second on the map" in panel.scene.view.viewer.layers
    panel.explore.views.own_view.value = False
    choose(panel, second, hand)
    finish()
    panel.parameters.random_state = 1
    panel.embed()
    finish()
    assert "second on the map" not in viewer.layers


def test_a_layer_that_is_deleted_meanwhile_is_told(panel, viewer, second, mapped, finish, hand):
    choose(panel, second, hand)
    viewer.layers.remove(second)
    finish()
    assert "second on the map" not in viewer.layers
    assert panel.status.value == '"second" was deleted, so its cells were not placed.'
