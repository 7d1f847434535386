"""What is done again and again takes no more memory, threads or objects at the end than at the beginning."""

import gc
import os
from pathlib import Path

import numpy as np
import pytest
from conftest import left, runs_at_work
from scipy.stats import theilslopes

CYCLES = 50
# Cycles after which nothing is made for the first time any more: caches, compiled code, arenas of the allocator.
WARM_UP = 10
# What memory may still grow by, in bytes for each cycle. One labels layer of these tests with its features takes 24 kB
# and one with its visuals in napari far more; what fragments in the allocator is less.
PER_CYCLE = 30_000

pytestmark = pytest.mark.slow


@pytest.fixture
def viewer(make_napari_viewer):
    """Not shown: see test_deletion.py."""
    return make_napari_viewer()


def resident():
    """The memory that this process has, in bytes."""
    pages = Path("/proc/self/statm")
    if not pages.exists():
        pytest.skip("no /proc: memory cannot be read here")
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def repeated(qtbot, cycle):
    """Do something again and again; return what there was after the warm-up and at the end, and the memory meanwhile."""
    before, memory = {}, []
    for number in range(WARM_UP + CYCLES):
        cycle(number)
        if number == WARM_UP - 1:
            before = left(qtbot)
        if number >= WARM_UP:
            gc.collect()
            memory.append(resident())
    return before, left(qtbot), np.array(memory)


def slope(memory):
    """By how much memory grows with each cycle; the median of all pairs' (Theil and Sen), which no single jump moves."""
    return theilslopes(memory).slope


def test_embed_cancel_embed(qtbot, panel, cells, finish):
    panel.parameters.max_iter = 20
    rng = np.random.default_rng(0)

    def cycle(number):
        panel.embed()
        qtbot.wait(int(rng.integers(0, 20)))
        panel.cancel()
        finish()
        panel.embed()
        finish()
        for run in list(panel.session.runs):
            panel.session.runs.delete(run)

    before, after, memory = repeated(qtbot, cycle)
    assert after == before
    assert not runs_at_work()
    print("slope", slope(memory), memory[[0, -1]])
    assert slope(memory) < PER_CYCLE


def test_add_and_delete_layers(qtbot, viewer, panel, labels, features, finish):
    panel.parameters.max_iter = 20

    def cycle(number):
        layer = viewer.add_labels(labels, name=f"cells {number}", features=features)
        panel.embed()
        finish()
        panel.selection.choose(panel.session.register.find([(layer.name, 0, 7)]))
        viewer.layers.clear()
        for run in list(panel.session.runs):
            panel.session.runs.delete(run)

    before, after, memory = repeated(qtbot, cycle)
    assert after == before
    assert not runs_at_work()
    print("slope", slope(memory), memory[[0, -1]])
    assert slope(memory) < PER_CYCLE
