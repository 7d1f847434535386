"""Every block of Python on a guide runs, from top to bottom of the page, as in a notebook."""

import ast
import asyncio
import importlib
import inspect
import re
from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from markdown_pages import PAGES, ROOT, code_in, name_of, text_of

from latentmap.cli.main import main

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

# What a page takes for granted, before the block that begins like this.
_GIVEN = {
    "choice = latentmap.choose": """
import latentmap
from sklearn.datasets import load_iris
X = load_iris().data
""",
    "lvm = latentmap.LVM().fit(cells_of_march)": """
import latentmap
from sklearn.datasets import load_iris
cells_of_march, cells_of_april = load_iris().data[::2], load_iris().data[1::2]
""",
    "shown.selection.keys": """
import pandas as pd
index = sample.cells.features.index
more = pd.DataFrame({"treatment": ["a", "b"] * 156 + ["a"], "UMAP1": range(313), "UMAP2": range(313)}, index=index)
cells = sample.cells.with_features(more)
shown = explore(cells, {"tissue": sample.image}, sample.labels, layer="cells")
shown.session.parameters.features = ("area", "eccentricity", "dab_mean")
shown.embed()
await shown.finished()
shown.classes.assign("T", shown.session.cell_index.numbers_of(index[:50]))
new_cells = sample.cells.features.reset_index()[["area", "eccentricity", "dab_mean"]].assign(label=range(1, 314))
""",
    "shown.selected = shown.cells": """
shown = explore(sample.cells, {"tissue": sample.image}, sample.labels, layer="cells")
shown.embed()
await shown.finished()
""",
    "from latentmap.jupyter import link": "other = explore(sample.cells)",
    "from sklearn.callback import": """
from latentmap import LVM
X = sample.cells.features[["area", "eccentricity", "dab_mean"]].to_numpy()
""",
    "from latentmap.session import Axis, Gate\n\ngate": """
import numpy as np
from dataclasses import replace
values = pd.DataFrame({"CD4": np.linspace(1, 90, 313), "CD8": np.linspace(0, 20, 313)}, index=index)
shown = explore(sample.cells.with_features(values))
other_cells = shown.cells.features
""",
    'shown.export_html("supplement': """
shown.embed()
await shown.finished()
""",
}


def blocks_of(path):
    """Return the blocks of Python on a page that are no examples with a prompt."""
    return [block for block in code_in(text_of(path), "python") if not block.startswith(">>>")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with the files that the tutorials are about."""
    monkeypatch.chdir(tmp_path)
    # Not by MPLBACKEND: an earlier test of a window may have imported matplotlib, which then draws with Qt.
    plt.switch_backend("agg")
    rng = np.random.default_rng(0)
    levels = np.array([[200, 300, 5, 2], [200, 5, 300, 2], [3, 5, 5, 250]])[np.arange(300) % 3]
    cells = pd.DataFrame(rng.gamma(3, levels / 3), columns=["CD3", "CD4", "CD8", "CD19"])
    cells.assign(label=range(1, 301), sample=np.repeat(["a", "b"], 150)).to_csv("cells.csv", index=False)
    tracked = pd.DataFrame(rng.normal(size=(240, 3)), columns=["area", "brightness", "roundness"])
    number, frame = np.divmod(np.arange(240), 12)
    tracked.assign(label=number + 1, frame=frame, track_id=number + 1).to_csv("tracked.csv", index=False)
    return tmp_path


async def run_all(blocks, name):
    """Run blocks one after the other in one namespace, in which ``await`` works as in a notebook."""
    namespace = {"__name__": "__main__"}
    for number, block in enumerate(blocks):
        before = "".join(given for start, given in _GIVEN.items() if block.startswith(start))
        for code in (before, block):
            compiled = compile(code, f"{name}, block {number}", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            returned = eval(compiled, namespace)
            if inspect.isawaitable(returned):
                await returned


# tests/table/test_whole_slides_page.py runs that page on a slide.
@pytest.mark.parametrize(
    "path", [path for path in PAGES if blocks_of(path) and path.name != "whole-slides.md"], ids=name_of
)
def test_blocks_run(path, folder, monkeypatch):
    blocks = blocks_of(path)
    if path.name == "scrna.md":
        scanpy_counts().write_h5ad("cells.h5ad")
        monkeypatch.syspath_prepend(ROOT)
        # What scanpy has for neighbours would be compiled anew each time.
        importlib.import_module("umap")
        importlib.import_module("benchmarks.peers.compiled").keep_compiled("umap")
    if find_spec("marimo") is None:
        blocks = [block for block in blocks if not block.startswith("import marimo")]
    asyncio.run(run_all(blocks, name_of(path)))


def scanpy_counts():
    """Counts of 300 genes in 200 cells of two types."""
    anndata = pytest.importorskip("anndata")
    pytest.importorskip("scanpy")
    rng = np.random.default_rng(0)
    rates = np.exp(rng.normal(size=(2, 300)))[np.arange(200) % 2]
    return anndata.AnnData(rng.poisson(3 * rates).astype(np.float32))


def test_a_block_that_fails_is_noticed(folder):
    with pytest.raises(NameError, match="missing"):
        asyncio.run(run_all(["import asyncio\nawait asyncio.sleep(0)", "missing"], "page"))


def test_the_shell_s_way_to_start_runs(folder):
    page = next(path for path in PAGES if path.name == "start.md")
    lines = [
        line for block in code_in(text_of(page), "sh") for line in block.splitlines() if line.startswith("latentmap ")
    ]
    for line in lines:
        words = re.sub(r"\s+#.*", "", line).split()[1:]
        assert main(words) == 0, line
    assert {"labels.tif", "cells.parquet", "map.parquet"} <= {path.name for path in folder.iterdir()}
