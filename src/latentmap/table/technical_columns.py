"""Columns that say how cells were recorded or found, or what was made of their measurements before."""

import re
from collections.abc import Iterable

RECORDED = "the map would show how cells were recorded or found"
CLASSIFIED = "the map would show a classification that was made before"
ORDERED = "the map would show an order of cells that was found before"

# What mass cytometers fit to the signal of each cell. Beside others, one of these names may be a measurement.
_SIGNAL, _FEWEST = {"center", "offset", "width", "residual"}, 3
_EVENT_LENGTH = {"event_length", "event length", "eventlength"}
# The metals of mass cytometry, as in "(Ir191)Di" and "Nd142Di".
_METAL = re.compile(r"[A-Z][a-z]?\d{2,3}\)?Di")
# TrackMate's other columns.
_OF_TRACKMATE = re.compile(r"POSITION_[XYZT]|TRACK_ID|VISIBILITY|(MEAN|MEDIAN)_INTENSITY_CH\d+")
# Of ilastik, QuPath, CellProfiler and Seurat.
_CLASS = re.compile(
    r"probability of .+|predicted class|classification|classify_.+|prediction[._]score.*", re.IGNORECASE
)
_ORDER = re.compile(r"pseudo_?time|(?<![a-z])latent_time(?![a-z])", re.IGNORECASE)


def technical(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the columns that measure nothing of a cell itself, by the reason why no map is made of them.

    Parameters
    ----------
    names : iterable of str
        All columns: what some of them are, only the others tell.

    Examples
    --------
    >>> technical(["CD3", "Center", "Offset", "Width", "Residual", "Event_length"])[RECORDED]
    ['Center', 'Offset', 'Width', 'Residual', 'Event_length']
    >>> list(technical(["Area", "Width", "dpt_pseudotime", "Probability of mitosis"]).values())
    [['Probability of mitosis'], ['dpt_pseudotime']]
    """
    names = list(names)
    found = {
        RECORDED: [*_of_cytometry(names), *_of_trackmate(names)],
        CLASSIFIED: [name for name in names if _CLASS.fullmatch(name)],
        ORDERED: [name for name in names if _ORDER.search(name)],
    }
    return {reason: some for reason, some in found.items() if some}


def _of_cytometry(names: list[str]) -> list[str]:
    signal = {name for name in names if name.lower() in _SIGNAL}
    length = {name for name in names if name.lower() in _EVENT_LENGTH}
    has_metals = sum(_METAL.search(name) is not None for name in names) >= _FEWEST
    is_complete = len({name.lower() for name in signal}) == len(_SIGNAL)
    is_signal = is_complete or (len(signal) >= _FEWEST and (has_metals or bool(length)))
    found = (signal if is_signal else set()) | (length if is_signal or has_metals else set())
    return [name for name in names if name in found]


def _of_trackmate(names: list[str]) -> list[str]:
    """The quality of a spot's detection."""
    is_of_trackmate = any(_OF_TRACKMATE.fullmatch(name) for name in names)
    return [name for name in names if name == "QUALITY" and is_of_trackmate]
