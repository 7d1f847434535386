"""How Sphinx builds the site: ``scripts/site``."""

from importlib.metadata import version as installed_version

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
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

# Pages name their sections by <a id="...">, which MyST does not know as targets; tests/docs follows every link.
suppress_warnings = ["myst.xref_missing"]

autosummary_generate = True
autosummary_imported_members = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
numpydoc_show_class_members = False

html_theme = "furo"
html_title = "latentmap"
html_static_path: list[str] = []
html_copy_source = False
copybutton_prompt_text = ">>> |\\$ "
copybutton_prompt_is_regexp = True
