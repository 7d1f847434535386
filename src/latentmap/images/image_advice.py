"""What to do with files that hold images, labels or outlines, but are not read."""

from pathlib import Path

# Bio-Formats reads them, and is a part of Fiji.
_MICROSCOPES = {
    **dict.fromkeys((".lif", ".xlef", ".lof", ".scn"), "Leica's"),
    **dict.fromkeys((".czi", ".lsm", ".zvi"), "Zeiss's"),
    ".nd2": "Nikon's",
    **dict.fromkeys((".oib", ".oif", ".oir", ".vsi"), "Olympus's (Evident's)"),
    ".ims": "Imaris's",
    ".dv": "DeltaVision's",
    ".stk": "MetaMorph's",
    **dict.fromkeys((".svs", ".qptiff", ".mrxs", ".ndpi"), "a slide scanner's"),
}
_ROIS = (
    "It holds ImageJ's regions of interest, and no pixels: turn them into a labels image in Fiji, for instance with "
    "BIOP's command ROIs to Label image, and save that as TIFF."
)
_ARRAYS = 'In Python, save the array of labels by itself: tifffile.imwrite("labels.tif", labels).'
_ADVICE = {
    ".roi": _ROIS,
    ".geojson": (
        "It holds outlines, as QuPath writes them, and no pixels: export the cells there as a labelled image in "
        "TIFF (with a script that uses LabeledImageServer), or their measurements as a table."
    ),
    **dict.fromkeys((".h5", ".hdf5"), "If it is from ilastik, export it there in the format tif instead of hdf5."),
    **dict.fromkeys((".npz", ".mat", ".pkl"), _ARRAYS),
    **dict.fromkeys((".csv", ".tsv", ".xlsx", ".parquet", ".h5ad"), "It is a table: images and labels are measured."),
}


def image_advice(path: Path) -> str:
    """Say how to get an image that is read out of a file of another format.

    Examples
    --------
    >>> image_advice(Path("stack.LIF"))
    "It is Leica's format: open it in Fiji (File > Import > Bio-Formats), and save it as OME-TIFF."
    >>> image_advice(Path("cells.webp"))
    'Save it as one of these, for instance as OME-TIFF.'
    """
    ending = path.suffix.lower()
    if ending in _MICROSCOPES:
        owner = _MICROSCOPES[ending]
        return f"It is {owner} format: open it in Fiji (File > Import > Bio-Formats), and save it as OME-TIFF."
    if ending == ".zip":
        return f"If it is Fiji's ROI manager's: {_ROIS[0].lower()}{_ROIS[1:]} Otherwise unpack it first."
    return _ADVICE.get(ending, "Save it as one of these, for instance as OME-TIFF.")


def is_of_objects(path: Path) -> bool:
    """Return whether a NumPy file holds Python's objects instead of numbers, as Cellpose's ``_seg.npy`` does.

    Only its header is read: to open the objects would run what is in them.

    Examples
    --------
    >>> is_of_objects(Path("missing.npy"))
    False
    """
    try:
        with path.open("rb") as file:
            start = file.read(256)
    except OSError:
        return False
    return start.startswith(b"\x93NUMPY") and b"'descr': '|O'" in start


def advice_on_objects(path: Path) -> str:
    """Say what to save instead of a NumPy file with Python's objects.

    Examples
    --------
    >>> advice_on_objects(Path("a_seg.npy"))[:62]
    '"a_seg.npy" holds objects of Python, as the _seg.npy files of '
    """
    return (
        f'"{path.name}" holds objects of Python, as the _seg.npy files of Cellpose do. It is not opened, as it '
        "could run any program. Save the masks as an image instead: in Cellpose, File > Save masks as PNG/tif."
    )
