"""The session in a notebook, with the mouse and the keys, in JupyterLab."""

import re
import time

import numpy as np
import pytest
from notebook_page import NotebookPage

IMPORTS = """
import numpy as np, pandas as pd
from latentmap.jupyter import explore
"""

# Two kinds of cells, in two columns of squares: those of odd numbers are on the left.
CELLS = """
rng = np.random.default_rng(0)
numbers = np.arange(1, 61) * 7
kind = np.arange(60) % 2
features = pd.DataFrame({"label": numbers, **{f"f{at}": rng.normal(8 * kind, 1) for at in range(4)}})
labels = np.zeros((320, 100), dtype=int)
for at, number in enumerate(numbers):
    row, column = 10 * (at // 2) + 2, 10 + 50 * kind[at]
    labels[row : row + 7, column : column + 30] = number
shown = explore(features, {"DNA": 1.0 * (labels > 0)}, labels)
shown.session.parameters.n_neighbors = 6
shown
"""


# What a map is drawn on, once it has been; each drawing has a number.
DRAWN = ":scope > canvas[data-frame]"


class Widget:
    """The widget in a notebook, as a hand and an eye see it."""

    def __init__(self, notebook):
        self.notebook, self.page = notebook, notebook.page
        self.map = self.page.locator(".latentmap-map .latentmap-canvases").first
        self.page.get_by_role("button", name="Embed", exact=True).wait_for()

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()

    def embed(self):
        self.press("Embed")
        self.page.get_by_text("cells on the map").wait_for()
        # Only then is the pane as large as it will be.
        self.map.locator(DRAWN).wait_for()

    def choose_method(self, title):
        methods = self.page.locator(".widget-dropdown select").filter(has=self.page.locator("option", has_text=title))
        methods.first.select_option(label=title)

    def drag(self, locator, places, keys=()):
        """Draw a line through places, given as shares of what it is drawn on."""
        locator.scroll_into_view_if_needed()  # every cell that is run makes the notebook longer
        box = locator.bounding_box()
        through = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in places]
        for key in keys:
            self.page.keyboard.down(key)
        self.page.mouse.move(*through[0])
        self.page.mouse.down()
        for place in through[1:]:
            self.page.mouse.move(*place, steps=8)
        self.page.mouse.up()
        for key in keys:
            self.page.keyboard.up(key)

    def value(self, expression):
        return self.notebook.ask(f"print({expression})").strip()


@pytest.fixture
def widget(notebook):
    notebook.open(IMPORTS, CELLS, size=(1700, 1100))
    notebook.run_all()
    return Widget(notebook)


@pytest.fixture
def embedded(widget):
    widget.embed()
    return widget


def half_of_the_map(widget):
    """Where the cells of the first kind lie on the map: the places of a loop round them."""
    left, right, top, bottom = np.array(
        widget.value(
            "*[f'{end:.4f}' for axis in shown.maps.shown[0]._positions[kind == 0].T"
            " for end in (axis.min(), axis.max())]"
        ).split(),
        dtype=float,
    )
    box = widget.map.bounding_box()
    half = np.array(widget.value("*shown.maps.shown[0].pane.half").split(), dtype=float)
    side = 0.94 * (np.array([box["width"], box["height"]]) / half).min() / 2

    def share(x, y):
        return 0.5 + x * side / box["width"], 0.5 - y * side / box["height"]

    out = 0.03
    low, high = top - out, bottom + out
    return [share(x, y) for x, y in ((left - out, low), (right + out, low), (right + out, high), (left - out, high))]


def test_an_empty_map_says_what_to_do(notebook):
    notebook.open(IMPORTS, CELLS)
    notebook.run_all()
    notebook.page.get_by_text("No map yet. Choose features and press").wait_for()
    assert notebook.page.get_by_text("60 cells, 4 of 4 features").is_visible()


@pytest.fixture
def other_notebook(lab, browser):
    """One for another application than JupyterLab, which stays open for the tests that follow."""
    notebook = NotebookPage(lab, browser)
    yield notebook
    notebook.check()


def test_it_works_in_notebook_7_as_well(other_notebook):
    notebook = other_notebook.open(IMPORTS, CELLS, size=(1700, 1100), app="notebook")
    notebook.run_all()
    widget = Widget(notebook)
    widget.embed()
    image = widget.page.locator("canvas[data-state='ready']").first
    image.wait_for()
    widget.drag(widget.map, half_of_the_map(widget))
    widget.notebook.wait_until("len(shown.selection) == 30")
    notebook.wait_for_picture(lambda picture: lit(picture).sum() > 500, part=image)


def lit(picture):
    """How many pixels of each column have the colour of cells selected."""
    red, green, blue = picture.astype(int).transpose(2, 0, 1)
    return np.count_nonzero((red > 180) & (green > 150) & (blue < 130), axis=0)


def test_a_lasso_on_the_map_lights_the_cells_in_the_image(embedded):
    image = embedded.page.locator("canvas[data-state='ready']").first
    image.wait_for()
    embedded.drag(embedded.map, half_of_the_map(embedded))
    embedded.notebook.wait_until("len(shown.selection) == 30")
    chosen = embedded.value("*shown.selection.keys.get_level_values('label')").split()
    assert chosen == [str(7 * at) for at in range(1, 61, 2)]

    columns = lit(embedded.notebook.wait_for_picture(lambda picture: lit(picture).sum() > 500, part=image))
    middle = len(columns) // 2
    assert columns[middle + 5 :].sum() == 0  # none of the right column is lit


def test_a_mouse_that_is_let_go_of_elsewhere_on_the_map_has_been_there(embedded):
    page = embedded.page
    page.get_by_role("button", name="rectangle").first.click()
    embedded.map.scroll_into_view_if_needed()
    box = embedded.map.bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + box["height"] - 4)
    page.mouse.down()
    end = {"clientX": box["x"] + box["width"] - 4, "clientY": box["y"] + 4}
    overlay = embedded.map.locator("svg").first
    overlay.dispatch_event("pointercancel", {"pointerId": 1})
    overlay.dispatch_event("pointerup", {**end, "pointerId": 1})
    page.mouse.up()
    page.mouse.down()
    overlay.dispatch_event("pointerup", {**end, "pointerId": 1})
    page.mouse.up()
    embedded.notebook.wait_until("len(shown.selection) == 60")
    assert embedded.value("len(shown.selection.story)") == "1"


def test_a_lasso_in_the_image_selects_points_and_shift_adds(embedded):
    image = embedded.page.locator("canvas[data-state='ready']").first
    image.wait_for()
    embedded.page.get_by_role("button", name="rectangle").last.click()
    embedded.drag(image, [(0.3, 0.01), (0.5, 0.5)])
    embedded.notebook.wait_until("0 < len(shown.selection) < 30")
    chosen = embedded.value("*shown.selection.keys.get_level_values('label')").split()
    assert {int(number) // 7 % 2 for number in chosen} == {1}
    before = int(embedded.value("len(shown.selection)"))
    embedded.drag(image, [(0.5, 0.01), (0.7, 0.5)], keys=["Shift"])
    embedded.notebook.wait_until(f"len(shown.selection) > {before}")
    assert embedded.value("shown.selection.story[-1].mode") == "add"


def test_every_slider_reaches_the_parameters_and_the_run(widget):
    moved = {"n_neighbors": (4, 10), "n_steps": (1, 3), "n_components": (2, 4)}
    before = {name: int(widget.value(f"shown.session.parameters.{name}")) for name in moved}
    for place, (name, (steps, after)) in enumerate(moved.items()):
        assert before[name] + steps == after
        widget.page.get_by_role("slider").nth(place).focus()
        for _ in range(steps):
            widget.page.keyboard.press("ArrowRight")
        widget.notebook.wait_until(f"shown.session.parameters.{name} == {after}")
    levels = widget.page.locator(".widget-dropdown select").filter(has=widget.page.locator("option", has_text="auto"))
    levels.first.select_option("1")
    widget.notebook.wait_until("shown.session.parameters.n_levels == 1")
    widget.embed()
    made = {**{name: after for name, (_, after) in moved.items()}, "n_levels": 1}
    for name, value in made.items():
        assert widget.value(f"shown.session.runs.current.parameters['{name}']") == str(value)
    widget.notebook.ask("shown.session.parameters.n_neighbors = 7")
    assert widget.value("shown.form.fields['n_neighbors'].slider.value") == "7"
    fields = "[...document.querySelectorAll('input[type=number]')].map(input => input.value)"
    widget.page.wait_for_function(f"() => {fields}.includes('7')")


def test_a_slider_that_moves_fast_queues_no_runs_and_the_map_goes_on(embedded):
    embedded.notebook.ask("""
begun = []
shown.session.runs.started.connect(begun.append)
shown.session.parameters.max_iter = 100_000

from unittest.mock import patch

from latentmap.session import job

work, n_working, most = job._Task.work, 0, 0

def counted(run):
    global n_working, most
    n_working += 1
    most = max(most, n_working)
    try:
        work(run)
    finally:
        n_working -= 1

patch.object(job._Task, "work", counted).start()
""")
    embedded.page.get_by_role("checkbox", name="live").check()
    embedded.notebook.wait_until("shown.session.live.on")
    embedded.page.get_by_role("slider").first.focus()
    for _ in range(20):
        embedded.page.keyboard.press("ArrowRight")
    embedded.notebook.wait_until("shown.session.parameters.n_neighbors == 26")
    embedded.notebook.wait_until("begun[-1].parameters['n_neighbors'] == 26 and not shown.session.runs.running")
    assert embedded.value("shown.session.runs.current is begun[-1]") == "True"
    assert int(embedded.value("len(begun)")) <= 20
    assert embedded.value("{run.status for run in begun[:-1]} <= {'stopped', 'done'}") == "True"
    assert int(embedded.value("most")) <= 2  # one run works at a time, and one interim map
    assert embedded.value("begun[-1].origin is not None") == "True"  # it went on from the map that was there


def test_the_map_moves_while_the_neighbours_of_the_next_are_searched(embedded):
    embedded.notebook.ask("""
import threading
from unittest.mock import patch
from latentmap.model.vectors import Vectors

gate, search = threading.Event(), Vectors._searched

def waiting(vectors, k):
    assert gate.wait(60)
    return search(vectors, k)

patch.object(Vectors, "_searched", waiting).start()
runs, first = shown.session.runs, shown.session.runs.current
before = shown.maps.shown[0]._positions.copy()
""")
    moved = "not gate.is_set() and runs.running and not np.allclose(shown.maps.shown[0]._positions, before, atol=1e-6)"
    embedded.page.get_by_role("checkbox", name="live").check()
    embedded.notebook.wait_until("shown.session.live.on")
    slider = embedded.page.get_by_role("slider").first
    slider.focus()
    embedded.page.keyboard.press("ArrowRight")
    embedded.notebook.wait_until(moved)
    embedded.page.get_by_text("Map as before: k 6 instead of 7").wait_for()
    slider.focus()
    embedded.page.keyboard.press("ArrowRight")
    embedded.page.get_by_text("Map as before: k 6 instead of 8").wait_for()
    embedded.notebook.wait_until(moved)
    embedded.press("Cancel")
    embedded.page.get_by_text("The previous map is shown again").wait_for()
    assert embedded.value("runs.running or runs.current is not first") == "False"
    assert embedded.value("np.allclose(shown.maps.shown[0]._positions, before)") == "True"
    slider.focus()
    embedded.page.keyboard.press("ArrowRight")
    embedded.notebook.wait_until(moved)
    embedded.notebook.ask("gate.set()")
    embedded.notebook.wait_until("not runs.running")
    assert embedded.value("runs.current.parameters['n_neighbors'], runs.current.status") == "9 done"


def test_the_map_has_the_same_bits_as_the_estimator(embedded):
    embedded.notebook.ask("""
from latentmap import LVM
from latentmap.table import prepare
parameters = shown.session.parameters
_, values = prepare(shown.cells, parameters.features, parameters.preparation)
again = LVM(**parameters.model).fit_transform(values)
""")
    assert embedded.value("(again == shown.session.runs.current.result.embedding).all()") == "True"
    assert embedded.value("(shown.estimator['map'].embedding_ == again).all()") == "True"


def test_cancel_and_pause_answer_while_a_run_is_under_way(widget):
    widget.notebook.ask("shown.session.parameters.max_iter = 100_000")
    widget.press("Embed")
    widget.notebook.wait_until("getattr(shown.session.runs.active.progress, 'iteration', 0) > 5")
    widget.press("Pause")
    widget.notebook.wait_until("shown.session.runs.paused")
    widget.page.get_by_text("paused").first.wait_for()
    widget.press("Resume")
    widget.notebook.wait_until("not shown.session.runs.paused")
    widget.press("Cancel")
    widget.page.get_by_text("cells on the map").wait_for()
    assert widget.value("shown.session.runs.current.status") == "stopped"


def test_the_map_and_the_count_of_iterations_move_while_a_run_is_under_way(widget):
    widget.notebook.ask("shown.session.parameters.max_iter = 1_000_000")
    widget.press("Embed")
    drawn, counted = widget.map.locator(DRAWN), widget.page.get_by_text(re.compile(r"^[0-9]+ / 1000000"))
    drawings, counts = [], []
    for _ in range(3):
        drawings.append(changed(drawn, lambda canvas: canvas.get_attribute("data-frame"), drawings))
        counts.append(changed(counted, lambda words: words.inner_text().split(" / ")[0], counts))
    widget.press("Cancel")
    widget.page.get_by_text("cells on the map").wait_for()
    for one in (drawings, counts):
        assert one == sorted(one, key=int)


def changed(locator, read, before):
    """What is read of something, as soon as it is none of what it was before."""
    locator.wait_for()
    deadline = time.monotonic() + 60
    while (now := read(locator)) in before:
        assert time.monotonic() < deadline, f"It stays as it was: {now}"
        time.sleep(0.05)
    return now


def test_another_method_is_chosen_shows_its_progress_and_cancels(widget):
    page = widget.page
    widget.choose_method("ProbDR")
    widget.notebook.wait_until("shown.session.parameters.method == 'probdr'")
    page.get_by_text("k neighbours").first.wait_for()
    assert not page.get_by_text("s steps").first.is_visible()
    widget.notebook.ask("shown.session.parameters.set_of_method('max_iter', 1_000_000)")
    widget.press("Embed")
    page.get_by_text("/ 1000000").first.wait_for()
    widget.press("Cancel")
    page.get_by_text("cells on the map").wait_for()
    assert widget.value("shown.session.runs.current.status") == "stopped"
    assert "ProbDR" in widget.value("shown.session.runs.current.name")
    assert widget.value("shown.session.runs.current.result.has_variances") == "False"


def test_three_clicks_in_the_image_say_which_cells_are_more_alike(widget):
    page, image = widget.page, widget.page.locator("canvas[data-state='ready']").first
    image.wait_for()
    widget.choose_method("Comparisons of cells")
    page.get_by_role("checkbox", name="compare cells by clicking").check()
    page.get_by_text("Click a cell, in the image or on the map. No comparisons yet.").wait_for()
    box = image.bounding_box()
    zoom = box["height"] / 320
    for (row, column), says in (
        ((5, 25), "Now click the cell that is more like it."),
        ((15, 25), "Now click the cell that is less like it."),
        ((5, 75), "1 comparison; the last: 7 is more like 21 than 14."),
    ):
        place = {"x": box["width"] / 2 + (column - 49.5) * zoom, "y": box["height"] / 2 + (row - 159.5) * zoom}
        image.click(position=place)
        page.get_by_text(says).wait_for()
    widget.embed()
    assert widget.value("shown.session.runs.current.result.supervision.tolist()") == "[[0, 2, 1]]"
    widget.press("Undo last")
    page.get_by_text("No comparisons yet.").wait_for()


def test_a_class_is_named_and_comes_with_the_table(embedded):
    embedded.drag(embedded.map, half_of_the_map(embedded))
    embedded.notebook.wait_until("len(shown.selection) == 30")
    embedded.page.get_by_role("tab", name="Explore").click()
    embedded.page.get_by_placeholder("class name").fill("left")
    embedded.page.get_by_placeholder("class name").press("Tab")
    embedded.press("Add to class")
    embedded.page.get_by_role("button", name="left (30)").wait_for()
    assert embedded.value("shown.table()['class'].eq('left').sum()") == "30"
    embedded.press("Clear")
    embedded.notebook.wait_until("len(shown.selection) == 0")
    embedded.page.get_by_title("What the points are coloured by.").last.select_option("class")
    # The legend names the class; a click selects its cells.
    embedded.press("left")
    embedded.notebook.wait_until("len(shown.selection) == 30")
    assert "n_neighbors=6" in embedded.value("shown.code()")


def test_what_there_is_can_be_saved(embedded):
    page = embedded.page
    page.get_by_role("tab", name="Save").click()
    # A notebook of the documentation writes map.py beside it.
    embedded.notebook.ask("shown.keep.name.value = 'kept'")
    kind = page.locator("select").filter(has=page.locator("option", has_text="table: CSV"))
    for ending in (".csv", ".latentmap", ".html", ".py"):
        option = kind.locator("option").filter(has_text=f"({ending})").inner_text()
        kind.select_option(option)
        embedded.press("Save")
        page.get_by_text(f"kept{ending}").wait_for()
    embedded.notebook.ask("from latentmap.jupyter import open_session; again = open_session('kept.latentmap')")
    assert embedded.value("again.table().equals(shown.table())") == "True"
    assert embedded.value("len(pd.read_csv('kept.csv'))") == "60"


def test_the_cell_under_the_mouse_and_the_gallery(embedded):
    page = embedded.page
    image = page.locator("canvas[data-state='ready']").first
    image.wait_for()
    image.scroll_into_view_if_needed()
    box = image.bounding_box()
    middle = box["x"] + box["width"] / 2
    # Of 100 columns of pixels the left squares have those from 10 to 40; all 320 rows are seen.
    left = middle - box["height"] / 320 * 25
    page.mouse.move(left, box["y"] + box["height"] * 5.5 / 320, steps=4)
    page.get_by_text("Label 7", exact=True).wait_for()
    page.get_by_text("variance (σ²)").first.wait_for()
    embedded.notebook.ask("shown.selection.select(range(0, 60, 2))")
    page.get_by_text("30 cells selected").wait_for()
    figures = page.locator(".latentmap-gallery figure")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.latentmap-gallery figure')].every(figure => figure.title)"
    )
    labels = figures.locator("figcaption").all_inner_texts()
    assert labels == [str(7 * at) for at in range(1, 2 * len(labels), 2)]
    assert len(labels) > 5
    pixels = embedded.notebook.screenshot(part=figures.nth(1).locator("canvas"))
    assert (pixels.min(axis=2) > 240).mean() > 0.2  # a white square in the image, on black
    figures.nth(3).click()
    embedded.notebook.wait_until("shown.images.pane.view.zoom is not None")
    assert embedded.value("shown.images.pane.view.row") == str(10 * 3 + 2 + 3.0)


def test_a_kernel_that_restarts_takes_the_widget_along_and_the_cell_makes_another(embedded):
    embedded.notebook.restart_kernel()
    # Nothing answers behind it any more, and nothing breaks because of that.
    embedded.drag(embedded.map, [(0.1, 0.1), (0.9, 0.1), (0.9, 0.9)])
    embedded.page.get_by_role("alert").get_by_text("Run this cell again").first.wait_for()
    embedded.page.mouse.wheel(0, 300)
    embedded.notebook.run_all()
    again = Widget(embedded.notebook)
    again.embed()
    again.drag(again.map, half_of_the_map(again))
    again.notebook.wait_until("len(shown.selection) == 30")


def test_two_widgets_and_a_closed_one_leaves_neither_thread_nor_memory(embedded):
    embedded.notebook.run(CELLS.replace("shown", "other"))  # IPython keeps what the last line gives, for Out
    embedded.notebook.ask("other.embed(); None")
    embedded.notebook.wait_until("not other.session.runs.running")
    embedded.notebook.ask("""
import gc, threading, weakref

other.selection.select(range(9))
other.session.parameters.max_iter = 1_000_000
other.embed()
large = {
    "embedding": other.session.runs.current.result.embedding,
    "model": other.estimator,
    "cells": other.cells,
    "tiles": other.images.pane._shown[0].tiles,
    "picture": other.images.pane.pictures[0],
    "crops": other.card._picture,
    "map": other.maps.shown[0].pane,
    "run": other.session.runs.active,
    "neighbours": other.session.runs._neighbor_cache,
}
held = {name: weakref.ref(one) for name, one in large.items()}
large.clear()
""")
    embedded.notebook.wait_until("other.session.runs.active.progress is not None")
    assert embedded.value("shown.session.runs.running") == "False"
    embedded.notebook.ask("other.close(); del other")
    embedded.notebook.wait_until("'latentmap run' not in {thread.name for thread in threading.enumerate()}")
    assert (
        embedded.value("any(type(one).__name__ == 'Explorer' and one is not shown for one in Out.values())") == "True"
    )
    embedded.notebook.wait_until("gc.collect() >= 0 and not [name for name, one in held.items() if one() is not None]")
    assert embedded.value("len(shown.maps.shown)") == "1"


def test_maps_side_by_side_are_linked(embedded):
    embedded.notebook.ask("shown.session.parameters.n_neighbors = 9")
    embedded.page.get_by_role("checkbox").nth(4).check()  # after those of the features
    embedded.press("Embed")
    embedded.notebook.wait_until("len(shown.session.runs) == 2 and not shown.session.runs.running")
    embedded.notebook.wait_until("len(shown.maps.shown) == 2")
    maps = embedded.page.locator(".latentmap-map .latentmap-canvases")
    for at in range(2):
        maps.nth(at).locator(DRAWN).wait_for()
    assert maps.count() == 2
    left, right = (maps.nth(at).bounding_box() for at in range(2))
    assert left["x"] + left["width"] <= right["x"] + 1 or left["y"] + left["height"] <= right["y"] + 1
    marks = embedded.value("[one.pane.marks for one in shown.maps.shown]")
    embedded.notebook.ask("shown.selection.select(range(9))")
    lit = "[np.flatnonzero(np.unpackbits(np.frombuffer(one.pane.selected, np.uint8))) for one in shown.maps.shown]"
    assert embedded.value(f"[one.numbers[rows].tolist() for one, rows in zip(shown.maps.shown, {lit})]") == str(
        [list(range(9))] * 2
    )
    assert embedded.value("[one.pane.marks for one in shown.maps.shown]") != marks
    maps.first.hover()  # which waits until it stands still
    embedded.page.mouse.wheel(0, -400)
    embedded.notebook.wait_until("[round(one.pane.view['zoom'], 2) for one in shown.maps.shown] == [2.72, 2.72]")
