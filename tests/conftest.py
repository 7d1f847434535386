"""What every test may ask for: the real data sets, where this machine has them. And which tests are quick."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

# napari triangulates shapes by functions that each process compiles for seconds, or without these by NumPy.
sys.modules.setdefault("napari.layers.shapes._accelerated_triangulate_numba", None)  # type: ignore[arg-type]
# jsonschema would read a grammar of web addresses for seconds, for a format that no notebook has.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# What a test takes, by what it asks for.
_MARKS = {"chromium": "browser", "qapp": "window", "npm": "slow"}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker more than there are cores: those that wait for a browser, a kernel or a process leave theirs idle."""
    return len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what opens a browser or a window, so that nobody has to; and begin with the files that have slow tests.

    A slow test that came last would keep one core, while the others wait for it.
    """
    for item in items:
        for fixture, mark in _MARKS.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def data_dir(pytestconfig: pytest.Config) -> Path:
    """The folder that LATENTMAP_DATA names, by default `shared/data` beside the repository."""
    return Path(os.environ.get("LATENTMAP_DATA", pytestconfig.rootpath.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def load_data(data_dir: Path) -> Iterator[Callable[[str], Mapping[str, np.ndarray]]]:
    """A function from a data set's name, "mnist70k", to its arrays, each of which is read when it is asked for.

    The test is skipped where the file is absent.
    """
    with ExitStack() as files:

        def load(name: str) -> Mapping[str, np.ndarray]:
            path = data_dir / f"{name}.npz"
            if not path.is_file():
                pytest.skip(f"no {path.name} in {data_dir}; LATENTMAP_DATA may name another folder")
            return files.enter_context(np.load(path, allow_pickle=False))

        yield load
