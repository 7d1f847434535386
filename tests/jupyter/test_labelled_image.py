"""What can be shown, and what is refused with a reason."""

import asyncio

import dask.array
import numpy as np
import pytest
import zarr

from latentmap.images.crops import Channel
from latentmap.jupyter import explore
from latentmap.jupyter.labelled_image import COLOURS, LabelledImage, as_channels, find_limits, sample
from latentmap.jupyter.surroundings_section import places_of

LABELS = np.zeros((40, 60), dtype=np.int32)


class Untouchable:
    """An array that must not be read."""

    shape, ndim, dtype = (4000, 6000), 2, np.dtype(np.uint16)

    def __getitem__(self, index: object) -> None:
        raise AssertionError("The highest resolution was read.")


@pytest.mark.parametrize(
    ("shape", "has_frames", "counted"),
    [
        ((40, 60), False, (1, 1, (40, 60))),
        ((5, 40, 60), False, (1, 5, (40, 60))),
        ((5, 40, 60), True, (5, 1, (40, 60))),
        ((3, 5, 40, 60), True, (3, 5, (40, 60))),
    ],
)
def test_axes_are_counted(shape: tuple[int, ...], has_frames: bool, counted: tuple) -> None:
    picture = LabelledImage("cells", np.zeros(shape, dtype=int), has_frames=has_frames)
    assert (picture.n_frames, picture.n_planes, picture.size) == counted
    assert picture.is_3d == (len(shape) - has_frames == 3)


def test_an_image_without_labels_has_its_own_shape() -> None:
    rgb = np.zeros((40, 60, 3), dtype=np.uint8)
    assert LabelledImage("stain", channels={"stain": Channel(rgb, (0, 255), None)}).size == (40, 60)
    assert LabelledImage("DNA", channels={"DNA": Channel(LABELS, (0, 1))}).size == (40, 60)


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ({}, "neither labels nor a channel"),
        ({"labels": np.zeros(7, dtype=int)}, r"has the shape \(7,\): 2 or 3 axes are needed"),
        ({"labels": LABELS, "has_frames": True}, r"has the shape \(40, 60\): 3 or 4 axes, the first of them time"),
        ({"labels": np.zeros((0, 5), dtype=int)}, "has no pixels"),
        ({"labels": LABELS + 0.5}, r"holds \d*\.5, which is no whole number"),
        ({"labels": LABELS.astype(complex)}, "have the type complex128: they must be whole numbers"),
        (
            {"labels": LABELS, "channels": {"DNA": Channel(LABELS[1:], (0, 1))}},
            r'"DNA" .* shape \(39, 60\), the labels',
        ),
        ({"labels": LABELS, "channels": {"DNA": Channel(LABELS, (0, 1), None)}}, "the last axis should be 3 or 4 long"),
        (
            {"labels": LABELS, "channels": {"DNA": Channel(np.zeros((9, 60, 3)), (0, 1), None)}},
            "they must match except for the colours",
        ),
        ({"labels": [LABELS, LABELS]}, "resolution 2 has the shape .* fewer pixels"),
        ({"labels": [np.zeros((4, 40, 60), int), np.zeros((2, 20, 30), int)], "has_frames": True}, "fewer pixels"),
        ({"labels": [LABELS, LABELS[::2, 0]]}, "the same axes"),
        ({"labels": LABELS, "scale": (0.5,)}, "distance between neighbouring rows and between neighbouring columns"),
        ({"labels": LABELS, "scale": (0.5, 0)}, "above 0"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_the_reason(what: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as refusal:
        LabelledImage("nuclei", **what)
    assert "nuclei" in str(refusal.value)


def test_pyramids_whose_planes_become_fewer_too_are_taken() -> None:
    levels = [np.zeros(shape, dtype=int) for shape in [(4, 41, 60), (2, 20, 30), (1, 10, 15)]]
    assert LabelledImage("cells", levels).n_planes == 4


def test_one_channel_is_grey_and_several_have_different_colours() -> None:
    (grey,) = as_channels({"DNA": LABELS}, n_axes=2).values()
    assert grey.colour == (1, 1, 1)
    colours = [channel.colour for channel in as_channels(dict.fromkeys("abcdefg", LABELS), n_axes=2).values()]
    assert colours == [*COLOURS, COLOURS[0]]


@pytest.mark.parametrize(("dtype", "brightest"), [(np.uint8, 255), (np.uint16, 65535), (float, 1)])
def test_images_with_colours_of_their_own_keep_them(dtype: type, brightest: float) -> None:
    channels = as_channels({"stain": np.zeros((40, 60, 3), dtype), "DNA": LABELS}, n_axes=2)
    assert channels["stain"].colour is None
    assert channels["stain"].limits == (0, brightest)
    assert channels["DNA"].colour == (1, 1, 1)


@pytest.mark.parametrize("wrap", [np.asarray, dask.array.from_array, zarr.array], ids=["numpy", "dask", "zarr"])
def test_limits_are_those_of_most_pixels(wrap: type) -> None:
    image = np.random.default_rng(0).uniform(100, 200, (2, 700, 900)).astype(np.float32)
    image[0, :9, :9] = [0, np.nan, 1e9] * 3
    low, high = find_limits(wrap(image))
    assert 99 < low < 102
    assert 198 < high < 201


@pytest.mark.parametrize("image", [np.full((40, 60), 7), np.full((40, 60), np.nan)], ids=["alike", "nan"])
def test_limits_of_an_image_without_differences_are_still_two(image: np.ndarray) -> None:
    low, high = find_limits(image)
    assert high == low + 1


def test_of_a_pyramid_only_the_lowest_resolution_is_looked_at() -> None:
    low, high = find_limits([Untouchable(), np.arange(600).reshape(20, 30)])
    assert (low, high) == (pytest.approx(0.6, abs=0.1), pytest.approx(598.4, abs=0.1))


def test_of_a_large_film_few_pixels_are_looked_at() -> None:
    film = np.broadcast_to(np.arange(50.0)[:, None, None], (50, 4000, 4000))
    pixels = sample(film)
    assert len(pixels) <= 3 * 512**2
    assert np.unique(pixels).tolist() == [0, 24, 49]


async def measured(*pictures):
    shown = explore(images=pictures)
    features = shown.cells.features
    shown.close()
    return features


def test_pixels_and_scaled_lengths_are_not_put_into_one_column():
    labels = np.zeros((40, 40), dtype=int)
    labels[5:9, 5:9], labels[20:30, 20:30] = 1, 2
    scaled, bare = LabelledImage("scaled", labels, scale=(0.5, 0.5)), LabelledImage("bare", labels)
    told = '"scaled" has a scale without a unit, "bare" has no scale'
    with pytest.raises(ValueError, match=told):
        asyncio.run(measured(scaled, bare))
    with pytest.raises(ValueError, match=told):
        places_of([scaled, bare], None)
    assert places_of([scaled], None).unit == "units of the scale"
    assert places_of([bare], None).unit == "pixels"


@pytest.mark.parametrize("scale", [(np.nan, 1.0), ("1", "1"), (np.inf, 1.0), (0.0, 1.0)])
def test_a_scale_is_made_of_lengths(scale):
    with pytest.raises(ValueError, match=r"The scale of .* all above 0"):
        LabelledImage("cells", np.ones((4, 4), dtype=int), scale=scale)
    with pytest.raises(ValueError, match=r"The unit of .cells. is 3"):
        LabelledImage("cells", np.ones((4, 4), dtype=int), unit=3)


def test_a_unit_without_a_scale_is_no_unit_of_pixels():
    labels = np.zeros((40, 40), dtype=int)
    labels[5:9, 5:9], labels[20:30, 20:30] = 1, 2
    assert asyncio.run(measured(LabelledImage("cells", labels, unit="um")))["area"].tolist() == [16, 100]
