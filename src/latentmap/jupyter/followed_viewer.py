"""A widget that follows the layers of an open napari viewer."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

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
_LOOKS = {"name", "visible", "contrast_limits", "colormap", "scale", "translate", "units"}


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
        self._titles = {layer: layer.name for layer in self._pictures}
        self._is_writing = False
        self._kinds: set[str] = set()
        self._painted: set[Any] = set()
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
        events = self._layers.viewer.layers.events
        events.inserted.disconnect(self._inserted)
        events.removed.disconnect(self._removed)
        for layer in self._layers.viewer.layers:
            layer.events.disconnect(self._changed)
        self._pictures.clear()
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
        if event.type in _PIXELS | _FEATURES | _LOOKS:
            self._request({event.type})

    def _request(self, kinds: set[str]) -> None:
        """Have changes taken up once, however many events they have."""
        if not self._kinds:
            self._schedule(self._take_up)
        self._kinds |= kinds

    def _take_up(self) -> None:
        kinds, self._kinds = self._kinds, set()
        painted, self._painted = self._painted, set()
        if self._pane is not None and kinds - _FEATURES:
            self._take_pictures(self._pane, painted)
        if kinds & _FEATURES:
            self._take_features()

    def _take_pictures(self, pane: ImagePane, painted: set[Any]) -> None:
        before, now = self._pictures, self._layers.pictures()
        shown = {picture.name: picture for picture in pane.pictures}
        for layer, picture in now.items():
            if layer not in before:
                if picture.name not in shown:
                    self._tell(f'"{layer.name}" is new in napari: run explore(viewer) again to see its cells.')
                continue
            has_new_pixels = layer in painted or any(image.name in picture.channels for image in _images(painted))
            if has_new_pixels or layer.name != self._titles[layer] or not _is_same(picture, before[layer]):
                merged = _with_own_looks(picture, before[layer], shown[picture.name])
                pane.replace(merged, layer.name, with_pixels=has_new_pixels)
                self._titles[layer] = layer.name
        if removed := [self._titles[layer] for layer in before if layer not in now]:
            self._tell(f"{listed(removed)} was removed in napari: the widget shows it as it was last.")
        self._pictures = now

    def _take_features(self) -> None:
        try:
            tables = self._layers.tables()
        except ValueError as error:
            self._tell(str(error))
            return
        known = self._cells().features
        features = CellTable.pool(tables).features if tables else known.iloc[:0]
        is_known = features.index.isin(known.index)
        own = features[is_known]
        if changed := [name for name in map(str, own) if not _has(known, own[name])]:
            self._add_features(pd.DataFrame({name: _updated(own[name], known) for name in changed}))
            self._tell(f"From napari: {listed(changed)}.")
        if n_new := int((~is_known).sum()):
            self._tell(
                f"The features in napari describe {counted(n_new, 'cell')} that this widget does not have: run "
                "explore(viewer) again to see them."
            )


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
