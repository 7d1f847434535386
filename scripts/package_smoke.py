"""What must work in an environment into which the package was just installed: package_smoke.py PART..."""

import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def core() -> None:
    """The estimator makes a map, places rows on it, and can be saved."""
    from latentmap import LVM

    loaded = {"pandas", "psygnal", "skimage"} & {name for name in sys.modules if "." not in name}
    X = np.random.default_rng(0).normal(size=(120, 5))
    lvm = LVM(max_iter=20, random_state=0).fit(X)
    read = pickle.loads(pickle.dumps(lvm))
    assert np.array_equal(read.transform(X[:5]), lvm.transform(X[:5]))
    print("loaded with the estimator:", *sorted(loaded) or ["no library of an extra"])


def _command(*words: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "latentmap", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def table(ending: str = "csv") -> None:
    """The command line measures the cells of an image and makes a map of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cells, made = folder / f"cells.{ending}", folder / f"map.{ending}"
        _command("demo", folder)
        _command("measure", folder / "image.ome.tif", folder / "labels.tif", "-o", cells)
        _command("embed", cells, "-o", made, "--n-neighbors", "10")
        assert made.stat().st_size > 1000


def files() -> None:
    """The same with Parquet, with AnnData in a file, and with one in memory."""
    table("parquet")
    table("h5ad")
    from anndata import AnnData

    from latentmap import tl

    adata = AnnData(np.random.default_rng(0).normal(size=(120, 5)))
    tl.lvm(adata)
    assert any("lvm" in name for name in adata.obsm)


def jupyter() -> None:
    """Every module of the widget loads; it opens in a notebook alone."""
    from importlib import import_module
    from pkgutil import iter_modules

    from latentmap import jupyter

    for module in iter_modules(jupyter.__path__, "latentmap.jupyter."):
        # It reads napari's layers, where napari is installed.
        if module.name != "latentmap.jupyter.napari_input":
            import_module(module.name)


def napari() -> None:
    """The panel opens in a window that nobody sees."""
    from napari import Viewer

    from latentmap.napari_plugin.commands import PanelOf

    viewer = Viewer(show=False)
    viewer.add_labels(np.kron(np.arange(36).reshape(6, 6), np.ones((8, 8), int)))
    viewer.window.add_dock_widget(PanelOf(viewer))
    viewer.close()


if __name__ == "__main__":
    for part in sys.argv[1:]:
        {"core": core, "table": table, "files": files, "jupyter": jupyter, "napari": napari}[part]()
