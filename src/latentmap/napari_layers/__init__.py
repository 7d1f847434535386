"""napari's layers, without a window: finding cells in them, highlighting cells, and writing features back."""
