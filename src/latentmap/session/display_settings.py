"""How maps are drawn."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from psygnal import SignalGroupDescriptor

from latentmap.session.colouring import VARIANCE, ColourBy, Kind

Tracks = Literal["none", "selected", "all"]


@dataclass
class DisplaySettings:
    """How maps are drawn.

    ``look.events`` holds one signal per field, as in :class:`~latentmap.session.Parameters`.

    Parameters
    ----------
    colour_by : ColourBy
        What the points are coloured by.
    sized_by_variance : bool
        Whether uncertain points are drawn larger.
    axes : tuple of int
        The map's axes that are drawn to the right, upwards and, if there is a third, into the depth. If a map does not
        have them, its first two axes are drawn.
    own_view : bool
        Whether maps are drawn in a view of their own, apart from the images. Maps with three axes always are.
    names_on_map : bool
        Whether the names of groups are written on the maps.
    group_colours : mapping of str to mapping of str to str
        The colours that tables give their groups, by column and group.
    colour_images : bool or None
        Whether the cells in the images have the colours that they have on the map; None for as soon as there are
        classes.
    show_all : bool
        Whether a map is fitted to all of its cells, instead of drawing those far out at its edge.
    tracks : {"none", "selected", "all"}
        Whose tracks are drawn on the maps; unless it is "none", the cells of the frame shown stand out.
    hollow_doubtful : bool
        Whether doubtful cells of a map that was checked are drawn hollow.
    neighbor_lines : bool
        Whether lines join the cell under the mouse to its true neighbours.

    Examples
    --------
    >>> look = DisplaySettings()
    >>> _ = look.events.colour_by.connect(lambda new, old: print(new.name or new.kind))
    >>> look.colour_by = ColourBy("feature", "area")
    area
    """

    events: ClassVar[SignalGroupDescriptor] = SignalGroupDescriptor()

    colour_by: ColourBy = VARIANCE
    sized_by_variance: bool = False
    axes: tuple[int, ...] = (0, 1)
    own_view: bool = False
    names_on_map: bool = True
    group_colours: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    colour_images: bool | None = None
    show_all: bool = False
    tracks: Tracks = "none"
    hollow_doubtful: bool = False
    neighbor_lines: bool = False

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "colour_by" and not _is_quantity(value):
            raise ValueError(
                f'Cells cannot be coloured by {value!r:.60}: give ColourBy("feature", "area"), with the name of a '
                f"feature, "
                'or ColourBy("variance"), ColourBy("lost neighbours"), ColourBy("stability"), ColourBy("class"), '
                'ColourBy("layer"), ColourBy("frame").'
            )
        if name == "tracks" and value not in get_args(Tracks):
            raise ValueError(f"Tracks are drawn of {value!r:.40}: give one of {', '.join(get_args(Tracks))}.")
        super().__setattr__(name, value)

    def axes_of(self, n_components: int) -> tuple[int, ...]:
        """Return the axes of a map to be drawn.

        Parameters
        ----------
        n_components : int
            The number of dimensions of the map.

        Returns
        -------
        tuple of int
            `axes` if the map has them; otherwise its first two.

        Examples
        --------
        >>> DisplaySettings(axes=(0, 4)).axes_of(5), DisplaySettings(axes=(0, 4)).axes_of(3)
        ((0, 4), (0, 1))
        """
        return self.axes if max(self.axes) < n_components else (0, 1)


def _is_quantity(value: Any) -> bool:
    """Whether cells can be coloured by a value: only a feature has a name."""
    is_known = isinstance(value, ColourBy) and value.kind in get_args(Kind)
    return is_known and (value.kind == "feature" or not value.name)
