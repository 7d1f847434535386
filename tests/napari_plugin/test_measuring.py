"""Measuring in the panel: what the first axis is, how large pixels are, stopping, and labels edited afterwards."""

import dask.array as da
import numpy as np
import pytest
from napari.components import ViewerModel

from latentmap.measuring import MeasureProgress
from latentmap.napari_layers import measuring_layers
from latentmap.napari_plugin.panel.cells_section import CellsSection
from latentmap.napari_plugin.panel.progress_bar import RunProgressBar
from latentmap.presenters.progress import ProgressPresenter


def squares(numbers):
    return np.kron(np.reshape(numbers, (2, 2)), np.pad(np.ones((6, 6), dtype=int), 3))


FILM = np.stack([squares(numbers) for numbers in ([1, 2, 3, 4], [4, 3, 2, 1], [2, 1, 4, 3])])


@pytest.fixture
def viewer_model():
    return ViewerModel()


@pytest.fixture
def told():
    return []


@pytest.fixture
def cells(qtbot, viewer_model, told):
    section = CellsSection(viewer_model, ProgressPresenter(RunProgressBar()), told.append)
    qtbot.addWidget(section.native)
    viewer_model.layers.events.inserted.connect(section.reset_choices)
    yield section
    viewer_model.layers.events.inserted.disconnect(section.reset_choices)
    section.leave()


@pytest.fixture
def measure(qtbot, cells):
    def wait(start=None):
        (start or cells.measuring.measure)()
        qtbot.wait_until(lambda: not cells.measuring.running, timeout=120_000)

    return wait


@pytest.fixture
def looked(qtbot, cells):
    changes = cells.measuring.changes

    def wait(until):
        qtbot.wait_until(lambda: not changes.is_checking and bool(until(cells.changes.value)), timeout=60_000)
        return cells.changes.value

    return wait


@pytest.mark.parametrize("axis", ["time", "depth"])
def test_frames_taken_for_planes_are_asked_about_and_one_click_answers(viewer_model, cells, measure, told, axis):
    layer = viewer_model.add_labels(FILM, name="film")
    measure()
    assert layer.features.empty
    assert told[-1].startswith("Nothing has been measured")
    doubt = cells.measuring.axis_doubt
    assert doubt.value.startswith('The first axis of "film" looks like time: 4 of 4 numbers lie in separate pieces')
    button = cells.measuring.time_button if axis == "time" else cells.measuring.depth_button
    measure(lambda: button.changed.emit(True))
    assert len(layer.features) == (12 if axis == "time" else 4)
    assert not doubt.value


def test_a_stack_is_not_asked_about(viewer_model, measure):
    layer = viewer_model.add_labels(np.stack([FILM[0]] * 3), name="stack")
    measure()
    assert len(layer.features) == 4


def test_cancel_does_not_wait_for_the_step_under_way(monkeypatch, viewer_model, cells, told):
    from threading import Event

    is_at_work, may_end = Event(), Event()

    def stuck(*_, **__):
        yield MeasureProgress(0, 1, "shape")
        is_at_work.set()
        may_end.wait(60)

    monkeypatch.setattr(measuring_layers, "iter_measure", stuck)
    layer = viewer_model.add_labels(FILM[0], name="cells")
    cells.measuring.measure()
    assert is_at_work.wait(60)
    cells.cancel()
    assert not cells.running
    assert told[-1] == "Measuring was stopped; no layer was changed."
    may_end.set()
    assert layer.features.empty


def test_a_scale_without_a_unit_counts_and_is_told_of(viewer_model, measure, told):
    layer = viewer_model.add_labels(FILM[0], name="cells", scale=(0.5, 0.5))
    measure()
    assert layer.features["area_world2"].tolist() == [9.0] * 4
    assert "perimeter_world" in layer.features
    assert "The scale (0.5 × 0.5) has no unit" in told[-1]


def test_pooled_layers_are_measured_in_one_unit(viewer_model, cells, measure):
    coarse = viewer_model.add_labels(FILM[0], name="coarse", scale=(1, 1), units=("um", "um"))
    fine = viewer_model.add_labels(FILM[0], name="fine", scale=(500, 250), units=("nm", "nm"))
    cells.layers.value = [coarse, fine]
    measure()
    (area,) = (name for name in coarse.features if name.startswith("area_"))
    in_nm = 1e6 if area == "area_nm2" else 1
    np.testing.assert_allclose(coarse.features[area], 36 * in_nm)
    np.testing.assert_allclose(fine.features[area], 36 * 0.125 * in_nm)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"scale": (0.5, 0.5)}, "in a scale without a unit"),
        ({"scale": (0.5, 0.5), "units": ("um", "um")}, '"other" in µm'),
    ],
)
def test_sizes_that_cannot_be_compared_are_refused(viewer_model, cells, measure, told, options, said):
    layers = [viewer_model.add_labels(FILM[0], name="plain"), viewer_model.add_labels(FILM[0], name="other", **options)]
    cells.layers.value = layers
    measure()
    assert "cannot be compared" in told[-1]
    assert '"plain" in pixels' in told[-1]
    assert said in told[-1].replace("in um", "in µm")
    assert all(layer.features.empty for layer in layers)


def test_labels_edited_after_measuring_are_told_of_until_they_are_measured_again(viewer_model, cells, measure, looked):
    layer = viewer_model.add_labels(FILM[0].copy(), name="cells")
    measure()
    assert looked(lambda said: True) == ""
    layer.data_setitem((np.array([0]), np.array([0])), 9)
    layer.fill((5, 5), 0)
    said = looked(lambda said: "gone" in said)
    assert said == (
        'The labels of "cells" have changed since they were measured: 1 new (9); 1 gone (1). Measure them again.'
    )
    layer.undo()
    layer.undo()
    looked(lambda said: not said)
    layer.paint((6, 16), 1)
    assert "altered" in looked(lambda said: said)
    cells.anew_button.changed.emit(True)
    measure()
    assert looked(lambda said: not said) == ""


def test_pixels_set_in_the_array_are_seen_when_a_map_is_to_be_made(viewer_model, cells, measure, looked):
    layer = viewer_model.add_labels(FILM[0].copy(), name="cells")
    measure()
    looked(lambda said: True)
    layer.data[layer.data == 2] = 0
    cells.table()
    assert "1 gone (2)" in looked(lambda said: said)


def test_other_data_in_place_of_those_measured(viewer_model, cells, measure, looked):
    layer = viewer_model.add_labels(FILM[0].copy(), name="cells")
    measure()
    layer.data = np.zeros((30, 40), dtype=int)
    assert "4 gone (1, 2, 3, 4)" in looked(lambda said: said)
    cells.measuring.forget(layer)
    assert looked(lambda said: not said) == ""


@pytest.mark.parametrize("is_lazy", [False, True])
def test_images_with_other_pixels_than_those_measured_are_told_of(viewer_model, cells, measure, looked, is_lazy):
    pixels = FILM[0] * 5.0
    own = da.from_array(pixels, chunks=10) if is_lazy else pixels
    image = viewer_model.add_image(own, name="DNA")
    layer = viewer_model.add_labels(FILM[0].copy(), name="cells")
    measure()
    assert looked(lambda said: True) == ""
    image.data = own[::-1]
    assert cells.changes.value == '"DNA" has other pixels than when "cells" was measured: measure it again.'
    image.data = own
    assert cells.changes.value == ""
    image.data = own * 2
    cells.anew_button.changed.emit(True)
    measure()
    assert looked(lambda said: not said) == ""
    assert layer.features["DNA_mean"].tolist() == [10, 20, 30, 40]
    image.data = own
    assert cells.changes.value
    cells.measuring.forget(image)
    assert not cells.changes.value


def test_an_image_that_changes_while_it_is_measured_is_told_of(viewer_model, cells, measure):
    image = viewer_model.add_image(FILM[0] * 5.0, name="DNA")
    viewer_model.add_labels(FILM[0].copy(), name="cells")

    def start():
        cells.measuring.measure()
        image.data = FILM[0] * 10.0

    measure(start)
    assert cells.changes.value == '"DNA" has other pixels than when "cells" was measured: measure it again.'
