"""The file formats of tables: which are read, which are written, and what their names end in."""

from pathlib import Path
from typing import Literal, NamedTuple

from latentmap.table.zarr_folder import is_anndata_store


class Format(NamedTuple):
    """A file format of tables.

    Attributes
    ----------
    name : str
        As the user knows it.
    ending : str
        What the names of its files end in, with the point.
    kind : {"text", "workbook", "parquet", "anndata"}
        Formats of one kind share a reader and a writer.
    separator : str
        What stands between two values when text is written.
    is_writable : bool
        Whether tables are saved in it; all formats are read.
    """

    name: str
    ending: str
    kind: Literal["text", "workbook", "parquet", "anndata"]
    separator: str = ""
    is_writable: bool = True


READABLE = (
    Format("CSV", ".csv", "text", separator=","),
    Format("TSV", ".tsv", "text", separator="\t"),
    Format("TXT", ".txt", "text", is_writable=False),
    Format("DAT", ".dat", "text", is_writable=False),
    Format("Excel", ".xlsx", "workbook", is_writable=False),
    Format("Parquet", ".parquet", "parquet"),
    Format("AnnData", ".h5ad", "anndata"),
)
"""The formats that tables are read from."""

WRITABLE = tuple(one for one in READABLE if one.is_writable)
"""The formats that tables are saved in."""


def format_of(path: Path) -> Format | None:
    """Return the format that a file's name stands for; None if it is none of ours.

    Examples
    --------
    >>> format_of(Path("cells.TSV")).name, format_of(Path("cells.ods"))
    ('TSV', None)
    """
    return next((one for one in READABLE if one.ending == path.suffix.lower()), None)


def is_anndata(path: Path) -> bool:
    """Whether a file's name is that of an AnnData file, or a folder is one in zarr."""
    if path.is_dir():
        return is_anndata_store(path)
    found = format_of(path)
    return found is not None and found.kind == "anndata"


def endings(formats: tuple[Format, ...]) -> str:
    """List the endings of formats for a sentence.

    Examples
    --------
    >>> endings(WRITABLE)
    '.csv, .tsv, .parquet or .h5ad (AnnData)'
    """
    *first, last = (
        one.ending if one.ending == f".{one.name.lower()}" else f"{one.ending} ({one.name})" for one in formats
    )
    return f"{', '.join(first)} or {last}"
