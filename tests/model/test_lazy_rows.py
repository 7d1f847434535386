"""Rows of dask arrays, which are placed chunk by chunk."""

import numpy as np
import pytest

from latentmap import LVM
from latentmap.methods import ElasticEmbedding, LearnedMapping

da = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(230, 6)) + 6 * rng.integers(3, size=(230, 1))


@pytest.fixture(scope="module")
def fitted(rows):
    return LVM(max_iter=40).fit(rows[:130])


def test_new_rows_in_chunks_lie_where_they_lie_at_once_to_the_bit(rows, fitted):
    new = rows[130:]
    lazy = fitted.transform(da.from_array(new, chunks=(33, 4)))
    assert isinstance(lazy, da.Array)
    assert (lazy.shape, lazy.dtype, lazy.chunks) == ((100, 2), float, ((33, 33, 33, 1), (2,)))
    np.testing.assert_array_equal(lazy.compute(), fitted.transform(new))


def test_only_the_chunks_asked_for_are_placed(rows, fitted):
    read = []

    def watched(block):
        read.append(len(block))
        return block

    new = da.from_array(rows[130:], chunks=(25, 6))
    lazy = fitted.transform(new.map_blocks(watched, dtype=float, meta=np.empty((0, 6))))
    assert not read
    np.testing.assert_array_equal(lazy[30:40].compute(), fitted.transform(rows[160:170]))
    assert read == [25]


def test_single_precision_stays(rows, fitted):
    new = rows[130:].astype(np.float32)
    lazy = fitted.transform(da.from_array(new, chunks=(50, 6)))
    assert lazy.dtype == np.float32
    np.testing.assert_array_equal(lazy.compute(), fitted.transform(new))


@pytest.mark.parametrize("make", [lambda: ElasticEmbedding(max_iter=20), lambda: LearnedMapping()])
def test_other_methods_take_them_too(rows, fitted, make):
    method = make()
    method = method.fit(rows[:130], fitted.embedding_) if isinstance(method, LearnedMapping) else method.fit(rows[:130])
    lazy = method.transform(da.from_array(rows[130:], chunks=(40, 6)))
    np.testing.assert_array_equal(lazy.compute(), method.transform(rows[130:]))


def test_a_map_that_is_not_made_yet_says_so_at_once(rows):
    with pytest.raises(ValueError, match="not fitted"):
        LVM().transform(da.from_array(rows, chunks=(50, 6)))


def test_a_wrong_number_of_columns_is_told_when_it_is_computed(rows, fitted):
    lazy = fitted.transform(da.from_array(rows[:, :5], chunks=(50, 5)))
    with pytest.raises(ValueError, match="5 features, but LVM is expecting 6"):
        lazy.compute()
