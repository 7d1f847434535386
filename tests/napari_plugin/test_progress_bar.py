from time import perf_counter
from types import SimpleNamespace

import numpy as np
import pytest
from qtpy.QtCore import QEvent, QObject

from latentmap.model.state import State
from latentmap.napari_plugin.panel.progress_bar import PACE, RunProgressBar
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
def bar(qtbot):
    bar = RunProgressBar()
    qtbot.addWidget(bar.native)
    bar.native.resize(360, 20)
    bar.show()
    return bar


@pytest.fixture
def shown(bar, clock):
    return ProgressPresenter(bar, clock)


def computed(embedding, variances):
    raise AssertionError("the window must not compute the likelihood")


def progress(iteration, log_likelihood=None, stage="embedding", max_iter=500):
    state = State(iteration, np.zeros((1000, 2)), np.ones(1000), computed)
    return RunProgress(stage, iteration, max_iter, None, state, log_likelihood)


def test_iterations_and_the_likelihood_of_a_cell(bar, shown):
    shown.follow(progress(0))
    assert bar.text == "0 / 500"
    shown.follow(progress(212, -7190.0))
    assert bar.text == "212 / 500 · log-likelihood −7.19 per cell"
    assert (bar.native.value(), bar.native.maximum()) == (212, 500)
    assert bar.native.toolTip() == bar.native.format() == bar.text


def test_stages_are_named_in_plain_words_while_no_one_knows_how_long_they_take(bar, shown):
    shown.follow(RunProgress("neighbours", 0, 500, None, None))
    assert bar.text == "finding each cell's neighbours"
    assert (bar.native.minimum(), bar.native.maximum()) == (0, 0)
    shown.follow(progress(500, -7190.0, stage="quality"))
    assert bar.text == "measuring how faithful the map is"
    shown.busy("reading tracks")
    assert bar.text == "reading tracks"


def test_the_words_are_drawn_also_while_no_one_knows_how_long_it_takes(bar, shown):
    bar.native.setStyleSheet("QWidget { background-color: black; color: rgb(255, 0, 0) }")

    def red():
        picture = bar.native.grab().toImage()
        colours = [picture.pixelColor(x, y) for x in range(picture.width()) for y in range(picture.height())]
        return sum(colour.red() > 200 and colour.green() < 60 for colour in colours)

    shown.clear()
    assert red() == 0
    shown.busy("quality")
    assert red() > 50


def test_while_no_one_knows_how_long_it_takes_the_bar_moves_but_seldom(qtbot, bar, shown):
    class Painted(QObject):
        times = 0

        def eventFilter(self, _, event):
            self.times += event.type() == QEvent.Type.Paint
            return False

    painted = Painted()
    shown.busy("quality")
    qtbot.wait(100)
    bar.native.installEventFilter(painted)
    start = perf_counter()
    qtbot.wait_until(lambda: painted.times >= 4)
    assert perf_counter() - start > 2 * PACE
    bar.native.removeEventFilter(painted)


def test_how_long_it_still_takes(bar, shown, clock):
    for clock.now, iteration in ((0, 0), (10, 1), (11, 51)):
        shown.follow(progress(iteration))
        assert "left" not in bar.text
    clock.now = 20
    shown.follow(progress(101))
    assert bar.text == "101 / 500 · 40 s left"
    shown.follow(progress(101, max_iter=5000))
    assert bar.text == "101 / 5000 · 8 min left"
    shown.follow(progress(495))
    assert bar.text == "495 / 500"


def test_a_pause_takes_no_time(bar, shown, clock):
    shown.follow(progress(1))
    clock.now = 10
    shown.follow(progress(101))
    shown.pause()
    assert bar.text == "paused · 101 / 500 · 40 s left"
    clock.now = 1000
    shown.follow(progress(102))
    assert bar.text == "102 / 500"
    clock.now = 1010
    shown.follow(progress(202))
    assert bar.text == "202 / 500 · 30 s left"


def test_the_next_run_is_timed_anew(bar, shown, clock):
    shown.follow(progress(1))
    clock.now = 100
    shown.follow(progress(2))
    shown.busy("neighbours")
    shown.follow(progress(3))
    clock.now = 110
    shown.follow(progress(103))
    assert bar.text == "103 / 500 · 40 s left"


def test_counting(bar, shown):
    shown.count(3, 12, "measuring frame")
    assert bar.text == "measuring frame 3 / 12"
    assert (bar.native.value(), bar.native.maximum()) == (3, 12)


def test_the_end(bar, shown):
    objective, embedding = np.array([-9000.0, -7194.0]), np.zeros((1000, 2))
    result = SimpleNamespace(n_iter=480, objective=objective, method="lvm", embedding=embedding, stopped=False)
    shown.end(SimpleNamespace(status="done", result=result), result)
    assert bar.text == "480 iterations · log-likelihood −7.19 per cell"
    assert bar.native.value() == bar.native.maximum()
    shown.complete("measured")
    assert bar.text == "measured"
    shown.clear()
    assert bar.text == ""
    assert bar.native.value() < bar.native.maximum()
