"""The rooms of the package import only those that docs/architecture.md lets them."""

import ast
import re

import pytest

# What a session stands on.
GROUND = {"model", "methods", "quality", "table", "images"}
# Each room, and what it may import of the others.
ROOMS = {
    "model": set(),
    "table": set(),
    "images": {"table"},
    "measuring": {"table", "images"},
    "samples": {"table", "measuring"},
    "quality": {"model"},
    "methods": {"model"},
    "session": GROUND,
    "tl": GROUND | {"session"},
    "display": GROUND | {"measuring", "session"},
    "presenters": GROUND | {"measuring", "session", "display"},
    "cli": GROUND | {"measuring", "samples", "session", "display", "presenters", "tl"},
    "napari_layers": GROUND | {"measuring", "session", "display", "presenters"},
    "napari_plugin": GROUND | {"measuring", "samples", "session", "display", "presenters", "napari_layers"},
    "jupyter": GROUND | {"measuring", "session", "display", "presenters", "napari_layers"},
}
# What opens a window or a widget; only the front ends may import it.
WINDOWS = {"napari", "qtpy", "magicgui", "superqt", "vispy", "ipywidgets", "anywidget", "IPython", "ipykernel"}
WITHOUT = {"napari_layers": WINDOWS - {"napari"}, "napari_plugin": set(), "jupyter": set()}


@pytest.fixture(scope="module")
def package(pytestconfig):
    return pytestconfig.rootpath / "src" / "latentmap"


def imported(path):
    """The names of all modules that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_each_folder_is_a_room(package):
    assert {path.parent.name for path in package.glob("*/__init__.py")} == ROOMS.keys()


def test_no_room_imports_one_above_or_beside_it(package):
    assert not [
        (str(path.relative_to(package)), name)
        for room, below in ROOMS.items()
        for path in (package / room).rglob("*.py")
        for name in imported(path)
        if (other := re.match(r"latentmap\.(\w+)", name)) and other[1] in ROOMS.keys() - below - {room}
    ]


def test_a_table_knows_nothing_of_files(package):
    assert not [
        (path.name, name)
        for path in (package / "table").glob("*.py")
        if path.name != "__init__.py"
        for name in imported(path)
        if name.startswith("latentmap.table.files")
    ]


def test_what_needs_no_window_imports_none(package):
    assert not [
        (str(path.relative_to(package)), name)
        for room in ROOMS
        for path in (package / room).rglob("*.py")
        for name in imported(path)
        if name.split(".")[0] in WITHOUT.get(room, WINDOWS)
    ]


def test_the_page_tells_the_same(package):
    page = (package.parents[1] / "docs" / "architecture.md").read_text()
    told = re.findall(r"^\| `(\w+)` \|", page, re.M)
    assert sorted(told) == sorted(ROOMS)


def test_the_notebooks_parts_are_made_of_widgets_that_share_their_looks(package):
    """Else each opens two more models, and too many messages at once get lost."""
    assert [
        path.name
        for path in (package / "jupyter").glob("*.py")
        if any(n.startswith("ipywidgets") for n in imported(path))
    ] == ["widgets.py"]
