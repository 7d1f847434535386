"""What a notebook's own code gets from the explorer: tables, figures, files, and places for new cells."""

import os
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from latentmap.jupyter.cell_inputs import read_cells
from latentmap.jupyter.figure_plane import plane_in_view
from latentmap.jupyter.html_export import HtmlExport
from latentmap.jupyter.image_storage import stored_layers
from latentmap.jupyter.labelled_image import pyramid
from latentmap.jupyter.linked_images import LinkedImages
from latentmap.jupyter.map_controller import SHADES
from latentmap.jupyter.maps import Maps
from latentmap.jupyter.surroundings_section import places_of
from latentmap.model.data_warnings import DataWarning
from latentmap.presenters.class_labels import ALL_CLASSES, LabelsImage, class_images, made_sentence
from latentmap.presenters.counts import as_grouping, session_counts, session_mixing
from latentmap.presenters.figure import MOST_PREVIEWED, PREVIEW_PIXELS, TWO_COLUMNS, as_png, figure_of
from latentmap.presenters.saving import SavePresenter
from latentmap.presenters.surroundings import add_features, around
from latentmap.session import Run, Session, fitted_pipeline, place, save, script_text
from latentmap.session.batch_mixing import BatchMixing
from latentmap.table import CellTable, write_into, write_into_spatialdata
from latentmap.table.cells import listed
from latentmap.table.files.spatialdata_io import is_spatialdata

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from latentmap.display.paper_figure import PaperFigure


class Results:
    """The methods of an explorer that give something and show nothing; the explorer has the attributes."""

    session: Session
    cells: CellTable
    maps: Maps
    images: LinkedImages | None
    _saving: SavePresenter
    # Python also closes an explorer whose construction failed; that one has nothing to release.
    _is_closed = True

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

    def write_into(self, data: Any, *, layer: str = "cells") -> tuple[str, ...]:
        """Write the current map, with variances and classes, into an AnnData or a SpatialData that has the cells.

        Parameters
        ----------
        data : AnnData or SpatialData
            Changed in place: see :func:`~latentmap.table.write_into`. Of a SpatialData that was read from a Zarr store,
            the tables are written there too, and nothing else is.
        layer : str
            The layer of rows that do not name one.

        Returns
        -------
        tuple of str
            Sentences: how many rows have no cell on the map, and what was written.

        Raises
        ------
        ValueError
            If there is no map yet, no row's cell is on it, or data are neither.
        """
        if not (is_spatialdata(data) or hasattr(data, "obs")):
            raise ValueError(
                f"write_into takes an AnnData or a SpatialData, not a {type(data).__name__}: shown.table() has the map "
                "as a DataFrame, with the key of each cell."
            )
        made = self.session.map_table(self._current())
        write = write_into_spatialdata if is_spatialdata(data) else write_into
        return write(data, made, layer=layer)

    def class_labels(self, name: str = ALL_CLASSES, *, layer: str = "") -> np.ndarray:
        """Return a labels image of a class, or of all classes.

        Parameters
        ----------
        name : str
            A class, whose cells keep their labels. By default all classes: each pixel is the number of its cell's
            class, from 1 on, in the order of ``shown.classes.names``.
        layer : str
            Which image, if there are several.

        Returns
        -------
        ndarray of int
            As large as the labels; 0 where no such cell is.

        Raises
        ------
        ValueError
            If there is no such class, no labels have a cell of it, several have and none is named, or the widget is
            closed.
        """
        self._check_open()
        images = [image for image in self._labels_images() if layer in ("", image.layer)]
        made = list(class_images(self.session, name, images))
        if not made:
            raise ValueError(made_sentence(self.session, name, []))
        if len(made) > 1:
            raise ValueError(f"Several images have such cells, {listed([one.source.layer for one in made])}: name one.")
        return made[0].pixels

    def counts(self, condition: str | None = None, *, of: str = "class", by: str = "layer") -> pd.DataFrame:
        """Count the cells of each class on the current map, image by image.

        Parameters
        ----------
        condition : str, optional
            A column of words, or of few whole numbers, that divides the cells of each image further.
        of : str
            What is counted: "class", or a column.
        by : str
            What divides the cells: "layer", which is the image, "frame", or a column.

        Returns
        -------
        pandas.DataFrame
            A row for each image (and condition) and class: ``cells``, and their ``share`` of the image. Cells in no
            class count as "none"; those dropped do not count.

        Raises
        ------
        ValueError
            If there is no map yet, a column is missing or has too many values, or the widget is closed.
        """
        self._check_open()
        divided = [as_grouping(name) for name in (by, condition) if name is not None]
        return session_counts(self.session, as_grouping(of), divided).table()

    def add_surroundings(self, radius: float = 0.0, *, of: str = "class") -> pd.DataFrame:
        """Add, for each cell, which cells lie around it in its image: features that can be mapped and coloured by.

        Parameters
        ----------
        radius : float
            Within which cells count, in the unit of the images; 0 for three times the usual distance of neighbours.
        of : str
            The groups that are looked for: "class", or a column.

        Returns
        -------
        pandas.DataFrame
            Under the keys of the cells: the share of each group among the cells around, as "near GROUP", empty where
            there are none, and their number, as "neighbours". ``attrs["radius"]`` is the radius.

        Raises
        ------
        ValueError
            If it is not known where the cells lie, there is no class, or the widget is closed.
        """
        self._check_open()
        places = places_of(() if self.images is None else self.images.pane.pictures, self.cells)
        found = around(self.session, self.cells, places, as_grouping(of), radius)()
        add_features(self.session, as_grouping(of), found.columns, self._add_features)
        table = found.columns.copy()
        table.attrs["radius"] = found.radius
        return table

    def mixing(self, by: str = "layer") -> BatchMixing:
        """Measure how well images are mixed on the current map, and in the features that it was made of.

        Parameters
        ----------
        by : str
            What should be mixed: "layer", which is the image, "frame", or a column.

        Returns
        -------
        BatchMixing
            ``on_map.ratio`` is the share of each cell's nearest 15 that are of other images, as a multiple of what
            chance gives: 0 if images lie apart, 1 if they are mixed. ``in_features.ratio`` is the same among the
            features.

        Raises
        ------
        ValueError
            If there is no map yet, or only one image or value, or the widget is closed.
        """
        self._check_open()
        return session_mixing(self.session, as_grouping(by))

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
        return script_text(self._current(), gates=tuple(self.session.gates))

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
            If a table holds something that cannot be written, the file's ending stands for a table or a figure, or the
            widget is closed.
        OSError
            If the folder is missing, not writable or full.

        See Also
        --------
        table, figure, export_html : The map as a table, a figure and a page.
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

    def figure(self, *, width: float = TWO_COLUMNS) -> "PaperFigure":
        """Draw the maps and the image in view for a paper.

        Parameters
        ----------
        width : float
            In mm: 85 for one column of a journal, 174 for two.

        Returns
        -------
        matplotlib.figure.Figure
            ``figure.savefig("figure.svg")`` keeps text as text and the caption as the description of the file;
            ``figure.caption`` is the text below the figure.

        Raises
        ------
        ValueError
            If there is no map yet, one is being made, the figure is too narrow, or the widget is closed.
        """
        self._check_open()
        planes = [] if self.images is None else [plane_in_view(self.images.pane)]
        return figure_of(self.session, self.maps.runs, planes, SHADES, width)

    def _picture(self) -> str | None:
        """Return the figure as a small PNG in base64; None without a map, or with so many cells that one would wait."""
        if self._is_closed or not self._saving.has_map or len(self.maps.numbers) > MOST_PREVIEWED:
            return None
        planes = [] if self.images is None else [plane_in_view(self.images.pane, PREVIEW_PIXELS)]
        try:
            return as_png(figure_of(self.session, self.maps.runs, planes, SHADES))
        except (ValueError, OSError):
            # An image whose file is gone must not hide the widget.
            return None

    def _labels_images(self) -> list[LabelsImage]:
        """Return the labels that the cells come from."""
        pictures = () if self.images is None else self.images.pane.pictures
        return [
            LabelsImage(one.name, one.name, partial(_finest, one.labels), one.has_frames)
            for one in pictures
            if one.labels is not None
        ]

    def _add_features(self, columns: pd.DataFrame, gone: Sequence[str] = ()) -> None:
        """Offer further features of the cells, and no longer those that have gone."""
        raise NotImplementedError

    def _check_open(self) -> None:
        if self._is_closed:
            raise ValueError("The widget is closed: run its cell again.")

    def _current(self) -> Run:
        self._check_open()
        return self._saving.current()


def _finest(labels: Any) -> Any:
    return pyramid(labels)[0]
