"""Labels that a program keeps as floats, as whole numbers."""

from typing import Any

import numpy as np

from latentmap.images.lazy_reading import LazyView, read_part
from latentmap.images.lazy_slice import chunks_of
from latentmap.table.whole_numbers import whole_labels


class WholeLabels(LazyView):
    """Labels on the disk that are kept as floats; each part is checked as it is read.

    Parameters
    ----------
    array : array-like of float
    layer : str
        The name of the labels, for error messages.

    Examples
    --------
    >>> labels = WholeLabels(np.array([[0.0, 3.0], [3.0, 7.0]]), "nuclei")
    >>> labels.dtype, labels[1].tolist()
    (dtype('int64'), [3, 7])
    """

    dtype = np.dtype(np.int64)

    def __init__(self, array: Any, layer: str) -> None:
        self.array, self.layer = array, layer
        self.shape = tuple(array.shape)

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """The chunks of the array; None if it has none."""
        return chunks_of(self.array)

    def __getitem__(self, index: Any) -> np.ndarray:
        return whole_labels(read_part(self.array, index), self.layer)


def as_whole_labels(labels: Any, layer: str) -> Any:
    """Return labels as whole numbers if they are kept as floats, otherwise as they are; lazy ones stay lazy.

    Raises
    ------
    ValueError
        If an array in memory holds a fraction, or a number that may be rounded.

    Examples
    --------
    >>> as_whole_labels(np.array([[0.0, 3.0]], dtype=np.float32), "nuclei")
    array([[0, 3]])
    """
    if np.dtype(labels.dtype).kind != "f":
        return labels
    return whole_labels(labels, layer) if isinstance(labels, np.ndarray) else WholeLabels(labels, layer)
