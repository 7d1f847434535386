"""Files that are deleted between choosing and reading, and drives that go away meanwhile."""

import errno
import io
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from latentmap.images.image_files import read_image
from latentmap.table import MapTable, read_table, write_table


class Gone(io.BufferedReader):
    """A file on a drive that goes away after the first bytes."""

    def read(self, *size):
        if self.tell() > 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().read(64)

    def readinto(self, buffer):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    read1 = read


@pytest.fixture
def drive(monkeypatch):
    """Make the drive of a file go away."""
    whole = Path.open

    def go_away(path):
        def opened(self, mode="r", *args, **kwargs):
            if self != path or mode not in ("rb", "r"):
                return whole(self, mode, *args, **kwargs)
            file = Gone(io.FileIO(self))
            return file if mode == "rb" else io.TextIOWrapper(file, *args, **kwargs)

        monkeypatch.setattr(Path, "open", opened)

    return go_away


def test_a_drive_that_goes_away_is_not_called_damage(tmp_path, drive):
    path = tmp_path / "cells.csv"
    pd.DataFrame({"label": range(1, 5000), "area": 1.5}).to_csv(path, index=False)
    drive(path)
    with pytest.raises(ValueError, match=r'"cells\.csv" could not be read to its end .*drive still connected'):
        read_table(path, layer="nuclei")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".h5ad", ".xlsx"])
def test_a_file_deleted_after_it_was_chosen_is_a_sentence(tmp_path, suffix):
    for library in {".parquet": ["pyarrow"], ".h5ad": ["anndata"], ".xlsx": ["openpyxl"]}.get(suffix, []):
        pytest.importorskip(library)
    path = tmp_path / f"cells{suffix}"
    rows = pd.DataFrame({"layer": "nuclei", "frame": 0, "label": [1, 2], "area": [4.0, 9.0]})
    rows.to_excel(path, index=False) if suffix == ".xlsx" else write_table(MapTable(rows, ("area",)), path)
    assert len(read_table(path, layer="nuclei").keys) == 2
    path.unlink()
    with pytest.raises(ValueError, match=rf'There is no file ".*cells\{suffix}"'):
        read_table(path, layer="nuclei")


def test_a_vanished_image_is_a_sentence(tmp_path):
    path = tmp_path / "image.npy"
    np.save(path, np.zeros((4, 4)))
    path.unlink()
    with pytest.raises(ValueError, match=r'There is no file ".*image\.npy"'):
        read_image(path)
