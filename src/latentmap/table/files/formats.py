"""The file formats of tables: which are read, which are written, and what their names end in."""

from pathlib import Path
from typing import Literal, NamedTuple

from latentmap.table.files.disguised import GZIP, content_of
from latentmap.table.files.zarr_folder import is_anndata_store
from latentmap.table.text_numbers import Unreadable


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


_GZIP = ".gz"
READABLE = (
    Format("CSV", ".csv", "text", separator=","),
    Format("TSV", ".tsv", "text", separator="\t"),
    Format("TXT", ".txt", "text", is_writable=False),
    Format("DAT", ".dat", "text", is_writable=False),
    Format("packed text", _GZIP, "text", is_writable=False),
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
    >>> format_of(Path("cells.TSV")).name, format_of(Path("cells.csv.gz")).name, format_of(Path("cells.ods"))
    ('TSV', 'packed text', None)
    """
    found = next((one for one in READABLE if one.ending == path.suffix.lower()), None)
    if found is None or found.ending != _GZIP:
        return found
    within = format_of(path.with_suffix(""))
    return found if within is not None and within.kind == "text" and within.ending != _GZIP else None


_EXCEL = "Open it in Excel or LibreOffice, and save it as an Excel workbook (.xlsx)."
_R = "Read it in R, and write the table of cells with write.csv."
_DATABASE = "If it is CellProfiler's, its module ExportToSpreadsheet writes CSV files of the same cells."
_STATISTICS = "Open it in {program}, and export the table as CSV."
_FEATHER = 'In Python, write it as CSV: pandas.read_feather("{name}").to_csv("{stem}_table.csv", index=False).'
_COUNTS = (
    'It needs its files of barcodes and genes: scanpy.read_10x_mtx(folder).write_h5ad("cells.h5ad") writes all as '
    "AnnData. Or open the .h5 file that Cell Ranger writes beside the folder."
)
_IMAGE = "It is an image: measure its cells first, here or with the command latentmap measure."
_MICROSCOPE = "It is a microscope's image: open it in Fiji, save it as OME-TIFF, and measure its cells first."
_ADVICE = {
    **dict.fromkeys((".xls", ".xlsb", ".xlsm", ".ods"), _EXCEL),
    ".numbers": "Open it in Numbers, and save it with File > Export To > Excel.",
    **dict.fromkeys((".gz", ".bz2", ".xz", ".7z"), "It is packed: unpack it first."),
    ".zip": "It is packed: unpack it first. ImageJ's regions of interest hold no measurements: measure them there.",
    # What `content_of` finds packed may be anything.
    ".packed": "Unpack it first; if R wrote it, write the table there with write.csv.",
    ".fcs": "Export its events as CSV from a program that opens FCS files, such as FlowJo.",
    ".wsp": "Export the events of a population as CSV from FlowJo.",
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), _DATABASE),
    **dict.fromkeys((".rds", ".rda", ".rdata", ".qs", ".h5seurat"), _R),
    **dict.fromkeys((".sav", ".zsav"), _STATISTICS.replace("{program}", "SPSS")),
    ".dta": _STATISTICS.replace("{program}", "Stata"),
    **dict.fromkeys((".sas7bdat", ".xpt"), _STATISTICS.replace("{program}", "SAS")),
    ".jmp": _STATISTICS.replace("{program}", "JMP"),
    **dict.fromkeys((".pzfx", ".prism"), _STATISTICS.replace("{program}", "GraphPad Prism")),
    ".table": "If it is KNIME's, write it with the node CSV Writer.",
    **dict.fromkeys((".feather", ".arrow"), _FEATHER),
    ".npy": "Labels and images are measured first; of Cellpose's _seg.npy, save the masks as TIFF before.",
    **dict.fromkeys((".npz", ".mat"), "It holds arrays without names of columns: write the table as CSV."),
    **dict.fromkeys((".pkl", ".pickle"), "To open it could run any program: let who made it write the table as CSV."),
    ".loom": 'Write it as AnnData: scanpy.read_loom("{name}").write_h5ad("{stem}.h5ad").',
    ".h5mu": "In Python, write one of its modalities as AnnData, with write_h5ad.",
    ".mtx": _COUNTS,
    ".gef": "In Python, stereopy writes its cells as AnnData (.h5ad).",
    ".gem": "It lists molecules: in Python, stereopy writes the cells of them as AnnData (.h5ad).",
    ".json": "Have the program that made it write it as CSV.",
    **dict.fromkeys((".html", ".htm"), "Download the table again: this may be a page to log in."),
    ".xml": "If it is TrackMate's, export the table of spots as CSV there.",
    ".geojson": "If it is QuPath's, export the measurements of the cells there, as TSV.",
    ".qpdata": "Export the measurements of the cells from QuPath, as TSV.",
    ".roi": "ImageJ's regions of interest hold no measurements: measure them there, and save the results as CSV.",
    **dict.fromkeys((".tif", ".tiff", ".png", ".jpg", ".jpeg", ".bmp"), _IMAGE),
    **dict.fromkeys((".lif", ".czi", ".nd2", ".ims", ".lsm", ".oib", ".vsi"), _MICROSCOPE),
}


def advice_on(path: Path) -> str:
    """Say how to get a table that is read out of a file of another format.

    Examples
    --------
    >>> advice_on(Path("cells.csv.xz")), advice_on(Path("cells.odt"))
    ('It is packed: unpack it first.', 'Save it as one of these.')
    """
    if path.suffix.lower() == ".xls" and _holds_text(path):
        return "It holds text in spite of its name, as ImageJ writes it: rename it to end in .tsv."
    advice = _ADVICE.get(path.suffix.lower(), "Save it as one of these.")
    return _filled(advice, path)


def check_content(path: Path, found: Format) -> None:
    """Refuse a file that is of another format than its name says.

    Raises
    ------
    Unreadable
        Saying what it is, and what to do.
    """
    content = content_of(path)
    if content is None or content.kind == found.kind or (content == GZIP and found.ending == _GZIP):
        return
    advice = _ADVICE.get(content.ending, "") if not content.kind else f"Rename it to end in {content.ending}."
    raise Unreadable(f'"{path.name}" is {content.what}, in spite of its name. {_filled(advice, path)}')


def _filled(advice: str, path: Path) -> str:
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
