"""The estimator with the libraries that `pip install latentmap` brings, and none that an extra does."""

import os
import re
import subprocess
import sys
from importlib.metadata import distribution

import pytest
from packaging.requirements import Requirement

# Each test starts Python.
pytestmark = pytest.mark.slow

OF_EXTRAS = {"anndata", "ipywidgets", "matplotlib", "napari", "pandas", "psygnal", "qtpy", "skimage", "tifffile"}

IMPORT = """
import sys
from latentmap import LVM
print(*sys.modules, sep="\\n")
"""

FIT_TRANSFORM_SAVE = """
import pickle, numpy as np
from latentmap import LVM
from latentmap.methods import METHODS
from latentmap.quality import neighbor_recall
X = np.random.default_rng(0).normal(size=(90, 4))
lvm = LVM(max_iter=20, random_state=0).fit(X)
read = pickle.loads(pickle.dumps(lvm))
assert np.array_equal(read.transform(X[:5]), lvm.transform(X[:5]))
assert neighbor_recall(X, lvm.embedding_, 10) > 0.3
print(*METHODS)
"""

COMPARISONS = """
import numpy as np
from latentmap.methods import ComparisonEmbedding
X = np.random.default_rng(0).normal(size=(60, 4))
print(ComparisonEmbedding(max_iter=5).fit(X, np.where(X[:, 0] > 0, "T", "B")).embedding_.shape)
"""


def requirements(name, extra=""):
    """The requirements of a distribution, without those of other extras."""
    for line in distribution(name).requires or []:
        needed = Requirement(line)
        if needed.marker is None or needed.marker.evaluate({"extra": extra}):
            yield needed.name


def closure(name):
    """All distributions that are installed with one."""
    found, waiting = {name}, [name]
    while waiting:
        new = set(requirements(waiting.pop())) - found
        found |= new
        waiting += new
    return found - {name}


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """A folder of packages that holds links to what the core needs, and nothing else."""
    folder = tmp_path_factory.mktemp("site-packages")
    for name in closure("latentmap"):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files} - {"..", "__pycache__"}:
            (folder / top).symlink_to(found.locate_file(top))
    return folder


def run(core, source, *words):
    """What Python says with the core alone."""
    where = os.pathsep.join([str(core), str(source)])
    return subprocess.run(
        [sys.executable, "-S", *words], env={**os.environ, "PYTHONPATH": where}, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def source(pytestconfig):
    return pytestconfig.rootpath / "src"


def test_the_estimator_loads_no_library_of_an_extra(core, source):
    done = run(core, source, "-c", IMPORT)
    assert done.returncode == 0, done.stderr
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "latentmap" in loaded
    assert not loaded & OF_EXTRAS


@pytest.mark.parametrize(("code", "said"), [(FIT_TRANSFORM_SAVE, "elastic-embedding"), (COMPARISONS, "(60, 2)")])
def test_the_core_makes_maps(core, source, code, said):
    done = run(core, source, "-c", code)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("import latentmap.table", 'latentmap.table needs pandas: pip install "latentmap[table]"'),
        ("import latentmap; latentmap.session", 'latentmap.session needs pandas: pip install "latentmap[table]"'),
        ("from latentmap import tl", 'latentmap.tl needs pandas: pip install "latentmap[files]"'),
        ("import latentmap.jupyter", 'latentmap.jupyter needs pandas: pip install "latentmap[jupyter]"'),
        ("import latentmap; latentmap.choose([[1.0]])", 'a choice needs pandas: pip install "latentmap[table]"'),
    ],
)
def test_what_needs_an_extra_names_it(core, source, code, sentence):
    done = run(core, source, "-c", code)
    assert done.returncode == 1
    assert sentence in done.stderr.splitlines()[-1]


def test_the_command_names_its_extra_in_one_line(core, source):
    done = run(core, source, "-m", "latentmap", "methods")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r'latentmap: \S+ needs pandas: pip install "latentmap\[table\]"\n', done.stderr)


def test_the_command_tells_its_help_without_an_extra(core, source):
    assert run(core, source, "-m", "latentmap", "--help").stdout.startswith("usage: latentmap")


def test_all_brings_what_each_extra_brings():
    extras = set(distribution("latentmap").metadata.get_all("Provides-Extra"))
    # torch has some gigabytes, and a second Qt binding breaks the first.
    for extra in extras - {"gpu", "pyside6"}:
        assert set(requirements("latentmap", extra)) <= set(requirements("latentmap", "all"))
