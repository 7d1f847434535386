"""What a browser without a graphics card says when it draws slowly."""

import numpy as np
import pytest
from pane_page import PanePage
from test_map_pane_js import GREEN, RED, MapPage, draw

from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.labelled_image import LabelledImage
from latentmap.jupyter.map_pane import MapPane

SAID = "Drawing is slow, because this browser does not use a graphics card"
# Each look at the clock is so many milliseconds after the one before.
CLOCK = "{ let now = 0; performance.now = () => (now += STEP); }"
CARD = """{
    const get = WebGL2RenderingContext.prototype.getParameter;
    WebGL2RenderingContext.prototype.getParameter = function (name) {
        return name === 0x1f01 || name === 0x9246 ? "A card" : get.call(this, name);
    };
}"""


@pytest.fixture
def draw_often(browser):
    """A function that draws a map and an image as often as it takes, and gives their pages."""
    panes = []

    def draw_often(before):
        image, points = ImagePane(LabelledImage("cells", np.eye(40, dtype=int)), height=400), MapPane()
        panes.extend([image, points])
        points.height = 400
        draw(points, RED, GREEN)
        pages = PanePage(browser, image, before=before).wait(), MapPage(browser, points, before=before).wait()
        for at in range(20):
            image.opacity = 0.05 * at
            draw(points, RED, GREEN)
            for page in pages:
                page.wait()
        return pages

    yield draw_often
    for pane in panes:
        pane.close()


def test_software_that_draws_slowly_is_said_once_and_can_be_sent_away(draw_often):
    for page in draw_often(CLOCK.replace("STEP", "1001")):
        note = page.page.get_by_text(SAID)
        assert note.count() == 1
        page.page.get_by_role("button", name="Do not show this again").click()
        assert note.count() == 0
        assert page.errors == []


@pytest.mark.parametrize("before", [CLOCK.replace("STEP", "190"), CARD + CLOCK.replace("STEP", "1001")])
def test_nothing_is_said_where_drawing_is_fast_enough_or_a_card_does_it(before, draw_often):
    for page in draw_often(before):
        assert page.page.get_by_text(SAID).count() == 0
        assert page.errors == []
