"""Tables of cells too many for one file: a folder with a Parquet file for each block of the image."""

import hashlib
import json
import os
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentmap.generators import result_of, until_told
from latentmap.images.frames import Frames
from latentmap.images.lazy_slice import Slice
from latentmap.measuring.block_job import BlockJob
from latentmap.measuring.cell_boxes import BlockCensus
from latentmap.measuring.frame_measuring import MeasureProgress
from latentmap.measuring.shape_features import ShapeFeatures
from latentmap.table.cells import KEY
from latentmap.table.files.atomic_write import atomic_file
from latentmap.table.files.writing import write_parquet
from latentmap.table.libraries import import_optional
from latentmap.table.map_table import PROVENANCE

# Programs that read a folder of Parquet files leave out those whose names begin so.
_RECORD = "_latentmap.json"


class MeasuredParts(NamedTuple):
    """Cells that were measured into a folder.

    Attributes
    ----------
    path : pathlib.Path
        The folder. pandas, Dask and Arrow read it as one table with the key (layer, frame, label).
    n_cells : int
    features : tuple of str
    notes : tuple of str
        What could not be measured, and why.
    """

    path: Path
    n_cells: int
    features: tuple[str, ...]
    notes: tuple[str, ...]


def iter_measure_into(
    path: str | os.PathLike[str],
    labels: Any,
    channels: Mapping[str, Any] | None = None,
    *,
    layer: str,
    has_frames: bool = False,
    spacing: Sequence[float] | None = None,
    unit: str = "",
    texture: bool = False,
    picture_size: int = 0,
    force: bool = False,
) -> Generator[MeasureProgress, bool | None, MeasuredParts | None]:
    """Measure every labelled cell of an image into a folder of Parquet files, step by step.

    Each block of the image has a file, which is written whole or not at all. Measuring that was stopped goes on where
    it was: a file is kept if labels, images and settings are still the same. Of images, names, shapes and, where they
    are files, their times are compared.

    Parameters
    ----------
    path : path-like
        The folder, whose name should end in ``.parquet``; it is made if it is not there.
    labels, channels, layer, has_frames, spacing, unit, texture, picture_size
        As in `iter_measure_blocks`.
    force : bool
        Whether to replace what was measured otherwise.

    Yields
    ------
    MeasureProgress

    Returns
    -------
    MeasuredParts or None
        None if it was sent True, which ends it; what is in the folder stays.

    Raises
    ------
    ValueError
        As in `iter_measure_blocks`, or if the folder has other cells in it.

    Examples
    --------
    >>> import tempfile
    >>> labels = np.zeros((8, 8), dtype=int)
    >>> labels[1:4, 1:4], labels[5:8, 2:8] = 3, 1000
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parts = measure_into(f"{folder}/cells.parquet", labels, layer="nuclei")
    ...     pd.read_parquet(parts.path)[["layer", "frame", "label", "area"]]
        layer  frame  label  area
    0  nuclei      0      3   9.0
    1  nuclei      0   1000  18.0
    """
    frames = Frames.read(labels, channels, layer=layer, has_frames=has_frames)
    job = BlockJob(frames, ShapeFeatures.read(spacing, unit, n_axes=frames.n_axes), texture, picture_size)
    about = {
        "layer": layer,
        "has_frames": has_frames,
        "spacing": None if spacing is None else [float(step) for step in spacing],
        "unit": unit,
        "texture": texture,
        "picture_size": picture_size,
        "block": job.blocks.side,
        "channels": {name: _identity(image) for name, image in frames.channels.items()},
    }
    keeper = _Folder(Path(path), about, force)
    notes = yield from until_told(job.run(keeper))
    return None if notes is None else keeper.finish(notes)


def measure_into(
    path: str | os.PathLike[str], labels: Any, channels: Mapping[str, Any] | None = None, **settings: Any
) -> MeasuredParts:
    """Measure every labelled cell of an image into a folder of Parquet files, in one go.

    Parameters
    ----------
    path, labels, channels, **settings
        As in `iter_measure_into`, whose example shows it.

    Returns
    -------
    MeasuredParts
    """
    parts = result_of(iter_measure_into(path, labels, channels, **settings))
    assert parts is not None, "Nothing has told it to stop."
    return parts


def is_complete(path: Path) -> bool:
    """Return whether a folder holds cells whose measuring has come to its end."""
    return (path / _RECORD).is_file()


def part_files(path: Path) -> list[Path]:
    """Return the Parquet files of a folder in their order; none if it is no folder or has none."""
    return sorted(path.glob("*.parquet")) if path.is_dir() else []


class _Folder:
    """Keeps the rows of blocks in a folder."""

    def __init__(self, path: Path, about: Mapping[str, Any], force: bool) -> None:
        self._parquet = import_optional("pyarrow.parquet", f"Writing {path.name}")
        self._path, self._about, self._force = path, about, force
        self._fingerprint = ""

    def begin(self, census: Mapping[int, BlockCensus]) -> None:
        """Find out what of the folder can be kept."""
        said = {**self._about, "labels": [census[number].digest for number in sorted(census)]}
        self._fingerprint = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
        self._path.mkdir(exist_ok=True)
        others = [file for file in part_files(self._path) if self._mark(file) != self._fingerprint]
        if others and not self._force:
            raise ValueError(
                f'"{self._path.name}" holds cells that were measured from other images, or with other settings: choose '
                "another folder, or have it replaced (--force)."
            )
        for file in [*others, self._path / _RECORD]:
            file.unlink(missing_ok=True)

    def has(self, number: int) -> bool:
        """Whether the rows of a block are there already."""
        return self._file(number).is_file()

    def keep(self, number: int, rows: pd.DataFrame) -> None:
        """Keep the rows of a block."""
        rows.insert(0, "layer", self._about["layer"])
        write_parquet(rows, self._file(number), {"fingerprint": self._fingerprint})

    def count_without(self, column: str) -> int:
        """Count the rows without a value in a column."""
        return sum(
            self._parquet.read_table(file, columns=[column]).column(0).null_count for file in part_files(self._path)
        )

    def finish(self, notes: Sequence[str]) -> MeasuredParts:
        """Write that all is there."""
        files = part_files(self._path)
        n_cells = sum(self._parquet.read_metadata(file).num_rows for file in files)
        features = [name for name in self._parquet.read_schema(files[0]).names if name not in KEY]
        record = {"fingerprint": self._fingerprint, "n_cells": n_cells, "notes": list(notes), "settings": self._about}
        with atomic_file(self._path / _RECORD) as unfinished:
            unfinished.write_text(json.dumps(record, indent=2, ensure_ascii=False), encoding="utf-8")
        return MeasuredParts(self._path, n_cells, tuple(features), tuple(notes))

    def _file(self, number: int) -> Path:
        return self._path / f"part-{number:06}.parquet"

    def _mark(self, file: Path) -> str:
        """The fingerprint in a file; "" if it is none of ours."""
        metadata = self._parquet.read_schema(file).metadata or {}
        return str(json.loads(metadata.get(PROVENANCE.encode(), "{}")).get("fingerprint", ""))


def _identity(image: Any) -> str:
    """What tells an image from others without reading it, if it is not in memory."""
    if isinstance(image, Slice):
        return f"{_identity(image.array)} {image.axis} {image.index}"
    shape = f"{tuple(image.shape)} {image.dtype}"
    if isinstance(image, np.memmap) and image.filename:
        return f"{shape} {image.offset} {_times([Path(image.filename)])}"
    if isinstance(image, np.ndarray):
        return f"{shape} {hashlib.blake2b(np.ascontiguousarray(image).data, digest_size=16).hexdigest()}"
    if hasattr(image, "__dask_graph__"):
        return f"{shape} {image.name}"
    root = getattr(getattr(image, "store_path", None), "store", None)
    folder = Path(getattr(root, "root", "")) / getattr(image, "path", "")
    if getattr(root, "root", None) and folder.is_dir():
        return f"{shape} {_times(sorted(file for file in folder.rglob('*') if file.is_file()))}"
    # Nothing is known of it, so that nothing is taken for it.
    return f"{shape} {getattr(image, 'store_path', token_hex())}"


def _times(files: Sequence[Path]) -> str:
    """A digest of the names, sizes and times of files."""
    digest = hashlib.sha256()
    for file in files:
        about = file.stat()
        digest.update(f"{file.resolve()} {about.st_size} {about.st_mtime_ns}\n".encode())
    return digest.hexdigest()
