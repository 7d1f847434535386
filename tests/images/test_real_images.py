"""Measuring real images, against their authors' tables and the masks themselves."""

import numpy as np
import pytest

from latentmap.measuring import measure


def at_border(labels):
    return set(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]).tolist())


def test_means_are_those_that_the_authors_publish(load_data):
    data = load_data("micro_imc_pancreas_5ch")
    names, labels = data["channels"].tolist(), data["labels"]
    images = dict(zip(names, data["images"].swapaxes(0, 1), strict=True))
    features = measure(labels, images, layer="cells", has_frames=True).features
    compared = 0
    for image, label, means in zip(data["cell_image"], data["cell_label"], data["cell_mean_counts"], strict=True):
        if label not in at_border(labels[image]):
            measured = features.loc[("cells", image, label), [f"{name}_mean" for name in names]]
            assert measured.to_numpy(dtype=float) == pytest.approx(means, rel=1e-4, abs=1e-4)
            compared += 1
    assert compared > 200


def test_the_nuclei_of_two_and_three_dimensions(load_data):
    data = load_data("micro_stardist_2d3d")
    for axes, spacing in (("2d", (0.5, 0.5)), ("3d", (2.0, 0.5, 0.5))):
        labels, image = data[f"labels{axes}"], data[f"image{axes}"]
        cells = measure(labels, {"DNA": image}, layer="nuclei", spacing=spacing, unit="um", texture=True)
        assert [number for _, _, number in cells.keys] == [number for number in np.unique(labels) if number]
        assert np.isfinite(cells.features.to_numpy()).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hela_tyx", "bacteria_tyx", "cho_tzyx"])
def test_every_cell_of_a_time_lapse(load_data, name):
    labels = load_data("micro_timelapse_masks")[name][:6]
    spacing = (1.0, 0.2, 0.2) if name == "cho_tzyx" else None
    cells = measure(labels, layer=name, has_frames=True, spacing=spacing)
    expected = [(name, frame, number) for frame in range(6) for number in np.unique(labels[frame]) if number]
    assert cells.keys == expected
    volumes = [(labels[frame] == number).sum() * (0.04 if spacing else 1) for _, frame, number in expected]
    assert cells.features["area"].to_numpy() == pytest.approx(volumes)
    assert np.isfinite(cells.features.to_numpy()).all()
