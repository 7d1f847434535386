"""Files that are whole or absent."""

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_OLD = 3600


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Have a file written whole or not at all.

    What is written goes to a hidden file in the same folder, which takes the place of `path` when all of it is on the
    disk. After an error, `path` is as it was and the hidden file is gone; when the process is killed, the hidden file
    stays, and a save in that folder an hour later or more removes it.

    Parameters
    ----------
    path : path-like
        Where to. An existing file is replaced, and its permissions are kept.

    Yields
    ------
    pathlib.Path
        The hidden file, still empty, to be written and closed.

    Raises
    ------
    OSError
        If the folder is missing, not writable or full, or `path` cannot be replaced.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(f"{folder}/notes.txt") as unfinished:
    ...         _ = unfinished.write_text("all of it")
    ...     [path.name for path in Path(folder).iterdir()]
    ['notes.txt']
    """
    # A link stays a link: what it leads to is replaced.
    target = Path(os.path.realpath(path))
    # In the same folder, because a file can be replaced in one step only within its file system.
    unfinished = target.with_name(f".latentmap-{secrets.token_hex(8)}.part")
    try:
        _sweep(target.parent)
        # What only its owner may read must not be read by others while it is written.
        unfinished.touch(0o600 if target.exists() else 0o666, exist_ok=False)
        yield unfinished
        with unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    except OSError as error:
        # The user knows nothing of the hidden file.
        if error.errno and error.filename is not None and Path(error.filename) == unfinished:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        with suppress(OSError):
            unfinished.unlink()


def _sweep(folder: Path) -> None:
    """Remove what killed processes have left: whatever is still being written was changed within the hour."""
    for leftover in folder.glob(".latentmap-*.part"):
        with suppress(OSError):
            if time.time() - leftover.stat().st_mtime > _OLD:
                leftover.unlink()
