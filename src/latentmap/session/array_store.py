"""Arrays in a zip file, each under its fingerprint: equal arrays are stored once, and changed ones are detected."""

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
"""The version of the npy format; other versions are for headers that do not occur here."""


class Damaged(ValueError):
    """A file does not hold what was written; the message says what is wrong."""


class ArrayStore:
    """Writes arrays to a zip file as npy, and reads them. Nothing is pickled.

    Attributes
    ----------
    tables : dict of str to pandas.DataFrame
        Tables already read, by their JSON.

    Examples
    --------
    >>> with ZipFile(BytesIO(), "w") as archive:
    ...     names = [ArrayStore(archive).put(np.arange(3)) for _ in range(2)]
    ...     names[0] == names[1], len(archive.namelist()), ArrayStore(archive).get(names[0])
    (True, 1, array([0, 1, 2]))
    """

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._there = set(archive.namelist())
        self.tables: dict[str, pd.DataFrame] = {}

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
        # A copy, because the user may paint labels between fingerprinting and writing.
        array, digest = np.array(array, subok=False), _Digest()
        npy.write_array(digest, array, VERSION, allow_pickle=False)
        fingerprint = digest.sum.hexdigest()
        if (name := member_name(fingerprint)) not in self._there:
            with self._archive.open(name, "w", force_zip64=True) as file:
                npy.write_array(file, array, VERSION, allow_pickle=False)
            self._there.add(name)
        return fingerprint

    def get(self, fingerprint: str) -> np.ndarray:
        """Read an array.

        Returns
        -------
        ndarray
            A new array, which can be modified.

        Raises
        ------
        Damaged
            If it is missing or was changed.
        """
        if (name := member_name(fingerprint)) not in self._there:
            raise Damaged(f"{name} is missing")
        data = bytearray()
        with self._archive.open(name) as file:
            while piece := file.read(1 << 20):
                data += piece
        if sha256(data).hexdigest() != fingerprint:
            raise Damaged(f"{name} is not what was written")
        return _array(data)


def unpacked_size(plain: Any, sizes: Mapping[str, int], frames: set[str]) -> int:
    """Return how many bytes a document's arrays will take: an array named twice is read twice.

    Parameters
    ----------
    plain : object
        The document, as read from JSON.
    sizes : mapping of str to int
        The sizes of the arrays in bytes, by fingerprint.
    frames : set of str
        The tables counted so far, which are made only once; new ones are added.

    Examples
    --------
    >>> unpacked_size([{"data": "a"}, {"data": "a"}, "b"], {"a": 100, "b": 1}, set())
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
    return sum(unpacked_size(part, sizes, frames) for part in plain) if isinstance(plain, list) else 0


def member_name(fingerprint: str) -> str:
    """Return the name of an array in the zip file."""
    return f"arrays/{fingerprint}.npy"


class _Digest:
    """Hashes what is written to it, like a file."""

    def __init__(self) -> None:
        self.sum = sha256()

    def write(self, data: bytes) -> None:
        self.sum.update(data)


def _array(data: bytearray) -> np.ndarray:
    """The array stored in npy format, without a copy."""
    head = BytesIO(data[: 1 << 14])
    if npy.read_magic(head) != VERSION:
        raise Damaged("an array is of another version")
    shape, fortran, dtype = npy.read_array_header_1_0(head)
    if dtype.hasobject or prod(shape) * dtype.itemsize != len(data) - head.tell():
        raise Damaged("an array does not match its header")
    return np.ndarray(shape, dtype, data, head.tell(), order="F" if fortran else "C")
