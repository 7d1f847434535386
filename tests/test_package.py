"""What is shipped: an import that stays light, and packages that carry napari's manifest and force no GUI on anyone."""

import json
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable
from functools import cache
from importlib.metadata import PathDistribution
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from build import ProjectBuilder
from npe2 import PluginManifest
from packaging.requirements import Requirement

# Each test starts Python, or builds a package.
pytestmark = pytest.mark.slow

QT_BINDINGS = {"pyqt5", "pyqt6", "pyside2", "pyside6", "pyside6-addons", "pyside6-essentials", "shiboken2", "shiboken6"}
NAPARI_LIBRARIES = {"magicgui", "napari", "qtpy", "superqt", "vispy"}
NOTEBOOK_LIBRARIES = {"anywidget", "ipython", "ipywidgets", "matplotlib"}
FRONT_END_LIBRARIES = QT_BINDINGS | NAPARI_LIBRARIES | NOTEBOOK_LIBRARIES

Build = Callable[[str], Path]
# `python -m build` leaves both: the wheel is made of what is in the sdist.
PATTERNS_OF_BOTH = {"sdist": "*.tar.gz", "wheel from sdist": "*.whl"}

IMPORT_THE_PACKAGE = """
import sys, latentmap
print(*sys.modules, sep="\\n")
"""

IMPORT_ALL_BELOW_THE_FRONT_ENDS = """
import importlib, pkgutil, sys, latentmap

def import_all(package):
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        upper = ("latentmap.napari_layers", "latentmap.napari_plugin", "latentmap.jupyter")
        # Figures need matplotlib, and whoever draws one asks for it.
        if module.name not in (*upper, "latentmap.display.paper_figure"):
            imported = importlib.import_module(module.name)
            if module.ispkg:
                import_all(imported)

import_all(latentmap)
print(*sys.modules, sep="\\n")
"""

READ_MANIFEST = """
import importlib.util, site, sys
package, dependencies, source = sys.argv[1:]
site.addsitedir(package)  # reads its .pth file too
sys.path.append(dependencies)  # reads none there: the environment's own latentmap must not answer for this one
from npe2 import PluginManifest
assert importlib.util.find_spec("latentmap").origin.startswith(source)
print(PluginManifest.from_distribution("latentmap").json())
"""


def python(*arguments: str | Path) -> str:
    return subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


@pytest.mark.parametrize("part", ["methods", "quality", "session", "table"])
def test_parts_are_there_once_the_package_is_imported(part: str) -> None:
    assert part in python("-c", f"import latentmap; print(latentmap.{part}.__name__, dir(latentmap))")


@pytest.mark.parametrize("code", [IMPORT_THE_PACKAGE, IMPORT_ALL_BELOW_THE_FRONT_ENDS], ids=["package", "modules"])
def test_importing_loads_no_front_end_and_no_slow_compiler(code: str) -> None:
    loaded = {name.partition(".")[0].lower() for name in python("-c", code).split()}
    assert "latentmap" in loaded
    assert loaded & (FRONT_END_LIBRARIES | {"pynndescent"}) == set()


WITHOUT_AN_INSTALL = """
import importlib.metadata as metadata

def version(name):
    raise metadata.PackageNotFoundError(name)

metadata.version = version
import latentmap
print(latentmap.__version__, latentmap.LVM.__name__)
"""


def test_a_folder_of_sources_that_is_not_installed_works_without_a_version() -> None:
    assert python("-c", WITHOUT_AN_INSTALL).split() == ["0+unknown", "LVM"]


def install(wheel: Path, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def root(pytestconfig: pytest.Config) -> Path:
    return pytestconfig.rootpath


@pytest.fixture(scope="module")
def build(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A function from a kind of package to its file, which is built once."""

    @cache
    def both() -> Path:
        folder = tmp_path_factory.mktemp("dist")
        python("-m", "build", "--no-isolation", "--outdir", folder, root)
        return folder

    @cache
    def build(kind: str) -> Path:
        if kind in PATTERNS_OF_BOTH:
            (built,) = both().glob(PATTERNS_OF_BOTH[kind])
            return built
        return Path(ProjectBuilder(root).build(kind, tmp_path_factory.mktemp(kind)))

    return build


@pytest.mark.parametrize("kind", ["wheel", "wheel from sdist", "editable"])
def test_an_install_carries_the_manifest(kind: str, build: Build, root: Path, tmp_path: Path) -> None:
    site_packages = install(build(kind), tmp_path / "site-packages")
    location = root / "src" if kind == "editable" else site_packages
    found = python("-I", "-S", "-c", READ_MANIFEST, site_packages, sysconfig.get_path("purelib"), location)

    manifest, expected = PluginManifest(**json.loads(found)), PluginManifest.from_file(root / "napari.yaml")
    assert manifest.name == "latentmap"
    assert manifest.contributions == expected.contributions


def test_an_install_carries_what_runs_in_the_browser(build: Build, root: Path, tmp_path: Path) -> None:
    installed = install(build("wheel from sdist"), tmp_path / "site-packages")
    static = Path("latentmap", "jupyter", "static")
    shipped = {file.name: file.read_bytes() for file in (installed / static).iterdir()}
    assert shipped == {file.name: file.read_bytes() for file in (root / "src" / static).iterdir()}
    assert {"map_pane.js", "image_pane.js", "html_export.js", "html_export.css", "html_export.html"} <= shipped.keys()


def test_the_manifest_is_a_file_of_its_own_in_the_sdist(build: Build, root: Path) -> None:
    with tarfile.open(build("sdist")) as sdist:
        (shipped,) = (item for item in sdist if item.name.endswith("src/latentmap/napari.yaml"))
        assert shipped.isfile()
        assert sdist.extractfile(shipped).read() == (root / "napari.yaml").read_bytes()


def test_only_the_pyside6_extra_names_a_qt_binding(build: Build, tmp_path: Path) -> None:
    (dist_info,) = install(build("wheel"), tmp_path / "installed").glob("*.dist-info")
    requirements = [Requirement(line) for line in PathDistribution(dist_info).requires or []]

    def required(extra: str) -> dict[str, Requirement]:
        wanted = (item for item in requirements if item.marker is None or item.marker.evaluate({"extra": extra}))
        return {item.name.lower(): item for item in wanted}

    assert required("").keys() >= {"numpy", "scikit-learn"}
    assert required("").keys() & FRONT_END_LIBRARIES == set()
    for extra in ("napari", "jupyter", "all"):
        assert required(extra).keys() > required("").keys()
        assert required(extra).keys() & QT_BINDINGS == set()
        # A binding comes by the back door, too: napari[all], superqt[pyside6].
        assert [str(item) for item in required(extra).values() if item.extras] == []
    assert required("pyside6").keys() & QT_BINDINGS == {"pyside6-essentials"}


@pytest.fixture(scope="module")
def hook(root: Path) -> ModuleType:
    spec = spec_from_file_location("hatch_build", root / "hatch_build.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_of_the_package_index_has_no_relative_link(hook: ModuleType, root: Path) -> None:
    shown = hook.absolute((root / "README.md").read_text(), "https://example.org/us/it")
    assert re.findall(r'\]\((?!https?:|#)|src="(?!https?:)', shown) == []
    assert "](https://example.org/us/it/raw/HEAD/docs/images/" in shown


def test_pictures_in_html_get_their_address_too(hook: ModuleType) -> None:
    shown = hook.absolute('<img alt="A map" src="docs/map.gif">', "https://example.org/us/it")
    assert shown == '<img alt="A map" src="https://example.org/us/it/raw/HEAD/docs/map.gif">'


def test_the_address_set_comes_before_that_of_the_build(hook: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://example.org")
    monkeypatch.setenv("GITHUB_REPOSITORY", "us/it")
    assert hook.public_address({"repository": ""}) == "https://example.org/us/it"
    assert hook.public_address({"repository": "https://example.net/it/"}) == "https://example.net/it"
    monkeypatch.delenv("GITHUB_REPOSITORY")
    assert hook.public_address({"repository": ""}) == ""


def test_the_sdist_is_small(build: Build) -> None:
    assert build("sdist").stat().st_size < 8e6
