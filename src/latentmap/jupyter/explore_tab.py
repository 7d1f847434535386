"""The tab Explore: colours, axes, selection and classes, distinctive features, and clusters."""

from collections.abc import Callable

import numpy as np

from latentmap.jupyter import widgets as w
from latentmap.jupyter.cluster_section import ClusterSection
from latentmap.jupyter.colour_section import ColourSection
from latentmap.jupyter.counts_section import CountsSection
from latentmap.jupyter.distinctive_section import DistinctiveSection
from latentmap.jupyter.more_cells_section import MoreCellsSection
from latentmap.jupyter.opening_section import OpeningSection
from latentmap.jupyter.selection_section import SelectionSection
from latentmap.jupyter.time_section import TimeSection
from latentmap.jupyter.view_section import ViewSection
from latentmap.presenters.track_lines import TrackLines
from latentmap.session import Schedule, Session


class ExploreTab(w.VBox):
    """The controls for exploring a map.

    Parameters
    ----------
    session : Session
    everyone : callable
        Returns the numbers of the cells on the maps.
    embed_alone : callable
        Makes a map of the selected cells only.
    schedule : callable
        Schedules a function in the kernel's thread.
    tell : callable
        Shows the user a sentence.
    lines : TrackLines
        Which tracks are drawn on the maps.
    outline, open_group : callable
        Make a map of the landmarks alone, or of the selected cells from where they lie.
    """

    def __init__(
        self,
        session: Session,
        everyone: Callable[[], np.ndarray],
        embed_alone: Callable[[], None],
        schedule: Schedule,
        tell: Callable[[str], None],
        lines: TrackLines,
        outline: Callable[[], None],
        open_group: Callable[[], None],
    ) -> None:
        self.colours = ColourSection(session, tell)
        self.views = ViewSection(session)
        self.time = TimeSection(session, lines)
        self.selected = SelectionSection(session, everyone, embed_alone, tell)
        self.opening = OpeningSection(session, outline, open_group, tell)
        self.more = MoreCellsSection(session, schedule, tell)
        self.distinctive = DistinctiveSection(session, schedule)
        self.clusters = ClusterSection(session, schedule, tell)
        self.counts = CountsSection(session, schedule, tell)
        before = [self.colours, self.views, self.time, self.selected, self.opening]
        super().__init__([*before, self.more, self.distinctive, self.clusters, self.counts])

    def close(self) -> None:
        """Stop following the session."""
        for part in (
            self.colours,
            self.views,
            self.time,
            self.more,
            self.distinctive,
            self.clusters,
            self.counts,
        ):
            part.close()
        super().close()
