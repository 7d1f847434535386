import numpy as np
import pytest
from scipy.spatial.distance import cdist
from skimage.measure import label

from latentmap.samples.synthetic import BACKGROUND, time_lapse, volume
from latentmap.session import Parameters, iter_run


@pytest.fixture(scope="module")
def moving():
    return time_lapse(layer="moving")


@pytest.fixture(scope="module")
def tracked():
    return time_lapse(layer="moving", numbering="track")


@pytest.fixture(scope="module")
def nuclei():
    return volume()


def centres(sample, frame):
    """The place of each cell of a frame, in pixels, by its number."""
    labels = sample.labels[frame]
    return {number: np.argwhere(labels == number).mean(axis=0) for number in np.unique(labels[labels > 0])}


def agreement(sample):
    """How often the five nearest on the map, the cell itself in other frames apart, are of a cell's kind."""
    results = []

    def keep():
        results.append(
            (yield from iter_run(sample.cells, Parameters(features=tuple(sample.cells.numeric), max_iter=150)))
        )

    list(keep())
    cells = results[0].cells.features.reset_index()
    distances = cdist(results[0].embedding, results[0].embedding)
    same = (cells["track"] if "track" in cells else cells["label"]).to_numpy()
    distances[same == same[:, None]] = np.inf
    near, kinds = np.argsort(distances, axis=1)[:, :5], cells["kind"].to_numpy()
    return np.mean(kinds[near] == kinds[:, None])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["moving", "tracked", "nuclei"])
def test_every_cell_is_measured_and_its_truth_known(name, request):
    sample = request.getfixturevalue(name)
    labels = sample.labels if name != "nuclei" else sample.labels[None]
    drawn = {(frame, int(number)) for frame in range(len(labels)) for number in np.unique(labels[frame]) if number}
    assert {(frame, number) for _, frame, number in sample.cells.keys} == drawn
    assert not sample.cells.features.isna().any(axis=None)
    assert sample.cells.features["kind"].value_counts(normalize=True).min() > 0.25
    assert "kind" not in sample.cells.numeric
    assert "track" not in sample.cells.numeric


@pytest.mark.parametrize("name", ["moving", "nuclei"])
def test_images_belong_to_the_labels(name, request):
    sample = request.getfixturevalue(name)
    assert list(sample.image) == ["DNA", "marker"]
    for image in sample.image.values():
        assert image.shape == sample.labels.shape
        assert np.median(image[sample.labels == 0]) == pytest.approx(BACKGROUND, abs=2)
        assert np.median(image[sample.labels > 0]) > 1.5 * BACKGROUND


@pytest.mark.slow
@pytest.mark.parametrize("make", [time_lapse, volume])
def test_the_same_sample_each_time(make):
    first, second = make(), make()
    assert (first.labels == second.labels).all()
    assert all((first.image[name] == second.image[name]).all() for name in first.image)
    assert first.cells.features.equals(second.cells.features)


@pytest.mark.parametrize("name", ["moving", "nuclei"])
def test_cells_are_whole(name, request):
    sample = request.getfixturevalue(name)
    image = sample.labels if name == "nuclei" else sample.labels[5]
    for number in np.unique(image[image > 0]):
        assert label(image == number).max() == 1


def test_numbers_come_back_in_every_frame_and_are_no_tracks(moving):
    tracks = moving.cells.features["track"].reset_index()
    assert set(tracks.loc[tracks["frame"] == 0, "label"]) <= set(tracks.loc[tracks["frame"] == 11, "label"])
    assert tracks.groupby("label")["track"].nunique().median() > 6


def test_numbers_are_tracks_if_so_wished(moving, tracked):
    tracks = tracked.cells.features["track"].reset_index()
    assert (tracks.groupby("label")["track"].nunique() == 1).all()
    assert (tracks.groupby("track")["label"].nunique() == 1).all()
    assert ((moving.labels > 0) == (tracked.labels > 0)).all()
    assert (moving.image["DNA"] == tracked.image["DNA"]).all()


def test_a_track_is_one_cell_that_moves_a_little(tracked):
    numbers = {track: key[2] for key, track in tracked.cells.features["track"].items()}
    moved = []
    for frame in range(11):
        here, there = centres(tracked, frame), centres(tracked, frame + 1)
        moved += [np.linalg.norm(here[number] - there[number]) for number in here.keys() & there.keys()]
    assert len(numbers) > 36
    assert 1 < np.median(moved) < 6
    assert max(moved) < 20


def test_a_cell_that_divides_leaves_two_of_its_kind_where_it_was(tracked):
    features = tracked.cells.features.reset_index()
    number = dict(zip(features["track"], features["label"], strict=True))
    kind = dict(zip(features["track"], features["kind"], strict=True))
    frames = features.groupby("track")["frame"].agg(["min", "max"])
    mothers = {track[:-1] for track in number if track.endswith("a")}
    assert len(mothers) >= 6
    for mother in mothers:
        last = frames.loc[mother, "max"]
        place = centres(tracked, last)[number[mother]]
        for daughter in (mother + "a", mother + "b"):
            assert frames.loc[daughter, "min"] == last + 1
            assert kind[daughter] == kind[mother]
            assert cdist([place], [centres(tracked, last + 1)[number[daughter]]]).item() < 30


def test_the_volume_is_in_micrometres_with_sparse_numbers(nuclei):
    numbers = np.array([number for _, _, number in nuclei.cells.keys])
    assert numbers.max() > 100 * len(numbers)
    balls = nuclei.cells.features.query("kind == 'ball'")
    # Some are cut by the border.
    assert balls["volume_um3"].quantile(0.75) == pytest.approx(4 / 3 * np.pi * 3.6**3, rel=0.2)
    assert balls["axis_major_length_um"].median() == pytest.approx(7.2, rel=0.1)
    assert nuclei.spacing[0] > 2 * nuclei.spacing[1]


@pytest.mark.parametrize("name", ["moving", "nuclei"])
def test_the_kinds_part_on_the_map(name, request):
    # One in three by chance.
    assert agreement(request.getfixturevalue(name)) > 0.85
