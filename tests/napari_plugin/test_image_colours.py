"""The colours of the map on the cells in the images."""

import numpy as np
import pandas as pd
import pytest
from vispy.visuals.markers import MarkersVisual

from latentmap.session import ColourBy
from latentmap.session.file import load, save

pytestmark = pytest.mark.usefixtures("replayed")

RED, BLUE = (255, 0, 0), (0, 0, 255)


@pytest.fixture
def classified(panel, cells, mapped):
    """Two classes: cell 3 is red, cell 7 is blue, the others are in no class."""
    classes = panel.session.classes
    for name, label, colour in (("one", 3, "#ff0000"), ("two", 7, "#0000ff")):
        classes.assign(name, panel.session.cell_index.numbers_of([("cells", 0, label)]))
        classes.recolour(name, colour)
    panel.session.display_settings.colour_by = ColourBy("class")
    return classes


def centre(cells, label):
    return np.argwhere(np.asarray(cells.data) == label).mean(axis=0)


def leans_to(colour, pixel):
    """Whether a pixel has the hue of red, or of blue, whatever shines through from below."""
    at = int(np.argmax(colour))
    return pixel[at] > 1.5 * max(np.delete(pixel, at).max(), 20)


def test_cells_have_the_colours_of_their_points(viewer, panel, cells, classified, colours_at):
    assert panel.explore.colours.images.value
    places = [centre(cells, label) for label in (3, 7, 1000)]
    one, two, other = colours_at(places)
    assert leans_to(RED, one)
    assert leans_to(BLUE, two)
    assert np.ptp(other) < 60  # grey, as cells in no class are
    classified.recolour("one", "#0000ff")
    assert leans_to(BLUE, colours_at(places)[0])
    # A selected cell keeps its colour, the others become dark.
    panel.selection.select_keys([("cells", 0, 7)])
    dark, lit, _ = colours_at(places)
    assert leans_to(BLUE, lit)
    assert lit.max() > 150 > 2 * dark.max() - 50
    panel.selection.clear()
    own = cells.opacity
    panel.explore.colours.images.value = False
    assert not panel.scene.link.sources[0].highlight.visible
    assert cells.opacity > own
    assert panel.session.display_settings.colour_images is False


def test_the_tick_is_kept_in_the_session(panel, cells, classified, tmp_path):
    panel.explore.colours.images.value = False
    file = tmp_path / "kept.latentmap"
    save(panel.session, file)
    assert load(file).look.colour_images is False
    panel.session.display_settings.colour_images = None
    assert panel.explore.colours.images.value


def test_what_is_saved_has_its_own_opacity(panel, cells, classified):
    (source,) = panel.scene.link.sources
    assert cells.opacity < source.opacity
    cells.opacity = 0.9  # by the user, whose word counts from now on
    panel.selection.select_keys([("cells", 0, 7)])
    assert cells.opacity == source.opacity == 0.9
    panel.explore.colours.images.value = False
    assert cells.opacity == 0.9


def test_dropped_cells_and_deleted_layers(qtbot, viewer, panel, cells, classified, colours_at):
    light = panel.scene.link.sources[0].highlight
    value = lambda label: int(np.asarray(light.data)[tuple(centre(cells, label).astype(int))])  # noqa: E731
    assert value(3)
    assert value(7)
    panel.selection.select_keys([("cells", 0, 7)])
    panel.explore.selected.drop.native.click()
    assert value(3)
    assert not value(7)
    viewer.layers.remove(cells)
    assert not panel.scene.images.is_drawn_above(light)


def test_films_and_points_are_coloured_frame_by_frame(viewer, panel, finish, colours_at, stored_fits):
    film = np.zeros((2, 40, 60), dtype=int)
    film[0, 5:15, 5:15], film[1, 5:15, 5:15], film[:, 20:30, 30:40] = 1, 1, 2
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"label": [1, 1, 2, 2], "frame": [0, 1, 0, 1], "kind": ["a", "b", "b", "a"]})
    rows = [table.assign(area=rng.normal(size=4), DNA=rng.normal(size=4))]
    for label in range(3, 12):
        film[:, 36, 5 * label] = label
        rows += [pd.DataFrame({"label": label, "frame": [0, 1], "kind": "a", "area": rng.normal(size=2), "DNA": 0.5})]
    viewer.add_labels(film, name="film", features=pd.concat(rows, ignore_index=True))
    panel.form.fields["n_neighbors"].value = 3
    panel.embed()
    finish()
    panel.session.display_settings.colour_by = ColourBy("feature", "kind")
    panel.session.display_settings.colour_images = True
    (layer,) = [source.highlight for source in panel.scene.link.sources]
    values = np.stack([np.asarray(layer.data[frame]) for frame in (0, 1)])
    assert values[0, 10, 10] == values[1, 25, 35] != values[1, 10, 10] == values[0, 25, 35]
    assert values[:, 0, 0].tolist() == [0, 0]
    viewer.dims.set_current_step(0, 0)
    before = colours_at([(10, 10)])[0]
    viewer.dims.set_current_step(0, 1)
    assert np.abs(colours_at([(10, 10)])[0] - before).max() > 60


def test_points_in_the_image_are_coloured(viewer, panel, features, finish, colours_at):
    rows, columns = np.divmod(np.arange(60), 10)
    positions = 10.0 * np.column_stack([rows, columns]) + 5
    nuclei = viewer.add_points(positions, name="nuclei", size=6, features=features)
    panel.embed()
    finish()
    numbers = panel.session.cell_index.numbers_of([("nuclei", 0, 3)])
    panel.session.classes.assign("one", numbers)
    panel.session.classes.recolour("one", "#0000ff")
    panel.session.display_settings.colour_by = ColourBy("class")
    assert leans_to(BLUE, colours_at(positions[:1])[0])
    assert len(panel.scene.link.sources[0].highlight.data) == 60
    panel.session.display_settings.colour_images = False
    assert nuclei.opacity == 1
    assert not panel.scene.link.sources[0].highlight.visible


def test_new_colours_of_points_are_drawn_once(viewer, panel, features, finish, monkeypatch):
    positions = np.random.default_rng(0).uniform(0, 50, (60, 2))
    viewer.add_points(positions, name="nuclei", features=features)
    panel.embed()
    finish()
    panel.session.classes.assign("one", panel.session.cell_index.numbers_of([("nuclei", 0, 3)]))
    panel.session.display_settings.colour_by = ColourBy("class")
    highlight, drawn, set_data = panel.scene.link.sources[0].highlight, [], MarkersVisual.set_data

    def record(visual, pos, **look):
        drawn.append(np.array_equal(np.sort(pos[:, -1]), np.sort(highlight.data[:, 0])))
        set_data(visual, pos, **look)

    monkeypatch.setattr(MarkersVisual, "set_data", record)
    panel.session.classes.recolour("one", "#0000ff")
    assert sum(drawn) == 1
