"""The parameters that the user sets."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from psygnal import SignalGroupDescriptor


@dataclass
class Parameters:
    """What shapes the map.

    ``parameters.events`` holds one signal a field, named like the field and emitted as ``(new, old)`` when
    the field changes; views connect to these and set the fields, and know nothing of each other.

    Parameters
    ----------
    n_neighbors : int
        Neighbours of each cell (k). A larger k draws the map by larger groups.
    n_steps : int
        Steps (s) within which the neighbours' neighbours must find back. A larger s keeps more neighbours.
    n_levels : int or "auto"
        Levels of coarse-graining (l). Each level makes large tables faster and far distances coarser.
    n_components : int
        Dimensions of the map (d).
    features : tuple of str
        The features that shape the map.
    scaling : {"standard", "none"}
        "standard" gives every feature mean 0 and variance 1, so that no unit outweighs another.

    Examples
    --------
    >>> parameters = Parameters()
    >>> _ = parameters.events.n_neighbors.connect(lambda new, old: print("k was", old, "and is", new))
    >>> parameters.n_neighbors = 15
    k was 22 and is 15
    """

    events: ClassVar[SignalGroupDescriptor] = SignalGroupDescriptor()

    n_neighbors: int = 22
    n_steps: int = 2
    n_levels: int | Literal["auto"] = "auto"
    n_components: int = 2
    features: tuple[str, ...] = ()
    scaling: Literal["standard", "none"] = "standard"
