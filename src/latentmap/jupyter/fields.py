"""Widgets for the fields of a form."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, TypeAlias

import traitlets
from traitlets.utils.bunch import Bunch

from latentmap.jupyter import widgets as w
from latentmap.methods.fields import Field

LABEL_WIDTH = "110px"
"""The width of the labels in front of the fields."""

FieldWidget: TypeAlias = "w.ValueWidget | NumberSlider | WordOrNumber | NumberList"
"""The widget of a parameter, whose `value` is that of the parameter."""


def paragraph(words: str) -> str:
    """Return text as an HTML paragraph with normal line spacing."""
    return f"<div style='line-height:1.4'>{escape(words)}</div>"


def labelled(text: str, widget: w.Widget, about: str = "", width: str = LABEL_WIDTH) -> w.HBox:
    """Put a widget next to its label, which has the tooltip `about`; all labels of a part are equally wide."""
    label = w.Label(text, tooltip=about, layout=w.look(width=width, min_width=width))
    return w.HBox([label, widget])


def row_of(field: Field, widget: FieldWidget) -> w.HBox:
    """Put the widget of a parameter next to its label."""
    return labelled(field.label, widget, field.about)


def widget_of(field: Field) -> FieldWidget:
    """Return the widget that shows and sets a parameter.

    It is a list if there are choices; a list and a number field if words such as "auto" may replace the number, or a
    single list if only a few numbers are usual; a check box; a slider over the usual whole numbers with a number field;
    or a number field.
    """
    if field.special_values:
        return NumberList(field) if field.slider_maximum else WordOrNumber(field)
    if field.slider_maximum and not field.choices:
        return NumberSlider(field)
    # ipywidgets keeps every layout that was ever made, so none is made in vain.
    layout = w.look(flex="1", min_width="0")
    if field.choices:
        return w.Dropdown(options=list(field.choices), tooltip=field.about, layout=layout)
    if field.is_switch:
        return w.Checkbox(tooltip=field.about, indent=False, layout=layout)
    if field.is_whole:
        least, most = int(field.minimum), int(field.maximum)
        return w.BoundedIntText(least, least, most, tooltip=field.about, layout=layout)
    return w.BoundedFloatText(
        field.minimum, min=field.minimum, max=field.maximum, step=field.step, tooltip=field.about, layout=layout
    )


def show(widget: FieldWidget, value: Any) -> None:
    """Show a value in the widget of a parameter; a value out of range widens the range."""
    if isinstance(widget, w.BoundedIntText | w.BoundedFloatText):
        widget.min, widget.max = min(widget.min, value), max(widget.max, value)
    if widget.value != value:
        widget.value = value


class NumberSlider(w.HBox):
    """A slider over the usual whole numbers, and a field for all others."""

    value = traitlets.Int()

    def __init__(self, field: Field) -> None:
        least, usual, most = (int(end) for end in (field.minimum, field.slider_maximum, field.maximum))
        self.slider = w.IntSlider(
            least, least, usual, readout=False, tooltip=field.about, layout=w.look(flex="1", min_width="60px")
        )
        self.number = w.BoundedIntText(least, least, most, tooltip=field.about, layout=w.look(width="70px"))
        super().__init__([self.slider, self.number], layout=w.look(flex="1", min_width="0"), value=least)
        self._slider_maximum = usual
        self.observe(self._show, "value")
        self.slider.observe(self._slid, "value")
        self.number.observe(lambda change: self.set_trait("value", change.new), "value")

    def _show(self, _: object) -> None:
        self.number.max = max(self.number.max, self.value)
        self.number.value = self.value
        # The slider stops at its end, but the number may go on.
        self.slider.value = min(self.value, self._slider_maximum)

    def _slid(self, change: Bunch) -> None:
        if change.new != min(self.value, self._slider_maximum):
            self.value = change.new


class WordOrNumber(w.HBox):
    """A number, or a word in its place, such as "auto"."""

    value = traitlets.Any()

    def __init__(self, field: Field) -> None:
        self._values = [value for _, value in field.special_values]
        self.kind = w.Dropdown(
            options=[*(word for word, _ in field.special_values), "number"],
            tooltip=field.about,
            layout=w.look(flex="1", min_width="0"),
        )
        kind = w.BoundedIntText if field.is_whole else w.BoundedFloatText
        self.number = kind(
            field.initial_number,
            min=field.minimum,
            max=field.maximum,
            step=field.step,
            tooltip=field.about,
            layout=w.look(width="70px"),
        )
        super().__init__([self.kind, self.number], layout=w.look(flex="1", min_width="0"), value=self._values[0])
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
        w.set_visible(self.number, is_number)

    def _choose(self, _: object) -> None:
        if (index := self.kind.index) is not None:
            self.value = [*self._values, self.number.value][index]


class NumberList(w.HBox):
    """One list with a word, such as "auto", and the few whole numbers that are usual."""

    value = traitlets.Any()

    def __init__(self, field: Field) -> None:
        self._word, self._stands_for = field.special_values[0]
        self._text = self._word
        self._minimum, self._slider_maximum = int(field.minimum), int(field.slider_maximum)
        self.list = w.Dropdown(tooltip=field.about, layout=w.look(flex="1", min_width="0"))
        super().__init__([self.list], layout=w.look(flex="1", min_width="0"), value=self._stands_for)
        self.list.observe(self._choose, "value")
        self.observe(self._show, "value")
        self._show()

    def show_found(self, found: int | None) -> None:
        """Show which number the word stood for; None if that is not known."""
        self._text = self._word if found is None else f"{self._word} ({found})"
        self._show()

    def _show(self, _: object = None) -> None:
        """Offer all numbers up to the usual one, or up to the value if that is larger."""
        most = self._slider_maximum if self.value == self._stands_for else max(self._slider_maximum, self.value)
        numbers = range(self._minimum, most + 1)
        offer(
            self.list,
            [(self._text, self._stands_for), *((str(number), number) for number in numbers)],
            self.value,
            self._choose,
        )

    def _choose(self, _: object) -> None:
        self.value = self.list.value


def offer(field: w.Dropdown, options: Sequence[tuple[str, Any]], value: Any, watcher: Callable[[object], None]) -> None:
    """Offer other choices, and choose one.

    ipywidgets chooses the first one for a moment, which is kept from `watcher`, the observer of the value.
    """
    field.unobserve(watcher, "value")
    field.options = tuple(options)
    field.value = value
    field.observe(watcher, "value")
