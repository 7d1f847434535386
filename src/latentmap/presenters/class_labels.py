"""Labels images of classes: the cells of one class, or the number of each cell's class."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from skimage.util import map_array

from latentmap.session import Session
from latentmap.table import atomic_file
from latentmap.table.wording import listed

ALL_CLASSES = ""
"""Stands for all classes, where the name of one is asked for."""

ABOUT = "A class, whose cells keep their labels; or all classes, whose cells get the number of their class."
"""The tooltip of the list of classes."""


class LabelsImage(NamedTuple):
    """The labels that cells come from.

    Attributes
    ----------
    layer : str
        Their name in the keys of the cells.
    title : str
        What they are called now.
    read : callable
        Returns the labels, an array of whole numbers.
    has_frames : bool
        Whether the first axis is time.
    """

    layer: str
    title: str
    read: Callable[[], Any]
    has_frames: bool = False


class ClassImage(NamedTuple):
    """Labels made of classes.

    Attributes
    ----------
    source : LabelsImage
        The labels that they are made of.
    title : str
        What they are called.
    pixels : ndarray of int
        As large as the source; 0 where no cell of the class, or of any class, is.
    """

    source: LabelsImage
    title: str
    pixels: np.ndarray


def class_choices(session: Session) -> list[tuple[str, str]]:
    """Return what labels can be made of: the texts to show, and the names that `class_images` takes.

    Examples
    --------
    >>> session = Session(lambda call: call())
    >>> cells = session.cell_index.add([("nuclei", 0, 7)])
    >>> session.classes.assign("T", cells)
    >>> class_choices(session)
    [('all classes, numbered', ''), ('T', 'T')]
    """
    names = list(session.classes.names)
    return [("all classes, numbered", ALL_CLASSES), *((name, name) for name in names)] if names else []


def class_images(session: Session, name: str, images: Iterable[LabelsImage]) -> Iterator[ClassImage]:
    """Make labels images of a class, or of all classes, without the cells that were dropped.

    Parameters
    ----------
    session : Session
    name : str
        The name of a class, whose cells keep their labels; or `ALL_CLASSES`, where each pixel is the number of its
        cell's class, from 1 on, in the order of the legend. Dropped cells are in neither.
    images : iterable of LabelsImage
        Those that have no cell of the class are skipped, and not read.

    Raises
    ------
    ValueError
        If there is no such class, or none at all.
    """
    if name == ALL_CLASSES:
        if not len(session.classes):
            raise ValueError("There is no class yet: select cells, and add them to a class.")
        parts = [session.members(each) for each in session.classes.names]
        codes = np.repeat(np.arange(1, len(parts) + 1), [len(part) for part in parts])
        keys = session.cell_index.keys(np.concatenate(parts))
    else:
        keys, codes = session.cell_index.keys(session.members(name)), None
    layers = keys.get_level_values("layer")
    for image in images:
        is_own = np.asarray(layers == image.layer)
        if is_own.any():
            frames, labels = (keys[is_own].get_level_values(part).to_numpy() for part in ("frame", "label"))
            pixels = _mapped(image, frames, labels, None if codes is None else codes[is_own])
            yield ClassImage(image, f"{name or 'classes'} of {image.title}", pixels)


def meaning(session: Session) -> str:
    """Return a sentence on which class each number of an image of all classes stands for."""
    numbered = [f"{number} {name}" for number, name in enumerate(session.classes.names, start=1)]
    return f"The numbers: 0 no class, {', '.join(numbered)}."


def made_sentence(session: Session, name: str, titles: Sequence[str]) -> str:
    """Say which labels were made, and what their numbers stand for."""
    if not titles:
        what = f'cells of the class "{name}"' if name else "cells of a class"
        return f"No labels here have {what}."
    return f"Made {listed(titles)}." + ("" if name else f" {meaning(session)}")


def save_class_images(session: Session, name: str, images: Iterable[LabelsImage], path: Path) -> str:
    """Write labels images of a class, or of all classes, as TIFF, and say where they are.

    Parameters
    ----------
    session, name, images
        As for `class_images`.
    path : pathlib.Path
        The file. Of several images each gets its own, with the name of the image in it.

    Raises
    ------
    ValueError
        If there is no such class, or none of the images has cells of it.
    OSError
        If the folder is missing, not writable or full.
    """
    from tifffile import imwrite  # takes a third of a second

    made = list(class_images(session, name, images))
    if not made:
        raise ValueError(made_sentence(session, name, []))
    about = "" if name else meaning(session)
    stem, *endings = path.name.partition(".")
    paths = [path if len(made) == 1 else path.with_name(stem + _file_part(one) + "".join(endings)) for one in made]
    for one, each in zip(made, paths, strict=True):
        with atomic_file(each) as unfinished, unfinished.open("wb") as file:
            imwrite(file, one.pixels, compression="zlib", description=about.encode(), metadata=None)
    return " ".join([f"Saved {listed([each.name for each in paths])} in {path.parent}.", about]).strip()


def _file_part(made: ClassImage) -> str:
    return "-" + re.sub(r"[^\w.-]+", "_", made.source.title)


def _mapped(image: LabelsImage, frames: np.ndarray, labels: np.ndarray, codes: np.ndarray | None) -> np.ndarray:
    """Return the labels of some cells, or codes in their place; all other pixels are 0."""
    pixels = np.asarray(image.read())
    if pixels.dtype == bool:
        pixels = pixels.astype(np.uint8)
    values = labels if codes is None else codes
    made = np.zeros(pixels.shape, pixels.dtype if codes is None else np.min_scalar_type(int(codes.max())))
    can_be = labels <= np.iinfo(pixels.dtype).max
    for frame in np.unique(frames):
        if frame >= (len(pixels) if image.has_frames else 1):
            continue
        is_here, at = (frames == frame) & can_be, frame if image.has_frames else ...
        made[at] = map_array(pixels[at], labels[is_here].astype(pixels.dtype), values[is_here].astype(made.dtype))
    return made
