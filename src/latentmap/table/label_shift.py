"""Shifts between the labels or frames of a table and those of an image, as when one counts from 0 and one from 1."""

import numpy as np
import pandas as pd

# The share of rows by which a shift must raise the number of matches to be suggested, unless it makes all rows match.
_BETTER = 0.1


def suggest_shift(rows: pd.Index, present: pd.MultiIndex) -> list[str]:
    """Suggest a shift of labels or frames that would make rows and cells agree, or agree much better.

    Parameters
    ----------
    rows, present : pandas.MultiIndex of (layer, frame, label)
        The keys of the rows and of the cells in the image, of one layer.

    Returns
    -------
    list of str
        A sentence, or none.

    Examples
    --------
    >>> rows, present = (pd.MultiIndex.from_product([["cells"], [0], labels]) for labels in ([0, 1, 2], [1, 2, 3]))
    >>> suggest_shift(rows, present)
    ['With labels 1 higher, 3 of 3 rows would have one: correct the labels of the table.']
    """
    if not len(rows) or not len(present):
        return []
    (frames, labels), (there, numbers) = (_parts(keys) for keys in (rows, present))
    places = pd.MultiIndex.from_arrays([there, numbers])
    by_label = {0, 1, -1, int(numbers.min() - labels.min()), int(numbers.max() - labels.max())}
    by_frame = {0, int(there.min() - frames.min())}
    counts = {
        (frame, label): int(pd.MultiIndex.from_arrays([frames + frame, labels + label]).isin(places).sum())
        for frame in by_frame
        for label in by_label
    }
    now = counts[0, 0]
    frame, label = max(counts, key=lambda shift: (counts[shift], -abs(shift[0]), -abs(shift[1])))
    n = counts[frame, label]
    all_match = n == len(rows) == len(present)
    # Some rows match a gapless sequence of labels whatever the shift.
    is_likely = not now or abs(label) <= 1
    is_better = n in (len(rows), len(present)) or n - now >= _BETTER * len(rows)
    if n <= now or not (all_match or (is_likely and is_better)):
        return []
    shifts = {name: by for name, by in (("frames", frame), ("labels", label)) if by}
    ways = [f"{name} {abs(by)} {'higher' if by > 0 else 'lower'}" for name, by in shifts.items()]
    return [
        f"With {' and '.join(ways)}, {n} of {len(rows)} rows would have one: correct the {' and '.join(shifts)} of the "
        "table."
    ]


def _parts(keys: pd.Index) -> tuple[np.ndarray, np.ndarray]:
    return keys.get_level_values(1).to_numpy(dtype=np.int64), keys.get_level_values(2).to_numpy(dtype=np.int64)
