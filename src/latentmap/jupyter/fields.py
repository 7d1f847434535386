"""Notebook widgets for the fields of a form, and rows of them."""

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as w
import numpy as np
import traitlets

from latentmap.display.fields import FIELDS

LABEL_WIDTH = "110px"
"""The width of the labels before the fields."""


def labelled(text: str, widget: w.Widget, about: str = "") -> w.HBox:
    """Put a widget beside its label; all labels are equally wide.

    Parameters
    ----------
    text : str
    widget : ipywidgets.Widget
    about : str
        What the label explains when the mouse is over it.

    Returns
    -------
    ipywidgets.HBox
    """
    label = w.Label(text, tooltip=about, layout=w.Layout(width=LABEL_WIDTH, min_width=LABEL_WIDTH))
    return w.HBox([label, widget])


def row_of(name: str, widget: w.Widget) -> w.HBox:
    """Put a widget beside the label that its parameter has.

    Parameters
    ----------
    name : str
        The parameter's.
    widget : ipywidgets.Widget

    Returns
    -------
    ipywidgets.HBox
    """
    return labelled(FIELDS[name].label, widget, FIELDS[name].about)


class NumberSlider(w.HBox):
    """A whole number: a slider over the usual ones, and a field beside it for all others.

    Parameters
    ----------
    name : str
        The parameter's.
    """

    value = traitlets.Int()

    def __init__(self, name: str) -> None:
        field = FIELDS[name]
        least, usual, most = (int(end) for end in (field.least, field.usual, field.most))
        self.slider = w.IntSlider(
            least, least, usual, readout=False, tooltip=field.about, layout=w.Layout(flex="1", min_width="60px")
        )
        self.number = w.BoundedIntText(least, least, most, tooltip=field.about, layout=w.Layout(width="70px"))
        super().__init__([self.slider, self.number], layout=w.Layout(flex="1", min_width="0"), value=least)
        self._usual = usual
        self.observe(self._show, "value")
        self.slider.observe(self._slid, "value")
        self.number.observe(lambda change: self.set_trait("value", change.new), "value")

    def _show(self, _: object) -> None:
        self.number.max = max(self.number.max, self.value)
        self.number.value = self.value
        # The slider stops at its end, and must not take the number with it.
        self.slider.value = min(self.value, self._usual)

    def _slid(self, change: Any) -> None:
        if change.new != min(self.value, self._usual):
            self.value = change.new


class DofField(w.HBox):
    """The degrees of freedom: "auto", infinite, or a number."""

    value = traitlets.Any("auto")

    def __init__(self) -> None:
        field = FIELDS["dof"]
        self.kind = w.Dropdown(
            options=["auto", "Gaussian (∞)", "number"], tooltip=field.about, layout=w.Layout(flex="1", min_width="0")
        )
        self.number = w.BoundedFloatText(
            2, min=field.least, max=field.most, step=field.step, tooltip=field.about, layout=w.Layout(width="70px")
        )
        super().__init__([self.kind, self.number], layout=w.Layout(flex="1", min_width="0"))
        self.observe(self._show, "value")
        self.kind.observe(self._choose, "value")
        self.number.observe(self._choose, "value")
        self._show()

    def _show(self, _: object = None) -> None:
        is_number = self.value != "auto" and np.isfinite(self.value)
        if is_number:
            self.number.max = max(self.number.max, self.value)
            self.number.value = self.value
        self.kind.index = 2 if is_number else 0 if self.value == "auto" else 1
        self.number.layout.display = None if is_number else "none"

    def _choose(self, _: object) -> None:
        self.value = ("auto", np.inf, self.number.value)[self.kind.index]


def whole(name: str) -> w.BoundedIntText:
    """Return a field for whole numbers.

    Parameters
    ----------
    name : str
        The parameter's.
    """
    field = FIELDS[name]
    least, most = int(field.least), int(field.most)
    return w.BoundedIntText(least, least, most, tooltip=field.about, layout=w.Layout(flex="1", min_width="0"))


def decimal(name: str) -> w.BoundedFloatText:
    """Return a field for decimal numbers.

    Parameters
    ----------
    name : str
    """
    field = FIELDS[name]
    layout = w.Layout(flex="1", min_width="0")
    return w.BoundedFloatText(
        field.least, min=field.least, max=field.most, step=field.step, tooltip=field.about, layout=layout
    )


def choice(name: str) -> w.Dropdown:
    """Return a list to choose from.

    Parameters
    ----------
    name : str
    """
    field = FIELDS[name]
    return w.Dropdown(options=list(field.choices), tooltip=field.about, layout=w.Layout(flex="1", min_width="0"))


def offer(field: w.Dropdown, options: Sequence[tuple[str, Any]], value: Any, watcher: Callable[[Any], None]) -> None:
    """Offer other choices.

    Parameters
    ----------
    field : ipywidgets.Dropdown
    options : sequence of (str, object)
    value : object
        That of them which is chosen.
    watcher : callable
        Watches the value. It is not told of the first option, which is chosen on the way.
    """
    field.unobserve(watcher, "value")
    field.options = tuple(options)
    field.value = value
    field.observe(watcher, "value")
