"""The colours of scales, as napari has them."""

import numpy as np
from napari.utils.colormaps import ensure_colormap

SCALE = ensure_colormap("viridis")
"""From the low to the high end of a scale."""
SHADES = SCALE.map(np.linspace(0, 1, 512))
"""The same, to be looked up."""
