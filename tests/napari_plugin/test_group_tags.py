"""The names of groups are drawn on the map in napari, and follow the camera."""

import numpy as np
import pytest

from latentmap.session import VARIANCE, ColourBy


@pytest.fixture
def named(panel, mapped, cells):
    """Two classes, by which the map is coloured."""
    numbers = panel.session.runs.current.numbers
    panel.session.classes.assign("even cells", numbers[::2])
    panel.session.classes.assign("odd cells", numbers[1::2])
    panel.session.display_settings.colour_by = ColourBy("class")
    return panel.scene.maps


def bright(viewer, qtbot, places):
    """How much white is drawn around each place on the canvas."""
    qtbot.wait(20)
    picture = viewer.screenshot(canvas_only=True, flash=False)[..., :3]
    found = []
    for column, row in np.round(places).astype(int):
        around = picture[max(row - 10, 0) : row + 10, max(column - 30, 0) : column + 30]
        found.append(int((around.min(axis=2) > 215).sum()))
    return found


def test_names_stand_among_their_cells_and_follow_the_camera(named, panel, viewer, qtbot):
    tags = named.painter.tags
    assert tags.names == ["even cells", "odd cells"]
    assert min(bright(viewer, qtbot, tags.places)) > 20
    shown = named.shown[0]
    names = panel.session.classes.names_of(shown.cell_numbers)

    def amid():
        for name, at in zip(tags.names, tags.places, strict=True):
            of_group = named.canvas.pixels(shown.cell_positions[names == name])
            assert np.linalg.norm(of_group - at, axis=1).min() < 25

    amid()
    before = tags.places
    viewer.scene.camera.zoom *= 1.5
    viewer.scene.camera.center = (0.0, *shown.cell_positions.mean(axis=0))
    assert np.linalg.norm(tags.places - before, axis=1).max() > 50
    amid()
    assert min(bright(viewer, qtbot, tags.places)) > 20
    shown.points.visible = False
    assert np.isnan(tags.places).all()


def test_names_are_gone_when_unticked_or_when_colours_are_no_groups(named, panel, viewer, qtbot):
    places = named.painter.tags.places
    panel.explore.colours.names.value = False
    assert named.painter.tags.names == []
    assert max(bright(viewer, qtbot, places)) < 20
    panel.explore.colours.names.value = True
    assert len(named.painter.tags.names) == 2
    panel.session.display_settings.colour_by = VARIANCE
    assert named.painter.tags.names == []
    panel.session.display_settings.colour_by = ColourBy("class")
    panel.session.classes.rename("odd cells", "others")
    assert named.painter.tags.names == ["even cells", "others"]
    panel.session.dropped.drop(panel.session.classes.members("others"))
    assert named.painter.tags.names == ["even cells"]
    viewer.layers.remove(named.shown[0].points)
    qtbot.wait_until(lambda: not len(named))
    assert named.painter.tags.names == []


def test_names_go_along_to_a_separate_view(named, panel, qtbot):
    panel.session.display_settings.own_view = True
    assert panel.scene.maps.canvas is not panel.scene.images
    assert named.painter.tags.names == ["even cells", "odd cells"]
    qtbot.wait_until(lambda: not np.isnan(named.painter.tags.places).any())
    panel.session.display_settings.own_view = False
    assert named.painter.tags.names == ["even cells", "odd cells"]
