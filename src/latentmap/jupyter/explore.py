"""The functions that open the explorer in a notebook."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from latentmap.images.frames import rgb_channels
from latentmap.images.lazy_slice import is_lazy
from latentmap.jupyter.cell_inputs import opened, read_cells
from latentmap.jupyter.explorer import Explorer
from latentmap.jupyter.image_storage import stored_cells, stored_pictures
from latentmap.jupyter.labelled_image import LabelledImage, common_unit, pyramid
from latentmap.jupyter.napari_input import ViewerLayers, is_viewer
from latentmap.jupyter.origin import Origin, origin_of
from latentmap.measuring import measure, measure_blocks
from latentmap.session import SessionSnapshot, load
from latentmap.table import CellTable
from latentmap.table.cells import listed
from latentmap.table.files.spatialdata_io import is_spatialdata, labels_elements, without_counterpart
from latentmap.table.matching import with_mismatches

# Labels of up to so many bytes are copied.
_MOST_COPIED = 1 << 30
# What an image is called unless the user says so.
_CELLS = "cells"


def explore(
    data: Any = None,
    images: Any = None,
    labels: Any = None,
    *,
    layer: str = _CELLS,
    columns: Mapping[str, str] = MappingProxyType({}),
    has_frames: bool = False,
    scale: Sequence[float] | None = None,
    unit: str = "",
    texture: bool = False,
    picture_size: int = 0,
    use_rep: str = "",
) -> Explorer:
    """Show a map of cells in a notebook, next to their images if there are any, and tune it live.

    Parameters
    ----------
    data : DataFrame, ndarray, sparse array, AnnData, SpatialData, path-like or napari.Viewer, optional
        A table with one row per cell. Its column ``label`` says which cell of the labels a row describes; without
        labels the column may be missing, and the rows are numbered. By default, the cells are measured in `images`. An
        open napari viewer needs no other arguments: its layers are taken with their features, images and contrast,
        and followed when they change.
    images : array-like, mapping or sequence of these, path-like, or one or several LabelledImage, optional
        One channel, or several by name, of the same shape as the labels. They may be lazy (dask, zarr, memory maps),
        have several resolutions, or lie in a file; see `LabelledImage`. One axis more than the labels stands for
        channels or colours. For several fields of view, give several `LabelledImage`, each with its own labels.
    labels : array-like of int, sequence of these, or path-like, optional
        The number of the cell at each pixel; 0 is the background. Arrays of up to 1 GB are copied; larger ones must
        stay as they are while the widget is in use.
    layer : str
        The name of the image in the keys of its cells. Of an AnnData whose ``layers`` have this key it is, as in
        scanpy, what the map is made of, like `use_rep`.
    columns : mapping of str to str
        The columns that hold the parts of the key, if they have other names, such as ``{"label": "CellID"}``.
    has_frames : bool
        Whether the first axis of labels and images is time.
    scale : sequence of float, optional
        The distance between neighbouring pixels along each of the last axes, in `unit`.
    unit : str
        The unit of the scale, such as ``"µm"``.
    texture, picture_size
        What else to measure if there is no table; see :func:`~latentmap.measuring.measure`. With ``picture_size=16``
        the picture of a cell gives 256 features per channel, for methods that learn from pictures.
    use_rep : str
        What of an AnnData the map is made of: "X", a key of ``obsm`` such as ``"X_scVI"``, or of ``layers``. By default
        its columns or, of more than 500, ``X_pca`` where there is one. *Features from* offers the others.

    Returns
    -------
    Explorer
        The widget; a notebook shows it if it is the last line of a cell.

    Raises
    ------
    ValueError
        If there is nothing to show, the data do not say which cell a row describes, or shapes do not match.
    RuntimeError
        Outside a notebook.

    Examples
    --------
    In a notebook an event loop runs, here it has to be started:

    >>> import asyncio
    >>> from latentmap.samples.tissue import tissue
    >>> sample = tissue()
    >>> async def make_a_map():
    ...     shown = explore(sample.cells, {"tissue": sample.image}, sample.labels)
    ...     shown.session.parameters.features, shown.session.parameters.max_iter = ("area", "dab_mean"), 4
    ...     shown.embed()
    ...     await shown.finished()
    ...     table = shown.table()
    ...     shown.close()
    ...     return table
    >>> asyncio.run(make_a_map())[["layer", "frame", "label", "map_1", "map_2"]].shape
    (313, 5)
    """
    if is_viewer(data):
        return _explore_viewer(data, texture, picture_size)
    given, data = data, opened(data)
    if is_spatialdata(data) and images is None and labels is None:
        if scale is not None or has_frames:
            raise ValueError(
                "A SpatialData says by its transformations how large its pixels are, and has no time: leave out scale "
                "and has_frames, and set another size by spatialdata.transformations.set_transformation."
            )
        return _explore_spatialdata(given, data, layer, columns, unit, texture, picture_size, use_rep)
    if not use_rep and layer in getattr(data, "layers", ()):
        use_rep, layer = layer, _CELLS
    pictures = _pictures(images, labels, layer, has_frames, scale, unit)
    origin = None
    if data is None:
        cells = _measured(pictures, texture, picture_size)
    else:
        _check_not_asked(texture, picture_size)
        has_labels = any(one.labels is not None for one in pictures)
        cells = read_cells(data, layer=layer, columns=columns, has_labels=has_labels, use_rep=use_rep)
        origin = origin_of(given, data, cells, layer=layer, columns=columns, has_labels=has_labels)
        _check_names(cells, pictures)
        labelled = [one for one in pictures if one.labels is not None]
        cells = with_mismatches(cells, ((one.name, pyramid(one.labels), one.has_frames) for one in labelled))
        cells = replace(cells, notes=(*_taken_for_depth(cells, labelled), *cells.notes))
    return _made(cells, pictures, use_rep, origin)


def open_session(path: str | os.PathLike[str]) -> Explorer:
    """Open a session that was saved in a notebook or in napari.

    Parameters
    ----------
    path : path-like
        The file, which usually ends in ``.latentmap``.

    Returns
    -------
    Explorer
        The widget, with the maps, images, classes and selection of the session.

    Raises
    ------
    ValueError
        If the file is damaged, is not a session, was written by a newer version, or has neither a map nor labels with
        features.
    OSError
        If the file cannot be opened.
    RuntimeError
        Outside a notebook.

    Examples
    --------
    In a notebook an event loop runs, here it has to be started:

    >>> import asyncio
    >>> from tempfile import TemporaryDirectory
    >>> async def save_and_open(folder):
    ...     first = explore(labels=np.eye(20, dtype=int))
    ...     second = open_session(first.save(f"{folder}/cells.latentmap"))
    ...     names = [picture.name for picture in second.images.pane.pictures]
    ...     first.close()
    ...     second.close()
    ...     return names
    >>> with TemporaryDirectory() as folder:
    ...     asyncio.run(save_and_open(folder))
    ['cells']
    """
    stored = load(path)
    cells = _every_cell(stored)
    if cells is None:
        raise ValueError(f'"{Path(path).name}" has neither a map nor labels with features: there is nothing to show.')
    shown = Explorer(cells, stored_pictures(stored.layers))
    stored.restore(shown.session)
    return shown


def _every_cell(stored: SessionSnapshot) -> CellTable | None:
    """Return all cells of a session file.

    Any map, and so all of them, may lack cells, because it was made from a selection or cells were dropped. The largest
    table is taken whole (of equally large ones, that of the map shown), and the others add the cells that it lacks.
    """
    runs = [*stored.runs[stored.shown :], *stored.runs[: stored.shown]]
    tables = [*(run.table for run in runs), *filter(None, [stored_cells(stored.layers)])]
    if not tables:
        return None
    largest, *others = sorted(tables, key=lambda table: len(table.features), reverse=True)
    parts = [largest.features]
    # Runs on the same cells share one table.
    for features in {id(table.features): table.features for table in others}.values():
        lacking = ~np.any([features.index.isin(part.index) for part in parts], axis=0)
        if lacking.any():
            parts.append(features[lacking])
    # The notes of a table on cells left out do not hold for the pool.
    return largest if len(parts) == 1 else CellTable.pool([CellTable(part) for part in parts])


def _made(cells: CellTable, pictures: Sequence[LabelledImage], use_rep: str, origin: Origin | None) -> Explorer:
    shown = Explorer(cells, pictures, origin)
    if use_rep:
        try:
            shown.form.choice.choose_named(use_rep)
        except ValueError:
            shown.close()
            raise
    return shown


def _explore_spatialdata(
    given: Any,
    sdata: Any,
    layer: str,
    columns: Mapping[str, str],
    unit: str,
    texture: bool,
    picture_size: int,
    use_rep: str,
) -> Explorer:
    """Show the cells of its tables with the labels that they are of, or measure those where there is no table."""
    elements, notes = labels_elements(sdata)
    pictures = [
        LabelledImage(one.name, one.levels, cast(Any, one.channels), scale=one.scale, unit=unit if one.scale else "")
        for one in elements
    ]
    if not len(sdata.tables):
        cells = _measured(pictures, texture, picture_size)
    else:
        _check_not_asked(texture, picture_size)
        cells = read_cells(sdata, layer=layer, columns=columns, has_labels=bool(pictures), use_rep=use_rep)
        known = {*cells.features.index.unique("layer")}
        notes += without_counterpart(sdata, known)
        pictures = [one for one in pictures if one.name in known]
        cells = with_mismatches(cells, ((one.name, pyramid(one.labels), False) for one in pictures))
    origin = origin_of(given, sdata, cells, layer=layer, columns=columns) if len(sdata.tables) else None
    return _made(replace(cells, notes=(*cells.notes, *notes)), pictures, use_rep, origin)


def _explore_viewer(viewer: Any, texture: bool, picture_size: int) -> Explorer:
    layers = ViewerLayers(viewer)
    tables, pictures = layers.tables(), list(layers.pictures().values())
    known = {name for table in tables for name in table.features.index.unique("layer")}
    if unknown := [picture for picture in pictures if picture.name not in known]:
        tables.append(_measured(unknown, texture, picture_size))
    else:
        _check_not_asked(texture, picture_size)
    if not tables:
        raise ValueError(
            "The viewer has no layer with cells: open labels, or points with features, or pass a table to explore()."
        )
    shown = Explorer(CellTable.pool(tables), pictures)
    shown.follow(layers)
    return shown


def _pictures(
    images: Any, labels: Any, layer: str, has_frames: bool, scale: Sequence[float] | None, unit: str
) -> list[LabelledImage]:
    if isinstance(images, LabelledImage):
        given = [images]
    elif isinstance(images, Sequence) and images and all(isinstance(image, LabelledImage) for image in images):
        given = list(images)
    elif images is None and labels is None:
        given = []
    else:
        given = [LabelledImage(layer, labels, images, has_frames, None if scale is None else tuple(scale), unit)]
    return [replace(one, labels=_kept(one.labels)) for one in given]


def _kept(labels: Any) -> Any:
    """Labels that stay as they are while the notebook goes on with the arrays that it has given."""
    if labels is None:
        return None
    levels = [
        level.copy() if type(level) is np.ndarray and level.nbytes <= _MOST_COPIED else level
        for level in pyramid(labels)
    ]
    return levels if len(levels) > 1 else levels[0]


def _taken_for_depth(cells: CellTable, labelled: Sequence[LabelledImage]) -> list[str]:
    """Say which labels are taken for stacks although the table has their cells frame by frame."""
    index = cells.features.index
    films = {*index[index.get_level_values("frame") > 0].unique("layer")}
    return [
        f'The table tells frames of "{one.name}", but the first axis of its labels is taken for depth: if it is time, '
        "give has_frames=True."
        for one in labelled
        if one.is_3d and not one.has_frames and one.name in films
    ]


def _check_not_asked(texture: bool, picture_size: int) -> None:
    if texture or picture_size:
        raise ValueError(
            "texture and picture_size say what to measure if there is no table, but all cells have one: leave them "
            "out, or measure the cells by latentmap.measuring.measure and pass the result to explore()."
        )


def _check_names(cells: CellTable, pictures: Sequence[LabelledImage]) -> None:
    """Refuse labels that are named unlike the cells' layers, because they would show no cell."""
    labelled = [picture.name for picture in pictures if picture.labels is not None]
    known = list(cells.features.index.unique("layer"))
    if unknown := [name for name in labelled if name not in known]:
        raise ValueError(
            f"The table has cells from {listed(known)}, but none from {listed(unknown)}: give the labels the name that "
            f'the table uses, such as layer="{known[0]}".'
        )


def _measured(pictures: Sequence[LabelledImage], texture: bool, picture_size: int) -> CellTable:
    labelled = [picture for picture in pictures if picture.labels is not None]
    if not labelled:
        raise ValueError(
            "There are no cells yet: pass explore() a table, or the labels of an image, so that it can measure them."
        )
    common_unit(labelled)
    tables = []
    for picture in labelled:
        channels: dict[str, Any] = {}
        for name, channel in picture.channels.items():
            image = pyramid(channel.image)[0]
            channels |= {name: image} if channel.colour is not None else rgb_channels(name, image)
        labels = pyramid(picture.labels)[0]
        measuring = measure_blocks if is_lazy(labels) else measure
        tables.append(
            measuring(
                labels,
                channels,
                layer=picture.name,
                has_frames=picture.has_frames,
                spacing=picture.scale,
                unit=picture.unit if picture.scale is not None else "",
                texture=texture,
                picture_size=picture_size,
            )
        )
    return CellTable.pool(tables)
