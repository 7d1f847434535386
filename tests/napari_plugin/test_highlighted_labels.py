import numpy as np
import pytest

from latentmap.napari_layers.highlighted_labels import HighlightedLabels

SHAPES = {"2-D": (13, 17), "3-D": (4, 13, 17), "film": (5, 13, 17), "film of volumes": (3, 4, 13, 17)}
INDICES = [
    lambda shape: tuple(slice(None) for _ in shape),
    lambda shape: (0,) * (len(shape) - 2) + (slice(None), slice(None)),
    lambda shape: (shape[0] - 1,) + (slice(1, 9, 2),) * (len(shape) - 1),
    lambda shape: slice(1, 3),
    lambda shape: 2,
    lambda shape: -1,
    lambda shape: (slice(None), *(3,) * (len(shape) - 1)),
    lambda shape: Ellipsis,
]


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("kind", SHAPES)
def test_any_slice_is_what_the_plain_rule_says(kind, large, index):
    """A pixel is lit if its label is chosen in its frame, and never on the background."""
    shape, rng = SHAPES[kind], np.random.default_rng(0)
    numbers = np.array([0, 1, 3, 7, 1000, 2**40 if large else 1001, -2])
    labels = rng.choice(numbers, shape)
    has_frames = kind.startswith("film")
    chosen = {
        (int(frame), int(label))
        for frame in rng.integers(0, shape[0] if has_frames else 1, 6)
        for label in rng.choice(numbers[1:6], 3)
    }
    lit = HighlightedLabels(labels, has_frames)
    lit.choose(*np.array(sorted(chosen)).T)
    expected = np.zeros(shape, dtype=np.uint8)
    for place in np.ndindex(*shape):
        expected[place] = (place[0] if has_frames else 0, int(labels[place])) in chosen
    index = index(shape)
    np.testing.assert_array_equal(lit[index], expected[index])
    np.testing.assert_array_equal(np.asarray(lit), expected)


def test_nothing_is_read_that_nobody_looks_at():
    class Lazy:
        shape = (1000, 4096, 4096)

        def __getitem__(self, index):
            assert index[0] == 7
            return np.full((4096, 4096), 3)

    lit = HighlightedLabels(Lazy(), has_frames=True)
    lit.choose(np.array([7]), np.array([3]))
    assert lit[7, :, :].all()


def test_labels_that_nobody_chose():
    lit = HighlightedLabels(np.array([[0, 5, 9]]), has_frames=False)
    assert not np.asarray(lit).any()
    lit.choose(np.array([0]), np.array([5]))
    lit.choose(np.empty(0, int), np.empty(0, int))
    assert not np.asarray(lit).any()


def test_labels_that_no_key_can_have_are_not_lit():
    lit = HighlightedLabels(np.array([[0, 5, 2**63 + 5, 2**64 - 5]], dtype=np.uint64), has_frames=False)
    for chosen in ([5], [5, 7], [-5]):
        lit.choose(np.zeros(len(chosen), int), np.array(chosen))
        np.testing.assert_array_equal(np.asarray(lit), [[0, int(5 in chosen), 0, 0]])
