"""The plot of features in the browser."""

import io
from typing import Any

import anywidget
import matplotlib.image
import numpy as np
import traitlets

from latentmap.display.feature_plot import Limits
from latentmap.display.gate_words import PLOT_TOOLS, SHOW_ALL, tools_for, usual_tool
from latentmap.jupyter.assets import asset
from latentmap.presenters.gating import GatePresenter
from latentmap.presenters.plotting import NO_FEATURE

# The largest side of the picture, in pixels, whatever the browser asks for.
_LARGEST = 4096


class FeaturePlotPane(anywidget.AnyWidget):
    """Draws what `GatePresenter` decides, and tells it what the user draws.

    The browser asks for the picture of what is in view, so a plot out of sight costs nothing.
    """

    _esm = asset("feature_plot.js")
    _css = asset("tool_buttons.css") + asset("feature_plot.css")

    tool = traitlets.Enum(list(PLOT_TOOLS), "rectangle").tag(sync=True)
    """What dragging does."""
    height = traitlets.Int(230).tag(sync=True)
    """In CSS pixels."""
    version = traitlets.Int().tag(sync=True)
    """Counts how often the cells or their colours have changed."""
    fits = traitlets.Int().tag(sync=True)
    """Counts how often all cells came into view."""
    _tools: traitlets.List[list[str]] = traitlets.List().tag(sync=True)
    _fit = traitlets.List([SHOW_ALL.label, SHOW_ALL.about]).tag(sync=True)

    def __init__(self, presenter: GatePresenter) -> None:
        super().__init__()
        self._presenter, self._limits = presenter, Limits(0.0, 1.0, 0.0, 1.0)
        self._n_axes = 0
        # Whether the browser has asked for a picture with the axes that there are; before, it shows others.
        self._is_seen = False
        self.show_tools(2)
        self.on_msg(self._hear)

    def show_tools(self, n_axes: int) -> None:
        """Offer the tools for a histogram or a scatter plot."""
        if n_axes != self._n_axes:
            self._n_axes = n_axes
            self._tools = [[name, PLOT_TOOLS[name].label, PLOT_TOOLS[name].about] for name in tools_for(n_axes)]
            self.tool = usual_tool(n_axes)

    def redraw(self, *, fit: bool) -> None:
        """Have the cells drawn again; `fit` brings all of them into view."""
        if fit:
            self._is_seen = False
            self.fits += 1
        else:
            self.version += 1

    def show_outlines(self) -> None:
        """Draw the gates again."""
        self.send({"kind": "outlines", "outlines": self._outlines()})

    def _outlines(self) -> list[dict[str, Any]]:
        return [
            {
                "paths": [path.tolist() for path in one.shape.paths],
                "closed": one.shape.is_closed,
                "handles": one.shape.handles.tolist(),
                "name": one.name,
                "colour": one.colour,
                "current": one.is_current,
            }
            for one in self._presenter.outlines(self._limits)
        ]

    def _hear(self, _: object, content: dict[str, Any], buffers: object) -> None:
        presenter, kind = self._presenter, content["kind"]
        if kind == "wanted":
            self._is_seen = True
            self._answer(content)
        elif kind == "dropped":
            presenter.drop()
        elif not self._is_seen:
            return
        elif kind == "drawn":
            presenter.draw(content["tool"], np.array(content["points"], dtype=float), content["mode"])
        elif kind == "clicked":
            across, up = content["point"]
            right, high = content["reach"]
            presenter.click((across, up), (right, high), content["mode"])
        elif kind == "dragged":
            across, up = content["by"]
            presenter.drag(content["handle"], (across, up))

    def _answer(self, content: dict[str, Any]) -> None:
        """Send the picture of the part in view."""
        plot = self._presenter.plot.plot
        self._limits = limits = Limits(*content["limits"]) if content["limits"] else plot.limits
        width, height = (min(max(1, round(side)), _LARGEST) for side in content["size"])
        pixels = self._presenter.plot.picture(limits, (width, height), content["scale"])
        ticks = plot.ticks(limits, (4, 6)) if plot.axes else ([], [])
        titles = [axis.text for axis in plot.axes] + ([NO_FEATURE] if plot.is_histogram else [])
        answer = {
            "kind": "picture",
            "limits": limits,
            "ticks": ticks,
            "titles": titles or ["", ""],
            "histogram": plot.is_histogram,
            "outlines": self._outlines(),
        }
        file = io.BytesIO()
        matplotlib.image.imsave(file, pixels, format="png", pil_kwargs={"compress_level": 1})
        self.send(answer, [file.getvalue()])
