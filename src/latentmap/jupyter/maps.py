"""The maps in a notebook, side by side."""

from collections.abc import Sequence
from functools import partial
from time import perf_counter

import numpy as np
import pandas as pd
from psygnal import Signal

from latentmap.display.group_names import group_names
from latentmap.jupyter import widgets as w
from latentmap.jupyter.map_controller import MapController
from latentmap.jupyter.progress import UPDATE_INTERVAL
from latentmap.presenters.colours import hollow_cells, joint_legend, map_colours
from latentmap.presenters.side_by_side import SideBySide
from latentmap.presenters.track_lines import NO_TRACKS, TrackLines
from latentmap.presenters.trust.field import field_picture
from latentmap.session import ColourGroups, ColourScale, Run, Session, cell_sizes
from latentmap.session.landmarks import represented
from latentmap.session.selection import Mode
from latentmap.session.warm_start import are_same_keys
from latentmap.table import CellTable

_EMPTY = "<div style='padding: 2em; opacity: .7'>No map yet. Choose features and press <b>Embed</b>.</div>"
_COMING = "<div style='padding: 2em; opacity: .7'>The map is being made.</div>"


class Maps(w.HBox):
    """Draws the maps of a session, even while they are being made, and lets the user select cells on them.

    Attributes
    ----------
    lines : TrackLines
        Which tracks are drawn.
    """

    explained = Signal(object, object, list)
    """Emitted with the meaning of the colours of the first map, what the legend explains, and lines on maps with
    another scale."""
    hovered = Signal(object)
    """Emitted with the number of the cell under the mouse, or None."""

    def __init__(self, session: Session, side_by_side: SideBySide) -> None:
        super().__init__(layout=w.look(flex_flow="row wrap"))
        self._session, self._side_by_side = session, side_by_side
        self.lines = TrackLines(session)
        self.lines.changed.connect(self.trace)
        self._maps: list[tuple[Run, MapController]] = []
        self._moving: MapController | None = None
        self._moving_keys = pd.Index([])
        self._drawn = 0.0
        self._placed: tuple[Run, pd.DataFrame] | None = None
        self._pages: list[w.VBox] = []
        self._links: list[w.Widget] = []
        self._empty = w.HTML(_EMPTY, layout=w.look(flex="1 1 480px", min_width="0"))
        session.runs.started.connect(self._started)
        session.runs.progressed.connect(self._progressed)
        session.runs.ended.connect(self._ended)
        session.runs.changed.connect(self.arrange)
        session.runs.checked.connect(self.paint, max_args=0)
        side_by_side.kept_changed.connect(self.arrange)
        session.selection.changed.connect(self._mark, max_args=0)
        session.cell_field.changed.connect(self._show_fields)
        session.dropped.changed.connect(self._drop, max_args=0)
        session.classes.changed.connect(self.paint)
        session.display_settings.events.connect(self._look_changed, max_args=0)
        self._lay_out()

    @property
    def shown(self) -> list[MapController]:
        """The maps, from left to right."""
        return [shown for _, shown in self._maps]

    @property
    def compared_runs(self) -> list[Run]:
        """The runs whose maps stay to the left of the current one; shown from the next change of the runs on."""
        return self._side_by_side.kept

    @compared_runs.setter
    def compared_runs(self, runs: list[Run]) -> None:
        # Not shown at once: a notebook cell that sets this often starts a run as well, and JupyterLab raises an error
        # if a map is removed before it was drawn.
        with self._side_by_side.kept_changed.blocked():
            self._side_by_side.kept = list(runs)

    @property
    def runs(self) -> list[Run]:
        """The runs whose maps are shown, from left to right."""
        return [run for run, _ in self._maps]

    @property
    def numbers(self) -> np.ndarray:
        """The numbers of the cells that are on any of the maps and not dropped, in ascending order.

        Cells that a landmark stands for are on its map, too.
        """
        there = [self._stood_for(shown, shown.numbers) for shown in self.shown]
        shown = np.concatenate([np.empty(0, int), *there])
        everyone = np.flatnonzero(self._session.cell_index.mask_of(shown))
        kept: np.ndarray = everyone[~self._session.dropped.is_dropped(everyone)]
        return kept

    def arrange(self) -> None:
        """Show the kept maps and the current one, which is replaced by a map that is being made."""
        for run, shown in self._maps:
            if run.result is not None:
                shown.cells = run.result.cells  # which may have got further features
        at_work = None if self._moving is None else self._session.runs.active
        wanted = self._side_by_side.shown if at_work is None else [*self._side_by_side.kept, at_work]
        if [run for run, _ in self._maps] != wanted:
            self._keep(wanted)
            self.paint()
            self._mark()
        elif len(self._maps) > 1:
            self._explain(self.colours_of(self.shown[0]))  # one of them may have got another name

    def paint(self) -> None:
        """Colour the points as the user has chosen, and announce what the colours of the first map mean."""
        for shown in self.shown:
            self._paint(shown)

    def colours_of(self, shown: MapController) -> ColourScale | ColourGroups:
        """Return what the colours of one of the maps mean."""
        return map_colours(self._session, shown.cells, shown.numbers, shown.variances)

    def show_placed(self, run: Run, new: pd.DataFrame) -> bool:
        """Show cells that were placed on the map of a run, in place of others; return whether that map is in view."""
        self._placed = run, new
        for _, shown in self._maps:
            self._show_placed(shown)
        return run in self.runs

    def trace(self) -> None:
        """Draw the tracks of the cells on the maps; none on a map that moves."""
        for _, shown in self._maps:
            self._trace(shown)

    def close(self) -> None:
        """Close all widgets."""
        self.lines.changed.disconnect(self.trace)
        self.lines.close()
        for _, shown in self._maps:
            shown.close()
        self._maps, self._placed = [], None
        self._lay_out()
        w.close_widgets(self._empty)
        super().close()

    def _paint(self, shown: MapController) -> None:
        meant = self.colours_of(shown)
        look = self._session.display_settings
        drawn = next((run for run, one in self._maps if one is shown), None)
        shown.hollow = None if drawn is None else hollow_cells(self._session, drawn)
        counts = None if drawn is None else represented(shown.cells, drawn.level)
        shown.draw(meant, cell_sizes(shown.variances, look.sized_by_variance, counts))
        # Names of a map that moves would jump.
        is_named = look.names_on_map and shown is not self._moving
        is_there = ~self._session.dropped.is_dropped(shown.numbers)
        shown.name(group_names(meant, shown.positions, is_there) if is_named else ())
        self._trace(shown)
        self._show_placed(shown)
        self._show_field(shown)
        if shown is self.shown[0]:
            self._explain(meant)

    def _explain(self, first: ColourScale | ColourGroups) -> None:
        """Announce what the colours mean, given those of the first map."""
        others = [(run.name, self.colours_of(one)) for run, one in self._maps[1:]]
        self.explained.emit(first, *joint_legend([(self._maps[0][0].name, first), *others]))

    def _show_placed(self, shown: MapController) -> None:
        run = next(run for run, one in self._maps if one is shown)
        is_own = self._placed is not None and self._placed[0] is run and shown is not self._moving
        if run.result is not None:
            shown.show_placed(self._placed[1] if is_own and self._placed is not None else None, run.result)
        else:
            shown.pane.guests = b""

    def _show_fields(self) -> None:
        for shown in self.shown:
            self._show_field(shown)

    def _show_field(self, shown: MapController) -> None:
        """Draw where else a cell could lie, if this is the map that was asked."""
        run = next(run for run, one in self._maps if one is shown)
        shown.pane.show_field(None if shown is self._moving else field_picture(self._session, run))

    def _escape(self) -> None:
        self._session.cell_field.is_drawn = False

    def _trace(self, shown: MapController) -> None:
        is_moving = shown is self._moving
        result = next((run.result for run, one in self._maps if one is shown), None)
        shown.trace(NO_TRACKS if is_moving else self.lines.of(shown.cells, shown.numbers, result))

    def _started(self, _: Run) -> None:
        self._empty.value = _COMING

    def _progressed(self, run: Run) -> None:
        if (progress := run.moving) is None or progress.state is None:
            return
        if self._moving is None or not self._moves(progress.cells):
            self._begin(run, progress.cells)
        elif perf_counter() < self._drawn or self._moving.pane.is_busy:
            return
        if self._moving is not None:
            self._moving.set_positions(run.drawn, progress.state.variances)
            self._paint(self._moving)
            self._drawn = perf_counter() + UPDATE_INTERVAL

    def _moves(self, cells: CellTable) -> bool:
        """Whether the map that moves has these cells; an interim map may have others than the run's own."""
        return are_same_keys(cells.features.index, self._moving_keys)

    def _begin(self, run: Run, cells: CellTable) -> None:
        """Show a run in place of the current map, or as a new map if there is none."""
        self._moving_keys = cells.features.index
        numbers = self._session.cell_index.add(cells.features.index)
        axes = self._session.display_settings.axes_of(int(run.parameters["n_components"]))
        replaced = [pair for pair in self._maps if pair[0] not in self._side_by_side.kept]
        if replaced:
            self._maps.remove(replaced[-1])
            self._moving = replaced[-1][1]
            self._moving.begin(cells, numbers, axes)
        else:
            self._moving = self._made(cells, numbers, axes)
        self._moving.limit_points(True)
        self._maps.append((run, self._moving))
        self._lay_out()
        self._mark()

    def _ended(self, run: Run) -> None:
        if self._moving is not None and run.result is not None and not self._moves(run.result.cells):
            self._begin(run, run.result.cells)
        moving, self._moving = self._moving, None
        self._empty.value = _EMPTY
        if run.is_superseded:
            return  # what is drawn of it stays, until the next run moves it or ends
        if run.result is None:
            self.arrange()  # brings back the map from before the run
        elif moving is not None:
            moving.limit_points(False)
            moving.set_positions(run.drawn, run.result.variances)
            self._paint(moving)
            self._mark()

    def _keep(self, runs: Sequence[Run]) -> None:
        """Show exactly the maps of these runs."""
        known = {id(run): shown for run, shown in self._maps}
        for run, shown in self._maps:
            if run not in runs:
                shown.close()
        self._maps = [(run, known.get(id(run)) or self._finished(run)) for run in runs]
        self._lay_out()

    def _finished(self, run: Run) -> MapController:
        result, numbers = run.result, run.numbers
        if result is None or numbers is None:
            raise ValueError(f'"{run.name}" has no map yet.')
        shown = self._made(
            result.cells, numbers, self._session.display_settings.axes_of(int(run.parameters["n_components"]))
        )
        shown.set_positions(result.drawn, result.variances)
        return shown

    def _made(self, cells: CellTable, numbers: np.ndarray, axes: tuple[int, ...]) -> MapController:
        shown = MapController(cells, numbers, axes)
        shown.shows_all = self._session.display_settings.show_all
        shown.chosen.connect(partial(self._choose, shown))
        shown.hovered.connect(self._hover)
        shown.escaped.connect(self._escape)
        return shown

    def _lay_out(self) -> None:
        for page in self._pages:
            names = [widget for widget in page.children if isinstance(widget, w.Label)]
            page.children = ()  # the maps themselves stay open
            for widget in (*names, page):
                w.close_widgets(widget)
        for link in self._links:
            link.close()
        panes = [shown.pane for shown in self.shown]
        self._links = [w.jslink((panes[0], "view"), (other, "view")) for other in panes[1:]]
        self._pages = [self._page(run, shown) for run, shown in self._maps]
        self.children = self._pages or [self._empty]

    def _page(self, run: Run, shown: MapController) -> w.VBox:
        named = [w.Label(run.name), shown.pane] if len(self._maps) > 1 else [shown.pane]
        return w.VBox(named, layout=w.look(flex="1 1 200px", min_width="min(200px, 100%)"))

    def _hover(self, number: int | None) -> None:
        # Not connected directly: psygnal would call `emit` once to test it while connecting.
        self.hovered.emit(number)
        self.lines.point_at(number)

    def _choose(self, shown: MapController, numbers: np.ndarray, mode: Mode, how: str) -> None:
        self._session.selection.select(self._stood_for(shown, numbers), mode, how=how)

    def _stood_for(self, shown: MapController, numbers: np.ndarray) -> np.ndarray:
        """Points of a map, with the cells that they stand for if they are landmarks."""
        run = next((run for run, one in self._maps if one is shown), None)
        return numbers if run is None else self._session.stood_for(run, numbers)

    def _mark(self) -> None:
        selection, dropped = self._session.selection, self._session.dropped
        for shown in self.shown:
            shown.mark(selection.is_selected(shown.numbers), dropped.is_dropped(shown.numbers))

    def _drop(self) -> None:
        self.paint()  # a name may stand among dropped cells
        self._mark()

    def _look_changed(self) -> None:
        for run, shown in self._maps:
            if run.result is not None:
                shown.begin(
                    shown.cells, shown.numbers, self._session.display_settings.axes_of(run.result.embedding.shape[1])
                )
                shown.shows_all = self._session.display_settings.show_all
                shown.set_positions(run.drawn, run.result.variances)
        self.paint()
        self._mark()
