"""Napari's layers without a window: the cells in them, where these lie, lighting them up, writing them back."""
