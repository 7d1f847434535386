"""Arrays in a zip file, each under its fingerprint: what is equal is there once, what was tampered with is noticed."""

from hashlib import sha256
from io import BytesIO
from math import prod
from zipfile import ZipFile

import numpy as np
import pandas as pd
from numpy.lib import format as npy

VERSION = (1, 0)
"""Of the npy format; its other versions are for headers that no session has."""


class Damaged(ValueError):
    """A file holds something else than was written; the sentence says what."""


class TooLarge(ValueError):
    """A file holds more than there is memory for; the sentence says how much."""


class Shelf:
    """Puts arrays into a zip file, as npy, and gets them out again. Nothing is pickled.

    Parameters
    ----------
    archive : zipfile.ZipFile
    most : int, optional
        How many bytes all arrays together may have that are got out; one that is named twice counts twice.

    Attributes
    ----------
    frames : dict of str to pandas.DataFrame
        Tables read already, by their description.

    Examples
    --------
    >>> with ZipFile(BytesIO(), "w") as archive:
    ...     names = [Shelf(archive).put(np.arange(3)) for _ in range(2)]
    ...     names[0] == names[1], len(archive.namelist()), Shelf(archive).get(names[0])
    (True, 1, array([0, 1, 2]))
    """

    def __init__(self, archive: ZipFile, most: int | None = None) -> None:
        self._archive = archive
        self._most, self._taken = most, 0
        self._there = set(archive.namelist())
        self.frames: dict[str, pd.DataFrame] = {}

    def put(self, array: np.ndarray) -> str:
        """Write an array, unless it is there already.

        Parameters
        ----------
        array : ndarray

        Returns
        -------
        str
            Its fingerprint.

        Raises
        ------
        ValueError
            If it holds Python objects.
        """
        if array.dtype.hasobject:
            raise ValueError("An array of Python objects cannot be written to a session file: turn it into numbers.")
        # A copy, because the front end may go on painting labels between the fingerprint and the writing.
        array, digest = np.array(array, subok=False), _Digest()
        npy.write_array(digest, array, VERSION, allow_pickle=False)
        fingerprint = digest.sum.hexdigest()
        if (name := member(fingerprint)) not in self._there:
            with self._archive.open(name, "w", force_zip64=True) as file:
                npy.write_array(file, array, VERSION, allow_pickle=False)
            self._there.add(name)
        return fingerprint

    def get(self, fingerprint: str) -> np.ndarray:
        """Read an array.

        Parameters
        ----------
        fingerprint : str

        Returns
        -------
        ndarray
            Its own: it can be written to.

        Raises
        ------
        Damaged
            If it is not there, or not what was put there.
        TooLarge
            If there is no memory for it.
        """
        if (name := member(fingerprint)) not in self._there:
            raise Damaged(f"{name} is missing")
        self._taken += self._archive.getinfo(name).file_size
        if self._most is not None and self._taken > self._most:
            raise TooLarge(f"it unpacks to more than the {self._most / 2**30:.1f} GiB of memory that are free")
        data = bytearray()
        with self._archive.open(name) as file:
            while piece := file.read(1 << 20):
                data += piece
        if sha256(data).hexdigest() != fingerprint:
            raise Damaged(f"{name} is not what was written")
        return _array(data)


def member(fingerprint: str) -> str:
    """Return the name that an array has in the zip file.

    Parameters
    ----------
    fingerprint : str

    Returns
    -------
    str
    """
    return f"arrays/{fingerprint}.npy"


class _Digest:
    """Takes what would be written to a file."""

    def __init__(self) -> None:
        self.sum = sha256()

    def write(self, data: bytes) -> None:
        self.sum.update(data)


def _array(data: bytearray) -> np.ndarray:
    """The array that is stored, without a copy."""
    head = BytesIO(data[: 1 << 14])
    if npy.read_magic(head) != VERSION:
        raise Damaged("an array is of another version")
    shape, fortran, dtype = npy.read_array_header_1_0(head)
    if dtype.hasobject or prod(shape) * dtype.itemsize != len(data) - head.tell():
        raise Damaged("an array is not what it says")
    return np.ndarray(shape, dtype, data, head.tell(), order="F" if fortran else "C")
