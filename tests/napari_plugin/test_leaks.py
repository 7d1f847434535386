"""What is done again and again takes no more memory, threads or objects at the end than at the beginning."""

import ctypes
import gc
import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from leftovers import left, more_than, runs_at_work
from napari.components import ViewerModel
from qtpy.QtCore import QTimer
from scipy.stats import theilslopes

from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.session import Session

CYCLES = 12
# Cycles after which next to nothing is made for the first time any more: caches, compiled code, the allocator's arenas.
WARM_UP = 10
# What memory may still grow by, in bytes for each cycle: 60 cells with their features and map take less than 10 kB, and
# it takes the allocator a hundred runs until it asks for no more.
PER_CYCLE = 40_000
# What napari 0.9.2 itself keeps of each layer of points that is added and removed: 45 kB, most of it the completers of
# the fields for colours in its layer controls. A panel cannot give that back.
PER_LAYER = 60_000

# Selections that can be undone: of these a hundred are kept, and no more.
_KEPT = (".SelectionStep",)

pytestmark = pytest.mark.slow


@pytest.fixture
def viewer(make_napari_viewer):
    """Not shown: see test_layer_deletions.py."""
    return make_napari_viewer()


def resident():
    """The memory that this process needs, in bytes."""
    pages = Path("/proc/self/statm")
    if not pages.exists():
        pytest.skip("no /proc: memory cannot be read here")
    gc.collect()
    # What the allocator holds in store would hide the first megabytes of a leak.
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def repeated(qtbot, viewer, cycle):
    """Do something again and again; after the warm-up, objects and threads must stay as many, and memory as large."""
    added = []
    viewer.layers.events.inserted.connect(lambda event: added.append(type(event.value)))
    for number in range(WARM_UP):
        cycle(number)
    before = left(qtbot)
    # On a busy machine, threads that meet for the first time have the allocator take more. A leak goes on.
    for start in (WARM_UP, WARM_UP + CYCLES):
        added.clear()
        growth = growth_of(cycle, range(start, start + CYCLES))
        assert not more_than(before, qtbot, but=_KEPT)
        assert not runs_at_work()
        allowed = CYCLES * PER_CYCLE + len(added) * PER_LAYER
        if growth < allowed:
            return
    assert growth < allowed


def growth_of(cycle, numbers):
    """By how many bytes memory has grown after these cycles: by the median slope of all pairs, which no jump moves."""
    memory = []
    for number in numbers:
        cycle(number)
        memory.append(resident())
    return len(memory) * theilslopes(memory).slope


@pytest.mark.parametrize(
    "leak",
    [lambda: np.ones(25_000), QTimer, lambda: Session(main_thread())],
    ids=["memory", "timer", "session"],
)
def test_what_a_cycle_leaves_is_found(qtbot, monkeypatch, leak):
    """Of memory, five times as much as is let through."""
    monkeypatch.setattr("leftovers._PAUSES", (0,))
    kept = []
    with pytest.raises(AssertionError):
        repeated(qtbot, ViewerModel(), lambda number: kept.append(leak()))
    repeated(qtbot, ViewerModel(), lambda number: leak())


def forget(panel):
    for run in list(panel.session.runs):
        panel.session.runs.delete(run)


def test_embed_cancel_embed(qtbot, viewer, panel, cells, finish):
    panel.parameters.max_iter = 20
    rng = np.random.default_rng(0)

    def cycle(number):
        panel.embed()
        qtbot.wait(int(rng.integers(0, 20)))
        panel.cancel()
        finish()
        panel.embed()
        finish()
        forget(panel)

    repeated(qtbot, viewer, cycle)


def test_add_and_delete_layers(qtbot, viewer, panel, labels, features, finish):
    panel.parameters.max_iter = 20

    def cycle(number):
        viewer.add_labels(labels, name="cells", features=features)
        panel.embed()
        finish()
        panel.selection.select_keys([("cells", 0, 7)])
        viewer.layers.clear()
        forget(panel)

    repeated(qtbot, viewer, cycle)
