"""The colour map of continuous scales."""

from napari.utils.colormaps import Colormap

from latentmap.display.colours import scale_shades

SHADES = scale_shades(512)
"""The colours from the low to the high end of a scale, shape (512, 4)."""
SCALE = Colormap(SHADES, name="latentmap")
"""The same as a colour map."""
