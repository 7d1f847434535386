"""What is in the viewer: the maps, the layers of cells, and the link between them."""
