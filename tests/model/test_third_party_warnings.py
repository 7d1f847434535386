"""Warnings of libraries that users need not hear, in one thread and not in the others."""

import warnings
from threading import Barrier, Thread

import numpy as np
import pytest

from latentmap import LVM
from latentmap.model.third_party_warnings import suppress_third_party_warnings


@suppress_third_party_warnings
def warns(message="of no interest"):
    warnings.warn(message, UserWarning, stacklevel=2)
    return message


@pytest.mark.parametrize("action", ["error", "always"])
def test_no_one_hears_of_what_is_quiet(action):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter(action)
        assert warns("nothing") == "nothing"
        with pytest.warns(UserWarning, match="something"):
            warnings.warn("something", UserWarning, stacklevel=2)
    assert not heard


def test_two_threads_leave_the_filters_as_they_are():
    warns()
    before, start = list(warnings.filters), Barrier(3)

    def work():
        start.wait(60)
        for _ in range(200):
            warns()

    threads = [Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert list(warnings.filters) == before
    with pytest.warns(UserWarning, match="heard"):
        warnings.warn("heard", UserWarning, stacklevel=2)


def test_a_start_that_does_not_converge_is_quiet(recwarn):
    # Of so many columns of noise the eigenvectors are not found to the end.
    LVM(max_iter=1, n_neighbors=5).fit(np.random.default_rng(0).normal(size=(1500, 5)))
    assert not recwarn.list
