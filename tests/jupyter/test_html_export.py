"""Maps and images in one file: what is in it, and what is seen of it and comes of the mouse without any kernel."""

import asyncio
import base64
import io
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from skimage.io import imread

from latentmap.images.crops import Channel
from latentmap.jupyter import LabelledImage, explore, static_image_pane
from latentmap.jupyter.image_pane import ImagePane
from latentmap.session import VARIANCE, ColourBy

TIMEOUT = 30_000  # milliseconds
NUMBERS = np.arange(1, 61) * 7
KINDS = np.arange(60) % 2
SIZE = (1040, 400)


def corner(place):
    """The first row and column of a cell, of 24 x 100 pixels: two columns, one of each kind."""
    return 34 * (place // 2) + 10, 40 + 200 * KINDS[place]


def labels():
    pixels = np.zeros(SIZE, dtype=np.int32)
    for place, number in enumerate(NUMBERS):
        row, column = corner(place)
        pixels[row : row + 24, column : column + 100] = number
    return pixels


def table(frame=0):
    rng = np.random.default_rng(0)
    values = {f"f{at}": rng.normal(8 * KINDS, 1) for at in range(4)}
    return pd.DataFrame({"label": NUMBERS, "frame": frame, **values, "kind": np.where(KINDS, "<right>", "left")})


def exported(path, prepare=lambda shown: None, data=None, **pictures):
    """Make a map in an event loop, as in a kernel, and export it."""

    async def act():
        shown = explore(table() if data is None else data, **pictures)
        shown.session.parameters.n_neighbors = 6
        shown.session.parameters.features = ("f0", "f1", "f2", "f3")
        shown.embed()
        await ended(shown)
        prepared = prepare(shown)
        if prepared is not None:
            await prepared
        shown.export_html(path, title="Cells & <others>", caption="Two kinds.")
        shown.close()

    asyncio.run(act())
    return path


async def ended(shown):
    while shown.session.runs.running:
        await asyncio.sleep(0.01)


def script(path, kind):
    text = re.search(rf'<script type="{kind}"[^>]*>(.*?)</script>', path.read_text(encoding="utf-8"), re.S)[1]
    return json.loads(text)


def data_of(path):
    return script(path, "application/json")


def unpacked(part):
    return np.frombuffer(zlib.decompress(base64.b64decode(part["packed"])), part["type"])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "supplement.html"


def test_the_page_has_the_maps_and_what_made_them(path):
    found = {}

    def prepare(shown):
        shown.session.dropped.drop([0])
        shown.selection.select([3, 4, 5])
        shown.session.runs.current.origin = "an earlier one"
        shown.classes.assign("odd </script>", [0, 1, 2])
        shown.session.display_settings.colour_by = VARIANCE
        found["places"] = shown.maps.shown[0].pane.places

    gaps = table()
    gaps.loc[59, "f0"] = np.nan
    text = exported(path, prepare, gaps).read_text(encoding="utf-8")
    data = data_of(path)
    (shown,) = data["maps"]
    assert unpacked(shown["state"]["places"]).tobytes() == found["places"]
    assert unpacked(shown["numbers"]).tolist() == list(range(59))
    assert unpacked(data["selected"]).tolist() == [3, 4, 5]
    assert unpacked(data["cells"]["labels"]).tolist() == NUMBERS.tolist()
    assert data["image"] is None
    for said in (
        "<h1>Cells &amp; &lt;others&gt;</h1>",
        "<p>Two kinds.</p>",
        "<b>variance (σ²)</b>",
        "58 cells.",
        "odd &lt;/script&gt; (2)",
        ">k neighbours</th><td>6</td>",
        ">s steps</th><td>2</td>",
        ">l levels</th><td>auto (0)</td>",
        ">d dimensions</th><td>2</td>",
        "<td>4: f0, f1, f2, f3</td>",
        "1 cell dropped by hand left out.",
        ">Continued from</th><td>an earlier one</td>",
    ):
        assert said in text
    assert re.search(r">Left out</th><td>.*1 of 60 cells.*</td>", text)
    assert not re.search(r"""(src|href)=|url\(|https?://""", text.replace("http-equiv", ""))


def test_values_beside_the_mouse_are_the_table_s_however_large(path):
    sizes = {"f0": 10.0 ** np.arange(60), "f1": np.arange(60) * 12345, "f2": 10.0 ** -np.arange(60)}
    exported(path, data=table().assign(**sizes))
    columns = {one["name"]: one["values"] for one in data_of(path)["cells"]["columns"] if "values" in one}
    for name, expected in sizes.items():
        np.testing.assert_allclose(unpacked(columns[name]), expected, rtol=1e-6)
    assert columns["f1"]["type"] == "f4"


@pytest.mark.slow
def test_the_same_session_gives_the_same_page(tmp_path):
    pages = [
        exported(
            tmp_path / f"{at}.html",
            lambda shown: shown.maps.paint(),  # another one was drawn oftener
            images={"DNA": 1.0 * (labels() > 0)},
            labels=labels(),
        )
        for at in range(2)
    ]
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_each_map_has_its_own_column_and_legend(path):
    async def embed_again(shown):
        first = shown.session.runs.current
        shown.session.parameters.n_neighbors = 9
        shown.embed()
        await ended(shown)
        shown.maps.compared_runs = [first]
        shown.maps.arrange()
        shown.session.display_settings.colour_by = ColourBy("feature", "kind")
        for run in shown.session.runs:
            shown.session.runs.rename(run, "same")

    text = exported(path, embed_again).read_text(encoding="utf-8")
    assert ">k neighbours</th><td>6</td><td>9</td>" in text
    assert "<th scope='col'>same</th><th scope='col'>same</th>" in text
    assert text.count("&lt;right&gt; (30)") == text.count("left (30)") == 2
    assert len(data_of(path)["maps"]) == 2


def test_a_failure_leaves_what_was_there(path, monkeypatch):
    def fill_the_disk(self, text, **_):
        self.write_bytes(text[:100].encode())
        raise OSError(28, "No space left on device")

    async def act():
        shown = explore(table())
        with pytest.raises(ValueError, match="There is no map yet: press Embed"):
            shown.export_html(path)
        shown.embed()
        with pytest.raises(ValueError, match="A map is being made: wait"):
            shown.export_html(path)
        await ended(shown)
        with pytest.raises(FileNotFoundError, match=r'The folder ".*missing" does not exist: create it'):
            shown.export_html(path.parent / "missing" / "supplement.html")
        path.write_text("before")
        with monkeypatch.context() as patch:
            patch.setattr(Path, "write_text", fill_the_disk)
            with pytest.raises(OSError, match="No space left"):
                shown.export_html(path)
        assert path.read_text() == "before"
        assert list(path.parent.iterdir()) == [path]
        shown.close()

    asyncio.run(act())


@pytest.fixture
def film():
    """Three frames of 600 x 520 pixels, the second of them in view."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 4, (3, 600, 520))
    channels = {
        "DNA": Channel(rng.normal(100, 20, (3, 600, 520)).astype(np.float32), (50.0, 150.0), (0, 1, 0)),
        "bytes": Channel(rng.integers(0, 256, (3, 600, 520)).astype(np.uint8), (0, 200), (1, 0, 0)),
        "unseen": Channel(np.zeros((3, 600, 520), dtype=np.uint8), (0, 1)),
    }
    pane = ImagePane(LabelledImage("film", pixels, channels, has_frames=True))
    pane.set_numbers("film", [1, 1], [1, 2], [0, 1])
    pane._looks = [[*pane._looks[0][:2], pane._looks[0][2] | {"visible": False}]]
    pane.go_to("film", 1, 0, 100, 100, zoom=2)
    yield pane
    pane.close()


def test_small_films_are_kept_whole(film):
    kept = static_image_pane.StaticImagePane.of(film)
    (picture,) = kept.state["_pictures"]
    assert (picture["frames"], picture["factors"], kept.state["_view"]["frame"]) == (3, (1, 2), 1)
    assert [channel["name"] for channel in picture["channels"]] == ["DNA", "bytes"]
    assert kept.about == ['The brightness of "film" is shown in 256 steps between the contrast limits.']
    # Three sources and three frames, of 2 x 2 tiles and one of half the resolution.
    assert len(kept.tiles) == 3 * 3 * 5
    tile = kept.tiles["0,1,0,2,0,1,0"]
    image = film.pictures[0].channels["bytes"].image
    np.testing.assert_array_equal(unpacked(tile).reshape(tile["shape"]), image[2, 512:, :512])


def test_of_large_films_the_frame_in_view_is_kept_at_a_lower_resolution(film, monkeypatch):
    monkeypatch.setattr(static_image_pane, "MOST", 400)
    kept = static_image_pane.StaticImagePane.of(film)
    (picture,) = kept.state["_pictures"]
    assert (picture["frames"], picture["factors"], kept.state["_view"]["frame"]) == (None, (2,), 0)
    assert set(kept.tiles) == {"0,0,0,0,0,0,0", "0,1,0,0,0,0,0", "0,-1,0,0,0,0,0"}
    assert kept.about[:2] == [
        '"film" is shown with 300 × 260 of its 600 × 520 pixels, at 1/2 of its resolution.',
        'Of the 3 frames of "film", counted from 0, only frame 1 is shown.',
    ]
    dna = film.pictures[0].channels["DNA"].image[1].reshape(300, 2, 260, 2).mean(axis=(1, 3))
    bright = unpacked(kept.tiles["0,0,0,0,0,0,0"]).reshape(300, 260)
    np.testing.assert_allclose(50 + bright / 255 * 100, dna.clip(50, 150), atol=0.21)


class Page:
    """A page that was opened as a file, as a hand and an eye see it."""

    def __init__(self, browser, path, size=(1200, 900)):
        self.errors, self.requests = [], []
        self.page = browser.new_page(viewport=dict(zip(("width", "height"), size, strict=True)))
        self.page.set_default_timeout(TIMEOUT)
        self.page.on("console", lambda message: self._note(message.type, message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.path, self.data = path, data_of(path)
        self.image = self.page.locator("#image canvas")
        self.wait()

    def _note(self, kind, text):
        # Chromium tells of every pixel that is read from a canvas that it may be slow.
        if kind in ("error", "warning") and "GPU stall due to ReadPixels" not in text:
            self.errors.append(text)

    def wait(self):
        """Until maps and images are drawn."""
        for at in range(len(self.data["maps"])):
            self.page.locator(f"[data-map='{at}'] canvas[data-frame]").wait_for()
        if self.data["image"] is not None:
            self.page.locator("#image canvas[data-state=ready]").wait_for()
        # A map is drawn anew in the next frame.
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self

    def says(self, sentence):
        """Until a sentence is there, and what goes with it is drawn."""
        self.page.get_by_text(sentence, exact=True).wait_for()
        return self.wait()

    def check(self):
        assert self.errors == []
        assert self.requests == [self.path.as_uri()]

    def drag(self, places):
        self.page.mouse.move(*places[0])
        self.page.mouse.down()
        for place in places[1:]:
            self.page.mouse.move(*place, steps=6)
        self.page.mouse.up()

    def on_image(self, row, column):
        box = self.image.bounding_box()
        zoom = min(box["height"] / SIZE[0], box["width"] / SIZE[1])
        down, right = np.array([row, column]) - (np.array(SIZE) - 1) / 2
        return float(box["x"] + box["width"] / 2 + zoom * right), float(box["y"] + box["height"] / 2 + zoom * down)

    def on_map(self, place=0):
        """Where the points of a map are on the page, in the order of its rows."""
        box = self.page.locator(".latentmap-canvases").nth(place).bounding_box()
        places = unpacked(self.data["maps"][place]["state"]["places"]).view("<f4").reshape(-1, 2) * [1, -1]
        across, up = self.data["maps"][place]["state"]["half"]
        side = 0.94 * min(box["width"] / across, box["height"] / up) / 2
        return places * side + [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]

    def seen(self, x, y):
        picture = imread(io.BytesIO(self.page.screenshot()))
        return picture[int(y), int(x), :3].astype(int)

    def lit(self):
        """Which cells stand out in the image: yellow, where the others are dimmed."""
        picture = imread(io.BytesIO(self.page.screenshot()))[..., :3].astype(int)
        colours = []
        for place in range(60):
            row, column = corner(place)
            x, y = self.on_image(row + 12, column + 50)
            colours.append(picture[int(y), int(x)])
        colours = np.array(colours)
        return ((colours[:, 0] > 170) & (colours[:, 1] > 140) & (colours[:, 2] < 130)).tolist()

    def ringed(self):
        """How many pixels of the map have the colour of the rings round selected points."""
        box = self.page.locator(".latentmap-canvases").first.bounding_box()
        picture = imread(io.BytesIO(self.page.screenshot(clip=box)))[40:, :, :3].astype(int)
        colour = self.page.evaluate("getComputedStyle(document.querySelector('.latentmap-map canvas')).color")
        ring = [int(part) for part in re.findall(r"\d+", colour)[:3]]
        return int((np.abs(picture - ring).max(axis=2) < 12).sum())


def around(points, margin=14):
    (left, top), (right, bottom) = points.min(axis=0) - margin, points.max(axis=0) + margin
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


@pytest.mark.browser
def test_map_and_image_are_linked_in_the_page(path, monkeypatch, request):
    """Of a film one frame, at half of its resolution, in two tiles."""
    monkeypatch.setattr(static_image_pane, "MOST", 600)
    pixels = np.stack([labels() * (frame == 1) for frame in range(4)])
    channels = {"DNA": Channel(np.where(pixels > 0, 300.0, 100.0), (100.0, 500.0), (0, 0, 1))}

    def prepare(shown):
        shown.images.pane.go_to("cells", 1, 0, 0, 0)
        shown.images.pane.opacity = 0.0
        shown.selection.select([1])

    exported(path, prepare, table(frame=1), images=LabelledImage("cells", pixels, channels, has_frames=True))
    page = Page(request.getfixturevalue("browser"), path)
    page.says("1 cell selected")
    assert page.lit() == [place == 1 for place in range(60)]
    assert page.page.get_by_text('Of the 4 frames of "cells", counted from 0, only frame 1 is shown.').is_visible()

    page.drag(around(page.on_map()[KINDS == 0]))
    page.says("30 cells selected")
    assert page.lit() == (KINDS == 0).tolist()

    # Round the first four cells on the right, and through the fifth, of which a third is within.
    page.page.get_by_role("button", name="Lasso").last.click()
    (top, left), (bottom, _) = corner(1), corner(9)
    corners = [(top - 6, left - 20), (top - 6, left + 120), (bottom + 8, left + 120), (bottom + 8, left - 20)]
    page.drag([page.on_image(*one) for one in corners])
    page.says("4 cells selected")
    assert page.lit() == [place in (1, 3, 5, 7) for place in range(60)]
    few = page.ringed()
    assert few > 0

    # The brush is wider than a cell and the gaps beside it; one pixel of a cell is enough.
    page.page.get_by_role("button", name="Brush").last.click()
    page.drag([page.on_image(bottom + 12, left + 30), page.on_image(bottom + 12, left + 70)])
    page.says("3 cells selected")
    assert page.lit() == [place in (7, 9, 11) for place in range(60)]
    page.page.get_by_role("button", name="Lasso").last.click()
    page.drag([page.on_image(*one) for one in corners])
    page.says("4 cells selected")

    page.page.keyboard.down("Shift")
    page.page.mouse.click(*page.on_image(corner(0)[0] + 12, corner(0)[1] + 50))
    page.page.keyboard.up("Shift")
    page.says("5 cells selected")
    assert page.ringed() > few

    page.page.mouse.click(*page.on_image(0, 200))
    page.says("0 cells selected")
    assert page.ringed() == 0
    # Brightness is counted as in the image itself.
    cell = page.on_image(corner(1)[0] + 12, corner(1)[1] + 50)
    assert page.seen(*cell) == pytest.approx([0, 0, 127.5], abs=1)
    page.page.get_by_text("Channels and colours").click()
    page.page.get_by_label("Brightest value of DNA").fill("300")
    page.wait()
    assert page.seen(*cell).tolist() == [0, 0, 255]

    page.page.get_by_role("button", name="as saved").click()
    page.says("1 cell selected")
    page.page.mouse.move(*page.on_image(corner(2)[0] + 12, corner(2)[1] + 50))
    page.page.get_by_text("Label 21", exact=True).wait_for()
    assert page.page.get_by_text("cells, frame 1", exact=True).is_visible()
    values = page.page.locator("#card td + td").all_inner_texts()
    assert values[1:] == [f"{value:.3g}" for value in table().loc[2, ["f0", "f1", "f2", "f3"]]]
    page.check()


@pytest.mark.browser
def test_two_maps_a_film_and_groups_in_the_page(path, request):
    pixels = np.stack([labels(), np.zeros_like(labels())])
    pixels[1, :, ::-1] = labels()

    async def prepare(shown):
        first = shown.session.runs.current
        shown.session.parameters.n_neighbors = 9
        shown.embed()
        await ended(shown)
        shown.maps.compared_runs = [first]
        shown.maps.arrange()
        shown.session.dropped.drop([0])
        shown.session.display_settings.colour_by = ColourBy("feature", "kind")
        shown.classes.assign("first", range(9))
        shown.images.pane.opacity = 1.0

    channels = {"DNA": Channel(np.zeros(pixels.shape, dtype=np.uint8), (0, 255))}
    exported(path, prepare, images=LabelledImage("cells", pixels, channels, has_frames=True))
    page = Page(request.getfixturevalue("browser"), path, size=(1500, 900))
    for at in range(2):
        names = page.page.locator(f"[data-map='{at}'] .latentmap-names text")
        assert names.all_text_contents() == ["<right>", "left"]
        assert names.first.is_visible()
    page.page.get_by_role("button", name="<right> (30)").first.click()
    page.says("30 cells selected")
    assert page.lit() == (KINDS == 1).tolist()
    page.page.get_by_role("button", name="first (8)").click()
    page.says("8 cells selected")

    # What was dropped is not selected on a map.
    page.drag(around(page.on_map(1)[KINDS == 0]))
    page.says("29 cells selected")
    assert page.lit() == [place % 2 == 0 and place > 0 for place in range(60)]
    page.page.get_by_role("button", name="none").click()
    page.says("0 cells selected")
    before = page.seen(*page.on_image(corner(1)[0] + 12, corner(1)[1] + 50))
    page.page.get_by_label("Frame").fill("1")
    page.wait()
    # Cells of the first frame are not those of the second, which no table has.
    assert np.abs(page.seen(*page.on_image(corner(1)[0] + 12, corner(1)[1] + 50)) - before).max() > 60
    page.check()


@pytest.mark.browser
def test_a_page_without_images_says_what_made_its_maps(path, request):
    async def embed_again(shown):
        first = shown.session.runs.current
        shown.session.parameters.method = "classical-mds"
        shown.embed()
        await ended(shown)
        shown.maps.compared_runs = [first]
        shown.maps.arrange()
        shown.session.runs.rename(first, "the first")

    exported(path, embed_again)
    page = Page(request.getfixturevalue("browser"), path, size=(1500, 900))
    assert page.image.count() == 0
    said = page.page.locator("details > p").inner_text()
    assert said.endswith(
        ': Latent variable model. Classical scaling. On "the first" the variance (σ²) of a cell says how uncertain '
        "the model is of its position."
    )
    page.drag(around(page.on_map(1)[KINDS == 0]))
    page.says("30 cells selected")
    assert page.ringed() > 0
    page.page.get_by_role("button", name="none").click()
    page.says("0 cells selected")
    assert page.ringed() == 0
    page.check()


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (
            "lvm",
            "Latent variable model. The variance (σ²) of a cell says how uncertain the model is of its position.</p>",
        ),
        ("classical-mds", "Classical scaling.</p>"),
    ],
)
def test_the_page_has_the_words_of_its_method(method, said, path):
    async def embed_by(shown):
        shown.session.parameters.method = method
        shown.embed()
        await ended(shown)

    text = exported(path, embed_by).read_text(encoding="utf-8")
    assert said in text
    assert ("says how uncertain" in text.split("How this was made")[1]) == (method == "lvm")


HOSTILE = '</script><script>window.ran = 1</script><img src=x onerror="window.ran = 2">'


@pytest.mark.slow
def test_names_that_a_browser_would_run_are_text(path):
    """In columns, groups, classes, runs and the caption; only the page's own scripts are elements."""

    def prepare(shown):
        shown.classes.assign(HOSTILE, [1, 2])
        shown.session.runs.rename(shown.session.runs.current, HOSTILE)
        shown.session.display_settings.colour_by = ColourBy("feature", HOSTILE)

    hostile = table().rename(columns={"kind": HOSTILE})
    hostile[HOSTILE] = np.where(KINDS, HOSTILE, "left")
    harmless = exported(path.with_name("harmless.html")).read_text(encoding="utf-8")
    text = exported(path, prepare, hostile).read_text(encoding="utf-8")
    assert HOSTILE not in text
    assert "<img" not in text
    assert text.count("<script") == harmless.count("<script")
    assert text.count("</script") == harmless.count("</script")
    assert HOSTILE in json.dumps(data_of(path)).replace('\\"', '"')


@pytest.mark.browser
def test_rings_hide_no_face_where_selected_points_lie_close_together(path, request):
    rng = np.random.default_rng(0)
    crowd = pd.DataFrame({"label": np.arange(1, 3001), **{f"f{at}": rng.normal(size=3000) for at in range(4)}})
    exported(path, lambda shown: shown.selection.select(np.arange(3000)), crowd)
    page = Page(request.getfixturevalue("browser"), path)
    page.says("3000 cells selected")
    box = page.page.locator(".latentmap-canvases").first.bounding_box()
    picture = imread(io.BytesIO(page.page.screenshot(clip=box)))[40:, :, :3].astype(int)
    coloured = int((np.ptp(picture, axis=2) > 60).sum())
    # One ring goes round the crowd. If rings hid faces, there would be only 13 coloured pixels to one of a ring.
    assert coloured > 20 * page.ringed()
    page.check()
