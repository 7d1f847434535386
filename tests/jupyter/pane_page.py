"""An image pane in a browser without Jupyter: the widget is in this very process, its script on an empty page."""

import base64
import io
import json
import time

import numpy as np
from skimage.io import imread

from latentmap.jupyter.image_pane import ImagePane

ADDRESS = "http://127.0.0.1/"
TIMEOUT = 30_000  # milliseconds

PAGE = """<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="image_pane.css">
<style>body { margin: 0 } .view { width: WIDTHpx }</style>
<script type="module">
import pane from "./image_pane.js";

const unpack = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
const unpackIf = (value) => (value?.base64 === undefined ? value : unpack(value.base64));

// What anywidget hands to a script.
class Model {
  listeners = {};
  changed = {};
  sent = [];
  state = Object.fromEntries(Object.entries(STATE).map(([name, value]) => [name, unpackIf(value)]));
  get(name) { return this.state[name]; }
  set(name, value) {
    if (JSON.stringify(value) === JSON.stringify(this.state[name]) && !(value instanceof DataView)) return;
    this.state[name] = this.changed[name] = value;
    this.tell(`change:${name}`);
  }
  async save_changes() {
    const changed = this.changed;
    this.changed = {};
    this.isSaving = true;
    await python("state", changed);
    this.isSaving = false;
  }
  on(name, hear) { (this.listeners[name] ??= []).push(hear); }
  off(name, hear) { this.listeners[name] = this.listeners[name].filter((one) => one !== hear); }
  tell(name, ...what) { (this.listeners[name] ?? []).forEach((hear) => hear(...what)); }
  async send(content) {
    this.sent.push(content);
    for (const answer of await python("custom", content)) this.answer(...answer);
  }
  // What Python does.
  answer(content, buffers) { this.tell("msg:custom", content, buffers.map(unpack)); }
  assign(name, value) {
    this.state[name] = unpackIf(value);
    this.tell(`change:${name}`);
  }
}

window.model = new Model();
window.views = [];
window.openView = () => {
  const el = document.createElement("div");
  el.className = "view";
  document.body.append(el);
  views.push(pane.render({ model, el }));
};
openView();
</script>"""


class PanePage:
    """A page that shows a pane.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
    pane : ImagePane
    width : int
        Of the pane, in pixels.
    dark : bool
        Whether the user's system is dark.
    before : str
        A script that runs before all others.
    ratio : float
        How many pixels of the screen make one of the page, along each axis.

    Attributes
    ----------
    page : playwright.sync_api.Page
    errors : list of str
        What the browser's console has of errors and warnings.
    is_holding : bool
        Whether questions for tiles are kept in `held`, unanswered, until `release`.
    """

    def __init__(self, browser, pane, width=800, dark=False, before="", ratio=1):
        self.pane, self.errors, self.held, self.is_holding = pane, [], [], False
        self._is_hearing, self._answers = False, []
        pane.send = lambda content, buffers=(): self._answers.append(
            (content, [base64.b64encode(data).decode() for data in buffers])
        )
        size = {"width": width, "height": pane.height + 250}
        scheme = "dark" if dark else "light"
        self.page = browser.new_page(viewport=size, color_scheme=scheme, device_scale_factor=ratio)
        self.page.set_default_timeout(TIMEOUT)
        self.page.on("console", lambda message: self._note(message.type, message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.expose_function("python", self._hear)
        state = pane.get_state(
            [name for name in pane.keys if not name.startswith(("_model", "_view_", "_esm", "_css"))]
        )
        state = {name: _packed(value) for name, value in state.items() if name not in ("layout", "tabbable", "tooltip")}
        html = PAGE.replace("WIDTH", str(width)).replace("STATE", json.dumps(state))
        self.page.add_init_script(before)
        self.page.route("**/*", lambda route: self._serve(route, html))
        self.page.goto(ADDRESS)
        pane.observe(self._tell)

    def _note(self, kind, text):
        # Chromium tells of every pixel that is read from a canvas that it may be slow.
        if kind in ("error", "warning") and "GPU stall due to ReadPixels" not in text:
            self.errors.append(text)

    def _serve(self, route, html):
        name = route.request.url.removeprefix(ADDRESS)
        if name == "image_pane.js":
            route.fulfill(body=ImagePane._esm, content_type="text/javascript")
        elif name == "image_pane.css":
            route.fulfill(body=ImagePane._css, content_type="text/css")
        elif name:
            route.fulfill(status=404) if name == "favicon.ico" else self.errors.append(f"It asks for {name}")
        else:
            route.fulfill(body=html, content_type="text/html")

    def release(self):
        """Answer what was held."""
        held, self.held, self.is_holding = self.held, [], False
        for content in held:
            answers = self._hear("custom", content)
            self.page.evaluate("answers => answers.forEach(answer => model.answer(...answer))", answers)

    def answer(self, content):
        """What Python says to a question that was held."""
        self.is_holding = False
        (answer,) = self._hear("custom", content)
        self.is_holding = True
        return answer

    def _hear(self, kind, content):
        if self.is_holding and content.get("type") == "tile":
            self.held.append(content)
            return []
        self._is_hearing, self._answers = True, []
        if kind == "state":
            self.pane.set_state(content)
        else:
            self.pane._handle_custom_msg(content, [])
        self._is_hearing = False
        return self._answers

    def _tell(self, change):
        if not self._is_hearing and change.name in self.pane.keys:
            self.page.evaluate("([name, value]) => model.assign(name, value)", [change.name, _packed(change.new)])

    def wait(self, view=0):
        """Until all that is in view is drawn."""
        self.page.wait_for_function(f"document.querySelectorAll('canvas')[{view}]?.dataset.state === 'ready'")
        return self

    def settle(self):
        """Until Python has been told what is changed in the browser."""
        self.page.wait_for_function("!Object.keys(model.changed).length && !model.isSaving")
        return self

    def wait_until(self, condition):
        """Until something holds in Python, which hears of the browser meanwhile."""
        deadline = time.monotonic() + TIMEOUT / 1000
        while not condition():
            assert time.monotonic() < deadline, "What is waited for does not come."
            self.page.wait_for_timeout(20)

    @property
    def canvas(self):
        return self.page.locator("canvas").first

    def pixels(self):
        """What is seen of the canvas, as red, green and blue; unless answers are held, when all is drawn."""
        if not self.is_holding:
            self.wait()
        return imread(io.BytesIO(self.canvas.screenshot()))[..., :3].astype(int)

    def point(self, row, column):
        """Where on the page a place of the picture is seen."""
        box, view = self.canvas.bounding_box(), self.pane.view
        n_rows, n_columns = self.pane.pictures[[one.name for one in self.pane.pictures].index(view.name)].size
        middle = np.array([(n_rows - 1) / 2, (n_columns - 1) / 2]) if view.zoom is None else view[3:5]
        zoom = min(box["height"] / n_rows, box["width"] / n_columns, 64) if view.zoom is None else view.zoom
        down, right = (np.array([row, column]) - middle) * zoom + np.array([box["height"], box["width"]]) / 2
        return float(box["x"] + right), float(box["y"] + down)

    def seen(self, row, column):
        """The colour that is seen at a place of the picture."""
        (colour,) = self.all_seen((row, column))
        return colour

    def all_seen(self, *places):
        """The colours that are seen at several places at once."""
        pixels, box = self.pixels(), self.canvas.bounding_box()
        points = [self.point(*place) for place in places]
        return [pixels[int(y - box["y"]), int(x - box["x"])].tolist() for x, y in points]

    def drag(self, *places, button="left"):
        """Press a button of the mouse at a place of the picture, go by others, and let go at the last."""
        first, *others = [self.point(*place) for place in places]
        self.page.mouse.move(*first)
        self.page.mouse.down(button=button)
        for point in others:
            self.page.mouse.move(*point, steps=5)
        self.page.mouse.up(button=button)

    def draw(self, *places):
        """Drag, and wait until it is told what was drawn."""
        told = len(self.sent("drawn"))
        self.drag(*places)
        self.page.wait_for_function(f"model.sent.filter(({{ type }}) => type === 'drawn').length > {told}")

    def sent(self, kind):
        """The messages of a kind that the script has sent."""
        return [message for message in self.page.evaluate("model.sent") if message["type"] == kind]


def _packed(value):
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, (bytes, memoryview)) else value
