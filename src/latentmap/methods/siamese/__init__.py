"""Siamese networks, which learn from pairs of cells to place cells."""
