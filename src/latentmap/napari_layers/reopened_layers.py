"""Layers that the user has opened for a session whose file does not have them."""

from collections.abc import Collection, Generator, Iterable, Sequence

import pandas as pd
from napari.layers import Labels, Layer

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.layers import layer_features, scales
from latentmap.napari_layers.source import OWNED_KEY, Source
from latentmap.table import CellTable
from latentmap.table.matching import is_mismatch, mismatch


def give_features(layers: Iterable[Layer], tables: Sequence[CellTable], known: Collection[Layer]) -> None:
    """Give labels layers without features those that the cells of their name have in a session.

    They say, too, whether the first axis is time: without them the cells of a film would be taken for those of frame 0.

    Parameters
    ----------
    layers : iterable of napari.layers.Layer
        All layers of the viewer.
    tables : sequence of CellTable
        The tables of the session's maps.
    known : collection of napari.layers.Layer
        The layers that came with the session.
    """
    for layer in layers:
        if isinstance(layer, Labels) and layer not in known and OWNED_KEY not in layer.metadata:
            own = _largest(tables, layer.name)
            if layer.features.empty and own is not None:
                layer.features = layer_features(CellTable(own))


def comparing(
    sources: Iterable[Source], tables: Sequence[CellTable], known: Collection[Layer]
) -> Generator[None, None, list[str]]:
    """Say which labels layers lack cells of a session, in any thread: they may be those of another image.

    Parameters
    ----------
    sources : iterable of Source
        The linked layers.
    tables, known
        As for `give_features`.

    Returns
    -------
    list of str
        A sentence for each.
    """
    told = []
    for source in sources:
        rows = _largest(tables, source.name)
        if isinstance(source, LabelsSource) and source.layer not in known and rows is not None:
            yield
            note = mismatch(rows.index, scales(source.layer), layer=source.name, has_frames=source.has_frames)
            if is_mismatch(note):
                told.append(f"{note} Look at it: is it the image of this session?")
    return told


def _largest(tables: Sequence[CellTable], layer: str) -> pd.DataFrame | None:
    """The features of a layer's cells, in the table that has most of them."""
    found = [one.features[one.features.index.get_level_values("layer") == layer] for one in tables]
    largest = max(found, key=len, default=None)
    return largest if largest is not None and len(largest) else None
