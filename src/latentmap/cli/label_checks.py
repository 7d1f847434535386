"""What cannot be labels is refused before it is measured."""

import re
from collections.abc import Sequence
from pathlib import Path

from latentmap.table.image_files import ImageFile

_LABELS = re.compile("label|mask|seg", re.IGNORECASE)
_LOSSY = (".jpg", ".jpeg")


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


def check_labels(labels: ImageFile) -> None:
    """Refuse what cannot be labels, by the type of its numbers and its axes."""
    if labels.pixels.dtype.kind not in "iu":
        raise ValueError(
            f'"{labels.name}" is taken as the labels, but it holds {labels.pixels.dtype} instead of whole numbers: '
            "give images first, then the labels, or name these with --labels."
        )
    if "s" in labels.axes or "c" in labels.axes:
        raise ValueError(f'"{labels.name}" is taken as the labels, but it has channels or colours: it is an image.')
