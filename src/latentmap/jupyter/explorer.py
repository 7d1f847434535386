"""The session in a notebook: parameters, maps and images, linked."""

import asyncio
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any

import ipywidgets as w
import pandas as pd

from latentmap.display.sentences import not_to_colour_by
from latentmap.jupyter.cell_card import CellCard
from latentmap.jupyter.cell_pictures import CellPictures
from latentmap.jupyter.closing import close_all
from latentmap.jupyter.compare_section import CompareSection
from latentmap.jupyter.explore_tab import ExploreTab
from latentmap.jupyter.form import ParameterForm
from latentmap.jupyter.gallery import Gallery
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.inputs import cells_of
from latentmap.jupyter.kernel import kernel_thread
from latentmap.jupyter.linked_images import LinkedImages
from latentmap.jupyter.maps import Maps
from latentmap.jupyter.picture import Picture
from latentmap.jupyter.run_widgets import RunWidgets
from latentmap.jupyter.runs_section import RunsSection
from latentmap.jupyter.save_tab import Kind, SaveTab
from latentmap.jupyter.stored_pictures import stored_layers
from latentmap.jupyter.supplement import Supplement
from latentmap.model.sentences import DataWarning
from latentmap.presenters.saving import SavePresenter
from latentmap.presenters.side_by_side import SideBySide
from latentmap.session import (
    By,
    Classes,
    Groups,
    Run,
    Scale,
    Selection,
    Session,
    fitted,
    place,
    save,
    script,
)
from latentmap.table import CellTable
from latentmap.table.formats import WRITABLE

# Seconds between two paintings of the images while the map moves: without a graphics card they take as long as the map.
_PAINTING = 1.0
# Seconds between two checks whether a run is under way.
_LOOKING = 0.01
_PANEL = {"width": "360px", "min_width": "min(300px, 100%)", "flex": "0 1 360px"}


class Explorer(w.HBox):
    """The widget that `explore` returns.

    Parameters
    ----------
    cells : CellTable
    pictures : sequence of Picture
        The images that they come from.

    Attributes
    ----------
    session : Session
        What the user has set, selected and made, for all views; the same as in napari.
    """

    # Python closes one whose making has failed, which has nothing to release.
    _is_closed = True

    def __init__(self, cells: CellTable, pictures: Sequence[Picture] = ()) -> None:
        post = kernel_thread()
        self.session = Session(post)
        self.session.live.restarts = True
        self.cells = cells
        self.form = ParameterForm(self.session.parameters)
        self.comparing = CompareSection(self.session)
        beside = SideBySide(self.session.runs)
        self.maps = Maps(self.session, beside)
        self._control = control = RunWidgets(self.session, cells, self.form, self.maps)
        self.embed_button, self.pause_button, self.cancel_button = control.embed, control.pause, control.cancel
        self.progress, self.status = control.progress, control.status
        self.explore = ExploreTab(
            self.session, lambda: self.maps.numbers, control.presenter.embed_selection, post, control.tell
        )
        self.runs = RunsSection(self.session, beside, lambda: cells.mappable, control.tell)
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
        self.form.features.offer(cells.mappable)
        control.presenter.preview()
        control.tell(" ".join(cells.notes))

    @property
    def selection(self) -> Selection:
        """The cells selected; ``selection.keys`` says which they are."""
        return self.session.selection

    @property
    def classes(self) -> Classes:
        """The user's classes of cells."""
        return self.session.classes

    @property
    def estimator(self) -> Any:
        """What prepared the features and made the current map, as one fitted scikit-learn Pipeline; None before.

        ``shown.estimator.transform(table)`` places new cells: a DataFrame with the map's features in their own units.
        For a map from a session file it is made anew, see :func:`latentmap.session.fitted`.
        """
        current = self.session.runs.current
        return None if current is None or current.result is None else fitted(current)

    def place(
        self, data: Any, *, layer: str = "new cells", columns: Mapping[str, str] = MappingProxyType({})
    ) -> pd.DataFrame:
        """Place new cells on the current map, which does not move.

        Parameters
        ----------
        data : DataFrame, AnnData, SpatialData or path-like
            Cells with the features that shaped the map, in the same units. Rows without a label are numbered.
        layer : str
            What the keys of rows call the image that they come from, where they do not say so themselves.
        columns : mapping of str to str
            Which column holds a part of the key, where it has another name: ``{"label": "CellID"}``.

        Returns
        -------
        pandas.DataFrame
            The key of each cell, its place ``map_1`` to ``map_d``, and its ``variance`` where the method says how
            uncertain a new place is. Warnings say how many rows were left out, and why, and, where the method places
            no new cells and their places are learned from the map, how near that comes; ``attrs["notes"]`` has them
            too.

        Raises
        ------
        ValueError
            If there is no map yet, a feature is missing, or no cell can be placed.
        """
        placed = place(self._current(), cells_of(data, layer=layer, columns=columns, has_labels=False))
        for note in placed.notes:
            warnings.warn(note, DataWarning, stacklevel=2)
        rows = placed.features.reset_index()
        rows.attrs["notes"] = placed.notes
        return rows

    def table(self) -> pd.DataFrame:
        """Return the table of the current map: keys, features, coordinates, variances and classes.

        Raises
        ------
        ValueError
            If there is no map yet, or the widget is closed.
        """
        return self.session.sheet(self._current()).rows

    def code(self) -> str:
        """Return a script that makes the current map without a notebook.

        Raises
        ------
        ValueError
            If there is no map yet, or the widget is closed.
        """
        return script(self._current())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the session with its pictures to a file, which `open_session` and the panel in napari open.

        Parameters
        ----------
        path : path-like
            Where to; an existing file is replaced.

        Returns
        -------
        pathlib.Path

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
        """Write the maps and images as they are now to one file that any browser shows, linked, without a kernel.

        Parameters
        ----------
        path : path-like
            Where to; an existing file is replaced.
        title, caption : str
            What stands above the maps.

        Returns
        -------
        pathlib.Path

        Raises
        ------
        ValueError
            If there is no map yet, one is being made, or the widget is closed.
        OSError
            If the folder is missing, not writable or full.
        """
        self._check_open()
        pane = None if self.images is None else self.images.pane
        return Supplement(self.session, self.maps, self.cells, pane).write(path, title, caption)

    def embed(self) -> Run:
        """Start a run with the parameters of this moment; it goes on while other cells are executed.

        Raises
        ------
        ValueError
            If all cells are dropped, or the widget is closed.
        """
        self._check_open()
        return self.session.embed(self.cells)

    async def finished(self) -> Run | None:
        """Wait until no run is under way: ``await shown.finished()``.

        A run that a change of parameters has begun anew is waited for, too. At most until the widget is closed.

        Returns
        -------
        Run or None
            The run whose map is the current one; None if there is no map.

        Raises
        ------
        Exception
            What the last of the runs waited for has raised.
        """
        runs, last = self.session.runs, self.session.runs.at_work  # which may fail before the next turn
        await asyncio.sleep(0)  # what was set in this turn of the event loop starts its run in the next
        while runs.running:
            last = runs.at_work
            await asyncio.sleep(_LOOKING)
        if last is not None and last.error is not None:
            raise last.error
        return runs.current

    def close(self) -> None:
        """Stop what is under way, and let go of all widgets, maps and images.

        The selection and the classes stay. A notebook keeps the widget that a cell has shown as that cell's output, so
        what takes much memory must not hang on it.
        """
        if self._is_closed:
            return
        self._is_closed = True
        self.session.close()
        self.session.look.events.colour_by.disconnect(self._check_colours)
        drawn = (self.form, self.comparing, self.explore, self.maps, self.card, self.gallery, self.images)
        for part in (self._control, *drawn):
            if part is not None:
                part.close()
        for child in self.children:
            close_all(child)
        self.layout.close()
        super().close()
        self.session.runs.clear()
        self.set_trait("children", ())
        del self.cells, self.form, self.comparing, self.tabs, self.explore, self.runs, self.maps, self.keep
        del self.card, self.gallery, self.images

    def _laid_out(self) -> list[w.Widget]:
        """The panel, the map and the image from left to right, as many as there is room for; below all the gallery."""
        control = self._control
        self.tabs = w.Tab(
            [w.VBox([control.about, self.form, self.comparing, control.buttons, self.runs]), self.explore, self.keep],
            titles=("Map", "Explore", "Save"),
        )
        panel = w.VBox([self.tabs, control.progress, control.status], layout=w.Layout(**_PANEL))
        shown = [panel, w.VBox([self.maps, self.card], layout=w.Layout(flex="1 1 360px", min_width="min(300px, 100%)"))]
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
            Kind("session", ".latentmap", lambda path: f"The session is in {self.save(path)}."),
            Kind("page of maps and images", ".html", lambda path: f"The page is in {self.export_html(path)}."),
            Kind("script, with its table", ".py", lambda path: saving.script(path)[0]),
        )

    def _connect(self) -> None:
        self.session.look.events.colour_by.connect(self._check_colours, max_args=1)
        self.maps.explained.connect(self._explain)
        self.maps.hovered.connect(self.card.hover)
        if self.images is not None and self.gallery is not None:
            self.images.pane.hovered.connect(self.card.hover)
            self.images.pane.observe(lambda _: self.gallery.refresh(), "_looks")

    def _explain(self, meant: Scale | Groups) -> None:
        self.explore.colours.explain(meant)
        if self.images is not None and (not self.session.runs.running or perf_counter() > self._paints_next):
            self._paints_next = perf_counter() + _PAINTING
            self.images.paint(meant, self.maps.shown[0].numbers)

    def _check_open(self) -> None:
        if self._is_closed:
            raise ValueError("The widget is closed: run its cell again.")

    def _current(self) -> Run:
        self._check_open()
        return self._saving.current()

    def _check_colours(self, by: By) -> None:
        current = self.session.runs.current
        cells = self.cells if current is None or current.result is None else current.result.cells
        if said := not_to_colour_by(by, cells.features):
            self._control.tell(said[0])
