"""Gates in a notebook: the mouse on the plot in JupyterLab, and what the kernel makes of it."""

import numpy as np
import pytest

CELLS = """
import numpy as np, pandas as pd
from latentmap.jupyter import explore
rng = np.random.default_rng(0)
numbers = np.arange(1, 61) * 7
kind = np.arange(60) % 2
features = pd.DataFrame({"label": numbers, "CD4": rng.normal(20 * kind, 2), "CD8": np.arange(60.0)})
features["type"] = np.where(kind == 1, "T", "B")
labels = np.zeros((120, 100), dtype=int)
for at, number in enumerate(numbers):
    row, column = 20 * (at // 10) + 2, 10 * (at % 10) + 1
    labels[row : row + 16, column : column + 8] = number
shown = explore(features, {"DNA": 1.0 * (labels > 0)}, labels)
members = lambda name: sorted(shown.session.cell_index.keys(shown.classes.members(name)).get_level_values("label"))
shown
"""
ORANGE = (230, 159, 0)


class Gates:
    """The tab, as a hand and an eye see it."""

    def __init__(self, notebook):
        self.notebook, self.page = notebook, notebook.page
        self.page.get_by_role("tab", name="Gates").click()
        self.page.locator(".latentmap-plot canvas[data-version]").wait_for()
        self.plot = self.page.locator(".latentmap-plot > svg")

    def tool(self, name):
        button = self.page.locator(f".latentmap-feature-plot button[aria-label='{name}']")
        button.click()
        return button

    def points(self, positions):
        """Where positions along the axes are on the page."""
        limits = eval(self.notebook.ask("print(tuple(map(float, shown.gates.plot._limits)))"))
        self.plot.scroll_into_view_if_needed()
        box = self.plot.bounding_box()
        (left, right, bottom, top), width, height = limits, box["width"] - 68, box["height"] - 44
        return [
            (
                box["x"] + 58 + (x - left) / (right - left) * width,
                box["y"] + 6 + (top - y) / (top - bottom) * height,
            )
            for x, y in positions
        ]

    def drag(self, *positions, keys=()):
        """Drag through positions along the axes."""
        points = self.points(positions)
        for key in keys:
            self.page.keyboard.down(key)
        self.page.mouse.move(*points[0])
        self.page.mouse.down()
        for point in points[1:]:
            self.page.mouse.move(*point, steps=4)
        self.page.mouse.up()
        for key in keys:
            self.page.keyboard.up(key)

    def click(self, *positions):
        """Click on one position along the axes after the other."""
        for point in self.points(positions):
            self.page.mouse.click(*point)

    def make_class(self, name):
        field = self.page.locator("input[placeholder='name for the gate']")
        field.fill(name)
        field.press("Tab")
        self.page.get_by_role("button", name="Make class", exact=True).click()

    def colour_count(self, colour):
        picture = self.notebook.screenshot(part=self.page.locator(".latentmap-plot")).astype(int)
        return int((np.abs(picture - colour).max(axis=-1) < 12).sum())


@pytest.mark.browser
def test_gates_are_drawn_moved_and_typed_in_a_notebook(notebook):
    notebook.open(CELLS).run_all()
    gates, page = Gates(notebook), notebook.page
    assert gates.colour_count(ORANGE) == 0

    # A rectangle around the cells with CD4 selects them in the image as well, and becomes a class.
    gates.drag((10, -1), (28, 61))
    page.get_by_text("In the shape: 30 of 60 cells (50.0 %).").wait_for()
    assert notebook.ask("print(len(shown.selection), len(shown.images.pane.selected))") == "30 30\n"
    gates.make_class("helper")
    page.get_by_role("button", name="helper: 30 of 60 cells (50.0 %)").wait_for()
    odd = notebook.ask("print(members('helper') == sorted(numbers[kind == 1].tolist()))")
    assert odd == "True\n"
    notebook.wait_for_picture(lambda _: gates.colour_count(ORANGE) > 300)

    # The plot shows what is selected elsewhere: all others fade.
    before = gates.colour_count(ORANGE)
    notebook.ask("shown.selection.select([0], how='click in the image')")
    notebook.wait_for_picture(lambda _: gates.colour_count(ORANGE) < before / 2)

    # Shift adds what is drawn, and makes no gate.
    gates.tool("Lasso")
    gates.drag((-6, 49), (6, 49), (6, 60), (-6, 60), keys=["Shift"])
    page.get_by_text("A gate is one shape").wait_for()
    assert notebook.ask("print(len(shown.selection), len(shown.session.gates))") == "6 1\n"

    # Corners are clicked one by one.
    gates.tool("Polygon")
    left, right, bottom, top = eval(notebook.ask("print(tuple(map(float, shown.gates.plot._limits)))"))
    far, low, high = right - 0.01 * (right - left), bottom + 0.01 * (top - bottom), top - 0.01 * (top - bottom)
    gates.click((10, low), (far, low), (far, high), (10, high))
    page.keyboard.press("Enter")
    page.get_by_text("In the shape: 30 of 60 cells (50.0 %).").wait_for()
    assert notebook.ask("print(len(shown.selection), shown.gates.presenter.current.kind)") == "30 polygon\n"

    # A gate is dragged as a whole and by a corner.
    page.get_by_role("button", name="helper: 30 of 60").click()
    gates.tool("Move")
    gates.drag((20, 30), (20, 50), (20, 60.8))
    page.get_by_role("button", name="helper: 15 of 60 cells (25.0 %)").wait_for()
    assert notebook.ask("print(min(members('helper')) // 7 > 28)") == "True\n"
    low, high = eval(notebook.ask("print(shown.session.gates[0].corners)"))
    gates.drag(low, (low[0], 40))
    page.get_by_role("button", name="helper: 10 of 60 cells (16.7 %)").wait_for()

    # A feature is found by its name; a histogram has a line, which can be typed.
    up = page.locator(".latentmap-searchable:visible input").nth(1)
    up.fill("number of cells")
    up.press("Tab")
    page.locator(".latentmap-feature-plot button[aria-label='Threshold'][aria-pressed='true']").wait_for()
    page.locator("select:visible").filter(has=page.locator("option", has_text="arcsinh")).select_option("arcsinh")
    page.get_by_text("CD4 (arcsinh, cofactor 5)").wait_for()
    gates.drag((0, 1), (1.5, 2))
    page.get_by_text("In the shape: 30 of 60 cells (50.0 %).").wait_for()
    notebook.ask("shown.gates.threshold.value = '19,5'")
    high = notebook.ask("print(int((features['CD4'] >= 19.5).sum()))").strip()
    page.get_by_text(f"In the shape: {high} of 60 cells").wait_for()
    page.locator("select:visible").filter(has=page.locator("option", has_text="both sides")).select_option("both sides")
    gates.make_class("")
    page.get_by_role("button", name=f"CD4+: {high} of 60 cells").wait_for()
    assert notebook.ask("print(shown.classes.names, len(members('CD4+')) + len(members('CD4-')))").endswith(") 60\n")

    # Classes from a column.
    page.get_by_role("button", name="Classes from a column…").click()
    page.get_by_role("button", name="Make classes").click()
    page.get_by_text('60 cells classed by "type": 2 classes have cells now.').wait_for()
    assert notebook.ask("print(members('B') == sorted(numbers[kind == 0].tolist()))") == "True\n"

    # The wheel zooms, and a button brings all back.
    span = "print(round(shown.gates.plot._limits.right - shown.gates.plot._limits.left, 3))"
    whole = float(notebook.ask(span))
    gates.plot.hover()
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(300)
    assert float(notebook.ask(span)) < 0.6 * whole
    gates.tool("Show all")
    page.wait_for_timeout(300)
    assert float(notebook.ask(span)) == whole
