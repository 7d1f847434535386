"""Arrays in a zip file, each under its fingerprint: what is equal is there once, what was tampered with is noticed."""

import json
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from math import prod
from typing import Any
from zipfile import ZipFile

import numpy as np
import pandas as pd
from numpy.lib import format as npy

VERSION = (1, 0)
"""Of the npy format; its other versions are for headers that no session has."""


class Damaged(ValueError):
    """A file holds something else than was written; the sentence says what."""


class Shelf:
    """Puts arrays into a zip file, as npy, and gets them out again. Nothing is pickled.

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

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._there = set(archive.namelist())
        self.frames: dict[str, pd.DataFrame] = {}

    def put(self, array: np.ndarray) -> str:
        """Write an array, unless it is there already.

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

        Returns
        -------
        ndarray
            Its own: it can be written to.

        Raises
        ------
        Damaged
            If it is not there, or not what was put there.
        """
        if (name := member(fingerprint)) not in self._there:
            raise Damaged(f"{name} is missing")
        data = bytearray()
        with self._archive.open(name) as file:
            while piece := file.read(1 << 20):
                data += piece
        if sha256(data).hexdigest() != fingerprint:
            raise Damaged(f"{name} is not what was written")
        return _array(data)


def asked_for(plain: Any, sizes: Mapping[str, int], frames: set[str]) -> int:
    """Return how many bytes all arrays have that a document names: one that is named twice is there twice.

    Parameters
    ----------
    plain : object
        What JSON said.
    sizes : mapping of str to int
        Of the arrays, by their fingerprints.
    frames : set of str
        The tables counted already, which are made once only; it grows.

    Examples
    --------
    >>> asked_for([{"data": "a"}, {"data": "a"}, "b"], {"a": 100, "b": 1}, set())
    201
    """
    if isinstance(plain, str):
        return sizes.get(plain, 0)
    if isinstance(plain, dict):
        if plain.keys() == {"keys", "names", "columns"}:
            frame = json.dumps(plain)
            if frame in frames:
                return 0
            frames.add(frame)
        plain = list(plain.values())
    return sum(asked_for(part, sizes, frames) for part in plain) if isinstance(plain, list) else 0


def member(fingerprint: str) -> str:
    """Return the name that an array has in the zip file."""
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
