"""Tiles are what the picture has there, whatever it is stored in, and never cost more than a view needs."""

from collections.abc import Callable
from pathlib import Path

import dask.array
import numpy as np
import pytest
import zarr

from latentmap.images.crops import Channel
from latentmap.jupyter.labelled_image import LabelledImage, pyramid
from latentmap.jupyter.tiles import NO_CELL, SIDE, TileAddress, Tiles


def whole(tiles: Tiles, size: tuple[int, int], level: int, name: str | None = None, **at: int) -> np.ndarray:
    """All tiles of a level, put together."""
    n_rows, n_columns = (-(-int(np.ceil(length / tiles.factors[level])) // SIDE) for length in size)
    places = [
        [TileAddress(level, at.get("frame", 0), at.get("plane", 0), row, column) for column in range(n_columns)]
        for row in range(n_rows)
    ]
    cut = tiles.labels if name is None else lambda place: tiles.channel(name, place)
    return np.concatenate([np.concatenate([cut(place) for place in line], axis=1) for line in places])


def knowing_all(picture: LabelledImage) -> Tiles:
    """Tiles in which a cell's number and 1 added is its label."""
    tiles = Tiles(picture)
    largest = max(int(np.max(np.asarray(level))) for level in pyramid(picture.labels))
    labels = np.tile(np.arange(1, largest + 1), picture.n_frames)
    tiles.set_numbers(np.repeat(np.arange(picture.n_frames), largest), labels, labels - 1)
    return tiles


@pytest.fixture
def labels() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 50, (1301, 1100))


def in_a_file(array: np.ndarray, path: Path) -> np.memmap:
    array.tofile(path)
    return np.memmap(path, array.dtype, "r", shape=array.shape)


@pytest.mark.parametrize(
    "stored",
    [
        lambda array, path: array,
        in_a_file,
        lambda array, path: dask.array.from_array(array, chunks=300),
        lambda array, path: zarr.array(array, chunks=(300, 300)),
    ],
    ids=["numpy", "memmap", "dask", "zarr"],
)
def test_tiles_put_together_are_the_picture(stored: Callable, labels: np.ndarray, tmp_path: Path) -> None:
    image = (1000 * labels).astype(np.uint16)
    channel = Channel(stored(image, tmp_path / "image"), (0, 1))
    tiles = knowing_all(LabelledImage("cells", stored(labels, tmp_path / "labels"), {"DNA": channel}))
    assert tiles.factors == (1, 2, 4)
    np.testing.assert_array_equal(whole(tiles, labels.shape, 0), labels)
    np.testing.assert_array_equal(whole(tiles, labels.shape, 0, "DNA"), image)
    assert whole(tiles, labels.shape, 2).shape == whole(tiles, labels.shape, 2, "DNA").shape == (326, 275)


@pytest.mark.parametrize(("level", "shape"), [(1, (651, 550)), (2, (326, 275))])
def test_lower_resolutions_of_labels_are_pixels_of_the_picture(level: int, shape: tuple, labels: np.ndarray) -> None:
    lower = whole(knowing_all(LabelledImage("cells", labels)), labels.shape, level)
    assert lower.shape == shape
    step = 2**level
    # Each is one of those that it stands for.
    for row, column in [(0, 0), (7, 11), (shape[0] - 1, shape[1] - 1)]:
        stands_for = labels[row * step : (row + 1) * step, column * step : (column + 1) * step]
        assert lower[row, column] in stands_for


def test_lower_resolutions_of_images_are_means() -> None:
    image = np.random.default_rng(0).integers(0, 60_000, (1024, 2048)).astype(np.uint16)
    tiles = Tiles(LabelledImage("DNA", channels={"DNA": Channel(image, (0, 1))}))
    assert tiles.factors == (1, 2, 4)
    for level, step in [(1, 2), (2, 4)]:
        means = image.reshape(1024 // step, step, 2048 // step, step).mean(axis=(1, 3))
        np.testing.assert_allclose(whole(tiles, image.shape, level, "DNA"), means, atol=0.51)


@pytest.mark.slow
def test_noise_is_averaged_at_the_lowest_resolutions_and_at_the_rim() -> None:
    image = np.random.default_rng(0).normal(100, 10, (4001, 3999)).astype(np.float32)
    tiles = Tiles(LabelledImage("DNA", channels={"DNA": Channel(image, (0, 1))}))
    lowest = tiles.channel("DNA", TileAddress(3, 0, 0, 0, 0))
    assert lowest.shape == (501, 500)
    assert lowest.mean() == pytest.approx(100, abs=0.1)
    assert lowest.std() == pytest.approx(10 / 4, rel=0.15)


class Endless:
    """An image too large to be read, which counts how much of it is asked for."""

    shape, ndim, dtype, n_read = (60_000, 80_000), 2, np.dtype(np.uint8), 0

    def __getitem__(self, index: tuple[slice, ...]) -> np.ndarray:
        lengths = [len(range(length)[part]) for part, length in zip(index, self.shape, strict=True)]
        self.n_read = int(np.prod(lengths))
        return np.zeros(lengths, dtype=np.uint8)


@pytest.mark.parametrize(("name", "most"), [(None, SIDE**2), ("DNA", (4 * SIDE) ** 2)])
def test_a_tile_of_the_lowest_resolution_reads_no_more_than_it_needs(name: str | None, most: int) -> None:
    image = Endless()
    tiles = Tiles(LabelledImage("cells", image, {"DNA": Channel(image, (0, 1))}))
    place = TileAddress(len(tiles.factors) - 1, 0, 0, 0, 0)
    pixels = tiles.labels(place) if name is None else tiles.channel(name, place)
    assert pixels.shape == (235, 313)
    assert pixels.size <= image.n_read <= most


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_cells_have_their_numbers_however_sparse_their_labels(dtype: type) -> None:
    labels = np.array([[0, 3, 7], [1000, 2**63 - 1, 8]], dtype=dtype)
    tiles = Tiles(LabelledImage("cells", labels))
    tiles.set_numbers([0] * 4, [1000, 3, 2**63 - 1, 7], [5, 0, 1_000_000, 2])
    assert tiles.labels(TileAddress(0, 0, 0, 0, 0)).tolist() == [[0, 1, 3], [6, 1_000_001, NO_CELL]]


def test_labels_below_zero_are_cells_too() -> None:
    tiles = Tiles(LabelledImage("cells", np.array([[-5, 0], [-(2**63), 2]])))
    tiles.set_numbers([0, 0, 0], [-(2**63), -5, 2], [0, 1, 2])
    assert tiles.labels(TileAddress(0, 0, 0, 0, 0)).tolist() == [[2, 0], [1, 3]]


def test_labels_that_come_back_in_every_frame_are_other_cells() -> None:
    film = np.array([[[1, 2]], [[2, 1]], [[1, 1]]])
    tiles = Tiles(LabelledImage("cells", film, has_frames=True))
    tiles.set_numbers([1, 0, 0, 1], [1, 1, 2, 2], [10, 20, 30, 40])
    frames = [tiles.labels(TileAddress(0, frame, 0, 0, 0)).tolist() for frame in range(3)]
    assert frames == [[[21, 31]], [[41, 11]], [[NO_CELL, NO_CELL]]]


def test_what_is_known_anew_replaces_what_was_known() -> None:
    tiles = Tiles(LabelledImage("cells", np.array([[1, 2, 3]])))
    tiles.set_numbers([0, 0], [1, 2], [0, 1])
    tiles.set_numbers([0, 0], [2, 3], [5, -1])
    assert tiles.labels(TileAddress(0, 0, 0, 0, 0)).tolist() == [[NO_CELL, 6, NO_CELL]]


def test_the_plane_and_the_frame_are_those_asked_for() -> None:
    labels = np.arange(1, 25).reshape(2, 3, 2, 2)
    tiles = knowing_all(LabelledImage("cells", labels, {"DNA": Channel(labels.astype(float), (0, 1))}, has_frames=True))
    np.testing.assert_array_equal(tiles.labels(TileAddress(0, 1, 2, 0, 0)), labels[1, 2])
    np.testing.assert_array_equal(tiles.channel("DNA", TileAddress(0, 1, 2, 0, 0)), labels[1, 2])


def test_a_pyramid_is_used_as_far_as_it_goes(labels: np.ndarray) -> None:
    # Each resolution has values of its own, so that it is seen which one a tile is from.
    levels = [np.full(labels.shape, 1), np.full((650, 550), 2), np.full((325, 275), 4)]
    tiles = knowing_all(
        LabelledImage("cells", [*levels[:2]], {"DNA": Channel([100 * level for level in levels], (0, 1))})
    )
    assert tiles.factors == (1, 2, 4)
    for level, (label, grey) in enumerate([(1, 100), (2, 200), (2, 400)]):
        found, image = whole(tiles, labels.shape, level), whole(tiles, labels.shape, level, "DNA")
        # A resolution that ends a pixel early has its last row twice.
        assert found.shape == image.shape == (-(-1301 // 2**level), -(-1100 // 2**level))
        assert (np.unique(found), np.unique(image)) == (label, grey)


@pytest.mark.parametrize("step", [3, 1.5, 4])
def test_pyramids_of_other_steps_agree_with_the_picture(step: float) -> None:
    places = [np.minimum(((np.arange(np.ceil(1200 / f)) + 0.5) * f).astype(int), 1199) for f in (1, step, step**2)]
    rows = np.broadcast_to(np.arange(1, 1201)[:, None], (1200, 1200))
    tiles = knowing_all(LabelledImage("cells", [rows[at][:, at] for at in places]))
    assert tiles.factors[0] == 1
    assert 1200 / tiles.factors[-1] <= SIDE
    for level, factor in enumerate(tiles.factors):
        seen = whole(tiles, (1200, 1200), level)[:, 0].astype(float)
        np.testing.assert_allclose(seen, (np.arange(len(seen)) + 0.5) * factor, atol=factor + 1)


def test_planes_of_a_pyramid_may_become_fewer() -> None:
    high = np.repeat(np.arange(1, 5), 600 * 600).reshape(4, 600, 600)
    tiles = knowing_all(LabelledImage("cells", [high, high[::2, ::2, ::2]]))
    seen = [tiles.labels(TileAddress(1, 0, plane, 0, 0)).max() for plane in range(4)]
    assert seen == [1, 1, 3, 3]


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [(bool, "uint8"), (np.uint8, "uint8"), (np.uint16, "uint16"), (np.int16, "float32"), (np.float64, "float32")],
)
def test_images_keep_what_contrast_needs(dtype: type, kind: str) -> None:
    image = np.array([[0, 1], [1, 0]]).astype(dtype)
    tiles = Tiles(LabelledImage("DNA", channels={"DNA": Channel(image, (0, 1))}))
    pixels = tiles.channel("DNA", TileAddress(0, 0, 0, 0, 0))
    assert pixels.dtype == tiles.kind("DNA") == kind
    np.testing.assert_array_equal(pixels, image)


def test_what_is_no_number_is_dark() -> None:
    image = np.array([[np.nan, 0.5]])
    tiles = Tiles(LabelledImage("DNA", channels={"DNA": Channel(image, (-3, 1))}))
    assert tiles.channel("DNA", TileAddress(0, 0, 0, 0, 0)).tolist() == [[-3, 0.5]]


@pytest.mark.parametrize(("brightest", "dtype"), [(1.0, float), (65535, np.uint16)])
def test_colours_of_an_image_come_as_bytes(brightest: float, dtype: type) -> None:
    image = np.zeros((2, 3, 4), dtype)
    image[1, 2] = [brightest, 0, brightest, 0]
    tiles = Tiles(LabelledImage("stain", channels={"stain": Channel(image, (0, brightest), None)}))
    pixels = tiles.channel("stain", TileAddress(0, 0, 0, 0, 0))
    assert pixels.shape == (2, 3, 3)
    assert pixels.dtype == np.uint8
    assert pixels[1, 2].tolist() == [255, 0, 255]
