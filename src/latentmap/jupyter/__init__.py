"""Maps and images of cells in a notebook."""

from latentmap.extras import require

require("latentmap.jupyter", "jupyter", "pandas", "psygnal", "skimage", "ipywidgets", "anywidget", "matplotlib")

from latentmap.images.crops import Channel
from latentmap.jupyter.explore import explore, open_session
from latentmap.jupyter.explorer import Explorer
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.labelled_image import LabelledImage
from latentmap.jupyter.selected_rows import link

__all__ = ["Channel", "Explorer", "ImagePane", "LabelledImage", "explore", "link", "open_session"]
