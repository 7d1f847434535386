"""The panel "Map of cells", which holds all sections and connects them."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from weakref import ref

from magicgui.widgets import CheckBox, PushButton
from napari.layers import Layer
from napari.utils.events import Event
from napari.viewer import Viewer
from qtpy.compat import isalive
from qtpy.QtCore import QSize, QTimer
from qtpy.QtWidgets import QMainWindow, QTabWidget, QVBoxLayout
from superqt.utils import qdebounced

from latentmap.display.cell_order import cell_variances
from latentmap.napari_plugin.napari_private import main_window, unwrapped
from latentmap.napari_plugin.panel.cells_section import CellsSection
from latentmap.napari_plugin.panel.compare_section import CompareSection
from latentmap.napari_plugin.panel.elsewhere_section import ElsewhereSection
from latentmap.napari_plugin.panel.explore_tab import ExploreTab
from latentmap.napari_plugin.panel.form import ParameterForm
from latentmap.napari_plugin.panel.gallery import Gallery
from latentmap.napari_plugin.panel.gates_tab import GatesTab
from latentmap.napari_plugin.panel.late_layers import LateLayers
from latentmap.napari_plugin.panel.older_maps_note import OlderMapsNote
from latentmap.napari_plugin.panel.place_section import PlaceSection
from latentmap.napari_plugin.panel.progress_bar import PACE, RunProgressBar
from latentmap.napari_plugin.panel.proposal_section import ProposalSection
from latentmap.napari_plugin.panel.runs_section import RunsSection
from latentmap.napari_plugin.panel.save_tab import SaveTab
from latentmap.napari_plugin.panel.shortcuts import Shortcuts, with_key
from latentmap.napari_plugin.panel.surroundings_section import SurroundingsSection
from latentmap.napari_plugin.panel.tool_choice import ToolChoice
from latentmap.napari_plugin.panel.tool_section import ToolSection
from latentmap.napari_plugin.panel.trust_tab import TrustTab
from latentmap.napari_plugin.qt.accessibility import name_all
from latentmap.napari_plugin.qt.dockable import DockableWidget
from latentmap.napari_plugin.qt.font_size import follow_font
from latentmap.napari_plugin.qt.interpreter_exit import is_exiting
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.napari_plugin.qt.rows import in_row as in_a_row
from latentmap.napari_plugin.qt.stacked_page import stacked_page
from latentmap.napari_plugin.qt.status_line import StatusLine
from latentmap.napari_plugin.qt.wrapped_label import wrapped_label
from latentmap.napari_plugin.scene.cell_crops import CellCrops
from latentmap.napari_plugin.scene.scene import Scene
from latentmap.presenters.cell_pictures import CellPictures
from latentmap.presenters.progress import ProgressPresenter
from latentmap.presenters.run_control import BUTTONS, RunPresenter
from latentmap.presenters.side_by_side import SideBySide
from latentmap.presenters.trust.words import TITLE as TRUST_TITLE
from latentmap.session import VARIANCE, ColourGroups, ColourScale, Parameters, Result, Run, Selection, Session
from latentmap.session.layers_in_use import layers_in_use
from latentmap.table import CellTable, Key
from latentmap.table.within_groups import group_columns

WHAT_NEXT = "Draw a lasso around points to light up their cells; click a cell in the image to ring its point."
_KEPT = "Maps, classes and selection are kept: Plugins > Map of cells reopens the panel."
# The panel is no narrower; it opens wider.
_NARROWEST, _WIDTH = 300, 420
# How long parameters must stay unchanged before the preview follows, in milliseconds.
_SETTLED = 100


class MapPanel(DockableWidget):
    """The panel "Map of cells".

    Parameters
    ----------
    viewer : napari.viewer.Viewer
        Has the layers of cells, and gets the maps.

    Attributes
    ----------
    session : Session
        The user's parameters, runs, selection and classes.
    scene : Scene
        Draws the session in the viewer.
    """

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self._viewer = unwrapped(viewer)
        self.session = Session(main_thread())
        self.session.live.restarts_on_change = True
        self.progress, self.status, self.about = RunProgressBar(), StatusLine(), wrapped_label()
        progress = ProgressPresenter(self.progress)
        self.cells = CellsSection(self._viewer, progress, self.tell, lambda: layers_in_use(self.session))
        self.side_by_side = SideBySide(self.session.runs)
        self.older = OlderMapsNote(self.session.runs, self.side_by_side, lambda: self.cells.cells)
        self.form = ParameterForm(self.parameters)
        self.comparing = CompareSection(self.session)
        self.embed_button, self.pause_button, self.cancel_button = (
            PushButton(text=BUTTONS[name].label, tooltip=BUTTONS[name].about) for name in ("embed", "pause", "cancel")
        )
        self.embed_button.tooltip = with_key(BUTTONS["embed"].about, "embed")
        self.live = CheckBox(text=BUTTONS["live"].label, tooltip=BUTTONS["live"].about)
        self.kept = RunsSection(self.session, self.side_by_side, lambda: self.form.choice.offered, self.tell)
        self.elsewhere = ElsewhereSection(
            self.session, lambda: self.cells.cells, lambda given: self.control.add_map(given), self.tell
        )
        self.scene = Scene(self._viewer, self.session, self.side_by_side, self._explain, self.tell, self._hovered)
        self.placing = PlaceSection(self.session, self.cells.sources, self.scene, self.tell)
        self.tools, self.crops = ToolSection(), CellCrops(self._viewer, self.scene.link)
        self.pictures = CellPictures(self.crops.of, main_thread())
        self.explore = ExploreTab(
            self.session,
            self.scene.maps.numbers,
            self.embed_selection,
            self.pictures,
            self.tell,
            self.scene.maps.painter.tracks.lines,
            lambda: self.control.outline(),
            lambda: self.control.open_group(),
        )
        self.explore.more.presenter.crops_of = self.crops.of
        self.trust = TrustTab(self.session, self.tell)
        self.proposing = ProposalSection(self.session, lambda: self.cells.cells, self.tell)
        self.gates = GatesTab(self.session, lambda: self.cells.cells, self.tell)
        self.surroundings = SurroundingsSection(self.session, lambda: self.cells.cells, self.cells.chosen)
        self.explore.add_section(self.surroundings)
        self.gallery = Gallery(
            self.selection,
            self.session.cell_index,
            self.pictures,
            self.scene.link.go_to,
            partial(cell_variances, self.session),
        )
        self.pictures.came.connect(self.gallery.refresh)
        self.saving = SaveTab(self.session, self.scene, self._bring, self._viewer, self.tell)
        self._late = LateLayers(self.cells, self.scene, self.side_by_side, self.session.runs, self._bring, self.tell)
        # Last, so that a map is drawn before the presenter describes it.
        self.control = RunPresenter(self.session, self, progress, lambda: self.cells.cells, PACE)
        self._has_embedded, self._sentence_before = False, ""
        self._preview = qdebounced(self.control.preview, timeout=_SETTLED)
        self._lay_out()
        tools = {tool: partial(self.tools.press, tool) for tool in self.tools.buttons}
        self._shortcuts = Shortcuts(self._viewer, {**tools, "embed": self._press_embed})
        self._connect()
        self.reset_choices()
        self._refresh()

    def _lay_out(self) -> None:
        self.tabs = QTabWidget()
        buttons = in_a_row(self.embed_button, self.pause_button, self.cancel_button, self.live)
        cells = self.cells, self.older.label, self.about
        maps = self.form, self.proposing, self.comparing, self.kept, self.elsewhere, self.placing
        for name, widgets in (
            ("Map", (*cells, *maps)),
            ("Explore", (self.explore,)),
            (TRUST_TITLE, (self.trust,)),
            ("Gates", (self.gates,)),
            ("Gallery", (self.gallery,)),
            ("Save", (self.saving,)),
        ):
            self.tabs.addTab(stacked_page(*widgets, fills=name == "Gallery"), name)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        # Outside the tabs, so that no one has to scroll to them.
        layout.addWidget(self.tools)
        layout.addWidget(self.tabs)
        layout.addWidget(self.trust.bar.native)
        layout.addWidget(buttons.native)
        layout.addWidget(self.progress.native)
        layout.addWidget(self.status)
        self.setMinimumWidth(_NARROWEST)
        name_all(self)

    def _connect(self) -> None:
        self.cells.altered.connect(self._refresh)
        self.tools.fit.clicked.connect(self._show_all)
        # Ctrl+Shift+T changes the theme of the viewer alone, and the settings that of each viewer.
        self._viewer.events.theme.connect(self._dress)
        follow_font(self.tools.name, self._take_font)
        self.cells.layers_row.laid_out.connect(self.scene.stand_anew)
        self.embed_button.changed.connect(self.control.embed, max_args=0)
        self.pause_button.changed.connect(self.control.pause)
        self.cancel_button.changed.connect(self.cancel)
        self.live.changed.connect_setattr(self.session.live, "on", maxargs=1)
        self.session.live.switched.connect_setattr(self.live, "value", maxargs=1)
        self.parameters.events.connect(self._preview, max_args=0)
        self._tool_choice = ToolChoice(self.tools, self.scene, self.session, self.tell)
        self.side_by_side.shown_changed.connect(self._compare)
        self.kept.variances.threshold.connect(self._select_uncertain)
        self._viewer.layers.events.removed.connect(self._layer_removed)
        self._viewer.layers.events.inserted.connect(self._late.look_soon)
        # Qt holds on to this slot, so the slot must not hold on to the panel.
        self.destroyed.connect(partial(_close, self.session, ref(self)))

    @property
    def viewer(self) -> Viewer:
        """The viewer itself, not the proxy that plugins get."""
        return self._viewer

    @property
    def parameters(self) -> Parameters:
        """The parameters of the next map."""
        return self.session.parameters

    @property
    def selection(self) -> Selection:
        """The selected cells."""
        return self.session.selection

    @property
    def result(self) -> Result | None:
        """The current map."""
        shown = self.session.runs.current
        return shown.result if shown is not None else None

    @property
    def running(self) -> bool:
        """Whether cells are embedded, measured, loaded or placed, a map is checked, or a file is saved or opened."""
        presenters = self.elsewhere.presenter, self.trust.work, self.proposing.work
        parts = self.session.runs, self.cells, self.saving, self.placing, *presenters
        return any(part.running for part in parts)

    def reset_choices(self, *_: object) -> None:
        """Update the lists of layers; napari calls this whenever its layers change."""
        self.cells.reset_choices()
        self.placing.refresh()

    def embed(self) -> None:
        """Start a run with the current cells, features and parameters."""
        self.control.embed()

    def _press_embed(self) -> None:
        if self.embed_button.enabled:
            self.embed()

    def embed_selection(self) -> None:
        """Start a run on the selected cells only."""
        self.control.embed_selection()

    def cancel(self) -> None:
        """Stop the run after its current step and keep its map; stop measuring or loading and keep nothing of it."""
        self.cells.cancel()
        self.control.cancel()

    def tell(self, sentence: str) -> None:
        """Show a sentence in the panel and in napari's status bar."""
        self.status.value = sentence
        self._viewer.status = sentence

    def withdraw(self, sentence: str) -> None:
        """Take a sentence away if it is still shown."""
        if self.status.value == sentence:
            self.status.value = ""

    def leave(self) -> None:
        """Stop all work and disconnect from the viewer."""
        events = self._viewer.layers.events
        events.removed.disconnect(self._layer_removed)
        events.inserted.disconnect(self._late.look_soon)
        self._late.stop()
        for event in (events.inserted, events.removed, events.reordered, events.renamed):
            event.disconnect(self.reset_choices)  # connected by napari
        self._preview.cancel()
        self.older.stop()
        self._shortcuts.close()
        self._viewer.events.theme.disconnect(self._dress)
        self.cells.leave()
        self.pictures.stop()
        self.saving.stop()
        self.placing.stop()
        self.elsewhere.presenter.stop()
        self.explore.stop()
        self.surroundings.presenter.stop()
        self.trust.close_presenters()
        self.proposing.close_presenter()
        self.scene.close()

    def main_window(self) -> QMainWindow | None:
        """Return the viewer's window; None once it has been closed."""
        return main_window(self._viewer)

    def dock_closed(self) -> None:
        """Put the mouse tool away, as the user cannot reach its buttons; keep everything else."""
        self._tool_choice.put_away()
        self._sentence_before = self.status.value
        self.tell(_KEPT)

    def docked(self) -> None:
        """Take up the mouse tool again."""
        self._tool_choice.take_up()
        if self.status.value == _KEPT:
            self.tell(self._sentence_before)
        self.show()
        # The canvas becomes narrower once Qt has laid out the window.
        QTimer.singleShot(_SETTLED, self._fit)

    def _fit(self) -> None:
        if isalive(self) and len(self.scene.maps):
            self.scene.maps.fit_camera()

    def make_ready(self) -> CellTable:
        """Link the layers of cells, add the layers of the coming map, and return the cells."""
        table = self.cells.compared()
        self.scene.bring(self.cells.chosen())
        self.scene.ready(table)
        return table

    def give_up(self) -> None:
        """Remove the layers of the map that does not come after all."""
        self.scene.unready()

    def show_buttons(self, *, running: bool, pause: str) -> None:
        """Show which buttons work; measuring and loading can be cancelled, too."""
        self.pause_button.enabled, self.pause_button.text = running, pause
        self.cancel_button.enabled = running or self.cells.running

    def show_preview(self, sentence: str) -> None:
        """Say above the form what the next map will be made from."""
        self.about.value = sentence

    def not_drawn(self) -> list[str]:
        """Return sentences on points that are not drawn, or not drawn in their own place."""
        return self.scene.maps.painter.left_out()

    def show_map(self, result: Result) -> None:
        """Say what to do with the new map; after the first one, the lasso becomes the tool."""
        self.form.show_levels(result.n_levels)
        by_variance = result.has_distinct_variances and self.session.display_settings.colour_by == VARIANCE
        yellow = "Yellow points have an uncertain position. " if by_variance else ""
        self.status.value += f" {yellow}{WHAT_NEXT}"
        if not self._has_embedded:
            self.tools.value, self._has_embedded = "lasso", True

    def _bring(self, names: Collection[str], opened: Mapping[str, Layer]) -> None:
        """Tick and link the layers that these keys of cells name."""
        if self.cells.bring(names, opened):
            self.scene.bring(self.cells.chosen())

    def _refresh(self) -> None:
        """Update the panel to the current cells and features."""
        cells = self.cells.cells
        self.form.offer([] if cells is None else cells.mappable, 0 if cells is None else len(cells.features))
        self.form.preparation.offer_groups([] if cells is None else group_columns(cells.features))
        self.placing.refresh()
        self.elsewhere.presenter.refresh()
        self.gates.refresh()
        self.embed_button.enabled = cells is not None
        self.control.refresh()
        self._preview()
        self.older.refresh()

    def _explain(self, meant: ColourScale | ColourGroups | None, others: Sequence[str]) -> None:
        self.explore.colours.explain(meant, others)

    def _show_all(self) -> None:
        self.scene.show_all()

    def _dress(self, *_: object) -> None:
        """Draw what has colours of its own in those of the viewer's theme."""
        self.tools.dress(self._viewer.theme)
        self.scene.dress()

    def _take_font(self, _: object) -> None:
        """Write everything in the size of labels, to which alone napari gives the size in its preferences."""
        self.setFont(self.tools.name.font())
        self._dress()

    def sizeHint(self) -> QSize:
        """Return the preferred size, in which most rows need one line only."""
        return super().sizeHint().expandedTo(QSize(_WIDTH, 0))

    def _hovered(self, key: Key | None) -> None:
        if self.explore.isVisible():
            self.explore.hover(key)

    def _compare(self, runs: list[Run]) -> None:
        if runs and not self.scene.has_sources:
            # The layers may have been deleted and opened again in the meantime.
            self._late.link()
        self.scene.arrange(runs)

    def _select_uncertain(self, threshold: float) -> None:
        current = self.session.runs.current
        if current is not None and current.result is not None and current.numbers is not None:
            uncertain = current.numbers[current.result.variances > threshold]
            self.selection.select(uncertain, how=f"variance above {threshold:.3g}")

    def _layer_removed(self, event: Event) -> None:
        self._late.remember(event.value)
        self.cells.measuring.forget(event.value)
        self.cells.sources.remove_layer(event.value)
        self.crops.forget()


def _close(session: Session, panel: "ref[MapPanel]", *_: object) -> None:
    session.close()
    if (closed := panel()) is not None and not is_exiting():
        closed.leave()
