"""The HTML export: the maps and images of a notebook as one page, for any browser and without a kernel."""

import json
import os
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from latentmap import __version__
from latentmap.display.map_facts import Fact, map_facts
from latentmap.jupyter.assets import asset
from latentmap.jupyter.base64_arrays import as_base64
from latentmap.jupyter.cell_tooltips import cell_tooltips
from latentmap.jupyter.image_pane import ImagePane
from latentmap.jupyter.legend import as_html
from latentmap.jupyter.map_controller import MapController
from latentmap.jupyter.maps import Maps
from latentmap.jupyter.static_image_pane import StaticImagePane
from latentmap.methods import available
from latentmap.session import ColourGroups, ColourScale, Result, Run, Session
from latentmap.session.wording import counted
from latentmap.table import CellTable, atomic_file
from latentmap.table.cells import listed

_STYLES = ("tool_buttons.css", "map_pane.css", "image_pane.css", "html_export.css")
_MAP_TRAITS = (
    "places",
    "axes",
    "view",
    "codes",
    "shares",
    "palette",
    "hidden",
    "beyond",
    "hollow",
    "half",
    "size",
    "spread",
    "height",
    "tool",
    "names",
    "links",
    "times",
    "now",
    "tail",
)


class HtmlExport:
    """A page with maps and images as they are now, linked with each other, and with the selection.

    Parameters
    ----------
    session : Session
    maps : Maps
        The maps in view.
    cells : CellTable
        The cells in the images.
    pane : ImagePane, optional
        The images.

    Raises
    ------
    ValueError
        If there is no map, or one is being made.
    """

    def __init__(self, session: Session, maps: Maps, cells: CellTable, pane: ImagePane | None = None) -> None:
        if session.runs.running:
            raise ValueError("A map is being made: wait until it is finished or press Cancel, then export it.")
        self._maps = [
            _Map(run, run.result, shown, maps.colours_of(shown), session)
            for run, shown in zip(maps.runs, maps.shown, strict=True)
            if run.result is not None
        ]
        if not self._maps:
            raise ValueError("There is no map yet: press Embed.")
        self._session, self._cells = session, cells
        self._still = None if pane is None else StaticImagePane.of(pane)

    def write(self, path: str | os.PathLike[str], title: str, caption: str) -> Path:
        """Write the page with this heading and the text below it; a failure leaves no half-written file.

        Raises
        ------
        OSError
            If the folder is missing, not writable or full.
        """
        path = Path(path)
        if not path.parent.is_dir():
            raise FileNotFoundError(f'The folder "{path.parent}" does not exist: create it, or choose another one.')
        page = self.page(title, caption)
        with atomic_file(path) as unfinished:
            unfinished.write_text(page, encoding="utf-8", newline="\n")
        return path

    def page(self, title: str, caption: str) -> str:
        """Return the page as HTML; the same session always gives the same text."""
        groups = _Groups()
        selection = self._session.selection.numbers
        chosen = groups.button("as saved", selection) if len(selection) else ""
        return Template(asset("html_export.html")).substitute(
            title=escape(title),
            caption=f"<p>{escape(caption)}</p>" if caption else "",
            style="".join(asset(name) for name in _STYLES),
            maps="".join(one.figure(index, groups) for index, one in enumerate(self._maps)),
            image=self._image(),
            choices=chosen + groups.button("none", np.empty(0, dtype=np.int64)) + self._classes(groups),
            facts=self._facts(),
            version=escape(__version__),
            method=escape(" ".join(self._method())),
            data=_as_script(self._data(groups)),
            script=asset("html_export.js"),
        )

    def _data(self, groups: "_Groups") -> dict[str, Any]:
        """Return the data that the script of the page shows."""
        still = self._still
        return {
            "cells": cell_tooltips(self._session, [one.run for one in self._maps], self._cells),
            "maps": [one.data for one in self._maps],
            "image": None if still is None else {"state": _plain(still.state), "tiles": still.tiles},
            "groups": groups.packed,
            "selected": as_base64(self._session.selection.numbers.astype(np.int32)),
        }

    def _image(self) -> str:
        if self._still is None:
            return ""
        about = self._still.about
        if len(self._maps) > 1:
            about = [f'The cells are coloured as on the map "{self._maps[0].run.name}".', *about]
        return f"<figure><div id='image'></div>{_paragraphs(about)}</figure>"

    def _classes(self, groups: "_Groups") -> str:
        """Return buttons that select the cells of each class, unless the legends have them."""
        if self._session.display_settings.colour_by.kind == "class":
            return ""
        swatch = "<span class='swatch' style='background:{}'></span>"
        kept = {one: self._session.members(one.name) for one in self._session.classes}
        buttons = [
            groups.button(f"{one.name} ({len(members)})", members, swatch.format(one.colour))
            for one, members in kept.items()
            if len(members)
        ]
        return f"<span class='label'>Classes</span>{''.join(buttons)}" if buttons else ""

    def _method(self) -> list[str]:
        """Return sentences on the methods of the maps, and on what their variances mean."""
        with_variances = [one.run.name for one in self._maps if one.has_variances]
        sentences = [f"{title}." for title in dict.fromkeys(one.method for one in self._maps)]
        if with_variances:
            subject = "The" if len(with_variances) == len(self._maps) else f"On {listed(with_variances)} the"
            sentences.append(f"{subject} variance (σ²) of a cell says how uncertain the model is of its position.")
        return sentences

    def _facts(self) -> str:
        """Return a table of how the maps were made, with one column for each."""
        columns = [{fact.name: fact for fact in one.facts} for one in self._maps]
        names = {name: fact.about for column in columns for name, fact in column.items()}
        heads = "".join(f"<th scope='col'>{escape(one.run.name)}</th>" for one in self._maps)
        lines = "".join(
            f"<tr><th scope='row' title='{escape(about)}'>{escape(name)}</th>"
            + "".join(f"<td>{escape(column[name].value) if name in column else ''}</td>" for column in columns)
            + "</tr>"
            for name, about in names.items()
        )
        return f"<table><thead><tr><th>Map</th>{heads}</tr></thead><tbody>{lines}</tbody></table>"


class _Groups:
    """The groups of cells that buttons select."""

    def __init__(self) -> None:
        self._numbers: list[np.ndarray] = []

    @property
    def packed(self) -> list[dict[str, str]]:
        return [as_base64(numbers.astype(np.int32)) for numbers in self._numbers]

    def button(self, text: str, numbers: np.ndarray, before: str = "") -> str:
        self._numbers.append(numbers)
        group = len(self._numbers) - 1
        return f"<button type='button' data-group='{group}' title='Select these cells.'>{before}{escape(text)}</button>"


class _Map:
    """A map, its legend, and the text about it."""

    def __init__(
        self, run: Run, result: Result, shown: MapController, meant: ColourScale | ColourGroups, session: Session
    ) -> None:
        self.run, self._result, self._shown, self._meant = run, result, shown, meant
        self._is_sized, self._axes = (
            session.display_settings.sized_by_variance,
            session.display_settings.axes_of(result.embedding.shape[1]),
        )
        left = session.dropped.without(result.cells)
        self._kept = ~session.dropped.is_dropped(shown.numbers)
        self.facts = map_facts(result, left.notes, len(left.features))
        if run.opened_from:
            about = "The map from which this group of cells was opened; it began where they lie there."
            self.facts.append(Fact("Opened from", run.opened_from, about))
        elif run.origin is not None:
            self.facts.append(Fact("Continued from", run.origin, "The map from which live tuning started."))

    @property
    def method(self) -> str:
        return "a map made elsewhere" if self._result.made_elsewhere else available()[self._result.method].title

    @property
    def has_variances(self) -> bool:
        return self._result.has_variances

    @property
    def data(self) -> dict[str, Any]:
        state = _plain(self._shown.pane.get_state(_MAP_TRAITS))
        return {"numbers": as_base64(self._shown.numbers.astype(np.int32)), "state": state}

    def figure(self, index: int, groups: _Groups) -> str:
        return (
            f"<figure><figcaption>{escape(self.run.name)}</figcaption><div data-map='{index}'></div>"
            f"<div class='legend'><b>{escape(self._meant.title)}</b>{self._legend(groups)}</div>"
            f"{_paragraphs(self._about)}</figure>"
        )

    def _legend(self, groups: _Groups) -> str:
        if isinstance(self._meant, ColourScale):
            return as_html(self._meant)
        names = []
        for index, name in enumerate(self._meant.names):
            members = self._shown.numbers[(self._meant.indices == index) & self._kept]
            names.append(groups.button(f"{name} ({len(members)})", members))
        return as_html(self._meant, names)

    @property
    def _about(self) -> list[str]:
        d, beyond = self._result.embedding.shape[1], self._shown.beyond
        is_scale = isinstance(self._meant, ColourScale)
        is_missing = np.isnan(self._meant.shares) if isinstance(self._meant, ColourScale) else self._meant.indices < 0
        n_grey = int((is_missing & self._kept).sum())
        sentences = [f"{counted(int(self._kept.sum()), 'cell')}."]
        if n_grey:
            sentences.append(f"Grey: {n_grey} {'without a value' if is_scale else f'in no {self._meant.title}'}.")
        if self.run.level:
            sentences.append("Each point is a landmark: the larger, the more cells it stands for.")
        elif self._is_sized and self._result.has_variances:
            sentences.append("The larger a point, the less certain its position.")
        if d == 1:
            upwards = "; the variance points up, on a logarithmic scale" if self._result.has_variances else ""
            sentences.append(f"The only axis of the map points right{upwards}.")
        if d > 2:
            right, up, *deep = (axis + 1 for axis in self._axes)
            depth = f", and axis {deep[0]} into the screen; the Move tool rotates the map" if deep else ""
            sentences.append(f"Of {d} axes, axis {right} points right, axis {up} up{depth}.")
        if beyond:
            sentences.append(f"{counted(beyond, 'cell')} at the edge {'lies' if beyond == 1 else 'lie'} further out.")
        return [" ".join(sentences)]


def _plain(state: dict[str, Any]) -> dict[str, Any]:
    return {
        name: as_base64(np.frombuffer(value, dtype=np.uint8)) if isinstance(value, bytes | memoryview) else value
        for name, value in state.items()
    }


def _paragraphs(sentences: list[str]) -> str:
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def _as_script(data: object) -> str:
    # Users choose the names, which must not end the script element.
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
