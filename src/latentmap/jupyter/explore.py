"""The door to the notebook's front end."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from latentmap.jupyter.explorer import Explorer
from latentmap.jupyter.inputs import cells_of
from latentmap.jupyter.picture import Picture, pyramid
from latentmap.jupyter.stored_pictures import stored_cells, stored_pictures
from latentmap.jupyter.viewer_layers import is_viewer, layers_of
from latentmap.session import Stored, load
from latentmap.table import CellTable, measure
from latentmap.table.cells import listed
from latentmap.table.frames import by_colour
from latentmap.table.matching import compared


def explore(
    data: Any = None,
    images: Any = None,
    labels: Any = None,
    *,
    layer: str = "cells",
    columns: Mapping[str, str] = MappingProxyType({}),
    has_frames: bool = False,
    scale: Sequence[float] | None = None,
    unit: str = "",
    texture: bool = False,
    picture_size: int = 0,
) -> Explorer:
    """Show a map of cells in a notebook, beside their images if there are any, and tune it live.

    Parameters
    ----------
    data : DataFrame, ndarray, sparse array, AnnData, SpatialData, path-like or napari.Viewer, optional
        One row a cell. A column ``label`` says which cell of the labels a row is; without labels it may lack, and rows
        are numbered. By default the cells are measured in the images here. Of an open napari viewer the layers of now
        are taken, with their features, images and contrast, and nothing else needs to be given.
    images : array-like, mapping or sequence of these, path-like, or Picture or sequence of Picture, optional
        One channel, or several by name, of the labels' shape; they may be lazy (dask, zarr, memory maps), of several
        resolutions, or in a file, see `Picture`. An axis more than the labels have is that of the channels or colours.
        Several fields of view are several `Picture`, each with its own labels.
    labels : array-like of int, sequence of these, or path-like, optional
        Each cell's number at the pixels it covers.
    layer : str
        What the keys of cells call the image that they come from.
    columns : mapping of str to str
        Which column holds a part of the key, where it has another name: ``{"label": "CellID"}``.
    has_frames : bool
        Whether the first axis of labels and images is time.
    scale : sequence of float, optional
        The distance of neighbouring pixels along the last axes.
    unit : str
        The scale's.
    texture, picture_size
        What else is measured where there is no table, see :func:`~latentmap.table.measure`: ``picture_size=16`` makes
        each cell's picture 256 features for each channel, for methods that learn from pictures.

    Returns
    -------
    Explorer
        The widget; the last line of a notebook's cell shows it.

    Raises
    ------
    ValueError
        If there is nothing to show, the data say not which cell a row is, or shapes do not agree.
    RuntimeError
        Outside a notebook.
    """
    if is_viewer(data):
        return _explore_viewer(data, texture, picture_size)
    pictures = _pictures(images, labels, layer, has_frames, scale, unit)
    if data is None:
        cells = _measured(pictures, texture, picture_size)
    else:
        _check_not_asked(texture, picture_size)
        cells = cells_of(data, layer=layer, columns=columns, has_labels=any(one.labels is not None for one in pictures))
        _check_names(cells, pictures)
        labelled = (one for one in pictures if one.labels is not None)
        cells = compared(cells, ((one.name, pyramid(one.labels), one.has_frames) for one in labelled))
    return Explorer(cells, pictures)


def open_session(path: str | os.PathLike[str]) -> Explorer:
    """Show a session that was saved in a notebook or in napari.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Explorer

    Raises
    ------
    ValueError
        If the file is damaged, foreign, of a newer version, or has neither a map nor labels with features.
    OSError
        If there is no such file.
    RuntimeError
        Outside a notebook.
    """
    stored = load(path)
    cells = _every_cell(stored)
    if cells is None:
        raise ValueError(f'"{Path(path).name}" has neither a map nor labels with features: there is nothing to show.')
    shown = Explorer(cells, stored_pictures(stored.layers))
    stored.fill(shown.session)
    return shown


def _every_cell(stored: Stored) -> CellTable | None:
    """All cells of a session file: any one map may be of a selection, or without what was dropped, and so may be all.

    The largest table is taken as it is, of equally large ones that of the map shown; from the others come the rows of
    the cells that it lacks.
    """
    runs = [*stored.runs[stored.shown :], *stored.runs[: stored.shown]]
    tables = [*(run.table for run in runs), *filter(None, [stored_cells(stored.layers)])]
    if not tables:
        return None
    largest, *others = sorted(tables, key=lambda table: len(table.features), reverse=True)
    parts = [largest.features]
    # Runs of the same cells share them.
    for features in {id(table.features): table.features for table in others}.values():
        lacking = ~np.any([features.index.isin(part.index) for part in parts], axis=0)
        if lacking.any():
            parts.append(features[lacking])
    # What a table's notes say of cells left out does not hold for the others.
    return largest if len(parts) == 1 else CellTable.pool([CellTable(part) for part in parts])


def _explore_viewer(viewer: Any, texture: bool, picture_size: int) -> Explorer:
    tables, pictures = layers_of(viewer)
    known = {name for table in tables for name in table.features.index.unique("layer")}
    if unknown := [picture for picture in pictures if picture.name not in known]:
        tables.append(_measured(unknown, texture, picture_size))
    else:
        _check_not_asked(texture, picture_size)
    if not tables:
        raise ValueError(
            "The viewer has no layer with cells: open labels, or points with features, or give explore() a table."
        )
    return Explorer(CellTable.pool(tables), pictures)


def _pictures(
    images: Any, labels: Any, layer: str, has_frames: bool, scale: Sequence[float] | None, unit: str
) -> list[Picture]:
    if isinstance(images, Picture):
        return [images]
    if isinstance(images, Sequence) and images and all(isinstance(image, Picture) for image in images):
        return list(images)
    if images is None and labels is None:
        return []
    return [Picture(layer, labels, images, has_frames, None if scale is None else tuple(scale), unit)]


def _check_not_asked(texture: bool, picture_size: int) -> None:
    if texture or picture_size:
        raise ValueError(
            "texture and picture_size say what is measured where there is no table, but all cells have one: leave them "
            "out, or measure by latentmap.table.measure, and give explore() what it returns."
        )


def _check_names(cells: CellTable, pictures: Sequence[Picture]) -> None:
    """Refuse pictures of other layers than the cells', which would show none of them."""
    labelled = [picture.name for picture in pictures if picture.labels is not None]
    known = list(cells.features.index.unique("layer"))
    if strange := [name for name in labelled if name not in known]:
        raise ValueError(
            f"The table has cells of {listed(known)}, but none of {listed(strange)}: give the labels the name that the "
            f'table has for them, such as layer="{known[0]}".'
        )


def _measured(pictures: Sequence[Picture], texture: bool, picture_size: int) -> CellTable:
    labelled = [picture for picture in pictures if picture.labels is not None]
    if not labelled:
        raise ValueError(
            "There are no cells yet: give explore() a table, or the labels of an image, in which it measures them."
        )
    tables = []
    for picture in labelled:
        channels: dict[str, Any] = {}
        for name, channel in picture.channels.items():
            image = pyramid(channel.image)[0]
            channels |= {name: image} if channel.colour is not None else by_colour(name, image)
        tables.append(
            measure(
                pyramid(picture.labels)[0],
                channels,
                layer=picture.name,
                has_frames=picture.has_frames,
                spacing=picture.scale,
                unit=picture.unit,
                texture=texture,
                picture_size=picture_size,
            )
        )
    return CellTable.pool(tables)
