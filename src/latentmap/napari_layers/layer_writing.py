"""What the session knows of cells, written to napari's layers."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from napari.layers import Labels

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.layers import scales
from latentmap.napari_layers.source import Source
from latentmap.session import Run, Session
from latentmap.session.run import VARIANCE_COLUMN, map_columns


def write_features(session: Session, run: Run, sources: Sequence[Source]) -> list[str]:
    """Write coordinates, variances and classes into the features of the layers that the cells come from.

    Parameters
    ----------
    session : Session
    run : Run
        Whose map it is.
    sources : sequence of Source

    Returns
    -------
    list of str
        A sentence for each layer.
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
        numbers = session.register.find(source.keys())
        features["class"] = np.where(numbers >= 0, session.classes.names_of(numbers), "").astype(str)
        source.layer.features = features
        without = f"; {int((~found).sum())} are not on the map and have none" if not found.all() else ""
        told.append(f'{int(found.sum())} cells of "{source.layer.name}" have their coordinates now{without}.')
    return told


def write_places(source: Source, new: pd.DataFrame, features_of_map: Collection[str]) -> None:
    """Write the places of cells that lie on another layer's map into the features of their own.

    Parameters
    ----------
    source : Source
        The cells' layer.
    new : pandas.DataFrame
        Columns such as ``map_1`` and ``variance``, under the cells' keys.
    features_of_map : collection of str
        What shaped the map; a column ``variance`` among it is none of a map's.
    """
    rows = new.index.get_indexer(source.keys())
    features = _without_variance(source.layer.features, features_of_map)
    for name, values in new.items():
        features[name] = np.where(rows >= 0, values.to_numpy()[rows], np.nan)
    source.layer.features = features


def _without_variance(features: pd.DataFrame, features_of_map: Collection[str]) -> pd.DataFrame:
    """A copy without the variance left by another map."""
    is_left = "map_1" in features and VARIANCE_COLUMN not in features_of_map
    return features.drop(columns=VARIANCE_COLUMN, errors="ignore") if is_left else features.copy()


def class_layers(session: Session, name: str, sources: Sequence[Source]) -> list[Labels]:
    """Make labels layers of the cells of a class; they keep their numbers.

    Parameters
    ----------
    session : Session
    name : str
        The class's.
    sources : sequence of Source
        Where the cells come from; of those that are no labels nothing is made.

    Returns
    -------
    list of napari.layers.Labels
        One for each layer that has cells of the class, to be added to a viewer.

    Raises
    ------
    ValueError
        If there is no such class.
    """
    members = session.register.keys(session.classes.members(name))
    made = []
    for source in sources:
        own = members[members.get_level_values("layer") == source.name]
        if isinstance(source, LabelsSource) and len(own):
            frames, labels = (own.get_level_values(part).to_numpy() for part in ("frame", "label"))
            made.append(_only(source, frames, labels, f"{name} of {source.layer.name}"))
    return made


def _only(source: LabelsSource, frames: np.ndarray, labels: np.ndarray, name: str) -> Labels:
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
