"""Which layers a session knows cells of, by the names in their keys."""

import numpy as np

from latentmap.session.session import Session


def layers_in_use(session: Session) -> set[str]:
    """Return the names of layers, in the keys of cells, that must stay: the session would lose their cells.

    Parameters
    ----------
    session : Session
        Its maps, the run under way, the classes, gates and comparisons, and the cells selected and dropped.

    Examples
    --------
    >>> session = Session(lambda call: call())
    >>> session.classes.assign("T", session.cell_index.add([("field 1", 0, 3), ("field 2", 0, 3)])[:1])
    >>> layers_in_use(session)
    {'field 1'}
    """
    runs = [*session.runs, *([] if session.runs.active is None else [session.runs.active])]
    cells = [session.classes.members(name) for name in session.classes.names]
    cells += [session.dropped.numbers, session.selection.numbers, np.ravel(session.comparisons.triplets)]
    return {
        *(name for run in runs for name in run.table.features.index.unique("layer")),
        *session.cell_index.keys(np.concatenate(cells).astype(np.int64)).unique("layer"),
        *(name for gate in session.gates for name in gate.own),
    }
