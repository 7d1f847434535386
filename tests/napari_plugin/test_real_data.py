"""Real images and tables go through the panel: measured or loaded, embedded, selected, and linked cell by cell."""

import numpy as np
import pandas as pd
import pytest
from scipy.ndimage import distance_transform_edt
from sklearn.neighbors import KNeighborsClassifier
from test_selection_link import click

from latentmap.display.region import Lasso
from latentmap.napari_plugin.scene.mouse import Drawing


@pytest.fixture
def embed(panel, finish):
    """Embed the cells of the layers ticked, in a few iterations."""

    def few(n_iterations=5):
        panel.parameters.max_iter = n_iterations
        panel.embed()
        finish()
        assert panel.result is not None, panel.status.value
        return panel.result

    return few


@pytest.fixture
def measure(panel, finish):
    def all_ticked():
        panel.cells.measuring.measure()
        finish()
        assert panel.status.value.startswith("Measured ")
        assert ": shape" in panel.status.value

    return all_ticked


def source_of(panel, name):
    return next(source for source in panel.scene.link.sources if source.name == name)


def pixels_lit(panel, name):
    """The pixels that are lit up in a layer."""
    data = source_of(panel, name).highlight.data
    return np.stack([np.asarray(data[at]) for at in range(len(data))]) == 1


def pixels_of(labels, keys, name, has_frames):
    """The pixels of cells, one cell after the other."""
    expected = np.zeros(labels.shape, dtype=bool)
    for layer, frame, label in keys:
        if layer == name:
            expected[frame] |= (labels[frame] == label) if has_frames else False
            if not has_frames:
                expected |= labels == label
    return expected


def check_links(panel, keys, images, has_frames=False):
    """Check for some cells that they light up where they are, and nowhere else."""
    panel.selection.select_keys(keys, how="test")
    assert set(panel.selection.keys) == set(keys)
    for name, labels in images.items():
        np.testing.assert_array_equal(pixels_lit(panel, name), pixels_of(labels, keys, name, has_frames))
    points = panel.scene.maps.shown[0].points
    on_map = points.features.iloc[sorted(points.selected_data)]
    assert set(zip(on_map["layer"], on_map["frame"], on_map["label"], strict=True)) == set(keys)


def lasso(panel, viewer, low, high):
    """Draw a rectangle of world coordinates around pixels from `low` to `high`."""
    (top, left), (bottom, right) = low, high
    corners = np.array([[top, left], [top, right], [bottom, right], [bottom, left]]) + 0.0
    panel.scene.link.draw(Drawing(Lasso(corners), "lasso", "replace"), viewer)


def mostly_within(labels, low, high):
    """The numbers of which at least half of the pixels lie within."""
    (top, left), (bottom, right) = np.ceil(low).astype(int), np.floor(high).astype(int) + 1
    inside = np.zeros(labels.shape, dtype=bool)
    inside[top:bottom, left:right] = True
    numbers = np.unique(labels)
    return {number for number in numbers[numbers > 0] if inside[labels == number].mean() >= 0.5}


def test_nuclei_of_several_images(load_data, viewer, panel, measure, embed, qtbot):
    data = load_data("micro_bbbc007_2d")
    images = {}
    for number in (0, 1, 4):
        shift = (0, 500 * len(images))
        viewer.add_image(data[f"image_{number:02}"], name="DNA", translate=shift)
        images[f"nuclei {number}"] = data[f"labels_{number:02}"]
        viewer.add_labels(images[f"nuclei {number}"], name=f"nuclei {number}", translate=shift)
    panel.cells.layers.value = panel.cells.layers.things
    measure()
    result = embed()
    expected = {(name, 0, n) for name, labels in images.items() for n in np.unique(labels) if n}
    assert set(result.cells.keys) == expected
    for name, number in zip(images, (0, 1, 4), strict=True):
        means = result.cells.features.loc[(name, 0), "DNA_mean"]
        inside = data[f"image_{number:02}"][images[name] == means.index[5]]
        assert means.iloc[5] == pytest.approx(inside.mean())
    assert result.cells.features["DNA_mean"].notna().all()
    check_links(panel, [result.cells.keys[at] for at in (0, len(expected) // 2, -1)], images)

    lasso(panel, viewer, (100.3, 620.3), (220.6, 800.6))
    inside = mostly_within(images["nuclei 1"], (100.3, 120.3), (220.6, 300.6))
    assert len(inside) > 3
    assert set(panel.selection.keys) == {("nuclei 1", 0, number) for number in inside}

    labels = images["nuclei 4"]
    depth = distance_transform_edt(labels > 0)
    place = np.array(np.unravel_index(np.argmax(depth), labels.shape))
    viewer.reset_view()
    click(qtbot, viewer, place + np.array([0, 1000]))
    assert list(panel.selection.keys) == [("nuclei 4", 0, labels[tuple(place)])]


def test_tissue_of_five_channels_and_its_cell_types(load_data, viewer, panel, measure, embed, finish, tmp_path):
    data = load_data("micro_imc_pancreas_5ch")
    images = {}
    for at, name in enumerate(data["image_names"].tolist()):
        images[name] = data["labels"][at]
        for channel, image in zip(data["channels"].tolist(), data["images"][at], strict=True):
            viewer.add_image(image, name=channel, visible=False, translate=(0, 120 * at))
        viewer.add_labels(images[name], name=name, translate=(0, 120 * at))
    panel.cells.layers.value = [viewer.layers[name] for name in images]
    measure()
    table = pd.DataFrame(
        {
            "layer": data["image_names"][data["cell_image"]],
            "label": data["cell_label"],
            "cell_type": data["cell_type"],
        }
    )
    table.sample(frac=1, random_state=0).to_csv(tmp_path / "types.csv", index=False)
    panel.cells.load_table(tmp_path / "types.csv")
    finish()
    assert '362 rows of "types.csv" loaded.' in panel.status.value
    means = [f"{channel}_mean" for channel in data["channels"]]
    at_cells = panel.cells.cells.features.loc[list(zip(table["layer"], [0] * 362, table["label"], strict=True)), means]
    published = np.isclose(at_cells, data["cell_mean_counts"], rtol=1e-4, atol=1e-4).all(axis=1)
    assert published.sum() >= 245  # cells at the border were measured before the images were cut
    panel.form.features.value = means
    panel.parameters.transform = "arcsinh"
    result = embed(40)
    assert len(result.embedding) == 362
    measured = result.cells.features
    truth = dict(zip(zip(table["layer"], table["label"], strict=True), table["cell_type"], strict=True))
    assert all(truth[layer, label] == kind for (layer, _, label), kind in measured["cell_type"].items())

    types = measured["cell_type"].to_numpy()
    chance = max(np.unique(types, return_counts=True)[1]) / len(types)
    half = np.random.default_rng(0).permutation(len(types)) < 181
    model = KNeighborsClassifier(10).fit(result.embedding[half], types[half])
    assert model.score(result.embedding[~half], types[~half]) > chance + 0.15

    check_links(panel, [result.cells.keys[at] for at in (3, 150, 361)], images)


def test_nuclei_in_three_dimensions(load_data, viewer, panel, measure, embed):
    data = load_data("micro_stardist_2d3d")
    labels = data["labels3d"]
    place = {"scale": (2.0, 0.5, 0.5), "units": ("um", "um", "um"), "axis_labels": ("z", "y", "x")}
    viewer.add_image(data["image3d"], name="DNA", **place)
    viewer.add_labels(labels, name="nuclei", **place)
    measure()
    assert panel.cells.measuring.first_axis.value == "depth"
    numbers = [number for number in np.unique(labels) if number]
    assert panel.cells.cells.features["volume_um3"].tolist() == pytest.approx(
        [0.5 * (labels == number).sum() for number in numbers]
    )
    result = embed()
    assert result.cells.keys == [("nuclei", 0, number) for number in numbers]
    check_links(panel, [("nuclei", 0, numbers[0]), ("nuclei", 0, numbers[20])], {"nuclei": labels})
    check_links(panel, [("nuclei", 0, numbers[-1])], {"nuclei": labels})
    plane = viewer.dims.current_step[0]
    assert (labels[plane] == numbers[-1]).any()
    lasso(panel, viewer, (1.1, 1.1), (14.1, 14.1))
    inside = mostly_within(labels[plane], np.array([1.1, 1.1]) / 0.5, np.array([14.1, 14.1]) / 0.5)
    assert set(panel.selection.keys) == {("nuclei", 0, number) for number in inside}


def test_nuclei_of_every_frame_whose_numbers_are_no_tracks(load_data, viewer, panel, measure, embed):
    labels = load_data("micro_timelapse_masks")["hela_tyx"][::5]
    viewer.add_labels(labels, name="HeLa", axis_labels=("t", "y", "x"))
    assert panel.cells.measuring.first_axis.value == "time"
    measure()
    result = embed(3)
    assert len(result.embedding) > 500
    assert result.cells.keys == [
        ("HeLa", frame, number) for frame in range(4) for number in np.unique(labels[frame]) if number
    ]
    shared = [n for n in np.unique(labels[1]) if n and n in labels[3]][:3]
    check_links(panel, [("HeLa", 1, shared[0]), ("HeLa", 3, shared[1])], {"HeLa": labels}, has_frames=True)
    check_links(panel, [("HeLa", 3, shared[2])], {"HeLa": labels}, has_frames=True)
    assert viewer.dims.current_step[0] == 3
    lasso(panel, viewer, (200.4, 300.4), (500.4, 700.4))
    inside = mostly_within(labels[3], (200.4, 300.4), (500.4, 700.4))
    assert len(inside) > 10
    assert set(panel.selection.keys) == {("HeLa", 3, number) for number in inside}


def test_a_film_in_three_dimensions(load_data, viewer, panel, measure, embed):
    labels = load_data("micro_timelapse_masks")["cho_tzyx"][:6:5]
    viewer.add_labels(labels, name="CHO", scale=(1, 1, 0.2, 0.2), units=("s", "um", "um", "um"))
    assert panel.cells.measuring.first_axis.value == "time"
    measure()
    assert "volume_um3" in panel.cells.cells.features
    result = embed()
    assert result.cells.keys == [
        ("CHO", frame, number) for frame in range(2) for number in np.unique(labels[frame]) if number
    ]
    number = next(n for n in np.unique(labels[0]) if n and n in labels[1])
    check_links(panel, [("CHO", 1, number)], {"CHO": labels}, has_frames=True)
    frame, plane = viewer.dims.current_step[:2]
    assert frame == 1
    assert (labels[1, plane] == number).any()


def test_tracks_with_a_table_of_28_columns(load_data, viewer, panel, embed):
    data = load_data("tracks_tables")
    table = pd.DataFrame(data["tgmm_X"], columns=[name.partition(" [")[0] for name in data["tgmm_columns"]])
    table = table.loc[:, ~table.columns.duplicated()]
    places = data["tgmm_layer_label_frame_zyx"][:, 2:]
    steps = np.column_stack([table["Spot track ID"], table["frame"], places])
    layer = viewer.add_tracks(steps, name="embryo", features=table)
    assert panel.cells.value == [layer]
    assert len(panel.cells.cells.features) == 3087
    features = ["Spot radius", "Spot center intensity", "Spot intensity std", "Spot ellipsoid volume"]
    panel.form.features.value = [name for name in features if name in panel.form.features.choices]
    result = embed(3)
    assert len(result.embedding) == 3087
    source = source_of(panel, "embryo")
    for at in (0, 1500, 3086):
        key = result.cells.keys[at]
        panel.selection.select_keys([key], how="test")
        row = int(np.flatnonzero(result.cells.features.index == key)[0])
        assert key[1] == layer.data[row, 1]
        np.testing.assert_allclose(source.highlight.data, layer.data[row : row + 1, 1:])
        assert viewer.dims.current_step[0] == key[1]
