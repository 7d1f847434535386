"""Writing tables: whole or not at all."""

import os
from pathlib import Path

import pandas as pd


def write_csv(rows: pd.DataFrame, path: str | os.PathLike[str]) -> Path:
    r"""Write a table as CSV; a failure leaves what was there before, never half a file.

    Parameters
    ----------
    rows : pandas.DataFrame
        What to write; its index is not written.
    path : path-like
        Where to. An existing file is replaced.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    OSError
        If the folder is missing, not writable or full.

    Examples
    --------
    >>> import pandas as pd, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_csv(pd.DataFrame({"label": [1, 2]}), f"{folder}/cells.csv").read_text()
    'label\n1\n2\n'
    """
    path = Path(path)
    # In the same folder, because a file can be replaced in one step only within its file system.
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            rows.to_csv(file, index=False, lineterminator="\n")
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path
