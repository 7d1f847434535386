"""The current run: starting, pausing and cancelling it, its preview, its progress, and the message at its end."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from time import perf_counter
from types import MappingProxyType
from typing import Protocol

import numpy as np

from latentmap.display.actions import Action
from latentmap.display.map_sentences import describe_map, describe_next_map
from latentmap.display.run_status import interim_sentence, stopped_sentence
from latentmap.presenters.progress import ProgressPresenter
from latentmap.session import Result, Run, Session
from latentmap.session.given_map import GivenMap
from latentmap.table import CellTable, Preparation, preview
from latentmap.table.preview import Preview

BUTTONS: Mapping[str, Action] = MappingProxyType(
    {
        "embed": Action("Embed", "Make a map, or show the one with the same cells and parameters."),
        "pause": Action("Pause", "Pause after this step, until you press Resume."),
        "cancel": Action("Cancel", "Stop, and keep the map as it is now."),
        "live": Action(
            "live",
            "The map follows every change of a parameter: the latent variable model continues from the current map in "
            "short runs, other methods start again.",
        ),
    }
)
"""The buttons that control a run, by name."""


_STOPPED, _BACK = "Stopped before there was a map.", "The previous map is shown again."
_SAME = 'This map is "{}": its cells and parameters are the same, so a new run would make it again, bit for bit.'
_NEW = "Change a parameter for another map; another seed shows what is left to chance."


class RunView(Protocol):
    """The buttons that control a run, a line for the next map, and a line for messages."""

    def make_ready(self) -> CellTable:
        """Prepare a run and return its cells; raise ValueError if the user has to do something first."""

    def give_up(self) -> None:
        """Undo the preparation, because there will be no run."""

    def show_buttons(self, *, running: bool, pause: str) -> None:
        """Enable or disable Pause and Cancel, and label the button that pauses or resumes the run."""

    def show_preview(self, sentence: str) -> None:
        """Say what the next map will be made of."""

    def tell(self, sentence: str) -> None:
        """Show a message."""

    def withdraw(self, sentence: str) -> None:
        """Take this message away if it is still shown."""

    def show_map(self, result: Result) -> None:
        """Show what the front end shows only for a finished map."""

    def not_drawn(self) -> Sequence[str]:
        """Return sentences on the cells that the maps do not show, or not in their positions."""


class RunPresenter:
    """Starts, pauses and cancels runs, and reports on them.

    Parameters
    ----------
    session : Session
    view : RunView
    progress : ProgressPresenter
    cells : callable
        Returns the cells that the next map will be made of, or None if the user has to do something first.
    pace : float
        The shortest time between two updates of the progress bar within a stage, in seconds.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(
        self,
        session: Session,
        view: RunView,
        progress: ProgressPresenter,
        cells: Callable[[], CellTable | None],
        pace: float,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._session, self._view, self._progress, self._cells = session, view, progress, cells
        self._pace, self._clock = pace, clock
        self._is_cancelling = False
        self._stage, self._follows_at, self._said = "", 0.0, ""
        self._previewed: tuple[CellTable, tuple[str, ...], Preparation] | None = None
        self._preview: Preview | str = ""
        self._complaint: tuple[str, CellTable | None, dict[str, object]] | None = None
        session.runs.started.connect(self._started)
        session.runs.progressed.connect(self._progressed)
        session.runs.ended.connect(self._ended)
        session.runs.changed.connect(self.refresh)

    def close(self) -> None:
        """Release the cells; the session drops the presenter itself."""
        self._previewed, self._preview, self._cells = None, "", lambda: None
        self._complaint = None

    def embed(self, only: np.ndarray | None = None) -> None:
        """Start a run on all cells or on those with these numbers, or say why that is not possible."""
        self._start(lambda cells: self._session.embed(cells, only), lambda cells: self._session.same_run(cells, only))

    def outline(self) -> None:
        """Start a run on the landmarks of the cells alone, or say why that is not possible."""
        self._start(self._session.outline, lambda cells: self._session.same_run(cells, level=1))

    def open_group(self) -> None:
        """Start a run on the selected cells of the current map, from where they lie, or say why not."""
        try:
            self._session.check_group()
        except ValueError as error:
            self._view.tell(str(error))
        else:
            self._start(lambda _: self._session.open_group(), lambda _: None)

    def _start(self, start: Callable[[CellTable], Run], find_same: Callable[[CellTable], Run | None]) -> None:
        try:
            cells, runs = self._view.make_ready(), self._session.runs
            if not runs.running and (same := find_same(cells)) is not None:
                self._view.give_up()
                runs.show(same)
                self._view.tell(f"{_SAME.format(same.name)} {_NEW}")
            else:
                start(cells)
        except ValueError as error:
            self._view.give_up()
            self._complain(str(error))

    def add_map(self, given: GivenMap) -> None:
        """Put a map made elsewhere beside ours, or say why that is not possible."""
        if self._session.runs.running:
            self._view.tell("A map is being made: wait until it is finished or press Cancel, then add this one.")
            return
        try:
            self._session.add_map(self._view.make_ready(), given)
        except ValueError as error:
            self._view.give_up()
            self._view.tell(str(error))

    def embed_selection(self) -> None:
        """Start a run on the selected cells only."""
        self.embed(self._session.selection.numbers)

    def pause(self) -> None:
        """Pause the run or resume it."""
        runs = self._session.runs
        if runs.paused:
            runs.resume()
        elif runs.running:
            runs.pause()
            self._progress.pause()
        self.refresh()

    def cancel(self) -> None:
        """Stop the run after its current step, and keep its map."""
        if self._session.runs.running:
            self._is_cancelling = True
            self._view.tell("Stopping after this step …")
            self._session.runs.stop()

    def refresh(self) -> None:
        """Enable the buttons that can be pressed now."""
        runs = self._session.runs
        self._view.show_buttons(running=runs.running, pause="Resume" if runs.paused else BUTTONS["pause"].label)

    def preview(self) -> None:
        """Say what the next map will be made of, or why it cannot be made."""
        parameters, cells = self._session.parameters, self._cells()
        self._withdraw(cells)
        if cells is None:
            self._view.show_preview("")
            return
        found = self._inspect(cells, parameters.features, parameters.preparation)
        try:
            self._view.show_preview(found if isinstance(found, str) else describe_next_map(found, parameters))
        except ValueError as error:
            self._view.show_preview(str(error))

    def _inspect(self, cells: CellTable, features: tuple[str, ...], preparation: Preparation) -> Preview | str:
        """Preview the table or return why it cannot be mapped; a slider of the method does not repeat this."""
        before = self._previewed
        if before is None or before[0] is not cells or before[1:] != (features, preparation):
            self._previewed = cells, features, preparation
            try:
                self._preview = preview(cells, features, preparation)
            except ValueError as error:
                self._preview = str(error)
        return self._preview

    def _complain(self, sentence: str) -> None:
        """Say why there is no map, until other cells or parameters may give one."""
        self._complaint = sentence, self._cells(), asdict(self._session.parameters)
        self._view.tell(sentence)

    def _withdraw(self, cells: CellTable | None) -> None:
        if self._complaint is not None:
            sentence, before, parameters = self._complaint
            if cells is not before or parameters != asdict(self._session.parameters):
                self._complaint = None
                self._view.withdraw(sentence)

    def _started(self, _: Run) -> None:
        self._is_cancelling = False
        self._stage = self._said = ""
        self._view.tell("")
        self._progress.busy("starting")
        self.refresh()

    def _progressed(self, run: Run) -> None:
        if not self._is_cancelling and (said := interim_sentence(run)) != self._said:
            self._said = said
            self._view.tell(said)
        if run.progress is None or self._session.runs.paused:
            return
        now, stage = self._clock(), run.progress.stage
        if stage != self._stage or now >= self._follows_at:
            self._stage, self._follows_at = stage, now + self._pace
            self._progress.follow(run.progress)

    def _ended(self, run: Run) -> None:
        self._progress.clear()
        if run.error is not None:
            self._complain(str(run.error))
        elif run.result is not None:
            self._finish(run, run.result)
        elif self._is_cancelling:
            self._view.tell(_STOPPED if self._session.runs.current is None else f"{_STOPPED} {_BACK}")
        self.refresh()
        if run.error is not None and not isinstance(run.error, ValueError):
            raise run.error

    def _finish(self, run: Run, result: Result) -> None:
        self._progress.end(run, result)
        about = describe_map(result, self._view.not_drawn())
        if (stopped := stopped_sentence(run)) and not result.stopped:  # otherwise the sentence on the map says so
            about = f"{stopped[0].upper()}{stopped[1:]}. {about}"
        self._view.tell(about)
        self._view.show_map(result)
