"""``latentmap demo``: a sample tissue in files."""

import argparse
from pathlib import Path

import numpy as np

from latentmap.cli.tables import refuse_to_replace
from latentmap.cli.talk import Talk
from latentmap.table import atomic_file

IMAGE, LABELS = "image.ome.tif", "labels.tif"
"""The names of the files."""


def add_arguments(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help=f"where {IMAGE} and {LABELS} are written")
    parser.add_argument("--force", action="store_true", help="replace the files if there are any")


def run(options: argparse.Namespace, talk: Talk) -> int:
    """Run the command."""
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    image, labels = folder / IMAGE, folder / LABELS
    for path in (image, labels):
        refuse_to_replace(path, options)
    write_tissue(image, labels)
    talk.say(f"A stained tissue and its nuclei: {image} and {labels}. Try:")
    talk.say(f"  latentmap measure {image} {labels} -o {folder / 'cells.parquet'}")
    talk.say(f"  latentmap embed {folder / 'cells.parquet'} -o {folder / 'map.parquet'}")
    talk.give({"image": str(image), "labels": str(labels)})
    return 0


def write_tissue(image: Path, labels: Path) -> None:
    """Write the stains of scikit-image's tissue as OME-TIFF, and its nuclei as TIFF."""
    from skimage.color import rgb2hed
    from tifffile import imwrite

    from latentmap.samples.tissue import tissue

    sample = tissue()
    stains = np.moveaxis(rgb2hed(sample.image), -1, 0)[[0, 2]]
    with atomic_file(image) as unfinished, unfinished.open("wb") as file:
        imwrite(file, stains, ome=True, metadata={"axes": "CYX", "Channel": {"Name": ["haematoxylin", "dab"]}})
    with atomic_file(labels) as unfinished, unfinished.open("wb") as file:
        imwrite(file, sample.labels, metadata={"axes": "YX"})
