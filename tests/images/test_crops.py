import dask.array as da
import numpy as np
import pytest
import zarr
from rectangles import rectangles

from latentmap.images.crops import Channel, Crops

OUTLINE = [255, 221, 51]
RED, GREEN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


@pytest.fixture
def labels():
    """A square of 20 x 20 in the middle, under a large number, and a small cell in a corner."""
    labels = np.zeros((100, 100), dtype=np.int64)
    labels[40:60, 40:60] = 10**10
    labels[0:4, 0:2] = 3
    return labels


def test_a_known_picture(labels):
    # The window is 32 pixels wide, so that at this size a pixel of the picture is one of the image.
    ramp = np.tile(np.arange(100.0), (100, 1))
    half = np.where(np.arange(100)[:, None] < 50, 10.0, 0.0) * np.ones(100)
    picture = Crops(labels, [Channel(ramp, (34, 65), RED), Channel(half, (0, 20), GREEN)]).crop(0, 10**10, size=32)
    inside = np.zeros((32, 32), dtype=bool)
    inside[6:26, 6:26] = True
    outline = inside.copy()
    outline[7:25, 7:25] = False
    assert (picture[outline] == OUTLINE).all()
    seen = picture[~outline].astype(float)
    red = np.tile(np.round(255 * np.arange(32) / 31), (32, 1))
    green = np.where(np.arange(32)[:, None] < 16, 128, 0) * np.ones(32)
    np.testing.assert_allclose(seen[:, 0], red[~outline], atol=1)
    np.testing.assert_allclose(seen[:, 1], green[~outline], atol=1)
    assert not seen[:, 2].any()


def test_channels_add_up_and_stay_within_their_limits(labels):
    bright = np.full(labels.shape, 1e6)
    crops = Crops(labels, [Channel(bright, (0, 10)), Channel(-bright, (0, 10)), Channel(bright, (0, 2e6), RED)])
    assert crops.crop(0, 10**10)[0, 0].tolist() == [255, 255, 255]
    crops = Crops(
        labels, [Channel(bright, (0, 4e6), RED), Channel(bright, (0, 2e6), RED), Channel(bright, (5, 5), GREEN)]
    )
    assert crops.crop(0, 10**10)[0, 0].tolist() == [191, 255, 0]


def test_beyond_the_border_it_is_black(labels):
    picture = Crops(labels, [Channel(np.zeros(labels.shape), (-1, 0), RED)]).crop(0, 3, size=64)
    # 16 pixels wide at 4 a pixel: the cell is 4 x 2, in the middle, and the image begins where it does.
    assert not picture[:22].any()
    assert not picture[:, :26].any()
    assert picture[50, 50].tolist() == [255, 0, 0]
    is_outline = (picture == OUTLINE).all(axis=2)
    rows, columns = np.nonzero(is_outline)
    assert (rows.min(), rows.max() + 1, columns.min(), columns.max() + 1) == (24, 40, 28, 36)


def test_the_window_grows_with_the_cell(labels):
    labels[:] = 0
    labels[10:90, 45:55] = 4
    picture = Crops(labels).crop(0, 4, size=64)
    is_cell = picture.any(axis=2)
    assert 64 / 1.6 - 2 <= is_cell.any(axis=1).sum() <= 64 / 1.6 + 2
    assert not is_cell[0].any()
    assert not is_cell[-1].any()


def test_a_huge_cell_is_shown_from_some_of_its_pixels():
    labels = np.zeros((3000, 3000), dtype=np.int32)
    labels[500:2500, 500:2500] = 1
    asked = []

    class Image:
        shape, ndim = labels.shape, 2

        def __getitem__(self, index):
            part = np.ones(labels.shape)[index]
            asked.append(part.size)
            return part

    picture = Crops(labels, [Channel(Image(), (0, 1), GREEN)]).crop(0, 1, size=32)
    assert asked[0] < 200**2
    assert picture[16, 16].tolist() == [0, 255, 0]
    assert (picture == OUTLINE).all(axis=2).any()


def test_without_images_the_cell_is_light_its_neighbours_are_dark(labels):
    labels[40:60, 62:70] = 5
    picture = Crops(labels).crop(0, 10**10, size=32)
    assert picture[16, 16].tolist() == [200] * 3
    assert picture[16, 30].tolist() == [80] * 3
    assert picture[2, 2].tolist() == [0] * 3


def test_an_rgb_image_keeps_its_colours(labels):
    image = np.zeros((*labels.shape, 4), dtype=np.uint8)
    image[...] = [10, 20, 30, 255]
    picture = Crops(labels, [Channel(image, (0, 255), None)]).crop(0, 10**10)
    assert picture[0, 0].tolist() == [10, 20, 30]


def test_labels_count_for_their_frame(labels):
    film = np.stack([np.zeros_like(labels), labels, np.roll(labels, 20, axis=1)])
    image = film.astype(float) * 0 + np.arange(3)[:, None, None]
    crops = Crops(film, [Channel(image, (0, 2), RED)], has_frames=True)
    assert crops.crop(0, 10**10) is None
    assert crops.crop(1, 10**10)[0, 0].tolist() == [128, 0, 0]
    assert crops.crop(2, 10**10)[0, 0].tolist() == [255, 0, 0]
    assert crops.crop(1, 4) is None
    assert crops.crop(3, 10**10) is None
    assert crops.crop(-1, 10**10) is None


@pytest.mark.parametrize("has_frames", [False, True])
def test_lazy_arrays_give_the_same_pictures_and_are_read_in_parts(has_frames):
    labels = rectangles(shape=(4, 60, 80), n_cells=30)
    image = np.random.default_rng(0).random(labels.shape)
    eager = Crops(labels, [Channel(image, (0, 1))], has_frames)
    stored = zarr.array(labels, chunks=(1, 30, 40))
    lazy = Crops(stored, [Channel(da.from_array(image, chunks=(1, 30, 40)), (0, 1))], has_frames)
    for frame in range(4 if has_frames else 1):
        for label in eager.boxes.of(frame).labels.tolist():
            np.testing.assert_array_equal(eager.crop(frame, label, 24), lazy.crop(frame, label, 24))


def test_films_of_3d_images():
    labels = np.zeros((2, 3, 30, 30), dtype=np.int32)
    labels[1, 2, 5:15, 5:15] = 7
    image = np.zeros(labels.shape)
    image[1, 2] = 1
    picture = Crops(labels, [Channel(image, (0, 1), GREEN)], has_frames=True).crop(1, 7, 16)
    assert picture[8, 8].tolist() == [0, 255, 0]


def test_each_frame_is_looked_through_once():
    read = []

    class Labels:
        shape, ndim = (2, 20, 20), 3

        def __getitem__(self, index):
            if len(index) == 2:
                read.append(index[0])
            return np.pad(np.full((2, 4, 4), 3), [(0, 0), (8, 8), (8, 8)])[index]

    crops = Crops(Labels(), has_frames=True)
    for _ in range(3):
        assert crops.crop(1, 3) is not None
    assert read == [1]


def test_shapes_that_do_not_fit_are_told(labels):
    with pytest.raises(ValueError, match=r"Channel 2 has the shape \(3, 3\), the labels \(100, 100\)"):
        Crops(labels, [Channel(labels, (0, 1)), Channel(np.zeros((3, 3)), (0, 1))])
    with pytest.raises(ValueError, match="but for the colours"):
        Crops(labels, [Channel(labels, (0, 1), None)])
    with pytest.raises(ValueError, match="2 axes, the first of them time"):
        Crops(labels, has_frames=True)


def test_a_stack_of_cells_has_every_channel_and_no_outline(labels):
    rng = np.random.default_rng(0)
    images = rng.random((2, 100, 100))
    crops = Crops(labels, [Channel(images[0], (0, 1), RED), Channel(images[1], (0, 0.5), GREEN)])
    stack = crops.pixel_stack([(0, 10**10), (0, 3)], size=32)
    assert stack.shape == (2, 32, 32, 2)
    # The square's window is 32 pixels wide: nothing is made smaller.
    np.testing.assert_allclose(stack[0, ..., 0], images[0, 34:66, 34:66], atol=1e-6)
    np.testing.assert_allclose(stack[0, ..., 1], np.minimum(2 * images[1, 34:66, 34:66], 1), atol=1e-6)
    assert not stack[1, 0].any()


def test_a_stack_of_what_is_not_there_is_refused(labels):
    crops = Crops(labels, [Channel(labels, (0, 1))])
    with pytest.raises(ValueError, match="1 of 2 cells are not in the labels"):
        crops.pixel_stack([(0, 3), (0, 4)])
    with pytest.raises(ValueError, match="0 of 0 cells"):
        crops.pixel_stack([])
    with pytest.raises(ValueError, match="no channel to learn from"):
        Crops(labels).pixel_stack([(0, 3)])
