"""Every link within the repository leads somewhere, and every picture is there and says in words what it shows."""

from urllib.parse import unquote

import pytest
from markdown_pages import NOTEBOOKS, PAGES, ROOT, links_in, name_of, pictures_in, targets_in, text_of

_ELSEWHERE = ("https://", "http://", "mailto:", "attachment:")
_LEAST_WORDS = 3


def dead_links(path):
    """Return the links of a page that lead nowhere, with why."""
    dead = []
    text = text_of(path)
    for link in links_in(text):
        if link.startswith(_ELSEWHERE):
            continue
        file, _, target = unquote(link).partition("#")
        page = path if not file else (path.parent / file).resolve()
        if not page.exists():
            dead.append(f"{link}: no such file")
        elif not page.is_relative_to(ROOT):
            dead.append(f"{link}: outside the repository")
        elif target and page.suffix == ".md" and target not in targets_in(text_of(page)):
            dead.append(f"{link}: no such place on the page")
    return dead


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=name_of)
def test_links_lead_somewhere(path):
    assert dead_links(path) == []


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=name_of)
def test_pictures_are_there_and_say_what_they_show(path):
    for picture in pictures_in(text_of(path)):
        if not picture.source.startswith(_ELSEWHERE):
            assert (path.parent / picture.source).is_file(), picture.source
        assert len(picture.alternative.split()) >= _LEAST_WORDS, f"{picture.source} has no alternative text"


def test_every_picture_is_on_a_page():
    shown = {(path.parent / picture.source).resolve() for path in PAGES for picture in pictures_in(text_of(path))}
    kept = {path for path in (ROOT / "docs" / "images").iterdir() if path.suffix != ".json"}
    assert sorted(path.name for path in kept - shown) == []


def test_dead_links_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr("test_links.ROOT", tmp_path)
    (tmp_path / "other.md").write_text("# A heading, or two\n\n<a id='x'></a>\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text("[a](other.md#a-heading-or-two) [b](other.md#b) [c](c.md) [d](#d) [e](..)", encoding="utf-8")
    assert [link.split(":")[0] for link in dead_links(page)] == ["other.md#b", "c.md", "#d", ".."]
