"""Images that change after cells were measured in them."""

import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from napari.layers import Image, Labels, Layer
from napari.utils.events import Event
from psygnal import Signal

from latentmap.table.cells import listed

# In larger images, in bytes, other data in place of those measured count as changed without a look at the pixels.
_MOST_LOOKED_AT = 1 << 26


class ImageChanges:
    """Watches images in which labels were measured, and says which have other data since."""

    changed = Signal()
    """Emitted when `sentence` has changed."""

    def __init__(self) -> None:
        self._measured: dict[Labels, dict[Image, int]] = {}
        # The mark of each image that is watched, as it is now.
        self._now: dict[Image, int] = {}
        self._said = ""

    @property
    def sentence(self) -> str:
        """Which images have changed since labels were measured in them; "" if none has."""
        told = []
        for labels, images in self._measured.items():
            if others := [image.name for image, mark in images.items() if self._now[image] != mark]:
                have = "has" if len(others) == 1 else "have"
                told.append(
                    f'{listed(others)} {have} other pixels than when "{labels.name}" was measured: measure it again.'
                )
        return " ".join(told)

    def set_reference(self, labels: Labels, marks: Mapping[Image, int]) -> None:
        """Remember the marks that images had when labels were to be measured in them, and watch them from now on."""
        self._measured[labels] = {**marks}
        self._now.update(marks_of(marks))
        self._watch()

    def forget(self, layer: Layer) -> None:
        """Watch the images of these labels no more, or this image."""
        self._measured.pop(layer, None)
        for images in self._measured.values():
            images.pop(layer, None)
        self._watch()

    def close(self) -> None:
        """Watch no image any more."""
        self._measured.clear()
        self._watch()

    def _watch(self) -> None:
        used = {image for images in self._measured.values() for image in images}
        for image in [image for image in self._now if image not in used]:
            image.events.data.disconnect(self._edited)
            del self._now[image]
        for image in used:
            image.events.data.connect(self._edited)  # napari connects it once
        self._say()

    def _edited(self, event: Event) -> None:
        self._now[event.source] = _mark(event.source.data)
        self._say()

    def _say(self) -> None:
        if (sentence := self.sentence) != self._said:
            self._said = sentence
            self.changed.emit()


def marks_of(images: Iterable[Image]) -> dict[Image, int]:
    """Return a number for each image that tells whether it has other pixels later."""
    return {image: _mark(image.data) for image in images}


def _mark(data: Any) -> int:
    """A number that changes with the pixels or, of those that are large or not in memory, with the array."""
    if not isinstance(data, np.ndarray) or data.nbytes > _MOST_LOOKED_AT:
        return -id(data)
    return zlib.adler32(np.ascontiguousarray(data).data)
