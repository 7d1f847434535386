"""Both front ends read and write napari's layers, and the notebook's has no Qt."""

import subprocess
import sys

import pytest

IMPORT_ALL = """
import importlib, pkgutil, sys, latentmap.napari_layers

for module in pkgutil.iter_modules(latentmap.napari_layers.__path__, "latentmap.napari_layers."):
    importlib.import_module(module.name)
print(*sys.modules, sep="\\n")
"""


@pytest.mark.slow
def test_no_module_loads_qt_or_a_front_end() -> None:
    shown = subprocess.run([sys.executable, "-c", IMPORT_ALL], check=True, stdout=subprocess.PIPE, text=True).stdout
    loaded = set(shown.split())
    assert "latentmap.napari_layers.session_layers" in loaded
    assert loaded & {"qtpy", "superqt", "latentmap.napari_plugin", "latentmap.jupyter", "ipywidgets"} == set()
