"""Notebook widgets for the fields of a form, and rows of them."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import ipywidgets as w
import traitlets

from latentmap.methods.fields import Field

LABEL_WIDTH = "110px"
"""The width of the labels before the fields."""


def paragraph(words: str) -> str:
    """Return words as HTML, in lines as close as those of a text."""
    return f"<div style='line-height:1.4'>{escape(words)}</div>"


def labelled(text: str, widget: w.Widget, about: str = "") -> w.HBox:
    """Put a widget beside its label; all labels are equally wide.

    Parameters
    ----------
    text : str
    widget : ipywidgets.Widget
    about : str
        What the label explains when the mouse is over it.
    """
    label = w.Label(text, tooltip=about, layout=w.Layout(width=LABEL_WIDTH, min_width=LABEL_WIDTH))
    return w.HBox([label, widget])


def row_of(field: Field, widget: w.Widget) -> w.HBox:
    """Put a parameter's widget beside its label.

    Parameters
    ----------
    field : Field
    widget : ipywidgets.Widget
        From :func:`widget_of`.

    Returns
    -------
    ipywidgets.HBox
    """
    return labelled(field.label, widget, field.about)


def widget_of(field: Field) -> w.Widget:
    """Return the widget that shows and sets a parameter.

    Returns
    -------
    ipywidgets.Widget
        A list to choose from where there are choices; a list of words and a field for a number where there are words;
        a list of words and numbers where few numbers are usual beside them; a box to tick; a slider over the usual
        whole numbers with a field beside it; or a field for a number.
    """
    if field.words:
        return NumberList(field) if field.usual else WordOrNumber(field)
    if field.usual and not field.choices:
        return NumberSlider(field)
    # ipywidgets keeps every layout ever made, so make only those needed.
    layout = w.Layout(flex="1", min_width="0")
    if field.choices:
        return w.Dropdown(options=list(field.choices), tooltip=field.about, layout=layout)
    if field.is_switch:
        return w.Checkbox(tooltip=field.about, indent=False, layout=layout)
    if field.is_whole:
        least, most = int(field.least), int(field.most)
        return w.BoundedIntText(least, least, most, tooltip=field.about, layout=layout)
    return w.BoundedFloatText(
        field.least, min=field.least, max=field.most, step=field.step, tooltip=field.about, layout=layout
    )


def show(widget: w.Widget, value: Any) -> None:
    """Show a value in a parameter's widget; a value out of range widens the range.

    Parameters
    ----------
    widget : ipywidgets.Widget
        From :func:`widget_of`.
    value : object
    """
    if isinstance(widget, w.BoundedIntText | w.BoundedFloatText):
        widget.min, widget.max = min(widget.min, value), max(widget.max, value)
    if widget.value != value:
        widget.value = value


class NumberSlider(w.HBox):
    """A whole number: a slider over the usual ones, and a field beside it for all others."""

    value = traitlets.Int()

    def __init__(self, field: Field) -> None:
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


class WordOrNumber(w.HBox):
    """A number, or a word that stands for what is none, such as "auto".

    Parameters
    ----------
    field : Field
        Its words, and the range of the number.
    """

    value = traitlets.Any()

    def __init__(self, field: Field) -> None:
        self._values = [value for _, value in field.words]
        self.kind = w.Dropdown(
            options=[*(word for word, _ in field.words), "number"],
            tooltip=field.about,
            layout=w.Layout(flex="1", min_width="0"),
        )
        kind = w.BoundedIntText if field.is_whole else w.BoundedFloatText
        self.number = kind(
            field.first,
            min=field.least,
            max=field.most,
            step=field.step,
            tooltip=field.about,
            layout=w.Layout(width="70px"),
        )
        super().__init__([self.kind, self.number], layout=w.Layout(flex="1", min_width="0"), value=self._values[0])
        self.observe(self._show, "value")
        self.kind.observe(self._choose, "value")
        self.number.observe(self._choose, "value")
        self._show()

    def _show(self, _: object = None) -> None:
        is_number = self.value not in self._values
        if is_number:
            self.number.min, self.number.max = min(self.number.min, self.value), max(self.number.max, self.value)
            self.number.value = self.value
        self.kind.index = len(self._values) if is_number else self._values.index(self.value)
        self.number.layout.display = None if is_number else "none"

    def _choose(self, _: object) -> None:
        self.value = [*self._values, self.number.value][self.kind.index]


class NumberList(w.HBox):
    """A word, such as "auto", or one of the few whole numbers that are usual, in one list.

    Parameters
    ----------
    field : Field
        Its first word, and the numbers from the least to the usual one.
    """

    value = traitlets.Any()

    def __init__(self, field: Field) -> None:
        self._word, self._stands_for = field.words[0]
        self._text = self._word
        self._least, self._usual = int(field.least), int(field.usual)
        self.list = w.Dropdown(tooltip=field.about, layout=w.Layout(flex="1", min_width="0"))
        super().__init__([self.list], layout=w.Layout(flex="1", min_width="0"), value=self._stands_for)
        self.list.observe(self._choose, "value")
        self.observe(self._show, "value")
        self._show()

    def show_found(self, found: int | None) -> None:
        """Say what number the word has stood for; None where that is not known."""
        self._text = self._word if found is None else f"{self._word} ({found})"
        self._show()

    def _show(self, _: object = None) -> None:
        """Offer all numbers up to the value, and up to the usual one in any case."""
        most = self._usual if self.value == self._stands_for else max(self._usual, self.value)
        numbers = range(self._least, most + 1)
        offer(
            self.list,
            [(self._text, self._stands_for), *((str(number), number) for number in numbers)],
            self.value,
            self._choose,
        )

    def _choose(self, _: object) -> None:
        self.value = self.list.value


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
