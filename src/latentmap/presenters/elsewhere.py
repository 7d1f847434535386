"""Adding a map that another program has made: which there are in the table or in a file, and which columns hold one."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

from latentmap.display.actions import Action
from latentmap.presenters.saving import failure
from latentmap.session import BackgroundJob, Schedule, Session
from latentmap.session.given_map import GivenMap
from latentmap.session.job import as_single_step
from latentmap.session.wording import counted
from latentmap.table import CellTable
from latentmap.table.files.reading import read_table
from latentmap.table.found_maps import found_maps
from latentmap.table.image_keys import assign_to_layer
from latentmap.table.wording import listed

ELSEWHERE: Mapping[str, Action] = MappingProxyType(
    {
        "title": Action(
            "Add a map made elsewhere",
            "Another program's UMAP, t-SNE or the like, beside the maps made here: linked to the image, coloured, and "
            "measured against the features that are ticked.",
        ),
        "map": Action("Map", "The maps found in the table of the cells, or in the file opened; or two columns of it."),
        "across": Action("Right", "The column with the coordinate that grows to the right."),
        "up": Action("Up", "The column with the coordinate that grows upwards."),
        "file": Action(
            "From a file…", "Take a map from another table of these cells: CSV, TSV, Excel, Parquet or AnnData."
        ),
        "add": Action("Add this map", "Show this map, and keep it in the list of maps."),
    }
)
"""The labels and tooltips, by name."""

TABLE = "the table"
"""What sentences call the table of the cells."""


# A list of thousands of columns is of no use, and takes long to fill.
_MOST_LISTED = 1000
# Stands for the layer of rows that name none.
_NAMELESS = "no layer"


class _Offer(NamedTuple):
    """A map in a table, or (without columns) two columns of it that the user chooses."""

    where: str
    table: CellTable
    name: str = ""
    columns: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.name} (from {self.where})" if self.columns else f"two columns of {self.where} …"


class ElsewhereView(Protocol):
    """A list of maps, two lists of columns, and a button."""

    def show_maps(self, labels: Sequence[str], chosen: int, *, can_add: bool) -> None:
        """Offer these maps, show which is chosen, and enable the button if there is any."""

    def show_columns(self, names: Sequence[str]) -> None:
        """Offer these columns in both lists; hide the lists if there are none."""


class ElsewherePresenter:
    """Offers the maps made elsewhere, and adds the one chosen.

    Parameters
    ----------
    session : Session
    view : ElsewhereView
    cells : callable
        Returns the cells that maps are made of now, or None.
    schedule : callable
        Schedules a function in the front end's thread.
    add : callable
        Adds a `GivenMap`.
    tell : callable
        Shows the user a sentence.
    """

    def __init__(
        self,
        session: Session,
        view: ElsewhereView,
        cells: Callable[[], CellTable | None],
        schedule: Schedule,
        add: Callable[[GivenMap], None],
        tell: Callable[[str], None],
    ) -> None:
        self._view, self._cells, self._add, self._tell = view, cells, add, tell
        self._job = BackgroundJob(schedule)
        self._file: tuple[str, CellTable] | None = None
        self._offers: list[_Offer] = []
        self._chosen, self._wanted = 0, ""
        session.runs.started.connect(self.refresh, max_args=0)
        session.runs.ended.connect(self.refresh, max_args=0)

    @property
    def running(self) -> bool:
        """Whether a file is being read."""
        return self._job.running

    def refresh(self) -> None:
        """Offer the maps in the table of the cells and in the file opened; the user's choice stays if it is there."""
        cells = self._cells()
        tables = [self._file, None if cells is None else (TABLE, cells)]
        self._offers = [offer for one in tables if one is not None for offer in _offers(*one)]
        self._offers.sort(key=lambda offer: not offer.columns)
        labels = [offer.label for offer in self._offers]
        self._chosen = labels.index(self._wanted) if self._wanted in labels else 0
        self._show()

    def choose(self, index: int) -> None:
        """Choose one of the maps offered."""
        if 0 <= index < len(self._offers) and index != self._chosen:
            self._chosen, self._wanted = index, self._offers[index].label
            self._show()

    def open(self, path: Path) -> None:
        """Read a file with a map of the cells, in a thread."""
        if (cells := self._cells()) is None:
            self._tell("Open the cells first: the map in the file is matched to them by layer, frame and label.")
            return
        layers = [str(name) for name in cells.features.index.unique("layer")]
        self._tell(f"Reading {path.name} …")
        self._job.start(
            as_single_step(read_map_table, path, layers),
            yielded=lambda _: None,
            returned=lambda table: self._opened(path.name, table),
            failed=lambda error: self._failed(path.name, error),
        )

    def add(self, across: str = "", up: str = "") -> None:
        """Add the map chosen; the columns count where two of them are to be chosen."""
        if not self._offers:
            return
        offer = self._offers[self._chosen]
        try:
            self._add(GivenMap.of(offer.table, offer.columns or (across, up), offer.name, offer.where))
        except ValueError as error:
            self._tell(str(error))

    def stop(self) -> None:
        """Stop reading, and release the tables."""
        self._job.drop()
        self._file, self._offers, self._cells = None, [], lambda: None

    def _show(self) -> None:
        self._view.show_maps([offer.label for offer in self._offers], self._chosen, can_add=bool(self._offers))
        offer = self._offers[self._chosen] if self._offers else None
        self._view.show_columns([] if offer is None or offer.columns else offer.table.numeric)

    def _opened(self, name: str, table: CellTable) -> None:
        self._file, self._wanted = (name, table), ""
        self.refresh()
        found = [offer for offer in self._offers if offer.where == name and offer.columns]
        what = f'found "{found[0].name}"' if found else "choose the two columns that hold its map"
        said = f"{name}: {counted(len(table.features), 'row')}; {what}, and press {ELSEWHERE['add'].label}."
        self._tell(" ".join([said, *table.notes]))

    def _failed(self, name: str, error: Exception) -> None:
        self._tell(failure(name, error))
        if not isinstance(error, ValueError | OSError):
            raise error


def _offers(where: str, table: CellTable) -> list[_Offer]:
    found = [_Offer(where, table, *one) for one in found_maps(table.features)]
    return [*found, _Offer(where, table)] if 1 < len(table.numeric) <= _MOST_LISTED else found


def read_map_table(path: Path, layers: Sequence[str]) -> CellTable:
    """Read the table of a map of cells from these layers.

    Parameters
    ----------
    path : pathlib.Path
        CSV, TSV, Excel, Parquet or AnnData, with the cells' labels.
    layers : sequence of str
        If there is one, and the table knows one, they are the same, whatever they are called.

    Raises
    ------
    ValueError
        If the table cannot be read, or does not say which cell, or which layer's, a row is.
    """
    if len(layers) == 1:
        table = read_table(path, layer=layers[0])
        return assign_to_layer(table, layers[0]) or table
    table = read_table(path, layer=_NAMELESS)
    if _NAMELESS in table.features.index.get_level_values("layer"):
        raise ValueError(
            f'The cells come from {listed(layers)}, but not every row of "{path.name}" says from which: add a column '
            '"layer" to it.'
        )
    return table
