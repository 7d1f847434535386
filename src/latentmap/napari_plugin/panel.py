"""The panel: choose cells, features and parameters, embed them, watch the map."""

import os
from functools import partial
from typing import Any

from magicgui.widgets import Label, PushButton
from magicgui.widgets.bases import Widget
from napari.layers import Layer
from napari.viewer import Viewer
from qtpy.QtWidgets import QFileDialog, QScrollArea, QSizePolicy, QTabWidget, QVBoxLayout, QWidget

from latentmap.napari_plugin.cells_section import CellsSection, offered
from latentmap.napari_plugin.colour_section import ColourSection
from latentmap.napari_plugin.form import ParameterForm, beside
from latentmap.napari_plugin.main_thread import main_thread
from latentmap.napari_plugin.mouse import Tool
from latentmap.napari_plugin.progress_bar import RunProgressBar
from latentmap.napari_plugin.runs_section import RunsSection
from latentmap.napari_plugin.scene import Scene
from latentmap.napari_plugin.selection_section import SelectionSection
from latentmap.napari_plugin.tool_section import ToolSection
from latentmap.session import Parameters, Result, Run, Selection, Session, choices
from latentmap.table import Key, write_csv

WHAT_NEXT = (
    "Yellow ones have an uncertain place. Drag a lasso around points, and their cells light up; click a cell in the "
    "image, and its point is ringed."
)
_WIDTH = 380


class MapPanel(QWidget):
    """The panel "Map of cells".

    Parameters
    ----------
    viewer : napari.viewer.Viewer
        Where the cells are, and where the map goes.

    Attributes
    ----------
    session : Session
        What the user has set, selected and made, for all views.
    scene : Scene
        What of it stands in the viewer.
    """

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        # Of the real one: a plugin gets a proxy, whose layers are proxies, too, and equal no layer.
        self._viewer: Any = getattr(viewer, "__wrapped__", viewer)
        self.session = Session(main_thread())
        self.progress = RunProgressBar()
        self.status = _words()
        self.cells = CellsSection(self._viewer, self.progress, self.tell)
        self.form = ParameterForm(self.parameters)
        self.embed_button = PushButton(text="Embed", tooltip="Make the map; pressed again, anew.")
        self.pause_button = PushButton(text="Pause", tooltip="Wait after this step, until you press Resume.")
        self.cancel_button = PushButton(text="Cancel", tooltip="Stop, and keep the map as it is now.")
        self.kept = RunsSection(self.session.runs, self.parameters, lambda: self.form.features.choices, self.tell)
        self.save_button = PushButton(text="Save table…", tooltip="Keys, features, coordinates and variance, as CSV.")
        self.colours = ColourSection(self.session.look)
        self.tools = ToolSection()
        self.scene = Scene(
            self._viewer, self.session, self.colours.legend.show_colouring, self.tell, self._hovered
        )
        self.selected = SelectionSection(
            self.selection, self.session.classes, self.scene.maps.numbers, self.tell
        )
        self._lay_out()
        self._connect()
        self.reset_choices()

    def _lay_out(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.addTab(
            _page(self.cells, self.form, beside(self.embed_button, self.pause_button, self.cancel_button), self.kept), "Map"
        )
        self.tabs.addTab(_page(self.tools, self.colours, self.selected), "Explore")
        self.tabs.addTab(_page(self.save_button), "Save")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.addWidget(self.tabs)
        layout.addWidget(self.progress.native)
        layout.addWidget(self.status.native)
        self.setMinimumWidth(_WIDTH)

    def _connect(self) -> None:
        self.cells.altered.connect(self._refresh)
        self.embed_button.changed.connect(self.embed)
        self.pause_button.changed.connect(self.pause)
        self.cancel_button.changed.connect(self.cancel)
        self.save_button.changed.connect(self._ask_and_save)
        self.tools.changed.connect(self._use_tool)
        runs = self.session.runs
        runs.progressed.connect(self._progressed)
        runs.ended.connect(self._ended)
        runs.changed.connect(self._refresh)
        self.kept.compared.connect(self._compare)
        self.kept.variances.threshold.connect(self._select_uncertain)
        self._viewer.layers.events.removed.connect(self._layer_removed)
        # Qt keeps this slot, so it must not keep the panel alive.
        self.destroyed.connect(partial(_close, self.session, self.scene, self.cells))

    @property
    def parameters(self) -> Parameters:
        """What the user has set."""
        return self.session.parameters

    @property
    def selection(self) -> Selection:
        """The cells selected."""
        return self.session.selection

    @property
    def result(self) -> Result | None:
        """The map that is shown."""
        shown = self.session.runs.current
        return shown.result if shown is not None else None

    @property
    def running(self) -> bool:
        """Whether cells are being embedded or measured."""
        return self.session.runs.running or self.cells.measuring.running

    def reset_choices(self, *_: object) -> None:
        """Take up the layers that there are now; napari calls this whenever they change."""
        self.cells.reset_choices()

    def embed(self) -> None:
        """Start a run on the cells, features and parameters of this moment."""
        try:
            table = self.cells.table()
        except ValueError as error:
            self.tell(str(error))
            return
        self.session.runs.drop()
        self.scene.bring(self.cells.chosen())
        self.status.value = ""
        self.progress.busy("starting")
        self.session.runs.start(table, self.parameters)
        self._refresh()

    def pause(self) -> None:
        """Have the run wait, or go on."""
        runs = self.session.runs
        (runs.resume if runs.paused else runs.pause)()
        self._refresh()

    def cancel(self) -> None:
        """Stop the run after its current step and keep the map as it is."""
        if self.session.runs.running:
            self.session.runs.stop()
            self.tell("Stopping after this step …")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the cells on the map as CSV: keys, features, coordinates, variance, and class if there are classes.

        Parameters
        ----------
        path : path-like
            Where to; an existing file is replaced.

        Raises
        ------
        OSError
            If it cannot be written; then nothing has changed on disk.
        """
        if self.result is not None:
            rows, classes = self.result.rows(), self.session.classes
            if len(classes):
                rows["class"] = classes.names_of(self.session.register.find(self.result.cells.features.index))
            self.tell(f"Saved {len(rows)} cells in {write_csv(rows, path)}.")

    def tell(self, sentence: str) -> None:
        """Say something to the user, in the panel and in napari's status bar."""
        self.status.value = sentence
        self._viewer.status = sentence

    def _refresh(self) -> None:
        """Show what can be done now."""
        cells, runs = self.cells.cells, self.session.runs
        self.form.offer([] if cells is None else offered(cells))
        self.embed_button.enabled = cells is not None
        self.cancel_button.enabled = self.pause_button.enabled = runs.running
        self.pause_button.text = "Resume" if runs.paused else "Pause"
        self.save_button.enabled = self.result is not None and not self.running

    def _use_tool(self, tool: Tool) -> None:
        self.scene.mouse.tool = tool

    def _hovered(self, key: Key | None) -> None:
        pass

    def _progressed(self, run: Run) -> None:
        if run.progress is not None:
            self.progress.follow(run.progress)
            if run.progress.iteration == 0:
                self.colours.offer(choices(run.progress.cells.features))

    def _ended(self, run: Run) -> None:
        self.progress.clear()
        if run.error is not None:
            self.tell(str(run.error))
            if not isinstance(run.error, ValueError):
                raise run.error
        elif run.result is not None:
            self._embedded(run.result)
        elif run.status == "stopped":
            self.tell("Stopped before there was a map.")
        self._refresh()

    def _embedded(self, result: Result) -> None:
        self.colours.offer(choices(result.cells.features))
        self.progress.end(result)
        self.tell(" ".join([f"{len(result.embedding)} cells on the map.", *_kept(result), *result.cells.notes]))
        self.status.value += f" {WHAT_NEXT}"
        if self.tools.value == "move":
            self.tools.value = "lasso"

    def _compare(self, runs: list[Run]) -> None:
        self.scene.beside = [run for run in runs if run is not self.session.runs.current]
        self.scene.arrange(runs)

    def _select_uncertain(self, threshold: float) -> None:
        current = self.session.runs.current
        if current is not None and current.result is not None and current.numbers is not None:
            uncertain = current.numbers[current.result.variances > threshold]
            self.selection.choose(uncertain, how=f"variance above {threshold:.3g}")

    def _layer_removed(self, event: Any) -> None:
        layer: Layer = event.value
        if self.cells.measuring.running:
            self.cells.measuring.stop()
        self.cells.sources.forget(layer)

    def _ask_and_save(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, "Save the table of cells", "map.csv", "Table (*.csv)")
        if path:
            try:
                self.save(path)
            except OSError as error:
                self.tell(f"Not saved: {error}.")


def _page(*widgets: Widget | QWidget) -> QScrollArea:
    """Widgets below one another, in a page that scrolls."""
    page, area = QWidget(), QScrollArea()
    layout = QVBoxLayout(page)
    for widget in widgets:
        layout.addWidget(widget.native if isinstance(widget, Widget) else widget)
    layout.addStretch()
    area.setWidget(page)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    # The widgets of magicgui live as long as these.
    area.kept = widgets  # type: ignore[attr-defined]
    return area


def _words() -> Label:
    """Words that take as many lines as they need."""
    words = Label(value="")
    words.native.setWordWrap(True)
    words.native.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    return words


def _close(session: Session, scene: Scene, cells: CellsSection, *_: object) -> None:
    session.close()
    cells.measuring.stop()


def _kept(result: Result) -> list[str]:
    if not result.quality:
        return []
    recall, trust = result.quality["recall"], result.quality["trustworthiness"]
    return [f"Of each cell's 10 most similar ones {10 * recall:.1f} are still among its 10 nearest; trust {trust:.2f}."]
