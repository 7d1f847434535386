"""The explorer in a notebook: parameters, maps and images, linked with each other."""

import asyncio
from collections.abc import Mapping, Sequence
from time import perf_counter
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import traitlets

from latentmap.display.map_sentences import missing_colour_note
from latentmap.jupyter import widgets as w
from latentmap.jupyter.cell_card import CellCard
from latentmap.jupyter.compare_section import CompareSection
from latentmap.jupyter.elsewhere_section import ElsewhereSection
from latentmap.jupyter.explore_tab import ExploreTab
from latentmap.jupyter.followed_viewer import FollowedViewer
from latentmap.jupyter.form import ParameterForm
from latentmap.jupyter.gallery import Gallery
from latentmap.jupyter.gates_tab import GatesTab
from latentmap.jupyter.given_maps import chosen_map
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.kernel import keep_messages, kernel_thread
from latentmap.jupyter.labelled_image import LabelledImage
from latentmap.jupyter.linked_images import LinkedImages
from latentmap.jupyter.maps import Maps
from latentmap.jupyter.napari_input import ViewerLayers
from latentmap.jupyter.origin import Origin
from latentmap.jupyter.pane_cells import PaneCells
from latentmap.jupyter.place_section import PlaceSection
from latentmap.jupyter.proposal_section import ProposalSection
from latentmap.jupyter.results import Results
from latentmap.jupyter.run_widgets import RunWidgets
from latentmap.jupyter.runs_section import RunsSection
from latentmap.jupyter.save_tab import SaveTab
from latentmap.jupyter.saved_kinds import saved_kinds
from latentmap.jupyter.selected_rows import Rows, SelectedRows
from latentmap.jupyter.session_traits import ClassNames, RunName, SessionTraits
from latentmap.jupyter.stage import stage
from latentmap.jupyter.surroundings_section import SurroundingsSection, places_of
from latentmap.jupyter.trust_tab import TrustTab
from latentmap.presenters.saving import SavePresenter
from latentmap.presenters.side_by_side import SideBySide
from latentmap.presenters.trust.words import TITLE as TRUST_TITLE
from latentmap.session import (
    Classes,
    ColourBy,
    ColourGroups,
    ColourScale,
    Run,
    Selection,
    Session,
)
from latentmap.table import CellTable
from latentmap.table.within_groups import group_columns

# Seconds between two updates of the colours in the images while the map moves: without a graphics card, drawing the
# images takes as long as drawing the map.
_PAINT_INTERVAL = 1.0
# Seconds between two checks whether a run is under way.
_CHECK_INTERVAL = 0.01


class Explorer(Results, w.VBox):
    """The widget that `explore` returns: controls, maps, images, and pictures of selected cells.

    Parameters
    ----------
    cells : CellTable
        The cells to explore.
    pictures : sequence of LabelledImage
        The images that they come from, named like the layers in the keys of the cells.
    origin : Origin, optional
        What the cells came from, if maps can be written into it.

    Attributes
    ----------
    session : Session
        The settings, the selection, the classes and the maps; napari has the same.
    cells : CellTable
        As given.
    maps : Maps
        The maps in view.
    images : LinkedImages or None
        The images; None if there are none.
    selected : tuple of int
        A trait: the rows of ``cells.features`` that are selected, from 0. Set it to row numbers or a mask to select.
    class_names : tuple of str
        A trait: the class of each row, "" for none. Set it to assign classes.
    current_run : str
        A trait: the name of the run whose map is shown, "" for none. Set it to show another.
    run_names : tuple of str
        A trait that follows: the names of the runs kept.
    running : bool
        A trait that follows: whether a run is under way.

    Raises
    ------
    RuntimeError
        Outside a notebook.

    See Also
    --------
    latentmap.jupyter.explore : Makes one from tables, images and labels, with an example.
    """

    selected = Rows().tag(sync=True)
    class_names = ClassNames()
    current_run = RunName().tag(sync=True)
    run_names = traitlets.Tuple(read_only=True).tag(sync=True)
    running = traitlets.Bool(False, read_only=True).tag(sync=True)

    def __init__(self, cells: CellTable, pictures: Sequence[LabelledImage] = (), origin: Origin | None = None) -> None:
        schedule = kernel_thread()
        keep_messages()
        self.session = Session(schedule)
        self.session.live.restarts_on_change = True
        self.cells = cells
        self.form = ParameterForm(self.session.parameters)
        self.comparing = CompareSection(self.session)
        side_by_side = SideBySide(self.session.runs)
        self.maps = Maps(self.session, side_by_side)
        self._control = control = RunWidgets(self.session, cells, self.form, self.maps)
        self.embed_button, self.pause_button, self.cancel_button = control.embed, control.pause, control.cancel
        self.progress, self.status = control.progress, control.status
        self.explore = ExploreTab(
            self.session,
            lambda: self.maps.numbers,
            control.presenter.embed_selection,
            schedule,
            control.tell,
            self.maps.lines,
            control.presenter.outline,
            control.presenter.open_group,
        )
        self.trust = TrustTab(self.session, schedule, control.tell)
        self.proposing = ProposalSection(self.session, lambda: self.cells, schedule, control.tell)
        self.gates = GatesTab(self.session, lambda: self.cells, control.tell)
        self.runs = RunsSection(self.session, side_by_side, lambda: self.cells.mappable, control.tell)
        self.elsewhere = ElsewhereSection(
            self.session, lambda: self.cells, schedule, control.presenter.add_map, control.tell
        )
        self.placing = PlaceSection(self.session, self.maps.show_placed, schedule, control.tell)
        self._saving = SavePresenter(self.session)
        self.keep = SaveTab(
            saved_kinds(self, self._saving, self._labels_images),
            self.session,
            lambda there: self._saving.write_back(there.write),
            control.tell,
        )
        self.keep.offer(origin)
        pictures = tuple(pictures)
        self.surroundings = SurroundingsSection(
            self.session, schedule, lambda: self.cells, lambda: places_of(pictures, self.cells), self._add_features
        )
        self.explore.children = (*self.explore.children, self.surroundings)
        self.images = LinkedImages(ImagePane(pictures), self.session, cells) if pictures else None
        self._seen = None if self.images is None else PaneCells(self.images.pane, schedule)
        if self._seen is None:
            self.card, self.gallery = CellCard(self.session, lambda key, size: None), None
        else:
            self.explore.more.presenter.crops_of = self._seen.crops_of
            self.card = CellCard(self.session, self._seen.pictures)
            self.gallery = Gallery(self.session, self._seen.pictures, self._seen.go_to)
            for part in (self.card, self.gallery):
                self._seen.pictures.came.connect(part.refresh)
        super().__init__(self._laid_out(), layout=w.Layout())  # which the user may change
        self._is_closed = False
        self._selected_rows, self._session_traits = SelectedRows(self), SessionTraits(self)
        self.add_class("latentmap-explorer")
        self._paints_next = 0.0
        self._followed: FollowedViewer | None = None
        self._connect()
        self.form.offer(cells.mappable, len(cells.features))
        self.form.offer_groups(group_columns(cells.features))
        control.presenter.preview()
        control.tell(" ".join(cells.notes))

    @property
    def selection(self) -> Selection:
        """The selected cells; ``selection.keys`` are their keys."""
        return self.session.selection

    @property
    def n_rows(self) -> int:
        """The number of rows of the table."""
        return 0 if self._is_closed else len(self.cells.features)

    @property
    def placed(self) -> pd.DataFrame | None:
        """The cells that *Place on this map* has placed last: keys, coordinates and variances."""
        return None if self._is_closed else self.placing.placed

    @property
    def classes(self) -> Classes:
        """The user's classes of cells."""
        return self.session.classes

    def follow(self, layers: ViewerLayers) -> None:
        """Show what changes in the layers of a napari viewer that this widget was made of: pixels, contrast, features.

        Parameters
        ----------
        layers : ViewerLayers
            The layers, as `explore` has read them.
        """
        pane = None if self.images is None else self.images.pane
        self._followed = FollowedViewer(
            layers, pane, lambda: self.cells, self._add_features, self._control.tell, kernel_thread()
        )
        self.keep.offer(Origin("layers", self._followed.write))

    def embed(self) -> Run:
        """Start a run with the current parameters; it goes on while other cells of the notebook are executed.

        Returns
        -------
        Run
            The run, which has no result yet; `finished` waits for it.

        Raises
        ------
        ValueError
            If all cells are dropped, or the widget is closed.
        """
        self._check_open()
        return self.session.embed(self.cells)

    def add_map(
        self,
        columns: str | Sequence[str] | np.ndarray = (),
        data: Any = None,
        *,
        name: str = "",
        keys: Mapping[str, str] = MappingProxyType({}),
    ) -> Run:
        """Put a map made elsewhere beside ours, with its quality against the features that are ticked.

        Parameters
        ----------
        columns : str, sequence of str or ndarray of shape (n_cells, n_components)
            What the map is called, such as ``"UMAP"`` or ``"X_umap"``, or its columns, such as
            ``["UMAP1", "UMAP2"]``, or the positions themselves: one row for each cell of the widget's table, in its
            order. By default the only map that there is.
        data : DataFrame, AnnData or path-like, optional
            Another table of these cells, matched by layer, frame and label; by default the table of the widget.
        name : str
            What the map is called from now on.
        keys : mapping of str to str
            The columns of `data` that hold the parts of the key, if they have other names:
            ``{"label": "CellID"}``.

        Returns
        -------
        Run
            The run, whose quality is being measured; `finished` waits for it, and a run under way is dropped. Cells
            without a position are left out, and its notes count them.

        Raises
        ------
        ValueError
            If there is no such map, or it is not clear which is meant, or an array does not have one row for each
            cell, or the widget is closed.
        """
        self._check_open()
        return self.session.add_map(self.cells, chosen_map(self.cells, columns, data, name, keys))

    async def finished(self) -> Run | None:
        """Wait until no run is under way: ``await shown.finished()``.

        This includes a run that was restarted because a parameter changed. Closing the widget ends the wait.

        Returns
        -------
        Run or None
            The run whose map is the current one; None if there is no map.

        Raises
        ------
        Exception
            Whatever the last of these runs has raised.
        """
        runs, last = self.session.runs, self.session.runs.active  # it may fail before the next turn of the event loop
        await asyncio.sleep(0)  # a parameter set in this turn starts its run in the next
        while runs.running:
            last = runs.active
            await asyncio.sleep(_CHECK_INTERVAL)
        if last is not None and last.error is not None:
            raise last.error
        return runs.current

    def close(self) -> None:
        """Stop the run, and release all widgets, maps and images; the selection and the classes stay.

        A notebook keeps the widget as the output of the cell that has shown it, so the widget itself must not refer to
        anything large.
        """
        if self._is_closed:
            return
        self._is_closed = True
        if self._followed is not None:
            self._followed.close()
        self._selected_rows.close()
        self._session_traits.close()
        self.session.close()
        self.session.display_settings.events.colour_by.disconnect(self._check_colours)
        drawn = (
            self.form,
            self.comparing,
            self.elsewhere,
            self.placing,
            self.explore,
            self.trust,
            self.proposing,
            self.maps,
            self.card,
            self.gallery,
            self._seen,
            self.images,
            self.surroundings,
            self.keep,
        )
        for part in (self._control, *drawn):
            if part is not None:
                part.close()
        for child in self.children:
            w.close_widgets(child)
        self.layout.close()
        super().close()
        self.session.runs.clear()
        self.set_trait("children", ())
        del self.cells, self.form, self.comparing, self.tabs, self.explore, self.runs, self.maps, self.keep
        del self.card, self.gallery, self.images, self._seen, self.elsewhere, self.placing, self.gates, self.trust
        del self.proposing, self.surroundings

    def _laid_out(self) -> list[w.Widget]:
        """Return the panel, the map and the images side by side, and below them the card and the gallery."""
        control = self._control
        self.tabs = w.Tab(
            [
                w.VBox(
                    [
                        control.about,
                        self.form,
                        self.proposing,
                        self.comparing,
                        self.runs,
                        self.elsewhere,
                        self.placing,
                    ]
                ),
                self.explore,
                self.trust,
                self.gates,
                self.keep,
            ],
            titles=("Map", "Explore", TRUST_TITLE, "Gates", "Save"),
        )
        panel = w.VBox([self.tabs, control.buttons, control.progress, control.status])
        pane = None if self.images is None else self.images.pane
        if pane is not None:
            pane.height = 0
        return stage(panel, self.maps, pane, [part for part in (self.card, self.gallery) if part is not None])

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any] | None:
        """Return the widget and, once there is a map, a picture for where no widget can live, such as GitHub."""
        bundle: dict[str, Any] | None = super()._repr_mimebundle_(**options)
        if bundle is not None and (picture := self._picture()) is not None:
            bundle["image/png"] = picture
        return bundle

    def _connect(self) -> None:
        self.session.display_settings.events.colour_by.connect(self._check_colours, max_args=1)
        self.maps.explained.connect(self._explain)
        self.maps.hovered.connect(self.card.hover)
        if self.images is not None and (gallery := self.gallery) is not None:
            self.images.pane.hovered.connect(self.card.hover)
            self.images.pane.hovered.connect(self.maps.lines.point_at)
            self.images.pane.observe(lambda _: gallery.refresh(), "_looks")

    def _explain(self, meant: ColourScale | ColourGroups, *legend: Any) -> None:
        self.explore.colours.explain(*legend)
        if self.images is not None and (not self.session.runs.running or perf_counter() > self._paints_next):
            self._paints_next = perf_counter() + _PAINT_INTERVAL
            self.images.paint(meant, self.maps.shown[0].numbers)

    def _add_features(self, columns: pd.DataFrame, gone: Sequence[str] = ()) -> None:
        """Offer further features of the cells, and no longer those that have gone."""
        self.cells = self.cells.with_features(columns, gone)
        self._control.take_cells(self.cells)
        self.form.offer(self.cells.mappable, len(self.cells.features))
        self.gates.presenter.refresh()

    def _check_colours(self, by: ColourBy) -> None:
        current = self.session.runs.current
        cells = self.cells if current is None or current.result is None else current.result.cells
        if notes := missing_colour_note(by, cells.features):
            self._control.tell(notes[0])
