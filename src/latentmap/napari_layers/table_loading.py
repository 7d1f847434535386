"""Tables from files, matched with the layers that hold their cells."""

import os
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.layers import completed, layer_features, scales
from latentmap.napari_layers.source import COLOURS_KEY, Source
from latentmap.table import KEY, CellTable, keep_rows_in_image, keys_in_image, read_table
from latentmap.table.cells import listed
from latentmap.table.files.key_candidates import KeyColumn, key_choices, rows_of
from latentmap.table.image_keys import assign_to_layer
from latentmap.table.key_columns import KeyMissing

# Stands, in keys and messages, for the layer of rows that do not name one, if several layers are ticked.
_NAMELESS = "several layers"

SHOWN = 5
"""The number of rows that the user sees when asked to choose a column."""


class KeyColumnWanted(ValueError):
    """The cells of a table are not in the layers, or not identified, but one of its columns may identify them.

    Attributes
    ----------
    reason : str
        What is wrong with the table, without advice.
    choices : list of KeyColumn
        At least one, the likeliest first.
    repeated : list of str
        Columns that would fit if their numbers were unique.
    rows : pandas.DataFrame
        The first rows of the table.
    """

    def __init__(self, error: ValueError, choices: list[KeyColumn], repeated: list[str], rows: pd.DataFrame) -> None:
        super().__init__(str(error))
        self.reason = error.reason if isinstance(error, KeyMissing) else str(error)
        self.choices, self.repeated, self.rows = choices, repeated, rows


class _Pixels(NamedTuple):
    """The labels in which to look for cells, as of when the user asked."""

    name: str
    labels: Any
    has_frames: bool


def loading(
    path: str | os.PathLike[str], sources: Sequence[Source], *, time_first: bool, key_column: str | None = None
) -> Generator[None, None, CellTable]:
    """Read a table, and keep the rows of cells in these layers; the generator may run in any thread.

    Parameters
    ----------
    path : path-like
        CSV, TSV, Excel, Parquet or AnnData.
    sources : sequence of Source
        If there is only one, it gets all rows of a table that does not name layers.
    time_first : bool
        Whether the first axis of labels is time, if neither the layer nor the table says so.
    key_column : str, optional
        The column with the cells' numbers, if the user has chosen one.

    Returns
    -------
    CellTable
        Notes say which rows were left out, and which cells have no row.

    Raises
    ------
    ValueError
        If the table cannot be read, does not identify its cells, or has other cells; a `KeyColumnWanted` if one of its
        columns could identify them.
    """
    # The layers are read at once, in the main thread.
    rest = [source.keys() for source in sources if not isinstance(source, LabelsSource)]
    pixels = [_pixels(source, time_first) for source in sources if isinstance(source, LabelsSource)]
    return _loading(Path(path), [source.name for source in sources], pixels, rest, key_column)


def _pixels(source: LabelsSource, time_first: bool) -> _Pixels:
    labels = scales(source.layer)[0]
    if isinstance(labels, np.ndarray):
        labels = labels.copy()  # the user may keep painting
    return _Pixels(source.name, labels, source.has_frames or (time_first and source.layer.ndim > 2))


def _loading(
    path: Path, names: list[str], pixels: list[_Pixels], rest: list[pd.MultiIndex], key_column: str | None
) -> Generator[None, None, CellTable]:
    layer = names[0] if len(names) == 1 else _NAMELESS
    present: pd.MultiIndex | None = None
    try:
        cells = read_table(path, layer=layer, columns={} if key_column is None else {"label": key_column})
        # A layer may have been renamed since its table was saved.
        renamed = assign_to_layer(cells, names[0]) if len(names) == 1 else None
        keys = (renamed or cells).features.index
        if _NAMELESS not in keys.get_level_values("layer"):
            yield
            present = yield from _keys_in_layers(pixels, rest, keys)
            return keep_rows_in_image(renamed if renamed is not None and keys.isin(present).all() else cells, present)
    except ValueError as error:
        if key_column is None and path.exists():
            yield from _offer_key_columns(error, path, layer, pixels, rest, present)
        raise
    raise ValueError(
        f"{listed(names)} are ticked, but not every row of the table says which of these layers it belongs to. Tick "
        'only one layer, or add a column "layer".'
    )


def _offer_key_columns(
    error: ValueError,
    path: Path,
    layer: str,
    pixels: list[_Pixels],
    rest: list[pd.MultiIndex],
    present: pd.MultiIndex | None,
) -> Generator[None, None, None]:
    """Raise `KeyColumnWanted` if there are columns to choose from."""
    rows = rows_of(path)
    if present is None:
        frames = pd.to_numeric(rows["frame"], errors="coerce") if "frame" in rows else pd.Series(0, rows.index)
        layers = rows["layer"].astype(str) if "layer" in rows else pd.Series(layer, rows.index)
        present = yield from _keys_in_layers(pixels, rest, pd.MultiIndex.from_arrays([layers, frames], names=KEY[:2]))
    choices, repeated = key_choices(rows, present, layer=layer)
    if choices:
        raise KeyColumnWanted(error, choices, repeated, rows.head(SHOWN))


def _keys_in_layers(
    pixels: list[_Pixels], rest: list[pd.MultiIndex], keys: pd.Index
) -> Generator[None, None, pd.MultiIndex]:
    """The keys of the cells in the layers, by frame if the layer or the table has frames."""
    present = list(rest)
    for one in pixels:
        frames = keys.get_level_values("frame")[keys.get_level_values("layer") == one.name]
        has_frames = one.has_frames or (np.ndim(one.labels) > 2 and bool((frames > 0).any()))
        present.append(keys_in_image(one.labels, layer=one.name, has_frames=has_frames))
        yield
    first, *others = present
    return first.append(others) if others else first


def load_rows(cells: CellTable, sources: Sequence[Source]) -> list[str]:
    """Write the rows that `loading` has returned to the features of their layers.

    Returns
    -------
    list of str
        Sentences for the user on what was left out or replaced.
    """
    notes = list(cells.notes)
    for source in sources:
        own = cells.features[cells.features.index.get_level_values("layer") == source.name]
        if not len(own):
            notes.append(f'No row belongs to a cell of "{source.layer.name}".')
            continue
        if cells.colours:
            # Before the features, whose change has the table read.
            source.layer.metadata[COLOURS_KEY] = {**source.layer.metadata.get(COLOURS_KEY, {}), **cells.colours}
        if isinstance(source, LabelsSource):
            both = completed(CellTable(own), source.layer.features, layer=source.name, keep_rows=True)
            has_frames = bool((own.index.get_level_values("frame") > 0).any()) or source.has_frames
            source.layer.features = layer_features(both, has_frames=has_frames and source.layer.ndim > 2)
            notes += both.notes
        else:
            # One row for each point, time point or shape, however many rows the table has.
            found = own.reindex(source.keys()).reset_index(drop=True)
            known = source.layer.features.reset_index(drop=True)
            replaced = [str(name) for name in found if name in known]
            source.layer.features = pd.concat([known.drop(columns=replaced), found], axis=1)
            notes += [f"Replaced: {listed(replaced)}."] if replaced else []
    return notes
