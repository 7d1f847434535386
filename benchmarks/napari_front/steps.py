"""What a user does with a finished map, step by step, with a clock running."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import cells
from benchmarks.napari_front.window import Took, Window
from latentmap.display.region import Lasso
from latentmap.napari_plugin.scene.mouse import Drawing
from latentmap.session import VARIANCE, ColourBy
from latentmap.table import preview

LASSOED = 10_000
_CORNERS = 60


class Step(NamedTuple):
    """Something a user does.

    Attributes
    ----------
    name : str
    act : callable
        What is timed.
    prepare : callable
        What makes it possible to do it again.
    """

    name: str
    act: Callable[[], object]
    prepare: Callable[[], object] = lambda: None


def opening(window: Window, kind: str, n_cells: int) -> Iterator[tuple[str, Took]]:
    """Bring the cells and their map into the window; what each takes can be timed once a window."""
    panel = window.panel
    add = cells.adding(window.viewer, kind, n_cells)
    yield "napari and the panel take the layer up", window.time(add)
    del add  # and with it the table, which the layer has copied
    yield "the panel reads the table anew", window.time(panel.cells._changed)
    parameters = panel.parameters
    seen = partial(preview, panel.cells.cells, parameters.features, parameters.preparation)
    yield "preview of what will be on the map", window.time(seen)
    panel.scene.bring(panel.cells.chosen())
    run = cells.finished(panel.session, panel.cells.table())
    yield "showing a finished map", window.time(lambda: panel.session.runs.restore([run], run, 1))


def steps(window: Window, kind: str, n_cells: int) -> list[Step]:
    """Return what is done with the map; each one can be done any number of times."""
    panel, viewer = window.panel, window.viewer
    session, link = panel.session, panel.scene.link
    selection, everyone = session.selection, panel.scene.maps.numbers()
    (shown,) = panel.scene.maps.shown
    rng = np.random.default_rng(4)
    n_lassoed = min(LASSOED, n_cells // 10)
    on_map, in_image = _around(shown.cell_positions, n_lassoed), _block(cells.side_of(kind), n_lassoed / n_cells)
    (source,) = link.sources

    def draw(loop: np.ndarray) -> Callable[[], None]:
        return lambda: link.draw(Drawing(Lasso(loop), "lasso", "replace"), viewer)

    def select(n: int) -> Callable[[], None]:
        return lambda: selection.select(rng.choice(everyone, n, replace=False), how="at random")

    def place_of_some_cell() -> np.ndarray:
        _, frame, label = session.cell_index.keys([rng.choice(everyone)])[0]
        return np.asarray(source.position(frame, label))

    spot: list[np.ndarray] = []

    def aim(at: Callable[[], np.ndarray]) -> Callable[[], None]:
        def prepare() -> None:
            selection.clear()
            spot[:] = [at()]

        return prepare

    def special() -> None:
        panel.explore.distinctive.refresh()
        window.wait_for(lambda: not panel.explore.distinctive.waiting)

    def gallery() -> None:
        panel.tabs.setCurrentIndex(2)
        window.wait_for(lambda: not panel.gallery.waiting)

    def save(ending: str) -> Callable[[], None]:
        def act() -> None:
            with tempfile.TemporaryDirectory() as folder:
                panel.saving.save_table(Path(folder) / f"map{ending}")
                window.wait_for(lambda: not panel.running)

        return act

    def some_point() -> np.ndarray:
        return shown.positions[rng.integers(len(shown.rows))]

    def look(by: ColourBy) -> Callable[[], None]:
        return lambda: setattr(session.display_settings, "colour_by", by)

    by_feature, by_class = ColourBy("feature", "feature 1"), ColourBy("class")
    found = [
        Step(f"lasso of {n_lassoed} cells on the map", draw(on_map), selection.clear),
        Step(f"lasso of {n_lassoed} cells in the image", draw(in_image), selection.clear),
        Step("click on a cell in the image", lambda: window.click(spot[0]), aim(place_of_some_cell)),
        Step("click on a point of the map", lambda: window.click(spot[0]), aim(some_point)),
        Step("the mouse over a cell in the image", lambda: window.hover(spot[0]), aim(place_of_some_cell)),
        Step("the mouse over a point of the map", lambda: window.hover(spot[0]), aim(some_point)),
    ]
    for n in (1, 10, 10_000, 100_000, n_cells):
        if n <= n_cells:
            found.append(Step(f"select {n} cells", select(n), selection.clear))
    few, half = select(min(10_000, n_cells // 10)), select(n_cells // 2)
    found = list({step.name: step for step in found}.values())
    found += [
        Step("invert a selection of a tenth", lambda: selection.invert(panel.scene.maps.numbers()), few),
        Step("undo", selection.undo, few),
        Step("name a tenth as a class", lambda: session.classes.assign("one", selection.numbers), few),
        Step("colour by a feature", look(by_feature), look(VARIANCE)),
        Step("colour by class", look(by_class), look(VARIANCE)),
        Step("colour by variance", look(VARIANCE), look(by_feature)),
        Step(
            "name a tenth as a class, coloured by class",
            lambda: session.classes.assign("two", selection.numbers),
            lambda: (look(by_class)(), few()),
        ),
        Step("what is special about half of the cells, until it is shown", special, lambda: (look(VARIANCE)(), half())),
        Step(
            "the gallery of a tenth, until its pictures are shown",
            gallery,
            lambda: (panel.tabs.setCurrentIndex(1), few()),
        ),
        Step("save the table as CSV", save(".csv"), lambda: panel.tabs.setCurrentIndex(1)),
        Step("save the table as Parquet", save(".parquet")),
    ]
    return found


def _around(places: np.ndarray, n: int) -> np.ndarray:
    """A loop around so many points in the middle."""
    middle = np.median(places, axis=0)
    reach = np.partition(np.linalg.norm(places - middle, axis=1), n)[n]
    angles = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
    return middle + reach * np.column_stack([np.sin(angles), np.cos(angles)])


def _block(side: int, share: float) -> np.ndarray:
    """A square loop around so large a share of the image, which is full of cells."""
    return side / 4 + side * np.sqrt(share) * np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
