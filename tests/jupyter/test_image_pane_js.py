"""What is seen of an image pane in a browser, and what comes of the mouse and the keys there."""

import numpy as np
import pytest
from pane_page import PanePage

from latentmap.images.crops import Channel
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.labelled_image import LabelledImage, as_channels

RED, GREEN, BLUE, YELLOW = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 221, 51)
GREY = (100, 100, 100)


def squares(*labels, size=(40, 60), side=10):
    """Squares in a row, of these labels, 5 pixels apart, the first at row and column 10."""
    pixels = np.zeros(size, dtype=np.int64)
    for place, label in enumerate(labels):
        left = 10 + place * (side + 5)
        pixels[10 : 10 + side, left : left + side] = label
    return pixels


def middle(place):
    """The pixel in the middle of one of the squares."""
    return 15, 15 + 15 * place


def grey(shape, value=100):
    return {"grey": Channel(np.full(shape, value, dtype=np.uint8), (0, 255))}


def opaque(*colours):
    return np.array([[*colour, 255] for colour in colours], dtype=np.uint8)


@pytest.fixture
def show(browser):
    """A function that shows pictures on a page; the browser must have nothing to complain of in the end."""
    pages = []

    def show(pictures, colours=(RED, GREEN, BLUE), width=800, dark=False, ratio=1, **traits):
        pane = ImagePane(pictures, **{"opacity": 1.0, "height": 400} | traits)
        pane.colours = opaque(*colours)
        for picture in pane.pictures:
            if picture.labels is not None:
                know_in_order(pane, picture)
        pages.append(PanePage(browser, pane, width, dark, ratio=ratio))
        return pages[-1].wait()

    yield show
    for page in pages:
        assert page.errors == []


def know_in_order(pane, picture):
    """The cells get numbers by frame, and in a frame by label."""
    frames = np.asarray(picture.labels).reshape(picture.n_frames, -1)
    labels = [np.unique(frame[frame != 0]) for frame in frames]
    counts = [len(found) for found in labels]
    pane.set_numbers(
        picture.name, np.repeat(np.arange(len(counts)), counts), np.concatenate(labels), np.arange(sum(counts))
    )


@pytest.fixture
def three(show):
    """Three cells with sparse labels on grey."""
    labels = squares(3, 7, 1000)
    return show(LabelledImage("cells", labels, grey(labels.shape)))


def test_cells_have_their_colours_and_stay_where_they_are(three):
    assert three.all_seen(*map(middle, range(3))) == [[*RED], [*GREEN], [*BLUE]]
    # The pixels at the rim of a cell, and those beside them.
    assert three.seen(10, 10)[0] > 200
    assert three.all_seen((9, 12), (12, 9), (20, 12), (12, 20)) == [[*GREY]] * 4


def test_colours_cover_the_image_as_far_as_they_are_opaque(three):
    three.pane.opacity = 0.4
    assert three.seen(*middle(0)) == pytest.approx([0.4 * 255 + 60, 60, 60], abs=1)
    three.pane.colours = np.array([[255, 0, 0, 0]], dtype=np.uint8)
    # Neither the first, which is transparent, nor those without a colour; their outlines are seen all the same.
    assert three.all_seen(*map(middle, range(3))) == [[*GREY]] * 3
    assert three.seen(9.6, 45) == pytest.approx([152] * 3, abs=2)


def test_cells_without_a_number_have_an_outline_only(three):
    three.pane.set_numbers("cells", [0], [7], [0])
    assert three.all_seen(*map(middle, range(3))) == [[*GREY], [*RED], [*GREY]]
    three.page.mouse.click(*three.point(*middle(2)))
    assert three.sent("click")[-1]["number"] is None


def test_selected_cells_stand_out_and_the_others_are_dimmed(three):
    n_tiles = len(three.sent("tile"))
    three.pane.selected = [1]
    chosen, outline, other, ground = three.all_seen(middle(1), (9.7, 30), middle(0), (30, 30))
    assert chosen == pytest.approx(0.75 * np.array(YELLOW) + 0.25 * np.array(GREEN), abs=2)
    assert min(outline) > 120  # it is brighter than the colour
    assert other == [102, 0, 0]
    assert ground == [40, 40, 40]
    three.pane.highlight = "#ff00ff"
    assert three.seen(*middle(1)) == pytest.approx(0.75 * np.array([255, 0, 255]) + 0.25 * np.array(GREEN), abs=2)
    three.pane.selected = []
    assert three.seen(*middle(1)) == [*GREEN]
    assert len(three.sent("tile")) == n_tiles


def test_numbers_in_the_thousands_are_found(show):
    labels = squares(3, 7, 1000)
    page = show(LabelledImage("cells", labels, grey(labels.shape)))
    page.pane.colours = opaque(*[BLUE] * 9000, GREEN, RED, *[BLUE] * 90)
    page.pane.set_numbers("cells", [0, 0, 0], [3, 7, 1000], [9000, 9001, 9002])
    assert page.all_seen(*map(middle, range(3))) == [[*GREEN], [*RED], [*BLUE]]
    page.pane.selected = [9001, 20_000]
    other, chosen = page.all_seen(middle(0), middle(1))
    assert chosen[1] > 100
    assert other == [0, 102, 0]


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "float32", "float64"])
def test_an_image_is_seen_within_its_limits(dtype, show):
    image = np.repeat(np.array([[0, 50, 100, 150, 200]], dtype), 8, axis=1).repeat(40, axis=0)
    if dtype == "uint16":
        image *= 200
    scale = 200 if dtype == "uint16" else 1
    page = show(LabelledImage("DNA", channels={"DNA": Channel(image, (50 * scale, 150 * scale))}))
    seen = page.all_seen(*((20, 4 + 8 * place) for place in range(5)))
    assert seen == [pytest.approx([value] * 3, abs=1) for value in (0, 0, 127.5, 255, 255)]


def test_channels_add_up_and_can_be_changed(show):
    image = np.full((40, 60), 1000, dtype=np.uint16)
    channels = {"one": Channel(image, (0, 1000), (1, 0, 0)), "two": Channel(image, (0, 2000), (0, 1, 0))}
    page = show(LabelledImage("cells", squares(3), channels))
    assert page.seen(30, 30) == pytest.approx([255, 127.5, 0], abs=1)
    page.page.get_by_text("Channels and colours").click()
    page.page.get_by_label("one", exact=True).uncheck()
    assert page.seen(30, 30) == pytest.approx([0, 127.5, 0], abs=1)
    page.page.get_by_label("Brightest value of two").fill("4000")
    assert page.seen(30, 30) == pytest.approx([0, 63.8, 0], abs=1)
    page.page.get_by_label("Colour of two").fill("#0000ff")
    assert page.seen(30, 30) == pytest.approx([0, 0, 63.8], abs=1)
    page.page.get_by_label("Darkest value of two").fill("4500")
    # The one never goes beyond the other.
    assert page.seen(30, 30) == [0, 0, 0]
    page.page.get_by_label("Opacity of the cells").fill("0")
    assert page.seen(*middle(0)) == [0, 0, 0]
    assert page.settle().pane.opacity == 0
    assert page.pane._looks[0][1]["limits"] == [4500, 4501]


def test_an_image_with_colours_of_its_own_keeps_them(show):
    stain = np.full((40, 60, 3), [200, 100, 50], dtype=np.uint8)
    page = show(LabelledImage("stain", squares(7), as_channels({"stain": stain}, 2)))
    assert page.all_seen((30, 30), middle(0)) == [[200, 100, 50], [*RED]]


def test_each_frame_of_a_film_has_its_own_cells(show):
    film = np.stack([squares(7, 3), squares(3, 7)])
    page = show(LabelledImage("film", film, grey(film.shape), has_frames=True), colours=[RED, GREEN, BLUE, YELLOW])
    assert page.all_seen(*map(middle, range(2))) == [[*GREEN], [*RED]]
    page.page.get_by_label("Frame").press("ArrowRight")
    assert page.all_seen(*map(middle, range(2))) == [[*BLUE], [*YELLOW]]
    page.page.mouse.click(*page.point(*middle(1)))
    assert page.sent("click")[-1]["number"] == 3
    assert page.pane.view.frame == 1
    assert not page.page.get_by_label("z", exact=True).is_visible()


def test_the_planes_of_a_volume_are_looked_at_one_by_one(show):
    volume = np.stack([squares(7), squares(0, 7), squares(0, 0, 7)])
    page = show(LabelledImage("nuclei", volume, grey(volume.shape)))
    assert page.all_seen(*map(middle, range(3))) == [[*GREY], [*RED], [*GREY]]
    page.page.get_by_label("z", exact=True).fill("2")
    assert page.all_seen(*map(middle, range(3))) == [[*GREY], [*GREY], [*RED]]
    page.pane.go_to("nuclei", 0, 0, 20, 30)
    assert page.all_seen(*map(middle, range(3))) == [[*RED], [*GREY], [*GREY]]
    assert not page.page.get_by_label("Frame").is_visible()


def test_one_of_several_pictures_is_chosen(show):
    pictures = [
        LabelledImage(name, squares(7), grey((40, 60), value)) for name, value in [("dark", 10), ("bright", 240)]
    ]
    page = show(pictures)
    assert page.seen(30, 30) == [10] * 3
    page.page.get_by_label("Image", exact=True).first.select_option("bright")
    assert page.seen(30, 30) == [240] * 3
    assert page.settle().pane.view.name == "bright"


MODES = {
    (): "replace",
    ("Shift",): "add",
    ("Control",): "subtract",
    ("Alt",): "subtract",
    ("Meta",): "subtract",
    ("Shift", "Control"): "intersect",
}


def test_a_click_picks_a_cell(three):
    heard = []
    three.pane.clicked.connect(lambda number, mode: heard.append((number, mode)))
    for keys in MODES:
        for key in keys:
            three.page.keyboard.down(key)
        three.page.mouse.click(*three.point(*middle(2)))
        three.page.mouse.click(*three.point(30, 30))
        for key in keys:
            three.page.keyboard.up(key)
    three.page.wait_for_function(f"model.sent.filter(({{ type }}) => type === 'click').length === {2 * len(MODES)}")
    assert heard == [(number, mode) for mode in MODES.values() for number in (2, None)]


def test_the_tools_are_those_of_a_map(three):
    buttons = three.page.locator(".latentmap-tools button")
    names = [button.get_attribute("aria-label") for button in buttons.all()]
    assert names == ["Move", "Lasso", "Polygon", "Rectangle", "Brush", "Show all"]
    pressed = three.page.locator(".latentmap-tools button[aria-pressed=true]")
    assert pressed.get_attribute("aria-label") == "Lasso"


@pytest.mark.parametrize("zoom", [None, 13])
def test_a_lasso_is_where_it_was_drawn(zoom, three):
    heard = []
    three.pane.drawn.connect(heard.append)
    three.pane.go_to("cells", 0, 0, 17, 33, zoom=zoom)
    three.wait().page.get_by_label("Lasso").click()
    assert three.settle().pane.tool == "lasso"
    corners = np.array([(8, 25), (8, 38), (24, 40), (22, 26)])
    three.page.keyboard.down("Shift")
    three.draw(*corners)
    (loop,) = heard
    assert (loop.name, loop.frame, loop.z, loop.tool, loop.mode) == ("cells", 0, 0, "lasso", "add")
    nearest = np.linalg.norm(loop.corners[None] - corners[:, None], axis=2).min(axis=1)
    assert nearest.max() < 0.5
    # All of it lies on the line.
    assert loop.corners.min(axis=0) == pytest.approx([8, 25], abs=0.2)
    assert loop.corners.max(axis=0) == pytest.approx([24, 40], abs=0.2)
    assert three.pane.view[:5] == ("cells", 0, 0, 17, 33)


def test_a_rectangle_has_four_corners(three):
    heard = []
    three.pane.drawn.connect(heard.append)
    three.pane.tool = "rectangle"
    three.draw((24, 40), (8, 25))
    (loop,) = heard
    assert (loop.tool, loop.mode) == ("rectangle", "replace")
    np.testing.assert_allclose(loop.corners, [(24, 40), (24, 25), (8, 25), (8, 40)], atol=0.2)


@pytest.mark.parametrize("zoom", [None, 13])
def test_a_polygon_is_clicked_and_a_brush_paints(zoom, three):
    heard = []
    three.pane.drawn.connect(heard.append)
    three.pane.go_to("cells", 0, 0, 17, 33, zoom=zoom)
    three.wait().page.get_by_label("Polygon").click()
    corners = [(8, 25), (8, 38), (24, 40)]
    for corner in corners:
        three.page.mouse.click(*three.point(*corner))
    three.page.mouse.click(*three.point(20, 28), button="right")
    three.page.get_by_label("Brush").click()
    three.draw((10, 30), (20, 30))
    three.settle()
    polygon, stroke = heard
    assert (polygon.tool, polygon.radius, stroke.tool) == ("polygon", 0, "brush")
    np.testing.assert_allclose(polygon.corners, corners, atol=0.2)
    x, right = three.point(0, 0)[0], three.point(0, 1)[0]
    assert stroke.radius == pytest.approx(20 / (right - x), rel=0.01)
    np.testing.assert_allclose(stroke.corners[0], (10, 30), atol=0.2)


def test_a_mouse_that_is_let_go_of_elsewhere_has_been_there(three):
    heard = []
    three.pane.drawn.connect(heard.append)
    three.pane.tool = "rectangle"
    three.page.mouse.move(*three.point(24, 40))
    three.page.mouse.down()
    x, y = three.point(8, 25)
    three.canvas.dispatch_event("pointerup", {"clientX": x, "clientY": y, "button": 0, "pointerId": 1})
    three.page.wait_for_function("model.sent.some(({ type }) => type === 'drawn')")
    np.testing.assert_allclose(heard[0].corners, [(24, 40), (24, 25), (8, 25), (8, 40)], atol=0.2)


def test_escape_gives_a_loop_up(three):
    three.pane.tool = "lasso"
    three.page.mouse.move(*three.point(8, 25))
    three.page.mouse.down()
    three.page.mouse.move(*three.point(20, 40), steps=5)
    assert three.page.locator(".trail path[d]").count() == 2
    three.page.keyboard.press("Escape")
    assert three.page.locator(".trail path[d]").count() == 0
    three.page.mouse.move(*three.point(30, 20), steps=5)
    three.page.mouse.up()
    assert three.sent("drawn") == three.sent("click") == []


def test_the_mouse_is_followed_from_cell_to_cell(three):
    heard = []
    three.pane.hovered.connect(heard.append)
    in_first = [middle(0), (16, 16), (17, 15)]
    for places, cells in ([(30, 30)], []), (in_first, [0]), ([middle(1)], [0, 1]), ([(30, 30), (31, 30)], [0, 1, None]):
        for place in places:
            three.page.mouse.move(*three.point(*place))
            three.page.wait_for_timeout(150)
            three.wait_until(lambda cells=cells: heard == cells)


def test_a_drag_moves_the_wheel_zooms_and_a_double_click_shows_all(three):
    three.page.mouse.move(*three.point(12, 18))
    for _ in range(3):
        before = three.page.evaluate("model.get('_view').zoom") or min(400 / 40, 786 / 60)
        three.page.mouse.wheel(0, -100)
        three.page.wait_for_function(f"(model.get('_view').zoom ?? 0) > {before}")
    three.settle()
    # What was under the mouse still is.
    zoom = three.pane.view.zoom
    assert zoom > 1.5 * 10
    assert three.seen(12, 18) == [*RED]
    row, column = three.pane.view[3:5]
    three.drag((20, 30), (15, 20), button="middle")
    assert three.settle().pane.view[3:5] == pytest.approx((row + 5, column + 10), abs=0.3)
    assert three.pane.view.zoom == zoom
    three.page.mouse.dblclick(*three.point(25, 35))
    assert three.settle().pane.view.zoom is None
    assert len(three.sent("click")) == 1
    assert three.seen(*middle(1)) == [*GREEN]


def test_the_keys_move_and_zoom(three):
    three.canvas.press("+")
    assert three.settle().pane.view.zoom == pytest.approx(15, abs=0.5)
    column = three.pane.view.column
    three.canvas.press("ArrowRight")
    assert three.settle().pane.view.column == pytest.approx(column + 60 / three.pane.view.zoom)
    three.canvas.press("0")
    assert three.settle().pane.view.zoom is None


@pytest.mark.parametrize(("scale", "unit", "text"), [((0.5, 0.5), "um", "5 µm"), ((20.0, 20.0), "nm", "200 nm")])
def test_a_scale_bar_is_as_long_as_it_says(scale, unit, text, show):
    page = show(LabelledImage("cells", squares(7), scale=scale, unit=unit))
    bar = page.page.locator(".scale")
    assert bar.inner_text() == text
    assert bar.bounding_box()["width"] == pytest.approx(float(text.split()[0]) / scale[1] * 10, abs=0.1)


def test_there_is_no_scale_bar_without_a_scale(three):
    assert not three.page.locator(".scale").is_visible()


@pytest.fixture
def large(show):
    """3000 x 3000 pixels: one cell that covers the left half, and one in the right."""
    labels = np.full((3000, 3000), 7)
    labels[:, 1500:] = 1000
    return show(LabelledImage("cells", labels, grey(labels.shape)))


def test_only_the_tiles_in_view_are_asked_for_and_only_once(large):
    tiles = [message["tile"] for message in large.sent("tile")]
    # All of it in one tile of 500 pixels, and at the resolution of the screen nothing better.
    assert sorted((tile["source"], tile["level"]) for tile in tiles) == [(-1, 3), (0, 3)]
    large.pane.go_to("cells", 0, 0, 1500, 1500, zoom=1)
    large.wait()
    fine = [message["tile"] for message in large.sent("tile")][2:]
    assert {(tile["row"], tile["column"]) for tile in fine} == {(2, 2), (2, 3), (3, 2), (3, 3)}
    assert len(fine) == 2 * 4
    large.drag((1500, 1500), (1520, 1520), button="middle")
    large.pane.go_to("cells", 0, 0, 1500, 1500)
    large.pixels()
    assert len(large.sent("tile")) == 2 + 2 * 4


def test_no_seam_is_seen_between_tiles(large):
    large.pane.go_to("cells", 0, 0, 1024, 1024, zoom=2)
    assert (large.pixels()[5:-5, 5:-5] == RED).all()  # the corners are round
    large.pane.go_to("cells", 0, 0, 1024, 1536, zoom=2)
    # 36 pixels left of the middle a cell ends and another begins, whatever the tiles' ends.
    pixels = large.pixels()[5:-5]
    end = pixels.shape[1] // 2 - 2 * 36 - 1
    assert (pixels[:, 5 : end - 2] == RED).all()
    assert (pixels[:, end + 4 : -5] == GREEN).all()


def test_the_coarse_picture_is_seen_until_the_fine_one_is_there(large):
    large.is_holding = True
    large.pane.go_to("cells", 0, 0, 1500, 1500, zoom=1)
    # No more than four are under way at a time, and those not in view any more are not asked for.
    large.wait_until(lambda: len(large.held) == 4)
    assert large.canvas.get_attribute("data-state") == "waiting"
    for column in (1400, 1600):
        large.page.mouse.click(*large.point(1500, column))
    assert [message["number"] for message in large.sent("click")] == [0, 1]
    assert len(large.held) == 4
    n_drawn = large.canvas.get_attribute("data-drawn")
    large.pane.go_to("cells", 0, 0, 100, 100, zoom=1)
    # Which tiles are in view is found when the page draws next; until then it goes on with those of the old view.
    large.wait_until(lambda: large.canvas.get_attribute("data-drawn") != n_drawn)
    large.release()
    large.pixels()
    fine = [message["tile"] for message in large.sent("tile")][2:]
    assert len(fine) == 4 + 2
    assert {(tile["row"], tile["column"]) for tile in fine[4:]} == {(0, 0)}


def test_a_frame_is_shown_when_all_of_it_is_there_and_until_then_no_cell_is_picked(show):
    film = np.stack([squares(7, 3), squares(3, 7)])
    page = show(LabelledImage("film", film, grey(film.shape), has_frames=True), colours=[RED, GREEN, BLUE, YELLOW])
    page.is_holding = True
    page.pane.go_to("film", 1, 0, 0, 0)
    page.wait_until(lambda: page.held)
    page.page.mouse.click(*page.point(*middle(0)))
    assert page.canvas.get_attribute("data-state") == "waiting"
    assert page.sent("click")[-1]["number"] is None
    assert page.seen(*middle(0)) == [*GREEN]
    page.release()
    assert page.seen(*middle(0)) == [*BLUE]


def test_cells_that_get_other_numbers_get_other_colours(three):
    three.pane.set_numbers("cells", [0, 0, 0], [3, 7, 1000], [1, 2, 0])
    assert three.all_seen(*map(middle, range(3))) == [[*GREEN], [*BLUE], [*RED]]
    assert len(three.sent("tile")) == 2 + 1


def test_numbers_of_before_are_not_kept_when_a_tile_is_under_way(three):
    three.is_holding = True
    three.pane.set_numbers("cells", [0, 0, 0], [3, 7, 1000], [2, 2, 2])
    three.wait_until(lambda: three.held)
    # The answer has left Python, and is being unpacked in the browser as other numbers arrive.
    answer = three.answer(three.held.pop())
    three.page.evaluate(
        """([answer, pictures]) => { model.answer(...answer); model.assign("_pictures", pictures); }""",
        [answer, [{**three.pane._pictures[0], "version": 9}]],
    )
    three.pane._shown[0].tiles.set_numbers([0, 0, 0], [3, 7, 1000], [1, 2, 0])
    three.page.wait_for_timeout(200)
    three.release()
    assert three.all_seen(*map(middle, range(3))) == [[*GREEN], [*BLUE], [*RED]]


def test_a_part_that_cannot_be_read_is_said_and_the_rest_is_seen(show):
    class Broken:
        shape, ndim, dtype = (40, 60), 2, np.dtype(np.uint8)

        def __getitem__(self, index):
            raise OSError("the disk is gone")

    page = show(LabelledImage("cells", squares(7), {"DNA": Channel(Broken(), (0, 1))}))
    assert page.page.locator(".note").inner_text() == "A part of the image could not be read: the disk is gone"
    assert page.seen(*middle(0)) == [*RED]
    assert len(page.sent("tile")) == 2


def test_without_webgl_2_there_is_a_sentence(show, browser):
    pane = ImagePane(LabelledImage("cells", squares(7)))
    page = PanePage(browser, pane, before="HTMLCanvasElement.prototype.getContext = () => null")
    assert "need WebGL 2" in page.page.locator(".note").inner_text()
    page.page.evaluate("views.pop()()")
    assert page.page.locator(".latentmap-pane").count() == 0
    assert page.errors == []


def test_views_of_one_pane_show_the_same_and_end_one_by_one(three):
    three.page.evaluate("openView()")
    three.wait(view=1)
    three.pane.go_to("cells", 0, 0, 15, 15, zoom=30)
    assert three.wait(view=1).page.evaluate("model.get('_view').zoom") == 30
    assert three.seen(*middle(0)) == [*RED]
    gl = three.page.evaluate_handle("document.querySelectorAll('canvas')[1].getContext('webgl2')")
    three.page.evaluate("views.pop()()")
    assert gl.evaluate("gl => gl.isContextLost()")
    three.pane.selected = [0]
    assert three.seen(*middle(0))[1] > 100
    three.page.evaluate("views.pop()()")
    assert three.page.locator(".latentmap-pane").count() == 0
    assert three.page.evaluate("Object.values(model.listeners).flat().length") == 0
    # The mouse, the kernel and the page's size mean nothing any more.
    three.page.mouse.move(50, 50)
    three.pane.selected = [1]
    three.page.set_viewport_size({"width": 500, "height": 500})
    three.page.wait_for_timeout(200)


def test_a_view_that_has_lost_its_graphics_card_comes_back(three):
    three.page.evaluate("""() => {
        const lose = document.querySelector("canvas").getContext("webgl2").getExtension("WEBGL_lose_context");
        lose.loseContext();
        setTimeout(() => lose.restoreContext(), 100);
    }""")
    three.page.wait_for_function("model.sent.filter(({ type }) => type === 'tile').length === 4")
    assert three.seen(*middle(1)) == [*GREEN]


@pytest.mark.parametrize("width", [350, 800, 1400])
def test_the_pane_is_as_wide_as_there_is_room(width, show):
    labels = np.stack([squares(3, 7, 1000)] * 2)
    pictures = [
        LabelledImage("cells", labels, grey(labels.shape), has_frames=True),
        LabelledImage("a rather long name", labels),
    ]
    page = show(pictures, width=width)
    page.page.get_by_text("Channels and colours").click()
    assert page.page.evaluate("document.documentElement.scrollWidth") == width
    assert page.canvas.bounding_box()["width"] == width - 14
    assert page.all_seen(*map(middle, range(3))) == [[*RED], [*GREEN], [*BLUE]]
    page.page.evaluate("document.querySelector('.view').style.width = '300px'")
    page.wait_until(lambda: page.canvas.bounding_box()["width"] == 286)
    assert page.seen(*middle(2)) == [*BLUE]
    page.pane.height = 200
    page.wait_until(lambda: page.canvas.bounding_box()["height"] == 200)
    assert page.seen(*middle(2)) == [*BLUE]


def test_a_fine_screen_has_all_its_pixels(show):
    labels = np.zeros((1600, 1600), dtype=int)
    labels[:, 800:] = np.arange(800) % 2  # lines that are a pixel wide
    page = show(LabelledImage("cells", labels, grey(labels.shape)), ratio=2)
    assert page.canvas.evaluate("canvas => [canvas.width, canvas.height]") == [2 * 786, 2 * 400]
    assert {message["tile"]["level"] for message in page.sent("tile")} == {2, 1}
    page.pane.go_to("cells", 0, 0, 800, 1000.5, zoom=0.5)
    page.page.mouse.click(*page.point(800, 700))
    assert page.sent("click")[-1]["number"] is None
    across = page.pixels()[400, 1572 // 2 - 100 : 1572 // 2 + 100]
    # Lines and what is between them have a pixel of the screen each.
    assert (across[:, 0] > 200).mean() == (across[:, 0] <= 100).mean() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_around_the_image_follows_the_theme(dark, show):
    page = show(LabelledImage("cells", squares(7)), dark=dark)
    corner = page.pixels()[5, 5]
    assert (corner < 60).all() if dark else (corner > 200).all()


@pytest.mark.slow
def test_a_hundred_thousand_cells_are_recoloured_without_a_pixel_being_sent(show):
    n_side, side = 317, 4000
    number = np.arange(side) * n_side // side
    within = (np.arange(side) * n_side / side) % 1 > 0.2
    labels = np.where(within[:, None] & within, number[:, None] * n_side + number + 1, 0)
    n_cells = n_side**2
    image = np.random.default_rng(0).integers(0, 2000, labels.shape).astype(np.uint16)
    page = show(
        LabelledImage("cells", labels, as_channels({"DNA": image, "marker": image}, 2)), colours=[RED] * n_cells
    )
    before = page.pixels()
    page.pane.selected = np.random.default_rng(0).choice(n_cells, n_cells // 3, replace=False)
    page.wait_until(lambda: (page.pixels() != before).mean() > 0.3)
    assert len(page.sent("tile")) == 3


IN_JUPYTERLAB = """
import numpy as np
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.labelled_image import LabelledImage, as_channels

labels = np.zeros((2, 40, 60), dtype=int)
labels[0, 10:20, 10:20] = labels[1, 10:20, 40:50] = 1000
image = np.full(labels.shape, 100, dtype=np.uint16)
film = LabelledImage("film", labels, as_channels({"DNA": image}, 3), has_frames=True)
pane = ImagePane(film, opacity=1.0, height=300)
pane.set_numbers("film", [0, 1], [1000, 1000], [0, 1])
pane.colours = np.array([[255, 0, 0, 255], [0, 255, 0, 255]], dtype=np.uint8)
heard = []
for signal in (pane.clicked, pane.drawn):
    signal.connect(lambda *what: heard.append(what))
pane
"""


def is_ready(page, n_views=1):
    page.wait_for_function(
        "n => document.querySelectorAll('canvas[data-state=ready]').length === n", arg=n_views, timeout=60_000
    )


def test_in_jupyterlab_a_pane_does_all_this_with_a_kernel(notebook):
    notebook.open(IN_JUPYTERLAB).run_all()
    page, canvas = notebook.page, notebook.page.locator(".latentmap-pane canvas").first
    is_ready(page)
    box = canvas.bounding_box()
    zoom = min(box["height"] / 40, box["width"] / 60)

    def at(row, column):
        return box["width"] / 2 + (column - 29.5) * zoom, box["height"] / 2 + (row - 19.5) * zoom

    def seen(row, column):
        x, y = at(row, column)
        return notebook.screenshot(part=canvas)[int(y), int(x)].tolist()

    assert [seen(15, 15), seen(15, 45)] == [[255, 0, 0], [0, 0, 0]]
    page.mouse.move(box["x"] + at(15, 15)[0], box["y"] + at(15, 15)[1])
    page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.up()
    page.keyboard.up("Shift")
    notebook.wait_until("heard")
    assert notebook.ask("heard.pop()") == "(0, 'add')"

    notebook.ask("pane.tool = 'rectangle'; pane.go_to('film', 1, 0, 0, 0)")
    is_ready(page)
    assert [seen(15, 15), seen(15, 45)] == [[0, 0, 0], [0, 255, 0]]
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + at(5, 35)[0], box["y"] + at(5, 35)[1])
    page.mouse.down()
    page.mouse.move(box["x"] + at(25, 55)[0], box["y"] + at(25, 55)[1], steps=8)
    page.mouse.up()
    notebook.wait_until("heard")
    corners = notebook.ask("[loop] = heard.pop(); print(loop.frame, loop.corners[[0, 2]].round().tolist())")
    assert corners.strip() == "1 [[5.0, 35.0], [25.0, 55.0]]"
    notebook.ask("pane.selected = [1]")
    is_ready(page)
    assert seen(15, 45)[0] > 100

    notebook.run("pane")
    is_ready(page, 2)
    notebook.ask("pane.close()")
    page.wait_for_function("document.querySelectorAll('.latentmap-pane').length === 0", timeout=60_000)
