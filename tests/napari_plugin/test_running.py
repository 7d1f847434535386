"""Runs by the panel's buttons, pressed with the mouse: started, paused, cancelled, begun anew, kept, compared."""

import sys
import time
from importlib import import_module
from threading import Event

import numpy as np
import pandas as pd
import pytest
from hand import LEFT
from holding import hold
from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QApplication, QLineEdit
from ringed import ringed
from scipy.spatial import cKDTree

from latentmap import LVM, DataWarning
from latentmap.model.vectors import Vectors
from latentmap.session.wording import counted

run_module = import_module("latentmap.session.embedding")
BESIDE, NAME = 0, 1


@pytest.fixture
def embed(qtbot, panel, hand):
    """Press Embed, once that can be done."""

    def press():
        panel.tabs.setCurrentIndex(0)
        qtbot.wait_until(lambda: panel.embed_button.enabled)
        hand.press_button(panel.embed_button)
        assert panel.running

    return press


@pytest.fixture
def kept(panel, cells, embed, finish, stored_fits):
    """Two maps that are kept, made with six and with nine neighbours."""
    with stored_fits.used():
        embed()
        finish()
        panel.form.fields["n_neighbors"].value = 9
        embed()
        finish()
    return list(panel.session.runs)


def press_cell(qtbot, table, row, column):
    """Click on a cell of a table; a tick box is at its left."""
    rect = table.visualItemRect(table.item(row, column))
    place = rect.center()
    if column == BESIDE:
        place.setX(rect.left() + 10)
    qtbot.mouseClick(table.viewport(), LEFT, pos=place)
    qtbot.wait(QApplication.doubleClickInterval() + 20)


def wait_for_rest(qtbot, pace):
    """Wait until the model makes no step for as long as a hundred would take it, at the latest since it is done."""
    stood = None
    while stood != (now := pace.n_steps):
        stood = now
        qtbot.wait(150)


def stage(panel):
    at_work = panel.session.runs.active
    return None if at_work is None or at_work.progress is None else at_work.progress.stage


def is_done_with(panel, n_neighbors):
    """Whether a run with so many neighbours is over: a short one may be at once."""
    return not panel.running and panel.session.runs.current.parameters["n_neighbors"] == n_neighbors


def most_lonely(places):
    """The row of the point that is farthest from its neighbour."""
    return int(np.argmax(cKDTree(places).query(places, 2)[0][:, 1]))


def map_names(viewer):
    return [layer.name for layer in viewer.layers if layer.name.startswith("map of")]


def is_in_step(viewer, panel):
    """What the map shows is the result, and the buttons are those of a panel at rest."""
    points = viewer.layers["map of cells"]
    np.testing.assert_array_equal(points.features[["map_1", "map_2"]], panel.result.embedding)
    assert panel.embed_button.enabled
    assert not panel.cancel_button.enabled
    assert not panel.pause_button.enabled
    return True


def test_embed_by_the_button(qtbot, viewer, panel, cells, embed, finish):
    embed()
    assert panel.cancel_button.enabled
    assert panel.pause_button.enabled
    finish()
    assert is_in_step(viewer, panel)
    low, high = viewer.layers["map of cells"].extent.world

    def n_lit():
        """Pixels that are not black where the map lies, and a little around it."""
        picture = viewer.screenshot(canvas_only=True, flash=False)[..., :3].max(axis=2)
        camera, centre = viewer.scene.camera, np.array(picture.shape) / 2
        (top, left), (bottom, right) = (
            np.clip(centre + (corner - np.array(camera.center)[-2:]) * camera.zoom + by, 0, picture.shape)
            for corner, by in ((low, -5), (high, 5))
        )
        return (picture[round(top) : round(bottom), round(left) : round(right)] > 10).sum()

    qtbot.wait_until(lambda: n_lit() > 60, timeout=60_000)


def test_pause_and_resume(qtbot, viewer, panel, cells, hand, embed, finish, crawling):
    embed()
    qtbot.wait_until(lambda: map_names(viewer) == ["map of cells"], timeout=60_000)
    hand.press_button(panel.pause_button)
    assert panel.pause_button.text == "Resume"
    crawling.hurry()
    wait_for_rest(qtbot, crawling)
    assert panel.running
    hand.press_button(panel.pause_button)
    assert panel.pause_button.text == "Pause"
    finish()
    assert is_in_step(viewer, panel)
    assert panel.session.runs.current.status == "done"


def test_cancel_while_paused(qtbot, viewer, panel, cells, hand, embed, finish, crawling):
    embed()
    qtbot.wait_until(lambda: map_names(viewer) == ["map of cells"], timeout=60_000)
    hand.press_button(panel.pause_button)
    hand.press_button(panel.cancel_button)
    crawling.hurry()
    finish()
    assert is_in_step(viewer, panel)
    run = panel.session.runs.current
    assert run.status == "stopped"
    assert panel.status.value.startswith(f"Stopped after {counted(run.result.n_iter, 'iteration')}, before the map was")
    assert panel.progress.text.startswith("stopped after ")
    assert panel.kept.table.item(0, NAME).text() == "1: k 6, s 2, stopped"


def test_what_a_method_warns_of_is_told_in_the_panel(viewer, panel, cells, embed, finish, recwarn):
    copied = cells.features.copy()
    copied.loc[1, ["area", "DNA", "actin"]] = copied.loc[0, ["area", "DNA", "actin"]]
    cells.features = copied
    embed()
    finish()
    assert "2 of 60 rows are duplicates" in panel.status.value
    assert not [one for one in recwarn if issubclass(one.category, DataWarning)]


def test_labels_of_other_cells_are_told_at_once_and_first(qtbot, viewer, panel, cells, embed, finish):
    usual = cells.features.copy()
    qtbot.wait(200)
    assert not panel.cells.apart.visible
    cells.features = usual.assign(label=usual["label"] + 5000)
    said = '0 of 60 rows have a cell in the labels "cells"'
    qtbot.wait_until(lambda: panel.cells.apart.value.startswith(said))
    assert "With labels 5000 lower, 60 of 60 rows would have one" in panel.cells.apart.value
    # Above all else that the panel says of the cells.
    ys = [
        one.native.mapTo(panel, QPoint(0, 0)).y() for one in (panel.cells.apart, panel.cells.load_button, panel.about)
    ]
    assert panel.cells.apart.native.isVisible()
    assert ys == sorted(ys)
    embed()
    finish()
    assert panel.status.value.startswith(said)
    cells.features = usual
    qtbot.wait_until(lambda: not panel.cells.apart.visible)


def test_cancel_before_the_first_step(viewer, panel, cells, hand, embed, finish, monkeypatch):
    held = hold(monkeypatch, LVM, lambda step: True)
    embed()
    hand.press_button(panel.cancel_button)
    held.open.set()
    finish()
    assert panel.result is None
    assert map_names(viewer) == []
    assert panel.status.value == "Stopped before there was a map."
    assert panel.embed_button.enabled


def test_cancel_while_neighbours_are_searched(qtbot, viewer, panel, cells, hand, embed, finish, monkeypatch):
    waits = gate(monkeypatch, run_module.NeighborCache, "of")
    embed()
    qtbot.wait_until(lambda: stage(panel) == "neighbours" and waits.reached.is_set())
    hand.press_button(panel.cancel_button)
    waits.open.set()
    finish()
    assert panel.result is None or panel.result.n_iter <= 1
    assert panel.embed_button.enabled
    assert panel.status.value


def test_cancel_while_the_quality_is_measured(qtbot, viewer, panel, cells, hand, embed, finish, monkeypatch):
    waits = gate(monkeypatch, run_module, "map_quality")
    embed()
    qtbot.wait_until(waits.reached.is_set, timeout=60_000)
    hand.press_button(panel.cancel_button)
    waits.open.set()
    finish()
    assert is_in_step(viewer, panel)
    assert "60 cells on the map" in panel.status.value


def test_cancel_at_any_moment_and_embed_again(subtests, qtbot, viewer, panel, cells, hand, embed, finish, slow):
    for seed in range(4):
        with subtests.test(f"seed {seed}"):
            rng = np.random.default_rng(seed)
            slow.dawdle()
            for again in range(3):
                panel.parameters.random_state = 10 * seed + again
                embed()
                qtbot.wait(int(rng.integers(0, 400)))
                if panel.running:
                    hand.press_button(panel.cancel_button)
                finish()
                assert panel.embed_button.enabled
                assert panel.result is None or is_in_step(viewer, panel)
            slow.hurry()
            panel.parameters.random_state = 10 * seed + 3
            embed()
            finish()
            assert panel.session.runs.current.status == "done"
            assert is_in_step(viewer, panel)
            assert map_names(viewer) == ["map of cells"]


def test_embed_again_during_a_run(qtbot, viewer, panel, cells, embed, finish, crawling):
    embed()
    qtbot.wait_until(lambda: map_names(viewer) == ["map of cells"], timeout=60_000)
    first = panel.session.runs.active
    embed()
    crawling.hurry()
    finish()
    assert first.result is None
    assert len(panel.session.runs) == 1
    assert is_in_step(viewer, panel)
    assert map_names(viewer) == ["map of cells"]


def test_a_slider_moved_by_keys_during_a_run_begins_it_anew(qtbot, viewer, panel, cells, embed, finish, crawling):
    embed()
    qtbot.wait_until(lambda: map_names(viewer) == ["map of cells"], timeout=60_000)
    first = panel.session.runs.active
    qtbot.keyClick(panel.form.fields["n_steps"].slider, Qt.Key.Key_Right)
    qtbot.wait_until(lambda: panel.session.runs.active is not first)
    crawling.hurry()
    finish()
    assert first.result is None
    (only,) = panel.session.runs
    assert only.parameters["n_steps"] == panel.parameters.n_steps == first.parameters["n_steps"] + 1
    assert is_in_step(viewer, panel)


def test_live_tuning_goes_on_from_the_map_and_keeps_one(qtbot, viewer, panel, cells, hand, embed, finish):
    embed()
    finish()
    (first,) = panel.session.runs
    hand.press_button(panel.live, at=_tick_of(panel.live))
    assert panel.session.live.on
    for n_neighbors in (7, 8, 9):
        panel.form.fields["n_neighbors"].value = n_neighbors
        qtbot.wait_until(lambda n=n_neighbors: is_done_with(panel, n), timeout=60_000)
    assert len(panel.session.runs) == 2
    kept, live = panel.session.runs
    assert kept is first
    assert live.parameters["n_neighbors"] == 9
    assert live.has_warm_start
    assert live.result.n_iter < first.result.n_iter
    assert is_in_step(viewer, panel)
    assert map_names(viewer) == ["map of cells"]
    hand.press_button(panel.live, at=_tick_of(panel.live))
    assert not panel.session.live.on


def test_the_map_moves_while_the_neighbours_of_the_next_are_searched(
    qtbot, viewer, panel, cells, hand, embed, finish, monkeypatch
):
    embed()
    finish()
    before, k = viewer.layers["map of cells"].data.copy(), panel.parameters.n_neighbors
    hand.press_button(panel.live, at=_tick_of(panel.live))
    waits = gate(monkeypatch, Vectors, "_searched")

    def has_moved(places):
        shown = viewer.layers["map of cells"].data
        return shown.shape == places.shape and not np.allclose(shown, places, atol=1e-6)

    panel.form.fields["n_neighbors"].value = k + 3
    qtbot.wait_until(lambda: has_moved(before) and waits.reached.is_set(), timeout=60_000)
    assert f"Map as before: k {k} instead of {k + 3}" in panel.status.value
    assert map_names(viewer) == ["map of cells"]
    hand.press_button(panel.pause_button)
    assert panel.session.runs.paused
    hand.press_button(panel.pause_button)
    once = viewer.layers["map of cells"].data.copy()
    panel.form.fields["n_neighbors"].value = k + 4
    qtbot.wait_until(lambda: f"instead of {k + 4}" in panel.status.value and has_moved(once), timeout=60_000)
    hand.press_button(panel.cancel_button)
    assert not panel.running
    assert panel.status.value == "Stopped before there was a map. The previous map is shown again."
    np.testing.assert_allclose(viewer.layers["map of cells"].data, before, atol=1e-6)
    assert is_in_step(viewer, panel)
    panel.form.fields["n_neighbors"].value = k + 5
    qtbot.wait_until(lambda: f"instead of {k + 5}" in panel.status.value and has_moved(before), timeout=60_000)
    waits.open.set()
    qtbot.wait_until(lambda: is_done_with(panel, k + 5), timeout=60_000)
    assert map_names(viewer) == ["map of cells"]
    assert is_in_step(viewer, panel)
    hand.press_button(panel.live, at=_tick_of(panel.live))


def test_parameters_at_rest_start_nothing(qtbot, panel, mapped):
    panel.form.fields["n_neighbors"].value = 9
    qtbot.wait(200)
    assert not panel.running
    assert len(panel.session.runs) == 1


def test_two_maps_side_by_side_are_linked(qtbot, viewer, panel, cells, kept, hand, labels):
    first, second = kept
    press_cell(qtbot, panel.kept.table, 0, BESIDE)
    assert panel.side_by_side.shown == [first, second]
    left, right = (viewer.layers[name] for name in map_names(viewer))
    assert left.extent.world[1, 1] < right.extent.world[0, 1]
    for layer, run in ((left, first), (right, second)):
        np.testing.assert_array_equal(layer.features[["map_1", "map_2"]], run.result.embedding)
    hand.click(np.argwhere(labels == 1003).mean(axis=0))
    assert [len(ringed(shown)) for shown in panel.scene.maps.shown] == [1, 1]
    np.testing.assert_allclose([ringed(shown)[0] for shown in panel.scene.maps.shown], [left.data[5], right.data[5]])
    lonely = most_lonely(right.data)
    hand.click(right.data[lonely])
    assert set(panel.selection.keys) == {("cells", 0, right.features["label"][lonely])}
    np.testing.assert_allclose(
        [ringed(shown)[0] for shown in panel.scene.maps.shown], [left.data[lonely], right.data[lonely]]
    )
    press_cell(qtbot, panel.kept.table, 0, BESIDE)
    assert len(map_names(viewer)) == 1
    assert is_in_step(viewer, panel)


def test_a_new_run_beside_a_ticked_one(qtbot, viewer, panel, cells, kept, embed, finish):
    press_cell(qtbot, panel.kept.table, 1, BESIDE)
    panel.form.fields["n_steps"].value = 3
    embed()
    finish()
    assert len(map_names(viewer)) == 2
    left, right = (viewer.layers[name] for name in map_names(viewer))
    np.testing.assert_array_equal(left.features[["map_1", "map_2"]], kept[1].result.embedding)
    np.testing.assert_array_equal(right.features[["map_1", "map_2"]], panel.result.embedding)


def test_a_map_ticked_during_a_run(qtbot, viewer, panel, cells, kept, embed, finish, crawling):
    panel.parameters.random_state = 1
    embed()
    qtbot.wait_until(lambda: stage(panel) == "embedding", timeout=60_000)
    press_cell(qtbot, panel.kept.table, 0, BESIDE)
    assert panel.running
    crawling.hurry()
    finish()
    assert len(map_names(viewer)) == 2
    left, right = (viewer.layers[name] for name in map_names(viewer))
    np.testing.assert_array_equal(left.features[["map_1", "map_2"]], kept[0].result.embedding)
    np.testing.assert_array_equal(right.features[["map_1", "map_2"]], panel.result.embedding)


def test_a_run_that_fails_half_way_leaves_the_map_of_before(qtbot, viewer, panel, mapped, embed, finish, monkeypatch):
    iter_fit = LVM.iter_fit

    def fail(self, X, y=None):
        for _, step in zip(range(40), iter_fit(self, X), strict=False):
            time.sleep(0.02)
            yield step
        raise ValueError("The values do not fit.")

    monkeypatch.setattr(LVM, "iter_fit", fail)
    before = panel.result
    panel.parameters.random_state = 1
    embed()
    finish()
    assert panel.status.value == "The values do not fit."
    panel.parameters.n_neighbors += 1
    qtbot.wait_until(lambda: not panel.status.value, timeout=10_000)
    assert panel.result is before
    assert is_in_step(viewer, panel)
    assert map_names(viewer) == ["map of cells"]


def test_show_rename_and_delete_a_map(qtbot, viewer, panel, cells, kept, hand):
    first, second = kept
    table = panel.kept.table
    press_cell(qtbot, table, 0, NAME)
    assert panel.session.runs.current is first
    assert is_in_step(viewer, panel)
    qtbot.keyClick(table, Qt.Key.Key_F2)
    editor = table.viewport().findChild(QLineEdit)
    qtbot.keyClicks(editor, "my map")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: first.name == "my map")
    hand.press_button(panel.kept.delete_button)
    assert list(panel.session.runs) == [second]
    assert is_in_step(viewer, panel)
    hand.press_button(panel.kept.delete_button)
    assert list(panel.session.runs) == []
    assert map_names(viewer) == []
    assert panel.kept.empty.native.isVisible()


def test_embed_the_selection_alone(panel, viewer, mapped, hand, finish):
    panel.tabs.setCurrentIndex(1)
    panel.selection.select(
        panel.session.cell_index.numbers_of([("cells", 0, n) for n in range(1000, 1030)]), how="test"
    )
    hand.press_button(panel.explore.selected.alone)
    finish()
    assert len(panel.result.embedding) == 30
    assert len(viewer.layers["map of cells"].data) == 30
    assert "Only 30 of 60 cells" in panel.status.value
    assert is_in_step(viewer, panel)


def test_drop_cells_and_have_them_back(panel, viewer, mapped, hand, embed, finish, labels):
    panel.tabs.setCurrentIndex(1)
    hand.click(np.argwhere(labels == 1003).mean(axis=0))
    hand.press_button(panel.explore.selected.drop)
    assert not panel.selection
    embed()
    finish()
    assert len(panel.result.embedding) == 59
    assert 1003 not in set(viewer.layers["map of cells"].features["label"])
    panel.tabs.setCurrentIndex(1)
    hand.press_button(panel.explore.selected.restore)
    hand.press_button(panel.embed_button)
    # With all cells there, the map of before is what a run would make again.
    assert not panel.running
    assert "its cells and parameters are the same" in panel.status.value
    assert len(panel.result.embedding) == 60
    assert is_in_step(viewer, panel)


def test_what_the_model_cannot_do_is_said_in_words(panel, viewer, cells, finish, features):
    cells.features = pd.DataFrame(features).assign(area=np.nan, DNA=np.nan, actin=np.nan)
    panel.embed()
    finish()
    assert panel.status.value
    assert map_names(viewer) == []
    assert panel.result is None


def test_a_fault_in_the_program_is_told_and_raised(qtbot, panel, cells, embed, finish, monkeypatch):
    def fail(self, X, y=None):
        raise RuntimeError("the model broke")
        yield

    monkeypatch.setattr(LVM, "iter_fit", fail)
    with qtbot.capture_exceptions() as raised:
        embed()
        finish()
        qtbot.wait(50)
    assert [str(error.__cause__) for _, error, _ in raised] == ["the model broke"]
    assert panel.status.value == "the model broke"
    assert panel.embed_button.enabled
    raised.clear()
    # Python keeps the last exception that was printed, and with it all frames and what they hold.
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        if hasattr(sys, name):
            delattr(sys, name)


class Gate:
    def __init__(self):
        self.reached, self.open = Event(), Event()


def gate(monkeypatch, owner, name):
    """Have a function wait when it is called until it is let go on."""
    waits, function = Gate(), getattr(owner, name)

    def wait(*args, **kwargs):
        waits.reached.set()
        assert waits.open.wait(60)
        return function(*args, **kwargs)

    monkeypatch.setattr(owner, name, wait)
    return waits


def _tick_of(box):
    return QPoint(8, box.native.height() // 2)
