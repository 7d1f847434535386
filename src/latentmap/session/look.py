"""How the map is drawn."""

from dataclasses import dataclass
from typing import Any, ClassVar

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
    axes : tuple of int
        The map's axes that are drawn to the right and upwards, and, if there is a third, into the depth. Where a map
        has fewer axes, its first two are drawn.
    own_view : bool
        Whether the maps are drawn apart from the images. Three axes always are.

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
    axes: tuple[int, ...] = (0, 1)
    own_view: bool = False

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "colour_by" and not isinstance(value, By):
            raise ValueError(
                f'{value!r:.60} is nothing to colour by: give By("feature", "area"), with the name of a feature, or '
                'By("variance"), By("class"), By("layer"), By("frame").'
            )
        super().__setattr__(name, value)

    def axes_of(self, n_components: int) -> tuple[int, ...]:
        """Return the axes to draw of a map of so many dimensions.

        Parameters
        ----------
        n_components : int

        Returns
        -------
        tuple of int

        Examples
        --------
        >>> Look(axes=(0, 4)).axes_of(5), Look(axes=(0, 4)).axes_of(3)
        ((0, 4), (0, 1))
        """
        return self.axes if max(self.axes) < n_components else (0, 1)
