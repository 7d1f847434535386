"""Measuring, against cell-by-cell computation from the whole image."""

import numpy as np
import pytest
from skimage.measure import perimeter
from skimage.morphology import convex_hull_image

from latentmap.measuring import iter_measure, measure


@pytest.fixture
def labels():
    labels = np.zeros((20, 20), dtype=np.uint16)
    labels[2:6, 2:8] = 7
    labels[10:18, 10:18] = 1000
    return labels


@pytest.fixture
def lazy():
    class Lazy:
        """An array that is read frame by frame, and remembers which frames were."""

        def __init__(self, array):
            self.shape, self.dtype, self.read, self._array = array.shape, array.dtype, [], array

        def __getitem__(self, frame):
            assert isinstance(frame, int)
            self.read.append(frame)
            return self._array[frame]

        def __array__(self, dtype=None, copy=None):
            raise AssertionError("read as a whole")

    return Lazy


def scene(rng, shape, numbers):
    """Boxes and lone pixels with these numbers, some of them cut by the border, some by each other."""
    labels = np.zeros(shape, dtype=np.int64)
    for number in numbers:
        corner = [rng.integers(-2, side - 1) for side in shape]
        size = rng.integers(1, 7, len(shape)) if rng.random() < 0.8 else np.ones(len(shape), dtype=int)
        labels[tuple(slice(max(low, 0), max(low, 0) + step) for low, step in zip(corner, size, strict=True))] = number
        holes = rng.random(shape) < 0.1
        labels[holes & (labels == number)] = 0
    return labels


def brute_force(labels, channels, spacing):
    """The features of each cell of a frame, from all the pixels of the frame that have its number."""
    rows = {}
    for number in np.unique(labels[labels > 0]):
        mask = labels == number
        places = np.argwhere(mask) * spacing
        box = np.ptp(np.argwhere(mask), axis=0) + 1
        spread = np.linalg.eigvalsh(np.atleast_2d(np.cov(places.T, bias=True))).clip(0)
        flat = labels.ndim == 2
        row = {
            "area": mask.sum() * np.prod(spacing),
            "extent": mask.sum() / np.prod(box),
            "axis_major_length": np.sqrt((16 if flat else 20) * spread[-1]),
            "axis_minor_length": np.sqrt((16 if flat else 20) * spread[0]),
        }
        if flat:
            row["solidity"] = mask.sum() / convex_hull_image(np.pad(mask, 2)).sum()
            row["eccentricity"] = np.sqrt(1 - spread[0] / spread[1]) if spread[1] else 0
            if spacing[0] == spacing[1]:
                row["perimeter"] = perimeter(np.pad(mask, 2), 4) * spacing[0]
        for name, image in channels.items():
            values = image[mask]
            row |= {f"{name}_{what}": getattr(values, what)() for what in ("mean", "std", "min", "max")}
        rows[int(number)] = row
    return rows


@pytest.mark.parametrize("spacing", [(1, 1), (0.5, 0.5), (2, 0.5), (1, 1, 1), (2.5, 0.5, 0.5), (3, 1, 0.5)])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_cell_of_every_frame_as_by_brute_force(spacing, seed, lazy):
    rng = np.random.default_rng(seed)
    shape = (24, 30) if len(spacing) == 2 else (6, 14, 15)
    # The same sparse numbers in all frames, and a frame of background.
    numbers = rng.choice(2**40, 12, replace=False) + 1
    labels = np.stack([scene(rng, shape, numbers) for _ in range(4)])
    labels[2] = 0
    channels = {"DNA": rng.integers(0, 60000, labels.shape).astype(np.uint16), "actin": rng.normal(size=labels.shape)}
    cells = measure(lazy(labels), channels, layer="nuclei", has_frames=True, spacing=spacing)

    expected = {
        ("nuclei", frame, number): row
        for frame in range(len(labels))
        for number, row in brute_force(
            labels[frame], {name: image[frame] for name, image in channels.items()}, spacing
        ).items()
    }
    assert cells.keys == list(expected)
    assert len({label for _, _, label in expected}) < len(expected)
    for key, row in expected.items():
        measured = cells.features.loc[key]
        assert set(row) <= set(measured.index)
        for name, value in row.items():
            assert measured[name] == pytest.approx(value, rel=1e-6, abs=1e-6), (key, name)
    assert np.isfinite(cells.features.to_numpy()).all()


def test_shape_and_intensity_of_each_cell(labels):
    dna = np.where(labels == 7, 10.0, 30.0)
    dna[2, 2] = 16.0
    cells = measure(labels, {"DNA": dna, "actin": labels / 2}, layer="nuclei")
    assert cells.keys == [("nuclei", 0, 7), ("nuclei", 0, 1000)]
    assert cells.features["area"].tolist() == [24, 64]
    assert cells.features["DNA_mean"].tolist() == [10.25, 30.0]
    assert cells.features["DNA_max"].tolist() == [16.0, 30.0]
    assert cells.features["actin_min"].tolist() == [3.5, 500.0]
    assert not [name for name in cells.features if "intensity" in name]


def test_without_images_the_shape_is_measured(labels):
    cells = measure(labels, layer="nuclei")
    assert cells.features["extent"].tolist() == [1.0, 1.0]
    assert cells.features["eccentricity"].iloc[1] == pytest.approx(0)


def test_volumes(labels):
    cells = measure(np.stack([labels] * 3), {"DNA": np.stack([labels] * 3)}, layer="nuclei")
    assert cells.features["area"].tolist() == [72, 192]
    assert cells.features["DNA_mean"].tolist() == [7, 1000]


def test_names_carry_the_unit(labels):
    flat = measure(labels, layer="nuclei", spacing=(0.5, 0.5), unit="um").features
    assert {"area_um2", "perimeter_um", "axis_major_length_um", "axis_minor_length_um", "solidity"} <= set(flat)
    assert flat["area_um2"].tolist() == [6, 16]
    deep = measure(np.stack([labels] * 3), layer="nuclei", spacing=(2, 0.5, 0.5), unit="um").features
    assert {"volume_um3", "surface_area_um2", "equivalent_diameter_um", "axis_major_length_um"} <= set(deep)
    assert not [name for name in deep if name.startswith("area")]
    assert deep["volume_um3"].tolist() == [36, 96]


def test_the_perimeter_of_oblong_pixels_is_left_out_and_a_note_says_so(labels):
    cells = measure(labels, layer="nuclei", spacing=(1, 0.5), unit="um")
    assert not [name for name in cells.features if "perimeter" in name]
    assert any("perimeter is not measured" in note and "1 by 0.5" in note for note in cells.notes)
    nearly = measure(labels, layer="nuclei", spacing=(0.5, 0.5 + 1e-12), unit="um")
    assert "perimeter_um" in nearly.features
    assert not nearly.notes


@pytest.mark.parametrize("read", ["dask", "memmap", "big-endian"])
def test_lazy_and_foreign_arrays(read, labels, tmp_path):
    frames = np.stack([labels, 0 * labels, labels.T])
    expected = measure(frames, {"DNA": frames * 2.0}, layer="nuclei", has_frames=True).features
    if read == "dask":
        array = pytest.importorskip("dask.array").from_array(frames, chunks=(1, 10, 10))
    elif read == "memmap":
        array = np.memmap(tmp_path / "labels", dtype=frames.dtype, mode="w+", shape=frames.shape)
        array[:] = frames
    else:
        array = frames.astype(">u2")
    assert measure(array, {"DNA": array * 2.0}, layer="nuclei", has_frames=True).features.equals(expected)


def test_one_frame_at_a_time_is_read(labels, lazy):
    frames = lazy(np.stack([labels] * 3))
    dna = lazy(np.ones((3, 20, 20)))
    steps = iter_measure(frames, {"DNA": dna}, layer="nuclei", has_frames=True)
    while not dna.read:
        next(steps)
    assert (frames.read, dna.read) == ([0], [0])
    list(steps)
    assert (frames.read, dna.read) == ([0, 1, 2], [0, 1, 2])


@pytest.mark.parametrize("more", [{}, {"texture": True}, {"picture_size": 4}, {"texture": True, "picture_size": 4}])
def test_progress_grows_to_the_end_and_says_what_is_done(labels, more):
    many = np.kron(np.arange(1, 226).reshape(15, 15), np.pad(np.ones((3, 3), dtype=int), 1))
    channels = {"DNA": np.stack([many, many]), "actin": np.stack([many, many])}
    steps = list(iter_measure(np.stack([many, many]), channels, layer="cells", has_frames=True, **more))
    done = [step.done for step in steps]
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] == steps[-1].total
    assert len({step.total for step in steps}) == 1
    for what in ("frame 1 of 2: shape", "frame 2 of 2: actin"):
        assert sum(step.what == what for step in steps) >= 225 // 50
    assert any("grey levels of DNA" in step.what for step in steps) == bool(more)
    n_pictured = sum(step.what == "frame 2 of 2: pictures in actin" for step in steps)
    assert n_pictured >= 225 // 50 if "picture_size" in more else not n_pictured


def test_it_can_be_ended_at_any_step(labels):
    channels = {"DNA": np.ones((2, 20, 20))}

    def start():
        more = {"texture": True, "picture_size": 4}
        return iter_measure(np.stack([labels] * 2), channels, layer="nuclei", has_frames=True, **more)

    for wait in range(len(list(start()))):
        steps = start()
        for _ in range(wait + 1):
            next(steps)
        with pytest.raises(StopIteration) as end:
            steps.send(True)
        assert end.value.value is None


def test_the_generator_returns_what_measure_does(labels):
    returned = []

    def keep():
        returned.append((yield from iter_measure(labels, layer="nuclei")))

    list(keep())
    assert returned[0].features.equals(measure(labels, layer="nuclei").features)


def test_numbers_below_0_are_not_cells_and_a_note_counts_them(labels):
    below = labels.astype(np.int32)
    below[0, :3] = [-1, -2, -2]
    cells = measure(below, layer="nuclei")
    assert cells.features.equals(measure(labels, layer="nuclei").features)
    assert cells.notes == ("Numbers below 0 are not cells: 2 left out.",)


def test_texture_without_an_image_is_a_note(labels):
    cells = measure(labels, layer="nuclei", texture=True)
    assert cells.features.equals(measure(labels, layer="nuclei").features)
    assert "No texture is measured" in cells.notes[0]


def test_a_channel_of_another_size_is_named(labels):
    with pytest.raises(ValueError, match=r'"DNA" has the shape \(5, 5\)'):
        measure(labels, {"DNA": np.zeros((5, 5))}, layer="nuclei")


@pytest.mark.parametrize("texture", [False, True])
@pytest.mark.parametrize("shape", [(20, 20), (3, 20, 20), (0, 20, 20)])
def test_no_cell(shape, texture):
    labels, has_frames = np.zeros(shape, dtype=int), len(shape) == 3
    with pytest.raises(ValueError, match='"nuclei" holds no cell'):
        measure(labels, {"DNA": np.ones(shape)}, layer="nuclei", has_frames=has_frames, texture=texture)


def test_too_many_axes(labels):
    with pytest.raises(ValueError, match="4 axes"):
        measure(labels[None, None], layer="nuclei")
    assert len(measure(labels[None, None], layer="nuclei", has_frames=True).features) == 2


def test_too_few_axes_for_frames(labels):
    with pytest.raises(ValueError, match="2 axes"):
        measure(labels, layer="nuclei", has_frames=True)


@pytest.mark.parametrize("dtype", [bool, complex])
def test_cells_that_are_not_numbered(labels, dtype):
    with pytest.raises(ValueError, match='"nuclei" does not hold whole numbers'):
        measure(labels.astype(dtype), layer="nuclei")


@pytest.mark.parametrize("spacing", [(1,), (1, 1, 1), (1, 0), (1, -2), (1, np.nan), 0.5])
def test_spacing_that_does_not_fit(labels, spacing):
    with pytest.raises(ValueError, match="must be 2 numbers above 0"):
        measure(labels, layer="nuclei", spacing=spacing)


def test_a_unit_without_a_spacing_is_refused(labels):
    with pytest.raises(ValueError, match='The unit "um" is given without the spacing'):
        measure(labels, layer="nuclei", unit="um")


def film_of(n_frames, renumbered):
    """A film of 16 cells; their numbers are shuffled from frame to frame, or they stay."""
    rng = np.random.default_rng(0)
    film = np.zeros((n_frames, 64, 64), dtype=np.int32)
    for frame in range(n_frames):
        numbers = rng.permutation(16) if renumbered else np.arange(16)
        for place, number in enumerate(numbers.tolist()):
            row, column = divmod(place, 4)
            film[frame, 16 * row + 2 : 16 * row + 9, 16 * column + 2 : 16 * column + 9] = number + 1
    return film


def test_planes_that_look_like_frames_are_noted():
    assert any("looks like time" in note for note in measure(film_of(4, True), layer="film").notes)
    assert not any("time" in note for note in measure(film_of(4, True), layer="film", has_frames=True).notes)
    assert not any("time" in note for note in measure(film_of(4, False), layer="stack").notes)


def test_numbers_that_are_others_in_each_plane_are_noted():
    """So do programs number the cells that find them frame by frame, or plane by plane."""
    film = film_of(4, False)
    film += (film > 0) * (100 * np.arange(4, dtype=np.int32)[:, None, None])
    for labels in (film, film[:2]):
        (note,) = measure(labels, layer="film").notes
        assert note.startswith('The first axis of "film" looks like time: no number lies in two neighbouring planes.')
    assert measure(film, layer="film", has_frames=True).notes == ()
    film[1:] = 0
    assert measure(film, layer="one plane").notes == ()


def test_a_cell_that_leans_from_plane_to_plane_is_in_one_piece():
    leaning = np.zeros((8, 20, 20), dtype=int)
    for plane in range(8):
        leaning[plane, 2 * plane : 2 * plane + 2, 3:6] = 5
    assert measure(leaning, layer="stack").notes == ()


def test_each_large_cell_is_a_step_of_its_own():
    """Twenty cells of two pieces each in a stack: whoever wants to stop need not wait for all of them."""
    film = film_of(6, True)
    steps = [step.what for step in iter_measure(film, layer="film")]
    assert sum(what == "shape" for what in steps) > 16


def test_labels_that_are_an_image_in_colours_are_refused():
    with pytest.raises(ValueError, match="looks like a colour image"):
        measure(np.full((40, 50, 3), 7, dtype=np.uint8), layer="tissue")


def test_a_number_that_no_key_can_have_is_refused():
    labels = np.zeros((9, 9), dtype=np.uint64)
    labels[2:5, 2:5] = 2**63 + 5
    with pytest.raises(ValueError, match=f"label {2**63 + 5}, but a cell's number is at most {2**63 - 1}"):
        measure(labels, layer="cells")


def test_a_mask_that_is_taken_for_labels_is_told():
    mask = np.zeros((20, 20), dtype=np.uint8)
    mask[2:6, 2:6] = mask[10:16, 10:16] = 255
    said = (
        'The only number in "mask" is 255, in separate pieces, which count as one cell. If it is a mask, number its '
        "cells first, for instance with skimage.measure.label."
    )
    assert measure(mask, layer="mask").notes == (said,)
    mask[2:6, 2:6] = 0
    assert measure(mask, layer="mask").notes == ()
    mask[2:6, 2:6] = 254
    assert measure(mask, layer="mask").notes == ()


@pytest.mark.parametrize("kind", [complex, "M8[s]", "U1"])
def test_a_channel_of_what_are_no_real_numbers_is_refused(kind):
    labels = np.eye(8, dtype=int)
    with pytest.raises(ValueError, match=r'Channel "DNA" holds .*: intensities are real numbers'):
        measure(labels, {"DNA": np.zeros((8, 8), dtype=kind)}, layer="cells")
