"""Texture, against a literal count of pairs."""

import numpy as np
import pytest

from latentmap.measuring import measure
from latentmap.measuring.texture import LEVELS, TEXTURE, grey_range

STEPS = ((0, 1), (1, 1), (1, 0), (1, -1))


def reference(plane_labels, plane_values, number, low, high):
    """Contrast, homogeneity, energy and correlation of a cell, pair by pair."""
    by_step = []
    for down, right in STEPS:
        counts = np.zeros((LEVELS, LEVELS))
        for labels, values in zip(plane_labels, plane_values, strict=True):
            n_rows, n_columns = labels.shape
            for row in range(n_rows):
                for column in range(n_columns):
                    y, x = row + down, column + right
                    if not (0 <= y < n_rows and 0 <= x < n_columns):
                        continue
                    if labels[row, column] != number or labels[y, x] != number:
                        continue
                    pair = values[row, column], values[y, x]
                    if not np.isfinite(pair).all():
                        continue
                    i, j = (int(np.clip(LEVELS * (value - low) / (high - low), 0, LEVELS - 1)) for value in pair)
                    counts[i, j] += 1
                    counts[j, i] += 1
        if counts.sum():
            by_step.append(properties(counts / counts.sum()))
    return np.mean(by_step, axis=0) if by_step else np.full(len(TEXTURE), np.nan)


def properties(p):
    i, j = np.indices(p.shape)
    mean_i, mean_j = (p * i).sum(), (p * j).sum()
    spread = np.sqrt((p * (i - mean_i) ** 2).sum() * (p * (j - mean_j) ** 2).sum())
    return [
        (p * (i - j) ** 2).sum(),
        (p / (1 + (i - j) ** 2)).sum(),
        np.sqrt((p**2).sum()),
        # A cell of one level: scikit-image sets 1.
        (p * (i - mean_i) * (j - mean_j)).sum() / spread if spread > 1e-15 else 1,
    ]


def columns(name):
    return [f"{name}_{feature}" for feature in TEXTURE]


@pytest.fixture
def scene():
    """Cells with sparse numbers: at the border, touching, of one pixel, in a line, with a hole, in two pieces."""
    labels = np.zeros((3, 12, 16), dtype=int)
    labels[:, :5, :6] = 7
    labels[:, 5:8, 2:6] = 900
    labels[:, 0, 10] = 31
    labels[:, 10, 3:9] = 12
    labels[:, 3:9, 9:15] = 40
    labels[:, 5:7, 11:13] = 0
    labels[:, 11, 14:] = 40
    rng = np.random.default_rng(0)
    return labels, rng.gamma(2, 300, labels.shape)


def test_flat_cells_as_pair_by_pair(scene):
    labels, values = scene[0][0], scene[1][0]
    cells = measure(labels, {"DNA": values}, layer="cells", texture=True)
    low, high = grey_range(values[labels > 0])
    for _, _, number in cells.keys:
        expected = reference([labels], [values], number, low, high)
        assert cells.features.loc[("cells", 0, number), columns("DNA")].tolist() == pytest.approx(expected, nan_ok=True)
    assert "Cells without texture of DNA, because no two of their pixels touch: 1." in cells.notes


def test_the_planes_of_a_volume_are_counted_together(scene):
    labels, values = scene
    labels[1] = np.roll(labels[1], (1, 1), (0, 1))
    cells = measure(labels, {"DNA": values}, layer="cells", texture=True, spacing=(2, 0.5, 0.5))
    low, high = grey_range(values[labels > 0])
    for _, _, number in cells.keys:
        expected = reference(labels, values, number, low, high)
        assert cells.features.loc[("cells", 0, number), columns("DNA")].tolist() == pytest.approx(expected, nan_ok=True)


def test_all_frames_have_the_same_grey_levels(scene):
    labels, values = scene
    values = values * np.array([1, 3, 9])[:, None, None]
    cells = measure(labels, {"DNA": values}, layer="cells", has_frames=True, texture=True)
    low, high = grey_range(values[labels > 0])
    for _, frame, number in cells.keys:
        expected = reference(labels[[frame]], values[[frame]], number, low, high)
        measured = cells.features.loc[("cells", frame, number), columns("DNA")]
        assert measured.tolist() == pytest.approx(expected, nan_ok=True)


def test_pixels_without_a_number_are_outside(scene):
    labels, values = scene[0][0], scene[1][0].copy()
    values[::3, ::2] = np.nan
    cells = measure(labels, {"DNA": values}, layer="cells", texture=True)
    low, high = grey_range(values[labels > 0])
    for _, _, number in cells.keys:
        expected = reference([labels], [values], number, low, high)
        assert cells.features.loc[("cells", 0, number), columns("DNA")].tolist() == pytest.approx(expected, nan_ok=True)


def test_what_lies_outside_the_cell_has_no_say(scene):
    labels, values = scene[0][0], scene[1][0]
    cells = measure(labels, {"DNA": values}, layer="cells", texture=True)
    elsewhere = measure(labels, {"DNA": np.where(labels > 0, values, 1e6)}, layer="cells", texture=True)
    assert cells.features.equals(elsewhere.features)


def test_stripes_and_smooth_cells_differ_in_the_known_way():
    labels = np.zeros((10, 22), dtype=int)
    labels[1:9, 1:9], labels[1:9, 12:20] = 1, 2
    values = np.where(labels == 2, np.linspace(0, 100, 10)[:, None], 100.0 * (np.indices(labels.shape)[0] % 2))
    features = measure(labels, {"DNA": values}, layer="cells", texture=True).features
    striped, smooth = features.iloc[0], features.iloc[1]
    assert striped["DNA_contrast"] > 10 * smooth["DNA_contrast"]
    assert striped["DNA_homogeneity"] < smooth["DNA_homogeneity"]
    assert striped["DNA_correlation"] < 0 < smooth["DNA_correlation"]


def test_a_channel_of_one_value_has_one_level(scene):
    labels = scene[0][0]
    features = measure(labels, {"DNA": np.full(labels.shape, 5.0)}, layer="cells", texture=True).features
    assert features.loc[("cells", 0, 7), columns("DNA")].tolist() == [0, 1, 1, 1]


def test_the_grey_range_of_nothing():
    assert grey_range(np.array([np.nan, np.inf])) == (0, 0)
