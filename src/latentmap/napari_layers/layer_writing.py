"""Writing maps and classes to napari's layers."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
from napari.layers import Labels
from napari.utils.colormaps import DirectLabelColormap

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.layers import scales
from latentmap.napari_layers.source import Source
from latentmap.napari_layers.spatialdata_layers import write_back
from latentmap.presenters.class_labels import ClassImage, LabelsImage, class_images
from latentmap.presenters.saving import failure
from latentmap.session import Run, Session
from latentmap.session.classes import CLASS_COLUMN
from latentmap.session.provenance import class_column
from latentmap.table.mappable import left_of_a_map
from latentmap.table.same_rows import other_values
from latentmap.table.wording import counted

COLUMNS_KEY, CLASSES_KEY = "latentmap_columns", "latentmap_classes"
"""Entries of a layer's metadata: the columns of a map and the names of classes that were written last."""


def write_to_layers(sources: Sequence[Source], session: Session, run: Run) -> list[str]:
    """Write a map into the features of the cells' layers, and into the SpatialData that these are of.

    Returns
    -------
    list of str
        Sentences for the user; the last one may say why the SpatialData was not written.
    """
    if not sources:
        return ["No layer of these cells is open, so nothing is written."]
    told = write_features(session, run, sources)
    try:
        layers, names = [source.layer for source in sources], [source.name for source in sources]
        told += write_back(layers, names, session.map_table(run))
    except (ValueError, OSError) as error:
        told.append(failure("The SpatialData", error))
    return told


def write_features(session: Session, run: Run, sources: Sequence[Source]) -> list[str]:
    """Add coordinates and variances of a run's map, and classes, to the features of the cells' layers.

    Returns
    -------
    list of str
        A sentence for each layer; none if the run has no result.
    """
    told: list[str] = []
    result = run.result
    if result is None:
        return told
    columns = result.columns
    keys = result.cells.features.index
    for source in sources:
        try:
            own = source.keys()
        except ValueError as error:
            told.append(f"{error} Nothing is written there.")
            continue
        numbers = session.cell_index.numbers_of(own)
        numbers[session.dropped.is_dropped(numbers)] = -1  # as in tables, which are saved without these
        rows = np.where(numbers >= 0, keys.get_indexer(own), -1)
        found = rows >= 0
        features = _without_map(source, run.parameters["features"])
        said = [
            f'The features of "{source.layer.name}" now have the coordinates of {counted(int(found.sum()), "cell")}.'
        ]
        said += [] if found.all() else [f"Not on the map: {counted(int((~found).sum()), 'cell')}."]
        said += other_values(source.table().features, result.cells.features[list(run.parameters["features"])])
        said += _write_columns(source, features, columns, rows)
        said += _write_classes(session, run, source, features, numbers)
        source.layer.features = features
        told.append(" ".join(said))
    return told


def _write_classes(
    session: Session, run: Run, source: Source, features: pd.DataFrame, numbers: np.ndarray
) -> list[str]:
    """Write the names of classes into a column that is not the layer's own; say so if that is not ``class``."""
    names, written = session.classes.names, source.layer.metadata.get(CLASSES_KEY, ())
    column = class_column(features, {"", *names, *written}, run.parameters["features"])
    # Without any class, only what was written before is cleared.
    if names or column in features:
        features[column] = session.classes.names_of(numbers).astype(str)
        source.layer.metadata[CLASSES_KEY] = names
        if column != CLASS_COLUMN:
            return [f'The classes are in the column "{column}": "{CLASS_COLUMN}" is a column of the layer\'s own.']
    return []


def write_positions(source: Source, new: pd.DataFrame, features_of_map: Collection[str]) -> list[str]:
    """Add the coordinates of cells placed on another layer's map to the features of their own layer.

    Parameters
    ----------
    source : Source
        The cells' layer.
    new : pandas.DataFrame
        Columns such as ``map_1`` and ``variance``, indexed by the cells' keys.
    features_of_map : collection of str
        The features that the map was made from. If ``variance`` is one of them, that column was measured.

    Returns
    -------
    list of str
        Sentences on columns that were not written.
    """
    features = _without_map(source, features_of_map)
    columns = {str(name): values.to_numpy() for name, values in new.items()}
    told = _write_columns(source, features, columns, new.index.get_indexer(source.keys()))
    source.layer.features = features
    return told


def add_columns(source: Source, columns: pd.DataFrame, gone: Sequence[str] = ()) -> None:
    """Add columns, indexed by the cells' keys, to the features of a layer, and take out those that have gone."""
    rows = columns.index.get_indexer(source.keys())
    features = source.layer.features.drop(columns=list(gone), errors="ignore")
    for name, values in columns.items():
        features[name] = np.where(rows >= 0, values.to_numpy(dtype=float)[rows], np.nan)
    source.layer.features = features


def _without_map(source: Source, features_of_map: Collection[str]) -> pd.DataFrame:
    """A copy of the features of a layer without the columns of an earlier map."""
    features: pd.DataFrame = source.layer.features
    left = set(source.layer.metadata.get(COLUMNS_KEY, left_of_a_map(features))) - set(features_of_map)
    return features.drop(columns=[*left], errors="ignore") if "map_1" in features else features.copy()


def _write_columns(
    source: Source, features: pd.DataFrame, columns: Mapping[str, np.ndarray], rows: np.ndarray
) -> list[str]:
    """Write the columns of a map, NaN where the row is -1; say which are not written, as the layer has its own."""
    own = [name for name in columns if name in features]
    new = {name: np.where(rows >= 0, values[rows], np.nan) for name, values in columns.items() if name not in own}
    for name, values in new.items():
        features[name] = values
    source.layer.metadata[COLUMNS_KEY] = list(new)
    return [f'"{name}" is not written: it is a column of the layer\'s own.' for name in own]


def class_layers(session: Session, name: str, sources: Sequence[Source]) -> list[Labels]:
    """Make labels layers of a class, whose cells keep their labels, or of all classes, whose numbers they have.

    Parameters
    ----------
    session : Session
    name : str
        The name of the class, or `~latentmap.presenters.class_labels.ALL_CLASSES`.
    sources : sequence of Source
        The layers of cells; those that are not labels are skipped.

    Returns
    -------
    list of napari.layers.Labels
        One for each layer that has cells of the class; no viewer has them yet.

    Raises
    ------
    ValueError
        If there is no such class.
    """
    labelled = {source.name: source for source in sources if isinstance(source, LabelsSource)}
    images = [_labels_image(source) for source in labelled.values()]
    return [
        _class_layer(made, labelled[made.source.layer].layer, None if name else _colours(session))
        for made in class_images(session, name, images)
    ]


def _labels_image(source: LabelsSource) -> LabelsImage:
    return LabelsImage(source.name, source.layer.name, lambda: scales(source.layer)[0], source.has_frames)


def _class_layer(made: ClassImage, like: Labels, colours: DirectLabelColormap | None) -> Labels:
    placed = {each: getattr(like, each) for each in ("scale", "translate", "rotate", "shear", "affine", "units")}
    looks = {} if colours is None else {"colormap": colours}
    return Labels(made.pixels, name=made.title, **placed, **looks)


def _colours(session: Session) -> DirectLabelColormap:
    colours: dict[int | None, str] = {None: "transparent", 0: "transparent"}
    colours.update((number, one.colour) for number, one in enumerate(session.classes, start=1))
    return DirectLabelColormap(color_dict=colours)
