"""What is seen of a map in a browser, whatever becomes of the graphics card."""

import numpy as np
import pytest
from pane_page import ADDRESS, PanePage

from latentmap.jupyter.map_pane import MapPane
from latentmap.presenters.track_lines import NO_TRACKS, DrawnTracks
from latentmap.presenters.trust.field import FieldPicture

RED, GREEN = (1, 0, 0, 1), (0, 1, 0, 1)
TOOLS = ["Move", "Lasso", "Polygon", "Rectangle", "Brush", "Show all"]


class MapPage(PanePage):
    """A page that shows a map."""

    def _serve(self, route, html):
        name = route.request.url.removeprefix(ADDRESS)
        if name == "image_pane.js":
            route.fulfill(body=MapPane._esm, content_type="text/javascript")
        elif name == "image_pane.css":
            route.fulfill(body=MapPane._css, content_type="text/css")
        else:
            super()._serve(route, html)

    def wait(self, view=0):
        """Until the frame of now is drawn."""
        self.page.wait_for_function("document.querySelector('canvas')?.dataset.frame == model.get('frame')")
        return self

    def seen(self, x, y):
        """The colour at a place of the map."""
        pixels = self.pixels()
        height, width = pixels.shape[:2]
        side = 0.94 * min(height, width)
        return pixels[int(height / 2 - y * side), int(width / 2 + x * side)].tolist()


def draw(pane, *colours):
    """A point on the left and one on the right."""
    places = np.array([[-0.25, 0.0], [0.25, 0.0]])
    pane.draw(places, np.arange(2), np.array(colours, dtype=float), None)


@pytest.fixture
def pane():
    pane = MapPane()
    pane.height, pane.size = 400, 30.0
    draw(pane, RED, GREEN)
    yield pane
    pane.close()


@pytest.fixture
def shown(pane, browser):
    page = MapPage(browser, pane)
    yield page.wait()
    assert page.errors == []


def lose(page):
    """Take the graphics card away."""
    page.page.evaluate("""() => {
        window.card = document.querySelector("canvas").getContext("webgl2").getExtension("WEBGL_lose_context");
        card.loseContext();
    }""")
    page.page.wait_for_function("document.querySelector('canvas').getContext('webgl2').isContextLost()")


def restore(page):
    """Bring the graphics card back, and wait until the map is drawn on it."""
    page.page.evaluate("""() => {
        delete document.querySelector("canvas").dataset.frame;
        card.restoreContext();
    }""")
    page.page.wait_for_function("document.querySelector('canvas').dataset.frame")


def test_a_map_that_has_lost_its_graphics_card_comes_back(shown):
    assert (shown.seen(-0.25, 0), shown.seen(0.25, 0)) == ([255, 0, 0], [0, 255, 0])
    lose(shown)
    draw(shown.pane, GREEN, RED)
    shown.pane.mark(np.array([True, False]), np.array([False, False]))
    shown.page.wait_for_timeout(200)
    assert shown.canvas.get_attribute("data-frame") == "1"
    restore(shown)
    assert shown.seen(-0.25, 0) == [0, 255, 0]
    dimmed = shown.seen(0.25, 0)
    assert dimmed[0] == 255
    assert min(dimmed[1:]) > 150
    # And the next frame is drawn as ever.
    shown.pane.mark(np.array([False, False]), np.array([False, False]))
    draw(shown.pane, RED, GREEN)
    assert (shown.seen(-0.25, 0), shown.seen(0.25, 0)) == ([255, 0, 0], [0, 255, 0])


# As on the page of a dark notebook.
DARK = """addEventListener("DOMContentLoaded", () => {
    document.documentElement.style.cssText = "background: #111; color: #eee";
});"""


@pytest.mark.parametrize("dark", [False, True])
def test_a_faint_field_lies_below_the_points(pane, browser, dark):
    # Two rows and two columns: nothing, a half, nothing, and all at the lower right.
    odds = np.array([[0.0, 0.5], [0.0, 1.0]])
    pane.show_field(FieldPicture(odds, np.array([-0.25, -0.25]), np.array([0.5, 0.5])))
    page = MapPage(browser, pane, before=DARK if dark else "").wait()
    page.page.wait_for_function("document.querySelector('canvas').dataset.field === '2'")
    nothing, half, whole = (page.seen(*place)[0] for place in ((-0.4, 0.4), (0.4, 0.4), (0.4, -0.4)))
    if dark:
        assert nothing < half < whole < nothing + 140
    else:
        assert nothing > half > whole > nothing - 140
    assert page.seen(0.25, 0) == [0, 255, 0]  # the point above it
    told = []
    pane.escaped.connect(lambda: told.append(True))
    page.page.keyboard.press("Escape")
    page.wait_until(lambda: told == [True])
    lose(page)
    restore(page)
    assert page.seen(0.4, -0.4)[0] == pytest.approx(whole, abs=3)
    pane.show_field(None)
    page.page.wait_for_function("document.querySelector('canvas').dataset.field === '0'")
    assert page.errors == []


def test_a_map_that_is_closed_without_its_graphics_card_is_gone(shown):
    lose(shown)
    shown.page.evaluate("views.pop()()")
    shown.page.evaluate("card.restoreContext()")
    draw(shown.pane, GREEN, RED)
    shown.page.wait_for_timeout(200)
    assert shown.page.evaluate("Object.values(model.listeners).flat().length") == 0


def test_without_webgl_2_there_is_a_sentence(pane, browser):
    page = MapPage(browser, pane, before="HTMLCanvasElement.prototype.getContext = () => null")
    said = page.page.locator(".latentmap-map").inner_text()
    assert said == (
        "The map needs WebGL 2, which this browser does not offer: enable it in the settings, or try another browser."
    )
    page.page.evaluate("views.pop()()")
    draw(pane, GREEN, RED)
    assert page.errors == []


def test_the_tools_are_those_of_an_image(shown):
    buttons = shown.page.locator(".latentmap-tools button")
    assert [button.get_attribute("aria-label") for button in buttons.all()] == TOOLS
    pressed = shown.page.locator(".latentmap-tools button[aria-pressed=true]")
    assert pressed.get_attribute("aria-label") == "Lasso"
    buttons.nth(3).click()
    assert pressed.get_attribute("aria-label") == "Rectangle"
    assert shown.page.evaluate("model.get('tool')") == "rectangle"


def test_a_polygon_is_clicked_and_a_brush_paints(shown):
    heard = []
    shown.pane.drawn.connect(heard.append)
    box, mouse = shown.page.locator(".latentmap-canvases").bounding_box(), shown.page.mouse
    middle, side = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2), 0.94 * 400
    corners = [(0.1, -0.2), (0.4, -0.2), (0.4, 0.2)]
    shown.page.get_by_role("button", name="Polygon").click()
    for x, y in [*corners, corners[0]]:
        mouse.click(middle[0] + x * side, middle[1] - y * side)
    shown.page.get_by_role("button", name="Brush").click()
    mouse.move(middle[0] - 0.25 * side, middle[1])
    shown.page.wait_for_function("document.querySelector('.sketch.brush')?.hasAttribute('d')")
    mouse.down()
    mouse.move(middle[0] - 0.25 * side, middle[1] + 40, steps=4)
    mouse.up()
    shown.settle()
    polygon, stroke = heard
    assert (polygon.tool, polygon.radius, stroke.tool) == ("polygon", 0, "brush")
    np.testing.assert_allclose(polygon.corners, corners, atol=0.01)
    assert stroke.radius == pytest.approx(20 / side, rel=0.01)
    np.testing.assert_allclose(stroke.corners[[0, -1]], [[-0.25, 0], [-0.25, -40 / side]], atol=0.01)


def test_show_all_takes_back_a_zoom(shown):
    first = shown.pixels()
    shown.page.locator(".latentmap-canvases").hover(position={"x": 20, "y": 200})
    shown.page.mouse.wheel(0, -600)
    shown.page.wait_for_function("model.get('view').zoom > 1.5")
    assert not np.array_equal(shown.pixels(), first)
    shown.page.get_by_role("button", name="Show all").click()
    shown.page.wait_for_function("model.get('view').zoom === 1")
    np.testing.assert_array_equal(shown.pixels(), first)


def test_the_order_in_which_a_host_sets_the_traits_does_not_matter(shown):
    """marimo sets them one by one, and the counter may come first."""
    before = shown.seen(0.25, 0)
    shown.page.evaluate("""() => {
        model.set("marks", 1);
        model.set("selected", new DataView(Uint8Array.of(128).buffer));
    }""")
    shown.page.wait_for_function("document.querySelector('canvas').dataset.marks === '1'")
    assert shown.seen(0.25, 0) != before == [0, 255, 0]
    assert shown.seen(-0.25, 0) == [255, 0, 0]


@pytest.mark.parametrize("colour", ["rgb(20, 30, 40)", "rgb(240, 230, 220)"])
def test_selected_points_keep_their_colour_and_get_a_ring_in_that_of_the_text(pane, shown, colour):
    shown.page.evaluate("colour => document.querySelector('.latentmap-map').style.color = colour", colour)
    pane.mark(np.array([True, False]), np.array([False, False]))
    shown.settle()
    assert shown.seen(-0.25, 0) == [255, 0, 0]
    pixels = shown.pixels()
    height, width = pixels.shape[:2]
    middle = int(width / 2 - 0.25 * 0.94 * min(height, width))
    (row,) = pixels[[height // 2], middle - 20 : middle]
    wanted = [int(part) for part in colour[4:-1].split(",")]
    assert (np.abs(row.astype(int) - wanted).max(axis=1) < 12).any()


ARROWS = np.array([[0.5, 0.0], [-0.5, 0.0], [0.0, 0.25], [0.0, -0.25], [0.0, 0.0]])
"""One beyond each edge of a map that is twice as wide as high, and one in its middle."""


def show_arrows(shown, half=(0.5, 0.25)):
    beyond = np.array([True] * 4 + [False])
    shown.pane.draw(ARROWS, np.zeros(5, int), np.array([RED], float), None, beyond, half)
    shown.wait()
    return shown.pixels()


def test_a_wide_map_fills_a_wide_pane(shown):
    pixels = show_arrows(shown)
    red = np.flatnonzero((pixels == [255, 0, 0]).all(axis=2).any(axis=0))
    assert (red[-1] - red[0]) / pixels.shape[1] > 0.9


def test_points_beyond_the_edge_are_arrows_that_point_outwards_and_can_be_pointed_at(shown):
    pixels = show_arrows(shown)
    height, width = pixels.shape[:2]
    side = 0.94 * min(width, 2 * height)
    red = (pixels == [255, 0, 0]).all(axis=2)
    # The outer half of a triangle has a quarter of its pixels; that of a disc a half.
    pointing = [(1, 0), (-1, 0), (0, -1), (0, 1), (1, 0)]
    for (across, up), outward, share in zip(ARROWS, pointing, [0.25] * 4 + [0.5], strict=True):
        column, row = int(width / 2 + across * side), int(height / 2 - up * side)
        rows, columns = np.nonzero(red[max(row - 18, 0) : row + 19, max(column - 18, 0) : column + 19])
        along = np.column_stack([columns, rows]) @ outward
        assert np.mean(along > (along.min() + along.max()) / 2) == pytest.approx(share, abs=0.06)
    canvas = shown.canvas.bounding_box()
    shown.page.mouse.click(canvas["x"] + width / 2 + 0.5 * side, canvas["y"] + height / 2)
    assert shown.page.evaluate("model.sent.at(-1).row") == 0


def test_names_stand_on_the_map_follow_the_zoom_and_let_clicks_through(pane, shown):
    pane.names = [{"text": "<red>", "place": [-0.25, 0]}, {"text": "green", "place": [0.25, 0]}]
    texts = shown.page.locator(".latentmap-names text")
    shown.page.wait_for_function("document.querySelectorAll('.latentmap-names text').length === 2")
    shown.settle()
    assert texts.all_text_contents() == ["<red>", "green"]
    box, canvas = texts.nth(1).bounding_box(), shown.canvas.bounding_box()
    middle = (box["x"] + box["width"] / 2 - canvas["x"], box["y"] + box["height"] / 2 - canvas["y"])
    right = canvas["width"] / 2 + 0.25 * 0.94 * canvas["height"]
    assert np.abs(np.subtract(middle, (right, canvas["height"] / 2))).max() < 3
    # Letters in the colour of the text, with a halo in that of the page.
    styles = texts.nth(1).evaluate("it => [getComputedStyle(it).paintOrder, getComputedStyle(it).stroke]")
    assert styles == ["stroke", "rgb(255, 255, 255)"]
    shown.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert shown.page.evaluate("model.sent.at(-1).row") == 1
    # Zoomed in around the red point, the green one leaves the view, and its name with it.
    shown.page.mouse.move(canvas["x"] + canvas["width"] / 2 - 0.25 * 0.94 * 400, canvas["y"] + 200)
    shown.page.mouse.wheel(0, -1600)
    shown.page.wait_for_function("model.get('view').zoom > 10")
    shown.settle()
    assert [text.evaluate("it => it.style.visibility") for text in texts.all()] == ["visible", "hidden"]
    pane.names = []
    shown.page.wait_for_function("document.querySelectorAll('.latentmap-names text').length === 0")


@pytest.mark.browser
def test_tracks_are_lines_below_the_points_and_the_frame_shown_stands_out(shown, pane):
    assert shown.seen(0, 0) == [255, 255, 255]
    link, none = np.array([[0, 1]]), np.empty((0, 2), dtype=int)
    pane.trace(DrawnTracks(link, none, np.array([3, 4]), None))
    shown.page.wait_for_function("document.querySelector('canvas').dataset.lines === '1'")
    middle = np.array(shown.seen(0, 0))
    assert middle[2] < 200, "From red to green."
    assert middle[:2].max() > middle[2]
    assert shown.seen(-0.25, 0) == [255, 0, 0]
    # In frame 4 the point of frame 3 is dimmed, and the line is strongest at its end.
    pane.trace(DrawnTracks(link, link, np.array([3, 4]), 4))
    shown.page.wait_for_function(
        "(({dataset: {now, path}}) => now === '4' && path === '1')(document.querySelector('canvas'))"
    )
    assert shown.seen(-0.25, 0.03)[1] > 100
    assert shown.seen(0.25, 0.03) == [0, 255, 0]
    # Other points have no lines until these are sent.
    draw(pane, RED, GREEN)
    pane.trace(NO_TRACKS)
    shown.page.wait_for_function("document.querySelector('canvas').dataset.lines === '0'")
    assert shown.seen(0, 0) == [255, 255, 255]
    assert shown.seen(-0.25, 0.03) == [255, 0, 0]


def test_a_small_point_keeps_its_colour_when_it_is_selected(shown):
    shown.pane.size = 3.0
    shown.pane.mark(np.array([True, False]), np.array([False, False]))
    shown.page.wait_for_function("document.querySelector('canvas').dataset.marks == model.get('marks')")
    red = (shown.pixels() == [255, 0, 0]).all(axis=-1).sum()
    assert red >= 4


@pytest.mark.parametrize("dark", [False, True])
def test_hollow_points_are_seen_among_dimmed_ones_on_light_and_dark(pane, browser, dark):
    pane.size = 4.0
    colour = (0.1, 0, 0.1, 1) if dark else (1, 1, 0, 1)  # hardly seen on this page
    # Hollow, the first one below a point that is not; and one far away that is selected.
    places = np.array([[-0.25, 0.0], [-0.25, 0.0], [0.25, 0.0], [0.0, 0.25]])
    is_hollow = np.array([True, False, True, False])
    pane.draw(places, np.zeros(4, int), np.array([colour], float), None, None, (0.5, 0.5), is_hollow)
    pane.mark(np.array([False, False, False, True]), np.zeros(4, bool))
    page = MapPage(browser, pane, before=DARK if dark else "").wait()
    pixels, background = page.pixels().astype(int), np.array(page.seen(0.4, -0.4))
    height, width = pixels.shape[:2]
    side = 0.94 * min(height, width)
    for x in (-0.25, 0.25):
        row, column = height // 2, int(width / 2 + x * side)
        around = np.abs(pixels[row - 5 : row + 6, column - 5 : column + 6] - background).max(axis=2)
        assert around.max() > 70  # of 255
        if x > 0:
            assert around[4:7, 4:7].min() < 20  # its middle is empty
    assert page.errors == []


def test_of_very_many_points_a_sample_is_drawn_without_a_graphics_card(pane, browser):
    count = 150_000
    places = np.zeros((count, 2))
    places[:, 0] = np.linspace(-0.5, 0.5, count)
    pane.size = 4.0
    pane.draw(places, np.arange(count) // (count // 2), np.array([RED, GREEN], dtype=float), None)
    page = MapPage(browser, pane).wait()
    drawn = "Number(document.querySelector('canvas').dataset.points)"
    assert page.page.evaluate(drawn) == 100_000
    assert page.seen(-0.25, 0)[:3] == [255, 0, 0]
    assert page.seen(0.25, 0)[:3] == [0, 255, 0]
    # A few selected ones are all there, whatever the sample.
    selected = np.zeros(count, dtype=bool)
    selected[:: count // 3] = True
    pane.mark(selected, np.zeros(count, dtype=bool))
    page.page.wait_for_function(f"{drawn} === 100003")
    # Ten times nearer, all in view have room.
    page.page.locator("svg[tabindex]").hover()
    for _ in range(12):
        page.page.mouse.wheel(0, -200)
    page.page.wait_for_function(f"{drawn} < 60000")
    assert page.errors == []
