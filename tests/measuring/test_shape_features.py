import warnings

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter
from scipy.spatial import ConvexHull, QhullError
from skimage.draw import polygon
from skimage.measure import regionprops
from skimage.morphology import convex_hull_image

from latentmap.measuring import measure
from latentmap.measuring.cell_pixels import Runs
from latentmap.measuring.shape_features import ShapeFeatures
from latentmap.table.identifiers import is_identifier

SPACING = (2.0, 0.5, 0.5)


def outcome(steps):
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def measured(mask, spacing=SPACING):
    shape = ShapeFeatures(spacing)
    (pixels,) = outcome(Runs.find(np.asarray(mask, dtype=int))).blocks(1, 1)
    return dict(zip(shape.columns, outcome(shape.measure(pixels))[0], strict=True))


@pytest.fixture
def ellipsoid():
    """Semi-axes of 6, 4 and 3, along z, y and x."""
    z, y, x = np.meshgrid(*(np.arange(-8, 8.01, step) for step in SPACING), indexing="ij")
    return (z / 6) ** 2 + (y / 4) ** 2 + (x / 3) ** 2 <= 1


def crowd(seed):
    """Cells of every shape that cut one another and the border: stars, spirals, lines, lone pixels, two pieces."""
    rng, labels = np.random.default_rng(seed), np.zeros((90, 110), dtype=int)
    for number in range(1, 60):
        angles = np.sort(rng.uniform(0, 2 * np.pi, 9)) * rng.choice([1, 2])
        radii = rng.uniform(0, 14, 9) * rng.choice([0.1, 1])
        row, column = rng.uniform(0, labels.shape)
        labels[polygon(row + radii * np.sin(angles), column + radii * np.cos(angles), labels.shape)] = number
        labels[(labels == number) & (rng.random(labels.shape) < 0.15)] = 0
        start, steps = rng.integers(0, 80, 2), np.arange(rng.integers(1, 10))
        if number % 3 == 0:
            labels[start[0] + steps * (number % 2), start[1] + steps * (number % 4 // 2)] = number
    return labels


@pytest.mark.parametrize("spacing", [(1.0, 1.0), (0.3, 0.3), (2.0, 0.5)])
@pytest.mark.parametrize("seed", range(3))
def test_flat_cells_have_the_numbers_of_regionprops(seed, spacing):
    labels = crowd(seed)
    found = measure(labels, layer="cells", spacing=spacing).features
    regions = regionprops(labels, spacing=spacing)
    assert len(found) == len(regions) > 40
    assert ("perimeter" in found) == (spacing[0] == spacing[1])
    for name in found:
        if name.startswith("centroid"):
            expected = [region.centroid[int(name[-1])] for region in regions]
        else:
            expected = [getattr(region, name) for region in regions]
        # The axes are roots: what is 1e-16 of a variance is 1e-8 of an axis.
        np.testing.assert_allclose(found[name], expected, rtol=1e-9, atol=1e-6, err_msg=name)
    exact = [name for name in ("area", "extent", "solidity") if spacing == (1.0, 1.0)]
    assert all(found[name].tolist() == [getattr(region, name) for region in regions] for name in exact)


def test_a_hull_is_found_where_no_two_rows_of_a_cell_touch():
    labels = np.zeros((70, 90), dtype=int)
    labels[0, 0] = labels[-1, -1] = 1
    (region,) = regionprops(labels)
    assert measured(labels, (1.0, 1.0))["solidity"] == region.solidity < 0.1


def test_where_cells_lie_is_in_the_table_and_shapes_no_map():
    names = list(measure(crowd(0), layer="cells", spacing=(0.3, 0.3), unit="um").features)
    places = [name for name in names if name.startswith("centroid")]
    assert places == ["centroid-0_um", "centroid-1_um"]
    assert all(is_identifier(name) == (name in places) for name in names)


@pytest.mark.slow
def test_a_large_cell_of_the_worst_outline_is_measured():
    """A disk of a million pixels, and one pixel at the far corner of its image."""
    row, column = np.indices((1400, 1400))
    mask = (row - 600) ** 2 + (column - 600) ** 2 < 560**2
    mask[-1, -1] = True
    features = measured(mask, (1.0, 1.0))
    (region,) = regionprops(mask.astype(int))
    assert features["solidity"] == region.solidity
    assert features["perimeter"] == pytest.approx(region.perimeter)
    assert features["eccentricity"] == pytest.approx(region.eccentricity)


def test_an_ellipsoid_has_its_own_axes_volume_and_surface(ellipsoid):
    features = measured(ellipsoid)
    volume = 4 / 3 * np.pi * 6 * 4 * 3
    assert features["area"] == pytest.approx(volume, rel=0.05)
    assert features["axis_major_length"] == pytest.approx(12, rel=0.05)
    assert features["axis_minor_length"] == pytest.approx(6, rel=0.05)
    assert features["equivalent_diameter_area"] == pytest.approx(2 * (6 * 4 * 3) ** (1 / 3), rel=0.05)
    # Knud Thomsen's formula for the surface.
    power = 1.6075
    surface = 4 * np.pi * np.mean([(6 * 4) ** power, (6 * 3) ** power, (4 * 3) ** power]) ** (1 / power)
    assert features["surface_area"] == pytest.approx(surface, rel=0.15)
    # A staircase of thick planes is less solid than the ellipsoid.
    assert features["solidity"] > 0.8


def test_solidity_is_scikit_image_s_where_it_has_one(ellipsoid):
    ellipsoid[:, :, :12] &= ellipsoid[:, :1, :12]  # a bite
    ellipsoid[6:, 14:18, :] = False
    assert measured(ellipsoid)["solidity"] == regionprops(ellipsoid.astype(int))[0].solidity < 0.95


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_flat_cells_have_a_hull(axis):
    corner = np.zeros((7, 7), dtype=int)
    corner[1:6, 1:3] = corner[4:6, 1:6] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        features = measured(np.expand_dims(corner, axis))
        square = measured(np.ones((1, 5, 5)))
        line = measured(np.ones((1, 1, 6)))
        voxel = measured(np.ones((1, 1, 1)))
    assert features["solidity"] == pytest.approx(regionprops(corner)[0].solidity, abs=0.1)
    assert features["solidity"] < 0.9
    assert square["solidity"] == line["solidity"] == voxel["solidity"] == 1
    for cell in (features, square, line, voxel):
        assert np.isfinite(list(cell.values())).all()


def test_a_cell_in_a_slanting_plane_has_a_hull():
    plane, row, _ = np.indices((6, 6, 6))
    features = measured(plane == row)
    assert np.isfinite(list(features.values())).all()
    assert 0 < features["solidity"] <= 1


@pytest.mark.parametrize("seed", range(8))
def test_voxels_in_the_hull_are_those_of_scikit_image(seed):
    rng = np.random.default_rng(seed)
    mask = gaussian_filter(rng.normal(size=(9, 14, 12)), 2) > 0.02
    mask[rng.random(mask.shape) < 0.2] = False
    mask[0, 0, 0] = mask[-1, -1, -1] = True
    assert measured(mask)["solidity"] == mask.sum() / convex_hull_image(mask).sum()


@pytest.mark.parametrize("limits", [{"_FEW": 0}, {"_EXACT": -np.inf}])
@pytest.mark.parametrize("density", [0.02, 0.5, 1.0])
def test_a_hull_found_quickly_is_the_one_that_takes_its_time(monkeypatch, limits, density):
    mask = np.random.default_rng(2).random((7, 9, 8)) < density
    quick = measured(mask)
    for name, limit in limits.items():
        monkeypatch.setattr(f"latentmap.measuring.solid_shapes.{name}", limit)
    assert measured(mask) == quick


def test_rounding_errors_that_stop_the_quick_hull_do_not_stop_the_whole_one(monkeypatch, ellipsoid):
    quick, asked = measured(ellipsoid), []

    def hull(points, **options):
        asked.append(options)
        if options:
            raise QhullError("a ridge with multiple neighbors")
        return ConvexHull(points)

    monkeypatch.setattr("latentmap.measuring.solid_shapes.ConvexHull", hull)
    assert measured(ellipsoid) == quick
    assert [bool(options) for options in asked] == [True, False]


def test_a_cell_of_many_boxes_and_rows_is_what_it_is_as_a_whole(monkeypatch, ellipsoid):
    mask = np.pad(ellipsoid, ((0, 3), (5, 0), (0, 1)))
    mask[-1, 0, -1] = True
    whole = measured(mask)
    monkeypatch.setattr("latentmap.measuring.solid_shapes._VOXELS", 200)
    monkeypatch.setattr("latentmap.measuring.solid_shapes._ROWS_AND_SIDES", 300)
    assert measured(mask) == pytest.approx(whole, rel=1e-6)


def test_a_cell_in_pieces_far_apart_takes_many_short_steps():
    """Two ends of a box of 10 million voxels: no step goes through the box with something slow."""
    mask = np.zeros((20, 700, 700), dtype=bool)
    mask[0, :10, :10] = mask[-1, -10:, -10:] = True
    features = measured(mask, (1, 1, 1))
    assert features["area"] == 200
    assert 0 < features["solidity"] < 0.05
    # Two plates of 10 x 10 x 1.
    assert features["surface_area"] == pytest.approx(2 * (2 * 100 + 40), rel=0.15)


def test_only_lengths_carry_the_unit():
    shape = ShapeFeatures((2.0, 0.5, 0.5), "nm")
    assert shape.columns == (
        "volume_nm3",
        "extent",
        "equivalent_diameter_nm",
        "axis_major_length_nm",
        "axis_minor_length_nm",
        "solidity",
        "surface_area_nm2",
        "centroid-0_nm",
        "centroid-1_nm",
        "centroid-2_nm",
    )
    assert shape.notes == ()
