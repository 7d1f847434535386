"""Real rows, as many as wanted: the digits of MNIST, each moved by up to two pixels."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.utils import gen_batches

from benchmarks.stored import load

COLUMNS = 50
_FARTHEST = 2
_SHIFTS = list(product(range(-_FARTHEST, _FARTHEST + 1), repeat=2))
_BATCH = 10_000


def write_shifted_digits(path: Path, rows: int) -> None:
    """Write digits, each in places up to two pixels away, by the principal components of the digits as they are.

    Digits and shifts are drawn in a fixed order, each pair once: any table begins with the rows of a shorter one.

    Parameters
    ----------
    path : Path
        A .npy file, written in batches.
    rows : int
        Up to 1 750 000, 25 times the digits.

    Raises
    ------
    ValueError
        If there are not so many.
    """
    images = load("mnist70k")["X"].reshape(-1, 28, 28)
    if rows > len(images) * len(_SHIFTS):
        raise ValueError(f"There are {len(images) * len(_SHIFTS)} digits and shifts, and {rows} were asked for.")
    components = PCA(COLUMNS, svd_solver="covariance_eigh").fit(images.reshape(len(images), -1).astype(np.float32))
    drawn = np.random.default_rng(0).permutation(len(images) * len(_SHIFTS))[:rows]
    part = path.with_suffix(".part")
    table = np.lib.format.open_memmap(part, mode="w+", dtype=np.float32, shape=(rows, COLUMNS))
    for batch in gen_batches(rows, _BATCH):
        digit, shift = np.divmod(drawn[batch], len(_SHIFTS))
        moved = images[digit]
        for number, by in enumerate(_SHIFTS):
            # The margin of an image is empty: what leaves it on one side may come back on the other.
            moved[shift == number] = np.roll(moved[shift == number], by, axis=(1, 2))
        table[batch] = components.transform(moved.reshape(len(moved), -1).astype(np.float32))
    table.flush()
    part.replace(path)
