"""Damaged HDF5 files: the library may read them forever and ignores signals, so another process tries them first."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from latentmap.memory import free_memory
from latentmap.table.files.unpacked import PER_BYTE_OF_COLUMN, check_unpacked

_PATIENCE = 60.0
"""How many seconds HDF5 may spend on one object."""

# HDF5 can run in circles wherever one address leads to the next: links, attributes, the index of chunks and the heap of
# strings. Plain numbers lead nowhere, so large tables need not be read twice. Each round may take memory, so that is
# limited, and so is the time without a word: who started the process may be gone.
_TRY = """
import signal
import sys
import h5py
import numpy as np
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (1 << 34, resource.getrlimit(resource.RLIMIT_AS)[1]))
except (ImportError, OSError, ValueError):
    pass
def tell(word):
    if hasattr(signal, "alarm"):
        signal.alarm(int(sys.argv[2]))
    print(word, flush=True)
def count(one):
    global size
    size += one.size * max(one.dtype.itemsize, 8) if one.size else 0
    if size > int(sys.argv[3]):
        tell(f"large {size}")
        sys.exit()
def walk(group):
    for name in group:
        tell("-")
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            continue
        one = group[name]
        look(one)
        if isinstance(one, h5py.Group):
            mark = h5py.h5o.get_info(one.id).addr
            if mark not in seen:
                seen.add(mark)
                walk(one)
        elif isinstance(one, h5py.Dataset):
            count(one)
            if one.chunks:
                one.id.get_num_chunks()
            if one.dtype.hasobject:
                for start in range(0, len(one) if one.ndim else 1, 10_000):
                    one[start : start + 10_000] if one.ndim else one[()]
                    tell("-")
def look(one):
    for name in one.attrs:
        try:
            one.attrs[name]
        except TypeError:
            pass
seen, size = set(), 0
tell("begun")
with h5py.File(sys.argv[1], "r") as file:
    look(file)
    walk(file)
tell("whole")
"""
_known_readable: set[tuple[str, int, int]] = set()


def is_readable(path: str | os.PathLike[str]) -> bool:
    """Return whether HDF5 can read a file to its end.

    Returns
    -------
    bool
        True also where no other process can be started to try it.

    Raises
    ------
    OSError
        If there is no such file.
    Unreadable
        If what is in it takes more memory than is free.

    Notes
    -----
    A file that was read to its end is not tried again until it changes.
    """
    path = Path(path)
    status = path.stat()
    mark = (str(path.resolve()), status.st_size, status.st_mtime_ns)
    if mark in _known_readable:
        return True
    said = _tried(path)
    if said.startswith("large "):
        check_unpacked(path, PER_BYTE_OF_COLUMN * int(said.split()[1]))
    if said == "whole":
        _known_readable.add(mark)
    return said in ("whole", "")


def _tried(path: Path) -> str:
    """The last word of a process that reads the file; "" if it said nothing."""
    most = free_memory() // PER_BYTE_OF_COLUMN
    try:
        # Without -P, Python would run a file h5py.py in the user's working folder.
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _TRY, str(path), str(int(2 * _PATIENCE)), str(most)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            # Windows would open a window.
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError:
        return ""
    with process:
        words: SimpleQueue[str] = SimpleQueue()
        Thread(target=_listen, args=(process, words), daemon=True).start()
        last = ""
        try:
            while word := words.get(timeout=_PATIENCE):
                last = word
        except Empty:
            # Silence may also mean that the machine is too busy to start the process.
            pass
        finally:
            with suppress(OSError):
                process.kill()
    return last


def _listen(process: "subprocess.Popen[str]", words: "SimpleQueue[str]") -> None:
    """Pass on the words of the process, and "" when it ends."""
    if process.stdout is not None:
        with suppress(ValueError, OSError):
            for line in process.stdout:
                words.put(line.strip())
    words.put("")
