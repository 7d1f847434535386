"""Cells to try things on: real tissue, and synthetic ones of which the truth is known."""
