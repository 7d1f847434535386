"""What every test may ask for: the real data sets, where this machine has them."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def data_dir(pytestconfig: pytest.Config) -> Path:
    """The folder that LATENTMAP_DATA names, by default `shared/data` beside the repository."""
    return Path(os.environ.get("LATENTMAP_DATA", pytestconfig.rootpath.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def load_data(data_dir: Path) -> Callable[[str], dict[str, np.ndarray]]:
    """A function from a data set's name, "mnist70k", to its arrays; the test is skipped where the file is absent."""

    def load(name: str) -> dict[str, np.ndarray]:
        path = data_dir / f"{name}.npz"
        if not path.is_file():
            pytest.skip(f"no {path.name} in {data_dir}; LATENTMAP_DATA may name another folder")
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)

    return load
