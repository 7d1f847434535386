"""Tables from files, brought to the layers whose cells they are of."""

import os
from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentmap.napari_plugin.cell_layers.labels_source import LabelsSource
from latentmap.napari_plugin.cell_layers.layers import completed, layer_features, scales
from latentmap.napari_plugin.cell_layers.source import Source
from latentmap.table import CellTable, join, present_keys, read_table
from latentmap.table.cells import listed
from latentmap.table.present import as_layer

# What the keys call the layer of rows that name none, and sentences the table's layers.
_NAMELESS = "several layers"


class _Pixels(NamedTuple):
    """The labels whose cells are to be found, as they were when the user asked."""

    name: str
    labels: Any
    has_frames: bool


def loading(
    path: str | os.PathLike[str], sources: Sequence[Source], *, time_first: bool
) -> Generator[None, None, CellTable]:
    """Read a table, and keep the rows that belong to cells of layers; in any thread.

    Parameters
    ----------
    path : path-like
        CSV, TSV, Parquet or AnnData.
    sources : sequence of Source
        Of one layer, all rows of a table that names no layers are.
    time_first : bool
        Whether the first axis of labels is time, where neither the layer nor the table tells.

    Returns
    -------
    CellTable
        Notes say which rows were left out, and which cells have no row.

    Raises
    ------
    ValueError
        If the table cannot be read, does not say which cells its rows are, or is of other cells.
    """
    # What the layers hold is asked for here, in the thread of the window.
    rest = [source.keys() for source in sources if not isinstance(source, LabelsSource)]
    pixels = [_pixels(source, time_first) for source in sources if isinstance(source, LabelsSource)]
    return _loading(path, [source.name for source in sources], pixels, rest)


def _pixels(source: LabelsSource, time_first: bool) -> _Pixels:
    labels = scales(source.layer)[0]
    if isinstance(labels, np.ndarray):
        labels = labels.copy()  # the user may paint on
    return _Pixels(source.name, labels, source.has_frames or (time_first and source.layer.ndim > 2))


def _loading(
    path: str | os.PathLike[str], names: list[str], pixels: list[_Pixels], rest: list[pd.MultiIndex]
) -> Generator[None, None, CellTable]:
    cells = read_table(path, layer=names[0] if len(names) == 1 else _NAMELESS)
    # A layer may have been renamed since its table was saved.
    renamed = as_layer(cells, names[0]) if len(names) == 1 else None
    keys = (renamed or cells).features.index
    if _NAMELESS in keys.get_level_values("layer"):
        raise ValueError(
            f'{listed(names)} are ticked, but not all rows of the table say in a column "layer" to which of these they '
            "belong. Tick one layer only, or add that column."
        )
    yield
    present = list(rest)
    for one in pixels:
        frames = keys.get_level_values("frame")[keys.get_level_values("layer") == one.name]
        has_frames = one.has_frames or (np.ndim(one.labels) > 2 and bool((frames > 0).any()))
        present.append(present_keys(one.labels, layer=one.name, has_frames=has_frames))
        yield
    first, *others = present
    if renamed is not None and keys.isin(first).all():
        return join(renamed, first)
    return join(cells, first.append(others) if others else first)


def load_rows(cells: CellTable, sources: Sequence[Source]) -> list[str]:
    """Write the rows of a table to the features of the layers that they belong to.

    Parameters
    ----------
    cells : CellTable
        What :func:`loading` returns.
    sources : sequence of Source

    Returns
    -------
    list of str
        Sentences for the user: what was left out or replaced.
    """
    notes = list(cells.notes)
    for source in sources:
        own = cells.features[cells.features.index.get_level_values("layer") == source.name]
        if not len(own):
            notes.append(f'No row is of a cell of "{source.layer.name}".')
        elif isinstance(source, LabelsSource):
            both = completed(CellTable(own), source.layer.features, layer=source.name, keep_rows=True)
            has_frames = bool((own.index.get_level_values("frame") > 0).any()) or source.has_frames
            source.layer.features = layer_features(both, has_frames=has_frames and source.layer.ndim > 2)
            notes += both.notes
        else:
            # One row for each point, step or shape, whatever the table says.
            found = own.reindex(source.keys()).reset_index(drop=True)
            known = source.layer.features.reset_index(drop=True)
            replaced = [str(name) for name in found if name in known]
            source.layer.features = pd.concat([known.drop(columns=replaced), found], axis=1)
            notes += [f"Replaced: {listed(replaced)}."] if replaced else []
    return notes
