"""Atomic writing: a file or a folder is written completely or not at all."""

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

# Seconds after which a hidden file counts as abandoned.
_OLD = 3600


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write a file completely or not at all.

    The content goes to a hidden file in the same folder, which replaces `path` once all of it is on the disk. After an
    error, `path` is unchanged and the hidden file is gone. If the process is killed, the hidden file stays until
    something is saved in that folder an hour later or more.

    Parameters
    ----------
    path : path-like
        The file. An existing file is replaced and keeps its permissions.

    Yields
    ------
    pathlib.Path
        The hidden file, empty, to be written and closed.

    Raises
    ------
    OSError
        If the folder is missing, not writable or full, or `path` cannot be replaced.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(f"{folder}/notes.txt") as unfinished:
    ...         _ = unfinished.write_text("all of it")
    ...     [path.name for path in Path(folder).iterdir()]
    ['notes.txt']
    """
    # A link stays a link: its target is replaced.
    target = Path(os.path.realpath(path))
    # In the same folder, because replacing a file is atomic only within one file system.
    unfinished = target.with_name(f".latentmap-{secrets.token_hex(8)}.part")
    try:
        _sweep(target.parent)
        # A file that only its owner may read must stay unreadable to others while it is written.
        unfinished.touch(0o600 if target.exists() else 0o666, exist_ok=False)
        yield unfinished
        with unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    except OSError as error:
        # The user does not know of the hidden file.
        if error.errno and error.filename is not None and Path(error.filename) == unfinished:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        with suppress(OSError):
            unfinished.unlink()


@contextmanager
def atomic_folder(path: str | os.PathLike[str], *, within: Path | None = None) -> Iterator[Path]:
    """Write a folder completely or not at all, as `atomic_file` writes a file.

    Parameters
    ----------
    path : path-like
        The folder. An existing one is replaced.
    within : pathlib.Path, optional
        Where the new folder is made, in the same file system; beside `path` if not given.

    Yields
    ------
    pathlib.Path
        Where to make the new folder.

    Raises
    ------
    OSError
        If the folder around it is missing, not writable or full, or `path` cannot be replaced.
    """
    target = Path(os.path.realpath(path))
    with TemporaryDirectory(prefix=f".{target.name}-", dir=within or target.parent) as folder:
        new, old = Path(folder, "new"), Path(folder, "old")
        yield new
        try:
            if target.exists():
                os.rename(target, old)
            os.rename(new, target)
        finally:
            # The user may have stopped it between the two.
            if old.exists() and not target.exists():
                os.rename(old, target)


def _sweep(folder: Path) -> None:
    """Remove what killed processes left; files that are still being written have changed within the hour."""
    for leftover in folder.glob(".latentmap-*.part"):
        with suppress(OSError):
            if time.time() - leftover.stat().st_mtime > _OLD:
                leftover.unlink()
