"""Between which groups a map tears what touches in the data, or joins what does not."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom, false_discovery_control

from latentmap.extras import require
from latentmap.quality.map_area import pieces
from latentmap.quality.progress import Progress, finished
from latentmap.quality.row_neighbors import iter_map_neighbors
from latentmap.quality.validation import checked_classes, checked_fraction, checked_neighbors

if TYPE_CHECKING:
    import pandas as pd

# So many times as many cells must touch on one side as on the other. A map of many columns always loses some contact.
_TIMES = 4
_COLUMNS = ["a", "b", "verdict", "in_data", "on_map", "p_value"]
_WORDS = {
    "joined": "{a} and {b} touch on the map but not in the data: {on_map} cells there, {in_data} in the data.",
    "torn": "{a} and {b} touch in the data but not on the map: {in_data} cells there, {on_map} on the map.",
    "split": "{a} is in {pieces} on the map but holds together in the data: {in_data} cells there link them, "
    "{on_map} on the map.",
}


class GroupContacts(NamedTuple):
    """Which groups touch in the data and on the map.

    Attributes
    ----------
    pairs : DataFrame
        One row for each pair of groups, with both names (``a`` and ``b``; the same name for two pieces of one group),
        the number of cells that have a neighbour of the other group in the data and on the map (``in_data``,
        ``on_map``), the corrected ``p_value`` and the ``verdict``: "joined" on the map alone, "torn" apart on the map,
        "split" for a group in pieces on the map that the data hold together, or "" for neither.
    cells : list of ndarray
        For each row of ``pairs``, the rows that touch on one side only.
    false_rate : float
        Of the pairs with a verdict, at most so large a share is expected to have it by chance.
    """

    pairs: pd.DataFrame
    cells: list[np.ndarray]
    false_rate: float

    @property
    def sentences(self) -> list[str]:
        """What is torn or falsely joined, in words, the surest first."""
        found = self.pairs[self.pairs["verdict"] != ""].sort_values("p_value", kind="stable")
        splits = self.pairs.loc[self.pairs["a"] == self.pairs["b"], "a"].value_counts()
        return [
            _WORDS[verdict].format(
                a=a, b=b, in_data=in_data, on_map=on_map, pieces="two pieces" if splits.get(a) == 1 else "pieces"
            )
            for a, b, verdict, in_data, on_map, _ in found.itertuples(index=False)
        ]


def group_contacts(
    neighbors: Any,
    Y: ArrayLike,
    groups: Any,
    *,
    false_rate: float = 0.05,
    n_jobs: int | None = None,
    callback: Callable[[Progress], Any] | None = None,
) -> GroupContacts:
    """Find pairs of groups that touch on the map but not in the data, or in the data but not on the map.

    A cell touches another group if one of its k nearest neighbours is of that group. On the map as in the data, the
    number of cells of both groups is counted that touch the other one. The pieces of one group on the map are compared
    in the same way.

    Parameters
    ----------
    neighbors : array of int, of shape (n, k), or (indices, distances)
        The k nearest neighbours of each row in the measured table, as ``LVM.find_neighbors`` returns them.
    Y : array-like of shape (n, d)
        The map.
    groups : array-like of shape (n,)
        The class or cluster of each row: numbers, words or categories.
    false_rate : float
        The false discovery rate among all pairs.
    n_jobs : int, optional
        Threads, as for :func:`neighbor_recall`.
    callback : callable, optional
        ``callback(progress)`` is called after each step. If it returns True, :class:`Stopped` is raised.

    Returns
    -------
    GroupContacts
        ``pairs``, ``sentences`` and the ``cells`` concerned.

    Raises
    ------
    ValueError
        If neighbours, rows and groups differ in number, a value is not finite, or a group is missing.
    Stopped
        If the callback asks for it.

    Notes
    -----
    McNemar's exact test, one-sided each way: if a cell that touches on one side only were as likely to do so on either
    side, the number on the map would be binomial. Benjamini and Hochberg's procedure corrects for all pairs and both
    ways. A verdict also requires four times as many cells on one side as on the other, since a large table makes the
    smallest difference significant. Neighbouring cells are not independent, as the test assumes; `docs/trust.md`
    measures how many verdicts are false on made-up tables. Pieces are those of :func:`largest_pieces`.

    Examples
    --------
    Two groups that are far apart in the data, side by side on the map:

    >>> import numpy as np
    >>> from latentmap import LVM
    >>> from latentmap.quality import group_contacts
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat(["T cells", "B cells"], 200)
    >>> X = rng.normal(size=(400, 5)) + 20 * (groups == "T cells")[:, None]
    >>> Y = rng.uniform(size=(400, 2)) + (groups == "T cells")[:, None] * [1, 0]
    >>> found = group_contacts(LVM().find_neighbors(X), Y, groups)
    >>> found.pairs["verdict"].tolist()
    ['joined']
    >>> found.sentences
    ['B cells and T cells touch on the map but not in the data: 49 cells there, 0 in the data.']
    """
    return finished(iter_group_contacts(neighbors, Y, groups, false_rate=false_rate, n_jobs=n_jobs), callback)


def iter_group_contacts(
    neighbors: Any, Y: ArrayLike, groups: Any, *, false_rate: float = 0.05, n_jobs: int | None = None
) -> Generator[Progress, None, GroupContacts]:
    """Find what is torn or falsely joined step by step, as :func:`group_contacts` does.

    Yields
    ------
    Progress
        After each block of rows and each group; closing the generator ends it.

    Returns
    -------
    GroupContacts
    """
    require("The table of groups that touch", "table", "pandas")
    Y, groups = checked_classes(Y, groups, "euclidean", ("Y", "groups"))
    near = checked_neighbors(neighbors, len(Y))
    false_rate = checked_fraction(false_rate, "false_rate")
    names, codes = np.unique(groups, return_inverse=True)
    total = len(names) + 2
    seen = yield from iter_map_neighbors(Y, near.shape[1], n_jobs, Progress("neighbours on the map", 0, total))
    yield Progress("pairs of groups", 1, total)
    between = _touching(near, seen, codes, len(names))
    rows = [(names[a], names[b], *one) for (a, b), one in between.items()]
    for code, name in enumerate(names):
        yield Progress("pieces of groups", code + 2, total)
        found = np.full(len(Y), -1)
        members = np.flatnonzero(codes == code)
        found[members] = pieces(Y[members])
        if found.max() > 0:
            rows += [(name, name, *one) for one in _touching(near, seen, found, found.max() + 1).values()]
    return _tested(rows, false_rate)


def _touching(
    near: np.ndarray, seen: np.ndarray, codes: np.ndarray, n_groups: int
) -> dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]:
    """Return, for each pair of groups, which rows touch the other group in the data and on the map."""
    sides = [_touched(lists, codes, n_groups) for lists in (near, seen)]
    own = [np.flatnonzero(codes == group) for group in range(n_groups)]
    found = {}
    for a in range(n_groups):
        for b in range(a + 1, n_groups):
            one, other = (np.concatenate([own[a][side[own[a], b]], own[b][side[own[b], a]]]) for side in sides)
            found[a, b] = one, other
    return found


def _touched(lists: np.ndarray, codes: np.ndarray, n_groups: int) -> np.ndarray:
    """Return which groups the neighbours of each row are of, of shape (n, n_groups)."""
    touched = np.zeros((len(lists), n_groups + 1), bool)
    # Rows in no group, -1, mark the last column.
    touched[np.arange(len(lists))[:, None], codes[lists]] = True
    return touched[:, :n_groups]


def _tested(rows: list[tuple[Any, Any, np.ndarray, np.ndarray]], false_rate: float) -> GroupContacts:
    import pandas as pd

    cells = [np.setxor1d(in_data, on_map) for *_, in_data, on_map in rows]
    in_data, on_map = (np.array([len(row[side]) for row in rows], int) for side in (2, 3))
    both = np.array([len(np.intersect1d(one, other)) for *_, one, other in rows], int)
    if not rows:
        return GroupContacts(pd.DataFrame(columns=_COLUMNS), [], false_rate)
    only_data, only_map = in_data - both, on_map - both
    # McNemar's exact test; where no cell touches on one side alone, both p-values are 1.
    p = np.stack([binom.sf(one - 1, only_data + only_map, 0.5) for one in (only_map, only_data)])
    p = false_discovery_control(p.ravel()).reshape(p.shape)
    inside = np.array([a == b for a, b, *_ in rows])
    joined = (p[0] <= false_rate) & (on_map >= _TIMES * in_data) & ~inside
    torn = (p[1] <= false_rate) & (in_data >= _TIMES * on_map)
    verdict = np.select([joined, torn & inside, torn], ["joined", "split", "torn"], "")
    columns = [[a for a, *_ in rows], [row[1] for row in rows], verdict, in_data, on_map, p.min(axis=0)]
    return GroupContacts(pd.DataFrame(dict(zip(_COLUMNS, columns, strict=True))), cells, false_rate)
