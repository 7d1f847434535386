"""The file formats of tables: which are read, which are written, and what their names end in."""

from pathlib import Path
from typing import Literal, NamedTuple

from latentmap.table.files.zarr_folder import is_anndata_store


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
    Format("10x Genomics", ".h5", "anndata", is_writable=False),
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


_EXCEL = "Open it in Excel, and save it as an Excel workbook (.xlsx)."
_R = "Read it in R, and write the table of cells with write.csv."
_DATABASE = "If it is CellProfiler's, its module ExportToSpreadsheet writes CSV files of the same cells."
_ADVICE = {
    **dict.fromkeys((".xls", ".xlsb", ".xlsm", ".ods"), _EXCEL),
    **dict.fromkeys((".gz", ".zip", ".bz2", ".xz", ".7z"), "It is packed: unpack it first."),
    ".fcs": "Export its events as CSV from a program that opens FCS files, such as FlowJo.",
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), _DATABASE),
    **dict.fromkeys((".rds", ".rda", ".rdata"), _R),
    ".loom": 'Write it as AnnData: scanpy.read_loom("{name}").write_h5ad("{stem}.h5ad").',
    ".xml": "If it is TrackMate's, export the table of spots as CSV there.",
    ".geojson": "If it is QuPath's, export the measurements of the cells there, as TSV.",
}


def advice_on(path: Path) -> str:
    """Say how to get a table that is read out of a file of another format.

    Examples
    --------
    >>> advice_on(Path("cells.csv.gz")), advice_on(Path("cells.odt"))
    ('It is packed: unpack it first.', 'Save it as one of these.')
    """
    if path.suffix.lower() == ".xls" and _holds_text(path):
        return "It holds text in spite of its name, as ImageJ writes it: rename it to end in .tsv."
    advice = _ADVICE.get(path.suffix.lower(), "Save it as one of these.")
    return advice.replace("{name}", path.name).replace("{stem}", path.stem)


def _holds_text(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            start = file.read(1 << 12)
    except OSError:
        return False
    # A workbook has empty bytes from the ninth on.
    return b"\t" in start and b"\0" not in start


def is_anndata(path: Path) -> bool:
    """Whether a file's name is that of an AnnData file or of counts read as one, or a folder is one in zarr."""
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
