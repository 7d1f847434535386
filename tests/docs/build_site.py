"""Builds the site as ``scripts/site`` does, in less time: ``python tests/docs/build_site.py FOLDER``."""

import gc
import shutil
import sys
from functools import cache, partial
from pathlib import Path
from typing import Any

import furo
from jinja2 import FileSystemBytecodeCache
from numpydoc import docscrape_sphinx
from sphinx.application import Sphinx
from sphinx.util.docutils import patch_docutils

DOCS = Path(__file__).parents[2] / "docs"
# Far more nodes of pages are kept than thrown away: Python need not look so often for those that can go.
_COLLECTED = (50_000, 50, 50)


def build(folder: Path) -> int:
    """Build all pages, and return what Sphinx ends with: not 0 if there was a warning."""
    gc.set_threshold(*_COLLECTED)
    _compile_templates_once(folder / ".templates")
    pages = _copy_pages(folder / ".pages")
    with patch_docutils(pages):
        app = Sphinx(pages, pages, folder, folder / ".doctrees", "html", status=None, warningiserror=True)
        _navigate_folders(app)
        app.build()
    return app.statuscode


def _copy_pages(folder: Path) -> Path:
    """Return a copy of the folder of pages, beside those that they include.

    Sphinx writes the pages of the reference among them. In one place for all, a second build at the same time would
    read them unfinished, and a later one as they were.
    """
    shutil.copytree(DOCS, folder / DOCS.name, ignore=shutil.ignore_patterns("api", "_build"))
    for page in DOCS.parent.glob("*.md"):
        shutil.copy(page, folder)
    return folder / DOCS.name


def _compile_templates_once(folder: Path) -> None:
    """Let numpydoc find the template that it reads for every docstring."""
    folder.mkdir()
    kept = FileSystemBytecodeCache(str(folder))
    docscrape_sphinx.SandboxedEnvironment = partial(docscrape_sphinx.SandboxedEnvironment, bytecode_cache=kept)


def _navigate_folders(app: Sphinx) -> None:
    """Have all pages of a folder show the navigation of the first: they differ in the page that is marked as shown.

    Made for each page it would be the most that is done for it.
    """
    made: dict[Any, str] = {}

    def share(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
        make, home = context["toctree"], page.rpartition("/")[0]

        def toctree(**wanted: Any) -> str:
            key = (home, *sorted(wanted.items()))
            if key not in made:
                made[key] = make(**wanted)
            return made[key]

        context["toctree"] = toctree

    # Before the theme asks for it.
    app.connect("html-page-context", share, priority=100)
    furo.get_navigation_tree = cache(furo.get_navigation_tree)


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1])))
