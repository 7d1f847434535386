"""The explorer in a notebook: parameters, maps and images, linked with each other."""

import asyncio
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import pandas as pd

from latentmap.display.map_sentences import missing_colour_note
from latentmap.jupyter.cell_card import CellCard
from latentmap.jupyter.cell_inputs import read_cells
from latentmap.jupyter.cell_pictures import CellPictures
from latentmap.jupyter.compare_section import CompareSection
from latentmap.jupyter.explore_tab import ExploreTab
from latentmap.jupyter.form import ParameterForm
from latentmap.jupyter.gallery import Gallery
from latentmap.jupyter.html_export import HtmlExport
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.image_storage import stored_layers
from latentmap.jupyter.kernel import kernel_thread
from latentmap.jupyter.labelled_image import LabelledImage
from latentmap.jupyter.linked_images import LinkedImages
from latentmap.jupyter.maps import Maps
from latentmap.jupyter.run_widgets import RunWidgets
from latentmap.jupyter.runs_section import RunsSection
from latentmap.jupyter.save_tab import Kind, SaveTab
from latentmap.jupyter.widget_closing import close_widgets
from latentmap.model.data_warnings import DataWarning
from latentmap.presenters.saving import SavePresenter
from latentmap.presenters.side_by_side import SideBySide
from latentmap.session import (
    Classes,
    ColourBy,
    ColourGroups,
    ColourScale,
    Run,
    Selection,
    Session,
    fitted_pipeline,
    place,
    save,
    script_text,
)
from latentmap.table import CellTable
from latentmap.table.formats import WRITABLE

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

# Seconds between two updates of the colours in the images while the map moves: without a graphics card, drawing the
# images takes as long as drawing the map.
_PAINT_INTERVAL = 1.0
# Seconds between two checks whether a run is under way.
_CHECK_INTERVAL = 0.01
_PANEL = {"width": "360px", "min_width": "min(300px, 100%)", "flex": "0 1 360px"}


class Explorer(w.HBox):
    """The widget that `explore` returns: controls, maps, images, and pictures of selected cells.

    Parameters
    ----------
    cells : CellTable
        The cells to explore.
    pictures : sequence of LabelledImage
        The images that they come from, named like the layers in the keys of the cells.

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

    Raises
    ------
    RuntimeError
        Outside a notebook.

    See Also
    --------
    latentmap.jupyter.explore : Makes one from tables, images and labels, with an example.
    """

    # Python also closes an explorer whose construction failed; that one has nothing to release.
    _is_closed = True

    def __init__(self, cells: CellTable, pictures: Sequence[LabelledImage] = ()) -> None:
        schedule = kernel_thread()
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
            self.session, lambda: self.maps.numbers, control.presenter.embed_selection, schedule, control.tell
        )
        self.runs = RunsSection(self.session, side_by_side, lambda: cells.mappable, control.tell)
        self._saving = SavePresenter(self.session)
        self.keep = SaveTab(self._kinds(), control.tell)
        self.images = LinkedImages(ImagePane(pictures), self.session, cells) if pictures else None
        crops = None if self.images is None else CellPictures(self.images.pane)
        self.card = CellCard(self.session, crops or (lambda key, size: None))
        self.gallery = None if crops is None else Gallery(self.session, crops, crops.go_to)
        super().__init__(self._laid_out(), layout=w.Layout(flex_flow="row wrap"))
        self._paints_next = 0.0
        self._is_closed = False
        self._connect()
        self.form.features.offer(cells.mappable, len(cells.features))
        control.presenter.preview()
        control.tell(" ".join(cells.notes))

    @property
    def selection(self) -> Selection:
        """The selected cells; ``selection.keys`` are their keys."""
        return self.session.selection

    @property
    def classes(self) -> Classes:
        """The user's classes of cells."""
        return self.session.classes

    @property
    def estimator(self) -> "Pipeline | None":
        """The preparation of the features and the method, as one fitted scikit-learn Pipeline; None without a map.

        ``shown.estimator.transform(table)`` places new cells, given as a DataFrame with the features of the map in
        their own units. For a map from a session file the pipeline is rebuilt; see
        :func:`latentmap.session.fitted_pipeline`.
        """
        current = self.session.runs.current
        return None if current is None or current.result is None else fitted_pipeline(current)

    def place(
        self, data: Any, *, layer: str = "new cells", columns: Mapping[str, str] = MappingProxyType({})
    ) -> pd.DataFrame:
        """Place new cells on the current map, which does not move.

        Parameters
        ----------
        data : DataFrame, AnnData, SpatialData or path-like
            Cells with the features that shaped the map, in the same units. Rows without a label are numbered.
        layer : str
            The name of the image in the keys of the cells, if the data do not give one.
        columns : mapping of str to str
            The columns that hold the parts of the key, if they have other names, such as ``{"label": "CellID"}``.

        Returns
        -------
        pandas.DataFrame
            The key of each cell, its coordinates ``map_1`` to ``map_d``, and its ``variance`` if the method says how
            uncertain a new position is. Warnings say how many rows were left out, and why. If the method cannot place
            new cells, their positions are learned from the map, and a warning says how accurate that is. The warnings
            are also in ``attrs["notes"]``.

        Raises
        ------
        ValueError
            If there is no map yet, a feature is missing, or no cell can be placed.
        """
        placed = place(self._current(), read_cells(data, layer=layer, columns=columns, has_labels=False))
        for note in placed.notes:
            warnings.warn(note, DataWarning, stacklevel=2)
        rows = placed.features.reset_index()
        rows.attrs["notes"] = placed.notes
        return rows

    def table(self) -> pd.DataFrame:
        """Return the table of the current map: keys, features, coordinates, variances and classes.

        Returns
        -------
        pandas.DataFrame
            One row per cell.

        Raises
        ------
        ValueError
            If there is no map yet, or the widget is closed.
        """
        return self.session.map_table(self._current()).rows

    def code(self) -> str:
        """Return a script that makes the current map without a notebook.

        Returns
        -------
        str
            Python code.

        Raises
        ------
        ValueError
            If there is no map yet, or the widget is closed.
        """
        return script_text(self._current())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the session and its images to a file, which `open_session` and the napari panel can open.

        Parameters
        ----------
        path : path-like
            The file; an existing one is replaced.

        Returns
        -------
        pathlib.Path
            The file written.

        Raises
        ------
        ValueError
            If a table holds something that cannot be written, or the widget is closed.
        OSError
            If the folder is missing, not writable or full.
        """
        self._check_open()
        pictures = () if self.images is None else self.images.pane.pictures
        return save(self.session, path, stored_layers(pictures, self.cells))

    def export_html(self, path: str | os.PathLike[str], *, title: str = "Map of cells", caption: str = "") -> Path:
        """Write the maps and images as they are now to one HTML file, linked, for any browser and without a kernel.

        Parameters
        ----------
        path : path-like
            The file; an existing one is replaced.
        title, caption : str
            The heading above the maps, and the text below it.

        Returns
        -------
        pathlib.Path
            The file written.

        Raises
        ------
        ValueError
            If there is no map yet, one is being made, or the widget is closed.
        OSError
            If the folder is missing, not writable or full.
        """
        self._check_open()
        pane = None if self.images is None else self.images.pane
        return HtmlExport(self.session, self.maps, self.cells, pane).write(path, title, caption)

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
        self.session.close()
        self.session.display_settings.events.colour_by.disconnect(self._check_colours)
        drawn = (self.form, self.comparing, self.explore, self.maps, self.card, self.gallery, self.images)
        for part in (self._control, *drawn):
            if part is not None:
                part.close()
        for child in self.children:
            close_widgets(child)
        self.layout.close()
        super().close()
        self.session.runs.clear()
        self.set_trait("children", ())
        del self.cells, self.form, self.comparing, self.tabs, self.explore, self.runs, self.maps, self.keep
        del self.card, self.gallery, self.images

    def _laid_out(self) -> list[w.Widget]:
        """Return the panel, the map and the images, in one row if there is room, and below them the gallery."""
        control = self._control
        self.tabs = w.Tab(
            [w.VBox([control.about, self.form, self.comparing, control.buttons, self.runs]), self.explore, self.keep],
            titles=("Map", "Explore", "Save"),
        )
        panel = w.VBox([self.tabs, control.progress, control.status], layout=w.Layout(**_PANEL))
        maps = w.VBox([self.maps, self.card], layout=w.Layout(flex="1 1 360px", min_width="min(300px, 100%)"))
        shown: list[w.Widget] = [panel, maps]
        if self.images is not None:
            self.images.pane.layout.flex, self.images.pane.layout.min_width = "1 1 360px", "min(300px, 100%)"
            shown.append(self.images.pane)
        if self.gallery is not None:
            self.gallery.layout.width = "100%"
            shown.append(self.gallery)
        return shown

    def _kinds(self) -> tuple[Kind, ...]:
        saving = self._saving
        return (
            *(Kind(f"table: {one.name}", one.ending, lambda path: saving.table(path)()) for one in WRITABLE),
            Kind("session", ".latentmap", lambda path: f"Saved the session in {self.save(path)}."),
            Kind("page of maps and images", ".html", lambda path: f"Saved the page in {self.export_html(path)}."),
            Kind("script, with its table", ".py", lambda path: saving.script(path)[0]),
        )

    def _connect(self) -> None:
        self.session.display_settings.events.colour_by.connect(self._check_colours, max_args=1)
        self.maps.explained.connect(self._explain)
        self.maps.hovered.connect(self.card.hover)
        if self.images is not None and (gallery := self.gallery) is not None:
            self.images.pane.hovered.connect(self.card.hover)
            self.images.pane.observe(lambda _: gallery.refresh(), "_looks")

    def _explain(self, meant: ColourScale | ColourGroups) -> None:
        self.explore.colours.explain(meant)
        if self.images is not None and (not self.session.runs.running or perf_counter() > self._paints_next):
            self._paints_next = perf_counter() + _PAINT_INTERVAL
            self.images.paint(meant, self.maps.shown[0].numbers)

    def _check_open(self) -> None:
        if self._is_closed:
            raise ValueError("The widget is closed: run its cell again.")

    def _current(self) -> Run:
        self._check_open()
        return self._saving.current()

    def _check_colours(self, by: ColourBy) -> None:
        current = self.session.runs.current
        cells = self.cells if current is None or current.result is None else current.result.cells
        if notes := missing_colour_note(by, cells.features):
            self._control.tell(notes[0])
