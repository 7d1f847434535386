"""Fingerprints: of cells, which show whether labels have changed since they were measured, and of tables and maps."""

import hashlib
import json
from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from latentmap.table.wording import shortened_list

_SPREAD = np.uint64(2654435761)
_BITS = np.uint64(2**26 - 1)
# Pixels that are read at a time.
_BAND = 2**24


def fingerprint_cells(labels: Any, *, has_frames: bool) -> Generator[None, None, pd.DataFrame]:
    """Fingerprint every cell by how many pixels it has and where they are, plane by plane.

    Parameters
    ----------
    labels : array-like of int, shape ([n_frames, ][n_planes, ]n_rows, n_columns)
        May be lazy.
    has_frames : bool
        Whether the first axis is time.

    Yields
    ------
    None
        After each plane, or part of a large one.

    Returns
    -------
    pandas.DataFrame, shape (n_cells, 2)
        By frame and label. Cells with the same pixels have the same fingerprint; two others almost never do.

    Examples
    --------
    >>> def marked(labels):
    ...     steps = fingerprint_cells(labels, has_frames=False)
    ...     while True:
    ...         try:
    ...             next(steps)
    ...         except StopIteration as end:
    ...             return end.value
    >>> before, after = np.array([[3, 3, 0], [7, 0, 9]]), np.array([[3, 3, 0], [0, 7, 8]])
    >>> label_changes(marked(before), marked(after))
    ChangedLabels(new=[8], gone=[9], altered=[7])
    """
    n_before, (n_rows, n_columns) = labels.ndim - 2, labels.shape[-2:]
    step = max(1, _BAND // max(1, n_columns))
    found = []
    for number, at in enumerate(np.ndindex(labels.shape[:n_before])):
        for first in range(0, n_rows, step):
            band = np.asarray(labels[(*at, slice(first, first + step))])
            places = np.flatnonzero(band)
            native = band.ravel()[places]
            codes, numbers = pd.factorize(native.astype(native.dtype.newbyteorder("="), copy=False))
            before = (number * n_rows + first) * n_columns
            where = (places + before).astype(np.uint64) * _SPREAD & _BITS
            n, sums = np.bincount(codes, minlength=len(numbers)), np.bincount(codes, where, minlength=len(numbers))
            found.append(pd.DataFrame({"frame": at[0] if has_frames else 0, "label": numbers, "n": n, "where": sums}))
            yield
    return pd.concat(found).groupby(["frame", "label"]).sum() if found else pd.DataFrame()


class ChangedLabels(NamedTuple):
    """The labels of cells that have changed."""

    new: list[int]
    gone: list[int]
    altered: list[int]

    def sentence(self, layer: str) -> str:
        """Say what has changed; "" if nothing has.

        Examples
        --------
        >>> ChangedLabels([8], [], [7, 9]).sentence("nuclei")
        'The labels of "nuclei" have changed since they were measured: 1 new (8); 2 altered (7, 9). Measure them again.'
        """
        parts = [
            f"{len(labels)} {name} ({shortened_list([str(label) for label in labels])})"
            for name, labels in self._asdict().items()
            if labels
        ]
        told = f'The labels of "{layer}" have changed since they were measured: {"; ".join(parts)}. Measure them again.'
        return told if parts else ""


def label_changes(before: pd.DataFrame, after: pd.DataFrame) -> ChangedLabels:
    """Compare the fingerprints of labels at two times, as `fingerprint_cells` returns them."""
    both = before.index.intersection(after.index)
    altered = both[(before.loc[both] != after.loc[both]).any(axis=1).to_numpy()]
    keys = (after.index.difference(before.index), before.index.difference(after.index), altered)
    return ChangedLabels(*([int(label) for label in some.get_level_values("label")] for some in keys))


def fingerprint_array(array: np.ndarray) -> str:
    """Return a digest of numbers and their shape: the same on every machine for the same bits.

    Parameters
    ----------
    array : ndarray
        Taken as float64. Any NaN counts as any other.

    Returns
    -------
    str
        A SHA-256, as hexadecimal digits.

    Examples
    --------
    >>> fingerprint_array(np.zeros(3)) == fingerprint_array(np.zeros(3, dtype=np.float32))
    True
    >>> fingerprint_array(np.zeros(3)) == fingerprint_array(np.zeros((3, 1)))
    False
    """
    numbers = np.ascontiguousarray(array, dtype="<f8")
    gaps = np.isnan(numbers)
    if gaps.any():
        numbers = np.where(gaps, np.nan, numbers)
    digest = hashlib.sha256(json.dumps(numbers.shape).encode())
    digest.update(numbers.tobytes())
    return digest.hexdigest()


def fingerprint_table(features: pd.DataFrame, names: Sequence[str]) -> str:
    """Return a digest of some features of cells and of the cells' keys, whatever file they are stored in.

    Parameters
    ----------
    features : pandas.DataFrame
        The index holds the keys (layer, frame, label); their order counts.
    names : sequence of str
        The features, in their order.

    Returns
    -------
    str
        A SHA-256, as hexadecimal digits.

    Examples
    --------
    >>> from latentmap.table.cells import CellTable
    >>> cells = CellTable.read(pd.DataFrame({"label": [3, 7], "area": [4, 9], "class": ["a", "b"]}), layer="nuclei")
    >>> len(fingerprint_table(cells.features, ["area"]))
    64
    >>> fingerprint_table(cells.features, ["area"]) == fingerprint_table(cells.features[::-1], ["area"])
    False
    """
    digest = hashlib.sha256(json.dumps(list(names)).encode())
    for layer, frame, label in features.index:
        digest.update(f"{layer}\0{frame}\0{label}\n".encode())
    digest.update(fingerprint_array(features[list(names)].to_numpy(dtype=float, na_value=np.nan)).encode())
    return digest.hexdigest()
