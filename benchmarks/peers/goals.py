"""What a map by our defaults is to reach, and on which data sets it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.markdown import table
from benchmarks.peers import tables
from benchmarks.peers.methods import DEFAULT, DETAIL_NAME, METHODS
from benchmarks.peers.records import Record
from benchmarks.peers.tables import Column, Runs

_PEERS = [name for name in METHODS if tables.is_peer(name)]


@dataclass(frozen=True)
class Goal:
    """What one of our methods is to reach beside peers.

    Attributes
    ----------
    words : str
        What it says.
    column : Column
        The measure.
    reached : callable
        ``reached(ours, theirs)``, of the mean of our method and the best mean of the peers.
    method : str
    peers : sequence of str
        A data set counts where all of them were measured.
    """

    words: str
    column: Column
    reached: Callable[[float, float], bool]
    method: str = DEFAULT
    peers: Sequence[str] = tuple(_PEERS)

    def pair(self, runs: Runs) -> tuple[float, float] | None:
        """Return our mean and the best of the peers; None where one of them was not measured."""
        ours, *theirs = (self.column.exact_mean(runs.get(name, [])) for name in (self.method, *self.peers))
        known = [value for value in theirs if value is not None]
        return (ours, self.column.best(known)) if ours is not None and len(known) == len(self.peers) else None


def _beats(peer: str) -> Goal:
    words = f"recall of `{DEFAULT}` is above that of `{peer}`"
    return Goal(words, tables.RECALL, lambda ours, theirs: ours > theirs, peers=(peer,))


GOALS = [
    Goal(
        f"9-NN error of `{DEFAULT}` is at most 1.05 times that of the best peer, or .05 % above it",
        tables.ERROR_9,
        lambda ours, theirs: ours <= max(1.05 * theirs, theirs + 0.05),
    ),
    Goal(
        f"triplets of `{DEFAULT}` are at most .01 below those of the best peer",
        tables.TRIPLETS,
        lambda ours, theirs: ours >= theirs - 0.01,
    ),
    _beats("umap-learn"),
    _beats("pacmap"),
    Goal(
        f"`{DEFAULT}` finds no more groups on a continuum than the better of `umap-learn` and `pacmap`",
        tables.GROUPS,
        lambda ours, theirs: ours <= theirs,
        peers=("umap-learn", "pacmap"),
    ),
    Goal(
        f"recall of `{DETAIL_NAME}` is at least that of the best peer",
        tables.RECALL,
        lambda ours, theirs: ours >= theirs,
        method=DETAIL_NAME,
    ),
]


def counts(data: Mapping[str, Sequence[Record]]) -> list[str]:
    """Return a table of the goals: on how many data sets each is reached, and the numbers where it is not.

    Parameters
    ----------
    data : mapping of str to sequence of dict
        The records of each data set.

    Returns
    -------
    list of str
        Its lines; none where no goal can be told.
    """
    runs = {name: tables.by_method(records) for name, records in data.items()}
    rows = []
    for goal in GOALS:
        found = {name: pair for name, some in runs.items() if (pair := goal.pair(some))}
        missed = {name: pair for name, pair in found.items() if not goal.reached(*pair)}
        if found:
            rows.append([goal.words, f"{len(found) - len(missed)} of {len(found)}", _told(missed, goal.column)])
    return table(["goal", "reached on", "not on (ours against theirs)"], rows) if rows else []


def _told(missed: Mapping[str, tuple[float, float]], column: Column) -> str:
    return ", ".join(
        f"[{name}](#{name}) ({' against '.join(f'{value:.{column.digits}f}' for value in pair)})"
        for name, pair in missed.items()
    )
