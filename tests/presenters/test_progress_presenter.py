"""How far something is, on a bar and in words."""

import pytest

from latentmap.display.progress_text import ProgressText, ProgressWriter
from latentmap.presenters.progress import ProgressPresenter
from latentmap.session import RunProgress


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def progress(view, clock):
    return ProgressPresenter(view, clock)


def test_nobody_knows_how_long_a_stage_takes(progress, view):
    progress.follow(RunProgress("neighbours", 0, 500, None, None))
    assert view.last("draw") == ProgressText(0, 0, ProgressWriter().busy("neighbours").text)


def test_what_is_counted_says_how_long_it_still_takes_and_a_pause_does_not_count(progress, view, clock):
    progress.count(1, 11, "measuring frame")
    clock.now = 10
    progress.count(6, 11, "measuring frame")
    assert view.last("draw") == ProgressText(6, 11, "measuring frame 6 / 11 · 10 s left")
    progress.pause()
    assert view.last("draw") == ProgressText(6, 11, "paused · measuring frame 6 / 11 · 10 s left")
    clock.now = 1000
    progress.count(7, 11, "measuring frame")
    assert view.last("draw").text == "measuring frame 7 / 11"


def test_the_end(progress, view):
    progress.complete("measured")
    assert view.last("draw") == ProgressText(1, 1, "measured")
    progress.clear()
    assert view.last("draw") == ProgressText(0, 1, "")
