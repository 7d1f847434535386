"""The colours of the groups of a column, which are the same on all maps of a session."""

from itertools import chain
from weakref import WeakKeyDictionary

from latentmap.session import ColourBy, Session
from latentmap.session.colouring import group_names_of
from latentmap.session.palette import NO_COLOURS, GroupColours, group_colours
from latentmap.table import CellTable

# Maps are painted again and again, and the groups among a million words take a tenth of a second to find.
_FOUND: WeakKeyDictionary[CellTable, dict[ColourBy, tuple[str, ...]]] = WeakKeyDictionary()


def shared_colours(session: Session, by: ColourBy) -> GroupColours:
    """Return the colour of each group by name: one legend explains all maps, whichever groups each of them has.

    Parameters
    ----------
    session : Session
    by : ColourBy
        A column or "layer"; all others have no colours of this kind.
    """
    own = session.display_settings.group_colours.get(by.name, NO_COLOURS)
    active = session.runs.active
    tables = dict.fromkeys(run.table for run in (*session.runs, *([] if active is None else [active])))
    names = tuple(dict.fromkeys(chain.from_iterable(_names(by, table) for table in tables)))
    return {**own, **dict(zip(names, group_colours(names, own), strict=True))}


def _names(by: ColourBy, table: CellTable) -> tuple[str, ...]:
    found = _FOUND.setdefault(table, {})
    if by not in found:
        found[by] = group_names_of(by, table.features)
    return found[by]
