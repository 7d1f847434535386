"""``latentmap measure``: from images and labels to a table."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from latentmap.cli.label_checks import as_labels, check_lossless, check_order
from latentmap.cli.parser import add_output
from latentmap.cli.pixel_doubts import places_apart, sizes_apart, sizes_not_known
from latentmap.cli.tables import check_output, described_files
from latentmap.cli.talk import Talk
from latentmap.display.progress_text import ProgressWriter
from latentmap.generators import result_of
from latentmap.images.image_files import ImageFile, file_stem, read_image
from latentmap.images.lazy_slice import is_lazy
from latentmap.images.ome_zarr import fields_in, labels_in, missing_wells, only_labels_in
from latentmap.images.pairing import LayerGeometry, Pairing, suggest_pairs
from latentmap.measuring import MeasureProgress, iter_measure, iter_measure_blocks, iter_measure_into
from latentmap.measuring.measured_parts import is_complete, part_files
from latentmap.measuring.measuring_notes import measured_in_note
from latentmap.session.wording import counted
from latentmap.table import CellTable, MapTable, write_table
from latentmap.table.files.zarr_folder import is_zarr
from latentmap.table.libraries import versions
from latentmap.table.wording import listed

# What is said where the first axis of the labels is another one than that of their image.
_OTHERWISE = {
    "zt": 'The first axis is time in "{image}", but depth in "{labels}": it is taken as depth. If it is time, give '
    "--time.",
    "tz": 'The first axis is depth in "{image}", but time in "{labels}": it is taken as time. If it is depth, save the '
    "labels with that axis.",
}
UNIT = "um"
"""The unit of lengths, where files tell the size of a pixel."""


def add_arguments(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "images",
        nargs="+",
        type=Path,
        metavar="IMAGE",
        help="images, then the labels: IMAGE [IMAGE ...] LABELS; or images alone, with --labels; or an OME-Zarr that "
        "holds its labels, or a plate of these",
    )
    parser.add_argument(
        "--labels",
        nargs="+",
        type=Path,
        default=[],
        metavar="LABELS",
        help="labels of several fields; the images are found for them by their names",
    )
    add_output(
        parser,
        what="the table of cells: .csv, .tsv, .parquet or .h5ad; of labels in OME-Zarr, .parquet is a folder of parts, "
        "and a command that was stopped goes on there",
    )
    parser.add_argument("--time", action="store_true", help="the first axis is time (default: as the file says)")
    parser.add_argument(
        "--spacing",
        metavar="Y,X",
        help="the size of a pixel in micrometres, along each axis in space "
        "(default: as the file says, else lengths are in pixels)",
    )
    parser.add_argument("--texture", action="store_true", help="measure the texture of each channel too")
    parser.add_argument(
        "--picture-size", type=int, default=0, metavar="N", help="the pixels of each cell's picture as features, N by N"
    )


def run(options: argparse.Namespace, talk: Talk) -> int:
    """Run the command."""
    label_paths, image_paths = list(options.labels), list(options.images)
    alone = image_paths[0] if not label_paths and len(image_paths) == 1 and is_zarr(image_paths[0]) else None
    if alone is not None and (fields := fields_in(alone)):
        return _measure_plate(alone, fields, options, talk)
    if alone is not None:
        label_paths = [only_labels_in(alone)]
    elif not label_paths:
        label_paths = [image_paths.pop()]
        check_order(image_paths, label_paths[0])
    check_lossless(label_paths)
    paths = [*image_paths, *label_paths]
    is_parted = options.output.suffix == ".parquet" and len(label_paths) == 1 and is_zarr(label_paths[0])
    if is_parted and options.output.is_file():
        raise ValueError(f'"{options.output}" is a file, and the parts need a folder: choose another name for them.')
    if not is_parted or is_complete(options.output):
        check_output(options.output, options, paths)
    labels, images = [read_image(path) for path in label_paths], [read_image(path) for path in image_paths]
    labels = [as_labels(one) for one in labels]
    labels, doubts = _with_axes(labels, images, options)
    spacings, odd = _spacings(labels, images, options)
    doubts = [*(note for one in [*images, *labels] for note in one.notes), *doubts, *odd]
    if is_parted:
        return _into_parts(labels[0], _channels(labels, images)[0], spacings[0], doubts, options, talk)
    tables = []
    for one, channels, spacing in zip(labels, _channels(labels, images), spacings, strict=True):
        tables.append(_measured(one, channels, spacing, options, talk))
    cells = CellTable.pool(tables)
    return _save(CellTable(cells.features, (*doubts, *cells.notes)), spacings, paths, options, talk)


def _measure_plate(plate: Path, fields: Mapping[str, Path], options: argparse.Namespace, talk: Talk) -> int:
    """Measure the fields of a plate, each with the labels in it, into one table."""
    check_output(options.output, options, [plate])
    bare = [name for name, path in fields.items() if not labels_in(path)]
    if len(bare) == len(fields):
        raise ValueError(f'No field of the plate "{plate.name}" has labels in it: segment its images first.')
    labels = [replace(read_image(only_labels_in(fields[name])), name=name) for name in fields if name not in bare]
    # Channels without names are called after the plate, so that those of all fields are the same.
    images = [replace(read_image(fields[one.name]), name=file_stem(plate)) for one in labels]
    # All is checked before the first field is measured, as a plate takes hours.
    labels = [as_labels(one) for one in labels]
    channels = [image.channels(one.pixels.shape) for one, image in zip(labels, images, strict=True)]
    named = [_with_axes([one], [image], options) for one, image in zip(labels, images, strict=True)]
    labels = [one for found, _ in named for one in found]
    sizes = [_spacings([one], [image], options) for one, image in zip(labels, images, strict=True)]
    spacings = [found[0] for found, _ in sizes]
    if any(spacings) and not all(spacings):
        raise ValueError(f'The size of a pixel is not known of all fields of "{plate.name}": give --spacing.')
    given = zip(labels, channels, spacings, strict=True)
    cells = CellTable.pool([_measured(one, own, spacing, options, talk) for one, own, spacing in given])
    if bare:
        verb, them = ("has", "it is") if len(bare) == 1 else ("have", "they are")
        said = f"{counted(len(bare), 'field')} of {len(fields)} {verb} no labels, so {them} left out: {listed(bare)}."
        cells = CellTable(cells.features, (said, *cells.notes))
    of_files = [[*image.notes, *one.notes] for image, one in zip(images, labels, strict=True)]
    doubts = (of_files, [said for _, said in named], [said for _, said in sizes])
    told = [sentence for of_fields in doubts for sentence in _told_once(of_fields)]
    if gone := missing_wells(plate):
        told.append(
            f"{counted(len(gone), 'well')} of the plate left out, because the files are missing: {listed(gone)}."
        )
    return _save(CellTable(cells.features, (*told, *cells.notes)), spacings, [plate], options, talk)


def _told_once(doubts: Sequence[Sequence[str]]) -> list[str]:
    """The first of the fields' doubts, and of how many they are: fields of one plate are mostly alike."""
    doubtful = [said for said in doubts if said]
    several = [f"This holds for {counted(len(doubtful), 'field')} of the plate."] if len(doubtful) > 1 else []
    return [*doubtful[0], *several] if doubtful else []


def _save(
    cells: CellTable,
    spacings: Sequence[Mapping[str, float]],
    paths: Sequence[Path],
    options: argparse.Namespace,
    talk: Talk,
) -> int:
    """Save the cells as one table, and say how many there are."""
    record = {
        "versions": versions(),
        "files": described_files(paths),
        "notes": list(cells.notes),
        "measured": {
            "texture": options.texture,
            "picture_size": options.picture_size,
            "spacing": [list(spacing.values()) for spacing in spacings],
            "unit": UNIT if spacings[0] else "",
        },
    }
    rows = cells.features.reset_index()
    write_table(MapTable(rows, tuple(cells.numeric), provenance=record), options.output)
    notes = list(cells.notes)
    talk.say(" ".join([f"{counted(len(rows), 'cell')}, {counted(cells.features.shape[1], 'feature')}.", *notes]))
    talk.say(f"Saved: {options.output}")
    talk.give({"output": str(options.output), "n_cells": len(rows), "features": list(cells.features), "notes": notes})
    return 0


def _channels(labels: Sequence[ImageFile], images: Sequence[ImageFile]) -> list[dict[str, np.ndarray]]:
    """The channels of each of the labels by name."""
    if len(labels) == 1:
        shape = labels[0].pixels.shape
        return [_joined([image.channels(shape) for image in images])]
    pairing = _pairing(labels, images)
    used: set[int] = set()
    found = []
    for index, one in enumerate(labels):
        pairs = pairing.of(index)
        if doubtful := next((pair for pair in pairs.values() if not pair.is_sure), None):
            raise ValueError(
                f'It is not sure that "{images[doubtful.image].name}" belongs to "{one.name}": {doubtful.why}. Name '
                "images and labels alike, as A01_DAPI.tif and A01_labels.tif, or measure each field on its own."
            )
        if not pairs and images:
            raise ValueError(f'No image belongs to "{one.name}": name images and labels alike.')
        used |= {pair.image for pair in pairs.values()}
        parts = []
        for name, pair in pairs.items():
            image = images[pair.image]
            channels = image.channels(one.pixels.shape)
            is_named = bool(image.names)
            parts.append(
                channels if is_named else {key.replace(image.name, name, 1): value for key, value in channels.items()}
            )
        found.append(_joined(parts))
    if unused := [image.name for place, image in enumerate(images) if place not in used]:
        raise ValueError(f"No labels belong to {', '.join(unused)}: leave these out, or give their labels.")
    return found


def _pairing(labels: Sequence[ImageFile], images: Sequence[ImageFile]) -> Pairing:
    return suggest_pairs(
        [LayerGeometry(one.name, (one.pixels.shape,)) for one in labels],
        [LayerGeometry(one.name, one.shapes) for one in images],
    )


def _joined(parts: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Channels of several images in one mapping."""
    names = [name for part in parts for name in part]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"Two channels are called {', '.join(twice)}: rename one of the files.")
    return {name: pixels for part in parts for name, pixels in part.items()}


def _spacings(
    labels: Sequence[ImageFile], images: Sequence[ImageFile], options: argparse.Namespace
) -> tuple[list[dict[str, float]], list[str]]:
    """The size of a pixel of each of the labels, in micrometres along each axis, empty for lengths in pixels; and
    sentences on files that tell different ones.
    """
    found: list[dict[str, float]] = []
    doubts: list[str] = []
    for one, own in zip(labels, _images_of(labels, images), strict=True):
        axes = "zyx"[-_n_space(one, options) :]
        if options.spacing:
            try:
                steps = [float(word) for word in options.spacing.split(",")]
            except ValueError:
                steps = []
            if len(steps) != len(axes):
                raise ValueError(
                    f"--spacing {options.spacing}: give {len(axes)} numbers for the axes {', '.join(axes)} of "
                    f'"{one.name}", separated by commas.'
                )
            found.append(dict(zip(axes, steps, strict=True)))
            continue
        # Programs that segment seldom write the size of a pixel into the labels; the image has it.
        known = [
            (file.name, {axis: file.spacing[axis] for axis in axes})
            for file in [one, *own]
            if {*axes} <= {*file.spacing}
        ]
        found.append(known[0][1] if known else {})
        doubts += sizes_apart(known) if known else sizes_not_known([one, *own], axes)
        doubts += places_apart(one, own)
    if any(found) and not all(found):
        missing = [one.name for one, spacing in zip(labels, found, strict=True) if not spacing]
        raise ValueError(f"The size of a pixel is not known of {', '.join(missing)}, but of others: give --spacing.")
    return found, doubts


def _images_of(labels: Sequence[ImageFile], images: Sequence[ImageFile]) -> list[list[ImageFile]]:
    """The images of each of the labels."""
    pairing = _pairing(labels, images) if len(labels) > 1 else None
    found = []
    for index, one in enumerate(labels):
        own = [images[pair.image] for pair in pairing.of(index).values()] if pairing else []
        found.append(own or [image for image in images if _alike(image, one)])
    return found


def _with_axes(
    labels: Sequence[ImageFile], images: Sequence[ImageFile], options: argparse.Namespace
) -> tuple[list[ImageFile], list[str]]:
    """The labels, with axes that their files do not name as those of their images; and sentences on those that differ.

    Programs that segment seldom write what an axis is.
    """
    found, doubts = [], []
    for one, own in zip(labels, _images_of(labels, images), strict=True):
        axes = one.axes
        for image in own:
            theirs = image.axes_along(one.pixels.shape) or axes
            axes = "".join(letter if letter != "?" else other for letter, other in zip(axes, theirs, strict=True))
            if (first := axes[0] + theirs[0]) in _OTHERWISE and not options.time:
                doubts.append(_OTHERWISE[first].format(labels=one.name, image=image.name))
        found.append(replace(one, axes=axes))
    return found, doubts


def _alike(image: ImageFile, labels: ImageFile) -> bool:
    return labels.pixels.shape in image.shapes


def _has_time(labels: ImageFile, options: argparse.Namespace) -> bool:
    return bool(options.time) or "t" in labels.axes


def _n_space(labels: ImageFile, options: argparse.Namespace) -> int:
    return len(labels.pixels.shape) - _has_time(labels, options)


def _measured(
    labels: ImageFile,
    channels: dict[str, np.ndarray],
    spacing: Mapping[str, float],
    options: argparse.Namespace,
    talk: Talk,
) -> CellTable:
    measuring = iter_measure_blocks if is_lazy(labels.pixels) else iter_measure
    steps = measuring(labels.pixels, channels, **_settings(labels, spacing, options))
    cells: Any = result_of(steps, partial(_show, ProgressWriter(), labels.name, talk))
    note = measured_in_note(labels.name, {name: name for name in channels})
    return CellTable(cells.features, (*cells.notes, *([note] if channels else [])))


def _into_parts(
    labels: ImageFile,
    channels: dict[str, Any],
    spacing: Mapping[str, float],
    doubts: Sequence[str],
    options: argparse.Namespace,
    talk: Talk,
) -> int:
    """Measure an image that need not fit into memory into a folder."""
    settings = _settings(labels, spacing, options)
    steps = iter_measure_into(options.output, labels.pixels, channels, force=options.force, **settings)
    parts: Any = result_of(steps, partial(_show, ProgressWriter(), labels.name, talk))
    notes = [*doubts, *parts.notes]
    talk.say(" ".join([f"{counted(parts.n_cells, 'cell')}, {counted(len(parts.features), 'feature')}.", *notes]))
    talk.say(f"Saved: {options.output}, in {counted(len(part_files(parts.path)), 'part')}")
    given = {"n_cells": parts.n_cells, "features": list(parts.features), "notes": notes}
    talk.give({"output": str(options.output), **given})
    return 0


def _settings(labels: ImageFile, spacing: Mapping[str, float], options: argparse.Namespace) -> dict[str, Any]:
    return {
        "layer": labels.name,
        "has_frames": _has_time(labels, options),
        "spacing": tuple(spacing.values()) or None,
        "unit": UNIT if spacing else "",
        "texture": options.texture,
        "picture_size": options.picture_size,
    }


def _show(words: ProgressWriter, name: str, talk: Talk, progress: MeasureProgress) -> None:
    what = f'measuring "{name}"'
    shown = words.count(progress.done, progress.total, what)
    talk.progress(shown._replace(text=f"{what}: {progress.what}"), what)
