"""Where the cells of a labels layer lay when they were measured, which session files keep."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from napari.layers import Labels

from latentmap.table import KEY

REFERENCE_KEY = "latentmap_reference"
"""The entry in a labels layer's metadata with the layer as it was measured."""

KEYS, MARKS, IN_FRAMES = "measured_keys", "measured_marks", "measured_in_frames"
"""The arrays and the option of a layer in a session file that hold it."""


class MeasuredLabels(NamedTuple):
    """A labels layer as it was measured.

    Attributes
    ----------
    fingerprints : pandas.DataFrame
        Those of its cells, see `latentmap.table.fingerprints`.
    has_frames : bool
        Whether its first axis is time.
    """

    fingerprints: pd.DataFrame
    has_frames: bool


def stored_reference(labels: Labels) -> tuple[dict[str, np.ndarray], dict[str, bool]]:
    """Return the arrays and the options by which a session file says how a layer was measured; none if it was not."""
    measured: MeasuredLabels | None = labels.metadata.get(REFERENCE_KEY)
    if measured is None or measured.fingerprints.empty:
        return {}, {}
    keys = measured.fingerprints.index.to_frame().to_numpy(dtype=np.int64)
    arrays = {KEYS: keys, MARKS: measured.fingerprints.to_numpy(dtype=float)}
    return arrays, {IN_FRAMES: measured.has_frames}


def take_reference(arrays: dict[str, Any], options: dict[str, Any]) -> Mapping[str, MeasuredLabels]:
    """Take out of a stored layer what `stored_reference` has returned; return the entry of its metadata, if any.

    Raises
    ------
    ValueError
        If it is not valid.
    """
    keys, marks, in_frames = arrays.pop(KEYS, None), arrays.pop(MARKS, None), options.pop(IN_FRAMES, None)
    if keys is None and marks is None and in_frames is None:
        return {}
    if keys is None or marks is None or not isinstance(in_frames, bool):
        raise ValueError("it does not say how its cells were measured")
    if keys.dtype != np.int64 or marks.dtype != float or not keys.shape == marks.shape == (len(keys), 2):
        raise ValueError("it does not say how its cells were measured")
    index = pd.MultiIndex.from_arrays(keys.T, names=KEY[1:])
    return {REFERENCE_KEY: MeasuredLabels(pd.DataFrame(marks, index, columns=["n", "where"]), in_frames)}
