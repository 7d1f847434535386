"""The site builds, and no warning is left: ``scripts/site``."""

import re
import subprocess
import sys

import pytest
from markdown_pages import NOTEBOOKS, PAGES, ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built anew."""
    for package in ("sphinx", "myst_nb", "furo", "numpydoc", "sphinx_copybutton"):
        pytest.importorskip(package, reason="the dependency group site is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, ROOT / "tests" / "docs" / "build_site.py", folder]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.slow
def test_every_page_is_on_the_site(site):
    pages = [path for path in [*PAGES, *NOTEBOOKS] if path.parent != ROOT]
    absent = [path for path in pages if not (site / path.relative_to(ROOT / "docs")).with_suffix(".html").is_file()]
    assert absent == []
    contents = (site / "index.html").read_text(encoding="utf-8")
    assert {"start.html", "napari.html", "api.html"} <= set(re.findall(r'href="([^"#]+)"', contents))


@pytest.mark.slow
def test_every_public_name_is_in_the_reference(site):
    import latentmap

    rooms = {"methods", "quality", "session", "table", "tl", "jupyter"}
    for name in set(latentmap.__all__) - rooms:
        assert described(site, f"latentmap.{name}"), name
    for room in rooms:
        contents = (site / "api" / f"latentmap.{room}.html").read_text("utf-8")
        for name in getattr(latentmap, room).__all__:
            whole = f"latentmap.{room}.{name}"
            # Types of more than a name stand on the page of their module.
            assert described(site, whole) or f'id="{whole}"' in contents, whole


def described(site, name):
    """Return whether a name has a page with a sentence of its own, not that of its type."""
    page = site / "api" / f"{name}.html"
    if not page.is_file():
        return False
    _, _, text = page.read_text("utf-8").partition(f'id="{name}"')
    sentences = re.findall(r"<dd><p>(.+?)</p>", text, re.S)
    return bool(sentences) and not sentences[0].startswith(("str(object", "Built-in", "dict(", "Read-only proxy"))


@pytest.mark.slow
def test_the_reference_says_what_a_tool_takes(site):
    for name in ("lvm", "isomap"):
        page = (site / "api" / f"latentmap.tl.{name}.html").read_text("utf-8")
        parameters = re.findall(r'<span class="n"><span class="pre">(\w+)<', page)
        assert {"adata", "key_added", "n_neighbors"} <= set(parameters)


@pytest.mark.slow
def test_the_equations_of_the_model_are_numbered_as_in_the_paper(site):
    given = re.findall(r"\\tag\{(\w+)\}", (ROOT / "docs" / "model.md").read_text("utf-8"))
    page = (site / "model.html").read_text("utf-8")
    assert len(given) >= 20
    assert [number for number, _ in re.findall(r'<span id="equation-(\w+)">\((\w+)\)</span>', page)] == given
    assert page.count('display="block"') >= len(given)
    assert "$" not in re.sub(r"<(script|pre|code)\b.*?</\1>", "", page, flags=re.S)


@pytest.mark.slow
def test_the_site_is_read_without_the_internet(site):
    """No page loads a script, a style or a picture from another machine."""
    loaded = re.compile(r'<(?:script|img|link)[^>]* (?:src|href)="(https?://[^"]+)"')
    assert {str(page): loaded.findall(page.read_text("utf-8")) for page in site.rglob("*.html")} == {
        str(page): [] for page in site.rglob("*.html")
    }
