"""The pages of the repository as Markdown: their links, pictures, targets and code."""

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "tutorials").glob("*.md")])
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
# As GitHub and the site name a heading.
_PARSER = MarkdownIt("commonmark").enable("table").use(anchors_plugin, max_level=6)


class Picture(NamedTuple):
    """A picture on a page."""

    source: str
    alternative: str


def name_of(path: Path) -> str:
    """Return the path within the repository, for the name of a test."""
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    """Return a page, or what a notebook says between its code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


@cache
def _parsed(text: str) -> list[Token]:
    """Return the tokens of a text: many links lead to one page, and each test would parse it anew."""
    return _PARSER.parse(text)


def tokens_of(text: str) -> Iterator[Token]:
    """Yield all tokens of a text, those within lines as well."""
    for token in _parsed(text):
        yield token
        yield from token.children or ()


def links_in(text: str) -> list[str]:
    """Return where the links of a text lead."""
    links = [str(token.attrs["href"]) for token in tokens_of(text) if token.type == "link_open"]
    return links + re.findall(r'<a [^>]*href="([^"]+)"', _html_in(text))


def pictures_in(text: str) -> list[Picture]:
    """Return the pictures of a text."""
    pictures = [Picture(str(token.attrs["src"]), token.content) for token in tokens_of(text) if token.type == "image"]
    for tag in re.findall(r"<img [^>]*>", _html_in(text)):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        pictures.append(Picture(attributes["src"], attributes.get("alt", "")))
    return pictures


@cache
def targets_in(text: str) -> frozenset[str]:
    """Return the names of the places in a text that a link may lead to."""
    headings = {str(token.attrs["id"]) for token in tokens_of(text) if token.type == "heading_open"}
    return frozenset(headings) | set(re.findall(r'<a (?:id|name)="([^"]+)"', _html_in(text)))


def code_in(text: str, language: str) -> list[str]:
    """Return the blocks of code in this language."""
    return [token.content for token in tokens_of(text) if token.type == "fence" and token.info == language]


def _html_in(text: str) -> str:
    """Return what is HTML in a text."""
    return "\n".join(token.content for token in tokens_of(text) if token.type in {"html_block", "html_inline"})


def prose_in(text: str) -> list[str]:
    """Return what is prose in a text, paragraph by paragraph: no code, headings, tables or pictures."""
    tokens = _parsed(text)
    return [
        "".join(map(_spoken, token.children or ()))
        for before, token in pairwise(tokens)
        if before.type == "paragraph_open" and token.type == "inline"
    ]


def _spoken(token: Token) -> str:
    """Return what is read aloud of a part of a line."""
    if token.type == "text":
        return token.content
    return " " if token.type in {"softbreak", "hardbreak"} else ""
