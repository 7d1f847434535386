"""The tab for exploring a finished map."""

from collections.abc import Callable
from functools import partial

import numpy as np
from qtpy.QtWidgets import QLabel, QVBoxLayout, QWidget

from latentmap.display.cell_facts import cell_facts
from latentmap.napari_plugin.panel.cell_card import CellCard
from latentmap.napari_plugin.panel.cluster_section import ClusterSection
from latentmap.napari_plugin.panel.colour_section import ColourSection
from latentmap.napari_plugin.panel.counts_section import CountsSection
from latentmap.napari_plugin.panel.distinctive_section import DistinctiveSection
from latentmap.napari_plugin.panel.more_cells_section import MoreCellsSection
from latentmap.napari_plugin.panel.opening_section import OpeningSection
from latentmap.napari_plugin.panel.selection_section import SelectionSection
from latentmap.napari_plugin.panel.time_section import TimeSection
from latentmap.napari_plugin.panel.view_section import ViewSection
from latentmap.presenters.cell_pictures import CellPictures
from latentmap.presenters.distinctive import cells_on_map
from latentmap.presenters.track_lines import TrackLines
from latentmap.session import ColourBy, Session
from latentmap.table import Key


class ExploreTab(QWidget):
    """Colours, the selection with its classes and distinctive features, clusters, and the cell card.

    Parameters
    ----------
    everyone : callable
        Returns the numbers of the cells on the maps.
    embed_alone : callable
        Makes a map of the selected cells only.
    pictures : CellPictures
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
        pictures: CellPictures,
        tell: Callable[[str], None],
        lines: TrackLines,
        outline: Callable[[], None],
        open_group: Callable[[], None],
    ) -> None:
        super().__init__()
        self._session, self._pictures = session, pictures
        self.colours = ColourSection(session, tell)
        self.views = ViewSection(session)
        self.time = TimeSection(session, lines)
        self.selected = SelectionSection(session, everyone, embed_alone, tell)
        self.opening = OpeningSection(session, outline, open_group, tell)
        self.more = MoreCellsSection(session, tell)
        self.clusters = ClusterSection(session, tell)
        self.distinctive = DistinctiveSection(session.selection, partial(cells_on_map, session))
        self.counts = CountsSection(session, tell)
        self.card = CellCard()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (
            self.colours.native,
            self.views.native,
            self.time.native,
            self.selected.native,
            self.opening.native,
            self.more.native,
            self.distinctive,
            QLabel("<b>The cell under the mouse</b>"),
            self.card,
            QLabel("<b>Clusters</b>"),
            self.clusters.native,
            self.counts,
        ):
            layout.addWidget(widget)
        layout.addStretch()
        self.distinctive.feature_clicked.connect(self._colour_by)
        session.runs.changed.connect(self.distinctive.refresh)
        session.dropped.changed.connect(self.distinctive.refresh, max_args=0)
        pictures.came.connect(self._refresh_card)

    def stop(self) -> None:
        """Stop all work of the sections."""
        self.time.presenter.close()
        self.clusters.presenter.stop()
        self.more.presenter.stop()
        self.counts.presenter.stop()

    def add_section(self, section: QWidget) -> None:
        """Add a section below all others."""
        layout = self.layout()
        if isinstance(layout, QVBoxLayout):
            layout.insertWidget(layout.count() - 1, section)  # above what is left of the tab

    def hover(self, key: Key | None) -> None:
        """Show this cell on the card; None clears it."""
        if key == self.card.key:
            return
        if key is None:
            self.card.clear()
        else:
            self._fill_card(key)

    def _refresh_card(self) -> None:
        """Show the cell on the card anew, with its picture that has come."""
        if self.card.key is not None:
            self._fill_card(self.card.key)

    def _fill_card(self, key: Key) -> None:
        self.card.show_cell(cell_facts(self._session, key), self._pictures(key))

    def _colour_by(self, name: str) -> None:
        self._session.display_settings.colour_by = ColourBy("feature", name)
