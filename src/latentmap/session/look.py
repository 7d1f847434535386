"""How the map is drawn."""

from dataclasses import dataclass
from typing import ClassVar

from psygnal import SignalGroupDescriptor

from latentmap.session.colouring import VARIANCE, By


@dataclass
class Look:
    """How the map is drawn.

    ``look.events`` holds one signal a field, as :class:`~latentmap.session.Parameters` has it.

    Parameters
    ----------
    colour_by : By
        What the colours of the points mean.
    sized_by_variance : bool
        Whether points of uncertain place are drawn larger.

    Examples
    --------
    >>> look = Look()
    >>> _ = look.events.colour_by.connect(lambda new, old: print(new.name or new.kind))
    >>> look.colour_by = By("feature", "area")
    area
    """

    events: ClassVar[SignalGroupDescriptor] = SignalGroupDescriptor()

    colour_by: By = VARIANCE
    sized_by_variance: bool = False
