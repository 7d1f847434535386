"""Writing maps and classes to napari's layers."""

from collections.abc import Collection, Sequence

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
from latentmap.session.result import FOUND_COLUMNS
from latentmap.table.wording import counted


def write_to_layers(sources: Sequence[Source], session: Session, run: Run) -> list[str]:
    """Write a map into the features of the cells' layers, and into the SpatialData that these are of.

    Returns
    -------
    list of str
        Sentences for the user; the last one may say why the SpatialData was not written.
    """
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
        rows = keys.get_indexer(source.keys())
        found = rows >= 0
        features = _without_variance(source.layer.features, run.parameters["features"])
        for name, values in columns.items():
            features[name] = np.where(found, values[rows], np.nan)
        numbers = session.cell_index.numbers_of(source.keys())
        features["class"] = np.where(numbers >= 0, session.classes.names_of(numbers), "").astype(str)
        source.layer.features = features
        said = f'The features of "{source.layer.name}" now have the coordinates of {counted(int(found.sum()), "cell")}.'
        told.append(said if found.all() else f"{said} Not on the map: {counted(int((~found).sum()), 'cell')}.")
    return told


def write_positions(source: Source, new: pd.DataFrame, features_of_map: Collection[str]) -> None:
    """Add the coordinates of cells placed on another layer's map to the features of their own layer.

    Parameters
    ----------
    source : Source
        The cells' layer.
    new : pandas.DataFrame
        Columns such as ``map_1`` and ``variance``, indexed by the cells' keys.
    features_of_map : collection of str
        The features that the map was made from. If ``variance`` is one of them, that column was measured.
    """
    rows = new.index.get_indexer(source.keys())
    features = _without_variance(source.layer.features, features_of_map)
    for name, values in new.items():
        features[name] = np.where(rows >= 0, values.to_numpy()[rows], np.nan)
    source.layer.features = features


def add_columns(source: Source, columns: pd.DataFrame) -> None:
    """Add columns, indexed by the cells' keys, to the features of a layer."""
    rows = columns.index.get_indexer(source.keys())
    features = source.layer.features.copy()
    for name, values in columns.items():
        features[name] = np.where(rows >= 0, values.to_numpy(dtype=float)[rows], np.nan)
    source.layer.features = features


def _without_variance(features: pd.DataFrame, features_of_map: Collection[str]) -> pd.DataFrame:
    """A copy without what an earlier map has left beside its coordinates."""
    of_map = [name for name in FOUND_COLUMNS if name not in features_of_map]
    return features.drop(columns=of_map, errors="ignore") if "map_1" in features else features.copy()


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
