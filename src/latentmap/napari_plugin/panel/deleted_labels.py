"""Labels layers that were deleted while their cells are on maps, and layers that come in their place."""

from collections.abc import Generator, Iterable, Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
import pandas as pd

from latentmap.napari_layers.labels_source import LabelsSource
from latentmap.napari_layers.layers import scales
from latentmap.napari_layers.measured_labels import MeasuredLabels
from latentmap.napari_plugin.panel.label_changes import LabelChanges
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.presenters.older_maps import older_maps
from latentmap.session import BackgroundJob, Run, Runs
from latentmap.table.fingerprints import fingerprint_cells


class _Deleted(NamedTuple):
    """The pixels of a layer that was deleted, and the maps that have its cells."""

    pixels: np.ndarray
    has_frames: bool
    runs: WeakSet[Run]


class DeletedLabels:
    """Remembers where the cells of maps lay, so that other cells with their numbers are not taken for them.

    A layer that comes in the place of a deleted one gets its name, and may hold another segmentation of the image.
    Pixels that are not in memory are not looked at.

    Parameters
    ----------
    runs : Runs
        The maps of the session.
    changes : LabelChanges
        Says which cells of the new layer are not where those of the deleted one were.
    """

    def __init__(self, runs: Runs, changes: LabelChanges) -> None:
        self._runs, self._changes = runs, changes
        self._job = BackgroundJob(main_thread())
        self._deleted: dict[str, _Deleted] = {}
        self._known: WeakKeyDictionary[Run, dict[str, MeasuredLabels]] = WeakKeyDictionary()
        self._come: list[LabelsSource] = []

    def remember(self, source: LabelsSource) -> None:
        """Remember where the cells of a layer lie that is being deleted, or lay when they were measured."""
        pixels = scales(source.layer)[0]
        runs = WeakSet(run for run in self._runs if _may_have(run, source.name))
        if (measured := self._changes.reference(source.layer)) is not None:
            self._keep(source.name, measured, runs)
        elif isinstance(pixels, np.ndarray):
            self._deleted[source.name] = _Deleted(pixels, source.has_frames, runs)
            self._job.start(
                _found(dict(self._deleted)), yielded=lambda _: None, returned=self._looked, failed=self._failed
            )

    def compare(self, sources: Iterable[LabelsSource]) -> None:
        """Have these layers, whose features are those of the maps, watched for cells that lie elsewhere."""
        for source in sources:
            if source.name in self._deleted:
                self._come.append(source)
            for run in self._runs:
                known = self._known.get(run, {}).get(source.name)
                if known is not None and _has_values_of(run, source):
                    self._changes.set_reference(source.layer, known.fingerprints, has_frames=known.has_frames)
                    break

    def stop(self) -> None:
        """Stop looking at deleted layers."""
        self._job.drop()
        self._deleted.clear()
        self._come.clear()

    def _looked(self, found: Mapping[str, MeasuredLabels]) -> None:
        for name, measured in found.items():
            self._keep(name, measured, self._deleted.pop(name).runs)
        come, self._come = self._come, []
        self.compare(come)

    def _keep(self, name: str, measured: MeasuredLabels, runs: Iterable[Run]) -> None:
        for run in runs:
            self._known.setdefault(run, {})[name] = measured

    def _failed(self, error: Exception) -> None:
        self.stop()
        raise error


def _may_have(run: Run, layer: str) -> bool:
    """Whether a map may have cells of a layer, found at once: its rows need not be looked through for that."""
    index = run.table.features.index
    return isinstance(index, pd.MultiIndex) and layer in index.levels[0]


def _has_values_of(run: Run, source: LabelsSource) -> bool:
    """Whether the features of a layer are those that a map was made of."""
    try:
        return not older_maps([run], source.table())
    except ValueError:
        return False


def _found(deleted: Mapping[str, _Deleted]) -> Generator[None, None, dict[str, MeasuredLabels]]:
    found = {}
    for name, one in deleted.items():
        fingerprints = yield from fingerprint_cells(one.pixels, has_frames=one.has_frames)
        found[name] = MeasuredLabels(fingerprints, one.has_frames)
    return found
