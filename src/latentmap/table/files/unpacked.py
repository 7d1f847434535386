"""Packed files: how much memory they take, as a few bytes may stand for gigabytes of zeros, and the text in them."""

import errno
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile, is_zipfile

from latentmap.memory import check_memory
from latentmap.table.text_numbers import Unreadable

# How many bytes of Python objects stand for one byte of a workbook's XML, and for one of a column in Parquet or HDF5,
# as measured.
_PER_BYTE_OF_XML, PER_BYTE_OF_COLUMN = 4, 2
# How many bytes of a packed text are written at a time.
_BLOCK = 1 << 24
_ADVICE = "If you did not expect a file as large as that, do not open it; otherwise save fewer columns or rows."


def check_unpacked(path: Path, needed: float) -> None:
    """Refuse a file that takes more memory than is free.

    Parameters
    ----------
    path : pathlib.Path
    needed : float
        In bytes.

    Raises
    ------
    Unreadable
        With the estimate.

    Examples
    --------
    >>> check_unpacked(Path("cells.parquet"), 1e6)
    """
    try:
        check_memory(needed, f'"{path.name}"', _ADVICE)
    except ValueError as error:
        raise Unreadable(str(error)) from None


def check_workbook(path: Path) -> None:
    """Refuse an Excel workbook that takes more memory than is free; other files are left to who reads them.

    Raises
    ------
    Unreadable
        With the estimate.
    """
    if is_zipfile(path):
        with ZipFile(path) as archive:
            check_unpacked(path, _PER_BYTE_OF_XML * sum(member.file_size for member in archive.infolist()))


def check_parquet(path: Path, metadata: Any) -> None:
    """Refuse a Parquet file that takes more memory than is free, given its metadata.

    Raises
    ------
    Unreadable
        With the estimate.
    """
    packed = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    # A value that is repeated in all rows is stored once.
    numbers = 8 * metadata.num_rows * metadata.num_columns
    check_unpacked(path, PER_BYTE_OF_COLUMN * max(packed, numbers))


@contextmanager
def unpacked_text(path: Path) -> Iterator[Path]:
    """Unpack a text that gzip has packed, for as long as it is read; any other file stays as it is.

    Yields
    ------
    pathlib.Path
        The text.

    Raises
    ------
    Unreadable
        If it takes more memory than is free, or more room than there is for files that do not last.
    """
    if not is_gzip(path):
        yield path
        return
    with TemporaryDirectory(prefix="latentmap-") as folder:
        text = Path(folder, path.name.removesuffix(path.suffix))
        try:
            _unpack(path, text)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise Unreadable(f'There is no room on the disk to unpack "{path.name}": unpack it elsewhere.') from error
        yield text


def is_gzip(path: Path) -> bool:
    """Return whether a file is packed by gzip; some programs unpack one and leave its name."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _unpack(path: Path, text: Path) -> None:
    with gzip.open(path) as packed, text.open("wb") as file:
        while block := packed.read(_BLOCK):
            check_unpacked(path, file.tell() + len(block))
            file.write(block)
