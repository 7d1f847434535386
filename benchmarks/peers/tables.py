"""Tables of methods: a line for each, the best of each column in bold, wins and losses alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import mean, stdev

from benchmarks.markdown import table, whole
from benchmarks.peers.methods import METHODS
from benchmarks.peers.records import Record
from benchmarks.peers.tasks import FIRST_USE, FRESH_AND_WARM

Runs = dict[str, list[Record]]


@dataclass(frozen=True)
class Column:
    """A measure.

    Attributes
    ----------
    title : str
    kind : str
        Of the runs that tell it.
    of : callable
        ``of(fit)``: the measure of one fit; None if it does not tell it.
    warm : bool
        Whether to look at all fits of a process but the first; else at the first.
    digits : int
        After the point.
    best : callable
        min or max.
    """

    title: str
    kind: str
    of: Callable[[Record], float | None]
    warm: bool
    digits: int
    best: Callable[..., float] = min

    def values(self, runs: Sequence[Record]) -> list[float]:
        """Return the measure of each fit that tells it."""
        fits = [fits_of(record, self.warm) for record in runs if record["kind"] == self.kind]
        values = (self.of(fit) for some in fits for fit in some)
        return [value for value in values if value is not None]

    def exact_mean(self, runs: Sequence[Record]) -> float | None:
        """Return the mean over fits; None if none tells it."""
        values = self.values(runs)
        return mean(values) if values else None

    def mean(self, runs: Sequence[Record]) -> float | None:
        """Return the mean over fits, rounded as it is shown; None if none tells it."""
        exact = self.exact_mean(runs)
        return None if exact is None else round(exact, self.digits)

    def text(self, runs: Sequence[Record]) -> str:
        """Return the mean and, of several runs, the standard deviation."""
        values = self.values(runs)
        if not values:
            return ""
        spread = f" ± {stdev(values):.{self.digits}f}" if len(values) > 1 else ""
        return f"{mean(values):.{self.digits}f}{spread}"


def fits_of(record: Record, warm: bool) -> list[Record]:
    """Return the warm fits of a process, or the first alone."""
    return record["fits"][1:] if warm else record["fits"][:1]


def _quality(title: str, name: str, digits: int, best: Callable[..., float] = max, scale: float = 1) -> Column:
    def of(fit: Record) -> float | None:
        value = fit["quality"].get(name)
        return None if value is None else scale * value

    return Column(title, FRESH_AND_WARM, of, True, digits, best)


def _strays(fit: Record) -> float | None:
    """Return the share of strays; where nothing is parted, all rows are outside of groups, and that means nothing."""
    return 100 * fit["quality"]["strays"] if fit["quality"].get("groups") else None


WARM = Column("warm, s", FRESH_AND_WARM, itemgetter("seconds"), True, 2)
FRESH = Column("fresh process, s", FRESH_AND_WARM, itemgetter("seconds"), False, 2)
FIRST = Column("first use, s", FIRST_USE, itemgetter("seconds"), False, 1)
ERROR_1 = _quality("1-NN error, %", "error_1", 2, min, 100)
ERROR_9 = _quality("9-NN error, %", "error_9", 2, min, 100)
RECALL = _quality("recall of 10", "recall", 3)
TRUST = _quality("trustworthiness", "trustworthiness", 3)
TRIPLETS = _quality("triplets", "triplets", 3)
ORDER = _quality("order of centroids", "order", 3)
FILL = _quality("frame filled, %", "fill", 1, scale=100)
GROUPS = _quality("groups found", "groups", 1, min)
STRAYS = Column("strays, %", FRESH_AND_WARM, _strays, True, 1)
MEMORY = Column("memory, MiB", FRESH_AND_WARM, lambda fit: fit["memory"] / 2**20, False, 0)
QUALITIES = [ERROR_1, ERROR_9, RECALL, TRUST, TRIPLETS, ORDER, FILL, GROUPS, STRAYS]
COLUMNS = [WARM, FRESH, FIRST, *QUALITIES, MEMORY]


def by_method(records: Sequence[Record]) -> Runs:
    """Return the runs of each method, in the order of the methods."""
    runs = {name: [record for record in records if record["method"] == name] for name in METHODS}
    return {name: some for name, some in runs.items() if some}


def best_of(column: Column, runs: Runs, among: Callable[[str], bool] = lambda name: True) -> float | None:
    """Return the best mean of some methods."""
    means = [column.mean(some) for name, some in runs.items() if among(name)]
    return column.best((value for value in means if value is not None), default=None)


def is_peer(name: str) -> bool:
    """Return whether a method is another project's."""
    return not METHODS[name].is_ours


def ratio(column: Column, runs: Runs, name: str) -> str:
    """Return a method's mean over that of the best peer."""
    own, theirs = column.mean(runs[name]), best_of(column, runs, is_peer)
    return f"{own / theirs:.2f}" if own is not None and theirs else ""


def comparison(records: Sequence[Record]) -> list[str]:
    """Return the table of one data set."""
    runs = by_method(records)
    columns = [column for column in COLUMNS if column.values(records)]
    head = ["method", *(column.title for column in columns), "warm / fastest peer", "fresh / fastest peer"]
    rows = []
    for name, some in runs.items():
        cells = [_bold(column.text(some), column.mean(some) == best_of(column, runs)) for column in columns]
        rows.append([f"`{name}`", *cells, ratio(WARM, runs, name), ratio(FRESH, runs, name)])
    return table(head, rows)


def summary(data: dict[str, Sequence[Record]], ours: str) -> list[str]:
    """Return a table of one of our methods on all data sets, each measure beside that of the best peer."""
    runs = {name: by_method(records) for name, records in data.items()}
    both = {name: some for name, some in runs.items() if ours in some and any(is_peer(method) for method in some)}
    columns = [column for column in COLUMNS if any(column.values(some[ours]) for some in both.values())]
    rows = [
        [f"[{name}](#{name})", *(_against(column, some, ours) for column in columns)] for name, some in both.items()
    ]
    return table(["data", *(column.title for column in columns)], rows) if rows else []


def times(records: dict[int, Sequence[Record]], column: Column) -> list[str]:
    """Return a table of one measure, a line for each number of rows and a column for each method."""
    runs = {rows: by_method(some) for rows, some in sorted(records.items())}
    names = [name for name in METHODS if any(name in some for some in runs.values())]
    return table(
        ["rows", *(f"`{name}`" for name in names)],
        [
            [whole(rows), *(_bold(column.text(some[name]), column.mean(some[name]) == best_of(column, some))
                     if name in some else "" for name in names)]
            for rows, some in runs.items()
        ],
    )  # fmt: skip


def _against(column: Column, runs: Runs, ours: str) -> str:
    own, theirs = column.mean(runs[ours]), best_of(column, runs, is_peer)
    if own is None or theirs is None:
        return ""
    best = column.best(own, theirs)
    return " against ".join(_bold(f"{value:.{column.digits}f}", value == best) for value in (own, theirs))


def _bold(text: str, is_best: bool) -> str:
    return f"**{text}**" if text and is_best else text
