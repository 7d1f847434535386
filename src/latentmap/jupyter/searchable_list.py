"""A list to choose from, with a search if it is long."""

from collections.abc import Sequence
from typing import Any

import traitlets

from latentmap.display.name_search import LISTED_AT_ONCE, MANY, find_names
from latentmap.jupyter import widgets as w
from latentmap.jupyter.fields import offer


class SearchableList(w.VBox):
    """A list of thousands of things: what is typed narrows it to the names that hold all these words.

    A browser gets at most 200 names at once. Return takes the first name found.
    """

    value = traitlets.Any()
    """What is chosen."""

    def __init__(self, tooltip: str = "") -> None:
        self._choices: tuple[tuple[str, Any], ...] = ()
        wide = {"width": "auto", "min_width": "0"}
        self.search = w.Text(placeholder="type to search", tooltip="Words that the name holds.", layout=w.look(**wide))
        self.list = w.Dropdown(tooltip=tooltip, layout=w.look(**wide))
        super().__init__([self.search, self.list], layout=w.look(flex="1", min_width="0"))
        self.search.observe(self._narrow, "value")
        self.search.on_msg(self._hear)
        self.list.observe(self._choose, "value")
        self.observe(self._narrow, "value")
        w.set_visible(self.search, False)

    @property
    def options(self) -> tuple[tuple[str, Any], ...]:
        """Everything there is to choose from, each with its name."""
        return self._choices

    def offer(self, choices: Sequence[tuple[str, Any]], chosen: Any) -> None:
        """Offer other things, each under its name, and choose one of them."""
        self._choices = tuple(choices)
        w.set_visible(self.search, len(choices) > MANY)
        self.search.value = ""
        self.value = chosen
        self._narrow()

    @property
    def _found(self) -> list[tuple[str, Any]]:
        names = [name for name, _ in self._choices]
        return [self._choices[index] for index in find_names(names, self.search.value)]

    def _narrow(self, _: object = None) -> None:
        found = self._found
        listed = found[:LISTED_AT_ONCE]
        # What is chosen stays in the list, as a list always shows one of its names.
        listed += [pair for pair in self._choices if pair[1] == self.value and pair not in listed]
        if listed:
            offer(self.list, listed, self.value, self._choose)
        said = f"{len(found)} of {len(self._choices)} names"
        more = "; the first 200 are listed" if len(found) > LISTED_AT_ONCE else ""
        self.search.tooltip = f"{said} match{more}."

    def _hear(self, _: object, content: dict[str, Any], buffers: object) -> None:
        """Take the first name found when Return is pressed."""
        if content.get("event") == "submit" and (found := self._found):
            self.value = found[0][1]
            self.search.value = ""

    def _choose(self, _: object) -> None:
        self.value = self.list.value
