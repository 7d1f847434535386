"""Columns that say how cells were recorded or found, or what was made of their measurements before."""

import re
from collections.abc import Iterable

RECORDED = "the map would show how cells were recorded or found"
CLASSIFIED = "the map would show a classification that was made before"
CONTROLS = "they count probes that fit no gene"
ORDERED = "the map would show an order of cells that was found before"
TURNED = "the map would show how cells lie in their images"

# What mass cytometers fit to the signal of each cell. Beside others, one of these names may be a measurement.
_SIGNAL, _FEWEST = {"center", "offset", "width", "residual"}, 3
_EVENT_LENGTH = {"event_length", "event length", "eventlength"}
# The metals of mass cytometry, as in "(Ir191)Di" and "Nd142Di", and as in "191Ir_DNA1".
_METAL = re.compile(r"[A-Z][a-z]?\d{2,3}\)?Di|^\d{2,3}[A-Z][a-z]?_")
# Besides, cytometers say how far a cell is from the beads of calibration.
_BEADS = {"beaddist", "bead_distance"}
# What mass cytometers measure of these beads, of codes of samples, and of no tag: "140Ce_Bead", "Bead(Ce140)Di",
# "102Pd_Barcode", "190BCKG" and "Xe131Di". Elsewhere cells may take up beads, and these are counted.
_ISOTOPE = r"\(?(?:\d{2,3}[A-Z][a-z]?|[A-Z][a-z]?\d{2,3})\)?(?:D[di])?\)?"
_BEAD = r"(?:eq\d?[ _-]?)?beads?[ _-]?\d?|eq\d?"
_NO_TAG = r"\(?(?:\d{2,3}(?:BCKG|ArAr|Xe)|(?:BCKG|ArAr|Xe)\d{2,3})\)?(?:D[di])?"
_OF_NO_CELL = re.compile(
    rf"(?:Comp-)?{_ISOTOPE}[ _-]*(?i:{_BEAD}|barcode[ _-]?\d*|bc[ _-]?\d+)|(?i:{_BEAD})[ _-]*{_ISOTOPE}"
    rf"|(?i:eq\d?[ _-]?beads?)|{_NO_TAG}(?:_{_NO_TAG})?"
)
_MAY_BE_BEADS = re.compile(_BEAD, re.IGNORECASE)
# TrackMate's other columns.
_BY_TRACKMATE = {"QUALITY", "VISIBILITY", "MANUAL_COLOR", "MANUAL_SPOT_COLOR", "MANUAL_EDGE_COLOR"}
_OF_TRACKMATE = re.compile(r"POSITION_[XYZT]|TRACK_ID|VISIBILITY|(MEAN|MEDIAN)_INTENSITY_CH\d+")
# How long CellProfiler took, and for which group of images, how sure StarDist was, how many probes Xenium and CosMx
# counted that mean nothing, how Xenium found the cell, and whether Visium saw tissue.
_RUN = re.compile(
    r"(.*_)?(ExecutionTime|ModuleError)_\d\d.+|(Image_)?Group_(Index|Number|Length)|detection probability"
    r"|(control_(probe|codeword)|genomic_control|(unassigned|deprecated)_codeword)_counts"
    r"|n(Count|Feature)_(negprobes|falsecode)|segmentation_method|in_tissue",
    re.IGNORECASE,
)
# The probes themselves: of Xenium, MERSCOPE and CosMx.
_CONTROL = re.compile(
    r"(NegControl(Probe|Codeword)|antisense|(Unassigned|Deprecated)Codeword|Intergenic_Region)_.+"
    r"|(BLANK_|Blank-|NegPrb|SystemControl|FalseCode)\d+|Negative\d\d"
)
# Of ilastik, QuPath, CellProfiler, Seurat and HALO.
_CLASS = re.compile(
    r"probability of .+|predicted class|classification|classify_.+|prediction[._]score.*"
    r"|.+ positive( nucleus| cytoplasm| membrane)? classification|dye \d+ positive( nucleus| cytoplasm| membrane)?",
    re.IGNORECASE,
)
# Of scikit-image, CellProfiler, Fiji, MorphoLibJ, TrackMate and InCarta.
_ANGLE = re.compile(
    r"(.*areashape_|ellipse\.|o?box\.|cell_|nuc(leus|lei)_)?orientation|ellipse_theta"
    r"|feret ?angle|maxferetdiamangle|(.+ )?major axis angle( wv\d+)?|ellipsoid\.(phi|theta|psi|azim|elev|roll)",
    re.IGNORECASE,
)
# Fiji's other columns, beside which "Angle" is that of an ellipse.
_OF_FIJI = {"Major", "Minor", "FeretAngle"}
_ORDER = re.compile(r"pseudo_?time|(?<![a-z])latent_time(?![a-z])", re.IGNORECASE)


def technical(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the columns that measure nothing of a cell itself, by the reason why no map is made of them.

    Parameters
    ----------
    names : iterable of str
        All columns: what some of them are, only the others tell.

    Examples
    --------
    >>> technical(["CD3", "Center", "Offset", "Width", "Residual", "Event_length"])[RECORDED]
    ['Center', 'Offset', 'Width', 'Residual', 'Event_length']
    >>> list(technical(["Area", "Width", "dpt_pseudotime", "Probability of mitosis"]).values())
    [['Probability of mitosis'], ['dpt_pseudotime']]
    """
    names = list(names)
    found = {
        RECORDED: [*_of_cytometry(names), *_of_trackmate(names), *(name for name in names if _RUN.fullmatch(name))],
        CONTROLS: [name for name in names if _CONTROL.fullmatch(name)],
        CLASSIFIED: [name for name in names if _CLASS.fullmatch(name)],
        ORDERED: [name for name in names if _ORDER.search(name)],
        TURNED: [name for name in names if _ANGLE.fullmatch(name) or (name == "Angle" and _OF_FIJI & {*names})],
    }
    return {reason: some for reason, some in found.items() if some}


def _of_cytometry(names: list[str]) -> list[str]:
    signal = {name for name in names if name.lower() in _SIGNAL}
    beads = {name for name in names if name.lower() in _BEADS}
    length = {name for name in names if name.lower() in _EVENT_LENGTH} | beads
    has_metals = sum(_METAL.search(name) is not None for name in names) >= _FEWEST
    is_complete = len({name.lower() for name in signal}) == len(_SIGNAL)
    is_signal = is_complete or (len(signal) >= _FEWEST and (has_metals or bool(length)))
    found = (signal if is_signal else set()) | (length if is_signal or has_metals or length > beads > set() else set())
    is_cytometer = is_complete or has_metals or bool(found)
    found |= {name for name in names if _OF_NO_CELL.fullmatch(name) or (is_cytometer and _MAY_BE_BEADS.fullmatch(name))}
    return [name for name in names if name in found]


def _of_trackmate(names: list[str]) -> list[str]:
    """The quality of a spot's detection, and how it is drawn."""
    is_of_trackmate = any(_OF_TRACKMATE.fullmatch(name) for name in names)
    return [name for name in names if name in _BY_TRACKMATE and is_of_trackmate]
