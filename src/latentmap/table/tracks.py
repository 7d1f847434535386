"""Cells in time: which of them follow each other."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from latentmap.table.centroids import centroid_columns
from latentmap.table.key_parts import n_distinct
from latentmap.table.wording import counted

# What is left of a column's name without case, digits and all but letters.
_TRACK = re.compile(r"(spot)?(track|tracklet|particle|trajectory)(id|no|nr|number|index|label)?|trackobjectslabel")
_PARENT = re.compile(r"parent(track|tracklet)?(id|no|nr|number|index|label)?|(track|tracklet)parent(id)?")
# A label stands for a track if at least this share of its cells is nearest to the cell of the same label in the frame
# before. Numbers given anew in each frame, from the top of the image down, reach about a third.
_LEAST_NEAREST = 0.7
# Larger whole numbers are not told apart as decimal ones.
_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class Tracks:
    """Which cells follow each other.

    Attributes
    ----------
    of_cell : ndarray of int64, shape (n_cells,)
        The index of each cell's track, -1 for none.
    frames : ndarray of int64, shape (n_cells,)
        The frame of each cell.
    links : ndarray of int64, shape (n_links, 2)
        A row and the row that follows it in time: in the same track, or the first of a track that a division began.
    parents : ndarray of int64, shape (n_parents, 2)
        The index of a track, and of one that comes from it by a division.
    column : str
        What says which cells are of one track: a column of the table, or "label".
    n_unclear : int
        The number of cells that nothing joins to the frame before, because several cells of their track were there.

    Examples
    --------
    >>> keys = pd.MultiIndex.from_tuples([("a", 0, 1), ("a", 1, 1), ("a", 1, 2)], names=["layer", "frame", "label"])
    >>> tracks = find_tracks(pd.DataFrame({"track_id": [5, 5, -1]}, keys))
    >>> tracks.links.tolist(), tracks.of_cell.tolist(), tracks.sentence
    ([[0, 1]], [0, 0, -1], '1 track of 2 cells, by "track_id".')
    """

    of_cell: np.ndarray
    frames: np.ndarray
    links: np.ndarray
    parents: np.ndarray
    column: str
    n_unclear: int = 0

    @property
    def n_tracks(self) -> int:
        """The number of tracks."""
        return int(self.of_cell.max(initial=-1)) + 1

    @cached_property
    def n_divisions(self) -> int:
        """The number of cells that divide."""
        return int((np.unique(self.links[:, 0], return_counts=True)[1] > 1).sum())

    @property
    def sentence(self) -> str:
        """How many tracks there are, what says so, and what is unclear."""
        divisions = f" and {counted(self.n_divisions, 'division')}" if self.n_divisions else ""
        n_cells = int((self.of_cell >= 0).sum())
        said = f'{counted(self.n_tracks, "track")} of {counted(n_cells, "cell")}{divisions}, by "{self.column}".'
        if self.n_unclear:
            have = "is" if self.n_unclear == 1 else "are"
            said += (
                f" {counted(self.n_unclear, 'cell')} {have} joined to none before: several cells of the same track are "
                "in the frame before, so a column with the parent of each track is needed."
            )
        return said

    def paths_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the links of the tracks of these cells, of the tracks that they come from, and of their descendants.

        Parameters
        ----------
        rows : ndarray of int or bool
            The cells.

        Returns
        -------
        ndarray of int64, shape (n, 2)
        """
        chosen = np.zeros(self.n_tracks + 1, dtype=bool)
        chosen[self.of_cell[rows]] = True
        chosen[-1] = False
        found: np.ndarray = self.links[self._related(chosen)[self.of_cell[self.links[:, 1]]]]
        return found

    def _related(self, chosen: np.ndarray) -> np.ndarray:
        parents, children = self.parents.T
        found = chosen.copy()
        for starts, ends in ((children, parents), (parents, children)):
            reached = chosen.copy()
            while (new := ends[reached[starts] & ~reached[ends]]).size:
                reached[new] = True
            found |= reached
        return found


def find_tracks(features: pd.DataFrame) -> Tracks | None:
    """Find out which cells follow each other.

    A column says so (``track_id``, ``TrackID``, ``TRACK_ID``, ``particle``, ``TrackObjects_Label_50`` ...), or the
    label, if cells keep theirs from frame to frame. A column such as ``parent`` or ``parent_track_id`` names the track
    that one comes from by a division. Without it, all cells of a track in the frame after its only cell come from it.

    Parameters
    ----------
    features : pandas.DataFrame
        Indexed by the keys (layer, frame, label). A negative, missing or empty value stands for no track.

    Returns
    -------
    Tracks or None
        None if there is one frame only, or nothing says which cells follow each other. The label is believed only
        where the table has centroids, and most cells lie nearest to the one of their label in the frame before.
    """
    if n_distinct(features.index, "frame") < 2:
        return None
    layers = pd.factorize(features.index.get_level_values("layer"))[0]
    frames = features.index.get_level_values("frame").to_numpy().astype(np.int64)
    name = _named(features, _TRACK)
    if name is not None:
        of_cell = _codes(layers, _identifiers(features[name]))
        found = _joined(of_cell, layers, frames, str(name))
        if len(found.links):
            parent = _named(features, _PARENT)
            return found if parent is None else _with_parents(found, features[name], features[parent], layers)
    labels = features.index.get_level_values("label").to_numpy()
    found = _joined(_codes(layers, labels), layers, frames, "label")
    places = centroid_columns(features)
    if places is None or not len(found.links) or not _are_near(found, layers, places.to_numpy()):
        return None
    return found


def _named(features: pd.DataFrame, pattern: re.Pattern[str]) -> str | None:
    names = [str(name) for name in features if pattern.fullmatch(re.sub(r"[\W\d_]", "", str(name)).lower())]
    return names[0] if names else None


def _identifiers(column: pd.Series) -> np.ndarray:
    """The values of a column as objects that can be compared; None where there is none."""
    if pd.api.types.is_integer_dtype(column) and column.max() > _EXACT:
        return np.array([None if pd.isna(number) or number < 0 else str(number) for number in column], dtype=object)
    if pd.api.types.is_numeric_dtype(column):
        numbers = column.to_numpy(dtype=float, na_value=np.nan)
        return np.where(numbers >= 0, numbers, np.nan)
    words = column.astype(object).where(column.notna(), None)
    return np.array([None if word is None or not str(word).strip() else str(word) for word in words], dtype=object)


def _codes(layers: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Number the tracks of all layers; -1 for none."""
    within, known = pd.factorize(names)
    both = np.where(within < 0, -1, layers * max(len(known), 1) + within)
    codes = pd.factorize(np.where(both < 0, np.nan, both))[0]
    return codes.astype(np.int64)


def _joined(of_cell: np.ndarray, layers: np.ndarray, frames: np.ndarray, column: str) -> Tracks:
    """Join each cell to the only one of its track in the latest frame before."""
    rows = np.lexsort([frames, of_cell])
    rows = rows[of_cell[rows] >= 0]
    tracks, times = of_cell[rows], frames[rows]
    is_first = np.append(True, (np.diff(tracks) != 0) | (np.diff(times) != 0))[: len(rows)]
    starts = np.flatnonzero(is_first)
    sizes = np.diff(starts, append=len(rows))
    group = np.cumsum(is_first) - 1
    before = group - 1
    follows = (before >= 0) & (tracks[starts[before]] == tracks)
    is_clear = follows & (sizes[before] == 1)
    links = np.column_stack([rows[starts[before[is_clear]]], rows[is_clear]])
    none = np.empty((0, 2), dtype=np.int64)
    return Tracks(of_cell, frames, links.astype(np.int64), none, column, int((follows & ~is_clear).sum()))


def _with_parents(found: Tracks, tracks: pd.Series, parents: pd.Series, layers: np.ndarray) -> Tracks:
    """Join the first cell of each track to the last one of its parent."""
    n = found.n_tracks
    order = np.lexsort([-found.frames, found.of_cell])
    order = order[found.of_cell[order] >= 0]
    first, last = np.full(n, -1), np.full(n, -1)
    first[found.of_cell[order]] = order  # the earliest comes last
    last[found.of_cell[order[::-1]]] = order[::-1]
    names, theirs = _identifiers(tracks), _identifiers(parents)
    names, theirs = (_comparable(values, theirs if values is names else names) for values in (names, theirs))
    known = pd.MultiIndex.from_arrays([layers[first], names[first]])
    wanted = pd.MultiIndex.from_arrays([layers[first], theirs[first]])
    index = known.get_indexer(wanted)
    children = np.flatnonzero((index >= 0) & (index != np.arange(n)) & ~pd.isna(theirs[first]))
    children = children[found.frames[last[index[children]]] < found.frames[first[children]]]
    links = np.column_stack([last[index[children]], first[children]])
    pairs = np.column_stack([index[children], children]).astype(np.int64)
    return Tracks(
        found.of_cell, found.frames, np.concatenate([found.links, links]), pairs, found.column, found.n_unclear
    )


def _comparable(values: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Numbers as words, if what they are compared with are words."""
    if values.dtype == object or others.dtype != object:
        return values
    return np.array(
        [None if np.isnan(value) else f"{value:.0f}" if value.is_integer() else f"{value:g}" for value in values],
        dtype=object,
    )


def _are_near(found: Tracks, layers: np.ndarray, places: np.ndarray) -> bool:
    """Whether most cells lie nearest to the cell that they are said to follow."""
    before, after = found.links.T
    times = layers * (int(found.frames.max()) + 2) + found.frames
    order = np.argsort(times, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(times[order])))
    rows_at = dict(zip(times[order][starts].tolist(), np.split(order, starts[1:]), strict=True))
    n_nearest = n_asked = 0
    at = np.argsort(times[before], kind="stable")
    for links in np.split(at, np.flatnonzero(np.diff(times[before][at])) + 1):
        rows = rows_at[int(times[before[links[0]]])]
        rows = rows[np.isfinite(places[rows]).all(axis=1)]
        links = links[np.isfinite(places[after[links]]).all(axis=1)]
        if len(rows) < 2 or not len(links):
            continue
        nearest = rows[cKDTree(places[rows]).query(places[after[links]])[1]]
        n_nearest += int((nearest == before[links]).sum())
        n_asked += len(links)
    return n_asked > 0 and n_nearest >= _LEAST_NEAREST * n_asked
