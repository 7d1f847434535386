"""Instructions while the user compares cells."""

from latentmap.session import Session
from latentmap.session.wording import counted

_STEPS = (
    "Click a cell, in the image or on the map.",
    "Now click the cell that it is more like.",
    "Now click the cell that it is less like.",
)


def comparing_words(session: Session) -> str:
    """Say what to click next, how many comparisons there are, and which was the last.

    Examples
    --------
    >>> session = Session(lambda act: act())
    >>> comparing_words(session)
    'No comparisons yet.'
    >>> session.comparing.on = True
    >>> comparing_words(session)
    'Click a cell, in the image or on the map. No comparisons yet.'
    """
    comparing = session.comparing
    said = [_STEPS[len(comparing.picked)]] if comparing.on else []
    if not comparing.triplets:
        return " ".join([*said, "No comparisons yet."])
    keys = session.register.keys(comparing.triplets[-1])
    several = [place for place in (0, 1) if keys.get_level_values(place).nunique() > 1]
    one, alike, other = (" ".join([str(key[2]), *(f"({key[place]})" for place in several)]) for key in keys)
    said.append(f"{counted(len(comparing.triplets), 'comparison')}; the last: {one} is more like {alike} than {other}.")
    return " ".join(said)
