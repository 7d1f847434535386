"""Files that are of another format than their names say, as their first bytes tell."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple
from zipfile import BadZipFile, ZipFile

_N_BYTES = 128


class Content(NamedTuple):
    """What a file is by its content.

    Attributes
    ----------
    what : str
        For a sentence: "a Parquet file".
    ending : str
        What the names of such files end in.
    kind : {"text", "workbook", "parquet", "anndata", ""}
        As of a :class:`~latentmap.table.files.formats.Format`; "" for one that is not read.
    """

    what: str
    ending: str
    kind: Literal["text", "workbook", "parquet", "anndata", ""] = ""


GZIP = Content("packed by gzip", ".packed")
_PACKED = Content("packed", ".packed")
_STARTS = (
    (rb"\x89HDF\r\n", Content("an HDF5 file", ".h5ad or .h5", "anndata")),
    (rb"SQLite format 3\0", Content("an SQLite database", ".sqlite")),
    (rb"\x1f\x8b", GZIP),
    (rb"BZh\d1AY", _PACKED),
    (rb"FCS\d\.\d {4}", Content("an FCS file", ".fcs")),
    (rb"ARROW1\0\0", Content("a Feather file", ".feather")),
    (rb"<stata_dta>|[rs][\x01\x02]\x01\0", Content("a Stata file", ".dta")),
    (rb"\$FL2@\(#\)", Content("an SPSS file", ".sav")),
    (rb"\xd0\xcf\x11\xe0", Content("an old Excel workbook (.xls), or one with a password", ".xls")),
    (rb"II\*\0|MM\0\*", Content("a TIFF image", ".tif")),
    (rb"\s*(\[\s*)?\{\s*\"", Content("JSON", ".json")),
    (rb"(?i)\s*<(!doctype html|html\b)", Content("a web page", ".html")),
)
_WORKBOOK = Content("an Excel workbook", ".xlsx", "workbook")


def content_of(path: Path) -> Content | None:
    """Return what a file is by its content; None for text, folders, and what is not known.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "cells.csv")
    ...     _ = path.write_bytes(b"FCS3.1          256")
    ...     content_of(path).what
    'an FCS file'
    """
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            start = file.read(_N_BYTES)
            file.seek(-min(4, len(start)), 2)
            end = file.read()
    except OSError:
        return None
    # A column may be called PAR1, too.
    if start[:4] == end == b"PAR1":
        return Content("a Parquet file", ".parquet", "parquet")
    if start.startswith(b"PK\x03\x04"):
        return _of_archive(path)
    return next((found for pattern, found in _STARTS if re.match(pattern, start)), None)


def _of_archive(path: Path) -> Content | None:
    with suppress(BadZipFile, OSError, ValueError, NotImplementedError), ZipFile(path) as archive:
        members = archive.namelist()
        if "mimetype" in members:
            return Content("an OpenDocument file, as LibreOffice saves it", ".ods")
        if any(member.startswith("Index/") or member == "Index.zip" for member in members):
            return Content("a file of Apple's Numbers", ".numbers")
        is_workbook = any(member.startswith("xl/") for member in members) or path.suffix.lower() == ".xlsx"
        return _WORKBOOK if is_workbook else _PACKED
    return None
