"""Tracks on the map in napari, and its slider of time, which the frame shown follows and moves."""

import numpy as np
import pandas as pd
import pytest

N_TRACKS, N_FRAMES = 12, 4


@pytest.fixture
def followed(viewer, panel, finish):
    """Twelve cells that keep their numbers for four frames, on a map."""
    labels = np.zeros((N_FRAMES, 40, 90), dtype=np.int32)
    for cell in range(N_TRACKS):
        row, column = divmod(cell, 6)
        for frame in range(N_FRAMES):
            labels[frame, 20 * row + 2 : 20 * row + 10, 15 * column + frame + 1 : 15 * column + frame + 9] = cell + 1
    frames, cells = np.repeat(np.arange(N_FRAMES), N_TRACKS), np.tile(np.arange(N_TRACKS), N_FRAMES)
    rng = np.random.default_rng(0)
    features = pd.DataFrame(
        rng.normal(size=(len(cells), 3)) + 4 * (cells % 3)[:, None], columns=["area", "DNA", "actin"]
    )
    features = features.assign(label=cells + 1, frame=frames, track_id=cells)
    layer = viewer.add_labels(labels, name="cells", features=features, scale=(10, 1, 1))
    panel.embed()
    finish()
    return layer


def painted(viewer, panel, qtbot, rows):
    """How bright the canvas is half-way along the steps between cells."""
    qtbot.wait(20)
    shown = panel.scene.maps.shown[0]
    picture = viewer.screenshot(canvas_only=True, flash=False)[..., :3].max(axis=2)
    ends = panel.scene.maps.canvas.pixels(shown.cell_positions[rows.ravel()]).reshape(-1, 2, 2)
    columns, places = np.round(ends.mean(axis=1)).astype(int).T
    return np.array([picture[y - 1 : y + 2, x - 1 : x + 2].max() for x, y in zip(columns, places, strict=True)])


def test_tracks_are_drawn_and_time_is_one_in_the_window(followed, viewer, panel, qtbot):
    session, maps, section = panel.session, panel.scene.maps, panel.explore.time
    assert section.said.value == '12 tracks of 48 cells, by "track_id".'
    shown = maps.shown[0]
    links = maps.painter.tracks.lines.tracks_of(shown.cells, shown.cell_numbers).links
    before = painted(viewer, panel, qtbot, links)
    section.tracks.value = "all"
    after = painted(viewer, panel, qtbot, links)
    # A point may lie half-way along a step.
    assert (after > before).mean() > 0.7
    assert shown.points.opacity < 0.5, "The cells of the frame shown stand out above the others."

    # napari's slider moves the frame shown, and the other way round, whatever the scale of the layer.
    viewer.dims.set_current_step(0, 2)
    assert (session.playhead.frame, section.frame.value) == (2, 2)
    ((_, drawn),) = maps.painter.tracks.maps
    assert drawn.is_now.sum() == N_TRACKS
    section.frame.value = 3
    assert viewer.dims.current_step[0] == 3
    section.speed.value = 20
    section.play.native.click()
    qtbot.wait_until(lambda: viewer.dims.current_step[0] == 1, timeout=10_000)
    section.play.native.click()
    assert not section.presenter.playing

    # The path of the cell under the mouse, in the image as on the map.
    panel.scene._point_at(("cells", 1, 5))
    ((_, drawn),) = maps.painter.tracks.maps
    assert len(drawn.path) == N_FRAMES - 1
    assert painted(viewer, panel, qtbot, drawn.path).min() > 100
    panel.scene._point_at(None)

    # Nothing is left where the map or the choice is gone, and a separate view has the same.
    session.display_settings.own_view = True
    ((_, drawn),) = maps.painter.tracks.maps
    assert len(drawn.links) == N_TRACKS * (N_FRAMES - 1)
    section.tracks.value = "none"
    assert maps.shown[0].points.opacity == 1
    session.display_settings.own_view = False
    viewer.layers.remove(maps.shown[0].points)
    qtbot.wait_until(lambda: not len(maps))
    assert maps.painter.tracks.maps == []
