"""Multidimensional scaling, in its forms: maps that keep distances."""
