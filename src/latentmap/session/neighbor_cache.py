"""What was prepared, read and found for the last runs, for the next run on the same cells."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from latentmap.model.data_warnings import collect_warnings, warn_user
from latentmap.model.found_graph import FoundGraph
from latentmap.model.inputs import Inputs
from latentmap.model.validation import read_inputs, read_table
from latentmap.table import CellTable, Preparation
from latentmap.table.preparing import Prepared, fit_preparation


@dataclass(frozen=True, eq=False)
class _Read:
    """Rows that were checked, and what was said of them."""

    values: np.ndarray
    key: tuple[object, ...]
    inputs: Inputs
    warnings: tuple[str, ...]


class NeighborCache:
    """Prepares and checks the rows of a run, and remembers them with their neighbours and the graph of these.

    A map is the same with it and without, bit for bit; see :class:`~latentmap.model.found_neighbors.FoundNeighbors` and
    :class:`~latentmap.model.found_graph.FoundGraph`.

    Examples
    --------
    >>> from latentmap import LVM
    >>> from sklearn.datasets import load_iris
    >>> known, X = NeighborCache(), load_iris().data
    >>> estimators = LVM(n_neighbors=22), LVM(n_neighbors=22, repulsion=5)
    >>> one, other = (known.of(estimator, X) for estimator in estimators)
    >>> one is other
    True
    """

    def __init__(self) -> None:
        self._last: deque[_Read] = deque(maxlen=2)
        self._prepared: tuple[CellTable, tuple[object, ...], tuple[Prepared, Pipeline]] | None = None

    def prepare(self, table: CellTable, names: Sequence[str], how: Preparation) -> tuple[Prepared, Pipeline]:
        """Return the cells, their values and the fitted pipeline, as ``fit_preparation`` does, to be read only.

        Parameters
        ----------
        table : CellTable
            Known if it is the same object as before.
        names : sequence of str
            The features.
        how : Preparation
        """
        key = (tuple(names), how)
        if self._prepared is None or self._prepared[0] is not table or self._prepared[1] != key:
            self._prepared = table, key, fit_preparation(table, names, how)
        return self._prepared[2]

    def of(self, estimator: Any, values: np.ndarray) -> Inputs:
        """Return the rows for a fit by any method, checked once for each metric.

        Warnings about the rows are given each time.

        Parameters
        ----------
        estimator : IterativeMethod
            Its metric counts, if it has one.
        values : ndarray of float64, shape (n, D)
            The rows; they must not be changed afterwards.

        Returns
        -------
        Inputs
            To be given to ``iter_fit`` or ``find_neighbors`` in place of the values.

        Raises
        ------
        ValueError
            As the estimator's ``fit`` does.
        """
        metric = getattr(estimator, "metric", "euclidean")
        last = next((one for one in self._last if one.values is values and one.key[-1] == metric), None)
        if last is None:
            same = next((one.key[:-1] for one in self._last if one.values is values), None)
            key = (*(same or (values.shape, blake2b(np.ascontiguousarray(values).data).digest())), metric)
            last = next((one for one in self._last if one.key == key), None)
        if last is None:
            heard: list[str] = []
            with collect_warnings(heard):
                inputs = read_inputs(read_table(values, estimator, metric == "precomputed"), values, estimator)
            inputs.found_graph = FoundGraph()
            last = _Read(values, key, inputs, tuple(heard))
            # A run with connect="largest" reads all cells, and then those of the largest part.
            if getattr(estimator, "connect", "bridge") != "largest":
                self._last.clear()
            self._last.append(last)
        for sentence in last.warnings:
            warn_user(sentence)
        return last.inputs
