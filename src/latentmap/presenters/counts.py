"""Counting the cells of each group, image by image, and how well images are mixed on the map."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from latentmap.display.counts import counts_html, mixing_sentence
from latentmap.presenters.shared_colours import shared_colours
from latentmap.session import BackgroundJob, ColourBy, Result, Run, Schedule, Session
from latentmap.session.batch_mixing import BatchMixing, batch_mixing
from latentmap.session.counting import Counts, count_cells, group_choices, groups_of
from latentmap.session.hierarchy import cells_of
from latentmap.session.job import as_single_step
from latentmap.table.files.atomic_write import atomic_file

CLASS, LAYER, NOTHING = ColourBy("class"), ColourBy("layer"), ColourBy("class", "nothing")
"""What is counted and by what, at first; and what stands for nothing among the choices."""

NO_MAP = "There is no map yet: press Embed."

_TITLES = {"layer": "image (layer)", "frame": "frame", "class": "class"}


class CountView(Protocol):
    """Three lists, a table with bars, a sentence and two buttons."""

    def offer(self, choices: Sequence[tuple[str, ColourBy]], of: ColourBy, by: ColourBy, and_by: ColourBy) -> None:
        """Offer these quantities in all lists, in the third one with `NOTHING`, and show those chosen."""

    def show_counts(self, html: str, *, can_save: bool) -> None:
        """Show the table with bars, or why there is none."""

    def show_mixing(self, sentence: str) -> None:
        """Show how well images are mixed; empty for nothing."""


class CountPresenter:
    """Counts the cells on the current map while its part of the panel is open.

    `schedule` schedules a function in the thread of the front end; `tell` shows the user a sentence.
    """

    def __init__(self, session: Session, view: CountView, schedule: Schedule, tell: Callable[[str], None]) -> None:
        self._session, self._view, self._tell = session, view, tell
        self._job = BackgroundJob(schedule)
        self._is_open = self._is_showing = False
        self._offered: list[tuple[str, ColourBy]] = []
        self.of, self.by, self.and_by = CLASS, LAYER, NOTHING
        for signal in (session.runs.changed, session.classes.changed, session.dropped.changed):
            signal.connect(self.refresh, max_args=0)

    @property
    def running(self) -> bool:
        """Whether the mixing is being measured."""
        return self._job.running

    def open(self, is_open: bool) -> None:
        """Count from now on, or no more."""
        self._is_open = is_open
        self.refresh()

    def choose(self, of: ColourBy, by: ColourBy, and_by: ColourBy) -> None:
        """Count these groups, by this and this; ignored while other choices are being offered."""
        if not self._is_showing and (of, by, and_by) != (self.of, self.by, self.and_by):
            self.of, self.by, self.and_by = of, by, and_by
            self.refresh()

    def refresh(self) -> None:
        """Count again, if the part of the panel is open."""
        if not self._is_open:
            return
        self._job.drop()
        self._view.show_mixing("")
        try:
            self._offer()
            counts = self._counts()
        except ValueError as error:
            self._view.show_counts(str(error), can_save=False)
        else:
            self._view.show_counts(counts_html(counts), can_save=True)

    def save(self, path: Path) -> str:
        """Write the counts as CSV, and return a message.

        Raises
        ------
        ValueError
            If there is nothing to count.
        OSError
            If the folder is missing, not writable or full.
        """
        table = self._counts().table()
        with atomic_file(path) as unfinished:
            table.to_csv(unfinished, index=False)
        return f"Saved the counts in {path}."

    def measure_mixing(self) -> None:
        """Measure in a thread how well the images, or what else divides the cells, are mixed on the map."""
        try:
            result, batches = _batches(self._session, self.by)
        except ValueError as error:
            self._view.show_mixing(str(error))
            return
        self._view.show_mixing("Looking at each cell's neighbours …")
        self._job.start(
            as_single_step(batch_mixing, result, batches),
            yielded=lambda _: None,
            returned=partial(self._measured, _plural(self.by)),
            failed=self._failed,
        )

    def stop(self) -> None:
        """Stop measuring, and stop following the session's cells."""
        self._job.drop()

    def _measured(self, what: str, mixing: BatchMixing) -> None:
        self._view.show_mixing(mixing_sentence(mixing, what))

    def _failed(self, error: Exception) -> None:
        self._view.show_mixing(str(error))
        if not isinstance(error, ValueError):
            raise error

    def _counts(self) -> Counts:
        by = [self.by] if self.and_by in (NOTHING, self.by) else [self.by, self.and_by]
        return session_counts(self._session, self.of, by)

    def _offer(self) -> None:
        features, _ = cells_of(_run(self._session), self._session.cell_index)
        choices = [(_TITLES.get(one.kind, one.name), one) for one in group_choices(features)]
        there = [one for _, one in choices]
        self.of, self.by = self.of if self.of in there else CLASS, self.by if self.by in there else LAYER
        self.and_by = self.and_by if self.and_by in there else NOTHING
        if choices != self._offered:
            self._offered, self._is_showing = choices, True
            try:
                self._view.offer(choices, self.of, self.by, self.and_by)
            finally:
                self._is_showing = False


def as_grouping(name: str) -> ColourBy:
    """Return what is meant by "class", "layer", "frame", or the name of a column.

    Examples
    --------
    >>> as_grouping("layer"), as_grouping("treatment")
    (ColourBy(kind='layer', name=''), ColourBy(kind='feature', name='treatment'))
    """
    kinds = {"class": CLASS, "layer": LAYER, "frame": ColourBy("frame")}
    return kinds.get(name, ColourBy("feature", name))


def session_counts(session: Session, of: ColourBy = CLASS, by: Sequence[ColourBy] = (LAYER,)) -> Counts:
    """Count the cells on the current map or, of landmarks, those that they stand for; without those dropped.

    Raises
    ------
    ValueError
        If there is no map, or a column is missing or has too many values.
    """
    features, numbers = cells_of(_run(session), session.cell_index)
    kept = (numbers >= 0) & ~session.dropped.is_dropped(numbers)
    return count_cells(features[kept], session.classes, numbers[kept], of, by, shared_colours(session, of))


def session_mixing(session: Session, by: ColourBy = LAYER) -> BatchMixing:
    """Measure how well images, or the groups of a column, are mixed on the current map.

    Raises
    ------
    ValueError
        If there is no map, or only one image or group.
    """
    return batch_mixing(*_batches(session, by))


def _plural(by: ColourBy) -> str:
    return {"layer": "images", "frame": "frames", "class": "classes"}.get(by.kind, f'values of "{by.name}"')


def _run(session: Session) -> Run:
    """The current run, if it has a map."""
    run = session.runs.current
    if run is None or run.result is None:
        raise ValueError(NO_MAP)
    return run


def _batches(session: Session, by: ColourBy) -> tuple[Result, np.ndarray]:
    result = _run(session).finished()
    numbers = session.cell_index.add(result.cells.features.index)
    indices, _ = groups_of(by, result.cells.features, session.classes, numbers)
    batches = np.where(session.dropped.is_dropped(numbers), -1, indices)
    if len(np.unique(batches[batches >= 0])) < 2:
        raise ValueError(f"All cells on the map are of one {by.name or by.kind}: there is nothing to mix.")
    return result, batches
