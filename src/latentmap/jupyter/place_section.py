"""The part of the panel that places other cells on the current map."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
from IPython import get_ipython

from latentmap.jupyter import widgets as w
from latentmap.jupyter.cell_inputs import read_cells
from latentmap.jupyter.fields import labelled
from latentmap.presenters.placing import PLACE, PlacePresenter
from latentmap.session import Run, Schedule, Session
from latentmap.table import CellTable

_ABOUT = f"{PLACE['cells'].about} The path of a file, from the notebook's folder, or the name of a table here."


class PlaceSection(w.Accordion):
    """Draws what `PlacePresenter` decides, for a table of the notebook or a file; folded away at first.

    Parameters
    ----------
    session : Session
    show : callable
        Draws cells placed on the map of a run, and says whether they are seen.
    schedule : callable
        Schedules a function in the kernel's thread.
    tell : callable
        Shows the user a sentence.

    Attributes
    ----------
    placed : pandas.DataFrame or None
        The cells placed last: keys, coordinates and, if the method gives them, variances.
    """

    def __init__(
        self,
        session: Session,
        show: Callable[[Run, pd.DataFrame], bool],
        schedule: Schedule,
        tell: Callable[[str], None],
    ) -> None:
        self._show, self._tell = show, tell
        self.placed: pd.DataFrame | None = None
        self.cells = w.Combobox(
            placeholder="new_cells.csv", tooltip=_ABOUT, ensure_option=False, layout=w.look(flex="1", min_width="0")
        )
        self.button = w.Button(
            description=PLACE["place"].label, tooltip=PLACE["place"].about, layout=w.look(width="auto")
        )
        body = w.VBox([labelled(PLACE["cells"].label, self.cells, _ABOUT), self.button])
        super().__init__([body], titles=(PLACE["title"].label,))
        self.presenter = PlacePresenter(session, self, schedule, tell)
        self.button.on_click(lambda _: self._place())
        self.observe(lambda _: self._list_tables(), "selected_index")
        self.presenter.refresh()

    def close(self) -> None:
        """Stop placing, and release the table."""
        self.presenter.stop()
        self.placed = None
        super().close()

    def show_place(self, *, has_map: bool, can_place: bool) -> None:
        """Show the section if there is a map, and enable the button if the cells chosen can be placed."""
        w.set_visible(self, has_map)
        self.button.disabled = not can_place
        self._list_tables()

    def _list_tables(self) -> None:
        names = tuple(_tables())
        if names != self.cells.options:
            self.cells.options = names

    def _place(self) -> None:
        if not (name := self.cells.value.strip()):
            self._tell("Which cells? Give the path of a file, or the name of a table in this notebook.")
            return
        data = _tables().get(name, Path(name).expanduser())
        layer = name if not isinstance(data, Path) else data.stem
        self.presenter.place(
            name,
            lambda: read_cells(data, layer=layer, columns=MappingProxyType({}), has_labels=False),
            self._take,
        )

    def _take(self, run: Run, placed: CellTable) -> bool:
        self.placed = placed.features.reset_index()
        return self._show(run, placed.features)


def _tables() -> Mapping[str, Any]:
    """Return the tables that the notebook has as variables."""
    shell = get_ipython()
    if shell is None:
        return {}
    return {
        name: value
        for name, value in shell.user_ns.items()
        if not name.startswith("_")
        and (isinstance(value, pd.DataFrame) or (hasattr(value, "obs") and hasattr(value, "var")))
    }
