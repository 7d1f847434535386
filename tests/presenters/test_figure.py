"""The figure for a paper: what is drawn, what is said below it, and the files."""

import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from matplotlib.colors import to_hex
from PIL import Image

from latentmap.display.image_plane import ImagePlane
from latentmap.images.crops import Channel
from latentmap.presenters.colours import map_colours
from latentmap.presenters.figure import figure_of, save_figure
from latentmap.session import ColourBy
from latentmap.table import CellTable

SHADES = np.linspace((0, 0, 0, 1), (1, 1, 1, 1), 255)
RED, BLUE = (230, 159, 0), (86, 180, 233)


def corner(place):
    return 4 * (place // 20) + 1, 4 * (place % 20) + 1


@pytest.fixture
def plane(cells):
    """An image of 65 x 80 pixels of 0.5 µm, in which each of the cells is a square of 3 x 3 pixels."""
    labels = np.zeros((65, 80), dtype=int)
    for place, (_, _, label) in enumerate(cells.keys):
        row, column = corner(place)
        labels[row : row + 3, column : column + 3] = label
    layer = cells.keys[0][0]
    dna = Channel(np.full(labels.shape, 50.0), (0, 100), (0, 0, 1))
    return ImagePlane.of("tissue", layer, labels, {"DNA": dna}, (), pixel_size=0.5, unit="µm")


def test_without_a_map_there_is_nothing_to_draw(session, cells, calls, plane):
    with pytest.raises(ValueError, match="There is no map yet: press Embed"):
        figure_of(session, [], [plane], SHADES)
    run = session.embed(cells)
    with pytest.raises(ValueError, match="A map is being made"):
        figure_of(session, [run], [plane], SHADES)
    calls.until(lambda: not session.runs.running)
    with pytest.raises(ValueError, match="10 mm wide is too narrow"):
        figure_of(session, [run], [plane], SHADES, width=10)
    with pytest.raises(ValueError, match="The width of the figure is '85': give a number of mm"):
        figure_of(session, [run], [plane], SHADES, width="85")


def test_without_matplotlib_the_sentence_says_what_to_install(session, embed, monkeypatch):
    run = embed()
    monkeypatch.setitem(sys.modules, "latentmap.display.paper_figure", None)
    with pytest.raises(ValueError, match="drawn with matplotlib, which is missing: pip install matplotlib"):
        figure_of(session, [run], [], SHADES)


def test_the_points_are_the_cells_of_the_map_without_those_dropped(session, embed, plane):
    run = embed()
    session.dropped.drop(run.numbers[:3])
    session.selection.select(run.numbers[3:8])
    figure = figure_of(session, [run], [plane], SHADES, width=85)
    points, rings, faces = figure.axes[0].collections[:3]
    n = len(run.numbers) - 3
    assert len(points.get_offsets()) == n
    assert len(rings.get_offsets()) == 5
    # Above all rings, so that these hide no face.
    np.testing.assert_array_equal(faces.get_offsets(), rings.get_offsets())
    assert (faces.get_facecolors()[:, 3] == 1).all()
    # One unit is as long to the right as upwards, and the map is as it is drawn elsewhere, up to place and size.
    drawn = run.result.drawn[3:]
    scale = np.ptp(points.get_offsets(), axis=0) / np.ptp(drawn, axis=0)
    assert scale[0] == pytest.approx(scale[1])
    assert figure.get_figwidth() == pytest.approx(85 / 25.4)
    assert f"{n} cells on the map “{run.name}”" in figure.caption
    assert "5 selected cells with a ring." in figure.caption


def test_cells_in_the_image_have_the_colours_of_the_map(session, embed, plane):
    run = embed()
    session.classes.assign("first", run.numbers[:10])
    session.classes.assign("second", run.numbers[10:20])
    session.display_settings.colour_by = ColourBy("class")
    figure = figure_of(session, [run], [plane], SHADES)
    (image,) = [axis.images[0] for axis in figure.axes if axis.images]
    picture = np.asarray(image.get_array())
    for place, colour in ((0, RED), (19, BLUE)):
        row, column = corner(place)
        assert tuple(picture[row, column]) == colour  # its outline
        assert tuple(picture[row + 1, column + 1]) == tuple(
            int(value) for value in np.round(0.6 * np.array([0, 0, 128]) + 0.4 * np.array(colour))
        )
    assert tuple(picture[0, 0]) == (0, 0, 128)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["first", "second"]
    assert f"grey: {len(run.numbers) - 20} in no class" in figure.caption
    session.selection.select(run.numbers[:1])
    (image,) = [axis.images[0] for axis in figure_of(session, [run], [plane], SHADES).axes if axis.images]
    picture = np.asarray(image.get_array())
    assert tuple(picture[1, 1]) == (255, 255, 255)
    assert tuple(picture[2, 78]) == (0, 0, 128)  # not selected: outlined, not filled
    assert tuple(picture[1, 77]) == BLUE


def test_a_group_has_one_colour_on_all_maps(session, embed, cells, calls):
    kinds = np.resize(["B", "NK", "T"], len(cells.features))
    typed = CellTable(cells.features.assign(type=kinds))
    runs = []
    for only in (None, np.flatnonzero(kinds != "NK")):
        runs.append(session.embed(typed, only))
        calls.until(lambda: not session.runs.running)
    session.display_settings.colour_by = ColourBy("feature", "type")
    figure = figure_of(session, runs, [], SHADES)
    (legend,) = figure.legends
    named = {
        text.get_text(): to_hex(line.get_color())
        for text, line in zip(legend.get_texts(), legend.legend_handles, strict=True)
    }
    assert len(set(named.values())) == 3
    for axis, run in zip(figure.axes, runs, strict=True):
        drawn = axis.collections[0].get_facecolors()
        words, n_cells = np.unique(run.result.cells.features["type"], return_counts=True)
        colours, n_points = np.unique([to_hex(colour) for colour in drawn], return_counts=True)
        counted = dict(zip([named[word] for word in words], n_cells, strict=True))
        assert dict(zip(colours.tolist(), n_points, strict=True)) == counted


def test_the_legend_is_named_after_its_groups(session, embed, cells, calls):
    without = embed()
    run = session.embed(CellTable(cells.features.assign(type=np.resize(["B", "T"], len(cells.features)))))
    calls.until(lambda: not session.runs.running)
    session.display_settings.colour_by = ColourBy("feature", "type")
    (legend,) = figure_of(session, [without, run], [], SHADES).legends  # the first map shows the variance
    assert legend.get_title().get_text() == "type"


def test_a_scale_shows_its_ends_and_a_bar_the_size_of_pixels(session, embed, plane):
    run = embed()
    session.display_settings.colour_by = ColourBy("feature", run.result.cells.numeric[0])
    figure = figure_of(session, [run], [plane], SHADES)
    texts = {text.get_text() for text in figure.findobj(lambda part: hasattr(part, "get_text"))}
    assert run.result.cells.numeric[0] in texts
    assert "10 µm" in texts  # a quarter of 40 µm
    spelled = figure_of(session, [run], [replace(plane, unit="micrometer")], SHADES)
    assert spelled.findobj(lambda part: hasattr(part, "get_text") and part.get_text() == "10 µm")
    assert "DNA (0 to 100)" in figure.caption
    assert "Without a scale bar" not in figure.caption
    unknown = ImagePlane.of("tissue", plane.layer, plane.labels, {}, ())
    assert "Without a scale bar: the size of its pixels is unknown." in (
        figure_of(session, [run], [unknown], SHADES).caption
    )


def test_dropped_cells_are_not_counted_beyond_the_ends_of_a_scale(session, embed):
    run = embed()
    values = run.result.cells.features["area"].to_numpy()
    session.display_settings.colour_by = ColourBy("feature", "area")
    for n_dropped in (0, len(values) // 2):
        session.dropped.drop(run.numbers[np.argsort(values)[len(values) - n_dropped :]])
        colouring = map_colours(session, run.result.cells, run.numbers, run.result.variances)
        shown = values[~session.dropped.is_dropped(run.numbers)]
        n_beyond = int(((shown < colouring.low) | (shown > colouring.high)).sum())
        said = f"{n_beyond} cell{'s' if n_beyond > 1 else ''} beyond the ends"
        assert said in figure_of(session, [run], [], SHADES).caption


def test_the_caption_of_an_outline_counts_landmarks_and_cells(session, cells, calls):
    run = session.outline(cells)
    calls.until(lambda: not session.runs.running)
    n = len(run.numbers)
    assert f"{n} landmarks, which stand for 313 cells, on the map" in figure_of(session, [run], [], SHADES).caption
    hidden = run.table.features.index[run.result.members == 0]
    session.dropped.drop(session.cell_index.numbers_of(hidden))
    said = f"{n - 1} landmarks, which stand for {313 - len(hidden)} cells, on the map"
    assert said in figure_of(session, [run], [], SHADES).caption


def test_cells_far_out_are_drawn_as_on_the_screen(session, embed):
    run = embed()
    run.result.embedding[0] = [500 * np.ptp(run.result.embedding), 0]
    for shows_all in (False, True):
        session.display_settings.show_all = shows_all
        figure = figure_of(session, [run], [], SHADES)
        across = figure.axes[0].collections[0].get_offsets()[:, 0]
        assert (np.ptp(across[1:]) < 0.1) == shows_all
        assert ("1 cell far out, drawn at the edge." in figure.caption) != shows_all
        low, high = figure.axes[0].get_xlim()
        assert low <= across.min() < across.max() <= high


def test_pixels_are_as_high_as_they_are(session, embed, plane):
    high = replace(plane, aspect=2.0)
    figure = figure_of(session, [embed()], [high], SHADES)
    figure.draw_without_rendering()
    (axis,) = [axis for axis in figure.axes if axis.images]
    box = axis.get_window_extent()
    assert box.height / box.width == pytest.approx(2 * 65 / 80, rel=0.01)


@pytest.mark.parametrize("width", [85, 174])
@pytest.mark.parametrize("names", [("odd",), ("odd", "even", "a rather long name of a class")])
def test_nothing_is_cut_off_at_the_edges(session, embed, plane, tmp_path, names, width):
    """Also beside an image that is wider than it is high, whose file is written before the figure is ever shown."""
    run = embed()
    for part, name in enumerate(names):
        session.classes.assign(name, run.numbers[part :: len(names)])
    session.display_settings.colour_by = ColourBy("class")
    save_figure(figure_of(session, [run], [plane], SHADES, width=width), tmp_path / "figure.png")
    with Image.open(tmp_path / "figure.png") as image:
        picture = np.asarray(image.convert("L"))
    edges = picture[:6], picture[-6:], picture[:, :6], picture[:, -6:]
    assert [int(edge.min()) for edge in edges] == [255] * 4


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_files_are_small_keep_their_text_and_carry_the_caption(session, embed, plane, tmp_path, ending):
    run, path = embed(), tmp_path / f"figure.{ending}"
    figure = figure_of(session, [run], [plane], SHADES)
    assert save_figure(figure, path) == f"Saved the figure in {path}. Its caption: {figure.caption}"
    if ending == "png":
        with Image.open(path) as picture:
            assert picture.text["Description"] == figure.caption
            assert picture.size[0] == pytest.approx(174 / 25.4 * 300, abs=1)
    elif ending == "svg":
        text = " ".join(ET.parse(path).getroot().itertext())
        assert figure.caption in text
        assert "tissue" in text.replace(figure.caption, "")
    else:
        assert b"/FontFile2" in path.read_bytes() or b"TrueType" in path.read_bytes()
    with pytest.raises(ValueError, match=r'"figure\.bmp": a figure is saved as \.png, \.svg or \.pdf'):
        save_figure(figure, tmp_path / "figure.bmp")
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.slow
def test_large_images_are_thinned_and_maps_of_many_cells_are_pixels(tmp_path):
    from latentmap.display.paper_figure import DrawnMap, paper_figure
    from latentmap.session import ColourGroups

    wide = ImagePlane.of("wide", "a", np.zeros((10, 9000), dtype=int), {}, (), pixel_size=0.5)
    assert wide.shape == (2, 1800)
    assert wide.pixel_size == 2.5
    n = 50_000
    many = ColourGroups("class", np.zeros(n, dtype=int), ("one",), ("#e69f00",))
    places = np.random.default_rng(0).uniform(-0.5, 0.5, (n, 2))
    drawn = DrawnMap("map", places, np.array([0.5, 0.5]), ("map 1", "map 2"), many, np.zeros(n, dtype=bool))
    save_figure(paper_figure([drawn], [], SHADES, "Many."), tmp_path / "many.svg")
    assert (tmp_path / "many.svg").stat().st_size < 3_000_000


def test_dollar_signs_in_names_are_no_formulas(session, embed, plane, tmp_path):
    run = embed()
    session.classes.assign("5 $ to 9 $^", run.numbers[:9])
    session.display_settings.colour_by = ColourBy("class")
    figure = figure_of(session, [run], [replace(plane, title="$x_{$")], SHADES)
    save_figure(figure, tmp_path / "figure.png")
    (legend,) = figure.legends
    assert not any(text.get_parse_math() for text in figure.findobj(lambda part: hasattr(part, "get_parse_math")))
    assert [text.get_text() for text in legend.get_texts()] == ["5 $ to 9 $^"]


def test_names_of_channels_do_not_overlap_in_a_wide_image(session, embed, plane):
    run, dna = embed(), np.zeros((20, 200))
    two = {name: Channel(dna, (0, 1), colour) for name, colour in (("DNA", (0, 0, 1)), ("actin", (0, 1, 0)))}
    wide = ImagePlane.of("wide", plane.layer, dna.astype(int), two, ())
    figure = figure_of(session, [run], [wide], SHADES)
    figure.draw_without_rendering()
    axis = figure.axes[1]
    lower, upper = sorted((text.get_window_extent() for text in axis.texts), key=lambda box: box.y0)
    assert lower.y1 <= upper.y0 + 1
    assert upper.y1 <= axis.get_window_extent().y1
