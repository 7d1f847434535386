"""A widget that follows the layers of an open napari viewer."""

import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.labelled_image import LabelledImage
from latentmap.jupyter.napari_input import ViewerLayers
from latentmap.session import Run, Schedule, Session
from latentmap.session.wording import counted
from latentmap.table import CellTable
from latentmap.table.cells import listed

# What of a layer matters here; the first group changes pixels, perhaps in the same array.
_PIXELS = {"data", "paint", "labels_update"}
_FEATURES = {"features"}
_LOOKS = {"name", "visible", "contrast_limits", "colormap", "scale", "translate", "rotate", "affine", "units"}
# All that undo tells of, and a refresh; but so does every move along a slider.
_REFRESHED = "set_data"
# In larger labels, in bytes, it is not looked whether any pixel has changed then.
_MOST_CHECKED = 1 << 26


class FollowedViewer:
    """Shows in a widget what changes in the layers of a viewer.

    Parameters
    ----------
    layers : ViewerLayers
        The layers that the widget was made of.
    pane : ImagePane or None
        Shows their pictures.
    cells : callable
        Returns the cells of the widget.
    add_features : callable
        Takes new and changed columns, indexed by the keys of the cells.
    tell : callable
        Shows the user a sentence.
    schedule : callable
        Calls a function in the widget's own thread, when napari has done its work.
    """

    def __init__(
        self,
        layers: ViewerLayers,
        pane: ImagePane | None,
        cells: Callable[[], CellTable],
        add_features: Callable[[pd.DataFrame], None],
        tell: Callable[[str], None],
        schedule: Schedule,
    ) -> None:
        self._layers, self._pane, self._cells = layers, pane, cells
        self._add_features, self._tell, self._schedule = add_features, tell, schedule
        self._pictures = layers.pictures()
        layers.keep_films()
        self._titles = {layer: layer.name for layer in self._pictures}
        self._is_writing = self._is_closed = False
        self._kinds: set[str] = set()
        self._painted: set[Any] = set()
        self._refreshed: set[Any] = set()
        self._sums = {layer: _checksum(layer) for layer in self._pictures}
        self._first_sums = dict(self._sums)
        self._columns = [name for table in layers.tables() for name in map(str, table.features)]
        events = layers.viewer.layers.events
        events.inserted.connect(self._inserted)
        events.removed.connect(self._removed)
        for layer in layers.viewer.layers:
            layer.events.connect(self._changed)

    def write(self, session: Session, run: Run) -> list[str]:
        """Write a map into the features of the layers; they do not come back as features from napari."""
        self._is_writing = True
        try:
            return self._layers.write(session, run)
        finally:
            self._is_writing = False

    def close(self) -> None:
        """Stop following."""
        self._is_closed = True
        events = self._layers.viewer.layers.events
        events.inserted.disconnect(self._inserted)
        events.removed.disconnect(self._removed)
        for layer in self._layers.viewer.layers:
            layer.events.disconnect(self._changed)
        self._pictures.clear()
        self._sums.clear()
        self._first_sums.clear()
        self._pane = None

    def _inserted(self, event: Any) -> None:
        event.value.events.connect(self._changed)
        self._request({"name"})

    def _removed(self, event: Any) -> None:
        event.value.events.disconnect(self._changed)
        self._request({"name"})

    def _changed(self, event: Any) -> None:
        if self._is_writing:
            return
        if event.type in _PIXELS:
            self._painted.add(event.source)
        if event.type == _REFRESHED and event.source in self._pictures:
            self._refreshed.add(event.source)
            self._request({_REFRESHED})
        if event.type in _PIXELS | _FEATURES | _LOOKS:
            self._request({event.type})

    def _request(self, kinds: set[str]) -> None:
        """Have changes taken up once, however many events they have."""
        if not self._kinds:
            self._schedule(self._take_up)
        self._kinds |= kinds

    def _take_up(self) -> None:
        if self._is_closed:
            return
        kinds, self._kinds = self._kinds, set()
        painted, self._painted = self._painted, set()
        painted |= self._with_other_pixels(painted)
        if self._pane is not None and (painted or kinds - _FEATURES - {_REFRESHED}):
            self._take_pictures(self._pane, painted)
        if kinds & _FEATURES:
            self._take_features()

    def _with_other_pixels(self, painted: set[Any]) -> set[Any]:
        """The layers that were painted, or whose pixels are not what they were."""
        looked_at, self._refreshed = self._refreshed | painted, set()
        before = dict(self._sums)
        self._sums |= {layer: _checksum(layer) for layer in looked_at & set(self._pictures)}
        return {layer for layer in looked_at if self._sums.get(layer) != before.get(layer)}

    def _take_pictures(self, pane: ImagePane, painted: set[Any]) -> None:
        before, now = self._pictures, self._layers.pictures()
        shown = {picture.name: picture for picture in pane.pictures}
        said = []
        for layer, picture in now.items():
            if layer not in before and picture.name not in shown:
                said.append(f'"{layer.name}" is new in napari: run explore(viewer) again to see its cells.')
            if layer not in before or picture.name not in shown:
                continue
            has_new_pixels = layer in painted or any(image.name in picture.channels for image in _images(painted))
            if has_new_pixels or layer.name != self._titles[layer] or not _is_same(picture, before[layer]):
                merged = _with_own_looks(picture, before[layer], shown[picture.name])
                pane.replace(merged, layer.name, with_pixels=has_new_pixels)
                self._titles[layer] = layer.name
        removed = [
            self._titles[layer] for layer, picture in before.items() if layer not in now and picture.name in shown
        ]
        if edited := [layer.name for layer in now if layer in painted and self._is_edited(layer)]:
            said.append(
                f"The labels of {listed(edited)} were edited in napari, but the features of their cells were not "
                "measured again: the map is that of the cells as they were."
            )
        if removed:
            said.append(f"{listed(removed)} was removed in napari: the widget shows it as it was last.")
        if said:
            self._tell(" ".join(said))
        self._pictures = now

    def _is_edited(self, layer: Any) -> bool:
        """Whether labels are not, or may not be, those that the widget was made of."""
        first = self._first_sums.get(layer)
        return first is not None and (not first or self._sums[layer] != first)

    def _take_features(self) -> None:
        try:
            tables = self._layers.tables()
        except ValueError as error:
            self._tell(str(error))
            return
        known = self._cells().features
        features = CellTable.pool(tables).features if tables else known.iloc[:0]
        is_known = features.index.isin(known.index)
        own, said = features[is_known], list[str]()
        if changed := [name for name in map(str, own) if not _has(known, own[name])]:
            self._add_features(pd.DataFrame({name: _updated(own[name], known) for name in changed}))
            said.append(f"From napari: {listed(changed)}.")
        before, self._columns = self._columns, list(map(str, features))
        if gone := [name for name in dict.fromkeys(before) if name not in features]:
            said.append(f"No longer in napari, and here as they were last: {listed(gone)}.")
        is_there = known.index.get_level_values("layer").isin(features.index.unique("layer"))
        if n_gone := int((is_there & ~known.index.isin(features.index)).sum()):
            have, here = ("has", "it is as it was") if n_gone == 1 else ("have", "they are as they were")
            said.append(f"{counted(n_gone, 'cell')} {have} no row in napari any more: here {here} last.")
        if n_new := int((~is_known).sum()):
            said.append(
                f"The features in napari describe {counted(n_new, 'cell')} that this widget does not have: run "
                "explore(viewer) again to see them."
            )
        if said:
            self._tell(" ".join(said))


def _checksum(layer: Any) -> int:
    """A number that changes with the pixels of labels; always the same for those that are large or not in memory."""
    pixels = layer.data
    if not isinstance(pixels, np.ndarray) or pixels.nbytes > _MOST_CHECKED:
        return 0
    return zlib.adler32(np.ascontiguousarray(pixels).data)


def _images(layers: Iterable[Any]) -> list[Any]:
    return [layer for layer in layers if hasattr(layer, "contrast_limits") and not hasattr(layer, "paint")]


def _is_same(one: LabelledImage, other: LabelledImage) -> bool:
    """Whether two pictures show the same arrays in the same way."""
    if one.labels is not other.labels or (one.scale, one.unit) != (other.scale, other.unit):
        return False
    if list(one.channels) != list(other.channels):
        return False
    pairs = zip(one.channels.values(), other.channels.values(), strict=True)
    return all(a.image is b.image and (a.limits, a.colour) == (b.limits, b.colour) for a, b in pairs)


def _with_own_looks(now: LabelledImage, before: LabelledImage, shown: LabelledImage) -> LabelledImage:
    """Return a picture as it is in napari now; what was set in the widget stays if napari has not changed it."""
    channels = {}
    for name, channel in now.channels.items():
        then, own = before.channels.get(name), shown.channels.get(name)
        is_own = then is not None and own is not None and (then.limits, then.colour) == (channel.limits, channel.colour)
        channels[name] = channel._replace(limits=own.limits, colour=own.colour) if is_own and own else channel
    return replace(now, channels=channels, hidden=shown.hidden & set(channels))


def _has(known: pd.DataFrame, column: pd.Series) -> bool:
    """Whether the cells have a feature with these values."""
    return column.name in known and bool(column.equals(known[column.name].reindex(column.index)))


def _updated(column: pd.Series, known: pd.DataFrame) -> pd.Series:
    """Return the values of a feature for all cells: those of napari, and elsewhere those known."""
    others = known[column.name][~known.index.isin(column.index)] if column.name in known else column.iloc[:0]
    return (pd.concat([column, others]) if len(others) else column).reindex(known.index)
