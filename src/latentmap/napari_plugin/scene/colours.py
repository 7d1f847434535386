"""The colour map of continuous scales."""

import numpy as np
from napari.utils.colormaps import ensure_colormap

SCALE = ensure_colormap("viridis")
"""The colours from the low to the high end of a scale."""
SHADES = SCALE.map(np.linspace(0, 1, 512))
"""The same as a table of 512 RGBA colours."""
