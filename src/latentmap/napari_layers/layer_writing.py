"""Writing maps and classes to napari's layers."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from napari.layers import Labels

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.layers import scales
from latentmap.napari_layers.source import Source
from latentmap.session import Run, Session
from latentmap.session.embedding import VARIANCE_COLUMN, map_columns
from latentmap.table.wording import counted


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
    columns = map_columns(result.embedding, result.variances)
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
    """A copy without the variances that an earlier map has left."""
    is_left = "map_1" in features and VARIANCE_COLUMN not in features_of_map
    return features.drop(columns=VARIANCE_COLUMN, errors="ignore") if is_left else features.copy()


def class_layers(session: Session, name: str, sources: Sequence[Source]) -> list[Labels]:
    """Make labels layers with the cells of a class, which keep their labels.

    Parameters
    ----------
    session : Session
    name : str
        The name of the class.
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
    members = session.cell_index.keys(session.classes.members(name))
    made = []
    for source in sources:
        own = members[members.get_level_values("layer") == source.name]
        if isinstance(source, LabelsSource) and len(own):
            frames, labels = (own.get_level_values(part).to_numpy() for part in ("frame", "label"))
            made.append(_labels_of(source, frames, labels, f"{name} of {source.layer.name}"))
    return made


def _labels_of(source: LabelsSource, frames: np.ndarray, labels: np.ndarray, name: str) -> Labels:
    data: Any = scales(source.layer)[0]
    pixels = np.array(data)
    if source.has_frames:
        for frame in range(len(pixels)):
            pixels[frame][~np.isin(pixels[frame], labels[frames == frame])] = 0
    else:
        pixels[~np.isin(pixels, labels)] = 0
    layer = source.layer
    placed = {each: getattr(layer, each) for each in ("scale", "translate", "rotate", "shear", "affine", "units")}
    return Labels(pixels, name=name, **placed)
