"""How Sphinx builds the site: ``scripts/site``."""

import re
import sys
from importlib.metadata import version as installed_version
from types import ModuleType
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer

import latentmap.tl

project = "latentmap"
author = "The latentmap developers"
copyright = author
version = release = installed_version("latentmap")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
nitpicky = False
highlight_language = "none"

# The notebooks come with what docs/run_notebooks.py has stored in them.
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence", "dollarmath"]
# What browsers draw themselves; scripts that draw formulas would come from the internet.
html_math_renderer = "mathml"
myst_heading_anchors = 4

# Pages name their sections by <a id="...">, which MyST does not know as targets; tests/docs follows every link.
suppress_warnings = ["myst.xref_missing"]

autosummary_generate = True
autosummary_imported_members = True
autosummary_ignore_module_all = False
# The tools are objects: Sphinx would take them for data, and leave out what they are called with.
# numpydoc fails at tuple[str, int, int], and what METHODS holds would fill pages.
_ALIASES = {"latentmap.session.Schedule": "latentmap.session.job", "latentmap.table.Key": "latentmap.table.cells"}
autosummary_context = {
    "tools": [f"latentmap.tl.{name}" for name in latentmap.tl.__all__],
    "aliases": {
        alias: " ".join(ModuleAnalyzer.for_module(home).find_attr_docs()["", alias.rpartition(".")[2]]).strip()
        for alias, home in _ALIASES.items()
    },
    "long": ["latentmap.methods.METHODS"],
}
autodoc_typehints = "none"
numpydoc_show_class_members = False
# Single backticks in docstrings name a parameter, or something to link to.
default_role = "py:obj"

html_theme = "furo"
html_title = "latentmap"
html_static_path: list[str] = []
html_copy_source = False
copybutton_prompt_text = ">>> |\\$ "
copybutton_prompt_is_regexp = True

_EQUATION = "display: flex; align-items: center; overflow: auto hidden; margin: 1em 0"


def setup(app: Sphinx) -> None:
    """Let constants keep the sentences that stand below them in the source, and formulas be MathML."""
    app.connect("autodoc-process-docstring", document_constant)
    app.add_html_math_renderer("mathml", (write_math, None), (write_equation, None))


def document_constant(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Give a constant the docstring of the module that defines it, in place of its type's."""
    if what == "data":
        constant = name.rpartition(".")[2]
        homes = [module for module in list(sys.modules.values()) if _holds(module, constant, obj)]
        found = [sentence for home in homes if (sentence := _attribute_docs(home).get(("", constant)))]
        if found:
            lines[:] = found[0]


def _holds(module: ModuleType, constant: str, obj: Any) -> bool:
    return module.__name__.startswith("latentmap.") and vars(module).get(constant) is obj


def _attribute_docs(module: ModuleType) -> dict[tuple[str, str], list[str]]:
    """The sentences below, or in comments above, the names of a module."""
    try:
        return ModuleAnalyzer.for_module(module.__name__).find_attr_docs()
    except PycodeError:
        return {}


def write_math(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def write_equation(writer: Any, node: nodes.math_block) -> None:
    r"""Write a formula of its own line, with its number, the n of \tag{n}, on the right."""
    text = node.astext()
    number = re.search(r"\\tag\{(\w+)\}", text)
    formula = tex2mathml(re.sub(r"\\tag\{\w+\}", "", text), as_block=True)
    label = f'<span id="equation-{number[1]}">({number[1]})</span>' if number else ""
    writer.body.append(f'<div style="{_EQUATION}"><div style="flex: 1">{formula}</div>{label}</div>')
    raise nodes.SkipNode
