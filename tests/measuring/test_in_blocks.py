"""Measuring block by block, against measuring the image in memory."""

import dask.array as da
import numpy as np
import pytest
import zarr

from latentmap.measuring import blocks, iter_measure_blocks, measure, measure_blocks


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks that are smaller than some of the cells."""
    monkeypatch.setattr(blocks, "PIXELS", 600)


def scene(shape, seed=0, n_cells=60):
    """Rough boxes with sparse numbers, cut by one another, by the border of the image and by those of blocks."""
    rng = np.random.default_rng(seed)
    labels = np.zeros(shape, dtype=np.int64)
    for number in rng.choice(2**40, n_cells, replace=False) + 1:
        corner, size = [rng.integers(0, side - 1) for side in shape], rng.integers(1, 14, len(shape))
        labels[tuple(slice(low, low + step) for low, step in zip(corner, size, strict=True))] = number
    labels[(0,) * (len(shape) - 1)][:50] = labels.max()  # across several blocks
    labels[rng.random(shape) < 0.05] = 0
    labels.flat[-1] = -5
    return labels


def channels_of(shape):
    rng = np.random.default_rng(1)
    return {"DNA": rng.integers(0, 60000, shape).astype(np.uint16), "actin": rng.normal(size=shape)}


def as_zarr(array, chunks):
    stored = zarr.create_array({}, shape=array.shape, dtype=array.dtype, chunks=chunks)
    stored[:] = array
    return stored


KINDS = {
    "memory": lambda array: array,
    "dask": lambda array: da.from_array(array, chunks=(11,) * array.ndim),
    "zarr": lambda array: as_zarr(array, (8,) * array.ndim),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("shape", "has_frames"), [((90, 100), False), ((3, 50, 60), True), ((9, 40, 50), False)])
def test_the_bits_of_the_whole_image(shape, has_frames, kind):
    labels = np.stack([scene(shape[1:], seed) for seed in range(3)]) if has_frames else scene(shape)
    channels, lazy = channels_of(shape), KINDS[kind]
    settings = {"layer": "nuclei", "has_frames": has_frames, "texture": True, "picture_size": 6}
    settings["spacing"] = (0.5,) * (labels.ndim - has_frames)
    whole = measure(labels, channels, **settings)
    parted = measure_blocks(lazy(labels), {name: lazy(image) for name, image in channels.items()}, **settings)
    assert parted.notes == whole.notes
    assert parted.features.columns.equals(whole.features.columns)
    differing = [name for name in whole.features if not whole.features[name].equals(parted.features[name])]
    # Surfaces are added up in another order.
    assert not {*differing} - {"surface_area"}
    np.testing.assert_allclose(parted.features, whole.features, rtol=1e-12)
    assert parted.keys == whole.keys


def test_grey_levels_of_a_sample_are_those_of_the_whole_image(monkeypatch):
    monkeypatch.setattr("latentmap.measuring.texture._SAMPLE", 500)
    labels, channels = scene((90, 100)), channels_of((90, 100))
    both = [how(labels, channels, layer="nuclei", texture=True) for how in (measure, measure_blocks)]
    assert both[0].features.equals(both[1].features)


def test_the_same_number_in_other_blocks_is_one_cell():
    labels = np.zeros((60, 60), dtype=np.uint8)
    labels[2:6, 2:6] = labels[50:55, 50:52] = 7
    cells = measure_blocks(labels, layer="nuclei")
    assert cells.features["area"].tolist() == [26]
    assert cells.features.equals(measure(labels, layer="nuclei").features)


def test_cells_that_do_not_fit_into_memory_are_refused_with_what_to_do(monkeypatch):
    labels = np.zeros((60, 60), dtype=np.uint8)
    labels[2:6, 2:6], labels[1, 1:50] = 3, 7
    labels[50:55, 50:52] = 7
    monkeypatch.setattr("latentmap.measuring.block_workers.free_memory", lambda: 150_000)
    with pytest.raises(
        ValueError, match=r'In "nuclei" label 7 needs a window of 54 x 51 pixels.*number the cells anew'
    ):
        measure_blocks(labels, layer="nuclei")


@pytest.mark.parametrize(
    ("side", "advice"), [(60, "in chunks as large as this: save them in smaller ones"), (10, "give each worker more")]
)
def test_many_cells_that_do_not_fit_into_memory_together_are_refused(monkeypatch, side, advice):
    monkeypatch.setattr("latentmap.measuring.block_workers.free_memory", lambda: 1000)
    labels = da.from_array(np.arange(1, 226).reshape(15, 15).repeat(4, 0).repeat(4, 1), chunks=side)
    with pytest.raises(ValueError, match=rf'In "nuclei" \d+ cells share a window of .* {advice}'):
        measure_blocks(labels, layer="nuclei")


def test_numbers_that_repeat_from_tile_to_tile_are_refused(monkeypatch):
    monkeypatch.setattr("latentmap.measuring.block_windows._LITTLE", 0)
    tile = np.arange(1, 26).reshape(5, 5).repeat(4, 0).repeat(4, 1)
    with pytest.raises(ValueError, match=r'In "nuclei" many cells reach far beyond.*number the cells anew'):
        measure_blocks(np.tile(tile, (5, 5)), layer="nuclei")


def test_it_ends_when_told_and_tells_how_far_it_has_come():
    labels = scene((90, 100))
    steps = iter_measure_blocks(labels, channels_of(labels.shape), layer="nuclei", texture=True)
    seen = [next(steps) for _ in range(3)]
    with pytest.raises(StopIteration) as end:
        steps.send(True)
    assert end.value.value is None
    seen += iter_measure_blocks(labels, channels_of(labels.shape), layer="nuclei", texture=True)
    done = [step.done for step in seen[3:]]
    assert done == sorted(done)
    assert done[-1] == seen[-1].total
    assert list(dict.fromkeys(step.what for step in seen)) == ["finding cells", "grey levels", "measuring"]


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(ValueError, match='"nuclei" holds no cell'):
        measure_blocks(np.zeros((60, 60), dtype=int), layer="nuclei")
    with pytest.raises(ValueError, match="picture_size"):
        measure_blocks(scene((60, 60)), layer="nuclei", picture_size=-1)
