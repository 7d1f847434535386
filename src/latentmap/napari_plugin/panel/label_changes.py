"""Labels edited after they were measured."""

import zlib
from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from napari.layers import Labels
from napari.utils.events import EventEmitter
from psygnal import Signal
from superqt.utils import qdebounced

from latentmap.napari_layers.layers import scales
from latentmap.napari_layers.measured_labels import REFERENCE_KEY, MeasuredLabels
from latentmap.napari_plugin.qt.main_thread import main_thread
from latentmap.session import BackgroundJob
from latentmap.table.fingerprints import fingerprint_cells, label_changes

_SETTLED = 400
"""How long an edited layer must stay unchanged before it is checked, in milliseconds."""


class _Known(NamedTuple):
    """A layer as measured, and the checksum of its pixels at the last check."""

    fingerprints: pd.DataFrame
    has_frames: bool
    checksum: int


class LabelChanges:
    """Watches measured labels layers, and says which cells have changed since.

    Edits with napari's tools are noticed at once. Pixels set in the array itself are noticed when the layer is
    refreshed, or by :meth:`check`.
    """

    changed = Signal()
    """Emitted when `sentence` has changed."""

    def __init__(self) -> None:
        self._known: dict[Labels, _Known] = {}
        self._sentences: dict[Labels, str] = {}
        self._job = BackgroundJob(main_thread())
        self._look_soon = qdebounced(self.check, timeout=_SETTLED)

    @property
    def sentence(self) -> str:
        """What has changed since the layers were measured; "" if nothing has."""
        return " ".join(filter(None, self._sentences.values()))

    @property
    def is_checking(self) -> bool:
        """Whether layers are being checked."""
        return self._job.running

    def set_reference(self, layer: Labels, found: pd.DataFrame, *, has_frames: bool) -> None:
        """Remember a layer as it was measured, and watch it from now on.

        Parameters
        ----------
        layer : napari.layers.Labels
        found : pandas.DataFrame
            The fingerprints of its cells, see `latentmap.table.fingerprints`.
        has_frames : bool
            Whether the first axis is time.
        """
        if layer not in self._known:
            for event in _events(layer):
                event.connect(self._edited)
        layer.metadata[REFERENCE_KEY] = MeasuredLabels(found, has_frames)
        # No checksum yet: the layer may have been edited while it was measured.
        self._known[layer] = _Known(found, has_frames, -1)
        self._say(layer, "")
        self._look_soon()

    def take_up(self, layer: Labels) -> None:
        """Watch a layer that came with a session, if it was measured there."""
        measured: MeasuredLabels | None = layer.metadata.get(REFERENCE_KEY)
        if measured is not None and layer not in self._known:
            self.set_reference(layer, measured.fingerprints, has_frames=measured.has_frames)

    def reference(self, layer: Labels) -> MeasuredLabels | None:
        """Return a layer as it was measured; None if it is not watched."""
        known = self._known.get(layer)
        return None if known is None else MeasuredLabels(known.fingerprints, known.has_frames)

    def forget(self, layer: Labels) -> None:
        """Stop watching a layer."""
        if self._known.pop(layer, None) is not None:
            for event in _events(layer):
                event.disconnect(self._edited)
            self._say(layer, "")
            self._sentences.pop(layer)

    def check(self) -> None:
        """Compare the layers with what was measured, in a thread."""
        if self._job.running:
            self._look_soon()  # they may have been edited since it began
        elif self._known:
            pixels = [(layer, scales(layer)[0], known) for layer, known in self._known.items()]
            self._job.start(_compare(pixels), yielded=lambda _: None, returned=self._compared, failed=self._failed)

    def close(self) -> None:
        """Stop watching all layers."""
        self._look_soon.cancel()
        self._job.drop()
        for layer in list(self._known):
            self.forget(layer)

    def _edited(self, *_: object) -> None:
        self._look_soon()

    def _compared(self, found: "list[tuple[Labels, _Known, _Known, str | None]]") -> None:
        for layer, before, after, sentence in found:
            if self._known.get(layer) is before:
                self._known[layer] = after
                if sentence is not None:
                    self._say(layer, sentence)

    def _failed(self, error: Exception) -> None:
        raise error

    def _say(self, layer: Labels, sentence: str) -> None:
        before = self.sentence
        self._sentences[layer] = sentence
        if self.sentence != before:
            self.changed.emit()


def _events(layer: Labels) -> list[EventEmitter]:
    events = [layer.events.labels_update, layer.events.data]
    # Undo and refresh emit only set_data, which scrolling emits too: too often for data that must be read from disk.
    return [*events, layer.events.set_data] if isinstance(scales(layer)[0], np.ndarray) else events


def _compare(
    layers: list[tuple[Labels, Any, _Known]],
) -> Generator[None, None, list[tuple[Labels, _Known, _Known, str | None]]]:
    """Say what has changed in each layer; None if nothing has since the last check."""
    found: list[tuple[Labels, _Known, _Known, str | None]] = []
    for layer, pixels, known in layers:
        is_here = isinstance(pixels, np.ndarray)
        checksum = zlib.adler32(np.ascontiguousarray(pixels).data) if is_here else known.checksum - 1
        yield
        if checksum == known.checksum:
            continue
        if is_here:
            # The user may edit it meanwhile, and then it is checked again.
            pixels = pixels.copy()
        has_axes = pixels.ndim - known.has_frames in (2, 3)
        now = (
            (yield from fingerprint_cells(pixels, has_frames=known.has_frames))
            if has_axes
            else known.fingerprints.iloc[:0]
        )
        sentence = label_changes(known.fingerprints, now).sentence(layer.name)
        found.append((layer, known, known._replace(checksum=checksum), sentence))
    return found
