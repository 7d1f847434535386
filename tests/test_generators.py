"""Generators that report progress: whoever goes through them closes them, however it ends."""

import pytest

from latentmap.generators import result_of, retold, until_told


class Work:
    """Steps from 0, whose result is their number; it is noted when they are closed."""

    def __init__(self, n):
        self.n, self.is_closed = n, False

    def steps(self):
        try:
            yield from range(self.n)
            return self.n
        finally:
            self.is_closed = True


def test_the_result_after_all_steps():
    told = []
    assert result_of(Work(3).steps(), told.append) == 3
    assert told == [0, 1, 2]
    assert result_of(Work(0).steps()) == 0


def test_an_error_in_what_is_told_closes_the_work():
    work = Work(3)
    with pytest.raises(ZeroDivisionError):
        result_of(work.steps(), lambda step: 1 // (1 - step))
    assert work.is_closed


def test_steps_are_retold_and_the_result_is_kept():
    told = []
    assert result_of(retold(Work(2).steps(), str), told.append) == 2
    assert told == ["0", "1"]


def test_whoever_drops_retold_steps_closes_the_work():
    work = Work(3)
    steps = retold(work.steps(), str)
    next(steps)
    steps.close()
    assert work.is_closed


def test_true_ends_the_work_at_once_without_a_result():
    work = Work(3)
    steps = until_told(work.steps())
    assert next(steps) == 0
    assert steps.send(False) == 1
    with pytest.raises(StopIteration) as end:
        steps.send(True)
    assert end.value.value is None
    assert work.is_closed


def test_untold_work_has_its_result():
    assert result_of(until_told(Work(2).steps())) == 2
