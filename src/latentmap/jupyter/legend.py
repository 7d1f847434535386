"""The legend as HTML, for the notebook and for the HTML export."""

from collections.abc import Sequence
from html import escape

import matplotlib

from latentmap.display.colours import legend
from latentmap.jupyter.map_controller import SHADES
from latentmap.session import ColourGroups, ColourScale

_STOPS = 16


def as_html(colouring: ColourScale | ColourGroups | None, names: Sequence[str] | None = None) -> str:
    """Show what colours mean: the shades and ends of a scale, or the colour of each group.

    `names` are the labels of the groups, as HTML; by default these are their names.

    Examples
    --------
    >>> import numpy as np
    >>> as_html(ColourGroups("class", np.array([-1]), (), ()))
    "<div style='line-height:1.4'>no class yet</div>"
    """
    lines = [escape(line) for line in legend(colouring)]
    if isinstance(colouring, ColourGroups) and colouring.names:
        lines = [f"{swatch(colour)} {name}" for colour, name in zip(colouring.colours, names or lines, strict=True)]
    elif isinstance(colouring, ColourScale):
        shades = ", ".join(matplotlib.colors.to_hex(shade) for shade in SHADES[:: len(SHADES) // _STOPS])
        lines.insert(0, f"<div style='height:10px; background:linear-gradient(to right, {shades})'></div>")
    return "".join(f"<div style='line-height:1.4'>{line}</div>" for line in lines)


def swatch(colour: str) -> str:
    """Show a colour as HTML."""
    return f"<span style='display:inline-block; width:1em; height:.8em; background:{colour}'></span>"
