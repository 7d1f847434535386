"""The table of cells: one row per cell, under a key that is never guessed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from types import MappingProxyType

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype, is_numeric_dtype

from latentmap.table.identifiers import is_identifier, is_time
from latentmap.table.key_columns import KeyMissing, label_candidates
from latentmap.table.mappable import Columns, numeric, sort_columns
from latentmap.table.plain_columns import lists_in, plain_columns
from latentmap.table.plain_tables import plain_rows
from latentmap.table.whole_numbers import whole_numbers
from latentmap.table.wording import counted
from latentmap.table.wording import listed as listed

KEY = ("layer", "frame", "label")
"""The names of the parts of a key."""

Key = tuple[str, int, int]
"""What identifies a cell: its labels layer, its frame (0 without a time axis), and its number in the labels."""

# What CosMx calls the number of a cell, and beside it that of its field of view.
_OF_COSMX = ("cell_ID", "fov")
# Of how many columns pairs are tried, in search of what tells cells of the same number apart.
_MOST_TOGETHER = 8


@dataclass(frozen=True, eq=False)
class CellTable:
    """Cells and their features, one row per cell, under explicit keys.

    Make one with `CellTable.read`, which checks the keys.

    Attributes
    ----------
    features : pandas.DataFrame, shape (n_cells, n_columns)
        The features. The index holds the keys (layer, frame, label).
    notes : tuple of str
        Sentences for the user: which rows were left out so far, and why.
    colours : mapping of str to mapping of str to str
        Colours that the table gives the groups of a column, as ``#rrggbb`` by column and group.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = CellTable.read(pd.DataFrame({"label": [3, 7, 1000], "area": [40.0, 52.0, 61.0]}), layer="nuclei")
    >>> cells.keys[2]
    ('nuclei', 0, 1000)
    >>> cells.numeric
    ['area']
    """

    features: pd.DataFrame
    notes: tuple[str, ...] = ()
    colours: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, rows: pd.DataFrame, *, layer: str, columns: Mapping[str, str] = MappingProxyType({})) -> "CellTable":
        """Read a table in which each row names its cell, such as napari's ``layer.features``.

        Parameters
        ----------
        rows : pandas.DataFrame
            A column ``label`` (or, as in napari, ``index``) holds each cell's number in the labels image, and the
            columns ``frame`` and ``layer`` its frame and layer, if there is more than one. All other columns are
            features. An index that names the rows becomes a column, under its own name or as ``cell_name``.
        layer : str
            The layer of rows that do not name one.
        columns : mapping of str to str
            The columns that hold parts of the key under other names: ``{"label": "CellID"}``.

        Returns
        -------
        CellTable
            Rows of label 0, the background, are left out, and a note says so.

        Raises
        ------
        ValueError
            If there is no column of labels or no row, a key is missing or not a whole number, or two rows share a key
            or two columns a name.
        """
        rows = plain_rows(rows)
        if absent := [name for name in columns.values() if name not in rows]:
            raise ValueError(f'The table of "{layer}" has no column {listed(absent)}.')
        label = columns.get("label") or next((name for name in ("label", "index") if name in rows), None)
        if label is None:
            likely, reason = label_candidates(rows), f'The table of "{layer}" does not say which cell a row belongs to'
            raise KeyMissing(
                f'{reason}: add a column "label" with the cell\'s number in the labels image, or measure the cells '
                "again." + (f" These columns hold whole numbers: {listed(likely)}." if likely else ""),
                likely,
                f"{reason}.",
            )
        frame, source = columns.get("frame", "frame"), columns.get("layer", "layer")
        frames = whole_numbers(rows[frame], layer) if frame in rows else np.zeros(len(rows), dtype=np.int64)
        layers = _named(rows[source], layer) if source in rows else np.full(len(rows), layer, dtype=object)
        try:
            labels = whole_numbers(rows[label], layer)
        except ValueError as error:
            raise KeyMissing(str(error), tuple(name for name in label_candidates(rows) if name != label)) from error
        keys = pd.MultiIndex.from_arrays([layers, frames, labels], names=KEY)
        features = rows.drop(columns=["index", *KEY, *columns.values()], errors="ignore").set_axis(keys)
        lists = lists_in(features)
        features = features.drop(columns=lists)

        background = keys.get_level_values("label") == 0
        features = features[~background]
        if not len(features):
            raise ValueError(f'The table of "{layer}" holds no cell: measure the cells first.')
        repeated = features.index[features.index.duplicated()].unique()
        if len(repeated):
            _, at, number = repeated[0]
            have = "has" if len(repeated) == 1 else "have"
            of_column = "" if label == "label" else f' (from the column "{label}")'
            raise ValueError(
                f'In the table of "{layer}" {counted(len(repeated), "cell")} {have} more than one row, for instance '
                f"label {number} in frame {at}{of_column}: keep one row a cell, or tell them apart by a column "
                f'"frame" or "layer".{_telling_apart(features)}'
            )
        which = "which holds" if len(lists) == 1 else "which hold"
        notes = [f"Left out: {listed(lists)}, {which} lists or the like, no numbers or words."] if lists else []
        if background.any():
            notes += _of_background(keys, label, rows)
        unused = [name for name in ("index", *KEY) if name in rows and name not in {label, frame, source}]
        # Words say something else of the cell: barcodes, or what somebody has called it.
        words = [name for name in unused if not is_numeric_dtype(rows[name])]
        for name in words:
            kept = next(new for new in (f"{name}_1", f"{name}_2", f"{name} beside {label}") if new not in features)
            features = features.assign(**{kept: rows[name].to_numpy()[~background]})
            notes.append(f'Column "{name}" is called "{kept}" here, because "{label}" says which cell a row is.')
        if numbers := [name for name in unused if name not in words]:
            notes.append(f"Left out, because other columns say which cell a row is: {listed(numbers)}.")
        return cls(plain_columns(features), tuple(notes))

    @classmethod
    def pool(cls, tables: Sequence["CellTable"]) -> "CellTable":
        """Put the cells of several layers into one table.

        Parameters
        ----------
        tables : sequence of CellTable
            At least one. No two tables may share a key.

        Returns
        -------
        CellTable
            Where a layer lacks a feature, its cells have no value there, and a note says so.

        Examples
        --------
        >>> import pandas as pd
        >>> a = CellTable.read(pd.DataFrame({"label": [1], "area": [4.0], "DNA": [7.0]}), layer="a")
        >>> b = CellTable.read(pd.DataFrame({"label": [1], "area": [5.0]}), layer="b")
        >>> pooled = CellTable.pool([a, b])
        >>> pooled.keys, pooled.notes
        ([('a', 0, 1), ('b', 0, 1)], ('Not in every layer: "DNA".',))
        """
        if len(tables) == 1:
            return tables[0]
        features = pd.concat([table.features for table in tables])
        times = Counter(note for table in tables for note in table.notes)
        notes = [note if n == 1 else f"In {n} layers: {note}" for note, n in times.items()]
        if partial := [str(name) for name in features if not all(name in table.features for table in tables)]:
            notes.append(f"Not in every layer: {listed(partial)}.")
        colours = {column: groups for table in tables for column, groups in table.colours.items()}
        return cls(features, tuple(notes), colours)

    @property
    def keys(self) -> list[Key]:
        """The cells' keys, row by row."""
        return list(self.features.index)

    @property
    def numeric(self) -> list[str]:
        """The names of the features that are numbers."""
        return numeric(self.features)

    @property
    def mappable(self) -> list[str]:
        """The names of the features that a map of these cells can be made of: finite numbers in every layer.

        Coordinates and variances of an earlier map are not among them: that would be a map of a map.

        Examples
        --------
        >>> import pandas as pd
        >>> rows = pd.DataFrame({"label": [3], "area": [4.0], "map_1": [0.1], "map_2": [0.2], "variance": [0.3]})
        >>> CellTable.read(rows, layer="cells").mappable
        ['area']
        """
        return self.columns.mappable

    @cached_property
    def columns(self) -> Columns:
        """All columns, by whether a map can be made of them and why not."""
        return sort_columns(self.features)

    def select(self, kept: np.ndarray, note: str) -> "CellTable":
        """Keep some of the cells.

        Parameters
        ----------
        kept : ndarray of bool, shape (n_cells,)
            Which cells to keep.
        note : str
            A sentence for the user: which cells these are, or why the others are left out.

        Returns
        -------
        CellTable
            The cells kept, in the same order and with all columns.

        Examples
        --------
        >>> import numpy as np, pandas as pd
        >>> cells = CellTable.read(pd.DataFrame({"label": [3, 7], "area": [40.0, 52.0]}), layer="nuclei")
        >>> cells.select(np.array([False, True]), "Only 1 of 2 cells: the selection.").keys
        [('nuclei', 0, 7)]
        """
        return replace(self, features=self.features[kept], notes=(*self.notes, note))

    def with_features(self, columns: pd.DataFrame, gone: Sequence[str] = ()) -> "CellTable":
        """Return the cells with further features, which replace those of the same names.

        Parameters
        ----------
        columns : pandas.DataFrame
            Indexed by the keys (layer, frame, label), in any order; cells without a row have no value.
        gone : sequence of str
            Features to leave out, where there are any.

        Examples
        --------
        >>> import pandas as pd
        >>> cells = CellTable.read(pd.DataFrame({"label": [3, 7], "area": [40.0, 52.0]}), layer="nuclei")
        >>> cells.with_features(pd.DataFrame({"n": [2.0]}, cells.features.index[1:])).features["n"].tolist()
        [nan, 2.0]
        """
        others = self.features.drop(columns=[*columns, *gone], errors="ignore")
        return replace(self, features=pd.concat([others, columns.reindex(self.features.index)], axis=1))

    def require_features(self, names: Sequence[str]) -> None:
        """Raise an error unless a map can be made of these features.

        Parameters
        ----------
        names : sequence of str
            The features.

        Raises
        ------
        ValueError
            If there are none, or one is not in the table or not a number.
        """
        if not names:
            raise ValueError("No feature is chosen: tick those that should shape the map.")
        if absent := [name for name in names if name not in self.features]:
            raise ValueError(f"The table has no feature {listed(absent)}.")
        numeric = set(self.numeric)
        if words := [name for name in names if name not in numeric]:
            raise ValueError(f"Not numbers: {listed(words)}. Untick it, or replace it by numbers.")


def _telling_apart(features: pd.DataFrame) -> str:
    """Name the first columns by which cells of the same number can be told apart, such as that of the image."""
    keys = features.groupby(list(KEY), sort=False).ngroup().to_numpy()
    found: dict[str, np.ndarray] = {}
    for name, column in features.items():
        if is_float_dtype(column) or not (is_identifier(str(name)) or not is_numeric_dtype(column)):
            continue
        codes, values = pd.factorize(column.astype(str))
        if 1 < len(values) <= len(codes) / 2:
            if _tell_apart(keys, codes):
                part = "frames" if _may_be_frames(name, column) else "layers"
                return f' "{name}" does: give it as the column of the {part}.'
            found[str(name)] = codes
    # Wells have several fields each.
    for one, other in combinations([*found][:_MOST_TOGETHER], 2):
        if _tell_apart(keys, found[one], found[other]):
            times = [name for name in (one, other) if _may_be_frames(name, features[name])]
            if len(times) == 1:
                advice = f'give "{times[0]}" as the column of the frames, and the other as that of the layers'
            else:
                advice = "join them in one column, and give it as that of the layers"
            return f' "{one}" and "{other}" together do: {advice}.'
    return ""


def _may_be_frames(name: object, column: pd.Series) -> bool:
    return is_time(str(name)) and is_numeric_dtype(column)


def _tell_apart(*codes: np.ndarray) -> bool:
    return not pd.DataFrame(dict(enumerate(codes))).duplicated().any()


def _of_background(keys: pd.MultiIndex, label: str, rows: pd.DataFrame) -> list[str]:
    """Say how many rows of label 0 are left out, and why."""
    n_rows = counted((keys.get_level_values("label") == 0).sum(), "row")
    if label == _OF_COSMX[0] and {*_OF_COSMX} <= {*rows}:
        return [f"{n_rows} of {label} 0 left out: with CosMx, they count the transcripts of a field outside all cells."]
    return [f"{n_rows} of label 0 (the background) left out.", *_counted_from_zero(keys, label)]


def _counted_from_zero(keys: pd.MultiIndex, label: str) -> list[str]:
    """Say what to do if 0 may be a cell: where the numbers in each layer and frame are 0, 1, 2 and so on."""
    if len(keys) == 1 or not keys.is_unique:
        return []
    numbers = pd.Series(keys.get_level_values("label")).groupby([keys.codes[0], keys.codes[1]])
    if not ((numbers.min() == 0) & (numbers.max() == numbers.size() - 1)).all():
        return []
    return [f'The numbers in column "{label}" begin with 0: if this is a cell, add 1 to all of them.']


def _named(column: pd.Series, layer: str) -> pd.Series:
    """The layer of each row; `layer` where a row names none."""
    return column.astype(object).where(column.notna(), layer).astype(str).replace("", layer)
