"""A process for one run of one method."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paths import ROOT

_LAST_LINES = 5


class RunFailed(RuntimeError):
    """A method did not return a map."""


def run_alone(
    method: str, path: Path, fits: list[dict[str, int]], compiled: Path, *, mapped: bool = False, keeps: bool = False
) -> tuple[list[dict[str, Any]], list[np.ndarray]]:
    """Fit in a fresh process.

    Parameters
    ----------
    method : str
    path : Path
        The table.
    fits : list of dict
        For each of them how many of the first "rows" it takes, and its "seed".
    compiled : Path
        The folder in which numba keeps what it compiled.
    mapped : bool
        Whether the table stays on the disk.
    keeps : bool
        Whether numba keeps what the package itself would not keep: for trying, not for measuring.

    Returns
    -------
    fits : list of dict
        See :func:`benchmarks.peers.worker.answer`.
    maps : list of ndarray

    Raises
    ------
    RunFailed
        With the last words of the process.
    """
    with tempfile.TemporaryDirectory() as folder:
        maps = Path(folder) / "maps.npz"
        request = {"method": method, "path": str(path), "fits": fits, "mapped": mapped, "maps": str(maps)}
        request |= {"keeps": keeps, "started": time.time()}
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.peers.worker"],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=os.environ | {"NUMBA_CACHE_DIR": str(compiled)},
            check=False,
        )
        if done.returncode:
            raise RunFailed("\n".join(done.stderr.splitlines()[-_LAST_LINES:]) or f"exit {done.returncode}")
        with np.load(maps) as arrays:
            return json.loads(done.stdout)["fits"], list(arrays.values())
