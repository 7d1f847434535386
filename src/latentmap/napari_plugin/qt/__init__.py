"""Pieces of Qt that know nothing of cells."""
