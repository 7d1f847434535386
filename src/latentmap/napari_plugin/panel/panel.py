"""The panel: choose cells, features and parameters, embed them, watch the map."""

from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakSet, ref

import numpy as np
from magicgui.widgets import CheckBox, PushButton
from magicgui.widgets.bases import Widget
from napari.layers import Layer
from napari.viewer import Viewer
from qtpy.compat import isalive
from qtpy.QtCore import QEvent, QTimer
from qtpy.QtWidgets import QDockWidget, QScrollArea, QTabWidget, QVBoxLayout, QWidget
from superqt.utils import qdebounced, qthrottled

from latentmap.display.cell_order import uncertainty
from latentmap.display.run_end import most_iterations, stopped_words
from latentmap.display.sentences import about_map, before_map
from latentmap.napari_plugin.napari_private import main_window, unwrapped
from latentmap.napari_plugin.panel.cells_section import CellsSection
from latentmap.napari_plugin.panel.compare_section import CompareSection
from latentmap.napari_plugin.panel.explore_tab import ExploreTab
from latentmap.napari_plugin.panel.form import ParameterForm, beside
from latentmap.napari_plugin.panel.gallery import Gallery
from latentmap.napari_plugin.panel.place_section import PlaceSection
from latentmap.napari_plugin.panel.progress_bar import RunProgressBar
from latentmap.napari_plugin.panel.runs_section import RunsSection
from latentmap.napari_plugin.panel.save_tab import SaveTab
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.words import words
from latentmap.napari_plugin.scene.cell_pictures import CellPictures
from latentmap.napari_plugin.scene.mouse import Tool
from latentmap.napari_plugin.scene.scene import Scene
from latentmap.session import Groups, Parameters, Result, Run, Scale, Selection, Session, choices
from latentmap.table import Key, preview

WHAT_NEXT = "Drag a lasso around points, and their cells light up; click a cell in the image, and its point is ringed."
_KEPT = "Maps, classes and selection stay: Plugins > Map of cells has the panel back."
_WIDTH = 400
# In milliseconds: how long parameters must stand still until they are looked at, and how often the bar moves.
_SETTLED = 100
_FOLLOWING = 100


_panels: "WeakSet[MapPanel]" = WeakSet()


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
        self._viewer: Any = unwrapped(viewer)
        self.session = Session(main_thread())
        self.session.live.restarts = True
        self.progress, self.status, self.about = RunProgressBar(), words(), words()
        self.cells = CellsSection(self._viewer, self.progress, self.tell)
        self.form = ParameterForm(self.parameters)
        self.comparing = CompareSection(self.session)
        self.embed_button = PushButton(text="Embed", tooltip="Make the map; pressed again, anew.")
        self.pause_button = PushButton(text="Pause", tooltip="Wait after this step, until you press Resume.")
        self.cancel_button = PushButton(text="Cancel", tooltip="Stop, and keep the map as it is now.")
        self.live = CheckBox(
            text="live",
            tooltip="The map follows every change of a parameter: the latent variable model by short runs that go on "
            "from the map, other methods by new ones.",
        )
        self.kept = RunsSection(self.session.runs, self.parameters, lambda: self.form.features.choices, self.tell)
        self.scene = Scene(self._viewer, self.session, self._explain, self.tell, self._hovered)
        self.placing = PlaceSection(self.session, self.cells.sources, self.scene, self.tell)
        self.pictures = CellPictures(self._viewer, self.scene.link)
        self.explore = ExploreTab(self.session, self.scene.maps.numbers, self.embed_selection, self.pictures, self.tell)
        self.gallery = Gallery(
            self.selection,
            self.session.register,
            self.pictures,
            self.scene.link.go_to,
            partial(uncertainty, self.session),
        )
        self.saving = SaveTab(self.session, self.scene, self._bring, self._viewer, self.tell)
        self._is_cancelling = self._has_embedded = self._compares = False
        self._tool, self._told = self.explore.tools.value, ""
        self._preview = qdebounced(self._preview_now, timeout=_SETTLED)
        self._follow = qthrottled(self._follow_now, timeout=_FOLLOWING)
        self._lay_out()
        self._connect()
        self.reset_choices()
        self._refresh()
        _panels.add(self)

    def _lay_out(self) -> None:
        self.tabs = QTabWidget()
        buttons = beside(self.embed_button, self.pause_button, self.cancel_button, self.live)
        for name, widgets in (
            ("Map", (self.cells, self.about, self.form, self.comparing, self.kept, self.placing)),
            ("Explore", (self.explore,)),
            ("Gallery", (self.gallery,)),
            ("Save", (self.saving,)),
        ):
            self.tabs.addTab(_page(*widgets, fills=name == "Gallery"), name)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.addWidget(self.tabs)
        layout.addWidget(buttons.native)  # not in a page, in which they would have to be scrolled to
        layout.addWidget(self.progress.native)
        layout.addWidget(self.status.native)
        self.setMinimumWidth(_WIDTH)

    def _connect(self) -> None:
        self.cells.altered.connect(self._refresh)
        self.embed_button.changed.connect(self.embed)
        self.pause_button.changed.connect(self.pause)
        self.cancel_button.changed.connect(self.cancel)
        self.live.changed.connect_setattr(self.session.live, "on", maxargs=1)
        self.session.live.switched.connect_setattr(self.live, "value", maxargs=1)
        self.parameters.events.connect(self._preview, max_args=0)
        self.explore.tools.changed.connect(self._use_tool)
        self.session.comparing.changed.connect(self._free_clicks)
        runs = self.session.runs
        runs.started.connect(self._started)
        runs.progressed.connect(self._progressed)
        runs.ended.connect(self._ended)
        runs.changed.connect(self._refresh)
        self.kept.compared.connect(self._compare)
        self.scene.map_deleted.connect(self.kept.table.untick)
        self.kept.variances.threshold.connect(self._select_uncertain)
        self._viewer.layers.events.removed.connect(self._layer_removed)
        # Qt keeps this slot, so it must not keep the panel alive.
        self.destroyed.connect(partial(_close, self.session, ref(self)))

    def changeEvent(self, event: QEvent) -> None:
        """Stay when napari takes the dock away, and be as before when it is docked again."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ParentChange:
            if self.parent() is None:
                self._put_away()
            elif isinstance(self.parent(), QDockWidget):
                self._take_out()

    @property
    def viewer(self) -> Any:
        """Where the cells are: the viewer itself, no proxy."""
        return self._viewer

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
        """Whether cells are being embedded, measured, loaded or placed, or a session is being saved or opened."""
        return self.session.runs.running or any(part.running for part in (self.cells, self.saving, self.placing))

    def reset_choices(self, *_: object) -> None:
        """Take up the layers that there are now; napari calls this whenever they change."""
        self.cells.reset_choices()
        self.placing.refresh()

    def embed(self) -> None:
        """Start a run on the cells, features and parameters of this moment."""
        self._embed(None)

    def embed_selection(self) -> None:
        """Start a run on the cells selected alone."""
        self._embed(self.selection.numbers)

    def pause(self) -> None:
        """Have the run wait, or go on."""
        runs = self.session.runs
        if runs.paused:
            runs.resume()
        else:
            runs.pause()
            self.progress.pause()
        self._refresh()

    def cancel(self) -> None:
        """Stop the run after its current step and keep the map as it is; stop measuring, and keep nothing of that."""
        self.cells.cancel()
        if self.session.runs.running:
            self._is_cancelling = True
            self.session.runs.stop()
            self.tell("Stopping after this step …")

    def tell(self, sentence: str) -> None:
        """Say something to the user, in the panel and in napari's status bar."""
        self.status.value = sentence
        self._viewer.status = sentence

    def leave(self) -> None:
        """Let go of the viewer and of all that is at work."""
        events = self._viewer.layers.events
        events.removed.disconnect(self._layer_removed)
        for event in (events.inserted, events.removed, events.reordered, events.renamed):
            event.disconnect(self.reset_choices)  # which napari has connected
        self._preview.cancel()
        self._follow.cancel()
        self.cells.leave()
        self.saving.stop()
        self.placing.stop()
        self.explore.clusters.stop()
        self.scene.close()

    def _put_away(self) -> None:
        """Keep all there is while the panel is closed; but the mouse, whose tools are in it, moves the view."""
        self._tool = self.explore.tools.value
        self.explore.tools.value, self.session.comparing.on = "move", False
        self._told = self.status.value
        self.tell(_KEPT)
        # Not at once, while Qt is still at it; and not by a method, which would not keep the panel until then.
        QTimer.singleShot(0, lambda: self._stay())

    def _stay(self) -> None:
        """Belong to the window, and end with it."""
        if isalive(self) and self.parent() is None:
            window = main_window(self._viewer)
            if window is None:  # it has been closed
                self.deleteLater()
            else:
                self.setParent(window)

    def _take_out(self) -> None:
        self.explore.tools.value = self._tool
        if self.status.value == _KEPT:
            self.tell(self._told)
        self.show()
        # The canvas is narrower again, once Qt has laid the window out.
        QTimer.singleShot(_SETTLED, self._fit)

    def _fit(self) -> None:
        if isalive(self) and len(self.scene.maps):
            self.scene.maps.fit_camera()

    def _embed(self, only: np.ndarray | None) -> None:
        try:
            table = self.cells.compared()
            self.scene.bring(self.cells.chosen())
            self.scene.ready(table)
            self.session.embed(table, only)
        except ValueError as error:
            self.scene.unready()
            self.tell(str(error))

    def _bring(self, names: Collection[str], opened: Mapping[str, Layer]) -> None:
        """Tick and link the layers that have cells of these names."""
        if self.cells.bring(names, opened):
            self.scene.bring(self.cells.chosen())

    def _refresh(self) -> None:
        """Show what can be done now."""
        cells, runs = self.cells.cells, self.session.runs
        self.form.offer([] if cells is None else cells.mappable)
        self.placing.refresh()
        self.embed_button.enabled = cells is not None
        self.pause_button.enabled = runs.running
        self.cancel_button.enabled = runs.running or self.cells.running
        self.pause_button.text = "Resume" if runs.paused else "Pause"
        self._preview()

    def _preview_now(self) -> None:
        """Say what would be embedded."""
        cells, parameters = self.cells.cells, self.parameters
        try:
            seen = None if cells is None else preview(cells, parameters.features, parameters.preparation)
            self.about.value = "" if seen is None else before_map(seen, parameters)
        except ValueError as error:
            self.about.value = str(error)

    def _explain(self, meant: Scale | Groups | None) -> None:
        self.explore.colours.legend.show_colouring(meant)

    def _use_tool(self, tool: Tool) -> None:
        self.scene.use_tool(tool)
        if tool == "polygon" and self.session.comparing.on:
            self.session.comparing.on = False
            self.tell("Comparing is off: with the polygon, clicks are corners.")

    def _free_clicks(self) -> None:
        """Once cells are compared by clicking, have clicks pick cells, whatever they did before."""
        on, was_on = self.session.comparing.on, self._compares
        self._compares = on
        if on and not was_on:
            freed = self.scene.free_clicks()
            if self.explore.tools.value == "polygon":
                self.explore.tools.value = "move"
                freed.append("the polygon")
            if freed:
                self.tell(f"Put away, so that clicks pick cells: {', '.join(freed)}.")

    def _hovered(self, key: Key | None) -> None:
        if self.explore.isVisible():
            self.explore.hover(key)

    def _started(self, run: Run) -> None:
        self._is_cancelling = False
        self.scene.beside = [kept for kept in self.session.runs if self.kept.table.is_ticked(kept)]
        self.status.value = ""
        self.progress.busy("starting")
        self._refresh()

    def _progressed(self, run: Run) -> None:
        self._follow()
        if run.progress is not None and run.progress.iteration == 0:
            self.explore.colours.offer(choices(run.progress.cells.features))

    def _follow_now(self) -> None:
        """Show how far the run is; each time it does, Qt draws the window, and with it the canvas."""
        at_work = self.session.runs.at_work
        if at_work is not None and at_work.progress is not None and not self.session.runs.paused:
            self.progress.follow(at_work.progress)

    def _ended(self, run: Run) -> None:
        self._follow.cancel()
        self.progress.clear()
        if run.error is not None:
            self.tell(str(run.error))
        elif run.result is not None:
            self._embedded(run, run.result)
        elif self._is_cancelling:
            self.tell("Stopped before there was a map.")
        if run.error is not None or run.result is not None:
            # What was ticked meanwhile; and a run that has failed leaves no map.
            self.scene.arrange(self.kept.side_by_side)
        self._refresh()
        if run.error is not None and not isinstance(run.error, ValueError):
            raise run.error

    def _embedded(self, run: Run, result: Result) -> None:
        self.explore.colours.offer(choices(result.cells.features))
        self.form.show_levels(result.n_levels)
        about = about_map(result, self.scene.maps.left_out())
        if stopped := stopped_words(run):
            self.progress.stop(result.n_iter, most_iterations(run), stopped)
            if not result.stopped:  # else the sentence about the map has said it
                about = f"{stopped[0].upper()}{stopped[1:]}. {about}"
        else:
            self.progress.end(result)
        self.tell(about)
        yellow = "Yellow ones have an uncertain place. " if result.tells_sure_from_unsure else ""
        self.status.value += f" {yellow}{WHAT_NEXT}"
        if not self._has_embedded:
            self.explore.tools.value, self._has_embedded = "lasso", True

    def _compare(self, runs: list[Run]) -> None:
        if self.result is not None:
            self.explore.colours.offer(choices(self.result.cells.features))
        if runs and not self.scene.has_sources:
            # The layers may have been deleted, and opened again since.
            self._bring({name for run in runs for name in run.table.features.index.unique("layer")}, {})
        self.scene.arrange(runs)

    def _select_uncertain(self, threshold: float) -> None:
        current = self.session.runs.current
        if current is not None and current.result is not None and current.numbers is not None:
            uncertain = current.numbers[current.result.variances > threshold]
            self.selection.choose(uncertain, how=f"variance above {threshold:.3g}")

    def _layer_removed(self, event: Any) -> None:
        self.cells.measuring.forget(event.value)
        self.cells.sources.forget(event.value)
        self.pictures.forget()


class PanelOf(MapPanel):
    """What napari calls for the panel of a window: it makes one, or has the one back that was closed.

    Napari lets go of a panel that is closed, and asks for a new one. It takes classes of widgets only.
    """

    def __new__(cls, viewer: Viewer) -> MapPanel:  # type: ignore[misc]
        """Return a panel that is made already: as it is not of this class, Python does not make it again."""
        there = (panel for panel in _panels if isalive(panel) and panel.viewer is unwrapped(viewer))
        return next(there, None) or MapPanel(viewer)


def open_session(viewer: Any, path: str | Path) -> MapPanel:
    """Open the panel with a session from a file."""
    _, panel = viewer.window.add_plugin_dock_widget("latentmap", "Map of cells")
    panel.saving.open_session(path)
    return panel


def _page(*widgets: Widget | QWidget, fills: bool = False) -> QScrollArea:
    """Widgets below one another, in a page that scrolls; they fill it, or take as much as they need."""
    page, area = QWidget(), QScrollArea()
    layout = QVBoxLayout(page)
    for widget in widgets:
        layout.addWidget(widget.native if isinstance(widget, Widget) else widget)
    if not fills:
        layout.addStretch()
    area.setWidget(page)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    return area


def _close(session: Session, panel: "ref[MapPanel]", *_: object) -> None:
    session.close()
    if (closed := panel()) is not None:
        closed.leave()
