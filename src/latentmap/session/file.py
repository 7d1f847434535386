"""A session as one file: a zip of a JSON document and arrays. Nothing is pickled, so reading a file runs no code."""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from latentmap.memory import free_memory
from latentmap.session.array_store import ArrayStore, Damaged, unpacked_size
from latentmap.session.json_codec import decode, encode
from latentmap.session.session import Session
from latentmap.session.snapshot import LayerSnapshot, RunSnapshot, SessionSnapshot
from latentmap.table import atomic_file
from latentmap.table.files.formats import READABLE
from latentmap.table.files.vanished import vanished

_FORMAT = "latentmap session"
_VERSION = 10
_DOCUMENT = "session.json"
# Parameters that older versions did not have, with the values that they used.
_BEFORE_VERSION_3 = {"min_neighbors": 0, "row_normalized": False, "local_scaling": 0.0, "init": "spectral"}
# Up to so many rows, "auto" was 1 before version 7.
_ROWS_AT_SCALE_1 = 3000
_MEMBER = re.compile(rf"{re.escape(_DOCUMENT)}|arrays/[0-9a-f]{{64}}\.npy")
# The best ratio that Deflate can reach; a member that claims more lies about its size.
_BEST_RATIO = 1032
_LONGEST_DOCUMENT = 1 << 28
# What files are called that hold something else of a map: its table, figure, page, script or labels.
_OTHER_ENDINGS = {*(one.ending for one in READABLE), ".png", ".svg", ".pdf", ".html", ".py", ".tif", ".tiff"}
# JSON turns into Python objects, which are so many times larger.
_AS_OBJECTS = 20


class _Refused(ValueError):
    """The file cannot be read here; the message says why."""


def save(session: Session, path: str | os.PathLike[str], layers: Sequence[LayerSnapshot] = ()) -> Path:
    """Save a session; after a failure, the old file is still there, never half a new one.

    Parameters
    ----------
    session : Session
        The session. A run under way is not saved.
    path : path-like
        The file. An existing file is replaced.
    layers : sequence of LayerSnapshot
        Layers of the front end to save with it.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    ValueError
        If a table or layer holds something that cannot be written, or the file's ending stands for a table, a figure or
        the like; the message says what.
    OSError
        If the folder is missing, not writable or full.

    Examples
    --------
    >>> import tempfile
    >>> from queue import SimpleQueue
    >>> session = Session(SimpleQueue().put)
    >>> session.parameters.n_neighbors = 30
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(save(session, f"{folder}/tissue.latentmap")).parameters.n_neighbors
    30
    """
    return write(SessionSnapshot.of(session, layers), path)


def write(stored: SessionSnapshot, path: str | os.PathLike[str]) -> Path:
    """Write a snapshot of a session, which may have changed since.

    Parameters
    ----------
    stored : SessionSnapshot
        The snapshot.
    path : path-like
        The file. An existing file is replaced.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    ValueError, OSError
        As in :func:`save`.
    """
    path = Path(path)
    if path.suffix.lower() in _OTHER_ENDINGS:
        raise ValueError(
            f'"{path.name}" would hold a session, not what its ending {path.suffix} stands for: save the session as '
            f'"{path.stem}.latentmap". Tables, figures and pages of a map are saved apart from it.'
        )
    with atomic_file(path) as unfinished, unfinished.open("wb") as file:
        _write(stored, file)
    return path


def load(path: str | os.PathLike[str]) -> SessionSnapshot:
    """Read a session from a file.

    Everything is read and checked before any of it is used: ``load(path).restore(session)``.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    SessionSnapshot
        A snapshot of the session.

    Raises
    ------
    ValueError
        If the file is damaged, of another program or of a newer version, or its drive goes away meanwhile.
    OSError
        If there is no such file, or no permission to read it.
    """
    path = Path(path)
    with path.open("rb") as file:
        try:
            return _read(file)
        # A damaged file makes zipfile, zlib, json, numpy and pandas raise whatever they like.
        except Exception as error:
            reason = vanished(path, error) or f'"{path.name}" cannot be opened: {_reason(error)}.'
            raise ValueError(reason) from error


def _reason(error: Exception) -> str:
    if isinstance(error, _Refused):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory for it"
    return f"it is damaged ({error})" if isinstance(error, Damaged) else "it is damaged, or not a latentmap session"


def _write(stored: SessionSnapshot, file: IO[bytes]) -> None:
    # Labels compress well at any level, and measurements at none.
    with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        session = encode(SessionSnapshot, stored, ArrayStore(archive))
        document = {"format": _FORMAT, "version": _VERSION, "session": session}
        archive.writestr(_DOCUMENT, json.dumps(document, indent=1))


def _read(file: IO[bytes]) -> SessionSnapshot:
    with ZipFile(file) as archive:
        memory = free_memory()
        _check_members(archive, memory)
        document = json.loads(archive.read(_DOCUMENT))
        if document["format"] != _FORMAT or type(document["version"]) is not int:
            raise _Refused("it is not a latentmap session")
        if document["version"] > _VERSION:
            raise _Refused(f"it was written by a newer latentmap (format {document['version']}): update this one")
        _bring_up_to_date(document["session"], document["version"])
        sizes = {Path(info.filename).stem: info.file_size for info in archive.infolist()}
        _check_size(unpacked_size(document["session"], sizes, set()), memory)
        stored: SessionSnapshot = decode(SessionSnapshot, document["session"], ArrayStore(archive))
        return stored if document["version"] > 6 else replace(stored, runs=tuple(map(_with_its_scale, stored.runs)))


def _bring_up_to_date(session: dict[str, Any], version: int) -> None:
    """Convert a document of an earlier format."""
    if version == 1:
        # The latent variable model was the only method.
        for run in session["runs"]:
            for old, new in (("log_likelihood", "objective"), ("log_likelihood_iterations", "objective_iterations")):
                run["map"][new] = run["map"].pop(old)
    if version < 3:
        for parameters in (session["parameters"], *(run["parameters"] for run in session["runs"])):
            parameters.update(_BEFORE_VERSION_3)


def _with_its_scale(run: RunSnapshot) -> RunSnapshot:
    """Name the similarity scale that a map of few rows was made with before version 7."""
    few = run.parameters.similarity_scale == "auto" and len(run.map.embedding) <= _ROWS_AT_SCALE_1
    return replace(run, parameters=replace(run.parameters, similarity_scale=1.0)) if few else run


def _check_members(archive: ZipFile, memory: int) -> None:
    """Refuse what no session contains, and what would not fit into memory, before anything is read."""
    members, names = archive.infolist(), archive.namelist()
    if _DOCUMENT not in names or len(set(names)) < len(names) or not all(map(_MEMBER.fullmatch, names)):
        raise _Refused("it is not a latentmap session")
    for member in members:
        squeezed = member.compress_type == ZIP_DEFLATED
        most = _BEST_RATIO * member.compress_size if squeezed else member.compress_size
        if member.compress_type not in (ZIP_DEFLATED, ZIP_STORED) or member.file_size > most:
            raise Damaged(f"{member.filename} cannot be as large as it says")
    sizes = [member.file_size * (_AS_OBJECTS if member.filename == _DOCUMENT else 1) for member in members]
    _check_size(sum(sizes), memory)
    if archive.getinfo(_DOCUMENT).file_size > _LONGEST_DOCUMENT:
        raise Damaged(f"{_DOCUMENT} is longer than any session's")


def _check_size(size: int, memory: int) -> None:
    if size > memory:
        raise _Refused(
            f"it unpacks to {size / 2**30:.1f} GiB, but this machine has {memory / 2**30:.1f} GiB of free memory"
        )
