"""Columns that are the pixels of the cells' pictures."""

import re

_PIXEL = re.compile(r"_pixel_\d\d_\d\d$")


def pixel_columns(channel: str, size: int) -> list[str]:
    """Return the names of the features that are the pixels of one channel, row by row.

    Examples
    --------
    >>> pixel_columns("DNA", 2)
    ['DNA_pixel_00_00', 'DNA_pixel_00_01', 'DNA_pixel_01_00', 'DNA_pixel_01_01']
    """
    return [f"{channel}_pixel_{row:02}_{column:02}" for row in range(size) for column in range(size)]


def is_pixel(name: str) -> bool:
    """Return whether a feature's name is that of a pixel of the cells' pictures.

    Examples
    --------
    >>> is_pixel("DNA_pixel_00_15"), is_pixel("pixel_size")
    (True, False)
    """
    return _PIXEL.search(name) is not None
