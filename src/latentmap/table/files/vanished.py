"""Files whose drive goes away while they are read."""

import errno
from pathlib import Path

# What a system says of a drive, or of a machine in the network, that has gone away.
_GONE = {
    getattr(errno, name)
    for name in ("EIO", "ESTALE", "ENODEV", "ENXIO", "ENOTCONN", "ETIMEDOUT", "EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN")
    if hasattr(errno, name)
}


def vanished(path: Path, error: BaseException) -> str:
    """Return a sentence if an error says that a drive has gone away, which is no damage to the file; "" otherwise.

    Examples
    --------
    >>> vanished(Path("cells.csv"), OSError(errno.EIO, "Input/output error"))
    '"cells.csv" could not be read to its end (Input/output error): is its drive still connected? It may be whole.'
    >>> vanished(Path("cells.csv"), ValueError())
    ''
    """
    if not isinstance(error, OSError) or error.errno not in _GONE:
        return ""
    return (
        f'"{path.name}" could not be read to its end ({error.strerror}): is its drive still connected? It may be whole.'
    )
