import numpy as np
import pytest

from latentmap.images.crops import Channel, Crops
from latentmap.measuring import measure
from latentmap.measuring.texture import grey_range
from latentmap.methods import Siamese
from latentmap.table import Preparation, prepare


@pytest.fixture
def labels():
    """A square of 20 x 20 in the middle, under a large number, and a small cell in a corner."""
    labels = np.zeros((100, 100), dtype=np.int64)
    labels[40:60, 40:60] = 10**10
    labels[0:4, 0:2] = 3
    return labels


@pytest.fixture
def image(labels):
    return np.random.default_rng(0).random(labels.shape)


def pixels(cells, channel="DNA"):
    return cells.features.filter(like=f"{channel}_pixel_")


def test_each_pixel_of_a_cells_picture_is_a_feature(labels, image):
    # The window of the square is 32 pixels wide, so that a pixel of the picture is one of the image.
    found = pixels(measure(labels, {"DNA": image}, layer="cells", picture_size=32))
    low, high = grey_range(image[labels > 0])
    expected = np.clip((image[34:66, 34:66] - low) / (high - low), 0, 1)
    assert found.columns[[0, 31, 32]].tolist() == ["DNA_pixel_00_00", "DNA_pixel_00_31", "DNA_pixel_01_00"]
    np.testing.assert_allclose(found.loc[("cells", 0, 10**10)].to_numpy().reshape(32, 32), expected, atol=1e-6)


@pytest.mark.parametrize("n_axes", [2, 3])
def test_the_pixels_are_those_of_the_pictures_to_learn_from(n_axes):
    rng = np.random.default_rng(1)
    labels = np.zeros((4, 60, 80)[-n_axes:], dtype=int)
    for number in range(1, 30):
        corner = [rng.integers(0, length - 2) for length in labels.shape]
        labels[tuple(slice(start, start + rng.integers(1, 12)) for start in corner)] = 7 * number
    images = {name: rng.random(labels.shape) for name in ("DNA", "actin")}
    cells = measure(labels, images, layer="cells", picture_size=9)
    keys = [(0, label) for _, _, label in cells.features.index]
    for name, values in images.items():
        crops = Crops(labels, [Channel(values, grey_range(values[labels > 0]))])
        np.testing.assert_array_equal(pixels(cells, name), crops.pixel_stack(keys, 9).reshape(len(keys), -1))


def test_what_else_is_measured_stays_the_same(labels, image):
    plain, with_pixels = (measure(labels, {"DNA": image}, layer="cells", picture_size=size) for size in (0, 8))
    assert with_pixels.features[plain.features.columns].equals(plain.features)
    assert with_pixels.features.shape[1] == plain.features.shape[1] + 64
    assert with_pixels.notes == plain.notes


def test_frames_are_as_bright_as_each_other(labels, image):
    film, images = np.stack([labels, labels]), np.stack([image, image / 2])
    found = pixels(measure(film, {"DNA": images}, layer="cells", has_frames=True, picture_size=8))
    low, high = grey_range(images[film > 0])
    for frame in (0, 1):
        crops = Crops(labels, [Channel(images[frame], (low, high))])
        np.testing.assert_array_equal(found.loc[("cells", frame, 3)], crops.pixel_stack([(0, 3)], 8).ravel())


def test_pixels_that_are_no_number_are_dark(labels, image):
    holed = image.copy()
    holed[30:50, 30:50] = np.nan
    found = pixels(measure(labels, {"DNA": holed}, layer="cells", picture_size=32)).loc[("cells", 0, 10**10)]
    assert np.isfinite(found).all()
    assert not found.to_numpy().reshape(32, 32)[:16, :16].any()


def test_pictures_without_an_image_are_a_note(labels):
    cells = measure(labels, layer="cells", texture=True, picture_size=8)
    assert cells.features.equals(measure(labels, layer="cells").features)
    assert [note.partition(":")[0] for note in cells.notes] == ["No texture is measured", "No pictures are taken"]


@pytest.mark.parametrize("size", [-1, 65, 8.5, True, "large", None])
def test_a_size_that_no_picture_has_is_told(labels, size):
    with pytest.raises(ValueError, match="picture_size, the side of each cell's picture in pixels, is"):
        measure(labels, layer="cells", picture_size=size)


def test_a_network_learns_from_them_what_no_other_feature_tells():
    rng = np.random.default_rng(0)
    n, side = 20, 12
    cell = np.pad(np.ones((side, side), dtype=int), 4)
    labels = np.kron(np.arange(1, n**2 + 1).reshape(n, n), cell)
    classes = np.where(rng.random(n**2) < 0.5, "rows", "columns")
    stripes = np.pad(np.tile(np.arange(side) // 3 % 2, (side, 1)), 4)
    image = np.block([[stripes.T if one == "rows" else stripes for one in some] for some in classes.reshape(n, n)])
    image = 100.0 * image + 20 * rng.standard_normal(image.shape)
    cells = measure(labels, {"DNA": image}, layer="cells", texture=True, picture_size=8)

    def certainty(names):
        _, values = prepare(cells, names, Preparation(scaling="none" if "pixel" in names[0] else "standard"))
        return Siamese(max_iter=10).fit(values, classes).held_out_auc_

    names = list(cells.features.columns)
    assert certainty([name for name in names if "pixel" in name]) > 0.9
    assert certainty([name for name in names if "pixel" not in name]) < 0.7
