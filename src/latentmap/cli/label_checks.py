"""What cannot be labels is refused before it is measured."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from latentmap.images.image_files import ImageFile
from latentmap.images.lazy_labels import as_whole_labels

_LABELS = re.compile("label|mask|seg", re.IGNORECASE)
_LOSSY = (".jpg", ".jpeg")
_ORDER = "give images first, then the labels, or name these with --labels."


def check_lossless(labels: Sequence[Path]) -> None:
    """Refuse labels in files that do not keep numbers."""
    if lossy := next((path for path in labels if path.suffix.lower() in _LOSSY), None):
        raise ValueError(
            f'"{lossy.name}" is taken as the labels, but JPEG changes the numbers of cells: save them as TIFF or PNG.'
        )


def check_order(images: Sequence[Path], labels: Path) -> None:
    """Refuse images whose names say that they are the labels, where those of the last one do not."""
    named = [path.name for path in images if _LABELS.search(path.name)]
    if named and not _LABELS.search(labels.name):
        raise ValueError(
            f'"{labels.name}" comes last and is taken as the labels, but by its name "{named[0]}" is: give images '
            "first, then the labels."
        )


def as_labels(labels: ImageFile) -> ImageFile:
    """Return labels as whole numbers, with a note if they are kept in another form; refuse what cannot be labels."""
    if labels.indices is not None:
        note = f'"{labels.name}" has a palette: the numbers of its colours are taken as the labels.'
        labels = replace(labels, pixels=labels.indices, axes="yx", notes=(*labels.notes, note))
    if "s" in labels.axes or "c" in labels.axes:
        # So tifffile writes three or four frames or planes, unless it is told otherwise.
        is_planar = "s" in labels.axes[:-1]
        hint = ' If its first axis is time or depth, save it with photometric="minisblack".' if is_planar else ""
        raise ValueError(
            f'"{labels.name}" is taken as the labels, but it has channels or colours: it is an image.{hint}'
        )
    kind = labels.pixels.dtype
    if kind.kind == "f":
        return _of_floats(labels)
    if kind.kind == "b":
        raise ValueError(
            f'"{labels.name}" is taken as the labels, but it is a mask (bool): number its cells first, for instance '
            f"with skimage.measure.label. If it is an image, {_ORDER}"
        )
    if kind.kind not in "iu":
        raise ValueError(
            f'"{labels.name}" is taken as the labels, but it holds {kind} instead of whole numbers: {_ORDER}'
        )
    return labels


def _of_floats(labels: ImageFile) -> ImageFile:
    """Labels as whole numbers that MorphoLibJ and others keep as floats."""
    try:
        pixels = as_whole_labels(labels.pixels, labels.name)
    except ValueError as error:
        raise ValueError(f"{error} If it is an image, {_ORDER}") from error
    note = f'"{labels.name}" holds whole numbers stored as {labels.pixels.dtype}: these are taken as the labels.'
    return replace(labels, pixels=pixels, notes=(*labels.notes, note))
