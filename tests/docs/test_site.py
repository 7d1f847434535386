"""The site builds, and no warning is left: ``scripts/site``."""

import re
import subprocess
import sys
from types import FunctionType

import pytest
from markdown_pages import NOTEBOOKS, PAGES, ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built anew."""
    for package in ("sphinx", "myst_nb", "furo", "numpydoc", "sphinx_copybutton"):
        pytest.importorskip(package, reason="the dependency group site is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = ["sphinx", "--builder", "html", "--fail-on-warning", "--keep-going", "-q", ROOT / "docs", folder]
    built = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
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
def test_every_public_class_and_function_is_in_the_reference(site):
    import latentmap

    # The tools of `tl` are objects, which autosummary passes over: docs/scverse.md describes them.
    for module in ("methods", "quality", "session", "table", "jupyter"):
        room = getattr(latentmap, module)
        documented = [name for name in room.__all__ if isinstance(getattr(room, name), type | FunctionType)]
        assert documented
        for name in documented:
            page = site / "api" / f"latentmap.{module}.{name}.html"
            assert page.is_file(), page.name
    for name in set(latentmap.__all__) - {"methods", "quality", "session", "table", "tl", "jupyter"}:
        assert (site / "api" / f"latentmap.{name}.html").is_file(), name


@pytest.mark.slow
def test_the_site_is_read_without_the_internet(site):
    """No page loads a script, a style or a picture from another machine."""
    loaded = re.compile(r'<(?:script|img|link)[^>]* (?:src|href)="(https?://[^"]+)"')
    assert {str(page): loaded.findall(page.read_text("utf-8")) for page in site.rglob("*.html")} == {
        str(page): [] for page in site.rglob("*.html")
    }
