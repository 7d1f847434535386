"""latentmap in napari: the panel, the map layer, and the link between map and labels."""
