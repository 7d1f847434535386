"""Instructions while the user compares cells."""

from latentmap.session import Session
from latentmap.session.wording import counted
from latentmap.table import KEY
from latentmap.table.key_parts import n_distinct

_STEPS = (
    "Click a cell, in the image or on the map.",
    "Now click the cell that is more like it.",
    "Now click the cell that is less like it.",
)


def comparison_help(session: Session) -> str:
    """Say what to click next, how many comparisons there are, and what the last one was.

    Examples
    --------
    >>> session = Session(lambda act: act())
    >>> comparison_help(session)
    'No comparisons yet.'
    >>> session.comparisons.on = True
    >>> comparison_help(session)
    'Click a cell, in the image or on the map. No comparisons yet.'
    """
    comparing = session.comparisons
    sentences = [_STEPS[len(comparing.picked)]] if comparing.on else []
    if not comparing.triplets:
        return " ".join([*sentences, "No comparisons yet."])
    keys = session.cell_index.keys(comparing.triplets[-1])
    # Layer and frame are named only if the three cells differ in them.
    differing = [place for place, part in enumerate(KEY[:2]) if n_distinct(keys, part) > 1]
    one, alike, other = (" ".join([str(key[2]), *(f"({key[place]})" for place in differing)]) for key in keys)
    n_made = counted(len(comparing.triplets), "comparison")
    return " ".join([*sentences, f"{n_made}; the last: {one} is more like {alike} than {other}."])
