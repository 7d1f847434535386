"""How the channels of a picture are shown in an image pane, as its script knows it."""

from dataclasses import replace
from typing import TypedDict

import numpy as np

from latentmap.images.crops import Channel
from latentmap.jupyter.labelled_image import LabelledImage, pyramid


class ChannelLook(TypedDict):
    """How a channel is shown; `range` holds the ends of the sliders for the contrast limits."""

    visible: bool
    colour: tuple[float, float, float] | None
    limits: list[float]
    range: list[float]


def initial_looks(picture: LabelledImage) -> list[ChannelLook]:
    """Return how the channels of a picture are shown at first; the user may change that in the browser."""
    return [
        {
            "visible": name not in picture.hidden,
            "colour": channel.colour,
            "limits": [float(limit) for limit in channel.limits],
            "range": _slider_range(channel),
        }
        for name, channel in picture.channels.items()
    ]


def with_looks(picture: LabelledImage, looks: list[ChannelLook]) -> LabelledImage:
    """Return a copy of a picture whose channels are shown in this way at first."""
    channels, hidden = {}, set()
    for (name, channel), look in zip(picture.channels.items(), looks, strict=True):
        (low, high), colour = look["limits"], look["colour"]
        if colour is not None:
            red, green, blue = colour
            colour = red, green, blue  # the browser sends a list
        channels[name] = Channel(channel.image, (low, high), colour)
        if not look["visible"]:
            hidden.add(name)
    return replace(picture, channels=channels, hidden=frozenset(hidden))


def _slider_range(channel: Channel) -> list[float]:
    """Return the ends of the contrast sliders: beyond the limits, but not up to the value of the hottest pixel."""
    low, high = channel.limits
    dtype = pyramid(channel.image)[0].dtype
    is_whole = np.issubdtype(dtype, np.integer)
    lowest, highest = (np.iinfo(dtype).min, np.iinfo(dtype).max) if is_whole else (-np.inf, np.inf)
    return [float(max(low - (high - low) / 2, lowest)), float(min(high + 2 * (high - low), highest))]
