"""The colours of groups."""

from collections.abc import Mapping, Sequence
from colorsys import hls_to_rgb
from types import MappingProxyType

PALETTE = (
    # Okabe and Ito (2008), without black: colour-blind people can tell them apart.
    *("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"),
    # Found in turn as Glasbey et al. (2007), https://doi.org/10.1002/col.20327, do: each is the sRGB colour furthest by
    # CIEDE2000 from those before it and from the grey of cells without a group. Only colours are taken whose contrast
    # is at least 2 with white and 2.5 with black.
    *("#7808b8", "#a00030", "#305800", "#704800", "#809000", "#b8b8a8", "#005858", "#9070ff", "#e8a898", "#ff3850"),
    *("#08d010", "#b0b0d0", "#684860", "#00c8c8", "#c80088", "#906050", "#ff00ff", "#408890", "#a08860", "#485090"),
    *("#8078a0", "#607858", "#c81000"),
)
"""Thirty colours that can be told apart, the first seven by colour-blind people, too."""

GroupColours = Mapping[str, str]
"""The colour of each group of a column by the group's name, as ``#rrggbb``."""

NO_COLOURS: GroupColours = MappingProxyType({})


def next_colour(taken: Sequence[str]) -> str:
    """Return a colour for a new group.

    Parameters
    ----------
    taken : sequence of str
        The colours of the existing groups.

    Returns
    -------
    str
        As ``#rrggbb``: the first of :data:`PALETTE` that is free or, if none is, a further hue.

    Examples
    --------
    >>> next_colour(["#e69f00"])
    '#56b4e9'
    """
    if free := [colour for colour in PALETTE if colour not in taken]:
        return free[0]
    # The golden angle keeps the hues of any number of groups apart.
    red, green, blue = hls_to_rgb(0.618034 * len(taken) % 1, 0.55, 0.65)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def group_colours(names: Sequence[str], own: GroupColours = NO_COLOURS) -> tuple[str, ...]:
    """Return the colour of each group: its own if it has one, otherwise one that no other has.

    Examples
    --------
    >>> group_colours(["B", "T", "NK"], {"T": "#e69f00"})
    ('#56b4e9', '#e69f00', '#009e73')
    """
    taken, found = [own[name] for name in names if name in own], []
    for name in names:
        if name not in own:
            taken.append(next_colour(taken))
        found.append(own.get(name, taken[-1]))
    return tuple(found)
