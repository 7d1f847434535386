import numpy as np
import pytest

from latentmap.table.number_sets import distinct


@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_it_is_the_union_as_numpy_makes_it(n):
    rng = np.random.default_rng(n)
    one, other = rng.integers(-50, 500, n), rng.integers(-(2**62), 2**62, n)
    np.testing.assert_array_equal(distinct(one), np.unique(one))
    np.testing.assert_array_equal(distinct(one, other, one), np.unique(np.concatenate([one, other])))
    np.testing.assert_array_equal(distinct(*one.reshape(-1, 1), []), np.unique(one))


def test_lists_and_nothing_are_numbers_too():
    assert distinct([3, 1, 3]).tolist() == [1, 3]
    assert distinct((), [7]).dtype == np.int64
    assert distinct(()).shape == (0,)


def test_what_comes_in_is_left_alone():
    for given in ([5, 2, 5], [2, 5], [7]):
        numbers = np.array(given)
        distinct(numbers)[:] = 0
        assert numbers.tolist() == given
